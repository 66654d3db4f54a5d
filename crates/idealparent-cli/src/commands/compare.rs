//! `idealparent compare`

use std::path::Path;

use idealparent::{HiddenMatch, NamedDag, Result, compare};

use super::{Outcome, some_of};
use crate::args::CompareArgs;
use crate::notes::note;
use crate::{input, output};

pub fn run(args: &CompareArgs) -> Result<Outcome> {
    let (learned, _) = read(&args.learned)?;
    let (reference, lists_all) = read(&args.reference)?;
    let comparison = compare(&learned, &reference)?;
    if args.json {
        let json =
            serde_json::to_string_pretty(&comparison).expect("numbers can be written as JSON");
        output::print(&(json + "\n"))?;
        return Ok(Outcome::Done);
    }
    let mut unmatched = comparison.only_in_reference.clone();
    if lists_all {
        // A table of edges does not list variables without edges, so variables missing from the
        // reference count only if it is a network file.
        unmatched.extend(comparison.only_in_learned.iter().cloned());
    }
    if !unmatched.is_empty() {
        let names = some_of(&unmatched);
        note(
            false,
            &[format!("only in one of the two networks: {names}")],
        );
    }
    let head = [
        "",
        "SHD",
        "precision",
        "recall",
        "F1",
        "correct",
        "learned",
        "reference",
    ];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    for (name, row) in [
        ("skeleton", &comparison.skeleton),
        ("directed", &comparison.directed),
        ("CPDAG", &comparison.cpdag),
    ]
    .into_iter()
    .chain(comparison.observed.as_ref().map(|row| ("observed", row)))
    {
        let shares = [row.precision, row.recall, row.f1].map(|share| format!("{share:.3}"));
        let counts = [row.correct, row.learned, row.reference].map(|count| count.to_string());
        let mut cells = vec![name.to_string(), row.shd.to_string()];
        cells.extend(shares.into_iter().chain(counts));
        rows.push(cells);
    }
    let mut text = output::aligned(&rows);
    if let Some(hidden) = &comparison.hidden {
        let pair = |m: &HiddenMatch| {
            let names = [&m.learned, &m.reference].map(|name| output::one_line(name));
            format!("{} = {} ({:.2})", names[0], names[1], m.jaccard)
        };
        let pairs: Vec<String> = hidden.matches.iter().map(pair).collect();
        text += &format!(
            "hidden variables: {} learned, {} in the reference; matched by shared children: {}\n",
            hidden.learned,
            hidden.reference,
            if pairs.is_empty() {
                "none".to_string()
            } else {
                pairs.join(", ")
            }
        );
    }
    output::print(&text)?;
    Ok(Outcome::Done)
}

/// A structure, and whether its file lists every variable.
fn read(path: &Path) -> Result<(NamedDag, bool)> {
    let file = input::structure(path)?;
    let structure = NamedDag::of_structure(&file, &path.display().to_string())?;
    Ok((structure, !file.variables.is_empty()))
}
