//! Clusters of variables whose ideal parents agree, so that a common hidden parent would raise the
//! likelihood (section 4.2).

use std::collections::BinaryHeap;

use super::ProfileSimilarities;
use crate::kernel::dot;
use crate::learn::ClusterScore;

/// A cluster of variables that could have a common hidden parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The variables, in ascending order.
    pub members: Vec<usize>,
    /// Largest eigenvalue of the similarity matrix, the paper's gamma divided by M: between 1 and
    /// the number of members.
    pub eigenvalue: f64,
    /// The eigenvector of unit length. From `agglomerate`, its largest entry in absolute value is
    /// positive.
    pub vector: Vec<f64>,
    /// The log-likelihood gained by a hidden parent of the cluster.
    pub worth: f64,
}

impl Cluster {
    /// One cluster of all profiles.
    pub fn of_all(profiles: &ProfileSimilarities, score: &dyn ClusterScore) -> Self {
        let members: Vec<usize> = (0..profiles.count()).collect();
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
    /// variance, from the eigenvector.
    pub fn loadings(&self) -> Vec<f64> {
        let length = (self.eigenvalue - 1.0).max(0.0).sqrt();
        self.vector.iter().map(|v| length * v).collect()
    }
}

/// Settings of the agglomeration.
#[derive(Clone, Copy)]
pub struct Agglomeration<'a> {
    /// The score of a cluster.
    pub score: &'a dyn ClusterScore,
    /// Whether to compare unions by a lower bound of their eigenvalue instead of the exact value:
    /// the Rayleigh quotient at the best combination of the two clusters' eigenvectors. Useful for
    /// thousands of profiles.
    pub quick: bool,
}

impl Agglomeration<'_> {
    /// The score of a cluster, minus the score of as many unrelated profiles unless
    /// [`ClusterScore::takes_whole`].
    pub(super) fn evidence(&self, instances: f64, size: usize, eigenvalue: f64) -> f64 {
        let worth = self.score.worth(instances, eigenvalue);
        if self.score.takes_whole() {
            worth
        } else {
            worth - self.score.worth(instances, noise(instances, size))
        }
    }

    /// An upper bound of the gain from merging two clusters, exact for two single variables. `norm`
    /// is the squared Frobenius norm of the similarities between them.
    fn bound(&self, instances: f64, a: &GrowingCluster, b: &GrowingCluster, norm: f64) -> f64 {
        let size = a.members.len() + b.members.len();
        let half = 0.5 * (a.eigenvalue - b.eigenvalue);
        let by_norm = 0.5 * (a.eigenvalue + b.eigenvalue) + (half * half + norm).sqrt();
        let eigenvalue = by_norm.min(a.eigenvalue + b.eigenvalue);
        let evidence = self.evidence(instances, size, eigenvalue);
        evidence - a.evidence - b.evidence
    }

    /// A lower bound of the gain from merging two clusters: the gain at the best combination of
    /// their eigenvectors.
    fn between(&self, instances: f64, a: &GrowingCluster, b: &GrowingCluster) -> f64 {
        let size = a.members.len() + b.members.len();
        let along = dot(&a.centre, &b.centre);
        let half = 0.5 * (a.eigenvalue - b.eigenvalue);
        let eigenvalue = 0.5 * (a.eigenvalue + b.eigenvalue) + half.hypot(along);
        self.evidence(instances, size, eigenvalue) - a.evidence - b.evidence
    }

    /// A tighter but slower upper bound than [`Agglomeration::bound`]. It uses the exact similarity
    /// along the clusters' eigenvectors, and only bounds the contribution of the rest.
    fn tighter(&self, instances: f64, a: &GrowingCluster, b: &GrowingCluster, norm: f64) -> f64 {
        let along = dot(&a.centre, &b.centre);
        let rest = (norm - along * along).max(0.0).sqrt();
        let (middle, half) = (
            0.5 * (a.eigenvalue + b.eigenvalue),
            0.5 * (a.eigenvalue - b.eigenvalue),
        );
        let swing = half.hypot(along);
        let (top, other) = (middle + swing, middle - swing);
        // Bounds the largest eigenvalue of the space orthogonal to the best combination; `rest`
        // bounds the coupling between the two.
        let below = other.max(a.second()).max(b.second()) + rest;
        let eigenvalue = 0.5 * (top + below) + (0.5 * (top - below)).hypot(rest);
        let size = a.members.len() + b.members.len();
        let evidence = self.evidence(instances, size, eigenvalue.max(1.0) * (1.0 + 1e-9));
        evidence - a.evidence - b.evidence
    }
}

/// The expected largest eigenvalue of unrelated profiles, approximately.
fn noise(instances: f64, size: usize) -> f64 {
    (1.0 + ((size as f64 - 1.0) / instances).sqrt()).powi(2)
}

/// Merges profiles into clusters, always the two with the largest gain, until no merge raises the
/// score.
///
/// The penalty of a member does not depend on its cluster and cancels. Exact gains are computed
/// only for merges that may be the best. With the Frobenius norm F of the block of similarities
/// between two clusters, the eigenvalue of their union is at most that of `[[a, F], [F, b]]`.
pub fn agglomerate(profiles: &ProfileSimilarities, how: Agglomeration) -> Vec<Cluster> {
    let mut merging = Merging::new(profiles, how);
    merging.run();
    let clusters = merging.clusters.into_iter().flatten();
    let finished = |growing: GrowingCluster| growing.finished(profiles.instances(), how.score);
    clusters.map(finished).collect()
}

/// A cluster during the agglomeration.
#[derive(Clone, Debug)]
struct GrowingCluster {
    /// In the order in which they were merged.
    members: Vec<usize>,
    eigenvalue: f64,
    vector: Vec<f64>,
    evidence: f64,
    /// The sum of the members' profiles, weighted by the eigenvector.
    centre: Vec<f64>,
    /// Squared Frobenius norm of the members' similarities, rounded up; not used if `quick`.
    norm: f64,
    /// `Y Y'` of the members' profiles, if there are many members.
    products: Option<Vec<f64>>,
}

impl GrowingCluster {
    /// An upper bound of the second eigenvalue.
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

/// A cluster's best partner among the later clusters, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Offer {
    gain: f64,
    second: usize,
    known: Known,
}

/// How exactly the gain of an offer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The gain is the exact gain of this partner.
    Exactly,
    /// The gain is an upper bound for this partner, and for all others.
    Bound,
    /// The gain is an upper bound for all partners. The best partner may be another one.
    Vaguely,
}

/// An entry of the heap: the gain of a cluster's offer. It is outdated if the offer has a different
/// gain by now.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    gain: f64,
    first: usize,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Among equal gains, the first cluster has priority.
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
    /// A cluster is stored at the index of its first member.
    clusters: Vec<Option<GrowingCluster>>,
    /// Squared Frobenius norms of the similarities between clusters, rounded up; empty if `quick`.
    norms: Vec<f32>,
    /// For every cluster, the exact gains with some of the later clusters.
    exact: Vec<Vec<(usize, f64)>>,
    heap: BinaryHeap<Entry>,
    offers: Vec<Option<Offer>>,
}

impl<'a> Merging<'a> {
    fn new(profiles: &'a ProfileSimilarities, how: Agglomeration<'a>) -> Self {
        let n = profiles.count();
        let single = |v: usize| {
            Some(GrowingCluster {
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

    /// Updates the offer of a cluster: its best partner among the later clusters.
    fn offer(&mut self, first: usize) {
        let (n, how, instances) = (self.clusters.len(), self.how, self.profiles.instances());
        let bound =
            |a: &GrowingCluster, b: &GrowingCluster, norm: f64| how.bound(instances, a, b, norm);
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
                    // The tighter bound is slow, so compute it only if this may be the best.
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

    fn union(&self, first: usize, second: usize) -> GrowingCluster {
        let cluster = |at: usize| self.clusters[at].as_ref().expect("the cluster exists");
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
        GrowingCluster {
            evidence: self.how.evidence(instances, members.len(), eigenvalue),
            centre: self.profiles.centre(&members, &vector),
            norm: a.norm + b.norm + 2.0 * cross,
            members,
            eigenvalue,
            vector,
            products,
        }
    }

    fn gain(&self, union: &GrowingCluster, first: usize, second: usize) -> f64 {
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
        // The gains of earlier clusters with either of the two are outdated.
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

/// Converts to single precision without rounding below the value.
fn rounded_up(x: f64) -> f32 {
    (x * (1.0 + 1e-6)) as f32
}

#[cfg(test)]
mod tests;
