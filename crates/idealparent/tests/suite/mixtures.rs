//! Several densities: every family gets the one with the best score.

use crate::common::nonlinear::sigmoids;
use crate::common::{linear_network, names};
use idealparent::learn::{Checkpoint, Observer};
use idealparent::search::{Step, Taken};
use idealparent::{Gamma, LearnOptions, Learned, Table, learn};

fn options(cpd: &str, search: &str, gamma: Gamma) -> LearnOptions {
    let mut options = LearnOptions {
        gamma,
        ..LearnOptions::default()
    };
    options.set("cpd", cpd).unwrap();
    options.set("search", search).unwrap();
    options.restarts = Some(1);
    options
}

fn value(learned: &Learned) -> f64 {
    learned.network.score.as_ref().unwrap().value
}

/// Columns of both kinds, side by side.
fn mixed(seed: u64) -> Table {
    let (_, linear) = linear_network(8, 150, 2.0, seed);
    let curved = sigmoids(8, 150, seed, false);
    let columns = linear.columns().iter().chain(curved.columns());
    let columns = columns.map(|column| column.to_vec()).collect();
    Table::new(names(16), columns).unwrap()
}

/// Adding a density never lowers the score, at the same gamma.
#[test]
fn several_densities_score_at_least_as_much_as_each_alone() {
    for seed in 0..3 {
        for table in [linear_network(14, 150, 4.0, seed).1, mixed(seed)] {
            for search in ["hill", "order", "tabu"] {
                for gamma in [Gamma::Fixed(0.0), Gamma::AutoAt(0.7)] {
                    let score = |cpd| {
                        let options = options(cpd, search, gamma);
                        value(&learn(&table, &options, &mut ()).unwrap())
                    };
                    let both = score("linear,sigmoid");
                    for cpd in ["linear", "sigmoid"] {
                        let alone = score(cpd);
                        assert!(
                            both >= alone - 1e-9,
                            "{seed} {search} {cpd}: {both} {alone}"
                        );
                    }
                }
            }
        }
    }
}

/// Keeps all checkpoints, and counts the searches.
#[derive(Default)]
struct Recorder {
    kept: Vec<String>,
    restarts: usize,
}

impl Observer for Recorder {
    fn wants_checkpoint(&mut self, _: bool) -> bool {
        true
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.kept.push(checkpoint.to_json());
    }

    fn step(&mut self, step: &Step) {
        self.restarts += usize::from(step.taken == Taken::Restart);
    }
}

/// Runs that are resumed in the search with one density, or in the search with all of them, end at
/// the same network.
#[test]
fn resumed_searches_end_at_the_same_network() {
    let table = mixed(5);
    let options = options("linear,sigmoid", "hill", Gamma::Fixed(1.0));
    let mut recorder = Recorder::default();
    let whole = learn(&table, &options, &mut recorder).unwrap();
    assert!(recorder.restarts >= 2);
    for (at, text) in recorder.kept.iter().enumerate() {
        let from = Checkpoint::from_json(text).unwrap();
        let again = from.resume(&table, &options, &mut ()).unwrap();
        assert_eq!(again.network, whole.network, "checkpoint {at}");
        assert_eq!(again.moves, whole.moves);
        assert_eq!(again.rounds, whole.rounds);
    }
}

/// A run stopped in its first search returns a network that all densities fit.
#[test]
fn stopped_searches_return_a_network() {
    struct After(usize);
    impl Observer for After {
        fn step(&mut self, _: &Step) {
            self.0 = self.0.saturating_sub(1);
        }

        fn stop(&mut self) -> bool {
            self.0 == 0
        }
    }
    let table = mixed(6);
    let options = options("sigmoid,linear", "hill", Gamma::Fixed(1.0));
    for steps in [1, 5, 30] {
        let found = learn(&table, &options, &mut After(steps)).unwrap();
        assert!(found.network.edge_count() >= 1 && found.network.edge_count() <= steps);
    }
}
