//! Sparse Candidate (Friedman, Nachman and Pe'er, 1999; section 7): hill climbing among a few
//! candidates per child. The candidates are chosen again, given the network found, until nothing
//! changes.

use fixedbitset::FixedBitSet;
use idealparent::Result;
use idealparent::graph::Dag;
use idealparent::ideal::{Query, Selector, TIE};
use idealparent::learn::SearchTask;
use idealparent::score::{Evaluations, Scorer};
use idealparent::search::{
    Ending, Neighbourhood, SearchKind, SearchObserver, SearchResult, Step, Taken, with_parent,
};
use rayon::prelude::*;

/// Number of candidates per child, in addition to its current parents.
const SIZE: usize = 15;

/// Climbs from the task's start with all candidates, then again with few candidates, and returns
/// the better network.
pub fn sparse_candidate(
    task: &SearchTask,
    scorer: &dyn Scorer,
    selector: &dyn Selector,
    observer: &mut dyn SearchObserver,
) -> Result<SearchResult> {
    let constraints = task.constraints;
    let moves = task.options.moves;
    let start = task.start.clone();
    let whole = Neighbourhood::new(scorer, selector, constraints, moves, start.clone());
    let mut whole = whole.map_err(|child| task.unfit(child))?;
    let mut run = Run {
        task,
        scorer,
        selector,
        observer,
        steps: 0,
        last: whole.score(),
        elsewhere: Evaluations::default(),
        climbed: None,
    };
    run.observer
        .started(whole.score(), whole.dag().edge_count());
    let ending = match run.search(&mut whole, start) {
        Ok(best) => {
            return Ok(run.found(&whole, best, Ending::Maximum));
        }
        Err(Interrupted) => Ending::Stopped,
    };
    let best = run.better(&whole);
    Ok(run.found(&whole, best, ending))
}

/// The observer asked to stop.
struct Interrupted;

struct Run<'a, 'o> {
    task: &'a SearchTask<'a>,
    scorer: &'a dyn Scorer,
    selector: &'a dyn Selector,
    observer: &'o mut dyn SearchObserver,
    steps: usize,
    /// The score after the last step.
    last: f64,
    /// Families scored outside the neighbourhood with all candidates.
    elsewhere: Evaluations,
    /// The network at the end of the first climb, and its score.
    climbed: Option<(Dag, f64)>,
}

impl Run<'_, '_> {
    /// Returns the best network and its score.
    fn search(
        &mut self,
        whole: &mut Neighbourhood,
        start: Dag,
    ) -> std::result::Result<(Dag, f64), Interrupted> {
        let observer = &mut *self.observer;
        if !whole.rank_all(|| observer.stop()) {
            return Err(Interrupted);
        }
        self.climb(whole, Evaluations::default())?;
        self.climbed = Some((whole.dag().clone(), whole.score()));
        let found = self.among_few(whole, start)?;
        let observer = &mut *self.observer;
        let reached = whole.go_to(&found, || observer.stop());
        if !reached.expect("a network that was found can be fitted") {
            return Err(Interrupted);
        }
        self.climb(whole, Evaluations::default())?;
        Ok(self.better(whole))
    }

    /// The network of the first climb, or the current one if it is better.
    fn better(&self, whole: &Neighbourhood) -> (Dag, f64) {
        match &self.climbed {
            Some(climbed) if whole.score() <= climbed.1 + TIE => climbed.clone(),
            _ => (whole.dag().clone(), whole.score()),
        }
    }

    /// Repeatedly chooses candidates by the selector's measure and climbs among them.
    fn among_few(
        &mut self,
        whole: &Neighbourhood,
        start: Dag,
    ) -> std::result::Result<Dag, Interrupted> {
        let mut base = start;
        loop {
            let sets = self.candidate_sets(&base)?;
            let constraints = self.task.constraints.keep_only(&sets);
            let moves = self.task.options.moves;
            let local = Neighbourhood::new(
                self.scorer,
                self.selector,
                &constraints,
                moves,
                base.clone(),
            );
            let mut local = local.expect("a network that was found can be fitted");
            let observer = &mut *self.observer;
            let ready = local.rank_all(|| observer.stop());
            if self.last != local.score() {
                self.tell(&local, Taken::Restart, whole.evaluations());
            }
            if !ready {
                return Err(Interrupted);
            }
            let climbed = self.climb(&mut local, whole.evaluations());
            self.elsewhere += local.evaluations();
            climbed?;
            if *local.dag() == base {
                return Ok(base);
            }
            base = local.dag().clone();
        }
    }

    fn climb(
        &mut self,
        moves: &mut Neighbourhood,
        before: Evaluations,
    ) -> std::result::Result<(), Interrupted> {
        loop {
            if self.observer.stop() {
                return Err(Interrupted);
            }
            let Some((best, _)) = moves.best() else {
                return Ok(());
            };
            let observer = &mut *self.observer;
            let done = moves.take_until(&best, || observer.stop());
            self.tell(moves, Taken::Move(best), before);
            if !done {
                return Err(Interrupted);
            }
        }
    }

    /// Reports a step to the observer.
    fn tell(&mut self, moves: &Neighbourhood, taken: Taken, before: Evaluations) {
        let mut evaluations = before;
        evaluations += self.elsewhere;
        evaluations += moves.evaluations();
        self.tell_step(taken, moves.score(), moves.dag().edge_count(), evaluations);
    }

    fn tell_step(&mut self, taken: Taken, score: f64, edges: usize, evaluations: Evaluations) {
        self.steps += 1;
        let gain = score - self.last;
        self.last = score;
        self.observer.step(&Step {
            round: 1,
            number: self.steps,
            taken,
            gain,
            score,
            edges,
            evaluations,
        });
    }

    /// For each child, its parents and the candidates that the selector ranks highest given these.
    fn candidate_sets(&mut self, dag: &Dag) -> std::result::Result<Vec<FixedBitSet>, Interrupted> {
        let mut sets = Vec::with_capacity(dag.len());
        let all: Vec<usize> = (0..dag.len()).collect();
        for block in all.chunks(64) {
            if self.observer.stop() {
                return Err(Interrupted);
            }
            let excluded: Vec<FixedBitSet> = block
                .iter()
                .map(|&child| {
                    let mut excluded = self.task.constraints.banned(child).clone();
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
                closes_cycle: None,
                least_gain: f64::NEG_INFINITY,
            };
            let queries: Vec<Query> = block.iter().zip(&excluded).map(query).collect();
            let rankings = self.selector.rank_many(&queries);
            for (&child, rankings) in block.iter().zip(rankings) {
                let candidates = rankings.into_iter().flat_map(|r| r.candidates);
                let mut valued: Vec<(f64, usize)> =
                    candidates.map(|c| (c.estimate, c.parent)).collect();
                if valued.iter().any(|(estimate, _)| estimate.is_nan()) {
                    // The selector gives no estimates, so the candidates are scored.
                    self.score_all(dag, child, &mut valued);
                }
                let mut set = FixedBitSet::with_capacity(dag.len());
                set.extend(dag.parents(child).iter().copied());
                set.extend(valued.iter().take(SIZE).map(|&(_, z)| z));
                sets.push(set);
            }
        }
        Ok(sets)
    }

    /// Scores all candidates of a child and sorts them, best first.
    fn score_all(&mut self, dag: &Dag, child: usize, valued: &mut [(f64, usize)]) {
        let score = |entry: &mut (f64, usize)| {
            let family = with_parent(dag.parents(child), entry.1);
            let (score, fresh) = self.scorer.score_counted(child, &family);
            entry.0 = score.unwrap_or(f64::NEG_INFINITY);
            fresh
        };
        let fitted = valued.par_iter_mut().map(score).sum();
        self.elsewhere.add_replace(fitted);
        valued.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }

    fn found(mut self, whole: &Neighbourhood, best: (Dag, f64), ending: Ending) -> SearchResult {
        let mut evaluations = whole.evaluations();
        evaluations += self.elsewhere;
        let (dag, score) = best;
        if dag != *whole.dag() {
            self.tell_step(Taken::Return, score, dag.edge_count(), evaluations);
        }
        SearchResult {
            dag,
            search: SearchKind::Hill,
            rounds: 1,
            ending,
            moves: self.steps,
            evaluations,
            candidates: whole.candidates_used(),
        }
    }
}
