//! Figure 4: learning from data sampled from a two-layer network with hidden regulators.

use idealparent::score::ScoreOptions;
use idealparent::search::Ending;
use idealparent::{LearnOptions, Network, Result, Table};
use idealparent_view::{Axis, Figure, Panel};

use super::cellcycle::{METHODS, STAND_IN, expression, fitted, method, topology};
use super::cells::{Cell, Cells, mean_and_error};
use super::known::{Truth, mean, values};
use super::page::{Page, curve, signed};
use super::{Context, Stop};
use crate::faithful::PaperMethod;

const COLUMNS: [&str; 9] = [
    "cpd",
    "instances",
    "repeat",
    "method",
    "train",
    "test",
    "hidden",
    "edges",
    "seconds",
];

/// Sample sizes and number of repeats for a density.
struct Plan {
    cpd: &'static str,
    sizes: &'static [usize],
    repeats: usize,
}

/// The paper shows linear densities. Sigmoids, with mean field, take a hundred times as long.
const WHOLE: [Plan; 2] = [
    Plan {
        cpd: "linear",
        sizes: &[20, 40, 80, 120, 160, 200],
        repeats: 10,
    },
    Plan {
        cpd: "sigmoid",
        sizes: &[20, 40, 80, 160],
        repeats: 2,
    },
];
const QUICK: [Plan; 1] = [Plan {
    cpd: "linear",
    sizes: &[40],
    repeats: 1,
}];
const TEST: usize = 500;
const GOLDEN: &str = "Golden";

fn open(context: &Context) -> Result<Cells> {
    Cells::open(&context.out.join("fig4.tsv"), 4, &COLUMNS, context.quiet)
}

pub fn check(context: &Context) -> Result<()> {
    Cells::check(&context.out.join("fig4.tsv"), 4, &COLUMNS)
}

pub fn run(context: &Context) -> Result<bool> {
    let table = expression(&context.data)?;
    let edges = topology(&context.data, &table)?;
    let mut cells = open(context)?;
    let plans: &[Plan] = if context.quick { &QUICK } else { &WHOLE };
    let mut truths = Vec::new();
    let mut todo = Vec::new();
    for &Plan {
        cpd,
        sizes,
        repeats,
    } in plans
    {
        let truth = Truth::new(cpd, fitted(&table, &edges, cpd)?, TEST)?;
        for &size in sizes {
            for repeat in 1..=repeats {
                for name in METHODS.into_iter().chain([GOLDEN]) {
                    let key = truth.key(size, repeat, name);
                    let scale = if cpd == "linear" { 1.0 } else { 100.0 };
                    let cost = scale * size as f64 * if name == "greedy" { 5.0 } else { 1.0 };
                    todo.push(Cell { key, cost });
                }
            }
        }
        truths.push(truth);
    }
    let done = cells.run(&todo, |key| {
        let (truth, train) = Truth::of_key(&truths, key)?;
        one(&edges, (&train, &truth.test), truth.cpd, &key[3])
    })?;
    if done {
        write_page(context, &cells, plans, edges.len())?;
    }
    Ok(done)
}

fn one(
    edges: &[(String, String)],
    (train, test): (&Table, &Table),
    cpd: &str,
    name: &str,
) -> Result<Option<Vec<f64>>> {
    let began = std::time::Instant::now();
    let network: Network = match name {
        GOLDEN => fitted(train, edges, cpd)?,
        name => {
            let mut base = LearnOptions::default();
            base.set("cpd", cpd)?;
            let method = PaperMethod::parse(&method(name), &base)?;
            let learned = method.learn(train, &mut Stop)?;
            if learned.ending == Ending::Stopped {
                return Ok(None);
            }
            learned.network
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    let observed = train.width();
    let per = |table: &Table| -> Result<f64> {
        let score = network.score_table(table, &ScoreOptions::default())?;
        let total = score.estimate.unwrap_or(score.log_likelihood);
        Ok(total / (table.rows() * observed) as f64)
    };
    let hidden = network.variables.iter().filter(|v| v.hidden).count();
    Ok(Some(vec![
        per(train)?,
        per(test)?,
        hidden as f64,
        network.edge_count() as f64,
        seconds,
    ]))
}

fn claims(cells: &Cells, plans: &[Plan]) -> Vec<[String; 4]> {
    // A method's test likelihood minus that of the true structure.
    let gaps = |plan: &Plan, name: &str| {
        let at = |size: &usize| {
            let test = |name: &str| mean(cells, (plan.cpd, *size, name), plan.repeats, "test");
            format!("{} ({size})", signed(test(name) - test(GOLDEN), 3))
        };
        let all: Vec<String> = plan.sizes.iter().map(at).collect();
        format!("{name} {}", all.join(", "))
    };
    let mut claims = Vec::new();
    for plan in plans {
        let of = |names: &[&str]| {
            let all: Vec<String> = names.iter().map(|name| gaps(plan, name)).collect();
            all.join("; ")
        };
        claims.push([
            match plan.cpd {
                "linear" => {
                    "test likelihoods are essentially similar and approach Golden's".to_string()
                }
                _ => "(not shown: sigmoid densities)".to_string(),
            },
            format!(
                "{}, minus Golden's: {}",
                plan.cpd,
                of(&["greedy", "K=2", "K=5"])
            ),
            of(&["defaults"]),
            match plan.cpd {
                "linear" => {
                    let taken = |name: &str| {
                        let at = |size: &usize| {
                            mean(cells, (plan.cpd, *size, name), plan.repeats, "hidden")
                        };
                        let all: Vec<f64> = plan.sizes.iter().map(at).collect();
                        format!("{name} {:.1}", mean_and_error(&all).0)
                    };
                    let names = [GOLDEN].into_iter().chain(METHODS);
                    format!(
                        "mean number of hidden variables over the sizes: {}. Only these few are candidate parents, so K saves little",
                        names.map(taken).collect::<Vec<_>>().join(", ")
                    )
                }
                _ => "the paper has no result to compare with".to_string(),
            },
        ]);
    }
    claims
}

fn write_page(context: &Context, cells: &Cells, plans: &[Plan], edges: usize) -> Result<()> {
    let mut page = Page::new(
        "Figure 4: hidden variables in data from a known network",
        context.quick,
    );
    page.say(STAND_IN);
    page.say(&format!(
        "The parameters of the topology are fitted to the 17 samples. Training samples of several \
         sizes, and {TEST} instances to test on, are drawn from the fitted network, which has the \
         {edges} edges to genes that vary. *Golden* is the true structure with parameters fitted \
         to the training data. Log-likelihoods are per instance and variable. In linear networks \
         they are exact, and so are the posteriors. With sigmoids, posteriors are mean field, and \
         likelihoods are estimated by sampling. The paper uses mean field for linear networks \
         too. *greedy* and *K* propose hidden variables by the paper's cluster score, the \
         defaults by the integrated score. The paper plots curves for linear densities and gives \
         no numbers. It says that the test likelihoods of all methods are essentially the same \
         and approach Golden's."
    ));
    let mut panels = Vec::new();
    for plan in plans {
        page.heading(&format!("{} densities", plan.cpd));
        page.say(&match plan.repeats {
            1 => "One sample of each size.".to_string(),
            repeats => format!("Means over {repeats} samples of each size."),
        });
        page.table(&table(cells, plan));
        panels.extend(["train", "test"].map(|column| panel(cells, plan, column)));
    }
    page.claims(claims(cells, plans));
    page.picture(
        "fig4.svg",
        &Figure {
            title: "Figure 4".to_string(),
            panels,
            columns: 2,
        },
    );
    page.write(&context.out, "fig4")
}

fn table(cells: &Cells, plan: &Plan) -> Vec<Vec<String>> {
    let mut table = vec![
        [
            "instances",
            "method",
            "train",
            "test",
            "hidden variables",
            "edges",
            "seconds",
        ]
        .map(String::from)
        .to_vec(),
    ];
    for size in plan.sizes {
        for name in METHODS.into_iter().chain([GOLDEN]) {
            let mean = |column: &str| mean(cells, (plan.cpd, *size, name), plan.repeats, column);
            table.push(vec![
                size.to_string(),
                name.into(),
                format!("{:.3}", mean("train")),
                format!("{:.3}", mean("test")),
                format!("{:.1}", mean("hidden")),
                format!("{:.0}", mean("edges")),
                format!("{:.2}", mean("seconds")),
            ]);
        }
    }
    table
}

fn panel(cells: &Cells, plan: &Plan, column: &str) -> Panel {
    let series = |(colour, name): (usize, &str)| {
        curve(name, plan.sizes, colour, |size| {
            values(cells, (plan.cpd, size, name), plan.repeats, column)
        })
    };
    let names = METHODS.into_iter().chain([GOLDEN]);
    Panel {
        title: format!("{column}, {}", plan.cpd),
        x: Axis::new("instances"),
        y: Axis::new("log-likelihood"),
        series: names.enumerate().map(series).collect(),
        has_diagonal: false,
    }
}
