//! Table 1: the ideal parent search beside the greedy one on yeast expression, five folds.

use std::fmt::Write;

use idealparent::evaluate::{MethodSpec, cross_validate_one};
use idealparent::plot::{Axis, Figure, Mark, Panel, Series};
use idealparent::{LearnOptions, Result, Table};

use super::cells::{Cell, Cells, mean_and_error};
use super::page::{Page, signed};
use super::yeast::{STAND_IN, Yeast};
use super::{Context, Stop};

/// A row of the table: a density, a set of genes, and whether experiments are the variables.
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

    /// Most parents, where there are more variables than instances.
    pub fn limit(&self, table: &Table) -> Option<usize> {
        (self.by_condition && table.width() > table.rows()).then_some(5)
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

const HOLES: &str = "AA with missing values";

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

/// What the methods are in the words of the command; reversal is not said to be used in the paper.
const FAITHFUL: &str = "score=bic:search=hill:moves=add,delete,replace";
const REVERSING: &str = "score=bic:search=hill";

/// A method's words, and a guess of its cost beside K = 2.
pub fn method(name: &str) -> (String, f64) {
    match name {
        "greedy" => (format!("greedy:{FAITHFUL}"), 12.0),
        "greedy, every candidate refitted" => (format!("greedy:resolve:{FAITHFUL}"), 60.0),
        "K=2" => (format!("ideal:k=2:measure=c2:{FAITHFUL}"), 1.0),
        "K=5" => (format!("ideal:k=5:measure=c2:{FAITHFUL}"), 2.0),
        "greedy, reversing" => (format!("greedy:{REVERSING}"), 12.0),
        "K=2, reversing" => (format!("ideal:k=2:measure=c2:{REVERSING}"), 1.0),
        "K=5, reversing" => (format!("ideal:k=5:measure=c2:{REVERSING}"), 2.0),
        "tangent K=2" => (format!("ideal:k=2:measure=tangent:{FAITHFUL}"), 1.0),
        "defaults" => ("ideal".to_string(), 5.0),
        other => unreachable!("no method is called {other}"),
    }
}

const METHODS: [&str; 9] = [
    "greedy",
    "K=2",
    "K=5",
    "tangent K=2",
    "defaults",
    "greedy, every candidate refitted",
    "greedy, reversing",
    "K=2, reversing",
    "K=5, reversing",
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

/// One method on one fold of a row's data.
pub fn run_fold(
    table: &Table,
    row: &Row,
    words: &str,
    fold: usize,
    stop: &mut Stop,
) -> Result<Option<Vec<f64>>> {
    let mut base = LearnOptions::default();
    base.set("cpd", row.cpd)?;
    base.knowledge.max_parents = row.limit(table);
    let method = MethodSpec::parse(words, &base)?;
    let found = cross_validate_one(table, &method, (5, 0), fold, stop)?;
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

pub fn run(context: &Context) -> Result<bool> {
    let yeast = Yeast::new(&context.data)?;
    let mut cells = Cells::open(&context.out.join("table1.tsv"), 4, &COLUMNS, context.quiet)?;
    let rows: Vec<Row> = match context.quick {
        true => ROWS
            .iter()
            .copied()
            .filter(|row| row.set == "AA" && !row.by_condition)
            .collect(),
        false => ROWS.to_vec(),
    };
    let folds = if context.quick { 2 } else { 5 };
    let mut done = true;
    for row in &rows {
        let table = yeast.table(row.set, row.by_condition)?;
        let size =
            (table.width() * table.width()) as f64 * if row.cpd == "linear" { 0.02 } else { 1.0 };
        let mut todo = Vec::new();
        for name in METHODS {
            let is_slow = name == "greedy, every candidate refitted";
            if is_slow && (row.cpd != "linear" || table.missing() > 0) {
                continue;
            }
            for fold in 0..if is_slow { 1 } else { folds } {
                let key = [row.cpd, &row.name(), name, &(fold + 1).to_string()]
                    .map(String::from)
                    .to_vec();
                todo.push(Cell {
                    key,
                    cost: size * method(name).1,
                });
            }
        }
        done &= cells.run(&todo, |key| {
            let fold: usize = key[3].parse().expect("a number that was written here");
            context.on_threads(|| run_fold(&table, row, &method(&key[2]).0, fold - 1, &mut Stop))
        })?;
        if !done {
            break;
        }
    }
    write_page(context, &cells, &rows, folds)?;
    Ok(done)
}

/// Means of a method over the folds that are there, beside those of greedy.
struct Means {
    train: f64,
    test: f64,
    edges: f64,
    moves: f64,
    evaluations: f64,
    seconds: f64,
}

fn means(cells: &Cells, row: &Row, name: &str, folds: usize) -> Option<Means> {
    let mean = |column: &str| {
        let values = (1..=folds)
            .map(|fold| cells.value(&[row.cpd, &row.name(), name, &fold.to_string()], column));
        let values: Option<Vec<f64>> = values.collect();
        values.map(|values| mean_and_error(&values).0)
    };
    Some(Means {
        train: mean("train")?,
        test: mean("test")?,
        edges: mean("edges")?,
        moves: mean("moves")?,
        evaluations: mean("evaluations")?,
        seconds: mean("seconds")?,
    })
}

fn write_page(context: &Context, cells: &Cells, rows: &[Row], folds: usize) -> Result<()> {
    let mut page = Page::new("Table 1: yeast expression, real data");
    page.say(STAND_IN);
    page.say(&format!("{folds} folds, the same for every method. Differences are to greedy search with the same moves and score (BIC; add, delete, replace; hill climbing), per instance and variable. Cond rows have more variables than instances: every method may take at most 5 parents there. *eval* is the share of families scored for add and replace moves."));
    for (at, k) in [(0, "K=2"), (1, "K=5")] {
        page.heading(&format!("Ideal {k} with C2, beside the paper"));
        let mut table = vec![
            [
                "row", "", "train", "test", "edges %", "moves %", "eval %", "speed-up",
            ]
            .map(String::from)
            .to_vec(),
        ];
        for row in rows {
            let p = row.paper[at];
            let label = format!("{} {}", row.cpd, row.name());
            table.push(vec![
                label,
                "paper".into(),
                signed(p[0], 3),
                signed(p[1], 3),
                format!("{:.1}", p[2]),
                format!("{:.1}", p[3]),
                format!("{:.1}", p[4]),
                format!("{:.0}x", p[5]),
            ]);
            for (who, greedy, own) in [
                ("ours", "greedy", k.to_string()),
                (
                    "with reversal",
                    "greedy, reversing",
                    format!("{k}, reversing"),
                ),
            ] {
                let (Some(g), Some(o)) = (
                    means(cells, row, greedy, folds),
                    means(cells, row, &own, folds),
                ) else {
                    continue;
                };
                let mut speed = format!("{:.2}x", g.seconds / o.seconds);
                let refitted = cells.value(
                    &[
                        row.cpd,
                        &row.name(),
                        "greedy, every candidate refitted",
                        "1",
                    ],
                    "seconds",
                );
                let first = cells.value(&[row.cpd, &row.name(), &own, "1"], "seconds");
                if let (Some(slow), Some(fast), "ours") = (refitted, first, who) {
                    let _ = write!(speed, " ({:.0}x refitting)", slow / fast);
                }
                table.push(vec![
                    String::new(),
                    who.into(),
                    signed(o.train - g.train, 3),
                    signed(o.test - g.test, 3),
                    format!("{:.1}", 100.0 * o.edges / g.edges),
                    format!("{:.1}", 100.0 * o.moves / g.moves),
                    format!("{:.1}", 100.0 * o.evaluations / g.evaluations),
                    speed,
                ]);
            }
        }
        page.table(&table);
    }
    page.heading("With the defaults");
    page.say("Tangent measure, K = 2, EBIC and search over orders, beside greedy hill climbing with BIC.");
    let mut table = vec![
        [
            "row",
            "greedy: test",
            "edges",
            "seconds",
            "defaults: test",
            "difference",
            "edges",
            "seconds",
        ]
        .map(String::from)
        .to_vec(),
    ];
    let mut gains = Vec::new();
    for row in rows {
        let (Some(g), Some(d)) = (
            means(cells, row, "greedy", folds),
            means(cells, row, "defaults", folds),
        ) else {
            continue;
        };
        gains.push(d.test - g.test);
        table.push(vec![
            format!("{} {}", row.cpd, row.name()),
            format!("{:.3}", g.test),
            format!("{:.1}", g.edges),
            format!("{:.3}", g.seconds),
            format!("{:.3}", d.test),
            signed(d.test - g.test, 3),
            format!("{:.1}", d.edges),
            format!("{:.3}", d.seconds),
        ]);
    }
    page.table(&table);
    if !gains.is_empty() {
        page.say(&format!(
            "Mean difference {}, smallest {}.",
            signed(mean_and_error(&gains).0, 3),
            signed(gains.iter().copied().fold(f64::INFINITY, f64::min), 3)
        ));
    }
    page.picture("table1.svg", &figure(cells, rows, folds));
    page.write(&context.out, "table1")
}

fn figure(cells: &Cells, rows: &[Row], folds: usize) -> Figure {
    let names: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{} {}",
                &row.cpd[..3],
                row.name().replace("AA with missing values", "AA miss")
            )
        })
        .collect();
    let panel = |title: &str, label: &str, at: usize, of: &dyn Fn(&Means, &Means) -> f64| {
        let ours = |name: &'static str| {
            move |row: &Row| {
                (
                    means(cells, row, "greedy", folds),
                    means(cells, row, name, folds),
                )
            }
        };
        let series = |name: &str, colour: usize, value: &dyn Fn(&Row) -> Option<f64>| {
            let points = rows.iter().enumerate().filter_map(|(x, row)| {
                Some((x as f64 + 0.14 * (colour as f64 - 1.0), value(row)?))
            });
            Series::new(name, points.collect(), Mark::Points, colour)
        };
        let difference = |row: &Row, own: &'static str| {
            let (g, o) = ours(own)(row);
            Some(of(&g?, &o?))
        };
        Panel {
            title: title.to_string(),
            x: Axis::new("").named(names.clone()),
            y: Axis::new(label),
            series: vec![
                series("paper K=2", 0, &|row| Some(row.paper[0][at])),
                series("ours K=2", 1, &|row| difference(row, "K=2")),
                series("defaults", 2, &|row| difference(row, "defaults")),
            ],
            has_diagonal: false,
        }
    };
    Figure {
        title: "Table 1: differences to greedy search".to_string(),
        panels: vec![
            panel("Training log-likelihood", "difference", 0, &|g, o| {
                o.train - g.train
            }),
            panel("Test log-likelihood", "difference", 1, &|g, o| {
                o.test - g.test
            }),
            panel("Edges", "% of greedy's", 2, &|g, o| {
                100.0 * o.edges / g.edges
            }),
            panel("Speed-up", "times", 5, &|g, o| g.seconds / o.seconds),
        ],
        columns: 2,
    }
}
