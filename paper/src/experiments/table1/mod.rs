//! Table 1: ideal parent search compared with greedy search on yeast expression data, five folds.

mod agreement;
mod beyond;
mod bias;
mod genes;
mod page;

use idealparent::{LearnOptions, Result, Table};

use super::cells::{Cell, Cells};
use super::yeast::Yeast;
use super::{Context, Stop};
use crate::faithful::PaperMethod;
use genes::Sample;

/// A row of the table: a density, a set of genes, and whether the variables are the conditions
/// instead of the genes.
#[derive(Clone, Copy, PartialEq)]
pub struct Row {
    pub cpd: &'static str,
    pub set: &'static str,
    pub by_condition: bool,
    /// The paper's columns for K = 2 and K = 5: train, test, edges, moves, eval, speed-up.
    paper: [[f64; 6]; 2],
}

impl Row {
    pub fn name(&self) -> String {
        let cond = if self.by_condition { " Cond" } else { "" };
        format!("{}{cond}", self.set)
    }

    /// Number of variables in the paper.
    fn variables_of_paper(&self) -> usize {
        match (self.by_condition, self.set) {
            (true, _) => 173,
            (false, "AA") => 44,
            (false, "Met") => 89,
            (false, _) => 354,
        }
    }

    fn label(&self) -> String {
        format!("{} {}", self.cpd, self.name())
    }

    /// Whether a run with this key belongs to this row.
    pub fn has_key(&self, key: &[String]) -> bool {
        self.cpd == key[0] && self.name() == key[1]
    }

    /// Estimated cost of K = 2, relative to other rows.
    pub fn cost(&self, table: &Table) -> f64 {
        let scale = if self.cpd == "linear" { 0.08 } else { 1.0 };
        scale * (table.width() * table.width() * table.rows()) as f64
    }

    /// Maximum number of parents. There is a limit if the variables are conditions, or if there are
    /// more variables than instances.
    pub fn limit(&self, table: &Table) -> Option<usize> {
        (self.by_condition || table.width() > table.rows()).then_some(MOST_PARENTS)
    }

    /// Whether this row is also run without a limit on parents.
    fn is_unlimited(&self) -> bool {
        self.by_condition && self.cpd == "linear" && self.set != "Met"
    }

    /// Whether this row is also run with other limits on parents.
    fn has_other_limits(&self) -> bool {
        self.by_condition && self.set == "Met"
    }

    /// Names of the methods that are run on this row.
    fn methods(&self, is_quick: bool) -> Vec<String> {
        let mut all: Vec<String> = METHODS.map(String::from).to_vec();
        if self.is_unlimited() {
            all.extend(UNLIMITED.map(String::from));
        }
        if self.has_other_limits() {
            for limit in OTHER_LIMITS {
                all.extend(LIMITED.map(|name| format!("{name}, at most {limit}")));
            }
        }
        // A fold of a sigmoid network takes seconds, which is too long for a quick run.
        if !(is_quick && self.cpd == "sigmoid") {
            all.extend(genes::methods(self));
        }
        all.extend(bias::methods(self));
        all
    }

    /// The text of a method, its limit on parents, and its estimated cost relative to K = 2.
    fn method(&self, name: &str, table: &Table) -> (String, Option<usize>, f64) {
        let (name, sample) = Sample::split(name);
        let plain = name.strip_suffix(bias::ENDING);
        let (name, is_biased) = (plain.unwrap_or(name), plain.is_some());
        let (name, limit) = match name.split_once(", at most ") {
            Some((name, limit)) => (name, limit.parse().ok()),
            None if name.ends_with("no limit") => (name, None),
            None => (name, self.limit(table)),
        };
        let remembers = sample != Sample::Own || is_biased;
        let (mut words, mut cost) = method(name, self.cpd, remembers);
        if self.set == HOLES && name.contains("queue") {
            // As in the paper: mean field, and comparison by expected values alone.
            words += if name.starts_with("greedy") {
                ":posterior=mean-field"
            } else {
                ":posterior=mean-field:moments=means"
            };
        }
        if is_biased {
            words += ":bias";
            cost *= bias::COST;
        }
        (words, limit, cost)
    }
}

const fn row(
    cpd: &'static str,
    set: &'static str,
    by_condition: bool,
    paper: [[f64; 6]; 2],
) -> Row {
    Row {
        cpd,
        set,
        by_condition,
        paper,
    }
}

const FOLDS: usize = 5;

/// Maximum number of parents of a variable, if there is a limit.
const MOST_PARENTS: usize = 5;

pub const HOLES: &str = "AA with missing values";

/// The paper's ten rows.
pub const ROWS: [Row; 10] = [
    row(
        "linear",
        "AA",
        false,
        [
            [-0.024, 0.006, 87.1, 96.5, 3.6, 2.0],
            [-0.008, 0.007, 94.9, 96.5, 9.3, 2.0],
        ],
    ),
    row(
        "linear",
        "AA",
        true,
        [
            [-0.038, 0.082, 92.2, 92.6, 1.2, 2.0],
            [-0.009, 0.029, 96.9, 98.2, 2.9, 2.0],
        ],
    ),
    row(
        "linear",
        "Met",
        false,
        [
            [-0.033, -0.024, 88.7, 91.5, 1.6, 3.0],
            [-0.013, -0.016, 94.5, 96.9, 4.4, 2.0],
        ],
    ),
    row(
        "linear",
        "Met",
        true,
        [
            [-0.035, -0.015, 91.3, 98.0, 1.0, 2.0],
            [-0.007, -0.023, 98.9, 98.5, 2.4, 2.0],
        ],
    ),
    row(
        "linear",
        HOLES,
        false,
        [
            [-0.101, -0.034, 81.3, 95.2, 0.4, 5.0],
            [-0.048, -0.022, 90.7, 96.0, 0.9, 5.0],
        ],
    ),
    row(
        "linear",
        HOLES,
        true,
        [
            [-0.066, -0.037, 74.7, 87.5, 0.4, 14.0],
            [-0.033, -0.021, 86.3, 101.1, 1.6, 11.0],
        ],
    ),
    row(
        "sigmoid",
        "AA",
        false,
        [
            [-0.132, -0.065, 49.7, 59.4, 2.0, 38.0],
            [-0.103, -0.046, 60.4, 77.6, 6.1, 18.0],
        ],
    ),
    row(
        "sigmoid",
        "AA",
        true,
        [
            [-0.218, 0.122, 62.3, 76.7, 1.0, 36.0],
            [-0.150, 0.103, 73.7, 79.4, 2.3, 21.0],
        ],
    ),
    row(
        "sigmoid",
        "Met",
        false,
        [
            [-0.192, -0.084, 47.9, 58.3, 0.9, 65.0],
            [-0.158, -0.059, 56.6, 69.8, 2.6, 29.0],
        ],
    ),
    row(
        "sigmoid",
        "Met",
        true,
        [
            [-0.207, -0.030, 60.5, 69.5, 0.8, 53.0],
            [-0.156, -0.042, 69.8, 77.7, 2.2, 29.0],
        ],
    ),
];

/// Options of the methods. The paper does not say that it reverses edges.
pub const FAITHFUL: &str = "score=bic:search=hill:moves=add,delete,replace";
const CHEAPER: &str = "score=ebic:search=hill:moves=add,delete,replace";
const REVERSING: &str = "score=bic:search=hill";

/// The text of a method, and its estimated cost relative to K = 2.
///
/// Queues cache fits only if `remembers`. This changes times and counts, but no network.
pub fn method(name: &str, cpd: &str, remembers: bool) -> (String, f64) {
    let ideal = |k: usize, rest: &str| format!("ideal:k={k}:measure=c2:{rest}");
    let is_linear = cpd == "linear";
    let pick = |linear: f64, sigmoid: f64| if is_linear { linear } else { sigmoid };
    let forget = if remembers { "" } else { "forget:" };
    let legal = format!("{forget}illegal=drop:{FAITHFUL}");
    let all = format!("{forget}illegal=keep:{FAITHFUL}");
    match name {
        "greedy" | "greedy, no limit" => (format!("greedy:{FAITHFUL}"), pick(0.8, 15.0)),
        "K=2" | "K=2, no limit" => (ideal(2, FAITHFUL), 1.0),
        "K=5" => (ideal(5, FAITHFUL), 2.0),
        "tangent K=2" => (format!("ideal:k=2:measure=tangent:{FAITHFUL}"), 1.5),
        "defaults" | "defaults, no limit" => ("ideal:search=order".to_string(), 5.0),
        "tangent K=2, EBIC" => (format!("ideal:k=2:measure=tangent:{CHEAPER}"), 1.0),
        "greedy, reversing" => (format!("greedy:{REVERSING}"), pick(0.8, 15.0)),
        "K=2, reversing" => (ideal(2, REVERSING), 1.0),
        "K=5, reversing" => (ideal(5, REVERSING), 2.0),
        "greedy, legal queue" if remembers => (format!("greedy:{FAITHFUL}"), pick(2.0, 15.0)),
        "greedy, legal queue" => (format!("greedy:{forget}{FAITHFUL}"), pick(30.0, 20.0)),
        "K=2, legal queue" => (ideal(2, &legal), pick(2.0, 1.0)),
        "K=5, legal queue" => (ideal(5, &legal), pick(4.0, 2.0)),
        "greedy, queue" => (format!("greedy:{all}"), pick(45.0, 25.0)),
        "K=2, queue" | "K=2, queue, no limit" => (ideal(2, &all), pick(2.0, 1.0)),
        "K=5, queue" => (ideal(5, &all), pick(4.0, 2.0)),
        other => unreachable!("no method is called {other}"),
    }
}

const METHODS: [&str; 15] = [
    "greedy",
    "K=2",
    "K=5",
    "tangent K=2",
    "tangent K=2, EBIC",
    "defaults",
    "greedy, reversing",
    "K=2, reversing",
    "K=5, reversing",
    "greedy, legal queue",
    "K=2, legal queue",
    "K=5, legal queue",
    "greedy, queue",
    "K=2, queue",
    "K=5, queue",
];

/// Other limits on parents, and the methods that are run with them.
const OTHER_LIMITS: [usize; 3] = [2, 3, 4];
const LIMITED: [&str; 3] = ["greedy", "K=2, queue", "K=5, queue"];

/// Methods that are also run without a limit on parents.
const UNLIMITED: [&str; 4] = [
    "greedy, no limit",
    "K=2, no limit",
    "K=2, queue, no limit",
    "defaults, no limit",
];

pub const COLUMNS: [&str; 10] = [
    "cpd",
    "set",
    "method",
    "fold",
    "train",
    "test",
    "edges",
    "moves",
    "evaluations",
    "seconds",
];

/// Runs one method on one fold of a row's data. `None` if the run was stopped.
pub fn run_fold(
    table: &Table,
    row: &Row,
    (words, limit): (String, Option<usize>),
    (fold, seed): (usize, u64),
    stop: &mut Stop,
) -> Result<Option<Vec<f64>>> {
    let mut base = LearnOptions::default();
    base.set("cpd", row.cpd)?;
    base.max_parents = limit;
    let method = PaperMethod::parse(&words, &base)?;
    let found = method.cross_validate_one(table, (FOLDS, seed), fold, stop)?;
    Ok(found.map(|r| {
        vec![
            r.train,
            r.test,
            r.edges as f64,
            r.moves as f64,
            r.evaluations as f64,
            r.seconds,
        ]
    }))
}

fn open(context: &Context) -> Result<Cells> {
    Cells::open(&context.out.join("table1.tsv"), 4, &COLUMNS, context.quiet)
}

pub fn check(context: &Context) -> Result<()> {
    Cells::check(&context.out.join("table1.tsv"), 4, &COLUMNS)
}

pub fn run(context: &Context) -> Result<bool> {
    let yeast = Yeast::new(&context.data)?;
    let mut cells = open(context)?;
    let rows: Vec<Row> = if context.quick {
        ROWS.iter()
            .copied()
            .filter(|row| row.set == "AA" && !row.by_condition)
            .collect()
    } else {
        ROWS.to_vec()
    };
    let mut tables = Vec::new();
    let mut todo = Vec::new();
    for row in &rows {
        let table = yeast.table(row.set, row.by_condition)?;
        let one = row.cost(&table);
        for name in row.methods(context.quick) {
            let folds = if bias::is_biased(&name) {
                bias::folds(context.quick)
            } else {
                FOLDS
            };
            for fold in 0..folds {
                let key = [row.cpd, &row.name(), &name, &(fold + 1).to_string()]
                    .map(String::from)
                    .to_vec();
                let cost = one * row.method(&name, &table).2;
                todo.push(Cell { key, cost });
            }
        }
        tables.push((row, table));
    }
    let done = cells.run(&todo, |key| {
        let known = tables.iter().find(|(row, _)| row.has_key(key));
        let (row, table) = known.expect("one of the rows");
        let fold: usize = key[3].parse().expect("a number written by this program");
        let (words, limit, _) = row.method(&key[2], table);
        let sample = Sample::split(&key[2]).1;
        let less = sample.table(table, row)?;
        let table = less.as_ref().unwrap_or(table);
        let fold = (fold - 1, sample.seed());
        run_fold(table, row, (words, limit), fold, &mut Stop)
    })?;
    if done {
        let variables = tables.iter().map(|(row, table)| (**row, table.width()));
        page::write_page(context, &cells, &variables.collect::<Vec<_>>())?;
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_every_row_can_be_parsed() {
        let table = Table::new(
            vec!["x".to_string(), "y".to_string()],
            vec![vec![1.0, 2.0, 4.0], vec![0.5, 0.1, 0.2]],
        )
        .unwrap();
        let mut known = std::collections::HashSet::new();
        for row in ROWS {
            for name in row.methods(false) {
                let (words, limit, cost) = row.method(&name, &table);
                let mut base = LearnOptions::default();
                base.set("cpd", row.cpd).unwrap();
                base.max_parents = limit;
                PaperMethod::parse(&words, &base).unwrap();
                assert!(cost > 0.0);
                assert!(known.insert((row.label(), name)), "a run is listed twice");
            }
        }
        assert!(known.len() > 500);
    }

    #[test]
    fn method_names_are_parsed() {
        let table = Table::new(vec!["x".to_string()], vec![vec![1.0, 2.0, 4.0]]).unwrap();
        let words = |name: &str| ROWS[9].method(name, &table).0;
        assert!(Sample::split("K=2, queue, genes 3") == ("K=2, queue", Sample::Genes(3)));
        assert!(Sample::split("greedy, bias") == ("greedy, bias", Sample::Own));
        assert_eq!(words("K=2, bias"), words("K=2") + ":bias");
        assert_eq!(
            words("K=2, queue, bias"),
            words("K=2, queue, folds 1") + ":bias"
        );
        assert!(words("K=2, queue").contains("forget"));
        assert_eq!(ROWS[9].method("greedy, at most 3", &table).1, Some(3));
    }
}
