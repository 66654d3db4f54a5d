//! The summary of a learned network, as text or JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use idealparent::{HiddenAttempt, Learned, Network, Result, Table};
use serde_json::Value;

use crate::args::RunArgs;
use crate::output;

/// Maximum number of edges, and of attempts at hidden variables, in the summary.
const SHOWN: usize = 10;

/// A network to summarise, with what is known about how it was made.
pub struct Summary<'a> {
    pub network: &'a Network,
    pub instances: usize,
    pub is_bound: bool,
    pub seconds: f64,
    /// The JSON object.
    pub figures: Value,
    /// The run that learned the structure; `None` if it was given.
    pub learned: Option<&'a Learned>,
}

/// Prints the JSON object if it is wanted, else the summary unless the run is quiet.
pub fn report(run: &RunArgs, written: Option<&Path>, made: &Summary, table: &Table) -> Result<()> {
    let to_stdout = written.is_some_and(output::is_stdout);
    if run.json {
        let object = &made.figures;
        return output::print_or_tell(to_stdout, &format!("{object:#}\n"));
    }
    if run.quiet {
        return Ok(());
    }
    let mut text = summary(made, table);
    match written {
        Some(path) if !to_stdout => writeln!(text, "written to {}", path.display()),
        Some(_) => Ok(()),
        None => writeln!(text, "nothing written (-o net.json saves the network)"),
    }
    .expect("writing to a string");
    output::print_or_tell(to_stdout, &text)
}

fn summary(made: &Summary, table: &Table) -> String {
    let network = made.network;
    let score = network
        .score
        .as_ref()
        .expect("a learned network has a score");
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    line(format!(
        "{} over {} from {} in {:.3} s",
        count(network.edge_count(), "edge"),
        count(table.width(), "variable"),
        count(made.instances, "instance"),
        made.seconds,
    ));
    line(format!(
        "score ({}{}) {:.3}, log-likelihood {:.3}{}, {}",
        score.name,
        score
            .gamma
            .map_or(String::new(), |gamma| format!(", gamma {gamma:.3}")),
        score.value,
        score.log_likelihood,
        if made.is_bound {
            " (a lower bound)"
        } else {
            ""
        },
        count(score.dimension, "parameter"),
    ));
    if table.missing() > 0 {
        let iterations = match made.learned.map_or(0, |learned| learned.iterations) {
            0 => String::new(),
            many => format!(", {} of structural EM", count(many, "iteration")),
        };
        let missing = table.missing();
        line(format!(
            "missing values: {missing} ({:.1} %){iterations}; the likelihood is of the observed values",
            100.0 * missing as f64 / (table.width() * table.rows()) as f64,
        ));
    }
    if let Some(learned) = made.learned {
        line(format!(
            "search: {}, {}, {}, {} scored",
            learned.search,
            count(learned.rounds, "round"),
            count(learned.moves, "move"),
            if learned.evaluations.all == 1 {
                "1 family".to_string()
            } else {
                format!("{} families", learned.evaluations.all)
            },
        ));
    }
    if made.learned.is_some_and(|learned| learned.optimal) {
        line("the best network of all: none scores higher".to_string());
    }
    let attempts = made.learned.map_or(&[][..], |learned| &learned.attempts);
    let details = made.learned.map(details).unwrap_or_default();
    for words in hidden(network, attempts).into_iter().chain(details) {
        line(words);
    }
    edges(network).into_iter().for_each(line);
    text
}

/// Lines on the directions of the edges, and the strongest edges.
fn edges(network: &Network) -> Vec<String> {
    let mut lines = Vec::new();
    if network.is_linear() && network.edge_count() > 0 && !network.has_hidden() {
        let class = network.equivalence_class();
        let undirected = |&(parent, child): &(usize, usize)| class.is_undirected(parent, child);
        let reversible = network.dag().edges().filter(undirected).count();
        lines.push(format!(
            "directions: {} the same in every equivalent network, {reversible} could be reversed without changing the likelihood",
            network.edge_count() - reversible,
        ));
    }
    let strongest = strongest_edges(network);
    if !strongest.is_empty() {
        lines.push("strongest edges (score lost without them):".to_string());
        lines.push(output::aligned(&strongest).trim_end().to_string());
        if network.edge_count() > strongest.len() {
            lines.push(format!(
                "  … and {} more (idealparent export --format tsv lists them all)",
                network.edge_count() - strongest.len()
            ));
        }
    }
    lines
}

/// Lines on the hidden variables, and on the attempts to add them.
fn hidden(network: &Network, attempts: &[HiddenAttempt]) -> Vec<String> {
    let mut lines = Vec::new();
    if !network.has_hidden() && attempts.is_empty() {
        return lines;
    }
    let shown: Vec<String> = (0..network.len())
        .filter(|&v| network.variables[v].hidden)
        .map(|v| {
            let families = network.families.iter();
            let children = families.filter(|f| f.parents.contains(&v)).count();
            let name = output::one_line(network.name(v));
            format!("{name} ({})", count_of(children, "child", "children"))
        })
        .collect();
    lines.push(if shown.is_empty() {
        "hidden variables: none".to_string()
    } else {
        format!("hidden variables: {}", shown.join(", "))
    });
    for attempt in attempts.iter().take(SHOWN) {
        lines.push(format!(
            "  {} proposed for {}: estimated {:+.2}, achieved {:+.2}, {}",
            output::one_line(&attempt.name),
            count_of(attempt.children.len(), "child", "children"),
            attempt.estimate,
            attempt.achieved,
            attempt.outcome.word()
        ));
    }
    if attempts.len() > SHOWN {
        let more = attempts.len() - SHOWN;
        lines.push(format!("  … and {more} more (--trace lists them all)"));
    }
    lines
}

/// Lines that apply to some runs only.
fn details(learned: &Learned) -> Vec<String> {
    let mut lines = Vec::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for family in &learned.network.families {
        if !family.parents.is_empty() {
            *kinds.entry(family.cpd.kind()).or_default() += 1;
        }
    }
    if kinds.len() > 1 || kinds.keys().any(|kind| *kind != "linear") {
        let shown: Vec<String> = kinds
            .iter()
            .map(|(kind, n)| format!("{n} {kind}"))
            .collect();
        lines.push(format!("families with parents: {}", shown.join(", ")));
    }
    if learned.rejected > 0 {
        lines.push(format!(
            "{} candidate families could not be fitted and were rejected",
            learned.rejected
        ));
    }
    if let Some(share) = learned.clamped {
        let percent = 100.0 * share;
        lines.push(format!(
            "{percent:.1} % of the ideal profiles' values were clamped into the image of their cpd"
        ));
    }
    let used = learned.candidates;
    if used.scans > 0 {
        lines.push(format!(
            "{:.2} candidates scored per ranking; of {} rankings scored in full, {} had a better candidate further down",
            used.mean, used.scans, used.misses
        ));
    }
    lines
}

/// The strongest edges, one row each: the edge, the score lost without it, and whether it could be
/// reversed.
fn strongest_edges(network: &Network) -> Vec<Vec<String>> {
    let has_classes = network.is_linear() && !network.has_hidden();
    let class = has_classes.then(|| network.equivalence_class());
    let mut edges: Vec<(f64, usize, usize)> = Vec::new();
    for (child, family) in network.families.iter().enumerate() {
        for (&parent, &lost) in family.parents.iter().zip(&family.strengths) {
            edges.push((lost, parent, child));
        }
    }
    edges.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.2, a.1).cmp(&(b.2, b.1))));
    let row = |&(lost, parent, child): &(f64, usize, usize)| {
        let shown = |v: usize| output::one_line(network.name(v));
        let is_reversible = class
            .as_ref()
            .is_some_and(|c| c.is_undirected(parent, child));
        vec![
            format!("  {} -> {}", shown(parent), shown(child)),
            format!("{lost:.2}"),
            if is_reversible { "reversible" } else { "" }.to_string(),
        ]
    };
    edges.iter().take(SHOWN).map(row).collect()
}

/// `1 child`, `2 children`.
fn count_of(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}

/// `1 edge`, `2 edges`.
fn count(number: usize, thing: &str) -> String {
    count_of(number, thing, &format!("{thing}s"))
}
