//! Records the version and data of the runs in a folder, so that other runs are not mixed with
//! them.

use std::path::Path;

use idealparent::{Error, Result};

use super::Context;
use crate::files;

const NAME: &str = "settings.tsv";
const HEADER: &str = "experiment\tversion\tpart\tdata\n";

impl Context {
    /// Returns an error if the folder has runs of the experiment from another version, another part
    /// or other data.
    pub fn check(&self, experiment: &str, data: &str) -> Result<()> {
        self.settings(experiment, data).map(|_| ())
    }

    /// Records version, part and data of an experiment.
    pub fn claim(&self, experiment: &str, data: &str) -> Result<()> {
        match self.settings(experiment, data)? {
            Some(text) => files::write(&self.out.join(NAME), &text),
            None => Ok(()),
        }
    }

    /// The new text of the list of experiments; `None` if it is up to date.
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
                        "these runs are a small part (--quick), not the whole experiment: choose another folder, or remove them"
                    }
                    Some(old) if old.replace("\twhole\t", "\tquick\t") == line => {
                        "these runs are of the whole experiment, not of a small part (--quick): choose another folder, or remove them"
                    }
                    Some(_) => {
                        "these runs are from another version or from other data: choose another folder, or remove them"
                    }
                    None => {
                        "settings.tsv in the same folder does not list these runs: choose another folder, or remove them"
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
            "this is not a list of experiments (remove it, or choose another folder)",
        )),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(HEADER.to_string()),
        Err(error) => Err(Error::io(path.display().to_string(), error)),
    }
}
