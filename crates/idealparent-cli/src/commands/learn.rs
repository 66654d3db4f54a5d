//! `idealparent learn`

use std::path::{Path, PathBuf};

use idealparent::{Checkpoint, Error, LearnOptions, Learned, OptionStyle, Result, Table, learn};

use super::summary::{self, Summary};
use super::{Outcome, files_read, on_threads, report};
use crate::args::LearnArgs;
use crate::checkpoint::{self, CheckpointWriter};
use crate::notes::{note, note_reading};
use crate::watch::{StopReason, Watch};
use crate::{input, output};

pub fn run(args: &LearnArgs) -> Result<Outcome> {
    let options = args.model.options()?;
    check_outputs(args, &options)?;
    let (table, notes) = input::table(args.data.as_deref(), &args.input)?;
    note_reading(args.run.quiet, &notes);
    let resume = checkpoint_to_resume(args)?;
    let mut watch = watch(args, &table)?;
    let learned = on_threads(args.run.threads, || match &resume {
        Some(checkpoint) => checkpoint.resume(&table, &options, &mut watch),
        None => learn(&table, &options, &mut watch),
    })??;
    watch.finish()?;
    note(args.run.quiet, &learned.notes);
    write_outputs(args, &learned, &table, &mut watch)?;
    let note_stop = |why: &str| {
        let hint = if watch.has_checkpoint() {
            " (--resume continues from here)"
        } else {
            ""
        };
        let line = format!("{why}: this is the best network so far{hint}");
        note(args.run.quiet, &[line]);
    };
    match watch.stop_reason {
        None => {}
        Some(StopReason::TimeLimit) => note_stop("the time limit was reached"),
        Some(StopReason::Checkpoints) => {
            note_stop("the requested number of checkpoints was written")
        }
        Some(StopReason::Interrupted) => note_stop("stopped"),
        Some(StopReason::Failed) => return Err(Error::data("the trace could not be written")),
    }
    let made = Summary {
        network: &learned.network,
        instances: learned.instances,
        is_bound: learned.is_bound,
        seconds: learned.seconds,
        figures: learned.figures(&table),
        learned: Some(&learned),
    };
    summary::report(&args.run, args.output.as_deref(), &made, &table)?;
    if let Some(path) = args.report.as_deref()
        && !args.run.quiet
        && !args.run.json
        && !output::is_stdout(path)
    {
        let line = format!("report written to {}\n", path.display());
        let is_taken = args.output.as_deref().is_some_and(output::is_stdout);
        output::print_or_tell(is_taken, &line)?;
    }
    Ok(match watch.stop_reason {
        Some(StopReason::Interrupted) => Outcome::Interrupted,
        _ => Outcome::Done,
    })
}

/// Returns an error, before anything runs, if outputs cannot be written or conflict.
fn check_outputs(args: &LearnArgs, options: &LearnOptions) -> Result<()> {
    let inputs = files_read(&args.model, &args.input, args.data.as_deref());
    let outputs = [
        ("-o", args.output.as_deref()),
        ("--trace", args.trace.as_deref()),
        ("--checkpoint", args.checkpoint.as_deref()),
        ("--profiles", args.profiles.as_deref()),
        ("--report", args.report.as_deref()),
    ];
    output::check_places(&inputs, &outputs)?;
    output::check_table_place("--profiles", args.profiles.as_deref())?;
    let is_stdout = |path: &Option<PathBuf>| path.as_deref().is_some_and(output::is_stdout);
    let others = [&args.output, &args.trace, &args.profiles];
    if is_stdout(&args.report) && (args.run.json || others.into_iter().any(is_stdout)) {
        return input::usage("with --report -, nothing else can go to standard output");
    }
    if args.profiles.is_some() && !options.wants_hidden() {
        return Err(Error::options("--profiles needs --hidden"));
    }
    Ok(())
}

/// The checkpoint to continue from; `None` without `--resume` or if the file does not exist.
fn checkpoint_to_resume(args: &LearnArgs) -> Result<Option<Checkpoint>> {
    let Some(path) = args.checkpoint.as_ref().filter(|_| args.resume) else {
        return Ok(None);
    };
    let found = checkpoint::read(path)?;
    if found.is_none() {
        let what = "no checkpoint yet, starting from the beginning";
        note(args.run.quiet, &[format!("{}: {what}", path.display())]);
    }
    Ok(found)
}

/// The observer for progress, trace, checkpoints and the time limit.
fn watch(args: &LearnArgs, table: &Table) -> Result<Watch> {
    let keeper = args.checkpoint.as_deref();
    let most = args.stop_after_checkpoints;
    let keeper = keeper.map(|path| CheckpointWriter::new(path, args.checkpoint_every, most));
    let watch = Watch::new(table.names(), args.run.quiet, args.time_limit)?;
    let watch = watch.with_trace(args.trace.as_deref())?;
    let mut watch = watch.with_checkpoints(keeper.transpose()?);
    if args.report.is_some() {
        watch.remember();
    }
    Ok(watch)
}

/// Writes the network, the profiles of hidden variables and the report.
fn write_outputs(
    args: &LearnArgs,
    learned: &Learned,
    table: &Table,
    watch: &mut Watch,
) -> Result<()> {
    if let Some(path) = args.output.as_deref() {
        output::write(Some(path), &learned.network.to_json()?)?;
    }
    if let Some(path) = args.profiles.as_deref() {
        write_profiles(args, learned, table, path)?;
    }
    let Some(path) = args.report.as_deref() else {
        return Ok(());
    };
    let rendered = learned
        .notes
        .iter()
        .map(|note| note.render(OptionStyle::Command));
    let mut notes: Vec<String> = rendered.collect();
    if watch.stop_reason.is_some() {
        let line = "the run was stopped early: this is the best network found until then";
        notes.push(line.into());
    }
    report::of_run(
        (&learned.network, table),
        (args.data.as_deref(), &args.input),
        watch.remembered(),
        &notes,
        (path, args.run.threads),
    )
}

fn write_profiles(args: &LearnArgs, learned: &Learned, table: &Table, path: &Path) -> Result<()> {
    if !learned.network.has_hidden() {
        let line = format!("{}: not written (no hidden variables)", path.display());
        note(args.run.quiet, &[line]);
        return Ok(());
    }
    let profiles = on_threads(args.run.threads, || learned.network.hidden_profiles(table))??;
    let text = profiles.to_text(output::separator(Some(path)));
    output::write_packed(Some(path), &text)
}
