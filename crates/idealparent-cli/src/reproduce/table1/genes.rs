//! Table 1 on other sets of genes: how much of a test difference is a matter of which genes and folds there are.

use idealparent::data::folds;
use idealparent::{Result, Table};

use super::super::page::{Page, signed};
use super::page::{Runs, header, readings};
use super::{HOLES, Row};

/// Sets besides the one of the table.
const SETS: usize = 5;

/// What follows a method's name on such a set.
const ENDING: &str = ", genes ";

/// A method's name without its set, and the set's number: 0 is the one of the table.
pub fn split(name: &str) -> (&str, u64) {
    let parts = name.split_once(ENDING);
    parts.map_or((name, 0), |(name, number)| {
        (
            name,
            number.parse().expect("a number that was written here"),
        )
    })
}

/// Nine tenths of the genes.
pub fn sample(table: &Table, row: &Row, number: u64) -> Result<Table> {
    let genes = match row.by_condition {
        true => table.rows(),
        false => table.width(),
    };
    let kept = &folds(genes, 10, number)?[0].train;
    Ok(match row.by_condition {
        true => table.select_rows(kept),
        false => table.select_columns(kept),
    })
}

/// The greedy search that a reading is compared with: remembering and looking at cycles first change no network, but the
/// posterior does.
fn greedy(row: &Row, own: &str) -> &'static str {
    match row.set == HOLES && own.contains("queue") {
        true => "greedy, queue",
        false => "greedy",
    }
}

/// The methods that are run on such sets.
pub fn methods(row: &Row) -> Vec<String> {
    let mut names = vec!["greedy".to_string()];
    for k in ["K=2", "K=5"] {
        names.extend(readings(k).map(|(_, _, own)| own));
    }
    if row.set == HOLES {
        names.push("greedy, queue".to_string());
    }
    let on = |number: usize| {
        names
            .iter()
            .map(move |name| format!("{name}{ENDING}{number}"))
    };
    (1..=SETS).flat_map(on).collect()
}

/// Test differences on every set, the one of the table first.
fn differences(runs: &Runs, row: &Row, own: &str) -> Option<Vec<f64>> {
    let one = |number: usize| {
        let ending = match number {
            0 => String::new(),
            number => format!("{ENDING}{number}"),
        };
        let greedy = greedy(row, own).to_string() + &ending;
        Some(runs.columns(row, &greedy, &(own.to_string() + &ending))?[1])
    };
    (0..=SETS).map(one).collect()
}

pub fn say(page: &mut Page, runs: &Runs, rows: &[Row]) {
    page.heading("With other genes");
    page.say(&format!("The authors' sets of genes and their folds are not known. Here is the test difference with those of the tables above and with {SETS} others, each without a random tenth of the genes and in folds of its own: lowest to highest. In bold where the paper's is between them."));
    let mut table = header([
        "row",
        "K",
        "paper",
        "ours",
        "queue of legal",
        "queue of all",
    ]);
    let (mut all, mut unsure, mut between) = (0, 0, 0);
    for row in rows {
        for (at, k) in [(0, "K=2"), (1, "K=5")] {
            let paper = row.paper[at][1];
            let found = readings(k).map(|(_, _, own)| differences(runs, row, &own));
            let [Some(ours), Some(legal), Some(queue)] = found else {
                continue;
            };
            let ranges = [ours, legal, queue].map(|values| {
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                (low, values.into_iter().fold(f64::NEG_INFINITY, f64::max))
            });
            let is_between = |(low, high): (f64, f64)| low <= paper && paper <= high;
            all += 1;
            unsure += usize::from(ranges.iter().any(|(low, high)| low * high <= 0.0));
            between += usize::from(ranges.into_iter().any(is_between));
            let words = ranges.map(|range| {
                let words = format!("{} to {}", signed(range.0, 3), signed(range.1, 3));
                match is_between(range) {
                    true => format!("**{words}**"),
                    false => words,
                }
            });
            let start = [row.label(), k.to_string(), signed(paper, 3)];
            table.push(start.into_iter().chain(words).collect());
        }
    }
    page.table(&table);
    page.say(&format!("In {unsure} of {all} lines the sign itself depends on the genes in at least one column; in {between} the paper's difference is between the lowest and the highest of a column."));
}
