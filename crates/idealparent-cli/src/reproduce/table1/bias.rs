//! Table 1 with a free bias inside the sigmoid, which the paper's Eq. 2 does not have.

use super::super::page::{Page, signed};
use super::Row;
use super::agreement::is_alike;
use super::page::{Runs, header, readings};

/// What follows the name of a method that has it.
pub const ENDING: &str = ", bias";

/// A guess how much longer such a fit takes.
pub const COST: f64 = 10.0;

/// The first folds, which are run with it: greedy search takes minutes for one.
pub const FOLDS: usize = 3;

/// The methods that are run with it.
pub fn methods(row: &Row) -> Vec<String> {
    if row.cpd != "sigmoid" {
        return Vec::new();
    }
    let mut names = vec![format!("greedy{ENDING}")];
    for k in ["K=2", "K=5"] {
        names.extend(readings(k).map(|(_, _, own)| own + ENDING));
    }
    names
}

/// Without it and with it.
const BOTH: [(&str, &str); 2] = [("none", ""), ("free", ENDING)];

/// A reading on a row beside greedy search, which finds the same networks in every reading, and the error in test.
fn columns(runs: &Runs, row: &Row, own: &str, ending: &str) -> Option<([f64; 6], f64)> {
    let (greedy, own) = (format!("greedy{ending}"), format!("{own}{ending}"));
    let found = runs.columns(row, &greedy, &own)?;
    Some((found, runs.error(row, &greedy, &own)))
}

/// The rows that were run with it.
fn rows_with<'a>(runs: &Runs, rows: &'a [Row]) -> Vec<&'a Row> {
    let has_all = |row: &&Row| {
        let own = methods(row);
        !own.is_empty() && own.iter().all(|name| runs.means(row, name).is_some())
    };
    rows.iter().filter(has_all).collect()
}

/// Pairs of row and K, and how near to the paper they are.
#[derive(Default)]
pub struct Nearness {
    pub pairs: usize,
    /// Pairs in which the paper's training loss is between those of the readings.
    pub between: usize,
    /// Of each reading, as are the others: the sum of distances to the paper in some columns.
    apart: [[f64; 3]; 3],
    /// Pairs that agree in kind.
    train: [usize; 3],
    test: [usize; 3],
}

impl Nearness {
    fn add(&mut self, paper: [f64; 6], found: [([f64; 6], f64); 3]) {
        for (place, (ours, error)) in found.into_iter().enumerate() {
            for (sum, (column, _)) in self.apart[place].iter_mut().zip(NEAR) {
                *sum += (ours[column] - paper[column]).abs();
            }
            self.train[place] += usize::from(is_alike(paper[0], ours[0], 0.0));
            self.test[place] += usize::from(is_alike(paper[1], ours[1], error));
        }
        let trains = found.map(|(ours, _)| ours[0]);
        let is_above = trains.iter().any(|train| *train <= paper[0]);
        let is_below = trains.iter().any(|train| *train >= paper[0]);
        self.between += usize::from(is_above && is_below);
        self.pairs += 1;
    }
}

/// How near the paper is without it and with it, if both were run.
pub fn nearness(runs: &Runs, rows: &[Row]) -> Option<[Nearness; 2]> {
    let runs = runs.of_first(FOLDS);
    let mut all: [Nearness; 2] = Default::default();
    for row in rows_with(&runs, rows) {
        for (at, k) in [(0, "K=2"), (1, "K=5")] {
            for (own, (_, ending)) in all.iter_mut().zip(BOTH) {
                let found = readings(k).map(|(_, _, own)| columns(&runs, row, &own, ending));
                if let [Some(refill), Some(legal), Some(queue)] = found {
                    own.add(row.paper[at], [refill, legal, queue]);
                }
            }
        }
    }
    (all[1].pairs > 0).then_some(all)
}

/// Differences to greedy search with and without it, beside the paper's.
pub fn say(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let Some(near) = nearness(runs, rows) else {
        return;
    };
    let runs = runs.of_first(FOLDS);
    let rows = rows_with(&runs, rows);
    page.heading("With a free bias inside the sigmoid");
    page.say(&format!("The paper's sigmoid has none (Eq. 2), and none of the tables above has. Here are the sigmoid rows with one, in the first {FOLDS} folds, beside the same folds without. How far from the paper they are, on average over pairs of row and K, and in how many pairs train and test agree in kind, as above:"));
    page.table(&distances(&near));
    let [none, free] = near;
    page.say(&format!(
        "The paper's training loss is between those of the readings in {} of {} pairs without a bias, in {} with one. Greedy search with and without:",
        none.between, none.pairs, free.between
    ));
    page.table(&searches(&runs, &rows));
    page.say("A bias that puts all arguments on one flank makes a sigmoid an exponential, which may be far off where test instances are outside the range of the training ones.");
    let mut table = header([
        "row", "K", "", "bias", "train", "test", "edges %", "moves %",
    ]);
    for row in rows {
        for (at, k) in [(0, "K=2"), (1, "K=5")] {
            let start = [&row.label(), k, "paper", ""].map(String::from);
            let cells = numbers(row.paper[at], None);
            table.push(start.into_iter().chain(cells).collect());
            for (bias, ending) in BOTH {
                for (who, _, own) in readings(k) {
                    let Some((found, error)) = columns(&runs, row, &own, ending) else {
                        continue;
                    };
                    let start = ["", "", who, bias].map(String::from);
                    let cells = numbers(found, Some(error));
                    table.push(start.into_iter().chain(cells).collect());
                }
            }
        }
    }
    page.table(&table);
}

/// Columns whose distance to the paper is shown, with their digits. That in test has no mean worth showing: it may be any size.
const NEAR: [(usize, usize); 3] = [(0, 3), (2, 1), (3, 1)];

fn distances(near: &[Nearness; 2]) -> Vec<Vec<String>> {
    let mut table = header([
        "",
        "bias",
        "train: apart",
        "edges: apart",
        "moves: apart",
        "train agrees",
        "test agrees",
    ]);
    for (own, (bias, _)) in near.iter().zip(BOTH) {
        for (place, (who, _, _)) in readings("K=2").into_iter().enumerate() {
            let mut cells = vec![who.to_string(), bias.to_string()];
            let apart = own.apart[place].iter().zip(NEAR);
            cells.extend(
                apart.map(|(sum, (_, digits))| format!("{:.digits$}", sum / own.pairs as f64)),
            );
            let agreeing = [own.train[place], own.test[place]];
            cells.extend(agreeing.map(|agree| format!("{agree} of {}", own.pairs)));
            table.push(cells);
        }
    }
    table
}

/// Greedy search with and without it.
fn searches(runs: &Runs, rows: &[&Row]) -> Vec<Vec<String>> {
    let mut table = header(["row", "bias", "greedy: train", "test", "edges", "seconds"]);
    for row in rows {
        for (bias, ending) in BOTH {
            let Some(means) = runs.means(row, &format!("greedy{ending}")) else {
                continue;
            };
            table.push(vec![
                row.label(),
                bias.to_string(),
                format!("{:.3}", means.train),
                legible(means.test),
                format!("{:.1}", means.edges),
                format!("{:.1}", means.seconds),
            ]);
        }
    }
    table
}

/// A log-likelihood that may be far off.
fn legible(value: f64) -> String {
    match value.abs() < 100.0 {
        true => format!("{value:.3}"),
        false => format!("{value:.0e}"),
    }
}

fn numbers(columns: [f64; 6], error: Option<f64>) -> Vec<String> {
    let [train, test, edges, moves, ..] = columns;
    let test = match test.abs() < 100.0 {
        true => signed(test, 3),
        false => format!("{test:+.0e}"),
    };
    let error = error.map_or(String::new(), |error| format!(" ± {}", legible(error)));
    vec![
        signed(train, 3),
        test + &error,
        format!("{edges:.1}"),
        format!("{moves:.1}"),
    ]
}
