//! `idealparent report`

use std::path::Path;

use idealparent::{Network, Result, Table};
use idealparent_view::{Report, command_line, read_bootstrap, read_trace};
use serde_json::Value;

use super::{Outcome, note_unused, on_threads};
use crate::args::{DataArgs, ReportArgs};
use crate::notes::note_reading;
use crate::{input, output};

pub fn run(args: &ReportArgs) -> Result<Outcome> {
    let mut inputs: Vec<Option<&Path>> = args.input.read.files().map(Some).collect();
    inputs.extend([
        Some(args.network.as_path()),
        args.data.as_deref(),
        args.trace.as_deref(),
        args.bootstrap.as_deref(),
    ]);
    output::check_places(&inputs, &[("-o", Some(&args.output))])?;
    let network = input::network(&args.network)?;
    let (table, notes) = input::table_for(
        std::slice::from_ref(&network),
        args.data.as_deref(),
        &args.input,
    )?;
    note_reading(args.quiet, &notes);
    note_unused(args.quiet, &network, &table);
    let trace = args.trace.as_deref().map(read_trace).transpose()?;
    let bootstrap = args.bootstrap.as_deref().map(read_bootstrap).transpose()?;
    let mut report = report(&network, &table, args.data.as_deref(), &args.input);
    report.trace = trace.unwrap_or_default();
    report.bootstrap = bootstrap.unwrap_or_default();
    if let Some(title) = &args.title {
        report.title = title.clone();
    }
    let is_other = |provenance: &idealparent::Provenance| provenance.data.sha256 != table.sha256();
    if network.provenance.as_ref().is_some_and(is_other) {
        let line = "these are not the data the network was learned from";
        report.notes.push(line.to_string());
        report.command = command_line(&network, &["DATA".to_string()]);
    }
    write(&report, &args.output, args.threads)?;
    Ok(Outcome::Done)
}

/// A report on a network and a table that was read from a file or is embedded.
pub fn report<'a>(
    network: &'a Network,
    table: &'a Table,
    data: Option<&Path>,
    input: &DataArgs,
) -> Report<'a> {
    let (name, mut words) = match (data, &input.example) {
        (_, Some(example)) => (
            example.clone(),
            vec!["--example".to_string(), example.clone()],
        ),
        (Some(path), _) => (stem(path), vec![path.display().to_string()]),
        (None, None) => (String::new(), vec!["-".to_string()]),
    };
    words.extend(input.read.words());
    Report {
        network,
        table: Some(table),
        trace: Vec::new(),
        bootstrap: Vec::new(),
        title: match name.as_str() {
            "" | "-" => "Network".to_string(),
            name => format!("Network of {name}"),
        },
        command: command_line(network, &words),
        notes: Vec::new(),
    }
}

/// The file name without its extension, and without `.gz`.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_string(),
        _ => name.to_string(),
    }
}

/// Writes a report to a file.
pub fn write(report: &Report, path: &Path, threads: Option<usize>) -> Result<()> {
    let page = on_threads(threads, || report.html())??;
    output::write(Some(path), &page)
}

/// Writes the report on a run that has just ended.
pub fn of_run(
    (network, table): (&Network, &Table),
    (data, input): (Option<&Path>, &DataArgs),
    trace: Vec<Value>,
    notes: &[String],
    (path, threads): (&Path, Option<usize>),
) -> Result<()> {
    let mut report = report(network, table, data, input);
    report.trace = trace;
    report.notes = notes.to_vec();
    write(&report, path, threads)
}
