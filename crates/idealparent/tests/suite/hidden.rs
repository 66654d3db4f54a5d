//! Hidden variables: found, placed, learned and used (section 4.2).

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::checkpoints::Checkpoints;
use crate::common::hidden::{confounded, two_layers};
use crate::common::holes::{Energies, with_holes};
use crate::common::linear_network;
use idealparent::cpd::{Cpd, CpdKind};
use idealparent::data::Column;
use idealparent::ideal::Measure;
use idealparent::learn::{
    Checkpoint, HiddenAttempt, HiddenCount, HiddenOutcome, Observer, SearchTask, Strategy,
    TaskResult, learn_by,
};
use idealparent::search::SearchObserver;
use idealparent::{
    Error, Gamma, LearnOptions, Learned, Method, Network, PosteriorKind, Result, SearchKind,
    Structure, Table, fit, learn,
};
use serde_json::{Map, Value};

fn hidden_options(two_layer: bool) -> LearnOptions {
    LearnOptions {
        hidden: HiddenCount::Auto,
        two_layer,
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

/// Checks that hidden variables have noise variance 1 and, without parents, mean 0, and that the
/// recorded score is the score of the table.
fn assert_normalised(network: &Network, table: &Table) {
    for v in hidden(network) {
        let Cpd::Linear(cpd) = &network.families[v].cpd else {
            continue;
        };
        assert!((cpd.variance - 1.0).abs() < 1e-12, "{cpd:?}");
        if cpd.weights.is_empty() {
            assert!(cpd.intercept.abs() < 1e-12, "{cpd:?}");
        }
    }
    let options = LearnOptions::default().score_options();
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
        let learned = learn(&table, &hidden_options(true), &mut energies).unwrap();
        energies.assert_rising();
        assert_normalised(&learned.network, &table);
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

/// Without hidden variables, a search connects the children of a hidden cause with each other. With
/// the hidden variable, these edges disappear.
#[test]
fn a_hidden_cause_replaces_the_edges_between_its_children() {
    let affected = [1, 4, 7, 10, 13, 16];
    for seed in 0..3 {
        let table = confounded(20, &affected, 400, seed);
        // Scores can be compared at the same gamma only. With hidden variables it is 1.
        let usual = LearnOptions {
            gamma: Gamma::AutoAt(1.0),
            ..LearnOptions::default()
        };
        let without = learn(&table, &usual, &mut ()).unwrap();
        let mut energies = Energies::default();
        let learned = learn(&table, &hidden_options(false), &mut energies).unwrap();
        energies.assert_rising();
        assert_normalised(&learned.network, &table);
        let network = &learned.network;
        let found = hidden(network);
        assert_eq!(found.len(), 1, "seed {seed}");
        assert_eq!(children(network, found[0]), affected, "seed {seed}");
        let score = |l: &Learned| l.network.score.as_ref().unwrap().value;
        assert!(score(&learned) > score(&without) + 10.0);
        assert!(network.edge_count() < without.network.edge_count());
    }
}

#[test]
fn no_hidden_variable_is_found_without_a_hidden_cause() {
    for seed in 0..5 {
        let (_, table) = linear_network(20, 300, 2.0, seed);
        let learned = learn(&table, &hidden_options(false), &mut ()).unwrap();
        assert!(
            !learned.network.has_hidden(),
            "seed {seed} {:?}",
            learned.attempts
        );
        // With hidden variables, no exact search is chosen, and gamma is 1.
        let mut plain = LearnOptions::default();
        plain.search = SearchKind::Order;
        plain.gamma = Gamma::AutoAt(1.0);
        let plain = learn(&table, &plain, &mut ()).unwrap();
        assert_eq!(learned.network.families, plain.network.families);
        assert_eq!(learned.network.score, plain.network.score);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let table = confounded(20, &[1, 4, 7, 10, 13], 300, 5);
    let (layers, _) = two_layers(2, 6, 100, 6);
    for (table, options) in [
        (&table, hidden_options(false)),
        (&layers, hidden_options(true)),
    ] {
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

/// Fitting the learned structure again gives the same score, for any order of the hidden variables.
#[test]
fn structures_with_hidden_variables_are_fitted() {
    let (table, _) = two_layers(2, 6, 150, 9);
    let learned = learn(&table, &hidden_options(true), &mut ())
        .unwrap()
        .network;
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
    let fit_with = |edges: &[(String, String)], names: &[String]| {
        let structure = Structure::of_edges(edges.to_vec()).with_hidden(names.to_vec());
        fit(&table, &structure, &options)
    };
    let fitted = fit_with(&edges, &names).unwrap();
    let score = |n: &Network| n.score.as_ref().unwrap().value;
    assert!((score(&fitted.network) - score(&learned)).abs() < 1e-3);
    assert_normalised(&fitted.network, &table);
    let reversed: Vec<String> = names.iter().rev().cloned().collect();
    let again = fit_with(&edges, &reversed).unwrap();
    assert!((score(&fitted.network) - score(&again.network)).abs() < 1e-6);
    // A hidden variable may have parents.
    edges.push(("X0".to_string(), names[1].clone()));
    edges.retain(|(from, to)| !(from == &names[1] && to == "X0"));
    let more = fit_with(&edges, &names).unwrap();
    let place = more.network.index_of(&names[1]).unwrap();
    assert_eq!(more.network.families[place].parents, [0]);
    let wrong = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        fit_with(&edges, &names).unwrap_err().to_string()
    };
    assert_eq!(
        wrong(&["H1"]),
        "the structure has a variable 'H2' that is not in the data"
    );
    assert_eq!(
        wrong(&["H1", "H2", "X1"]),
        "'X1' is declared hidden, but is a column of the data"
    );
    assert_eq!(
        wrong(&["H1", "H2", "H2"]),
        "'H2' is named twice among the hidden variables"
    );
    assert_eq!(
        wrong(&["H1", "H2", "Z"]),
        "'Z' is declared hidden, but is not in the structure"
    );
}

/// The free energy never falls, with all kinds of densities, both posteriors and missing values.
#[test]
fn the_free_energy_never_falls() {
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
        for posterior in [None, Some(PosteriorKind::MeanField)] {
            for cpd in [CpdKind::Linear, CpdKind::sigmoid(), CpdKind::Product] {
                let table = match cpd {
                    CpdKind::Product => positive(table),
                    _ => table.clone(),
                };
                let options = LearnOptions {
                    missing: posterior,
                    cpd: vec![cpd],
                    search: SearchKind::Hill,
                    ..hidden_options(true)
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

/// As in the paper, greedy search starts a hidden variable as a parent of all variables.
#[test]
fn greedy_search_and_the_papers_measure_find_hidden_variables() {
    let (table, _) = two_layers(2, 6, 150, 13);
    let greedy = LearnOptions {
        method: Method::Greedy,
        ..hidden_options(true)
    };
    let learned = learn(&table, &greedy, &mut ()).unwrap();
    assert!(learned.attempts[0].children.len() == 12);
    assert_eq!(hidden(&learned.network).len(), 2);
    // C2 computes ideal profiles with the inverse of the link.
    let distorted = LearnOptions {
        cpd: vec![CpdKind::sigmoid()],
        measure: Measure::C2,
        ..hidden_options(true)
    };
    assert!(
        learn(&table, &distorted, &mut ())
            .unwrap()
            .network
            .has_hidden()
    );
}

#[test]
fn options_and_data_limit_the_number_of_hidden_variables() {
    let (table, _) = two_layers(3, 6, 120, 15);
    let mut options = hidden_options(true);
    options.hidden = HiddenCount::AtMost(2);
    let learned = learn(&table, &options, &mut ()).unwrap();
    assert_eq!(hidden(&learned.network).len(), 2);
    options.hidden = HiddenCount::AtMost(9);
    let learned = learn(&table, &options, &mut ()).unwrap();
    assert!(
        learned
            .notes
            .contains(&"only 3 of 9 hidden variables raise the score".into())
    );
    let few = table.select_rows(&[0, 1, 2, 3]);
    let learned = learn(&few, &options, &mut ()).unwrap();
    let line = "no hidden variable was added: 4 instances of 18 variables are too few for one";
    assert!(learned.notes.contains(&line.into()), "{:?}", learned.notes);
    // Identical columns are no evidence of a hidden variable.
    let same = Table::new(crate::common::names(5), vec![table.column(0).to_vec(); 5]).unwrap();
    for two_layer in [true, false] {
        let learned = learn(&same, &hidden_options(two_layer), &mut ()).unwrap();
        assert!(!learned.network.has_hidden());
        let last = learned.notes.last().unwrap();
        assert!(
            last.to_string()
                .starts_with("no hidden variable was added: "),
            "{last}"
        );
    }
    // Names of columns are not used for hidden variables.
    let names = ["H1", "H3"].map(String::from).into_iter();
    let names = names
        .chain(crate::common::names(18).into_iter().skip(2))
        .collect();
    let taken = Table::new(names, table.columns().to_vec()).unwrap();
    let learned = learn(&taken, &hidden_options(true), &mut ())
        .unwrap()
        .network;
    let found: Vec<&str> = hidden(&learned).iter().map(|&v| learned.name(v)).collect();
    assert_eq!(found, ["H2", "H4", "H5"]);
}

/// A network can be learned from few observed values, with or without hidden variables.
#[test]
fn mostly_missing_data_can_be_learned() {
    for seed in 0..6 {
        let (complete, _) = two_layers(2, 5, 60, 20 + seed);
        let table = with_holes(&complete, 0.8 + 0.03 * seed as f64, seed);
        for two_layer in [true, false] {
            let learned = learn(&table, &hidden_options(two_layer), &mut ()).unwrap();
            assert!(learned.network.score.unwrap().value.is_finite());
        }
    }
}

/// EM does not stay at the saddle point where a hidden parent of hidden variables explains nothing.
#[test]
fn hidden_parents_of_hidden_variables_get_weights() {
    let (table, _) = two_layers(1, 12, 300, 30);
    let mut edges = Vec::new();
    for v in 0..12 {
        edges.push((format!("H{}", v / 4), format!("X{v}")));
    }
    let names = ["H0", "H1", "H2", "T"].map(String::from);
    edges.extend((0..3).map(|h| ("T".to_string(), format!("H{h}"))));
    let options = LearnOptions::default();
    let fitted = fit(
        &table,
        &Structure::of_edges(edges).with_hidden(names),
        &options,
    );
    let network = fitted.unwrap().network;
    for h in 12..15 {
        let Cpd::Linear(cpd) = &network.families[h].cpd else {
            panic!("a hidden variable is not linear");
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
            cpd: vec![cpd],
            search: SearchKind::Hill,
            ..hidden_options(true)
        };
        let mut keeper = Checkpoints::default();
        let whole = learn(table, &options, &mut keeper).unwrap();
        assert!(keeper.0.len() > 1);
        for checkpoint in keeper.0 {
            let read = Checkpoint::from_json(&checkpoint.to_json()).unwrap();
            let resumed = read.resume(table, &options, &mut ()).unwrap();
            assert_eq!(resumed.network, whole.network);
            assert_eq!(resumed.attempts, whole.attempts);
        }
    }
}

/// A strategy that fails, while `on` is set, in searches over more variables than the table has.
struct Failing<'a> {
    observed: usize,
    on: &'a AtomicBool,
    error: fn(&SearchTask) -> Error,
}

impl Strategy for Failing<'_> {
    fn search(&self, task: &SearchTask, observer: &mut dyn SearchObserver) -> Result<TaskResult> {
        if task.names.len() > self.observed && self.on.load(Ordering::Relaxed) {
            return Err((self.error)(task));
        }
        task.search(observer)
    }

    fn record(&self) -> Map<String, Value> {
        [("failing".to_string(), true.into())].into_iter().collect()
    }
}

/// Records the attempts to add hidden variables, and sets `switch` when one is added.
struct AttemptRecorder<'a> {
    attempts: Vec<HiddenAttempt>,
    switch: &'a AtomicBool,
}

impl Observer for AttemptRecorder<'_> {
    fn hidden(&mut self, attempt: &HiddenAttempt) {
        if attempt.outcome == HiddenOutcome::Added {
            self.switch.store(true, Ordering::Relaxed);
        }
        self.attempts.push(attempt.clone());
    }
}

#[test]
fn an_error_of_a_strategy_ends_the_run() {
    let (layers, _) = two_layers(2, 6, 100, 6);
    let confounded = confounded(14, &[1, 4, 7, 10, 12], 200, 5);
    for (table, two_layer) in [(&layers, true), (&confounded, false)] {
        let strategy = Failing {
            observed: table.width(),
            on: &AtomicBool::new(true),
            error: |_| Error::data("no licence for this search"),
        };
        let failed = learn_by(&strategy, table, &hidden_options(two_layer), None, &mut ());
        assert_eq!(
            failed.unwrap_err().to_string(),
            "no licence for this search"
        );
    }
}

#[test]
fn a_trial_that_cannot_be_fitted_is_refused() {
    let (table, _) = two_layers(2, 6, 100, 6);
    let on = AtomicBool::new(true);
    let strategy = Failing {
        observed: table.width(),
        on: &on,
        error: |task| task.unfit(0),
    };
    let mut recorder = AttemptRecorder {
        attempts: Vec::new(),
        switch: &on,
    };
    let learned = learn_by(
        &strategy,
        &table,
        &hidden_options(true),
        None,
        &mut recorder,
    )
    .unwrap();
    assert!(!learned.network.has_hidden());
    let outcomes: Vec<HiddenOutcome> = recorder.attempts.iter().map(|a| a.outcome).collect();
    assert!(!outcomes.is_empty());
    for pair in outcomes.chunks(2) {
        assert_eq!(pair, [HiddenOutcome::Tried, HiddenOutcome::Refused]);
    }
    assert_eq!(learned.attempts.len(), outcomes.len() / 2);
    let line = "no hidden variable was added: those that were tried do not raise the score enough";
    assert_eq!(learned.notes, [line]);
}

/// A hidden variable that was added stays even if no later network can be fitted.
#[test]
fn later_networks_that_cannot_be_fitted_change_nothing() {
    let table = confounded(14, &[1, 4, 7, 10, 12], 200, 5);
    let on = AtomicBool::new(false);
    let strategy = Failing {
        observed: table.width(),
        on: &on,
        error: |task| task.unfit(0),
    };
    let mut recorder = AttemptRecorder {
        attempts: Vec::new(),
        switch: &on,
    };
    let learned = learn_by(
        &strategy,
        &table,
        &hidden_options(false),
        None,
        &mut recorder,
    )
    .unwrap();
    assert!(on.load(Ordering::Relaxed));
    assert_eq!(hidden(&learned.network).len(), 1);
    assert_normalised(&learned.network, &table);
}

/// Adding hidden variables can only be resumed with the network and its expectations. Without these
/// the run must not silently start again.
#[test]
fn a_checkpoint_of_growth_without_its_network_is_refused() {
    let (table, _) = two_layers(2, 5, 60, 17);
    let mut keeper = Checkpoints::default();
    learn(&table, &hidden_options(true), &mut keeper).unwrap();
    let text = keeper.0.last().unwrap().to_json();
    assert!(text.contains("\"hidden\":{"));
    let damaged = text.replacen("\"em\":{", "\"elsewhere\":{", 1);
    assert_ne!(damaged, text);
    let damaged = Checkpoint::with_checksum(damaged.lines().next().unwrap());
    let read = Checkpoint::from_json(&damaged).unwrap();
    let error = read.resume(&table, &hidden_options(true), &mut ());
    assert_eq!(
        error.unwrap_err().to_string(),
        "a damaged checkpoint: its contents are inconsistent"
    );
}

/// Stops the run when the `left`-th hidden variable is tried, and keeps the last checkpoint.
struct StopAfter {
    left: usize,
    last: Option<Checkpoint>,
}

impl Observer for StopAfter {
    fn hidden(&mut self, attempt: &HiddenAttempt) {
        if attempt.outcome == HiddenOutcome::Tried {
            self.left = self.left.saturating_sub(1);
        }
    }

    fn stop(&mut self) -> bool {
        self.left == 0
    }

    fn wants_checkpoint(&mut self, last: bool) -> bool {
        last
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.last = Some(checkpoint.clone());
    }
}

/// A run that is resumed between two attempts reports the same as an uninterrupted one.
#[test]
fn resumed_runs_with_hidden_variables_report_the_same() {
    let (layers, _) = two_layers(2, 5, 60, 17);
    let layers = with_holes(&layers, 0.05, 18);
    let complete = confounded(14, &[1, 4, 7, 10, 12], 200, 5);
    let holes = with_holes(&complete, 0.05, 18);
    for (table, two_layer, cpd) in [
        (&complete, false, CpdKind::Linear),
        (&holes, false, CpdKind::Linear),
        (&layers, true, CpdKind::sigmoid()),
    ] {
        let options = LearnOptions {
            cpd: vec![cpd],
            measure: Measure::C2,
            ..hidden_options(two_layer)
        };
        let figures = |learned: &Learned| {
            let mut figures = learned.figures(table);
            figures["seconds"] = 0.into();
            let reported = (learned.search, learned.clamped, learned.notes.clone());
            (figures, reported, learned.attempts.clone())
        };
        let mut keeper = Checkpoints::default();
        let whole = learn(table, &options, &mut keeper).unwrap();
        assert_ne!(whole.search, SearchKind::Auto);
        let is_growth = |checkpoint: &Checkpoint| checkpoint.to_json().contains("\"hidden\":{");
        let mut growth: Vec<Checkpoint> = keeper.0.into_iter().filter(is_growth).collect();
        assert!(!growth.is_empty() && whole.network.has_hidden());
        for left in 1..=whole.attempts.len() {
            let mut stop = StopAfter { left, last: None };
            learn(table, &options, &mut stop).unwrap();
            growth.extend(stop.last);
        }
        for checkpoint in growth {
            let read = Checkpoint::from_json(&checkpoint.to_json()).unwrap();
            let resumed = read.resume(table, &options, &mut ()).unwrap();
            assert_eq!(resumed.network, whole.network);
            assert_eq!(figures(&resumed), figures(&whole));
            // A checkpoint that lacks a field, as from an older version, is refused.
            let older = checkpoint
                .to_json()
                .replacen("\"iterations\":", "\"others\":", 1);
            let older = Checkpoint::with_checksum(older.lines().next().unwrap());
            let line = Checkpoint::from_json(&older).unwrap_err().to_string();
            let expected =
                "a damaged checkpoint (delete it to start again): missing field `iterations`";
            assert!(line.starts_with(expected) && !line.contains('\n'), "{line}");
        }
    }
}

/// Children of a hidden variable have the densities given for them, or else those of the options.
#[test]
fn given_densities_are_kept_with_a_hidden_parent() {
    let (table, _) = two_layers(1, 4, 100, 0);
    let columns: Vec<Vec<f64>> = (table.columns().iter())
        .map(|column| column.iter().map(|x| (0.5 * x).exp()).collect())
        .collect();
    let table = Table::new(table.names().to_vec(), columns).unwrap();
    let edges: Vec<(String, String)> = (table.names().iter())
        .map(|name| ("H".to_string(), name.clone()))
        .collect();
    let mut structure = Structure::of_edges(edges).with_hidden(["H".to_string()]);
    structure.kinds = [("X0".to_string(), CpdKind::Product)].into();
    let fitted = fit(&table, &structure, &LearnOptions::default()).unwrap();
    let families = &fitted.network.families;
    assert!(matches!(families[0].cpd, Cpd::Product(_)));
    for family in &families[1..] {
        assert!(matches!(family.cpd, Cpd::Linear(_)), "{:?}", family.cpd);
    }
}

/// The record of a strategy is written into the network, and a strategy cannot resume from the
/// checkpoint of another one.
#[test]
fn a_checkpoint_belongs_to_its_strategy() {
    let (_, table) = linear_network(8, 100, 2.0, 3);
    let options = LearnOptions::default();
    let mut keeper = Checkpoints::default();
    let standard = learn(&table, &options, &mut keeper).unwrap().network;
    let checkpoint = keeper.0.last().unwrap();
    let other = Failing {
        observed: table.width(),
        on: &AtomicBool::new(false),
        error: |task| task.unfit(0),
    };
    let mut again = learn_by(&other, &table, &options, None, &mut ())
        .unwrap()
        .network;
    let recorded = &mut again.provenance.as_mut().unwrap().options;
    assert_eq!(recorded.shift_remove("failing"), Some(true.into()));
    assert_eq!(again, standard);
    let refused = learn_by(&other, &table, &options, Some(checkpoint), &mut ());
    let line = refused.unwrap_err().to_string();
    assert!(
        line.starts_with("the checkpoint belongs to different data or options"),
        "{line}"
    );
    checkpoint.resume(&table, &options, &mut ()).unwrap();
}
