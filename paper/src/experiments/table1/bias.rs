//! Table 1 with a free bias inside the sigmoid, which the paper's Eq. 2 does not have.

use super::super::page::{Page, signed};
use super::Row;
use super::agreement::is_alike;
use super::beyond::median;
use super::page::{Runs, header, readings};

/// Suffix of the names of methods with a free bias.
pub const ENDING: &str = ", bias";

/// Estimated cost of a fit with a bias, relative to one without.
pub const COST: f64 = 10.0;

/// Whether a method has a free bias.
pub fn is_biased(name: &str) -> bool {
    name.ends_with(ENDING)
}

/// Number of folds that are run with a bias. Greedy search on Met takes minutes per fold.
pub fn folds(is_quick: bool) -> usize {
    if is_quick { 1 } else { 3 }
}

/// Names of the methods that are run with a bias.
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

/// Labels and suffixes of methods without and with a bias.
const BOTH: [(&str, &str); 2] = [("none", ""), ("free", ENDING)];

/// The columns of a reading on a row. Greedy search finds the same networks in every reading. The
/// test column is the median over the folds, since single folds may be far off.
fn columns(runs: &Runs, row: &Row, own: &str, ending: &str) -> Option<[f64; 6]> {
    let (greedy, own) = (format!("greedy{ending}"), format!("{own}{ending}"));
    let mut found = runs.columns(row, &greedy, &own)?;
    found[1] = median(&runs.gaps(row, &greedy, &own));
    Some(found)
}

/// The rows that were run with and without a bias.
fn rows_with<'a>(runs: &Runs, rows: &'a [Row]) -> Vec<&'a Row> {
    let has_all = |row: &&Row| {
        let own = methods(row);
        let plain = own.iter().filter_map(|name| name.strip_suffix(ENDING));
        let mut both = own.iter().map(String::as_str).chain(plain);
        !own.is_empty() && both.all(|name| runs.means(row, name).is_some())
    };
    rows.iter().filter(has_all).collect()
}

/// How close to the paper the combinations of row and K are.
#[derive(Default)]
pub struct Nearness {
    /// Number of combinations.
    pub pairs: usize,
    /// Number of combinations in which the paper's training loss is between those of the readings.
    pub between: usize,
    /// For each reading, the sums of distances to the paper in the columns of [`NEAR`].
    apart: [[f64; 3]; 3],
    /// For each reading, the number of combinations in which train (test) roughly agrees.
    train: [usize; 3],
    test: [usize; 3],
}

impl Nearness {
    fn add(&mut self, paper: [f64; 6], found: [[f64; 6]; 3]) {
        for (place, ours) in found.into_iter().enumerate() {
            for (sum, (column, _)) in self.apart[place].iter_mut().zip(NEAR) {
                *sum += (ours[column] - paper[column]).abs();
            }
            self.train[place] += usize::from(is_alike(paper[0], ours[0], 0.0));
            self.test[place] += usize::from(is_alike(paper[1], ours[1], 0.0));
        }
        let trains = found.map(|ours| ours[0]);
        let is_above = trains.iter().any(|train| *train <= paper[0]);
        let is_below = trains.iter().any(|train| *train >= paper[0]);
        self.between += usize::from(is_above && is_below);
        self.pairs += 1;
    }

    /// The mean distances of a reading in the columns of [`NEAR`].
    fn mean_apart(&self, place: usize) -> [f64; 3] {
        self.apart[place].map(|sum| sum / self.pairs as f64)
    }
}

/// How close to the paper the results are without and with a bias; `None` if these were not run.
pub fn nearness(runs: &Runs, rows: &[Row]) -> Option<[Nearness; 2]> {
    let runs = runs.of_first_biased();
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

/// Adds the differences from greedy search with and without a bias, and those of the paper.
pub fn say(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let Some(near) = nearness(runs, rows) else {
        return;
    };
    let runs = runs.of_first_biased();
    let rows = rows_with(&runs, rows);
    page.heading("With a free bias inside the sigmoid");
    page.say(&format!(
        "The paper's sigmoid has no bias (Eq. 2), and neither do the sigmoids of the tables above. \
         This section compares the sigmoid rows with and without a free bias, in {}. The bias is \
         one more parameter, C2 keeps it fixed like the others, and fits have more starting \
         points. The table shows the distance to the paper, averaged over combinations of row and \
         K, and the number of combinations in which train and test roughly agree in size and sign \
         (for test, the median fold):",
        match runs.folds() {
            1 => "the first fold".to_string(),
            folds => format!("the first {folds} folds"),
        }
    ));
    page.table(&distances(&near));
    let [none, free] = near;
    page.say(&format!(
        "The paper's training loss is between those of the readings in {} of {} combinations \
         without a bias, in {} with one. Greedy search with and without a bias:",
        none.between, none.pairs, free.between
    ));
    page.table(&searches(&runs, &rows));
    page.say(
        "A bias that puts all arguments on one flank turns a sigmoid into an exponential. If test \
         instances are outside the range of the training instances, it may be far off, and in \
         single folds it is.",
    );
    let mut table = header([
        "row", "K", "", "bias", "train", "test", "edges %", "moves %",
    ]);
    for row in rows {
        for (at, k) in [(0, "K=2"), (1, "K=5")] {
            let start = [&row.label(), k, "paper", ""].map(String::from);
            let cells = numbers(row.paper[at]);
            table.push(start.into_iter().chain(cells).collect());
            for (bias, ending) in BOTH {
                for (who, _, own) in readings(k) {
                    let Some(found) = columns(&runs, row, &own, ending) else {
                        continue;
                    };
                    let start = ["", "", who, bias].map(String::from);
                    let cells = numbers(found);
                    table.push(start.into_iter().chain(cells).collect());
                }
            }
        }
    }
    page.table(&table);
}

/// Columns whose distance to the paper is shown, with their digits. The test column is left out:
/// its differences may be of any size, which makes their mean meaningless.
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
            let apart = own.mean_apart(place).into_iter().zip(NEAR);
            cells.extend(apart.map(|(mean, (_, digits))| format!("{mean:.digits$}")));
            let agreeing = [own.train[place], own.test[place]];
            cells.extend(agreeing.map(|agree| format!("{agree} of {}", own.pairs)));
            table.push(cells);
        }
    }
    table
}

/// Greedy search with and without a bias.
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

/// Formats a log-likelihood, which may be very large.
fn legible(value: f64) -> String {
    if value.abs() < 100.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.0e}")
    }
}

fn numbers(columns: [f64; 6]) -> Vec<String> {
    let [train, test, edges, moves, ..] = columns;
    vec![
        signed(train, 3),
        signed(test, 3),
        format!("{edges:.1}"),
        format!("{moves:.1}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearness_is_counted_by_reading() {
        let paper = [-0.1, -0.05, 50.0, 60.0, 2.0, 38.0];
        let ours = |train: f64, test: f64, edges: f64| [train, test, edges, 60.0, 2.0, 38.0];
        let mut near = Nearness::default();
        near.add(
            paper,
            [
                ours(-0.01, -0.04, 70.0),
                ours(-0.08, 0.04, 60.0),
                ours(-0.12, f64::NEG_INFINITY, 45.0),
            ],
        );
        near.add(paper, [ours(-0.05, -0.05, 50.0); 3]);
        assert_eq!((near.pairs, near.between), (2, 1));
        assert_eq!(near.train, [1, 2, 2]);
        assert_eq!(near.test, [2, 1, 1]);
        let [train, edges, moves] = near.mean_apart(0);
        assert!((train - 0.07).abs() < 1e-12 && edges == 10.0 && moves == 0.0);
    }
}
