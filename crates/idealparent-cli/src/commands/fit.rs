//! `idealparent fit`

use std::collections::HashMap;

use idealparent::network::Transform;
use idealparent::{Result, fit_structure_with_hidden};

use super::{Outcome, note, on_threads, summary};
use crate::args::FitArgs;
use crate::{input, output};

pub fn run(args: &FitArgs) -> Result<Outcome> {
    output::check_places(
        &[Some(&args.structure), args.data.as_deref()],
        &[("-o", args.output.as_deref())],
    )?;
    let structure = input::structure(&args.structure)?;
    // Without --cpd a network's own densities are fitted again.
    let kinds = match args.density.cpd {
        Some(_) => HashMap::new(),
        None => structure.kinds,
    };
    let mut options = args.density.unchecked()?;
    options.bias |= structure.bias && args.density.cpd.is_none();
    options.baseline |= structure.baseline && args.density.cpd.is_none();
    options.exp2 |= structure.transform == Transform::Exp2;
    let (table, notes) = input::table(args.data.as_deref(), &args.input)?;
    note(args.run.quiet, &notes);
    // A network file says which variables there are; a table of edges leaves that to the data.
    let table = if structure.variables.is_empty() {
        table
    } else {
        let columns: Result<Vec<usize>> = structure
            .variables
            .iter()
            .filter(|name| !structure.hidden.contains(name))
            .map(|name| table.find(name))
            .collect();
        table.select_columns(&columns?)
    };
    let mut hidden = structure.hidden.clone();
    let named = args.hidden.iter().flat_map(|names| input::split(names));
    hidden.extend(named.filter(|name| !structure.hidden.contains(name)));
    let fitted = on_threads(args.run.threads, || {
        fit_structure_with_hidden(&table, &structure.edges, &kinds, &hidden, &options)
    })??;
    note(args.run.quiet, &fitted.notes);
    if let Some(path) = args.output.as_deref() {
        output::write(Some(path), &fitted.network.to_json()?)?;
    }
    summary::report(&args.run, args.output.as_deref(), &fitted, &table)?;
    Ok(Outcome::Done)
}
