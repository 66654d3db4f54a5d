//! Table 1 with other folds and other sets of genes: how much a test difference depends on them.

use idealparent::data::folds;
use idealparent::{Result, Table};

use super::super::page::{Page, signed};
use super::page::{Runs, header, readings};
use super::{HOLES, Row};

/// Number of repeats of each kind.
const REPEATS: usize = 4;

/// The data that a method is run on.
#[derive(Clone, Copy, PartialEq)]
pub enum Sample {
    /// The data and folds of the table.
    Own,
    /// The same data in other folds.
    Folds(u64),
    /// Nine tenths of the genes, in other folds.
    Genes(u64),
}

impl Sample {
    /// Splits the name of a run into the name of the method and the sample.
    pub fn split(name: &str) -> (&str, Sample) {
        let number = |text: &str| text.parse().expect("a number written by this program");
        if let Some((name, text)) = name.split_once(", folds ") {
            (name, Sample::Folds(number(text)))
        } else if let Some((name, text)) = name.split_once(", genes ") {
            (name, Sample::Genes(number(text)))
        } else {
            (name, Sample::Own)
        }
    }

    /// The suffix of a method's name.
    fn ending(self) -> String {
        match self {
            Sample::Own => String::new(),
            Sample::Folds(number) => format!(", folds {number}"),
            Sample::Genes(number) => format!(", genes {number}"),
        }
    }

    /// Seed of the folds.
    pub fn seed(self) -> u64 {
        match self {
            Sample::Own => 0,
            Sample::Folds(number) => number,
            Sample::Genes(number) => 100 + number,
        }
    }

    /// The table without the genes that are left out; `None` if all genes are used.
    pub fn table(self, table: &Table, row: &Row) -> Result<Option<Table>> {
        let Sample::Genes(number) = self else {
            return Ok(None);
        };
        let genes = if row.by_condition {
            table.rows()
        } else {
            table.width()
        };
        let kept = &folds(genes, genes.min(10), 200 + number)?[0].train;
        Ok(Some(if row.by_condition {
            table.select_rows(kept)
        } else {
            table.select_columns(kept)
        }))
    }
}

/// The greedy search that a reading is compared with. A cache and the treatment of cycles do not
/// change its networks, but the posterior does.
fn greedy(row: &Row, own: &str) -> &'static str {
    if row.set == HOLES && own.contains("queue") {
        "greedy, legal queue"
    } else {
        "greedy"
    }
}

/// What differs in the repeats, and the sample of a repeat.
type Kind = (&'static str, fn(u64) -> Sample);

const KINDS: [Kind; 2] = [("folds", Sample::Folds), ("genes and folds", Sample::Genes)];

/// Names of the methods that are run on these samples.
pub fn methods(row: &Row) -> Vec<String> {
    let mut names = vec!["greedy".to_string()];
    for k in ["K=2", "K=5"] {
        names.extend(readings(k).map(|(_, _, own)| own));
    }
    if row.set == HOLES {
        names.push("greedy, legal queue".to_string());
    }
    let mut all = Vec::new();
    for (_, sample) in KINDS {
        for number in 1..=REPEATS as u64 {
            let ending = sample(number).ending();
            all.extend(names.iter().map(|name| format!("{name}{ending}")));
        }
    }
    all
}

/// The lowest and the highest test difference of the table and the repeats.
fn range(runs: &Runs, row: &Row, own: &str, sample: impl Fn(u64) -> Sample) -> Option<(f64, f64)> {
    let one = |number: u64| {
        let sample = if number == 0 {
            Sample::Own
        } else {
            sample(number)
        };
        let greedy = greedy(row, own).to_string() + &sample.ending();
        let columns = runs.columns(row, &greedy, &(own.to_string() + &sample.ending()))?;
        Some(columns[1]).filter(|difference| difference.is_finite())
    };
    let found: Option<Vec<f64>> = (0..=REPEATS as u64).map(one).collect();
    let found = found?;
    let low = found.iter().copied().fold(f64::INFINITY, f64::min);
    Some((low, found.into_iter().fold(f64::NEG_INFINITY, f64::max)))
}

/// How often the ranges have certain properties.
#[derive(Default)]
struct Counts {
    /// Number of pairs of row and K.
    lines: usize,
    /// For each kind of repeat and each reading: the number of ranges with both signs, and of those
    /// that contain the paper's difference.
    of_kind: [[(usize, usize); 3]; 2],
    /// For linear and sigmoid rows: the number of lines, and of those where the paper's difference
    /// is below or above all ranges found here.
    of_density: [(usize, usize, usize); 2],
}

impl Counts {
    /// The lines of the table for a row and K, counted.
    fn lines_of(&mut self, runs: &Runs, row: &Row, paper: f64, k: &str) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        let mut widest: Option<(f64, f64)> = None;
        for (kind, (what, sample)) in KINDS.into_iter().enumerate() {
            let found = readings(k).map(|(_, _, own)| range(runs, row, &own, sample));
            let [Some(ours), Some(legal), Some(queue)] = found else {
                continue;
            };
            let mut cells = match kind {
                0 => vec![row.label(), k.to_string(), signed(paper, 3)],
                _ => vec![String::new(); 3],
            };
            self.lines += usize::from(kind == 0);
            cells.push(what.to_string());
            for (place, (low, high)) in [ours, legal, queue].into_iter().enumerate() {
                let is_between = low <= paper && paper <= high;
                let (least, most) = widest.unwrap_or((low, high));
                widest = Some((least.min(low), most.max(high)));
                let count = &mut self.of_kind[kind][place];
                count.0 += usize::from(low < 0.0 && high > 0.0);
                count.1 += usize::from(is_between);
                let words = format!("{} to {}", signed(low, 3), signed(high, 3));
                cells.push(if is_between {
                    format!("**{words}**")
                } else {
                    words
                });
            }
            lines.push(cells);
        }
        if let Some((least, most)) = widest {
            let own = &mut self.of_density[usize::from(row.cpd != "linear")];
            own.0 += 1;
            own.1 += usize::from(paper < least);
            own.2 += usize::from(paper > most);
        }
        lines
    }
}

pub fn say(page: &mut Page, runs: &Runs, rows: &[Row]) {
    page.heading("In other folds, and with other genes");
    page.say(&format!(
        "The authors' sets of genes and their folds are not known. This table shows the range of \
         the test difference, from lowest to highest, over the tables above and {REPEATS} \
         repeats: either with other folds, or with other folds and without a random tenth of the \
         genes. (Such sets overlap much; an independent list of genes would differ more.) Ranges \
         that contain the paper's difference are in bold."
    ));
    let mut table = header([
        "row",
        "K",
        "paper",
        "others",
        "refill",
        "legal queue",
        "full queue",
    ]);
    let mut counts = Counts::default();
    for row in rows {
        for (at, k) in [(0, "K=2"), (1, "K=5")] {
            table.extend(counts.lines_of(runs, row, row.paper[at][1], k));
        }
    }
    let lines = counts.lines;
    page.table(&table);
    if lines < 2 * rows.len() {
        page.say("(Other rows are left out of a quick run.)");
    }
    let mut table = header(["", "others", "refill", "legal queue", "full queue"]);
    for (kind, (what, _)) in KINDS.into_iter().enumerate() {
        let line = |name: &str, of: &dyn Fn((usize, usize)) -> usize| {
            let cells = counts.of_kind[kind].map(|count| format!("{} of {lines}", of(count)));
            let start = [name.to_string(), what.to_string()];
            start.into_iter().chain(cells).collect::<Vec<String>>()
        };
        table.push(line("both signs occur", &|count| count.0));
        table.push(line("contains the paper's value", &|count| count.1));
    }
    page.table(&table);
    let of_density = ["linear", "sigmoid"].into_iter().zip(counts.of_density);
    let words: Vec<String> = of_density
        .filter(|(_, (all, ..))| *all > 0)
        .map(|(cpd, (all, below, above))| {
            format!(
                "with {cpd} densities it is below all of them in {below} and above all of them in \
                 {above} of {all} lines"
            )
        })
        .collect();
    page.say(&format!(
        "The paper's test difference compared with all of these ranges: {}.",
        words.join("; ")
    ));
}
