//! Hidden variables: found, placed, learned and used (section 4.2).

mod common;

use common::checkpoints::Checkpoints;
use common::hidden::{confounded, two_layers};
use common::holes::{Energies, with_holes};
use common::linear_network;
use idealparent::cpd::{Cpd, CpdKind};
use idealparent::data::Column;
use idealparent::ideal::Measure;
use idealparent::learn::{Checkpoint, HiddenCount, HiddenOptions, HiddenOutcome};
use idealparent::{
    LearnOptions, Learned, Method, Network, PosteriorKind, SearchKind, Table,
    fit_structure_with_hidden, learn, learn_from,
};

fn wanted(two_layer: bool) -> LearnOptions {
    LearnOptions {
        hidden: HiddenOptions {
            count: HiddenCount::Auto,
            two_layer,
            ..HiddenOptions::default()
        },
        ..LearnOptions::default()
    }
}

fn hidden(network: &Network) -> Vec<usize> {
    (0..network.len())
        .filter(|&v| network.variables[v].hidden)
        .collect()
}

fn children(network: &Network, v: usize) -> Vec<usize> {
    let has = |&c: &usize| network.families[c].parents.contains(&v);
    (0..network.len()).filter(has).collect()
}

/// In its own units, its strongest effect positive, its score that of any later look.
fn assert_normal(learned: &Learned, table: &Table) {
    let network = &learned.network;
    for v in hidden(network) {
        let Cpd::Linear(cpd) = &network.families[v].cpd else {
            continue;
        };
        assert!((cpd.variance - 1.0).abs() < 1e-12, "{cpd:?}");
        if cpd.weights.is_empty() {
            assert!(cpd.intercept.abs() < 1e-12, "{cpd:?}");
        }
    }
    let options = LearnOptions::default().score;
    let again = network.score_table(table, &options).unwrap();
    let recorded = network.score.as_ref().unwrap();
    assert!(
        (again.log_likelihood - recorded.log_likelihood).abs() < 1e-9 * again.log_likelihood.abs()
    );
    assert_eq!(again.dimension, recorded.dimension);
    assert!((again.score - recorded.value).abs() < 1e-9 * again.score.abs());
}

#[test]
fn two_layers_are_found() {
    for seed in 0..4 {
        let (table, causes) = two_layers(3, 8, 200, seed);
        let mut energies = Energies::default();
        let learned = learn(&table, &wanted(true), &mut energies).unwrap();
        energies.assert_rising();
        assert_normal(&learned, &table);
        let network = &learned.network;
        let found = hidden(network);
        assert_eq!(found.len(), 3, "seed {seed}");
        let profiles = network.hidden_profiles(&table).unwrap();
        for (i, &v) in found.iter().enumerate() {
            let own = children(network, v);
            let cause = own[own.len() / 2] / 8;
            let right = own.iter().filter(|&&c| c / 8 == cause).count();
            assert!(right == 8 && own.len() <= 9, "seed {seed}: {own:?}");
            let correlation = correlation(&causes[cause], profiles.column(2 * i));
            assert!(correlation.abs() > 0.9, "{correlation}");
            assert!(
                profiles
                    .column(2 * i + 1)
                    .iter()
                    .all(|&sd| 0.0 < sd && sd < 1.0)
            );
        }
        let added = |o: HiddenOutcome| learned.attempts.iter().filter(|a| a.outcome == o).count();
        assert!(added(HiddenOutcome::Added) >= 3);
    }
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// A search that knows of no hidden variable ties its children to each other; with one these edges go.
#[test]
fn a_common_cause_replaces_edges() {
    let causes = [1, 4, 7, 10, 13, 16];
    for seed in 0..3 {
        let table = confounded(20, &causes, 400, seed);
        let without = learn(&table, &LearnOptions::default(), &mut ()).unwrap();
        let mut energies = Energies::default();
        let learned = learn(&table, &wanted(false), &mut energies).unwrap();
        energies.assert_rising();
        assert_normal(&learned, &table);
        let network = &learned.network;
        let found = hidden(network);
        assert_eq!(found.len(), 1, "seed {seed}");
        assert_eq!(children(network, found[0]), causes, "seed {seed}");
        let score = |l: &Learned| l.network.score.as_ref().unwrap().value;
        assert!(score(&learned) > score(&without) + 10.0);
        assert!(network.edge_count() < without.network.edge_count());
    }
}

#[test]
fn nothing_hidden_nothing_found() {
    for seed in 0..5 {
        let (_, table) = linear_network(20, 300, 2.0, seed);
        let learned = learn(&table, &wanted(false), &mut ()).unwrap();
        assert!(
            !learned.network.has_hidden(),
            "seed {seed} {:?}",
            learned.attempts
        );
        let plain = learn(&table, &LearnOptions::default(), &mut ()).unwrap();
        assert_eq!(learned.network.families, plain.network.families);
        assert_eq!(learned.network.score, plain.network.score);
    }
}

#[test]
fn the_same_for_any_number_of_threads() {
    let table = confounded(20, &[1, 4, 7, 10, 13], 300, 5);
    let (layers, _) = two_layers(2, 6, 100, 6);
    for (table, options) in [(&table, wanted(false)), (&layers, wanted(true))] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| learn(table, &options, &mut ()).unwrap().network)
        };
        let one = with(1);
        assert!(one.has_hidden());
        assert_eq!(one, with(3));
    }
}

/// Parameters of the structure that was found: no worse, whatever the order of names.
#[test]
fn a_given_structure_is_fitted() {
    let (table, _) = two_layers(2, 6, 150, 9);
    let learned = learn(&table, &wanted(true), &mut ()).unwrap().network;
    let mut edges = Vec::new();
    for (child, family) in learned.families.iter().enumerate() {
        for &p in &family.parents {
            edges.push((learned.name(p).to_string(), learned.name(child).to_string()));
        }
    }
    let names: Vec<String> = hidden(&learned)
        .iter()
        .map(|&v| learned.name(v).to_string())
        .collect();
    let options = LearnOptions::default();
    let kinds = Default::default();
    let fitted = fit_structure_with_hidden(&table, &edges, &kinds, &names, &options).unwrap();
    let score = |n: &Network| n.score.as_ref().unwrap().value;
    assert!((score(&fitted.network) - score(&learned)).abs() < 1e-3);
    assert_normal(&fitted, &table);
    let turned: Vec<String> = names.iter().rev().cloned().collect();
    let again = fit_structure_with_hidden(&table, &edges, &kinds, &turned, &options).unwrap();
    assert!((score(&fitted.network) - score(&again.network)).abs() < 1e-6);
    // A hidden variable may have parents.
    edges.push(("X0".to_string(), names[1].clone()));
    edges.retain(|(from, to)| !(from == &names[1] && to == "X0"));
    let more = fit_structure_with_hidden(&table, &edges, &kinds, &names, &options).unwrap();
    let place = more.network.index_of(&names[1]).unwrap();
    assert_eq!(more.network.families[place].parents, [0]);
    let wrong = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        let error = fit_structure_with_hidden(&table, &edges, &kinds, &names, &options);
        error.unwrap_err().to_string()
    };
    assert_eq!(
        wrong(&["H1"]),
        "the structure has a variable 'H2' that the data lack"
    );
    assert_eq!(
        wrong(&["H1", "H2", "X1"]),
        "'X1' is hidden, and yet a column of the data"
    );
    assert_eq!(
        wrong(&["H1", "H2", "H2"]),
        "'H2' is named twice among the hidden variables"
    );
    assert_eq!(
        wrong(&["H1", "H2", "Z"]),
        "'Z' is to be hidden, and the structure does not have it"
    );
}

/// Densities of all kinds, both posteriors, holes: the free energy never falls.
#[test]
fn free_energies_rise() {
    let (complete, _) = two_layers(2, 6, 80, 11);
    let holes = with_holes(&complete, 0.05, 12);
    let positive = |table: &Table| {
        let shift = |c: &Column| -> Column { c.iter().map(|x| (0.5 * x).exp()).collect() };
        Table::new(
            table.names().to_vec(),
            table.columns().iter().map(shift).collect(),
        )
        .unwrap()
    };
    for table in [&complete, &holes] {
        for posterior in [PosteriorKind::Exact, PosteriorKind::MeanField] {
            for cpd in [CpdKind::Linear, CpdKind::sigmoid(), CpdKind::Product] {
                let table = match cpd {
                    CpdKind::Product => positive(table),
                    _ => table.clone(),
                };
                let options = LearnOptions {
                    posterior,
                    cpds: vec![cpd],
                    search: SearchKind::Hill,
                    ..wanted(true)
                };
                let mut energies = Energies::default();
                let learned = learn(&table, &options, &mut energies).unwrap();
                if learned.network.has_hidden() {
                    energies.assert_rising();
                }
                let sampled = learned.network.sample(10, 1).unwrap();
                assert_eq!(sampled.names(), table.names());
            }
        }
    }
}

/// The paper's way: greedy search begins every hidden variable as a parent of all.
#[test]
fn greedy_and_the_papers_score() {
    let (table, _) = two_layers(2, 6, 150, 13);
    let greedy = LearnOptions {
        method: Method::Greedy,
        ..wanted(true)
    };
    let learned = learn(&table, &greedy, &mut ()).unwrap();
    assert!(learned.attempts[0].children.len() == 12);
    assert_eq!(hidden(&learned.network).len(), 2);
    // Ideal profiles through the inverse of the link.
    let distorted = LearnOptions {
        cpds: vec![CpdKind::sigmoid()],
        measure: Measure::C2,
        ..wanted(true)
    };
    assert!(
        learn(&table, &distorted, &mut ())
            .unwrap()
            .network
            .has_hidden()
    );
}

#[test]
fn no_more_than_asked_and_supported() {
    let (table, _) = two_layers(3, 6, 120, 15);
    let mut options = wanted(true);
    options.hidden.count = HiddenCount::AtMost(2);
    let learned = learn(&table, &options, &mut ()).unwrap();
    assert_eq!(hidden(&learned.network).len(), 2);
    options.hidden.count = HiddenCount::AtMost(9);
    let learned = learn(&table, &options, &mut ()).unwrap();
    assert!(
        learned
            .notes
            .contains(&"only 3 of 9 hidden variables raise the score".to_string())
    );
    let few = table.select_rows(&[0, 1, 2, 3]);
    let learned = learn(&few, &options, &mut ()).unwrap();
    let line = "no hidden variable: 4 instances of 18 variables are too few for one";
    assert!(
        learned.notes.contains(&line.to_string()),
        "{:?}",
        learned.notes
    );
    // Identical columns agree, and that says nothing.
    let same = Table::new(common::names(5), vec![table.column(0).to_vec(); 5]).unwrap();
    for two_layer in [true, false] {
        let learned = learn(&same, &wanted(two_layer), &mut ()).unwrap();
        assert!(!learned.network.has_hidden());
        let last = learned.notes.last().unwrap();
        assert!(last.starts_with("no hidden variable: "), "{last}");
    }
    // Names that are taken are passed over.
    let names = ["H1", "H3"].map(String::from).into_iter();
    let names = names.chain(common::names(18).into_iter().skip(2)).collect();
    let taken = Table::new(names, table.columns().to_vec()).unwrap();
    let learned = learn(&taken, &wanted(true), &mut ()).unwrap().network;
    let found: Vec<&str> = hidden(&learned).iter().map(|&v| learned.name(v)).collect();
    assert_eq!(found, ["H2", "H4", "H5"]);
}

/// Hardly anything observed: a network, with or without hidden variables.
#[test]
fn little_is_observed() {
    for seed in 0..6 {
        let (complete, _) = two_layers(2, 5, 60, 20 + seed);
        let table = with_holes(&complete, 0.8 + 0.03 * seed as f64, seed);
        for two_layer in [true, false] {
            let learned = learn(&table, &wanted(two_layer), &mut ()).unwrap();
            assert!(learned.network.score.unwrap().value.is_finite());
        }
    }
}

/// A hidden cause of hidden causes does not stay at the saddle where it explains nothing.
#[test]
fn causes_of_causes() {
    let (table, _) = two_layers(1, 12, 300, 30);
    let mut edges = Vec::new();
    for v in 0..12 {
        edges.push((format!("H{}", v / 4), format!("X{v}")));
    }
    let names = ["H0", "H1", "H2", "T"].map(String::from);
    edges.extend((0..3).map(|h| ("T".to_string(), format!("H{h}"))));
    let options = LearnOptions::default();
    let fitted = fit_structure_with_hidden(&table, &edges, &Default::default(), &names, &options);
    let network = fitted.unwrap().network;
    for h in 12..15 {
        let Cpd::Linear(cpd) = &network.families[h].cpd else {
            panic!("hidden variables depend linearly");
        };
        assert!(cpd.weights[0].abs() > 0.5, "{cpd:?}");
    }
}

#[test]
fn any_checkpoint_leads_to_the_same_network() {
    let (complete, _) = two_layers(2, 5, 60, 17);
    let holes = with_holes(&complete, 0.05, 18);
    for (table, cpd) in [
        (&complete, CpdKind::Linear),
        (&holes, CpdKind::Linear),
        (&complete, CpdKind::sigmoid()),
    ] {
        let options = LearnOptions {
            cpds: vec![cpd],
            search: SearchKind::Hill,
            ..wanted(true)
        };
        let mut keeper = Checkpoints::default();
        let whole = learn(table, &options, &mut keeper).unwrap();
        assert!(keeper.0.len() > 1);
        for checkpoint in keeper.0 {
            let read = Checkpoint::from_json(&checkpoint.to_json()).unwrap();
            let resumed = learn_from(table, &options, Some(&read), &mut ()).unwrap();
            assert_eq!(resumed.network, whole.network);
            assert_eq!(resumed.attempts, whole.attempts);
        }
    }
}
