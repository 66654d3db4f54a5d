//! Random networks, the data folder and observers, for the integration tests.
#![allow(dead_code)]

pub mod checkpoints;
pub mod climbing;
pub mod dense;
pub mod hidden;
pub mod holes;
pub mod links;
pub mod nonlinear;

use std::path::PathBuf;

use idealparent::Table;
use idealparent::data::{NameList, ReadOptions, read_path};
use idealparent::graph::Dag;
use idealparent::learn::Observer;
use idealparent::search::{Move, Neighbourhood, Step, Taken};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A random sparse linear Gaussian network: its graph and data sampled from it.
pub fn linear_network(n: usize, m: usize, degree: f64, seed: u64) -> (Dag, Table) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    let mut dag = Dag::new(n);
    let mut columns = vec![Vec::new(); n];
    for (place, &v) in order.iter().enumerate() {
        let sd = 0.5 + 0.5 * rng.random::<f64>();
        let mut column: Vec<f64> = (0..m).map(|_| sd * normal(&mut rng)).collect();
        for &u in &order[..place] {
            if rng.random::<f64>() < 2.0 * degree / (n as f64 - 1.0) {
                dag.add_edge(u, v);
                let size = 0.5 + rng.random::<f64>();
                let weight = if rng.random() { size } else { -size };
                let parent: &Vec<f64> = &columns[u];
                for (x, u) in column.iter_mut().zip(parent) {
                    *x += weight * u;
                }
            }
        }
        columns[v] = column;
    }
    (dag, Table::new(names(n), columns).unwrap())
}

/// A standard normal draw.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// `X0`, `X1`, …
pub fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("X{i}")).collect()
}

/// The folder of real data. `None` if it does not exist, with a message on standard output.
///
/// With `CI=true`, a missing folder is a failure.
pub fn data_folder() -> Option<PathBuf> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("IDEALPARENT_DATA").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!ci, "the data folder {} is missing", folder.display());
    println!(
        "skipped: the data folder {} does not exist",
        folder.display()
    );
    None
}

/// Yeast stress expression of the genes listed in a file of the data folder.
pub fn yeast(list: &str) -> Option<Table> {
    let folder = data_folder()?.join("gasch2000_yeast_stress");
    let variables = NameList::read(&folder.join(list)).unwrap();
    let options = ReadOptions {
        transpose: true,
        variables: Some(variables),
        ..ReadOptions::default()
    };
    let outcome = read_path(&folder.join("gasch2000_complete.tsv.gz"), &options).unwrap();
    Some(outcome.table)
}

/// Records the single-edge moves of a search.
#[derive(Default)]
pub struct Moves(pub Vec<Move>);

impl Observer for Moves {
    fn step(&mut self, step: &Step) {
        if let Taken::Move(taken) = step.taken {
            self.0.push(taken);
        }
    }
}

/// Takes the best move until no move raises the score. Returns the moves.
pub fn hill_climb(neighbourhood: &mut Neighbourhood) -> Vec<Move> {
    assert!(neighbourhood.rank_all(|| false));
    let mut moves = Vec::new();
    while let Some((best, _)) = neighbourhood.best() {
        neighbourhood.take(&best);
        moves.push(best);
    }
    moves
}
