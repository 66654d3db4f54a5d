//! `idealparent predict`

use idealparent::{Result, Table};

use super::{Outcome, note};
use crate::args::PredictArgs;
use crate::{input, output};

pub fn run(args: &PredictArgs) -> Result<Outcome> {
    let network = input::network(&args.network)?;
    let (data, target) = input::data_and_name(&args.rest, &args.input, "target")?;
    let (table, notes) = input::table(data, &args.input)?;
    note(false, &notes);
    let prediction = network.predict(&table, target)?;
    if !prediction.absent.is_empty() {
        let shown: Vec<&str> = prediction
            .absent
            .iter()
            .take(5)
            .map(String::as_str)
            .collect();
        let more = prediction.absent.len() - shown.len();
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        note(
            false,
            &[format!(
                "not in the data, taken as missing: {}{rest}",
                shown.join(", ")
            )],
        );
    }
    let columns = vec![prediction.mean, prediction.sd];
    let mut out = Table::new(vec!["mean".to_string(), "sd".to_string()], columns)?;
    if let Some(names) = table.row_names() {
        out = out.with_row_names(names.to_vec());
    }
    let path = args.output.as_deref();
    output::write_packed(path, &output::table_text(&out, output::separator(path)))?;
    Ok(Outcome::Done)
}
