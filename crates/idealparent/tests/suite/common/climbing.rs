//! A slow reference implementation of hill climbing with a limited K, which ranks every candidate
//! and scores every move at every step.

use std::collections::BTreeSet;

use idealparent::graph::{Constraints, Dag};
use idealparent::ideal::{Measure, TIE};
use idealparent::score::{GramScorer, Scorer};
use idealparent::search::{Move, MoveKind, MoveSet, with_parent, without_parent};

/// Every legal move of a graph with its gain, computed from family scores alone.
pub fn all_moves(
    scorer: &dyn Scorer,
    dag: &Dag,
    allowed: MoveSet,
    limits: &Constraints,
) -> Vec<(Move, f64)> {
    let n = dag.len();
    let mut found = Vec::new();
    for child in 0..n {
        let parents = dag.parents(child);
        let current = scorer.score(child, parents).unwrap();
        let mut offer = |kind, parent, replaced, gain: Option<f64>| {
            let taken = Move {
                child,
                kind,
                parent,
                replaced,
            };
            if let Some(gain) = gain.filter(|_| allowed.allows(kind)) {
                let mut after = dag.clone();
                taken.apply(&mut after);
                if after.topological_order().is_some() {
                    found.push((taken, gain));
                }
            }
        };
        for z in (0..n).filter(|&z| limits.allows(z, child) && !dag.has_edge(z, child)) {
            if parents.len() < limits.max_parents() {
                let gain = scorer
                    .score(child, &with_parent(parents, z))
                    .map(|s| s - current);
                offer(MoveKind::Add, z, None, gain);
            }
            for &p in parents.iter().filter(|&&p| !limits.is_required(p, child)) {
                let family = with_parent(&without_parent(parents, p), z);
                let gain = scorer.score(child, &family).map(|s| s - current);
                offer(MoveKind::Replace, z, Some(p), gain);
            }
        }
        for &p in parents.iter().filter(|&&p| !limits.is_required(p, child)) {
            let lost = scorer.score(child, &without_parent(parents, p)).unwrap() - current;
            offer(MoveKind::Delete, p, None, Some(lost));
            if limits.allows(child, p) && dag.parents(p).len() < limits.max_parents() {
                let before = scorer.score(p, dag.parents(p)).unwrap();
                let won = scorer
                    .score(p, &with_parent(dag.parents(p), child))
                    .map(|s| s - before);
                offer(MoveKind::Reverse, p, None, won.map(|won| lost + won));
            }
        }
    }
    found
}

/// How to treat a candidate that would close a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The next candidate takes its place.
    Refill,
    /// Its place stays empty until the family changes. The K candidates are chosen among legal
    /// ones.
    QueueOfLegal,
    /// Its place stays empty until the family changes. The K candidates are chosen among all,
    /// whether or not they are legal.
    QueueOfAll,
}

/// The paper's search with a limited K. At every step it ranks all candidates of every slot again
/// and scores the first K legal ones. With a queue, it ranks only the slots of changed families;
/// the other slots keep their K candidates.
///
/// Returns the graph, the moves and the number of insertions scored.
pub fn naive_ideal(
    scorer: &GramScorer,
    measure: Measure,
    (k, reading): (usize, Reading),
    n: usize,
) -> ((Dag, Vec<Move>), u64) {
    let limits = Constraints::none(n);
    let mut dag = Dag::new(n);
    let mut taken: Vec<Move> = Vec::new();
    // Insertions scored since the family of their child last changed. Each is counted once.
    let mut scored: BTreeSet<Move> = BTreeSet::new();
    let mut counted = 0;
    let mut unchanged: BTreeSet<usize> = BTreeSet::new();
    loop {
        let exact = all_moves(scorer, &dag, MoveSet::all(), &limits);
        let mut open: BTreeSet<Move> = exact
            .iter()
            .map(|m| m.0)
            .filter(|m| matches!(m.kind, MoveKind::Delete | MoveKind::Reverse))
            .collect();
        for child in 0..n {
            if reading != Reading::Refill && !unchanged.insert(child) {
                open.extend(scored.iter().filter(|m| m.child == child));
                continue;
            }
            let family = scorer.family(child, dag.parents(child)).unwrap();
            let mut slots: Vec<Option<usize>> = vec![None];
            slots.extend(dag.parents(child).iter().map(|&p| Some(p)));
            for replaced in slots {
                let legal =
                    |m: &Move| reading == Reading::QueueOfAll || exact.iter().any(|e| e.0 == *m);
                let kind = match replaced {
                    None => MoveKind::Add,
                    Some(_) => MoveKind::Replace,
                };
                let mut ranked: Vec<(f64, Move)> = (0..n)
                    .filter(|z| *z != child && !dag.parents(child).contains(z))
                    .map(|parent| Move {
                        child,
                        kind,
                        parent,
                        replaced,
                    })
                    .filter(legal)
                    .map(|m| (estimate(scorer, &family, measure, &m), m))
                    .collect();
                ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
                // Estimates that are equal within the tolerance are sorted by index.
                let mut from = 0;
                while from < ranked.len() {
                    let least = ranked[from].0 - TIE;
                    let to = from + ranked[from..].iter().take_while(|r| r.0 >= least).count();
                    ranked[from..to].sort_by_key(|r| r.1);
                    from = to;
                }
                for &(_, insertion) in ranked.iter().take(k) {
                    counted += u64::from(scored.insert(insertion));
                    open.insert(insertion);
                }
            }
        }
        let choices = exact.iter().filter(|m| open.contains(&m.0));
        let best = choices
            .clone()
            .map(|m| m.1)
            .fold(f64::NEG_INFINITY, f64::max);
        if best <= TIE {
            return ((dag, taken), counted);
        }
        let chosen = choices
            .filter(|m| m.1 >= best - TIE)
            .map(|m| m.0)
            .min()
            .unwrap();
        chosen.apply(&mut dag);
        scored.retain(|m| !chosen.changed().any(|v| v == m.child));
        unchanged.retain(|child| !chosen.changed().any(|v| v == *child));
        taken.push(chosen);
    }
}

/// The measures of Propositions 3.2 and 3.3, computed from correlations by their definitions. The
/// tangent measure is the exact change.
fn estimate(
    scorer: &GramScorer,
    family: &idealparent::family::GramFamily,
    measure: Measure,
    m: &Move,
) -> f64 {
    let gram = scorer.gram();
    let rows = gram.instances();
    if measure == Measure::Tangent {
        let parents = &family.parents;
        let kept = m
            .replaced
            .map_or(parents.clone(), |p| without_parent(parents, p));
        let grown = scorer
            .family(m.child, &with_parent(&kept, m.parent))
            .unwrap();
        return -0.5 * rows * (grown.residual / family.residual).ln();
    }
    // Inner products of the ideal profile y with the candidate z, and with itself, for columns of
    // unit length.
    let mut yz = gram.correlation(m.child, m.parent);
    let mut yy = family.residual;
    for (&p, &w) in family.parents.iter().zip(&family.weights) {
        if Some(p) == m.replaced {
            yy += w * w;
        } else {
            yz -= w * gram.correlation(p, m.parent);
        }
    }
    match measure {
        Measure::C1 => 0.5 * rows * (yz * yz - (yy - family.residual)) / family.residual,
        _ => -0.5 * rows * ((1.0 - yz * yz / yy).ln() + (yy / family.residual).ln()),
    }
}
