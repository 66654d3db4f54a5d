//! `idealparent predict`

use std::path::Path;

use idealparent::{Result, Table, Transform};

use super::{Outcome, note_unused, some_of};
use crate::args::PredictArgs;
use crate::notes::{note, note_reading};
use crate::{input, output};

pub fn run(args: &PredictArgs) -> Result<Outcome> {
    output::check_table_place("-o", args.output.as_deref())?;
    let network = input::network(&args.network)?;
    let (data, target) = input::data_and_name(&args.rest, &args.input, "target")?;
    let mut inputs: Vec<Option<&Path>> = args.input.read.files().map(Some).collect();
    inputs.extend([Some(args.network.as_path()), data]);
    output::check_places(&inputs, &[("-o", args.output.as_deref())])?;
    let (table, notes) = input::table_for(std::slice::from_ref(&network), data, &args.input)?;
    note_reading(false, &notes);
    note_unused(false, &network, &table);
    let prediction = network.predict(&table, target)?;
    if !prediction.absent.is_empty() {
        let names = some_of(&prediction.absent);
        note(
            false,
            &[format!("not in the data, treated as missing: {names}")],
        );
    }
    if network.transform == Transform::Exp2 {
        note(
            false,
            &["the network was learned from 2^x; mean and sd are of 2^x too".to_string()],
        );
    }
    let columns = vec![prediction.mean, prediction.sd];
    let mut out = Table::new(vec!["mean".to_string(), "sd".to_string()], columns)?;
    if let Some(names) = table.row_names() {
        out = out.with_row_names(names.to_vec());
    }
    let path = args.output.as_deref();
    output::write_packed(path, &out.to_text(output::separator(path)))?;
    Ok(Outcome::Done)
}
