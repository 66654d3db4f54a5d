//! What the page on Table 1 says.

use idealparent::Result;
use idealparent::plot::{Axis, Figure, Mark, Panel, Series};

use super::super::Context;
use super::super::cells::{Cells, mean_and_error};
use super::super::page::{Page, signed};
use super::super::yeast::STAND_IN;
use super::{HOLES, MOST_PARENTS, OTHER_LIMITS, Row, genes};

/// Means of a method over the folds.
struct Means {
    train: f64,
    test: f64,
    edges: f64,
    moves: f64,
    evaluations: f64,
    seconds: f64,
}

/// The runs of a table, of so many folds each.
pub struct Runs<'a> {
    cells: &'a Cells,
    folds: usize,
}

impl Runs<'_> {
    /// Of a method on a row, if all folds are there.
    fn means(&self, row: &Row, name: &str) -> Option<Means> {
        let mean = |column: &str| {
            let value = |fold: usize| {
                let key = [row.cpd, &row.name(), name, &fold.to_string()];
                self.cells.value(&key, column)
            };
            let values: Option<Vec<f64>> = (1..=self.folds).map(value).collect();
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

    /// Standard error of the difference in test likelihood, over the folds.
    fn error(&self, row: &Row, greedy: &str, own: &str) -> f64 {
        let test = |name: &str, fold: usize| {
            let key = [row.cpd, &row.name(), name, &fold.to_string()];
            self.cells.value(&key, "test")
        };
        let gap = |fold| Some(test(own, fold)? - test(greedy, fold)?);
        mean_and_error(&(1..=self.folds).filter_map(gap).collect::<Vec<f64>>()).1
    }

    /// The columns of Table 1: a method beside a greedy one.
    pub fn columns(&self, row: &Row, greedy: &str, own: &str) -> Option<[f64; 6]> {
        let (g, o) = (self.means(row, greedy)?, self.means(row, own)?);
        Some([
            o.train - g.train,
            o.test - g.test,
            100.0 * o.edges / g.edges,
            100.0 * o.moves / g.moves,
            100.0 * o.evaluations / g.evaluations,
            g.seconds / o.seconds,
        ])
    }
}

/// How the ideal method with a K is run, and the greedy search it is compared with.
fn variants(k: &str) -> [(&'static str, &'static str, String); 4] {
    [
        ("ours", "greedy", k.to_string()),
        (
            "with reversal",
            "greedy, reversing",
            format!("{k}, reversing"),
        ),
        (
            "queue of legal",
            "greedy, legal queue",
            format!("{k}, legal queue"),
        ),
        ("queue of all", "greedy, queue", format!("{k}, queue")),
    ]
}

/// Those that are compared with the paper.
pub fn readings(k: &str) -> [(&'static str, &'static str, String); 3] {
    let [ours, _, legal, all] = variants(k);
    [ours, legal, all]
}

const HEADER: [&str; 8] = [
    "row", "", "train", "test", "edges %", "moves %", "eval %", "speed-up",
];

pub fn header<const N: usize>(names: [&str; N]) -> Vec<Vec<String>> {
    vec![names.map(String::from).to_vec()]
}

fn line(label: String, who: &str, columns: [f64; 6], error: Option<f64>) -> Vec<String> {
    let [train, test, edges, moves, evaluations, speed] = columns;
    let error = error.map_or(String::new(), |error| format!(" ± {error:.3}"));
    let digits = if speed < 3.0 && speed.fract() != 0.0 {
        1
    } else {
        0
    };
    vec![
        label,
        who.to_string(),
        signed(train, 3),
        signed(test, 3) + &error,
        format!("{edges:.1}"),
        format!("{moves:.1}"),
        format!("{evaluations:.1}"),
        format!("{speed:.digits$}x"),
    ]
}

pub fn write_page(context: &Context, cells: &Cells, rows: &[Row], folds: usize) -> Result<()> {
    let runs = Runs { cells, folds };
    let mut page = Page::new("Table 1: yeast expression, real data");
    page.say(STAND_IN);
    page.say(&format!("{folds} folds, the same for every method. Differences are to greedy search with the same moves and score (BIC; add, delete, replace; hill climbing), per instance and variable. Where the variables are conditions, or outnumber the instances, every method may take at most {MOST_PARENTS} parents. The numbers after ± are standard errors over the folds. *eval* is the share of families scored for add and replace moves, *speed-up* the ratio of times."));
    page.say("*ours* remembers what it has fitted, and where a candidate would close a cycle the next of the ranking takes its place. *with reversal* also reverses edges, which the paper mentions and does not say to use here.");
    page.say("The paper scores the K most similar candidates of a family and inserts them to a queue. It does not say what becomes of those that would close a cycle, nor whether anything is remembered. Two readings, with nothing remembered: every candidate is fitted from the data and counted whenever it is scored, by the greedy search beside it too. *queue of legal*: when a family changes, K legal candidates are chosen, and no others until it changes again; greedy search scores legal candidates. *queue of all*: K candidates are chosen whether or not they would close a cycle, and greedy search scores all of them likewise. Where values are missing, both have mean field and compare candidates by expected values alone.");
    for (at, k) in [(0, "K=2"), (1, "K=5")] {
        page.heading(&format!("Ideal {k} with C2, beside the paper"));
        let mut table = header(HEADER);
        for row in rows {
            table.push(line(row.label(), "paper", row.paper[at], None));
            for (who, greedy, own) in variants(k) {
                if let Some(columns) = runs.columns(row, greedy, &own) {
                    let error = runs.error(row, greedy, &own);
                    table.push(line(String::new(), who, columns, Some(error)));
                }
            }
        }
        page.table(&table);
    }
    agreement(&mut page, &runs, rows);
    defaults(&mut page, &runs, rows);
    unlimited(&mut page, &runs, rows);
    limited(&mut page, &runs, rows);
    genes::say(&mut page, &runs, rows);
    page.picture("table1.svg", &figure(&runs, rows));
    page.write(&context.out, "table1")
}

/// Whether a loss agrees in kind: both next to nothing, or of the same sign and order of magnitude; or the paper's is within
/// two standard errors.
fn is_alike(paper: f64, ours: f64, error: f64) -> bool {
    let (small, large) = (paper.abs().min(ours.abs()), paper.abs().max(ours.abs()));
    let same = paper * ours > 0.0 && large <= 5.0 * small;
    large <= 0.02 || same || (paper - ours).abs() <= 2.0 * error
}

fn is_within_two(paper: f64, ours: f64) -> bool {
    (0.5..=2.0).contains(&(ours / paper))
}

const CHECKED: [&str; 6] = ["train", "test", "edges", "moves", "eval", "speed-up"];

/// Which columns agree with the paper; `error` is that of the test column. Speed-ups are checked with sigmoids only.
fn agreeing(cpd: &str, paper: [f64; 6], ours: [f64; 6], error: f64) -> [Option<bool>; 6] {
    [
        Some(is_alike(paper[0], ours[0], 0.0)),
        Some(is_alike(paper[1], ours[1], error)),
        Some(is_within_two(paper[2], ours[2])),
        Some(is_within_two(paper[3], ours[3])),
        Some(is_within_two(paper[4], ours[4])),
        (cpd != "linear").then_some(ours[5] >= paper[5] / 2.0),
    ]
}

fn agreement(page: &mut Page, runs: &Runs, rows: &[Row]) {
    page.heading("What agrees with the paper, and what does not");
    page.say("A rough check of every row and K: differences are both at most 0.02, or have the same sign and are within a factor of five, or (test) are within two standard errors of the paper's; edges, moves and eval are within a factor of two; speed-ups of sigmoid rows are at least half the paper's.");
    let mut table = header(["row", "K", "ours", "queue of legal", "queue of all"]);
    let mut all = 0;
    let mut whole = [0; 3];
    let mut by_column = [[(0, 0); 3]; 6];
    for row in rows {
        for (at, k) in [(0, "K=2"), (1, "K=5")] {
            let one = |(_, greedy, own): (&str, &str, String)| {
                let columns = runs.columns(row, greedy, &own)?;
                let error = runs.error(row, greedy, &own);
                Some(agreeing(row.cpd, row.paper[at], columns, error))
            };
            let [Some(ours), Some(legal), Some(queue)] = readings(k).map(one) else {
                continue;
            };
            all += 1;
            let mut cells = vec![row.label(), k.to_string()];
            for (place, found) in [ours, legal, queue].into_iter().enumerate() {
                let mut differs = Vec::new();
                for (column, agrees) in found.into_iter().enumerate() {
                    let Some(agrees) = agrees else { continue };
                    let count = &mut by_column[column][place];
                    *count = (count.0 + usize::from(agrees), count.1 + 1);
                    if !agrees {
                        differs.push(CHECKED[column]);
                    }
                }
                whole[place] += usize::from(differs.is_empty());
                cells.push(match differs.is_empty() {
                    true => "agrees".to_string(),
                    false => format!("differs: {}", differs.join(", ")),
                });
            }
            table.push(cells);
        }
    }
    page.table(&table);
    let mut table = header(["agreeing", "ours", "queue of legal", "queue of all"]);
    for (column, counts) in by_column.into_iter().enumerate() {
        let cells = counts.map(|(agree, of)| format!("{agree} of {of}"));
        table.push(
            std::iter::once(CHECKED[column].to_string())
                .chain(cells)
                .collect(),
        );
    }
    let cells = whole.map(|agree| format!("{agree} of {all}"));
    table.push(
        std::iter::once("all columns".to_string())
            .chain(cells)
            .collect(),
    );
    page.table(&table);
    groups(page, runs, rows);
    reasons(page, runs, rows);
}

fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    mean_and_error(&values.collect::<Vec<f64>>()).0
}

const KINDS: [&str; 3] = ["linear, complete", "linear, missing values", "sigmoid"];

/// Means over the rows of a kind, AA Cond left out of test.
fn group(rows: &[Row], kind: &str, of: &dyn Fn(&Row) -> Option<[f64; 6]>) -> Option<[f64; 6]> {
    let belongs = |row: &&Row| match kind {
        "sigmoid" => row.cpd == kind,
        "linear, complete" => row.cpd == "linear" && row.set != HOLES,
        _ => row.set == HOLES,
    };
    let own = rows.iter().filter(belongs);
    let columns: Option<Vec<(&Row, [f64; 6])>> = own.map(|row| Some((row, of(row)?))).collect();
    let columns = columns?;
    let mut means = [0.0; 6];
    for (at, mean) in means.iter_mut().enumerate() {
        let counts = |row: &Row| at != 1 || row.name() != "AA Cond";
        let kept = columns.iter().filter(|(row, _)| counts(row));
        *mean = mean_of(kept.map(|(_, columns)| columns[at]));
    }
    (!columns.is_empty()).then_some(means)
}

fn groups(page: &mut Page, runs: &Runs, rows: &[Row]) {
    page.say("Means over rows of a kind, K = 2 (AA Cond, whose errors are of another order, is left out of test):");
    let mut table = header(HEADER);
    for kind in KINDS {
        if let Some(paper) = group(rows, kind, &|row| Some(row.paper[0])) {
            table.push(line(kind.to_string(), "paper", paper, None));
        }
        for (who, greedy, k) in readings("K=2") {
            if let Some(ours) = group(rows, kind, &|row| runs.columns(row, greedy, &k)) {
                table.push(line(String::new(), who, ours, None));
            }
        }
    }
    page.table(&table);
}

/// For each kind of rows, the readings whose means are nearest to the paper's in training likelihood, edges and moves.
fn nearest(runs: &Runs, rows: &[Row]) -> String {
    let one = |kind: &str, at: usize, name: &str| {
        let distance = |who: usize| {
            let (_, greedy, own) = &readings("K=2")[who];
            let paper = group(rows, kind, &|row| Some(row.paper[0]))?[at];
            let ours = group(rows, kind, &|row| runs.columns(row, greedy, own))?[at];
            Some((ours - paper).abs())
        };
        let near = |a: &usize, b: &usize| {
            let far = |who: &usize| distance(*who).unwrap_or(f64::INFINITY);
            far(a).total_cmp(&far(b))
        };
        distance(0)?;
        let who = (0..3).min_by(near)?;
        Some(format!("{name} {}", readings("K=2")[who].0))
    };
    let columns = [(0, "train:"), (2, "edges:"), (3, "moves:")];
    let of_kind = |kind: &str| {
        let all: Option<Vec<String>> = columns
            .iter()
            .map(|(at, name)| one(kind, *at, name))
            .collect();
        Some(format!("{kind} ({})", all?.join(", ")))
    };
    let all: Vec<String> = KINDS.into_iter().filter_map(of_kind).collect();
    all.join("; ")
}

fn reasons(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let families = |name: &str| {
        let own = rows.iter().filter(|row| row.cpd == "sigmoid");
        mean_of(own.filter_map(|row| Some(runs.means(row, name)?.evaluations)))
    };
    let linear = rows.iter().filter(|row| row.cpd == "linear");
    let speeds: Vec<f64> = linear
        .filter_map(|row| Some(runs.columns(row, "greedy", "K=2")?[5]))
        .collect();
    let limits = match rows.iter().any(Row::has_other_limits) {
        true => {
            " For Met Cond it changes with the limit on parents (*With other limits on parents*)."
        }
        false => "",
    };
    page.say(&format!("What the differences come from:\n- *train, edges, moves*: what becomes of candidates that would close a cycle; the readings differ in nothing else that changes a network (but for missing values, where the queues have mean field). Nearest to the paper's means: {}. Which it was cannot be told from the paper.\n- *eval and speed-up*: also what is spared. Over the sigmoid rows greedy search scores {:.0} families a fold where it looks at cycles first and remembers, {:.0} where it remembers nothing, {:.0} where it scores every candidate, legal or not; K=2 scores {:.0}, {:.0} and {:.0}.\n- *Speed-ups of linear rows* are not checked: the paper does not say how its greedy search scored them. Ours takes exact scores of all candidates from the matrix of covariances, for about what a ranking costs: {:.1}x to {:.1}x with K=2. In the queues both solve for every candidate from the data.\n- *test*: see *In other folds, and with other genes* for how much of it is chance.{limits}",
        nearest(runs, rows),
        families("greedy"), families("greedy, legal queue"), families("greedy, queue"),
        families("K=2"), families("K=2, legal queue"), families("K=2, queue"),
        speeds.iter().copied().fold(f64::INFINITY, f64::min), speeds.iter().copied().fold(0.0, f64::max)));
}

fn defaults(page: &mut Page, runs: &Runs, rows: &[Row]) {
    page.heading("With the defaults");
    page.say("Tangent measure, K = 2, EBIC and search over orders (which the defaults take where it lasts seconds), beside greedy hill climbing with BIC. *tangent K=2* is the same measure with the paper's search and score.");
    let mut table = header([
        "row",
        "greedy: test",
        "edges",
        "seconds",
        "tangent K=2: test",
        "seconds",
        "defaults: test",
        "difference",
        "edges",
        "seconds",
    ]);
    let mut gains = Vec::new();
    for row in rows {
        let (Some(g), Some(t), Some(d)) = (
            runs.means(row, "greedy"),
            runs.means(row, "tangent K=2"),
            runs.means(row, "defaults"),
        ) else {
            continue;
        };
        gains.push((d.test - g.test, d.edges / g.edges, t.train - g.train));
        table.push(vec![
            row.label(),
            format!("{:.3}", g.test),
            format!("{:.1}", g.edges),
            format!("{:.3}", g.seconds),
            format!("{:.3}", t.test),
            format!("{:.3}", t.seconds),
            format!("{:.3}", d.test),
            signed(d.test - g.test, 3),
            format!("{:.1}", d.edges),
            format!("{:.3}", d.seconds),
        ]);
    }
    page.table(&table);
    if gains.is_empty() {
        return;
    }
    let tests: Vec<f64> = gains.iter().map(|gain| gain.0).collect();
    let edges: Vec<f64> = gains.iter().map(|gain| gain.1).collect();
    let trains = gains.iter().map(|gain| gain.2.abs());
    page.say(&format!(
        "Defaults beside greedy search: test log-likelihood {} on average, {} in the least favourable row; {:.0} % of its edges on average, {:.0} % at most. Training log-likelihood of tangent K=2 is within {:.3} of greedy's in every row.",
        signed(mean_and_error(&tests).0, 3),
        signed(tests.iter().copied().fold(f64::INFINITY, f64::min), 3),
        100.0 * mean_and_error(&edges).0,
        100.0 * edges.iter().copied().fold(0.0, f64::max),
        trains.fold(0.0, f64::max),
    ));
}

fn unlimited(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.is_unlimited()).collect();
    if rows.is_empty() {
        return;
    }
    page.heading("Without a limit on parents");
    page.say(&format!("The same methods with at most {MOST_PARENTS} parents and with any number. With few instances BIC alone does not keep a family from fitting them all."));
    let mut table = header(["row", "method", "train", "test", "edges", "seconds"]);
    for row in rows {
        for name in ["greedy", "K=2", "K=2, queue", "defaults"] {
            for name in [name.to_string(), format!("{name}, no limit")] {
                let Some(means) = runs.means(row, &name) else {
                    continue;
                };
                table.push(vec![
                    row.label(),
                    name,
                    format!("{:.3}", means.train),
                    format!("{:.3}", means.test),
                    format!("{:.1}", means.edges),
                    format!("{:.3}", means.seconds),
                ]);
            }
        }
    }
    page.table(&table);
}

fn limited(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.has_other_limits()).collect();
    if rows.is_empty() {
        return;
    }
    page.heading("With other limits on parents");
    page.say("Queue of all, less greedy search with the same limit. The paper does not say how it kept greedy search from fitting everything where there are fewer instances than variables; whether losing candidates costs test likelihood or spares over-fitting depends on that.");
    let mut table = header([
        "row",
        "most parents",
        "K=2: train",
        "test",
        "K=5: train",
        "test",
    ]);
    for row in rows {
        let (two, five) = (row.paper[0], row.paper[1]);
        let numbers = [two[0], two[1], five[0], five[1]].map(|x| signed(x, 3));
        let start = vec![row.label(), "(paper)".to_string()];
        table.push(start.into_iter().chain(numbers).collect());
        for limit in OTHER_LIMITS.into_iter().chain([MOST_PARENTS]) {
            let ending = match limit {
                MOST_PARENTS => String::new(),
                limit => format!(", at most {limit}"),
            };
            let less = |k: &str| {
                let own = format!("{k}, queue{ending}");
                runs.columns(row, &format!("greedy{ending}"), &own)
            };
            let (Some(two), Some(five)) = (less("K=2"), less("K=5")) else {
                continue;
            };
            let numbers = [two[0], two[1], five[0], five[1]].map(|x| signed(x, 3));
            let start = vec![String::new(), limit.to_string()];
            table.push(start.into_iter().chain(numbers).collect());
        }
    }
    page.table(&table);
}

fn figure(runs: &Runs, rows: &[Row]) -> Figure {
    let short = |row: &Row| {
        let name = row.name().replace("AA with missing values", "AA miss");
        format!("{} {name}", &row.cpd[..3])
    };
    let names: Vec<String> = rows.iter().map(short).collect();
    let panel = |title: &str, label: &str, at: usize| {
        let series = |name: &str, colour: usize, value: &dyn Fn(&Row) -> Option<f64>| {
            let points = rows.iter().enumerate().filter_map(|(x, row)| {
                Some((x as f64 + 0.12 * (colour as f64 - 1.5), value(row)?))
            });
            Series::new(name, points.collect(), Mark::Points, colour)
        };
        let ours = |row: &Row, greedy: &str, own: &str| Some(runs.columns(row, greedy, own)?[at]);
        Panel {
            title: title.to_string(),
            x: Axis::new("").named(names.clone()),
            y: Axis::new(label),
            series: vec![
                series("paper K=2", 0, &|row| Some(row.paper[0][at])),
                series("ours K=2", 1, &|row| ours(row, "greedy", "K=2")),
                series("defaults", 2, &|row| ours(row, "greedy", "defaults")),
                series("K=2, queue of all", 3, &|row| {
                    ours(row, "greedy, queue", "K=2, queue")
                }),
            ],
            has_diagonal: false,
        }
    };
    Figure {
        title: "Table 1: differences to greedy search".to_string(),
        panels: vec![
            panel("Training log-likelihood", "difference", 0),
            panel("Test log-likelihood", "difference", 1),
            panel("Edges", "% of greedy's", 2),
            panel("Speed-up", "times", 5),
        ],
        columns: 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_agree_in_kind() {
        for (paper, ours, error, agrees) in [
            (-0.132, -0.100, 0.0, true),
            (-0.132, -0.020, 0.0, false),
            (-0.132, 0.100, 0.0, false),
            (-0.015, 0.012, 0.0, true),
            (-0.030, 0.008, 0.02, true),
            (-0.030, 0.028, 0.02, false),
        ] {
            assert_eq!(is_alike(paper, ours, error), agrees, "{paper} {ours}");
        }
    }

    #[test]
    fn columns_are_checked_as_the_page_says() {
        let paper = [-0.1, -0.05, 50.0, 60.0, 2.0, 38.0];
        let ours = [-0.1, 0.2, 99.0, 130.0, 4.1, 18.0];
        let all = [true, false, true, false, false].map(Some);
        assert_eq!(agreeing("sigmoid", paper, ours, 0.01)[..5], all);
        assert_eq!(agreeing("sigmoid", paper, ours, 0.01)[5], Some(false));
        assert_eq!(agreeing("linear", paper, ours, 0.01)[5], None);
    }
}
