//! Ranking of candidates for families with any kind of density (sections 3 and 5).

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::Measure;
use super::scan::{Scan, scan_candidates};
use super::selector::{Budget, Candidate, Query, Ranking, Selector, TIE, sort_with_ties};
use super::top::Top;
use crate::family::{Job, SCANNED};
use crate::score::{FamilyScorer, Likelihood, Scorer};

/// Ranks candidates by their similarity to the ideal parent, for any kind of density.
///
/// ```
/// use idealparent::extend::{Budget, FamilyScorer, FamilySelector, Gram, Prices, Profiles};
/// use idealparent::extend::{Query, Selector};
/// use idealparent::{CpdKind, Measure};
///
/// let wave = |rate: f64| (0..30).map(|t| (rate * f64::from(t)).sin()).collect::<Vec<f64>>();
/// let columns = [wave(1.0).into(), wave(2.0).into(), wave(1.01).into()];
/// let gram = Gram::new(&columns);
/// let profiles = Profiles::new(&columns, &gram);
/// let models = vec![CpdKind::sigmoid().model(false, false)];
/// let scorer = FamilyScorer::new(&profiles, models, Prices::default());
/// let selector = FamilySelector::new(&scorer, Measure::Tangent, Budget::Top(1));
/// let rankings = selector.rank(&Query {
///     child: 0,
///     parents: &[],
///     slots: &[None],
///     wanted: 1,
///     excluded: &Default::default(),
///     closes_cycle: None,
///     least_gain: 0.0,
/// });
/// assert_eq!(rankings[0].candidates[0].parent, 2);
/// ```
pub struct FamilySelector<'a> {
    scorer: &'a FamilyScorer<'a>,
    measure: Measure,
    budget: Budget,
    /// Number of profiles computed with an inverse link, and number of their values that had to be
    /// clamped. Counts rather than shares, so that the sums do not depend on the order of the
    /// threads.
    inverted: AtomicUsize,
    clamped: AtomicUsize,
}

/// Rough number of vectors of a scan besides those of the parents, including the additional scans
/// that some densities need.
const OTHER_VECTORS: usize = 16;

/// A slot of a query and the position of its estimates.
struct Slot<'q> {
    query: &'q Query<'q>,
    replaced: Option<usize>,
    /// Index of its first job; there is one job per model allowed for the child.
    first: usize,
}

impl<'a> FamilySelector<'a> {
    /// Creates a selector for the scorer's densities.
    pub fn new(scorer: &'a FamilyScorer<'a>, measure: Measure, budget: Budget) -> Self {
        FamilySelector {
            scorer,
            measure,
            budget,
            inverted: AtomicUsize::new(0),
            clamped: AtomicUsize::new(0),
        }
    }

    /// Mean share of values outside the links' images, over all profiles ranked so far (footnote
    /// 1); `None` if no profile needed an inverse link.
    pub fn clamped(&self) -> Option<f64> {
        let values = self.inverted.load(Ordering::Relaxed) * self.scorer.data().instances();
        let clamped = self.clamped.load(Ordering::Relaxed);
        (values > 0).then(|| clamped as f64 / values as f64)
    }

    fn job<'b>(&'b self, slot: &Slot<'b>) -> Job<'b> {
        Job {
            family: self.scorer.family(slot.query.child, slot.query.parents),
            replaced: slot.replaced,
        }
    }

    fn note_clamped(&self, scans: &[Vec<Scan>]) {
        for count in scans.iter().flatten().filter_map(Scan::clamped) {
            self.inverted.fetch_add(1, Ordering::Relaxed);
            self.clamped.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Approximate memory of a slot's estimates and of its scans, including the copies of their
    /// vectors.
    fn bytes(&self, query: &Query) -> usize {
        let data = self.scorer.data();
        let vectors = 2 * (query.parents.len() + OTHER_VECTORS) * data.instances() + data.width();
        8 * self.scorer.models().len() * vectors
    }

    fn rank_at_once(&self, wanted: &[(&Query, Option<usize>)]) -> Vec<Ranking> {
        let mut slots = Vec::with_capacity(wanted.len());
        let mut jobs = Vec::new();
        for &(query, replaced) in wanted {
            let first = jobs.len();
            slots.push(Slot {
                query,
                replaced,
                first,
            });
            let models = self.scorer.allowed(query.child);
            jobs.extend(models.iter().map(|&model| (slots.len() - 1, model)));
        }
        let scans: Vec<Vec<Scan>> = jobs
            .par_iter()
            .map(|&(slot, model)| {
                let job = self.job(&slots[slot]);
                let child = job.family.child;
                let fits = |family: &[usize]| self.scorer.fit(model, child, family);
                let model = &self.scorer.models()[model];
                Scan::all(model.as_ref(), &job, self.measure, &fits)
            })
            .collect();
        self.note_clamped(&scans);
        let estimates = scan_candidates(self.scorer.data(), &scans);
        slots
            .par_iter()
            .map(|slot| self.ranking(slot, &estimates))
            .collect()
    }

    fn ranking(&self, slot: &Slot, estimates: &[Vec<f64>]) -> Ranking {
        let Query { child, parents, .. } = *slot.query;
        let likelihood = Likelihood::of(self.scorer.data().gram(), child);
        let rest = self.job(slot).remaining();
        let data = self.scorer.data();
        let blocks = data.blocks(&rest);
        let mut ranking = Ranking {
            replaced: slot.replaced,
            base: f64::NEG_INFINITY,
            candidates: Vec::new(),
            complete: true,
        };
        let Some(current) = self.scorer.score(child, parents) else {
            return ranking;
        };
        let gram = data.gram();
        // Every candidate adds at least one column.
        if !gram.supports(child, blocks.columns() + 1) {
            return ranking;
        }
        let constant = likelihood.scale(gram.variance(child)) - current;
        let models = self.scorer.allowed(child);
        let of_slot = &estimates[slot.first..slot.first + models.len()];
        let price = |&model: &usize, columns| self.scorer.price(model, &blocks.with(columns));
        for model in models {
            if let Some(fit) = self.scorer.fit(*model, child, &rest) {
                let base = constant + likelihood.relative(fit.residual) - price(model, 1);
                ranking.base = ranking.base.max(base);
            }
        }
        let mut top = Top::new(slot.query.wanted, f64::NEG_INFINITY, TIE);
        let (mut priced_columns, mut prices) = (0, Vec::new());
        for z in 0..self.scorer.width() {
            let columns = gram.columns(z);
            if columns != priced_columns {
                prices = models.iter().map(|model| price(model, columns)).collect();
                priced_columns = columns;
            }
            let gains = of_slot.iter().zip(&prices).map(|(e, price)| e[z] - price);
            let key = constant + gains.fold(f64::NEG_INFINITY, f64::max);
            // Candidates without an estimate come last, but they remain candidates.
            let key = if key.is_finite() { key } else { f64::MIN };
            if key > top.threshold()
                && z != child
                && gram.supports(child, blocks.columns() + columns)
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
        let mut slots: Vec<(&Query, Option<usize>)> = Vec::new();
        for query in queries {
            slots.extend(query.slots.iter().map(|&replaced| (query, replaced)));
        }
        let mut rankings = Vec::with_capacity(slots.len());
        while rankings.len() < slots.len() {
            let rest = &slots[rankings.len()..];
            let mut bytes = 0;
            let fits = |(query, _): &&(&Query, Option<usize>)| {
                bytes += self.bytes(query);
                bytes <= SCANNED
            };
            let length = rest.iter().take_while(fits).count().max(1);
            rankings.extend(self.rank_at_once(&rest[..length]));
        }
        let mut rankings = rankings.into_iter();
        let of_query = |query: &Query| rankings.by_ref().take(query.slots.len()).collect();
        queries.iter().map(of_query).collect()
    }

    fn budget(&self) -> Budget {
        self.budget
    }

    fn work(&self, parents: usize) -> u64 {
        let data = self.scorer.data();
        let vectors = self.scorer.models().len() * (parents + OTHER_VECTORS);
        2 * (vectors * data.width() * data.instances()) as u64
    }

    fn grain(&self) -> usize {
        2
    }
}
