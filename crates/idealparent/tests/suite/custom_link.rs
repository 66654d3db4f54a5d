//! User-defined links: fitted, ranked, learned, written and read.

use std::sync::Arc;

use crate::common::links::{Identity, Softplus};
use crate::common::nonlinear::positive_network;
use idealparent::cpd::{CpdKind, Link};
use idealparent::family::{Gram, GramFamily, LinkProblem, Profiles};
use idealparent::ideal::Measure;
use idealparent::numerics::minimise;
use idealparent::score::{FamilyScorer, Prices};
use idealparent::{Candidates, LearnOptions, Method, Network, learn};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn options(link: Arc<dyn Link>) -> LearnOptions {
    LearnOptions {
        cpd: vec![CpdKind::Link(link)],
        ..LearnOptions::default()
    }
}

/// With the identity as its link, a family is linear, with or without a bias.
#[test]
fn identity_fits_are_linear() {
    for seed in 0..30 {
        let (_, table) = crate::common::linear_network(5, 40, 2.0, seed);
        let gram = Gram::new(table.columns());
        let profiles = Profiles::new(table.columns(), &gram);
        for bias in [false, true] {
            let model = CpdKind::Link(Arc::new(Identity)).model(bias, false);
            let scorer = FamilyScorer::new(&profiles, vec![model], Prices::default());
            for k in 1..5 {
                let parents: Vec<usize> = (0..k).collect();
                let linear = GramFamily::new(&gram, 4, &parents, |_| 0.0).unwrap();
                let fit = scorer.fit(0, 4, &parents).unwrap();
                let error = (fit.residual - linear.residual).abs();
                assert!(error < 1e-9, "{seed} {k} {bias}: {error}");
            }
        }
    }
}

#[test]
fn softplus_fits_reach_the_best_of_random_restarts() {
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let (rounds, mut good) = (100, 0);
    for round in 0..rounds {
        let (k, m) = (1 + round % 4, 120);
        let (_, table) = crate::common::linear_network(k + 1, m, 2.0, 500 + round as u64);
        let mut columns = table.columns().to_vec();
        let weights: Vec<f64> = (0..k).map(|_| crate::common::normal(&mut rng)).collect();
        let scale = if rng.random() { 2.0 } else { -2.0 };
        columns[k] = (0..m)
            .map(|t| {
                let eta: f64 = weights.iter().zip(&columns).map(|(w, u)| w * u[t]).sum();
                scale * Softplus.value(eta) + 0.4 * crate::common::normal(&mut rng)
            })
            .collect();
        let gram = Gram::new(&columns);
        let data = Profiles::new(&columns, &gram);
        let model = CpdKind::Link(Arc::new(Softplus)).model(false, false);
        let scorer = FamilyScorer::new(&data, vec![model], Prices::default());
        let parents: Vec<usize> = (0..k).collect();
        let ours = scorer.fit(0, k, &parents).unwrap().residual * m as f64;
        let inputs: Vec<&[f64]> = parents.iter().map(|&p| data.scaled(p)).collect();
        let mut best = ours;
        for _ in 0..10 {
            let mut start: Vec<f64> = (0..k).map(|_| crate::common::normal(&mut rng)).collect();
            let mut problem = LinkProblem::new(&Softplus, data.scaled(k), inputs.clone());
            best = best.min(minimise(&mut problem, &mut start, 1e-9).unwrap_or(best));
        }
        good += usize::from(0.5 * m as f64 * (ours / best).ln() < 0.1);
    }
    println!("softplus fits that reach the best of random restarts: {good} of {rounds}");
    assert!(good * 100 >= 98 * rounds);
}

#[test]
fn networks_with_custom_links_are_written_and_read_back() {
    let table = positive_network(8, 80, 4);
    for bias in [false, true] {
        for measure in [Measure::Tangent, Measure::C2, Measure::C1] {
            let options = LearnOptions {
                bias,
                measure,
                ..options(Arc::new(Softplus))
            };
            let network = learn(&table, &options, &mut ()).unwrap().network;
            assert!(network.edge_count() > 3);
            let text = network.to_json().unwrap();
            let back = Network::from_json_with(&text, "net.json", &[Arc::new(Softplus)]).unwrap();
            assert_eq!(back, network);
            let recorded = network.score.as_ref().unwrap().log_likelihood;
            assert!((back.log_likelihood(&table).unwrap() - recorded).abs() < 1e-6);
            let unknown = Network::from_json(&text, "net.json")
                .unwrap_err()
                .to_string();
            assert!(unknown.contains("unknown cpd type 'softplus'"), "{unknown}");
        }
    }
}

/// If every candidate is scored, the ideal parent method finds the network of greedy search.
#[test]
fn scoring_all_candidates_equals_greedy_search() {
    let table = positive_network(7, 60, 6);
    let ideal = LearnOptions {
        candidates: Candidates::All,
        ..options(Arc::new(Softplus))
    };
    let greedy = LearnOptions {
        method: Method::Greedy,
        ..ideal.clone()
    };
    let [ideal, greedy] = [ideal, greedy].map(|o| learn(&table, &o, &mut ()).unwrap());
    assert_eq!(ideal.network.families, greedy.network.families);
}

/// A softplus with another name, or with other bounds on its weights.
#[derive(Debug)]
struct Named(&'static str, f64);

impl Link for Named {
    fn word(&self) -> &str {
        self.0
    }

    fn value(&self, eta: f64) -> f64 {
        Softplus.value(eta)
    }

    fn slope(&self, eta: f64) -> f64 {
        Softplus.slope(eta)
    }

    fn inverse(&self, value: f64) -> f64 {
        Softplus.inverse(value)
    }

    fn image(&self) -> (f64, f64) {
        Softplus.image()
    }

    fn largest_spread(&self) -> f64 {
        self.1
    }
}

/// Files and options identify links by their names.
#[test]
fn names_of_links_must_be_unique() {
    for word in ["linear", "product", "sigmoid"] {
        let line = options(Arc::new(Named(word, 20.0))).check().unwrap_err();
        let expected = "a custom link must not be called linear, product or sigmoid";
        assert_eq!(line.to_string(), expected);
    }
    let mut twice = options(Arc::new(Softplus));
    twice.check().unwrap();
    let other = CpdKind::Link(Arc::new(Named("softplus", 20.0)));
    twice.cpd.push(other);
    let line = twice.check().unwrap_err().to_string();
    assert_eq!(line, "`cpd` names 'softplus' twice");
    twice.cpd[1] = CpdKind::sigmoid();
    twice.check().unwrap();
}

/// A link sets the bounds of its weights.
#[test]
fn links_bound_their_weights() {
    let table = positive_network(8, 80, 4);
    let gram = Gram::new(table.columns());
    let data = Profiles::new(table.columns(), &gram);
    for largest in [0.5, 20.0] {
        let model = CpdKind::Link(Arc::new(Named("bounded", largest))).model(false, false);
        let scorer = FamilyScorer::new(&data, vec![model], Prices::default());
        for child in 1..8 {
            let weights = &scorer.fit(0, child, &[child - 1]).unwrap().weights;
            assert!(weights[0].abs() <= largest * (1.0 + 1e-9), "{weights:?}");
        }
    }
}

/// An odd function, which wrongly claims to be complementary.
#[derive(Debug)]
struct Odd;

impl Link for Odd {
    fn word(&self) -> &str {
        "tanh"
    }

    fn value(&self, eta: f64) -> f64 {
        eta.tanh()
    }

    fn slope(&self, eta: f64) -> f64 {
        1.0 - eta.tanh().powi(2)
    }

    fn inverse(&self, value: f64) -> f64 {
        value.atanh()
    }

    fn image(&self) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn is_complementary(&self) -> bool {
        true
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the link 'tanh' claims that h(-eta) = 1 - h(eta)")]
fn a_wrong_claim_to_be_complementary_panics() {
    CpdKind::Link(Arc::new(Odd)).model(false, false);
}
