//! `idealparent compare`

use std::path::Path;

use idealparent::Result;
use idealparent::evaluate::{Structure, compare};
use idealparent::graph::Dag;

use super::{Outcome, note};
use crate::args::CompareArgs;
use crate::{input, output};

pub fn run(args: &CompareArgs) -> Result<Outcome> {
    let (learned, _) = read(&args.learned)?;
    let (reference, lists_all) = read(&args.reference)?;
    let comparison = compare(&learned, &reference);
    if args.json {
        let json =
            serde_json::to_string_pretty(&comparison).expect("numbers can be written as JSON");
        output::print(&(json + "\n"))?;
        return Ok(Outcome::Done);
    }
    let mut strangers = comparison.only_in_reference.clone();
    if lists_all {
        // A table of edges leaves out whoever has none, so there only its own strangers count.
        strangers.extend(comparison.only_in_learned.iter().cloned());
    }
    if !strangers.is_empty() {
        let shown: Vec<&str> = strangers.iter().take(5).map(String::as_str).collect();
        let more = strangers.len() - shown.len();
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        note(
            false,
            &[format!(
                "in one of the two only: {}{rest}",
                shown.join(", ")
            )],
        );
    }
    let mut text = format!(
        "{:10}{:>6}{:>11}{:>9}{:>7}{:>10}\n",
        "", "SHD", "precision", "recall", "F1", "correct"
    );
    for (name, row) in [
        ("skeleton", &comparison.skeleton),
        ("directed", &comparison.directed),
        ("CPDAG", &comparison.cpdag),
    ] {
        text += &format!(
            "{name:10}{:6}{:11.3}{:9.3}{:7.3}{:>10}\n",
            row.shd,
            row.precision,
            row.recall,
            row.f1,
            format!("{}/{}", row.correct, row.reference),
        );
    }
    output::print(&text)?;
    Ok(Outcome::Done)
}

/// A structure, and whether its file lists every variable.
fn read(path: &Path) -> Result<(Structure, bool)> {
    let file = input::structure(path)?;
    let place = path.display().to_string();
    if file.variables.is_empty() {
        return Ok((Structure::from_pairs(&place, &file.edges)?, false));
    }
    let index = |name: &String| {
        let found = file.variables.iter().position(|own| own == name);
        found.expect("the reader checks every name")
    };
    let edges = file.edges.iter().map(|(from, to)| (index(from), index(to)));
    let dag = Dag::from_edges(file.variables.len(), edges).expect("the reader refuses cycles");
    Ok((Structure::new(file.variables, dag), true))
}
