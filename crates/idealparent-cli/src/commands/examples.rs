//! `idealparent examples`

use idealparent::{Error, Result, example, examples};

use super::Outcome;
use crate::args::ExamplesArgs;
use crate::output;

pub fn run(args: &ExamplesArgs) -> Result<Outcome> {
    let Some(name) = &args.name else {
        let mut text = String::new();
        for example in examples() {
            let table = example.table();
            let holes = match table.missing() {
                0 => String::new(),
                missing => format!(", {missing} values missing"),
            };
            text += &format!(
                "{}: {} ({} x {}{holes})\n    {}\n",
                example.name,
                example.title,
                table.rows(),
                table.width(),
                example.source
            );
        }
        output::print(&text)?;
        return Ok(Outcome::Done);
    };
    let chosen = example(name)?;
    output::check_table_place("-o", args.output.as_deref())?;
    let outputs = [
        ("-o", args.output.as_deref()),
        ("--truth", args.truth.as_deref()),
    ];
    output::check_places(&[], &outputs)?;
    if let Some(path) = &args.truth {
        let Some(truth) = chosen.truth_tsv() else {
            return Err(Error::options(format!(
                "the true structure of '{name}' is not known"
            )));
        };
        output::write(Some(path), truth)?;
    }
    // With --truth alone, the data are not printed.
    if args.output.is_some() || args.truth.is_none() {
        let path = args.output.as_deref();
        let text = match output::separator(path) {
            '\t' => chosen.table_tsv(),
            other => chosen.table().to_text(other),
        };
        output::write_packed(path, &text)?;
    }
    Ok(Outcome::Done)
}
