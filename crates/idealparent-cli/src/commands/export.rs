//! `idealparent export`

use idealparent::Result;
use idealparent::network::{ExportFormat, export};

use super::Outcome;
use crate::args::ExportArgs;
use crate::{input, output};

pub fn run(args: &ExportArgs) -> Result<Outcome> {
    let format: ExportFormat = args.format.parse()?;
    output::check_places(&[Some(&args.network)], &[("-o", args.output.as_deref())])?;
    let network = input::network(&args.network)?;
    output::write(args.output.as_deref(), &export(&network, format)?)?;
    Ok(Outcome::Done)
}
