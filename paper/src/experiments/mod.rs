//! The paper's tables and figures, compared with the paper's numbers and with the defaults.
//!
//! Every experiment appends its runs to a table, line by line. Runs that are in the table are not
//! repeated.

mod cellcycle;
mod cells;
mod fig1;
mod fig2;
mod fig3;
mod fig4;
mod known;
mod page;
mod settings;
mod table1;
mod yeast;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use idealparent::error::quoted;
use idealparent::learn::Observer;
use idealparent::{Error, Result};

use crate::{files, signals};

/// Settings of all experiments.
pub struct Context {
    data: PathBuf,
    out: PathBuf,
    quick: bool,
    quiet: bool,
}

/// An observer that stops a run when the program is asked to stop.
pub struct Stop;

impl Observer for Stop {
    fn stop(&mut self) -> bool {
        signals::is_stopped()
    }
}

struct Experiment {
    name: &'static str,
    /// Returns a hash of the data, or an error if they cannot be used.
    fingerprint: fn(&Path) -> Result<String>,
    /// Returns an error if the table of runs is damaged.
    check: fn(&Context) -> Result<()>,
    /// Runs the experiment; returns whether all runs are done.
    run: fn(&Context) -> Result<bool>,
}

const fn experiment(
    name: &'static str,
    fingerprint: fn(&Path) -> Result<String>,
    check: fn(&Context) -> Result<()>,
    run: fn(&Context) -> Result<bool>,
) -> Experiment {
    Experiment {
        name,
        fingerprint,
        check,
        run,
    }
}

const EXPERIMENTS: [Experiment; 6] = [
    experiment("fig1", yeast::fingerprint, fig1::check, fig1::run),
    experiment("fig2", yeast::fingerprint, fig2::check, fig2::run),
    experiment("table1", yeast::fingerprint, table1::check, table1::run),
    experiment("fig3", yeast::fingerprint, fig3::check, fig3::run),
    experiment("fig4", cellcycle::fingerprint, fig4::check, fig4::run),
    experiment(
        "cellcycle",
        cellcycle::fingerprint,
        cellcycle::check,
        cellcycle::run,
    ),
];

/// Writes a page with links to the pages of all experiments.
fn write_index(folder: &Path) -> Result<()> {
    let mut index = page::Page::new("The paper's tables and figures", false);
    for Experiment { name, .. } in EXPERIMENTS {
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

/// Locks the folder against other processes while the file is open. The lock ends with this process
/// in any case.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(".lock");
    let failed = |error| Error::io(path.display().to_string(), error);
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::table(
            folder.display().to_string(),
            "another process is writing results here",
        )),
        // Some file systems have no locks.
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
            Err(failed(error))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Which experiments to run, and where.
pub struct Request {
    /// An experiment's name, or `all`.
    pub what: String,
    /// The folder with the data of the paper.
    pub data: PathBuf,
    /// The folder for tables, pictures and pages.
    pub output: PathBuf,
    /// Run a small part of every experiment.
    pub quick: bool,
    /// Show no progress.
    pub quiet: bool,
}

/// Runs experiments; returns whether all of them are done.
pub fn run(request: &Request) -> Result<bool> {
    let chosen: Vec<Experiment> = EXPERIMENTS
        .into_iter()
        .filter(|own| request.what == "all" || request.what == own.name)
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|own| own.name).collect();
        return Err(Error::options(format!(
            "{} is not an experiment (choose one of {}, all)",
            quoted(&request.what),
            names.join(", ")
        )));
    }
    let folder = request.output.display().to_string();
    if request.output.exists() && !request.output.is_dir() || request.output.as_os_str() == "-" {
        let what = "this is not a folder, which is needed for several files of results";
        return Err(Error::table(folder, what));
    }
    // If the data cannot be used, nothing is written, not even an empty folder.
    let mut data = Vec::new();
    for own in &chosen {
        data.push((own.fingerprint)(&request.data)?);
    }
    std::fs::create_dir_all(&request.output).map_err(|error| Error::io(folder.clone(), error))?;
    let _lock = lock(&request.output)?;
    let context = Context {
        data: request.data.clone(),
        out: request.output.clone(),
        quick: request.quick,
        quiet: request.quiet,
    };
    signals::listen();
    run_all(&context, &chosen, &data, request)
}

fn run_all(
    context: &Context,
    chosen: &[Experiment],
    data: &[String],
    request: &Request,
) -> Result<bool> {
    let folder = request.output.display();
    // Problems with the folder are reported before the first run, not hours later.
    for (own, data) in chosen.iter().zip(data) {
        context.check(own.name, data)?;
        (own.check)(context)?;
    }
    for (own, data) in chosen.iter().zip(data) {
        context.claim(own.name, data)?;
    }
    for Experiment { name, run, .. } in chosen {
        let began = Instant::now();
        let done = run(context)?;
        if !done {
            files::tell(&format!(
                "stopped: repeat the command to continue from the runs in {folder}"
            ));
            return Ok(false);
        }
        if !request.quiet {
            let time = cells::duration(began.elapsed().as_secs_f64());
            let page = request.output.join(format!("{name}.md"));
            files::print(&format!("{name}: {} ({time})", page.display()))?;
        }
    }
    if request.what == "all" {
        write_index(&request.output)?;
    }
    Ok(true)
}
