//! `idealparent impute`

use std::path::{Path, PathBuf};

use idealparent::{Error, Message, Network, Result, Table, Transform, impute};

use super::{Outcome, note_unused, on_threads, some_of};
use crate::args::ImputeArgs;
use crate::notes::{note, note_reading};
use crate::{input, output};

/// Maximum number of tables with drawn values; more are probably a mistake.
const MOST_DRAWS: usize = 10_000;

pub fn run(args: &ImputeArgs) -> Result<Outcome> {
    let (networks, data) = match (args.files.split_last(), &args.input.example) {
        (_, Some(_)) => (args.files.as_slice(), None),
        (Some((data, networks)), None) if !networks.is_empty() => (networks, Some(data.as_path())),
        _ => {
            return input::usage(
                "give one or more networks and the data, or networks and --example NAME",
            );
        }
    };
    let draws = args.draws.unwrap_or(0);
    if draws > MOST_DRAWS {
        return input::usage(&format!("--draws must be at most {MOST_DRAWS}"));
    }
    let drawn = drawn_paths(args.output.as_deref(), draws)?;
    output::check_table_place("-o", args.output.as_deref())?;
    output::check_table_place("--sd", args.sd.as_deref())?;
    let mut inputs: Vec<Option<&Path>> = networks.iter().map(|path| Some(path.as_path())).collect();
    inputs.push(data);
    inputs.extend(args.input.read.files().map(Some));
    let mut outputs = vec![("-o", args.output.as_deref()), ("--sd", args.sd.as_deref())];
    outputs.extend(drawn.iter().map(|path| ("--draws", Some(path.as_path()))));
    output::check_places(&inputs, &outputs)?;
    let networks: Vec<Network> = networks
        .iter()
        .map(|path| input::network(path))
        .collect::<Result<_>>()?;
    let (table, notes) = input::table_for(&networks, data, &args.input)?;
    note_reading(args.quiet, &notes);
    for network in &networks {
        note_unused(args.quiet, network, &table);
    }
    let filled = on_threads(args.threads, || impute(&networks, &table, draws, args.seed))??;
    let mut notes: Vec<Message> = Vec::new();
    for (what, names) in [
        ("not in any network, left unfilled", &filled.unknown),
        ("not in the data, treated as missing", &filled.absent),
    ] {
        if !names.is_empty() {
            notes.push(format!("{what}: {}", some_of(names)).into());
        }
    }
    if networks
        .iter()
        .any(|network| network.transform == Transform::Exp2)
    {
        notes.push(
            "the network was learned from 2^x; imputed values are converted back to log2".into(),
        );
    }
    let (before, after) = (table.missing(), filled.mean.missing());
    notes.push(match before {
        0 => "no values are missing".into(),
        _ => format!("{} of {before} missing values filled in", before - after).into(),
    });
    note(args.quiet, &notes);
    for (path, table) in drawn.iter().zip(&filled.draws) {
        write(Some(path), table)?;
    }
    if let Some(path) = &args.sd {
        write(Some(path), &filled.sd)?;
    }
    write(args.output.as_deref(), &filled.mean)?;
    Ok(Outcome::Done)
}

fn write(path: Option<&Path>, table: &Table) -> Result<()> {
    output::write_packed(path, &table.to_text(output::separator(path)))
}

/// File name endings that are kept when a number is inserted before them.
const ENDINGS: [&str; 6] = [".tsv.gz", ".csv.gz", ".txt.gz", ".tsv", ".csv", ".txt"];

/// The paths of the drawn tables: for `out.tsv` they are `out-1.tsv`, `out-2.tsv`, …
fn drawn_paths(output: Option<&Path>, draws: usize) -> Result<Vec<PathBuf>> {
    if draws == 0 {
        return Ok(Vec::new());
    }
    let named = output.filter(|path| !output::is_stdout(path));
    let name = named.and_then(|path| Some((path, path.file_name()?.to_str()?)));
    let Some((path, name)) = name else {
        let problem = "--draws needs -o FILE: its tables are written next to that file";
        return Err(Error::options(problem));
    };
    let ending = ENDINGS.iter().find(|ending| name.ends_with(*ending));
    let (stem, ending) = name.split_at(name.len() - ending.map_or(0, |ending| ending.len()));
    let numbered = |i: usize| path.with_file_name(format!("{stem}-{i}{ending}"));
    Ok((1..=draws).map(numbered).collect())
}
