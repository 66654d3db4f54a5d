//! Sparse Candidate (Friedman, Nachman and Pe'er, 1999; section 7): hill climbing among a few candidates per child,
//! which are chosen again, given the network found, until nothing changes.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::super::checkpoint::{edges, graph};
use super::stage::SparseState;
use super::{Interrupted, Run, Stage};
use crate::graph::Dag;
use crate::ideal::Query;
use crate::search::moves::with_parent;
use crate::search::{Neighbourhood, Taken};

/// Candidates per child, besides the parents it has.
const SIZE: usize = 15;

impl Run<'_, '_> {
    /// Climbs among candidates chosen by the selector's measure, again and again; ends at the network found.
    pub(super) fn sparse(&mut self, state: SparseState) -> Result<(), Interrupted> {
        let n = self.moves.dag().len();
        let read = |edges| graph(n, edges).expect("checked when the checkpoint was read");
        let (mut base, mut memory) = (read(&state.base), state.memory);
        let mut current = read(&state.current);
        loop {
            let sets = self.candidate_sets(&base)?;
            let constraints = self.problem.constraints.keep_only(&sets);
            let problem = self.problem;
            let local = Neighbourhood::new(
                problem.scorer,
                problem.selector,
                &constraints,
                problem.moves,
                current,
            );
            let mut local = local.expect("a network that was found can be fitted");
            let observer = &mut *self.observer;
            let ready = match memory.take() {
                Some(memory) => local.recall(memory, || observer.stop()),
                None => local.rank_all(|| observer.stop()),
            };
            if self.last != local.score() {
                self.told_of(&local, Taken::Restart);
            }
            let climbed = match ready {
                true => self.climb_among(&mut local, &base),
                false => Err(Interrupted),
            };
            self.elsewhere += local.evaluations();
            climbed?;
            if *local.dag() == base {
                break;
            }
            base = local.dag().clone();
            current = base.clone();
        }
        self.go_to(&base)
    }

    fn climb_among(&mut self, local: &mut Neighbourhood, base: &Dag) -> Result<(), Interrupted> {
        loop {
            let (dag, memory) = (local.dag(), || local.memory());
            self.pause(|| {
                Stage::Sparse(SparseState {
                    base: edges(base),
                    current: edges(dag),
                    memory: Some(memory()),
                })
            })?;
            let Some((best, _)) = local.best() else {
                return Ok(());
            };
            let observer = &mut *self.observer;
            let done = local.take_until(&best, || observer.stop());
            self.told_of(local, Taken::Move(best));
            if !done {
                return Err(Interrupted);
            }
        }
    }

    /// Tells of a step made among few candidates.
    fn told_of(&mut self, local: &Neighbourhood, taken: Taken) {
        let mut evaluations = self.evaluations();
        evaluations += local.evaluations();
        let (score, edges) = (local.score(), local.dag().edge_count());
        self.told_at(taken, score, edges, evaluations);
    }

    /// Per child: its parents and the candidates that the selector ranks highest, given those.
    fn candidate_sets(&mut self, dag: &Dag) -> Result<Vec<FixedBitSet>, Interrupted> {
        let mut sets = Vec::with_capacity(dag.len());
        let all: Vec<usize> = (0..dag.len()).collect();
        for block in all.chunks(64) {
            if self.observer.stop() {
                return Err(Interrupted);
            }
            let excluded: Vec<FixedBitSet> = block
                .iter()
                .map(|&child| {
                    let mut excluded = self.problem.constraints.banned(child).clone();
                    excluded.grow(dag.len());
                    excluded.insert(child);
                    excluded
                })
                .collect();
            let query = |(&child, excluded)| Query {
                child,
                parents: dag.parents(child),
                slots: &[None],
                wanted: SIZE,
                excluded,
                least_gain: f64::NEG_INFINITY,
            };
            let queries: Vec<Query> = block.iter().zip(&excluded).map(query).collect();
            let rankings = self.problem.selector.rank_many(&queries);
            for (&child, rankings) in block.iter().zip(rankings) {
                let candidates = rankings.into_iter().flat_map(|r| r.candidates);
                let mut valued: Vec<(f64, usize)> =
                    candidates.map(|c| (c.estimate, c.parent)).collect();
                if valued.iter().any(|(estimate, _)| estimate.is_nan()) {
                    // Nothing was estimated: the scores themselves decide.
                    let scorer = self.problem.scorer;
                    let score = |entry: &mut (f64, usize)| {
                        let family = with_parent(dag.parents(child), entry.1);
                        let (score, fresh) = scorer.score_counted(child, &family);
                        entry.0 = score.unwrap_or(f64::NEG_INFINITY);
                        fresh
                    };
                    let fitted = valued.par_iter_mut().map(score).sum();
                    self.elsewhere.add_replace(fitted);
                    if self.observer.stop() {
                        return Err(Interrupted);
                    }
                    valued.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                }
                let mut set = FixedBitSet::with_capacity(dag.len());
                set.extend(dag.parents(child).iter().copied());
                set.extend(valued.iter().take(SIZE).map(|&(_, z)| z));
                sets.push(set);
            }
        }
        Ok(sets)
    }
}
