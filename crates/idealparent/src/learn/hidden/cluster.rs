//! Variables whose ideal parents agree (section 4.2): what a common hidden parent would be worth.

use std::collections::BinaryHeap;

use super::ProfileSimilarities;
use crate::kernel::dot;
use crate::learn::ClusterScore;

/// Variables that a hidden parent could have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Ascending.
    pub members: Vec<usize>,
    /// Largest eigenvalue of their similarities, the paper's gamma over M: between 1 and the number
    /// of members.
    pub eigenvalue: f64,
    /// Its vector, of unit length; the entry of largest size is positive.
    pub vector: Vec<f64>,
    /// What the cluster adds to the log-likelihood.
    pub worth: f64,
}

impl Cluster {
    /// All profiles together.
    pub fn of_all(profiles: &ProfileSimilarities, score: &dyn ClusterScore) -> Self {
        let members: Vec<usize> = (0..profiles.len()).collect();
        let (eigenvalue, vector) = match members.len() {
            0 => (1.0, Vec::new()),
            n => profiles.leading(&members, vec![1.0; n]),
        };
        Cluster {
            worth: score.worth(profiles.instances(), eigenvalue),
            members,
            eigenvalue,
            vector,
        }
    }

    /// Regression weights of the members' standardised profiles on a hidden parent of unit
    /// variance.
    pub fn loadings(&self) -> Vec<f64> {
        let length = (self.eigenvalue - 1.0).max(0.0).sqrt();
        self.vector.iter().map(|v| length * v).collect()
    }
}

/// How clusters are merged.
#[derive(Clone, Copy)]
pub struct Agglomeration<'a> {
    /// What they are worth.
    pub score: &'a dyn ClusterScore,
    /// Whether to compare unions by a lower bound of their eigenvalue, the best point between the
    /// vectors of the two clusters, instead of the exact value. For thousands of profiles.
    pub quick: bool,
}

impl Agglomeration<'_> {
    /// What counts in favour of a cluster of a size.
    pub(super) fn evidence(&self, instances: f64, size: usize, eigenvalue: f64) -> f64 {
        let worth = self.score.worth(instances, eigenvalue);
        if self.score.takes_whole() {
            worth
        } else {
            worth - self.score.worth(instances, noise(instances, size))
        }
    }

    /// An upper bound of what two clusters gain together, exact for two single variables. `norm` is
    /// the squared Frobenius norm of the similarities between them.
    fn bound(&self, instances: f64, a: &Growing, b: &Growing, norm: f64) -> f64 {
        let size = a.members.len() + b.members.len();
        let half = 0.5 * (a.eigenvalue - b.eigenvalue);
        let by_norm = 0.5 * (a.eigenvalue + b.eigenvalue) + (half * half + norm).sqrt();
        let eigenvalue = by_norm.min(a.eigenvalue + b.eigenvalue);
        let evidence = self.evidence(instances, size, eigenvalue);
        evidence - a.evidence - b.evidence
    }

    /// A lower bound of what two clusters gain together: their gain at the best point between their
    /// vectors.
    fn between(&self, instances: f64, a: &Growing, b: &Growing) -> f64 {
        let size = a.members.len() + b.members.len();
        let along = dot(&a.centre, &b.centre);
        let half = 0.5 * (a.eigenvalue - b.eigenvalue);
        let eigenvalue = 0.5 * (a.eigenvalue + b.eigenvalue) + half.hypot(along);
        self.evidence(instances, size, eigenvalue) - a.evidence - b.evidence
    }

    /// A tighter upper bound than [`Agglomeration::bound`], which takes longer: the similarity
    /// along the vectors of the two clusters is known, and only what the rest adds is bounded.
    fn tighter(&self, instances: f64, a: &Growing, b: &Growing, norm: f64) -> f64 {
        let along = dot(&a.centre, &b.centre);
        let rest = (norm - along * along).max(0.0).sqrt();
        let (middle, half) = (
            0.5 * (a.eigenvalue + b.eigenvalue),
            0.5 * (a.eigenvalue - b.eigenvalue),
        );
        let swing = half.hypot(along);
        let (top, other) = (middle + swing, middle - swing);
        // What is orthogonal to the best point between the vectors, and how far it can be tied to
        // that.
        let below = other.max(a.second()).max(b.second()) + rest;
        let eigenvalue = 0.5 * (top + below) + (0.5 * (top - below)).hypot(rest);
        let size = a.members.len() + b.members.len();
        let evidence = self.evidence(instances, size, eigenvalue.max(1.0) * (1.0 + 1e-9));
        evidence - a.evidence - b.evidence
    }
}

/// About the largest eigenvalue of unrelated profiles.
fn noise(instances: f64, size: usize) -> f64 {
    (1.0 + ((size as f64 - 1.0) / instances).sqrt()).powi(2)
}

/// Merges profiles into clusters, always the two that gain most, while any two gain.
///
/// The penalty of a member does not depend on its cluster and cancels. Only merges that may be the
/// best are looked at exactly: with the Frobenius norm F of the block of similarities between two
/// clusters, the eigenvalue of their union is at most that of `[[a, F], [F, b]]`.
pub fn agglomerate(profiles: &ProfileSimilarities, how: Agglomeration) -> Vec<Cluster> {
    let mut merging = Merging::new(profiles, how);
    merging.run();
    let clusters = merging.clusters.into_iter().flatten();
    let finished = |growing: Growing| growing.finished(profiles.instances(), how.score);
    clusters.map(finished).collect()
}

/// A cluster in the making.
#[derive(Clone, Debug)]
struct Growing {
    /// In the order in which they came.
    members: Vec<usize>,
    eigenvalue: f64,
    vector: Vec<f64>,
    evidence: f64,
    /// The sum of the members' profiles, weighted by the vector.
    centre: Vec<f64>,
    /// Squared Frobenius norm of their similarities.
    norm: f64,
    /// Products of the profiles, where there are many of them.
    products: Option<Vec<f64>>,
}

impl Growing {
    /// At most the second eigenvalue.
    fn second(&self) -> f64 {
        (self.norm - self.eigenvalue.powi(2)).max(0.0).sqrt()
    }

    fn finished(self, instances: f64, score: &dyn ClusterScore) -> Cluster {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|&i| self.members[i]);
        let mut vector: Vec<f64> = order.iter().map(|&i| self.vector[i]).collect();
        let largest = vector.iter().copied().fold(
            0.0,
            |most: f64, v| {
                if v.abs() > most.abs() { v } else { most }
            },
        );
        if largest < 0.0 {
            vector.iter_mut().for_each(|v| *v = -*v);
        }
        Cluster {
            members: order.iter().map(|&i| self.members[i]).collect(),
            eigenvalue: self.eigenvalue,
            vector,
            worth: score.worth(instances, self.eigenvalue),
        }
    }
}

/// A cluster's best partner among those after it, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Offer {
    gain: f64,
    second: usize,
    known: Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The gain is that of this partner.
    Exactly,
    /// It is an upper bound for this partner, and for all others.
    Bound,
    /// It is an upper bound for all, but others may be ahead of this partner.
    Vaguely,
}

/// In the heap: a gain and the cluster whose offer it is; out of date if that has another gain by
/// now.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    gain: f64,
    first: usize,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Of equal gains that of the first cluster.
        let by_gain = self.gain.total_cmp(&other.gain);
        by_gain.then(other.first.cmp(&self.first))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Merging<'a> {
    profiles: &'a ProfileSimilarities,
    how: Agglomeration<'a>,
    /// A cluster lives at the place of its first member.
    clusters: Vec<Option<Growing>>,
    /// Squared Frobenius norms between clusters, rounded up.
    norms: Vec<f32>,
    /// Exact gains with some of the clusters after it.
    exact: Vec<Vec<(usize, f64)>>,
    heap: BinaryHeap<Entry>,
    offers: Vec<Option<Offer>>,
}

impl<'a> Merging<'a> {
    fn new(profiles: &'a ProfileSimilarities, how: Agglomeration<'a>) -> Self {
        let n = profiles.len();
        let single = |v: usize| {
            Some(Growing {
                members: vec![v],
                eigenvalue: 1.0,
                vector: vec![1.0],
                evidence: how.evidence(profiles.instances(), 1, 1.0),
                centre: profiles.column(v).to_vec(),
                norm: 1.0,
                products: None,
            })
        };
        let mut norms = vec![0.0; if how.quick { 0 } else { n * n }];
        for i in 0..n * usize::from(!how.quick) {
            for (j, norm) in norms[i * n..(i + 1) * n].iter_mut().enumerate() {
                *norm = rounded_up(profiles.similarity(i, j).powi(2));
            }
        }
        Merging {
            profiles,
            how,
            clusters: (0..n).map(single).collect(),
            norms,
            exact: vec![Vec::new(); n],
            heap: BinaryHeap::new(),
            offers: vec![None; n],
        }
    }

    fn run(&mut self) {
        for i in 0..self.clusters.len() {
            self.offer(i);
        }
        while let Some(Entry { gain, first }) = self.heap.pop() {
            let Some(offer) = self.offers[first].filter(|offer| offer.gain == gain) else {
                continue;
            };
            if gain <= 0.0 {
                break;
            }
            let is_there = self.clusters[offer.second].is_some();
            match offer.known {
                Known::Exactly if is_there => self.merge(first, offer.second),
                Known::Bound if is_there => {
                    let union = self.union(first, offer.second);
                    let gain = self.gain(&union, first, offer.second);
                    self.exact[first].push((offer.second, gain));
                    self.offer(first);
                }
                _ => self.offer(first),
            }
        }
    }

    /// Finds the best that is known of a cluster and those after it.
    fn offer(&mut self, first: usize) {
        let (n, how, instances) = (self.clusters.len(), self.how, self.profiles.instances());
        let bound = |a: &Growing, b: &Growing, norm: f64| how.bound(instances, a, b, norm);
        let Some(own) = &self.clusters[first] else {
            return;
        };
        let mut best: Option<Offer> = None;
        let mut best_gain = f64::NEG_INFINITY;
        let mut take = |offer: Offer| {
            let is_better = |best: &Offer| {
                offer.gain > best.gain || (offer.gain == best.gain && offer.second < best.second)
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some(offer);
            }
        };
        let exact = &self.exact[first];
        for second in first + 1..n {
            let Some(other) = &self.clusters[second] else {
                continue;
            };
            let (gain, known) = match exact.iter().find(|&&(j, _)| j == second) {
                Some(&(_, gain)) => (gain, Known::Exactly),
                None if how.quick => (how.between(instances, own, other), Known::Exactly),
                None if own.members.len() + other.members.len() == 2 => {
                    let norm = self.profiles.similarity(first, second).powi(2);
                    (bound(own, other, norm), Known::Exactly)
                }
                None => {
                    let norm = f64::from(self.norms[first * n + second]);
                    let mut gain = bound(own, other, norm);
                    // Only where the first bound says that it may matter.
                    if best_gain < gain {
                        gain = gain.min(how.tighter(instances, own, other, norm));
                    }
                    (gain, Known::Bound)
                }
            };
            best_gain = best_gain.max(gain);
            take(Offer {
                gain,
                second,
                known,
            });
        }
        self.offers[first] = best;
        let entry = |offer: Offer| Entry {
            gain: offer.gain,
            first,
        };
        self.heap.extend(best.map(entry));
    }

    fn union(&self, first: usize, second: usize) -> Growing {
        let cluster = |at: usize| self.clusters[at].as_ref().expect("it is there");
        let (a, b) = (cluster(first), cluster(second));
        let members = [&a.members[..], &b.members[..]].concat();
        let start = self.profiles.together(
            (&a.members, &a.vector, a.eigenvalue),
            (&b.members, &b.vector, b.eigenvalue),
        );
        let products = self.profiles.products(
            &members,
            (&a.products, &a.members),
            (&b.products, &b.members),
        );
        let (eigenvalue, vector) = match &products {
            Some(products) => self.profiles.leading_by_products(&members, products, start),
            None => self.profiles.leading(&members, start),
        };
        let instances = self.profiles.instances();
        let norm = self.norms.get(first * self.clusters.len() + second);
        let cross = norm.copied().map_or(0.0, f64::from);
        Growing {
            evidence: self.how.evidence(instances, members.len(), eigenvalue),
            centre: self.profiles.centre(&members, &vector),
            norm: a.norm + b.norm + 2.0 * cross,
            members,
            eigenvalue,
            vector,
            products,
        }
    }

    fn gain(&self, union: &Growing, first: usize, second: usize) -> f64 {
        let evidence = |at: usize| self.clusters[at].as_ref().map_or(0.0, |c| c.evidence);
        union.evidence - evidence(first) - evidence(second)
    }

    fn merge(&mut self, first: usize, second: usize) {
        let (how, instances) = (self.how, self.profiles.instances());
        let union = self.union(first, second);
        self.clusters[first] = Some(union);
        self.clusters[second] = None;
        let n = self.clusters.len();
        for k in 0..n * usize::from(!how.quick) {
            let sum = rounded_up(
                f64::from(self.norms[first * n + k]) + f64::from(self.norms[second * n + k]),
            );
            self.norms[first * n + k] = sum;
            self.norms[k * n + first] = sum;
        }
        self.offers[second] = None;
        self.exact[second].clear();
        self.exact[first].clear();
        self.offer(first);
        let own = self.clusters[first].as_ref().expect("just merged");
        // What clusters before it know of either is out of date.
        for k in 0..second {
            let Some(other) = self.clusters[k].as_ref().filter(|_| k != first) else {
                continue;
            };
            self.exact[k].retain(|&(j, _)| j != first && j != second);
            let Some(offer) = &mut self.offers[k] else {
                continue;
            };
            if offer.second == second || offer.second == first {
                offer.known = Known::Vaguely;
            }
            if k > first {
                continue;
            }
            let (gain, known, is_better) = if how.quick {
                let gain = how.between(instances, other, own);
                (gain, Known::Exactly, gain >= offer.gain)
            } else {
                let norm = f64::from(self.norms[k * n + first]);
                let mut gain = how.bound(instances, other, own, norm);
                if gain > offer.gain {
                    gain = gain.min(how.tighter(instances, other, own, norm));
                }
                (gain, Known::Bound, gain > offer.gain)
            };
            if is_better {
                *offer = Offer {
                    gain,
                    second: first,
                    known,
                };
                self.heap.push(Entry { gain, first: k });
            }
        }
    }
}

/// As a number of half the size, not below it.
fn rounded_up(x: f64) -> f32 {
    (x * (1.0 + 1e-6)) as f32
}

#[cfg(test)]
mod tests;
