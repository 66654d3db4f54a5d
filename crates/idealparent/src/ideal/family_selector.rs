//! Ranking of candidates for families of any kinds of densities (sections 3 and 5).

use std::sync::Mutex;

use rayon::prelude::*;

use super::Measure;
use super::scan::{Scan, scan_candidates};
use super::selector::{Budget, Candidate, Query, Ranking, Selector, TIE, sort_with_ties};
use super::top::Top;
use crate::cpd::Job;
use crate::score::{FamilyScorer, Scorer, enough_instances, relative};

/// Ranks candidates by their similarity to the ideal parent, for any densities.
pub struct FamilySelector<'a> {
    scorer: &'a FamilyScorer<'a>,
    measure: Measure,
    budget: Budget,
    /// Sum and number of clamped shares.
    clamped: Mutex<(f64, usize)>,
}

/// A slot of a query and where its estimates are.
struct Slot<'q> {
    query: &'q Query<'q>,
    replaced: Option<usize>,
    /// Position of its first job; one per model follows.
    first: usize,
}

impl<'a> FamilySelector<'a> {
    /// A selector over the scorer's densities.
    pub fn new(scorer: &'a FamilyScorer<'a>, measure: Measure, budget: Budget) -> Self {
        FamilySelector {
            scorer,
            measure,
            budget,
            clamped: Mutex::new((0.0, 0)),
        }
    }

    /// Mean share of values outside the links' images over all profiles ranked so far (footnote 1).
    pub fn clamped(&self) -> Option<f64> {
        let (sum, count) = *self.clamped.lock().expect("no selector panics");
        (count > 0).then(|| sum / count as f64)
    }

    fn note_clamped(&self, scans: &[Vec<Scan>]) {
        if self.measure == Measure::Tangent {
            return;
        }
        let mut clamped = self.clamped.lock().expect("no selector panics");
        for scan in scans.iter().flatten() {
            clamped.0 += scan.clamped();
            clamped.1 += 1;
        }
    }

    fn ranking(&self, slot: &Slot, estimates: &[Vec<f64>]) -> Ranking {
        let Query { child, parents, .. } = *slot.query;
        let m = self.scorer.data().instances() as f64;
        let k_new = parents.len() + usize::from(slot.replaced.is_none());
        let mut ranking = Ranking {
            replaced: slot.replaced,
            base: f64::NEG_INFINITY,
            candidates: Vec::new(),
            complete: true,
        };
        let Some(current) = self.scorer.score(child, parents) else {
            return ranking;
        };
        let variance = self.scorer.data().gram().variance(child);
        let constant = -0.5 * m * (2.0 * std::f64::consts::PI * variance).ln() - current;
        if !enough_instances(m, k_new) {
            return ranking;
        }
        let models = self.scorer.models().len();
        let rest: Vec<usize> = parents
            .iter()
            .copied()
            .filter(|&p| Some(p) != slot.replaced)
            .collect();
        let price = |model: usize| self.scorer.price(model, k_new);
        for model in 0..models {
            if let Some(fit) = self.scorer.fit(model, child, &rest) {
                let base = constant + relative(m, fit.residual) - price(model);
                ranking.base = ranking.base.max(base);
            }
        }
        let of_slot = &estimates[slot.first..slot.first + models];
        let prices: Vec<f64> = (0..models).map(price).collect();
        let mut top = Top::new(slot.query.wanted, f64::NEG_INFINITY, TIE);
        for z in 0..self.scorer.width() {
            let gains = of_slot.iter().zip(&prices).map(|(e, price)| e[z] - price);
            let key = constant + gains.fold(f64::NEG_INFINITY, f64::max);
            // What could not be estimated comes last, and is a candidate all the same.
            let key = if key.is_finite() { key } else { f64::MIN };
            if key > top.threshold()
                && z != child
                && !slot.query.excluded.contains(z)
                && parents.binary_search(&z).is_err()
            {
                top.offer(key, z as u32);
            }
        }
        let (kept, complete) = top.finish();
        let candidate = |&(key, z): &(f64, u32)| Candidate {
            parent: z as usize,
            estimate: if key > f64::MIN {
                key
            } else {
                f64::NEG_INFINITY
            },
            gain: f64::NAN,
        };
        ranking.candidates = kept.iter().map(candidate).collect();
        sort_with_ties(&mut ranking.candidates, |c| c.estimate);
        ranking.complete = complete;
        ranking
    }
}

impl Selector for FamilySelector<'_> {
    fn rank(&self, query: &Query) -> Vec<Ranking> {
        let mut all = self.rank_many(std::slice::from_ref(query));
        all.pop().expect("one answer per query")
    }

    fn rank_many(&self, queries: &[Query]) -> Vec<Vec<Ranking>> {
        let models = self.scorer.models().len();
        let mut slots = Vec::new();
        for query in queries {
            for &replaced in query.slots {
                let first = slots.len() * models;
                slots.push(Slot {
                    query,
                    replaced,
                    first,
                });
            }
        }
        let jobs: Vec<(&Slot, usize)> = slots
            .iter()
            .flat_map(|slot| (0..models).map(move |model| (slot, model)))
            .collect();
        let scans: Vec<Vec<Scan>> = jobs
            .par_iter()
            .map(|&(slot, model)| {
                let job = Job {
                    child: slot.query.child,
                    parents: slot.query.parents,
                    replaced: slot.replaced,
                };
                let fits = |family: &[usize]| self.scorer.fit(model, job.child, family);
                let data = self.scorer.data();
                self.scorer.models()[model].scans(data, &job, self.measure, &fits)
            })
            .collect();
        self.note_clamped(&scans);
        let estimates = scan_candidates(self.scorer.data(), &scans);
        let rankings: Vec<Ranking> = slots
            .par_iter()
            .map(|slot| self.ranking(slot, &estimates))
            .collect();
        let mut rankings = rankings.into_iter();
        let of_query = |query: &Query| rankings.by_ref().take(query.slots.len()).collect();
        queries.iter().map(of_query).collect()
    }

    fn budget(&self) -> Budget {
        self.budget
    }

    fn grain(&self) -> usize {
        2
    }
}
