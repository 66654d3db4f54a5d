//! Figure 1: C1, C2 and the tangent measure of each move, compared with the true change of the
//! score.

use std::fmt::Write;
use std::path::Path;

use idealparent::cpd::CpdSettings;
use idealparent::error::shorten;
use idealparent::evaluate::{RankedParent, rank_parents, rank_replacements};
use idealparent::graph::{Dag, Reach};
use idealparent::learn::Observer;
use idealparent::search::{Step, Taken};
use idealparent::{Error, LearnOptions, Result, Table};
use idealparent_view::{Axis, Figure, Mark, Panel, Series};

use super::page::Page;
use super::yeast::{STAND_IN, Yeast};
use super::{Context, table1};
use crate::faithful::PaperMethod;
use crate::{files, signals};

const HEADER: &str = "cpd\tmoment\tmove\tchild\tparent\treplaced\tc1\tc2\ttangent\tdelta\n";
const MEASURES: [&str; 3] = ["C1", "C2", "tangent"];

/// Maximum number of points in a panel.
const SHOWN: usize = 4000;

/// A legal move at some step of the run.
struct Point {
    cpd: String,
    is_addition: bool,
    /// Step, kind of move, child and replaced parent. Candidates of one group compete.
    group: String,
    measures: [f64; 3],
    delta: f64,
}

/// Records the networks that a run passes through.
struct Networks {
    now: Dag,
    all: Vec<Dag>,
}

impl Observer for Networks {
    fn step(&mut self, step: &Step) {
        if let Taken::Move(m) = step.taken {
            m.apply(&mut self.now);
            self.all.push(self.now.clone());
        }
    }

    fn stop(&mut self) -> bool {
        signals::is_stopped()
    }
}

pub fn check(context: &Context) -> Result<()> {
    let path = context.out.join("fig1.tsv");
    if path.exists() {
        read(&path).map(|_| ())
    } else {
        Ok(())
    }
}

pub fn run(context: &Context) -> Result<bool> {
    let yeast = Yeast::new(&context.data)?;
    let path = context.out.join("fig1.tsv");
    if !path.exists() {
        let table = yeast.table("AA", false)?;
        let mut text = HEADER.to_string();
        for cpd in ["linear", "sigmoid"] {
            let Some(lines) = moves(&table, cpd, context.quick)? else {
                return Ok(false);
            };
            text += &lines;
        }
        files::write(&path, &text)?;
    }
    write_page(context, &read(&path)?)?;
    Ok(true)
}

/// Number of steps of a run at which moves are compared.
fn moments(quick: bool) -> usize {
    if quick { 2 } else { 8 }
}

/// Lists every add and replace move at some steps of a run of the ideal parent method (C2, K = 2).
/// `None` if the run was stopped.
fn moves(table: &Table, cpd: &str, quick: bool) -> Result<Option<String>> {
    let mut base = LearnOptions::default();
    base.set("cpd", cpd)?;
    let method = PaperMethod::parse(&table1::method("K=2", cpd, false).0, &base)?;
    let mut networks = Networks {
        now: Dag::new(table.width()),
        all: vec![Dag::new(table.width())],
    };
    method.learn(table, &mut networks)?;
    let options = &method.spec.options;
    let mut density = CpdSettings::from(options.cpd[0].clone());
    (density.bias, density.baseline) = (options.bias, options.baseline);
    let moments = moments(quick);
    let mut text = String::new();
    for moment in 0..moments {
        if signals::is_stopped() {
            return Ok(None);
        }
        let at = moment * (networks.all.len() - 1) / moments;
        let dag = &networks.all[at];
        let reach = Reach::new(dag);
        for child in 0..table.width() {
            let parents = dag.parents(child);
            let mut put = |what: &str, replaced: Option<usize>, found: &[RankedParent]| {
                for r in found.iter().filter(|r| reach.allows(r.parent, child)) {
                    let Some(delta) = r.delta else { continue };
                    // Families that cannot be fitted are left out.
                    if ![r.c1, r.c2, r.tangent, delta]
                        .iter()
                        .all(|value| value.is_finite())
                    {
                        continue;
                    }
                    let name = |v: usize| shorten(&table.names()[v]);
                    let old = replaced.map_or(String::new(), name);
                    let _ = writeln!(
                        text,
                        "{cpd}\t{at}\t{what}\t{}\t{}\t{old}\t{:?}\t{:?}\t{:?}\t{delta:?}",
                        name(child),
                        name(r.parent),
                        r.c1,
                        r.c2,
                        r.tangent
                    );
                }
            };
            let found = rank_parents(table, child, parents, &density)?;
            put("add", None, &found.candidates);
            for &old in parents {
                let found = rank_replacements(table, child, parents, old, &density)?;
                put("replace", Some(old), &found.candidates);
            }
        }
    }
    Ok(Some(text))
}

fn read(path: &Path) -> Result<Vec<Point>> {
    let place = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(place.clone(), error))?;
    let wrong = |line: usize| {
        Error::table(
            format!("{place}:{line}"),
            "this line does not belong to Figure 1 (remove the file to repeat the run)",
        )
    };
    if !text.starts_with(HEADER) {
        return Err(wrong(1));
    }
    if !text.ends_with('\n') || text.len() == HEADER.len() {
        return Err(wrong(text.lines().count()));
    }
    let point = |(number, line): (usize, &str)| {
        let fields: Vec<&str> = line.split('\t').collect();
        let value = |at: usize| {
            let value = fields.get(at).and_then(|field| field.parse::<f64>().ok());
            value.filter(|value| value.is_finite())
        };
        match (value(6), value(7), value(8), value(9)) {
            (Some(c1), Some(c2), Some(tangent), Some(delta)) if fields.len() == 10 => Ok(Point {
                cpd: fields[0].to_string(),
                is_addition: fields[2] == "add",
                group: [fields[1], fields[2], fields[3], fields[5]].join(" "),
                measures: [c1, c2, tangent],
                delta,
            }),
            _ => Err(wrong(number + 1)),
        }
    };
    text.lines().enumerate().skip(1).map(point).collect()
}

/// Pearson's correlation.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|&(x, y)| of(x - mx, y - my)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// The share of groups whose best candidate is among the first K by a measure.
fn among_first(points: &[&Point], measure: usize, k: usize) -> f64 {
    let mut groups: std::collections::BTreeMap<&str, Vec<&Point>> = Default::default();
    for point in points {
        groups.entry(&point.group).or_default().push(point);
    }
    let is_found = |group: &&Vec<&Point>| {
        let best = group
            .iter()
            .max_by(|a, b| a.delta.total_cmp(&b.delta))
            .expect("not empty");
        let ahead = group
            .iter()
            .filter(|p| p.measures[measure] > best.measures[measure])
            .count();
        ahead < k
    };
    groups.values().filter(is_found).count() as f64 / groups.len().max(1) as f64
}

/// The percentage of points that pass.
fn percent(all: &[&Point], passes: impl Fn(&Point) -> bool) -> f64 {
    100.0 * all.iter().filter(|p| passes(p)).count() as f64 / all.len().max(1) as f64
}

fn claims(points: &[Point]) -> Vec<[String; 4]> {
    let of = |cpd: &str| -> Vec<&Point> { points.iter().filter(|p| p.cpd == cpd).collect() };
    let (linear, sigmoid) = (of("linear"), of("sigmoid"));
    let below = |all: &[&Point], at: usize| percent(all, |p| p.measures[at] <= p.delta + 1e-6);
    let mut best = linear.clone();
    best.sort_by(|a, b| b.delta.total_cmp(&a.delta));
    best.truncate(linear.len().div_ceil(10));
    // How much of the true change of the most promising moves a measure predicts.
    let share = |at: usize| {
        let sum = |of: &dyn Fn(&Point) -> f64| best.iter().map(|p| of(p)).sum::<f64>();
        100.0 * sum(&|p| p.measures[at]) / sum(&|p| p.delta)
    };
    let farthest = linear
        .iter()
        .map(|p| (p.measures[2] - p.delta).abs())
        .fold(0.0, f64::max);
    vec![
        [
            "C1 is a lower bound of the true change (linear)".into(),
            format!("in {:.2} % of the moves", below(&linear, 0)),
            format!("the tangent measure equals the change, up to {farthest:.1e} nats"),
            {
                let additions: Vec<&Point> = linear.iter().copied().filter(|p| p.is_addition).collect();
                match below(&additions, 0).min(below(&additions, 1)) {
                    100.0 => "none: C1 and C2 are lower bounds for every addition, as proved (the proofs are for additions)".into(),
                    share => format!("in {:.2} % of the additions a bound exceeds the change, which should not happen", 100.0 - share),
                }
            },
        ],
        [
            "C2 is clearly a tighter bound, particularly for promising candidates".into(),
            format!(
                "a bound in {:.2} % of the moves; of the change of the most promising tenth C1 predicts {:.0} %, C2 {:.0} %",
                below(&linear, 1),
                share(0),
                share(1)
            ),
            format!("the tangent measure predicts {:.0} %", share(2)),
            "C2 keeps the weights of the other parents fixed; the tangent measure projects them out".into(),
        ],
        [
            "(not shown: sigmoid densities)".into(),
            format!(
                "C2 is not a bound: it exceeds the change in {:.0} % of the moves",
                100.0 - below(&sigmoid, 1)
            ),
            format!("best candidate among the first two: C2 {:.0} %, tangent {:.0} %",
                100.0 * among_first(&sigmoid, 1, 2), 100.0 * among_first(&sigmoid, 2, 2)),
            "C2 clamps values outside the sigmoid's image, and takes the slope at the ideal value, not at the fit".into(),
        ],
    ]
}

fn write_page(context: &Context, points: &[Point]) -> Result<()> {
    let mut page = Page::new("Figure 1: measures and the true change", context.quick);
    page.say(STAND_IN);
    let moments = moments(context.quick);
    page.say(&format!(
        "Every legal add and replace move at {moments} steps of one run of the ideal parent \
         method (C2, K = 2, BIC, hill climbing) on the 44 AA genes. The paper plots C1 and C2 for \
         linear densities and gives no numbers. It says that both are lower bounds of the true \
         change, and that C2 is the tighter one. Each panel shows at most {SHOWN} points."
    ));
    let mut table = vec![
        [
            "density",
            "moves",
            "measure",
            "correlation with the true change",
            "best in the first 1",
            "2",
            "5",
        ]
        .map(String::from)
        .to_vec(),
    ];
    let mut panels = Vec::new();
    for cpd in ["linear", "sigmoid"] {
        let own: Vec<&Point> = points.iter().filter(|p| p.cpd == cpd).collect();
        for (at, name) in MEASURES.into_iter().enumerate() {
            let pairs: Vec<(f64, f64)> = own.iter().map(|p| (p.delta, p.measures[at])).collect();
            let share = |k: usize| format!("{:.1} %", 100.0 * among_first(&own, at, k));
            table.push(vec![
                cpd.into(),
                own.len().to_string(),
                name.into(),
                format!("{:.4}", correlation(&pairs)),
                share(1),
                share(2),
                share(5),
            ]);
            let every = pairs.len().div_ceil(SHOWN).max(1);
            panels.push(Panel {
                title: format!("{name}, {cpd}"),
                x: Axis::new("true change in log-likelihood"),
                y: Axis::new(name),
                series: vec![Series::new(
                    "",
                    pairs.into_iter().step_by(every).collect(),
                    Mark::Points,
                    at,
                )],
                has_diagonal: true,
            });
        }
    }
    page.table(&table);
    page.claims(claims(points));
    let figure = Figure {
        title: "Figure 1".to_string(),
        panels,
        columns: 3,
    };
    page.picture("fig1.svg", &figure);
    page.write(&context.out, "fig1")
}
