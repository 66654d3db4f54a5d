//! Figure 3: likelihood and speed for different K, the number of candidates that are fitted.

use idealparent::Result;
use idealparent_view::{Axis, Figure, Mark, Panel, Series};

use super::cells::{Cell, Cells, mean_and_error};
use super::page::{Page, signed};
use super::table1::{COLUMNS, FAITHFUL, HOLES, ROWS, Row, run_fold};
use super::yeast::{STAND_IN, Yeast};
use super::{Context, Stop};

const BUDGETS: [&str; 8] = ["greedy", "1", "2", "5", "10", "20", "40", "all"];

/// The text of a method.
fn method_text(k: &str, measure: &str) -> String {
    match k {
        "greedy" => format!("greedy:{FAITHFUL}"),
        k => format!("ideal:k={k}:measure={measure}:{FAITHFUL}"),
    }
}

/// The name of a method in the table of runs.
fn name(k: &str, measure: &str) -> String {
    match k {
        "greedy" => "greedy".to_string(),
        k => format!("{measure} K={k}"),
    }
}

fn open(context: &Context) -> Result<Cells> {
    Cells::open(&context.out.join("fig3.tsv"), 4, &COLUMNS, context.quiet)
}

pub fn check(context: &Context) -> Result<()> {
    Cells::check(&context.out.join("fig3.tsv"), 4, &COLUMNS)
}

pub fn run(context: &Context) -> Result<bool> {
    let yeast = Yeast::new(&context.data)?;
    let mut cells = open(context)?;
    let is_shown =
        |row: &&Row| row.set != HOLES && (!context.quick || (row.set == "AA" && !row.by_condition));
    let rows: Vec<Row> = ROWS.iter().filter(is_shown).copied().collect();
    let folds = if context.quick { 2 } else { 5 };
    let mut tables = Vec::new();
    let mut todo = Vec::new();
    for row in &rows {
        let table = yeast.table(row.set, row.by_condition)?;
        let one = row.cost(&table);
        tables.push((row, table));
        for k in BUDGETS {
            for measure in ["c2", "tangent"] {
                for fold in 1..=folds {
                    let key = [row.cpd, &row.name(), &name(k, measure), &fold.to_string()]
                        .map(String::from)
                        .to_vec();
                    let share = k.parse::<f64>().unwrap_or(40.0).min(40.0) / 40.0;
                    if !(k == "greedy" && measure == "tangent") {
                        todo.push(Cell {
                            key,
                            cost: one * (1.0 + 20.0 * share),
                        });
                    }
                }
            }
        }
    }
    let done = cells.run(&todo, |key| {
        let known = tables.iter().find(|(row, _)| row.has_key(key));
        let (row, table) = known.expect("one of the rows");
        let fold: usize = key[3].parse().expect("a number written by this program");
        let (measure, k) = key[2].split_once(" K=").unwrap_or(("c2", "greedy"));
        let method = (method_text(k, measure), row.limit(table));
        run_fold(table, row, method, (fold - 1, 0), &mut Stop)
    })?;
    if done {
        write_page(context, &cells, &rows, folds)?;
    }
    Ok(done)
}

fn mean(cells: &Cells, row: &Row, method: &str, folds: usize, column: &str) -> f64 {
    let value =
        |fold: usize| cells.value(&[row.cpd, &row.name(), method, &fold.to_string()], column);
    mean_and_error(&(1..=folds).filter_map(value).collect::<Vec<f64>>()).0
}

fn write_page(context: &Context, cells: &Cells, rows: &[Row], folds: usize) -> Result<()> {
    let mut page = Page::new("Figure 3: how many candidates are fitted", context.quick);
    page.say(STAND_IN);
    page.say(&format!(
        "Test log-likelihood per instance and variable minus that of greedy search (mean of \
         {folds} folds), and the speed-up over greedy search with the same fitting code. All runs \
         use BIC, hill climbing, and add, delete and replace moves. The paper plots curves and \
         gives no numbers. It says that likelihoods approach greedy's as K grows, and that with \
         sigmoids the speed-up is dramatic. K = all is greedy search itself, so its speed-up \
         shows how reliable the times are. The times of linear rows, a few milliseconds, are the \
         least reliable. The columns of the last table are for C2 and for the tangent measure, \
         both with BIC and hill climbing."
    ));
    for measure in ["c2", "tangent"] {
        page.heading(if measure == "c2" {
            "C2, as in the paper"
        } else {
            "The tangent measure"
        });
        let mut table = vec![
            std::iter::once("row".to_string())
                .chain(BUDGETS[1..].iter().map(|k| format!("K={k}")))
                .collect(),
        ];
        for row in rows {
            let cell = |k: &&str| {
                let own = name(k, measure);
                let test = mean(cells, row, &own, folds, "test")
                    - mean(cells, row, "greedy", folds, "test");
                let speed = mean(cells, row, "greedy", folds, "seconds")
                    / mean(cells, row, &own, folds, "seconds");
                format!("{}, {speed:.1}x", signed(test, 3))
            };
            table.push(
                std::iter::once(format!("{} {}", row.cpd, row.name()))
                    .chain(BUDGETS[1..].iter().map(cell))
                    .collect(),
            );
        }
        page.table(&table);
    }
    page.claims(claims(cells, rows, folds));
    page.picture("fig3.svg", &figure(cells, rows, folds));
    page.write(&context.out, "fig3")
}

fn claims(cells: &Cells, rows: &[Row], folds: usize) -> Vec<[String; 4]> {
    let over = |cpd: &str, k: &str, measure: &str, of: &dyn Fn(&Row, &str) -> f64| {
        let own = rows.iter().filter(|row| row.cpd == cpd);
        let values = own.map(|row| of(row, &name(k, measure)));
        mean_and_error(&values.collect::<Vec<f64>>()).0
    };
    let distance = |row: &Row, own: &str| {
        let test = |name: &str| mean(cells, row, name, folds, "test");
        (test(own) - test("greedy")).abs()
    };
    // The likelihoods of AA Cond are of another order of magnitude and would hide the others.
    let is_counted = |row: &&Row| row.name() != "AA Cond";
    let mean_distance = |cpd: &str, k: &str, measure: &str| {
        let own = rows.iter().filter(|row| row.cpd == cpd).filter(is_counted);
        let values = own.map(|row| distance(row, &name(k, measure)));
        mean_and_error(&values.collect::<Vec<f64>>()).0
    };
    let speed = |row: &Row, own: &str| {
        let seconds = |name: &str| mean(cells, row, name, folds, "seconds");
        seconds("greedy") / seconds(own)
    };
    let approach = |measure: &str| {
        ["linear", "sigmoid"]
            .map(|cpd| {
                let at = |k: &str| mean_distance(cpd, k, measure);
                let all = BUDGETS[1..7].iter().map(|k| format!("{:.3}", at(k)));
                let all: Vec<String> = all.collect();
                format!(
                    "{cpd}: {} from greedy's with K = 1 … 40 (without AA Cond)",
                    all.join(", ")
                )
            })
            .join("; ")
    };
    let faster = |cpd: &str, measure: &str| {
        ["1", "2", "5", "20"]
            .map(|k| format!("{:.1}x with K={k}", over(cpd, k, measure, &speed)))
            .join(", ")
    };
    vec![
        [
            "the performance approaches that of greedy as K is increased".into(),
            approach("c2"),
            approach("tangent"),
            {
                let at = |cpd, k, measure| mean_distance(cpd, k, measure);
                let falls = |cpd| BUDGETS[1..7].windows(2).all(|k| at(cpd, k[1], "c2") <= at(cpd, k[0], "c2"));
                let kind = match (falls("linear"), falls("sigmoid")) {
                    (true, true) => "none: closer at every step",
                    (false, true) => "with sigmoids closer at every step, with linear densities not at every step",
                    (true, false) => "with linear densities closer at every step, with sigmoids not at every step",
                    (false, false) => "not closer at every step",
                };
                format!(
                    "{kind}; the mean distance with K=2 (linear and sigmoid) is {:.3} and {:.3} with C2, {:.3} and {:.3} with the tangent measure",
                    at("linear", "2", "c2"), at("sigmoid", "2", "c2"), at("linear", "2", "tangent"), at("sigmoid", "2", "tangent")
                )
            },
        ],
        [
            "linear: faster than greedy even for K=5".into(),
            faster("linear", "c2"),
            faster("linear", "tangent"),
            "greedy search here computes exact scores from the covariances at the cost of a ranking; Table 1 shows the speed-up over fitting every candidate".into(),
        ],
        [
            "sigmoid: a dramatic effect on the time".into(),
            faster("sigmoid", "c2"),
            faster("sigmoid", "tangent"),
            match over("sigmoid", "2", "c2", &speed) {
                times if times >= 10.0 => "none".into(),
                times => format!("{times:.1}x with K=2 is not dramatic"),
            },
        ],
    ]
}

fn figure(cells: &Cells, rows: &[Row], folds: usize) -> Figure {
    let mut panels = Vec::new();
    let ticks: Vec<String> = BUDGETS[1..].iter().map(|k| k.to_string()).collect();
    for cpd in ["linear", "sigmoid"] {
        for measure in ["c2", "tangent"] {
            for (title, column) in [("Test log-likelihood", "test"), ("Speed-up", "seconds")] {
                let own: Vec<&Row> = rows.iter().filter(|row| row.cpd == cpd).collect();
                let series = |(colour, row): (usize, &&Row)| {
                    let value = |k: &str| {
                        let (greedy, ideal) = (
                            mean(cells, row, "greedy", folds, column),
                            mean(cells, row, &name(k, measure), folds, column),
                        );
                        if column == "test" {
                            ideal - greedy
                        } else {
                            greedy / ideal
                        }
                    };
                    let points = BUDGETS[1..]
                        .iter()
                        .enumerate()
                        .map(|(x, k)| (x as f64, value(k)));
                    Series::new(&row.name(), points.collect(), Mark::Both, colour)
                };
                panels.push(Panel {
                    title: format!(
                        "{title}, {cpd}, {}",
                        if measure == "c2" { "C2" } else { measure }
                    ),
                    x: Axis::new("K").named(ticks.clone()),
                    y: if column == "test" {
                        Axis::new("difference from greedy")
                    } else {
                        Axis::new("times").log()
                    },
                    series: own.iter().enumerate().map(series).collect(),
                    has_diagonal: false,
                });
            }
        }
    }
    Figure {
        title: "Figure 3".to_string(),
        panels,
        columns: 2,
    }
}
