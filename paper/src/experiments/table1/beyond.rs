//! Beyond the paper's Table 1: other ways to measure speed, the defaults, and other limits on
//! parents.

use super::super::cells::mean_and_error;
use super::super::page::{Page, signed};
use super::page::{Runs, header};
use super::{HOLES, MOST_PARENTS, OTHER_LIMITS, Row};

/// Speed-ups of linear rows over two kinds of greedy search.
pub fn speed_ups(page: &mut Page, runs: &Runs, rows: &[Row]) {
    page.heading("Speed-ups of linear rows");
    page.say(
        "Speed-ups of the ideal method (refill) over greedy search with exact scores from the \
         covariances (*exact greedy*), and over greedy search that fits every candidate from the \
         data (*greedy without cached scores*); and of the legal queue, which also fits every \
         candidate, over the latter. If values are missing, greedy without cached scores uses mean \
         field.",
    );
    let mut table = header([
        "row",
        "K",
        "paper",
        "refill over exact greedy",
        "refill over greedy without cached scores",
        "legal queue over greedy without cached scores",
    ]);
    for row in rows.iter().filter(|row| row.cpd == "linear") {
        for (at, k) in [(0, "K=2"), (1, "K=5")] {
            let times = |greedy: &str, own: &str| Some(runs.columns(row, greedy, own)?[5]);
            let uncached = "greedy, legal queue";
            let (Some(exact), Some(ours), Some(queue)) = (
                times("greedy", k),
                times(uncached, k),
                times(uncached, &format!("{k}, legal queue")),
            ) else {
                continue;
            };
            table.push(vec![
                row.label(),
                k.to_string(),
                format!("{:.0}x", row.paper[at][5]),
                format!("{exact:.1}x"),
                format!("{ours:.0}x"),
                format!("{queue:.0}x"),
            ]);
        }
    }
    page.table(&table);
}

/// The median of values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

pub fn defaults(page: &mut Page, runs: &Runs, rows: &[Row]) {
    page.heading("With the defaults");
    page.say(
        "The tangent measure with K = 2, EBIC and search over orders (which the defaults use if \
         it takes seconds), compared with greedy hill climbing with BIC. *tangent K=2* is the \
         same measure with the paper's search and score. *less train* is its difference in \
         training likelihood, *fewer fits* the factor by which it scores fewer families. *EBIC* \
         is the same search with the penalty of the defaults. The remaining difference from the \
         defaults is due to the search over orders. The numbers after ± are standard errors over \
         the folds.",
    );
    let mut table = header([
        "row",
        "greedy: test",
        "edges",
        "seconds",
        "tangent K=2: less train",
        "fewer fits",
        "test",
        "EBIC: test",
        "edges",
        "defaults: test",
        "difference",
        "edges",
        "seconds",
    ]);
    let mut gains = Gains::default();
    for row in rows {
        let (Some(g), Some(t), Some(e), Some(d)) = (
            runs.means(row, "greedy"),
            runs.means(row, "tangent K=2"),
            runs.means(row, "tangent K=2, EBIC"),
            runs.means(row, "defaults"),
        ) else {
            continue;
        };
        let error = runs.error(row, "greedy", "defaults");
        gains.tests.push(d.test - g.test);
        gains.edges.push(d.edges / g.edges);
        gains.trains.push((t.train - g.train).abs());
        gains.of_ebic.push(e.test - g.test);
        gains.of_orders.push(d.test - e.test);
        gains.unsure += usize::from(d.test - g.test < 2.0 * error);
        table.push(vec![
            row.label(),
            format!("{:.3}", g.test),
            format!("{:.1}", g.edges),
            format!("{:.3}", g.seconds),
            signed(t.train - g.train, 4),
            format!("{:.1}x", g.evaluations / t.evaluations),
            format!("{:.3}", t.test),
            format!("{:.3}", e.test),
            format!("{:.1}", e.edges),
            format!("{:.3}", d.test),
            format!("{} ± {error:.3}", signed(d.test - g.test, 3)),
            format!("{:.1}", d.edges),
            format!("{:.3}", d.seconds),
        ]);
    }
    page.table(&table);
    if gains.tests.is_empty() {
        return;
    }
    page.say(&gains.text());
    say_missing(page, runs, rows);
}

/// The differences between the defaults and greedy search, one per row.
#[derive(Default)]
struct Gains {
    tests: Vec<f64>,
    /// The share of greedy's edges.
    edges: Vec<f64>,
    /// Of the tangent measure, without signs.
    trains: Vec<f64>,
    /// Of hill climbing with EBIC, in test likelihood.
    of_ebic: Vec<f64>,
    /// Of the search over orders, in addition to that.
    of_orders: Vec<f64>,
    /// Number of rows whose difference in test likelihood is below two standard errors.
    unsure: usize,
}

impl Gains {
    fn text(&self) -> String {
        let Gains { tests, edges, .. } = self;
        let adds = &self.of_orders;
        format!(
            "Defaults compared with greedy search: the test log-likelihood differs by {} on \
             average, by {} in the median row and by {} in the least favourable of {} rows; in {} \
             the difference is less than two standard errors. The defaults have {:.0} % of \
             greedy's edges on average, {:.0} % at most. EBIC with hill climbing alone differs by \
             {} on average. The search over orders is better than that in {} of {} rows and worse \
             in {}; the median of its differences is {}. The training log-likelihood of tangent \
             K=2 is within {:.3} of greedy's in every row.",
            signed(mean_and_error(tests).0, 3),
            signed(median(tests), 3),
            signed(tests.iter().copied().fold(f64::INFINITY, f64::min), 3),
            tests.len(),
            self.unsure,
            100.0 * mean_and_error(edges).0,
            100.0 * edges.iter().copied().fold(0.0, f64::max),
            signed(mean_and_error(&self.of_ebic).0, 3),
            adds.iter().filter(|more| **more > 0.0).count(),
            adds.len(),
            adds.iter().filter(|more| **more < 0.0).count(),
            signed(median(adds), 3),
            self.trains.iter().copied().fold(0.0, f64::max),
        )
    }
}

/// Compares exact posteriors with mean field in the rows with missing values.
fn say_missing(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let with_holes = rows.iter().filter(|row| row.set == HOLES);
    let both: Vec<String> = with_holes
        .filter_map(|row| {
            let (exact, field) = (
                runs.means(row, "greedy")?,
                runs.means(row, "greedy, legal queue")?,
            );
            Some(format!(
                "{}: {:.3} and {:.3} with exact posteriors, {:.3} and {:.3} with mean field",
                row.name(),
                exact.train,
                exact.test,
                field.train,
                field.test
            ))
        })
        .collect();
    if !both.is_empty() {
        page.say(&format!(
            "If values are missing, posteriors in linear networks are exact unless mean field is \
             chosen; with sigmoids they are always mean field. The networks that greedy search \
             finds with either of them have these exact training and test log-likelihoods: {}.",
            both.join("; ")
        ));
    }
}

pub fn unlimited(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.is_unlimited()).collect();
    if rows.is_empty() {
        return;
    }
    page.heading("Without a limit on parents");
    page.say(&format!(
        "The same methods with at most {MOST_PARENTS} parents and without a limit. With few \
         instances, BIC alone does not prevent a family from fitting all of them."
    ));
    let mut table = header(["row", "method", "train", "test", "edges", "seconds"]);
    for row in rows {
        for name in ["greedy", "K=2", "K=2, queue", "defaults"] {
            for name in [name.to_string(), format!("{name}, no limit")] {
                let Some(means) = runs.means(row, &name) else {
                    continue;
                };
                table.push(vec![
                    row.label(),
                    name.replace("queue", "full queue"),
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

pub fn limited(page: &mut Page, runs: &Runs, rows: &[Row]) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.has_other_limits()).collect();
    if rows.is_empty() {
        return;
    }
    page.heading("With other limits on parents");
    page.say(
        "Full queue minus greedy search with the same limit. The paper does not say how it kept \
         greedy search from fitting every instance if there are fewer instances than variables. \
         Whether losing candidates lowers the test likelihood or prevents overfitting depends on \
         that.",
    );
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
