//! `idealparent sample`

use idealparent::Result;

use super::Outcome;
use crate::args::SampleArgs;
use crate::notes::note;
use crate::{input, output};

pub fn run(args: &SampleArgs) -> Result<Outcome> {
    output::check_table_place("-o", args.output.as_deref())?;
    output::check_places(&[Some(&args.network)], &[("-o", args.output.as_deref())])?;
    let network = input::network(&args.network)?;
    let table = network.sample(args.count, args.seed)?;
    let lost = table.missing();
    if lost > 0 {
        note(
            false,
            &[format!(
                "draws that are not positive have no logarithm and are left missing: {lost}"
            )],
        );
    }
    let path = args.output.as_deref();
    output::write_packed(path, &table.to_text(output::separator(path)))?;
    Ok(Outcome::Done)
}
