//! `idealparent bootstrap`

use std::time::Instant;

use idealparent::internal::{bootstrap_notes, text_cell, text_number};
use idealparent::{
    Bootstrapped, EdgeStrength, Error, Gamma, LearnOptions, Replicate, Result, Structure, Table,
    bootstrap, fit,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::{Outcome, files_read, on_threads};
use crate::args::BootstrapArgs;
use crate::notes::{note, note_reading, print_notes};
use crate::watch::deadline;
use crate::{input, output, signals};

/// Maximum number of edges in the summary.
const SHOWN: usize = 10;

pub fn run(args: &BootstrapArgs) -> Result<Outcome> {
    let (edges_to, network_to) = (args.output.as_deref(), args.average.as_deref());
    output::check_table_place("-o", edges_to)?;
    let inputs = files_read(&args.model, &args.input, args.data.as_deref());
    output::check_places(&inputs, &[("-o", edges_to), ("--average", network_to)])?;
    let to_stdout = [edges_to, network_to].map(|path| path.is_some_and(output::is_stdout));
    if to_stdout == [true, true] {
        return input::usage("-o and --average cannot both go to standard output");
    }
    let options = args.model.options()?;
    let invalid = args.threshold.filter(|t| !(0.0..=1.0).contains(t));
    if invalid.is_some() {
        return input::usage("--threshold must be between 0 and 1");
    }
    let (table, notes) = input::table(args.data.as_deref(), &args.input)?;
    note_reading(args.run.quiet, &notes);
    note(args.run.quiet, &bootstrap_notes(&table, &options)?);
    let began = Instant::now();
    let Some(found) = replicates(args, &table, &options)? else {
        return Ok(Outcome::Interrupted);
    };
    let strengths = found.edge_strengths();
    let (threshold, averaged) = found.averaged(&table, &options, args.threshold)?;
    let seconds = began.elapsed().as_secs_f64();
    let text = edges_text(&table, &strengths, output::separator(edges_to));
    if edges_to.is_some() {
        output::write_packed(edges_to, &text)?;
    }
    if let Some(path) = network_to {
        let name = |v: usize| table.names()[v].clone();
        let structure = Structure::of_edges(averaged.iter().map(|&(p, c)| (name(p), name(c))));
        let mut options = options;
        options.gamma = found.gamma.map_or(options.gamma, Gamma::AutoAt);
        let fitted = on_threads(args.run.threads, || fit(&table, &structure, &options))??;
        output::write(Some(path), &fitted.network.to_json()?)?;
    }
    if args.run.json {
        let edges: Vec<Value> = strengths
            .iter()
            .map(|edge| edge_json(&table, edge))
            .collect();
        let object = json!({
            "replicates": found.replicates.len(),
            "threshold": threshold,
            "averaged_edges": averaged.len(),
            "edges": edges,
            "seconds": seconds,
        });
        output::print_or_tell(to_stdout.contains(&true), &format!("{object:#}\n"))?;
    } else if edges_to.is_none() {
        output::print(&text)?;
    } else if !args.run.quiet {
        let head = format!(
            "{} networks over {} variables in {seconds:.3} s\n{} edges in the averaged network (threshold {threshold:.3})\n",
            found.replicates.len(),
            table.width(),
            averaged.len(),
        );
        output::print_or_tell(
            to_stdout.contains(&true),
            &(head + &strongest(&table, &strengths)),
        )?;
    }
    Ok(match signals::code() {
        Some(_) => Outcome::Interrupted,
        None => Outcome::Done,
    })
}

/// The networks of all finished replicates; `None` if a signal stopped the run before the first.
fn replicates(
    args: &BootstrapArgs,
    table: &Table,
    options: &LearnOptions,
) -> Result<Option<Bootstrapped>> {
    let until = deadline(args.time_limit)?;
    signals::listen();
    let bar = progress(args.run.quiet, args.count);
    let is_over = || until.is_some_and(|until| Instant::now() >= until);
    let stop = || signals::code().is_some() || is_over();
    let done = on_threads(args.run.threads, || {
        bootstrap(table, options, args.count, &stop, &|_: &Replicate| {
            print_notes();
            bar.inc(1);
        })
    })?;
    bar.finish_and_clear();
    let found = done?;
    let (count, failed) = (found.replicates.len(), found.failed);
    if failed > 0 {
        let line = format!("bootstrap samples from which no network could be learned: {failed}");
        note(args.run.quiet, &[line]);
    }
    if count == 0 {
        return match signals::code() {
            Some(_) => Ok(None),
            None => Err(Error::data("no network was finished in time")),
        };
    }
    if count + failed < args.count {
        let line = format!("stopped after {count} of {} networks", args.count);
        note(args.run.quiet, &[line]);
    }
    Ok(Some(found))
}

fn progress(quiet: bool, count: usize) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} networks, {eta} left");
    ProgressBar::new(count as u64).with_style(style.expect("a valid template"))
}

fn edges_text(table: &Table, strengths: &[EdgeStrength], separator: char) -> String {
    let mut text = ["from", "to", "strength", "direction"].join(&separator.to_string()) + "\n";
    for edge in strengths {
        let name = |v: usize| text_cell(&table.names()[v], separator);
        let cells = [
            name(edge.from),
            name(edge.to),
            text_number(edge.strength),
            text_number(edge.direction),
        ];
        text += &(cells.join(&separator.to_string()) + "\n");
    }
    text
}

fn edge_json(table: &Table, edge: &EdgeStrength) -> Value {
    json!({
        "from": table.names()[edge.from],
        "to": table.names()[edge.to],
        "strength": edge.strength,
        "direction": edge.direction,
    })
}

/// The first edges as a text table, each once, in its more frequent direction.
fn strongest(table: &Table, strengths: &[EdgeStrength]) -> String {
    let is_first = |e: &&EdgeStrength| e.direction > 0.5 || e.direction == 0.5 && e.from < e.to;
    let edges: Vec<&EdgeStrength> = strengths.iter().filter(is_first).collect();
    let mut rows = vec![
        ["edge", "strength", "direction"]
            .map(str::to_string)
            .to_vec(),
    ];
    for edge in edges.iter().take(SHOWN) {
        let name = |v: usize| output::one_line(&table.names()[v]);
        rows.push(vec![
            format!("{} -> {}", name(edge.from), name(edge.to)),
            format!("{:.3}", edge.strength),
            format!("{:.3}", edge.direction),
        ]);
    }
    let more = match edges.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("… and {more} more\n"),
    };
    output::aligned(&rows) + &more
}
