//! `idealparent learn`

use std::path::Path;

use idealparent::{Error, Result, learn};

use super::{Outcome, note, on_threads, summary};
use crate::args::LearnArgs;
use crate::watch::{Cut, Watch};
use crate::{input, output};

pub fn run(args: &LearnArgs) -> Result<Outcome> {
    let options = args.model.options()?;
    let mut inputs: Vec<Option<&Path>> = args.model.files().map(Some).collect();
    inputs.push(args.data.as_deref());
    let outputs = [
        ("-o", args.output.as_deref()),
        ("--trace", args.trace.as_deref()),
    ];
    output::check_places(&inputs, &outputs)?;
    let (table, notes) = input::table(args.data.as_deref(), &args.input)?;
    note(args.run.quiet, &notes);
    let watch = Watch::new(table.names(), args.run.quiet, args.time_limit)?;
    let mut watch = watch.with_trace(args.trace.as_deref())?;
    let learned = on_threads(args.run.threads, || learn(&table, &options, &mut watch))??;
    watch.finish()?;
    note(args.run.quiet, &learned.notes);
    if let Some(path) = args.output.as_deref() {
        output::write(Some(path), &learned.network.to_json()?)?;
    }
    match watch.cut {
        None => {}
        Some(Cut::TimeLimit) => note(
            args.run.quiet,
            &["the time limit was reached: this is the best network so far".to_string()],
        ),
        Some(Cut::Interrupted) => note(
            args.run.quiet,
            &["stopped: this is the best network so far".to_string()],
        ),
        Some(Cut::Failed) => return Err(Error::Data("the trace could not be written".to_string())),
    }
    summary::report(&args.run, args.output.as_deref(), &learned, &table)?;
    Ok(match watch.cut {
        Some(Cut::Interrupted) => Outcome::Interrupted,
        _ => Outcome::Done,
    })
}
