//! `idealparent reproduce`: the paper's tables and figures, beside the paper's own numbers and beside the defaults.
//!
//! Every experiment has a table of its runs, which is added to line by line: what is there is not run again.

mod cellcycle;
mod cells;
mod fig1;
mod fig2;
mod fig3;
mod fig4;
mod page;
mod settings;
mod table1;
mod yeast;

use std::path::{Path, PathBuf};
use std::time::Instant;

use idealparent::search::Observer;
use idealparent::{Error, Result};

use crate::args::ReproduceArgs;
use crate::commands::{Outcome, on_threads};
use crate::{output, signals};

/// What every experiment needs to know.
pub struct Context {
    data: PathBuf,
    out: PathBuf,
    quick: bool,
    quiet: bool,
    threads: Option<usize>,
}

impl Context {
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        on_threads(self.threads, work)?
    }
}

/// Stops a run when the program is asked to.
pub struct Stop;

impl Observer for Stop {
    fn stop(&mut self) -> bool {
        signals::code().is_some()
    }
}

/// Whether all of its runs are done.
type Experiment = fn(&Context) -> Result<bool>;

const EXPERIMENTS: [(&str, Experiment); 6] = [
    ("fig1", fig1::run),
    ("fig2", fig2::run),
    ("table1", table1::run),
    ("fig3", fig3::run),
    ("fig4", fig4::run),
    ("cellcycle", cellcycle::run),
];

/// A page that leads to those of all experiments, titled as they are.
fn write_index(folder: &Path) -> Result<()> {
    let mut index = page::Page::new("The paper's tables and figures");
    for (name, _) in EXPERIMENTS {
        let path = folder.join(format!("{name}.md"));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::io(path.display().to_string(), error))?;
        let title = text.lines().next().unwrap_or(name).trim_start_matches("# ");
        index.say(&format!(
            "- [{title}]({name}.md), every run in [{name}.tsv]({name}.tsv)"
        ));
    }
    index.write(folder, "index")
}

pub fn run(args: &ReproduceArgs) -> Result<Outcome> {
    let chosen: Vec<(&str, Experiment)> = EXPERIMENTS
        .into_iter()
        .filter(|(name, _)| args.what == "all" || args.what == *name)
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
        return Err(Error::Options(format!(
            "'{}' is no experiment (one of {}, all)",
            output::one_line(&args.what),
            names.join(", ")
        )));
    }
    let folder = args.output.display().to_string();
    std::fs::create_dir_all(&args.output).map_err(|error| Error::io(folder.clone(), error))?;
    let context = Context {
        data: args.data.clone(),
        out: args.output.clone(),
        quick: args.quick,
        quiet: args.quiet,
        threads: args.threads,
    };
    signals::listen();
    for (name, experiment) in chosen {
        let began = Instant::now();
        let done = experiment(&context)?;
        if !done {
            output::tell(&format!(
                "stopped: the same command goes on from what is in {folder}\n"
            ));
            return Ok(Outcome::Interrupted);
        }
        if !args.quiet {
            let time = cells::duration(began.elapsed().as_secs_f64());
            output::print(&format!(
                "{name}: {} ({time})\n",
                args.output.join(format!("{name}.md")).display()
            ))?;
        }
    }
    if args.what == "all" {
        write_index(&args.output)?;
    }
    Ok(Outcome::Done)
}
