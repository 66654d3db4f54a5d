//! What the runs in a folder were made from: others are not mixed with them.

use std::path::Path;

use idealparent::{Error, Result};

use super::Context;
use crate::files;

const NAME: &str = "settings.tsv";
const HEADER: &str = "experiment\tversion\tpart\tdata\n";

impl Context {
    /// Refuses a folder that has runs of an experiment with another version or part, or other data.
    pub fn check(&self, experiment: &str, data: &str) -> Result<()> {
        self.settings(experiment, data).map(|_| ())
    }

    /// Notes version, part and data of an experiment.
    pub fn claim(&self, experiment: &str, data: &str) -> Result<()> {
        match self.settings(experiment, data)? {
            Some(text) => files::write(&self.out.join(NAME), &text),
            None => Ok(()),
        }
    }

    /// What the list has to be, unless it is so already.
    fn settings(&self, experiment: &str, data: &str) -> Result<Option<String>> {
        let part = if self.quick { "quick" } else { "whole" };
        let line = format!(
            "{experiment}\t{}\t{part}\t{data}",
            env!("CARGO_PKG_VERSION")
        );
        let path = self.out.join(NAME);
        let known = read(&path)?;
        let own = |line: &&str| line.split('\t').next() == Some(experiment);
        let old = known.lines().find(own);
        let runs = self.out.join(format!("{experiment}.tsv"));
        if old == Some(line.as_str()) {
            return Ok(None);
        }
        if runs.is_file() {
            return Err(Error::table(
                runs.display().to_string(),
                match old {
                    Some(old) if old.replace("\tquick\t", "\twhole\t") == line => {
                        "these runs are a small part (--quick), which is not asked for now: give another folder, or remove them"
                    }
                    Some(old) if old.replace("\twhole\t", "\tquick\t") == line => {
                        "these runs are whole ones, and a small part (--quick) is asked for: give another folder, or remove them"
                    }
                    Some(_) => {
                        "these runs are of another version or of other data: give another folder, or remove them"
                    }
                    None => {
                        "settings.tsv beside it does not say what these runs were made from: give another folder, or remove them"
                    }
                },
            ));
        }
        let others = known.lines().filter(|line| !own(line));
        let lines = others.chain([line.as_str()]);
        Ok(Some(lines.flat_map(|line| [line, "\n"]).collect()))
    }
}

fn read(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(text) if text.starts_with(HEADER) => Ok(text),
        Ok(_) => Err(Error::table(
            path.display().to_string(),
            "this is no list of experiments (remove it, or give another folder)",
        )),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(HEADER.to_string()),
        Err(error) => Err(Error::io(path.display().to_string(), error)),
    }
}
