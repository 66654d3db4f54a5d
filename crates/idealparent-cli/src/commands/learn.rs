//! `idealparent learn`

use idealparent::{Error, Result, learn_from};

use super::{Outcome, files_read, note, on_threads, report, summary};
use crate::args::LearnArgs;
use crate::checkpoint::{self, Keeper};
use crate::watch::{Cut, Watch};
use crate::{input, output};

pub fn run(args: &LearnArgs) -> Result<Outcome> {
    let options = args.model.options()?;
    let inputs = files_read(&args.model, &args.input, args.data.as_deref());
    let outputs = [
        ("-o", args.output.as_deref()),
        ("--trace", args.trace.as_deref()),
        ("--checkpoint", args.checkpoint.as_deref()),
        ("--profiles", args.profiles.as_deref()),
        ("--report", args.report.as_deref()),
    ];
    output::check_places(&inputs, &outputs)?;
    output::check_table_place(args.profiles.as_deref())?;
    let others = [&args.output, &args.trace, &args.profiles];
    let is_stdout =
        |path: &Option<std::path::PathBuf>| path.as_deref().is_some_and(output::is_stdout);
    if is_stdout(&args.report) && (args.run.json || others.into_iter().any(is_stdout)) {
        return input::usage("--report - leaves no room for anything else on standard output");
    }
    if args.profiles.is_some() && !options.hidden.is_wanted() {
        return Err(Error::Options("--profiles goes with --hidden".to_string()));
    }
    let (table, notes) = input::table(args.data.as_deref(), &args.input)?;
    note(args.run.quiet, &notes);
    let mut resume = None;
    if let (Some(path), true) = (&args.checkpoint, args.resume) {
        resume = checkpoint::read(path)?;
        if resume.is_none() {
            let line = format!(
                "{}: no checkpoint yet, starting from the beginning",
                path.display()
            );
            note(args.run.quiet, &[line]);
        }
    }
    let keeper = args.checkpoint.as_deref();
    let keeper = keeper.map(|path| Keeper::new(path, args.checkpoint_every));
    let watch = Watch::new(table.names(), args.run.quiet, args.time_limit)?;
    let watch = watch.with_trace(args.trace.as_deref())?;
    let mut watch = watch.with_checkpoints(keeper.transpose()?);
    if args.report.is_some() {
        watch.remember();
    }
    let learned = on_threads(args.run.threads, || {
        learn_from(&table, &options, resume.as_ref(), &mut watch)
    })??;
    watch.finish()?;
    note(args.run.quiet, &learned.notes);
    if let Some(path) = args.output.as_deref() {
        output::write(Some(path), &learned.network.to_json()?)?;
    }
    if let Some(path) = args.profiles.as_deref() {
        if learned.network.has_hidden() {
            let profiles =
                on_threads(args.run.threads, || learned.network.hidden_profiles(&table))??;
            let text = profiles.to_text(output::separator(Some(path)));
            output::write_packed(Some(path), &text)?;
        } else {
            let line = format!("{}: not written", path.display());
            note(args.run.quiet, &[line]);
        }
    }
    if let Some(path) = args.report.as_deref() {
        let mut notes = learned.notes.clone();
        if watch.cut.is_some() {
            let line = "the run was stopped before its end: this is the best network until then";
            notes.push(line.to_string());
        }
        report::of_run(
            (&learned.network, &table),
            (args.data.as_deref(), &args.input),
            watch.remembered(),
            &notes,
            (path, args.run.threads),
        )?;
    }
    let told = |why: &str| {
        let further = if watch.has_checkpoint() {
            " (--resume goes on from here)"
        } else {
            ""
        };
        let line = format!("{why}: this is the best network so far{further}");
        note(args.run.quiet, &[line]);
    };
    match watch.cut {
        None => {}
        Some(Cut::TimeLimit) => told("the time limit was reached"),
        Some(Cut::Interrupted) => told("stopped"),
        Some(Cut::Failed) => return Err(Error::Data("the trace could not be written".to_string())),
    }
    summary::report(&args.run, args.output.as_deref(), &learned, &table)?;
    if let Some(path) = args.report.as_deref()
        && !args.run.quiet
        && !args.run.json
        && !output::is_stdout(path)
    {
        let line = format!("a page that shows it is in {}\n", path.display());
        let is_taken = args.output.as_deref().is_some_and(output::is_stdout);
        output::print_beside(is_taken, &line)?;
    }
    Ok(match watch.cut {
        Some(Cut::Interrupted) => Outcome::Interrupted,
        _ => Outcome::Done,
    })
}
