//! EBIC's gamma chosen from the data, and prices calibrated for few instances.

use crate::common::checkpoints::Checkpoints;
use crate::common::holes::with_holes;
use crate::common::nonlinear::sigmoids;
use crate::common::{linear_network, names, normal};
use idealparent::learn::{Checkpoint, HiddenCount, Learned, Observer};
use idealparent::search::{Step, Taken};
use idealparent::{
    Gamma, LearnOptions, MethodSpec, Network, SearchKind, StartEdges, Structure, Table, bootstrap,
    cross_validate, fit, learn,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn learned(table: &Table, options: &LearnOptions) -> Learned {
    learn(table, options, &mut ()).unwrap()
}

fn at(gamma: Gamma) -> LearnOptions {
    LearnOptions {
        gamma,
        ..LearnOptions::default()
    }
}

fn chosen(network: &Network) -> f64 {
    let score = network.score.as_ref().unwrap();
    score.gamma.expect("gamma was chosen from the data")
}

fn noise(n: usize, m: usize, seed: u64) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let column = |_| (0..m).map(|_| normal(&mut rng)).collect::<Vec<f64>>();
    Table::new(names(n), (0..n).map(column).collect()).unwrap()
}

/// The value that a network with this many edges implies without constraints.
fn implied(network: &Network) -> f64 {
    let n = network.len();
    Gamma::of_density(n, n * (n - 1) / 2, network.edge_count())
}

/// A few edges in ten draws, where EBIC with gamma = 1 finds hundreds in one.
#[test]
fn noise_in_few_instances_gives_hardly_any_edges() {
    for (n, m) in [(60, 8), (60, 12), (150, 6), (150, 30)] {
        let count = |options: &LearnOptions, draws| {
            let one = |seed| learned(&noise(n, m, seed), options).network.edge_count();
            (0..draws).map(one).sum::<usize>()
        };
        let edges = count(&LearnOptions::default(), 10);
        assert!(edges <= 3, "{n} columns, {m} rows: {edges} edges");
    }
    let plain = learned(&noise(150, 6, 0), &at(Gamma::Fixed(1.0)));
    assert!(plain.network.edge_count() > 80);
}

/// A search at the chosen value finds the network, and it is the value that the network implies.
#[test]
fn the_chosen_value_and_the_network_imply_each_other() {
    for (n, degree, seed) in [(12, 2.0, 1), (30, 2.0, 2), (30, 6.0, 3), (60, 1.0, 4)] {
        let (_, table) = linear_network(n, 300, degree, seed);
        let found = learned(&table, &LearnOptions::default());
        let gamma = chosen(&found.network);
        let distance = (gamma - implied(&found.network)).abs() * f64::ln(n as f64);
        assert!(distance < 0.1, "{n} {degree}: {distance} nats");
        let again = learned(&table, &at(Gamma::AutoAt(gamma)));
        let value = |network: &Network| network.score.as_ref().unwrap().value;
        let gain = value(&again.network) - value(&found.network);
        assert!(gain < 1.0, "{n} {degree}: {gain} nats");
    }
}

/// A search from a learned network begins with the value that it implies, and changes nothing.
#[test]
fn searches_from_a_learned_network_stay_there() {
    for (degree, seed) in [(1.0, 5), (6.0, 6)] {
        let (_, table) = linear_network(10, 300, degree, seed);
        let found = learned(&table, &LearnOptions::default());
        let mut options = LearnOptions::default();
        options.set("search", "hill").unwrap();
        let name = |v: usize| found.network.name(v).to_string();
        let edges = found
            .network
            .dag()
            .edges()
            .map(|(p, c)| (name(p), name(c)))
            .collect::<Vec<_>>();
        options.start = StartEdges::from(edges);
        let again = learned(&table, &options);
        assert_eq!(again.moves, 0);
        assert_eq!(again.network.score, found.network.score);
    }
}

#[test]
fn dense_networks_get_cheaper_edges_than_sparse_ones() {
    let gamma = |degree| {
        let (_, table) = linear_network(30, 500, degree, 5);
        chosen(&learned(&table, &LearnOptions::default()).network)
    };
    let (dense, sparse) = (gamma(8.0), gamma(0.5));
    assert!(dense < 0.5 && sparse > 0.9, "{dense} {sparse}");
    let empty = learned(&noise(30, 500, 1), &LearnOptions::default()).network;
    assert_eq!(empty.edge_count(), 0);
    assert_eq!(chosen(&empty), implied(&empty));
}

/// The recorded score is that of the table, and follows from the formula of every family.
#[test]
fn recorded_scores_are_calibrated() {
    let (_, table) = linear_network(15, 25, 1.5, 6);
    let network = learned(&table, &LearnOptions::default()).network;
    let score = network.score.as_ref().unwrap();
    let (m, gamma) = (25.0, chosen(&network));
    let mut price = 0.0;
    for family in &network.families {
        price += 2.0 * 0.5 * f64::ln(m);
        for k in 0..family.parents.len() {
            let each = 0.5 * f64::ln(m) + gamma * f64::ln(15.0);
            price += each * m / (m - k as f64 - 2.5);
        }
    }
    assert!((score.value - (score.log_likelihood - price)).abs() < 1e-9);
    let again = network.score_table(&table, &network.learned_by().unwrap());
    let again = again.unwrap();
    assert!((again.score - score.value).abs() < 1e-9);
    assert_eq!(again.gamma, Some(gamma));
    // A network read from a file has the same score, as does the structure fitted again.
    let file = network.to_json().unwrap();
    let read = Network::from_json(&file, "file").unwrap();
    assert_eq!(read.learned_by().unwrap().gamma, Gamma::AutoAt(gamma));
    let structure = Structure::from_json(&file, "file").unwrap();
    let fitted = fit(&table, &structure, &LearnOptions::default()).unwrap();
    assert_eq!(fitted.network.score, network.score);
}

/// A value given in the options is plain EBIC, and nothing is recorded as chosen.
#[test]
fn fixed_values_are_not_calibrated() {
    let (_, table) = linear_network(15, 25, 1.5, 6);
    let network = learned(&table, &at(Gamma::Fixed(1.0))).network;
    let score = network.score.as_ref().unwrap();
    let edges = network.edge_count() as f64;
    let price = 0.5 * f64::ln(25.0) * network.dimension() as f64 + edges * f64::ln(15.0);
    assert!((score.value - (score.log_likelihood - price)).abs() < 1e-9);
    assert_eq!(score.gamma, None);
}

/// Keeps the checkpoints, as text, and the number of restarts.
#[derive(Default)]
struct Recorder {
    kept: Checkpoints,
    restarts: usize,
}

impl Observer for Recorder {
    fn wants_checkpoint(&mut self, _: bool) -> bool {
        true
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.kept.checkpoint(checkpoint);
    }

    fn step(&mut self, step: &Step) {
        self.restarts += usize::from(step.taken == Taken::Restart);
    }
}

#[test]
fn resumed_runs_choose_the_same_value() {
    let (_, table) = linear_network(25, 60, 2.5, 7);
    let holes = with_holes(&linear_network(8, 60, 1.5, 8).1, 0.1, 9);
    for (table, search, cpd) in [
        (&table, SearchKind::Hill, "linear"),
        (&table, SearchKind::Order, "linear"),
        (&table, SearchKind::Hill, "linear,sigmoid"),
        (&holes, SearchKind::Hill, "linear"),
    ] {
        let mut options = LearnOptions {
            search,
            restarts: Some(1),
            ..LearnOptions::default()
        };
        options.set("cpd", cpd).unwrap();
        let mut recorder = Recorder::default();
        let whole = learn(table, &options, &mut recorder).unwrap();
        assert!(chosen(&whole.network) != 1.0);
        let kept = &recorder.kept.0;
        for at in (0..kept.len())
            .step_by(kept.len().div_ceil(9))
            .chain([kept.len() - 1])
        {
            let from = Checkpoint::from_json(&kept[at].to_json()).unwrap();
            let again = from.resume(table, &options, &mut ()).unwrap();
            assert_eq!(
                again.network, whole.network,
                "{search} {cpd}, checkpoint {at}"
            );
            assert_eq!(again.moves, whole.moves);
            assert_eq!(again.rounds, whole.rounds);
        }
    }
}

/// The searches with one density each begin with the network at the value of gamma before.
#[test]
fn resumed_mixtures_with_single_rounds_find_the_same_network() {
    let (_, linear) = linear_network(7, 90, 2.0, 4);
    let curved = sigmoids(7, 90, 4, false);
    let columns = linear.columns().iter().chain(curved.columns());
    let columns = columns.map(|column| column.to_vec()).collect();
    let table = Table::new(names(14), columns).unwrap();
    for search in [SearchKind::Hill, SearchKind::Order] {
        let mut options = LearnOptions {
            search,
            restarts: Some(0),
            ..LearnOptions::default()
        };
        options.set("cpd", "linear,sigmoid").unwrap();
        let mut recorder = Recorder::default();
        let whole = learn(&table, &options, &mut recorder).unwrap();
        for (at, from) in recorder.kept.0.iter().enumerate() {
            let from = Checkpoint::from_json(&from.to_json()).unwrap();
            let again = from.resume(&table, &options, &mut ()).unwrap();
            assert_eq!(again.network, whole.network, "{search}, checkpoint {at}");
            assert_eq!(again.moves, whole.moves, "{search}, checkpoint {at}");
        }
    }
}

/// Hill climbing at another price does not keep the proof of an exact search.
#[test]
fn no_network_is_called_optimal_unless_the_exact_search_finds_it() {
    let mut proven = 0;
    for seed in 0..60 {
        let (n, degree) = [(8, 2.0), (10, 3.0), (12, 4.0)][seed % 3];
        let (_, table) = linear_network(n, 40, degree, 100 + seed as u64);
        let found = learned(&table, &LearnOptions::default());
        if !found.optimal {
            continue;
        }
        proven += 1;
        let mut options = at(Gamma::AutoAt(chosen(&found.network)));
        options.search = SearchKind::Exact;
        let best = learned(&table, &options).network;
        assert_eq!(found.network.dag(), best.dag(), "{n} {seed}");
        assert_eq!(found.network.score, best.score, "{n} {seed}");
    }
    assert!(proven > 30, "{proven}");
}

/// Only EBIC has a gamma.
#[test]
fn replicates_and_folds_may_have_hidden_variables_with_any_score() {
    let (_, table) = linear_network(6, 60, 2.0, 10);
    for score in ["bic", "aic", "ebic"] {
        let mut options = LearnOptions {
            hidden: HiddenCount::AtMost(1),
            ..LearnOptions::default()
        };
        options.set("score", score).unwrap();
        let found = bootstrap(&table, &options, 2, &|| false, &|_| ()).unwrap();
        assert_eq!((found.replicates.len(), found.failed), (2, 0), "{score}");
        assert_eq!(found.gamma.is_some(), score == "ebic");
        let methods = MethodSpec::parse_all("ideal", &options).unwrap();
        let folds = cross_validate(&table, &methods, 2, 1, &mut ()).unwrap();
        assert_eq!(folds.len(), 2, "{score}");
    }
}

/// Restricted moves imply hill climbing, and replicates are not searched for longer than the
/// network itself.
#[test]
fn replicates_with_restricted_moves_climb_once() {
    let (_, table) = linear_network(16, 60, 4.0, 3);
    let edges = |search: &str| {
        let mut options = at(Gamma::Fixed(0.5));
        options.set("moves", "add,delete").unwrap();
        options.set("search", search).unwrap();
        bootstrap(&table, &options, 6, &|| false, &|_| ()).unwrap()
    };
    assert_eq!(edges("auto"), edges("hill"));
}

/// Steps are numbered through all searches, and each further search begins with a restart.
#[test]
fn searches_at_further_values_are_steps_of_one_run() {
    #[derive(Default)]
    struct Steps(Vec<Step>);
    impl Observer for Steps {
        fn step(&mut self, step: &Step) {
            self.0.push(*step);
        }
    }
    let (_, table) = linear_network(25, 60, 2.5, 7);
    let mut options = LearnOptions::default();
    options.set("search", "hill").unwrap();
    let mut steps = Steps::default();
    let found = learn(&table, &options, &mut steps).unwrap();
    let numbers: Vec<usize> = steps.0.iter().map(|step| step.number).collect();
    assert_eq!(numbers, (1..=steps.0.len()).collect::<Vec<_>>());
    assert_eq!(found.moves, steps.0.len());
    assert!(steps.0.iter().any(|step| step.taken == Taken::Restart));
    for pair in steps.0.windows(2) {
        let change = pair[1].score - pair[0].score;
        assert!((change - pair[1].gain).abs() < 1e-6, "{pair:?}");
    }
}

/// With hidden variables the value is 1: until they replace them, the edges among their children
/// make the network look dense.
#[test]
fn with_hidden_variables_the_value_is_one() {
    let (_, table) = linear_network(10, 100, 2.0, 10);
    let options = LearnOptions {
        hidden: HiddenCount::AtMost(1),
        ..LearnOptions::default()
    };
    assert_eq!(chosen(&learned(&table, &options).network), 1.0);
}

/// Repeated rows would make edges look frequent, so the value is chosen from the whole table.
#[test]
fn replicates_and_folds_use_the_value_of_the_whole_table() {
    let (_, table) = linear_network(12, 80, 2.0, 11);
    let options = LearnOptions::default();
    let gamma = chosen(&learned(&table, &options).network);
    let with = options.with_gamma_of(&table, &mut ()).unwrap().unwrap();
    assert_eq!(with.gamma, Gamma::AutoAt(gamma));
    let stop = || false;
    let sure = |options: &LearnOptions| bootstrap(&table, options, 5, &stop, &|_| ()).unwrap();
    assert_eq!(sure(&options), sure(&with));
    assert_eq!(sure(&options).gamma, Some(gamma));
    let folds = |options: &LearnOptions| {
        let methods = MethodSpec::parse_all("ideal greedy", options).unwrap();
        let found = cross_validate(&table, &methods, 3, 1, &mut ()).unwrap();
        found
            .iter()
            .map(|fold| (fold.edges, fold.test))
            .collect::<Vec<_>>()
    };
    assert_eq!(folds(&options), folds(&with));
}

/// Constraints decide which pairs may have an edge.
#[test]
fn pairs_that_cannot_be_joined_do_not_count() {
    let (_, table) = linear_network(10, 200, 1.0, 12);
    let mut options = LearnOptions::default();
    let tiers = |half: &[usize]| half.iter().map(|i| format!("X{i}")).collect::<Vec<_>>();
    let first = tiers(&[0, 1, 2, 3, 4]);
    let edges = first
        .iter()
        .flat_map(|a| first.iter().map(move |b| (a.clone(), b.clone())));
    options.forbid.edges = edges.filter(|(a, b)| a != b).collect();
    let network = learned(&table, &options).network;
    let open = 45 - 10;
    let expected = Gamma::of_density(10, open, network.edge_count());
    assert!((chosen(&network) - expected).abs() * f64::ln(10.0) < 0.1);
}
