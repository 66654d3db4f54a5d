//! Compares essential graphs with the enumeration of equivalence classes.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

type Pair = (usize, usize);

fn skeleton(dag: &Dag) -> BTreeSet<Pair> {
    dag.edges().map(|(p, c)| (p.min(c), p.max(c))).collect()
}

/// Triples `a -> c <- b` with `a < b` not adjacent.
fn v_structures(dag: &Dag) -> BTreeSet<(usize, usize, usize)> {
    let mut found = BTreeSet::new();
    for c in 0..dag.len() {
        for &a in dag.parents(c) {
            for &b in dag.parents(c) {
                if a < b && !dag.has_edge(a, b) && !dag.has_edge(b, a) {
                    found.insert((a, b, c));
                }
            }
        }
    }
    found
}

/// Every graph of the class of `dag`, found by trying all directions of its skeleton.
pub(in crate::graph) fn equivalence_class(dag: &Dag) -> Vec<Dag> {
    let pairs: Vec<Pair> = skeleton(dag).into_iter().collect();
    let wanted = v_structures(dag);
    (0..1u32 << pairs.len())
        .filter_map(|mask| {
            let directed = pairs
                .iter()
                .enumerate()
                .map(|(bit, &(a, b))| if mask >> bit & 1 == 0 { (a, b) } else { (b, a) });
            Dag::from_edges(dag.len(), directed)
        })
        .filter(|other| v_structures(other) == wanted)
        .collect()
}

pub(in crate::graph) fn random_dag(rng: &mut ChaCha8Rng, n: usize, density: f64) -> Dag {
    let mut order: Vec<usize> = (0..n).collect();
    for at in (1..n).rev() {
        order.swap(at, rng.random_range(0..=at));
    }
    let mut dag = Dag::new(n);
    for later in 1..n {
        for earlier in 0..later {
            if rng.random_bool(density) {
                dag.add_edge(order[earlier], order[later]);
            }
        }
    }
    dag
}

#[test]
fn labels_agree_with_the_enumerated_class() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for case in 0..400 {
        let n = rng.random_range(1..=5);
        let dag = random_dag(&mut rng, n, [0.2, 0.5, 0.8][case % 3]);
        let class = equivalence_class(&dag);
        let cpdag = Cpdag::new(&dag);
        for (parent, child) in dag.edges() {
            let everywhere = class.iter().all(|other| other.has_edge(parent, child));
            assert_eq!(cpdag.is_compelled(parent, child), everywhere, "{dag:?}");
            assert_eq!(cpdag.is_reversible(parent, child), !everywhere);
            assert_eq!(cpdag.is_reversible(child, parent), !everywhere);
        }
        assert_eq!(
            cpdag.compelled_count() + cpdag.reversible_count(),
            dag.edge_count()
        );
        for other in &class {
            assert_eq!(Cpdag::new(other), cpdag, "equivalent graphs, one CPDAG");
        }
    }
}

#[test]
fn cpdags_are_equal_exactly_for_equivalent_graphs() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..400 {
        let (a, b) = (random_dag(&mut rng, 4, 0.5), random_dag(&mut rng, 4, 0.5));
        let equivalent = skeleton(&a) == skeleton(&b) && v_structures(&a) == v_structures(&b);
        assert_eq!(Cpdag::new(&a) == Cpdag::new(&b), equivalent);
    }
}

#[test]
fn a_collider_compels_its_edges_and_those_below() {
    // 0 -> 2 <- 1, 2 -> 3, and a separate pair.
    let dag = Dag::from_edges(6, [(0, 2), (1, 2), (2, 3), (4, 5)]).unwrap();
    let cpdag = Cpdag::new(&dag);
    assert_eq!(cpdag.adjacency(0, 2), Adjacency::Forward);
    assert_eq!(cpdag.adjacency(2, 1), Adjacency::Backward);
    assert_eq!(cpdag.adjacency(2, 3), Adjacency::Forward);
    assert_eq!(cpdag.adjacency(5, 4), Adjacency::Undirected);
    assert_eq!(cpdag.adjacency(0, 1), Adjacency::None);
    assert_eq!((cpdag.compelled_count(), cpdag.reversible_count()), (3, 1));
}

#[test]
fn reversing_covered_edges_of_a_large_graph_keeps_its_class() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let n = 4000;
    let mut dag = Dag::new(n);
    for child in 1..n {
        for _ in 0..rng.random_range(0..=20) {
            dag.add_edge(rng.random_range(0..child), child);
        }
    }
    // A complete subgraph has many reversible edges.
    for child in 1..100 {
        for parent in 0..child {
            dag.add_edge(parent, child);
        }
    }
    let cpdag = Cpdag::new(&dag);
    let is_covered = |&(parent, child): &(usize, usize)| {
        let others = dag.parents(child).iter().filter(|&&p| p != parent);
        others.eq(dag.parents(parent))
    };
    let covered: Vec<(usize, usize)> = dag.edges().filter(is_covered).collect();
    assert!(covered.len() > 90);
    for (parent, child) in covered.into_iter().step_by(10) {
        let turned = dag.edges().map(|edge| match edge {
            (p, c) if (p, c) == (parent, child) => (c, p),
            other => other,
        });
        let turned = Dag::from_edges(n, turned).unwrap();
        assert_eq!(Cpdag::new(&turned), cpdag);
    }
}

#[test]
fn an_empty_graph_has_no_edges() {
    let cpdag = Cpdag::new(&Dag::new(0));
    assert_eq!((cpdag.compelled_count(), cpdag.reversible_count()), (0, 0));
}
