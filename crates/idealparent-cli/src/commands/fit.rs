//! `idealparent fit`

use std::path::Path;

use idealparent::internal::split_names;
use idealparent::{Result, fit};

use super::summary::{self, Summary};
use super::{Outcome, on_threads};
use crate::args::FitArgs;
use crate::notes::{note, note_reading};
use crate::{input, output};

pub fn run(args: &FitArgs) -> Result<Outcome> {
    let mut inputs: Vec<Option<&Path>> = args.input.read.files().map(Some).collect();
    inputs.extend([Some(args.structure.as_path()), args.data.as_deref()]);
    output::check_places(&inputs, &[("-o", args.output.as_deref())])?;
    let structure = input::structure(&args.structure)?;
    let options = args.density.options()?;
    let (table, notes) = input::table(args.data.as_deref(), &args.input)?;
    note_reading(args.run.quiet, &notes);
    let named = args.hidden.iter().flat_map(|names| split_names(names));
    let mut structure = structure.with_hidden(named);
    if args.density.has("cpd") {
        structure = structure.without_densities();
    }
    let fitted = on_threads(args.run.threads, || fit(&table, &structure, &options))??;
    note(args.run.quiet, &fitted.notes);
    if let Some(path) = args.output.as_deref() {
        output::write(Some(path), &fitted.network.to_json()?)?;
    }
    let made = Summary {
        network: &fitted.network,
        instances: fitted.instances,
        is_bound: fitted.is_bound,
        seconds: fitted.seconds,
        figures: fitted.figures(&table),
        learned: None,
    };
    summary::report(&args.run, args.output.as_deref(), &made, &table)?;
    Ok(Outcome::Done)
}
