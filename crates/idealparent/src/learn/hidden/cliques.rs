//! Groups of densely connected variables, which a common hidden parent may explain with fewer
//! edges.
//!
//! A search without the hidden variable connects its children with each other. Nearly every pair
//! gets an edge, and their ideal profiles no longer agree. This module finds such groups and scores
//! them as if the edges inside them were removed. The structural signature is that of the paper's
//! reference [4]; the score is that of section 4.2.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rayon::prelude::*;

use super::HiddenFactor;
use super::leading::leading;
use super::propose::Proposal;
use crate::family::{Gram, GramFamily};
use crate::graph::{Constraints, Dag};
use crate::score::Prices;

/// Maximum size of a group, which is rarely reached.
const LARGEST: usize = 60;

/// Finds groups in a network, with all families approximated as linear.
pub(super) struct Cliques<'a> {
    pub(super) gram: &'a Gram,
    pub(super) dag: &'a Dag,
    pub(super) constraints: &'a Constraints,
    pub(super) prices: Prices,
    /// Whether a variable may become the child of a hidden one.
    pub(super) may_join: &'a [bool],
    pub(super) fewest: usize,
}

/// A group and its proposal; `None` if a hidden parent cannot replace the edges of the group.
struct Group {
    members: Vec<usize>,
    found: Option<Proposal>,
}

impl Group {
    /// Estimated rise of the score.
    fn estimate(&self) -> f64 {
        let found = self.found.as_ref();
        found.map_or(f64::NEG_INFINITY, |proposal| proposal.estimate)
    }
}

impl Cliques<'_> {
    /// Groups with a positive estimate, grown from each edge.
    pub(super) fn find(&self) -> Vec<Proposal> {
        let edges: Vec<(usize, usize)> = self.dag.edges().collect();
        let joins = |v: &usize| self.may_join[*v];
        let grow = |&(parent, child): &(usize, usize)| {
            let shared = self
                .neighbours(parent)
                .intersection(&self.neighbours(child))
                .count();
            // A hidden parent of two variables is equivalent to an edge, so look for triangles.
            (shared > 0 && joins(&parent) && joins(&child))
                .then(|| self.grown(self.judged(sorted(vec![parent, child]))))
        };
        let mut groups: Vec<Group> = edges.par_iter().filter_map(grow).collect();
        let mut seen = BTreeSet::new();
        groups.retain(|group| {
            group.estimate() > 0.0
                && group.members.len() >= self.fewest
                && seen.insert(group.members.clone())
        });
        groups.into_iter().filter_map(|group| group.found).collect()
    }

    /// Groups with many edges inside, sorted by the number of edges that a hidden parent would
    /// save, regardless of their estimate.
    pub(super) fn dense(&self) -> Vec<Vec<usize>> {
        let ties: Vec<BTreeSet<usize>> = (0..self.dag.len()).map(|v| self.neighbours(v)).collect();
        let inside = |members: &[usize]| -> usize {
            let of = |v: &usize| members.iter().filter(|u| ties[*v].contains(u)).count();
            members.iter().map(of).sum::<usize>() / 2
        };
        let mut groups: BTreeSet<(Reverse<isize>, Vec<usize>)> = BTreeSet::new();
        for (parent, child) in self.dag.edges() {
            if !(self.may_join[parent] && self.may_join[child]) {
                continue;
            }
            let mut members = sorted(vec![parent, child]);
            while members.len() < LARGEST {
                let around: BTreeSet<usize> = members
                    .iter()
                    .flat_map(|&v| ties[v].iter().copied())
                    .collect();
                let count = |v: usize| members.iter().filter(|u| ties[v].contains(u)).count();
                let open = around.into_iter().filter(|v| !members.contains(v));
                // The variable with most edges to the group; the first one if several are tied.
                let best = open.max_by_key(|&v| (count(v), Reverse(v)));
                let Some(best) = best.filter(|&v| count(v) >= 2.max(members.len().div_ceil(2)))
                else {
                    break;
                };
                members.push(best);
                members = sorted(members);
                if members.len() >= self.fewest {
                    let saved = inside(&members) as isize - members.len() as isize;
                    groups.insert((Reverse(saved), members.clone()));
                }
            }
        }
        groups.into_iter().map(|(_, members)| members).collect()
    }

    fn neighbours(&self, v: usize) -> BTreeSet<usize> {
        let all = self.dag.parents(v).iter().chain(self.dag.children(v));
        all.copied().filter(|&u| self.may_join[u]).collect()
    }

    /// Adds and removes members as long as the estimate rises.
    fn grown(&self, mut group: Group) -> Group {
        loop {
            let mut best: Option<Group> = None;
            let mut take = |other: Group| {
                let known = best.as_ref().map_or(f64::NEG_INFINITY, Group::estimate);
                if other.estimate() > known {
                    best = Some(other);
                }
            };
            if group.members.len() < LARGEST {
                for v in self.adjacent(&group.members) {
                    let mut members = group.members.clone();
                    members.push(v);
                    take(self.judged(sorted(members)));
                }
            }
            if group.members.len() > self.fewest {
                for i in 0..group.members.len() {
                    let mut members = group.members.clone();
                    members.remove(i);
                    take(self.judged(members));
                }
            }
            match best {
                // A group below the minimum size grows even if its estimate falls.
                Some(best)
                    if best.estimate() > group.estimate() || group.members.len() < self.fewest =>
                {
                    group = best;
                }
                _ => return group,
            }
        }
    }

    /// Variables with edges to at least a third of the members.
    fn adjacent(&self, members: &[usize]) -> BTreeSet<usize> {
        let around = members.iter().flat_map(|&v| self.neighbours(v));
        let mut candidates: BTreeSet<usize> = around.collect();
        candidates.retain(|v| {
            let ties = self.neighbours(*v);
            let count = members.iter().filter(|u| ties.contains(u)).count();
            !members.contains(v) && 3 * count >= members.len()
        });
        candidates
    }

    /// The family of a child without its parents inside the group. If there are any, parents
    /// outside the group that are no longer worth their penalty are removed too. Required parents
    /// stay. `None` if the family cannot be fitted, or if a hidden parent would exceed the maximum
    /// number of parents.
    fn outside(&self, child: usize, members: &[usize]) -> Option<GramFamily> {
        let must_stay = |p: usize| self.constraints.is_required(p, child);
        let stays = |p: &&usize| members.binary_search(p).is_err() || must_stay(**p);
        let parents = self.dag.parents(child);
        let mut left: Vec<usize> = parents.iter().filter(stays).copied().collect();
        let mut family = GramFamily::new(self.gram, child, &left, |_| 0.0)?;
        while left.len() < parents.len() && !left.is_empty() {
            // Removing a parent raises the residual by its squared weight over its precision.
            let rise = |i: usize| family.weights[i].powi(2) / family.precision[i];
            let may_go = (0..left.len()).filter(|&i| !must_stay(left[i]));
            let Some(weakest) = may_go.min_by(|&i, &j| rise(i).total_cmp(&rise(j))) else {
                break;
            };
            let share = rise(weakest) / floored(family.residual);
            let price = self.prices.parents(left.len() - 1, left.len());
            if 0.5 * family.instances * share.ln_1p() > price {
                break;
            }
            left.remove(weakest);
            family = GramFamily::new(self.gram, child, &left, |_| 0.0)?;
        }
        (left.len() < self.constraints.max_parents()).then_some(family)
    }

    fn judged(&self, members: Vec<usize>) -> Group {
        let found = self.judge(&members);
        Group { members, found }
    }

    /// Proposes a hidden parent of a group that replaces the edges inside it. `None` if this is not
    /// possible.
    pub(super) fn judge(&self, members: &[usize]) -> Option<Proposal> {
        if members.len() < 2 {
            return None;
        }
        let price = self.prices.parents(0, 1);
        let mut families = Vec::with_capacity(members.len());
        let mut estimate = -price * members.len() as f64;
        for &child in members {
            let alone = self.outside(child, members)?;
            let parents = self.dag.parents(child);
            let left = alone.parents.len();
            // The extra cost of the edge because the child has other parents.
            estimate -= self.prices.parents(left, left + 1) - price;
            if left < parents.len() {
                let now = GramFamily::new(self.gram, child, parents, |_| 0.0)?;
                let lost =
                    0.5 * now.instances * (floored(alone.residual) / floored(now.residual)).ln();
                estimate += self.prices.parents(left, parents.len()) - lost;
            }
            families.push(alone);
        }
        let k = members.len();
        let mut block = vec![1.0; k * k];
        for i in 0..k {
            for j in 0..i {
                let (a, b) = (&families[i], &families[j]);
                let length = (floored(a.residual) * floored(b.residual)).sqrt();
                let share = (self.together(a, b) / length).clamp(-1.0, 1.0);
                (block[i * k + j], block[j * k + i]) = (share, share);
            }
        }
        let (eigenvalue, vector) = leading(vec![1.0; k], &block);
        let length = (eigenvalue - 1.0).max(0.0).sqrt();
        let start = vector.iter().map(|v| length * v).collect();
        let factor = HiddenFactor::of_block(members.to_vec(), &block, self.gram.instances(), start);
        estimate += factor.gain;
        let parents = families.into_iter().map(|family| family.parents);
        Some(Proposal {
            factor,
            estimate,
            parents: Some(parents.collect()),
        })
    }

    /// Covariance of the residuals of two families.
    fn together(&self, a: &GramFamily, b: &GramFamily) -> f64 {
        let mut sum = 0.0;
        for (u, x) in terms(a) {
            let row = self.gram.row(u);
            sum += x * terms(b).map(|(v, y)| y * row[v]).sum::<f64>();
        }
        sum
    }
}

/// The terms of a residual as a weighted sum of scaled variables.
fn terms(family: &GramFamily) -> impl Iterator<Item = (usize, f64)> + '_ {
    let parents = family.parents.iter().zip(&family.weights);
    std::iter::once((family.child, 1.0)).chain(parents.map(|(&p, &w)| (p, -w)))
}

/// The residual, raised to a minimum below which estimates would be mostly rounding errors.
fn floored(residual: f64) -> f64 {
    residual.max(1e-6)
}

fn sorted(mut members: Vec<usize>) -> Vec<usize> {
    members.sort_unstable();
    members
}
