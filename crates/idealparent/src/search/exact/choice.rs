//! The families of the best network over variables that may lie on a common cycle.

use rayon::prelude::*;

use super::Unsolved;
use super::families::Families;
use super::lattice::{ParentSets, best_scores};

/// Variables that may lie on a common cycle, with their families.
pub(super) struct Component<'a> {
    members: &'a [usize],
    families: Vec<&'a Families>,
    /// By member and family: the parents within the component, as bits.
    bits: Vec<Vec<u32>>,
}

impl<'a> Component<'a> {
    pub(super) fn new(members: &'a [usize], families: &'a [Families]) -> Self {
        let families: Vec<&Families> = members.iter().map(|&v| &families[v]).collect();
        let bits = |of: &&Families| {
            let bits = |index: usize| {
                let parents = of.parents(index).iter();
                let places = parents.map(|&p| members.binary_search(&(p as usize)));
                places.flatten().fold(0, |bits, place| bits | 1 << place)
            };
            (0..of.len()).map(bits).collect()
        };
        Component {
            members,
            bits: families.par_iter().map(bits).collect(),
            families,
        }
    }

    /// Chooses the families of the component's best network: `chosen` gets their indices.
    ///
    /// Several orders and networks can have the best score up to rounding. From the last position
    /// of the order to the first, this chooses the variable with the largest possible index, and
    /// then its smallest family. A choice may lose up to `slack`; the loss is subtracted from it.
    pub(super) fn solve(
        &self,
        chosen: &mut [usize],
        slack: &mut f64,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<(), Unsolved> {
        let of = |j: usize| {
            let scores = (0..self.families[j].len()).map(|index| self.families[j].score(index));
            let sets = self.bits[j].iter().copied().zip(scores);
            // Without the parents outside the component, some sets may be redundant.
            let inside = |parents: &[u32], bits: u32| parents.len() == bits.count_ones() as usize;
            let mut all = self.bits[j].iter().enumerate();
            let are_needed =
                all.all(|(index, &bits)| inside(self.families[j].parents(index), bits));
            ParentSets::new(j, sets.collect(), are_needed)
        };
        let sets: Vec<ParentSets> = (0..self.members.len()).into_par_iter().map(of).collect();
        let best = best_scores(&sets, stop).ok_or(Unsolved::Interrupted)?;
        let mut left = best.len() - 1;
        while left > 0 {
            let sinks = (0..self.members.len()).rev();
            let sinks = sinks.filter(|&j| left >> j & 1 == 1);
            let loss = |j: usize| {
                let before = left ^ (1 << j);
                let family = self.best_within(j, before)?;
                Some((j, best[left] - best[before] - family))
            };
            let losses: Vec<(usize, f64)> = sinks.filter_map(loss).collect();
            let within = losses.iter().find(|&&(_, lost)| lost <= *slack);
            // If the slack is used up, even the best choice may seem to lose, because of rounding
            // errors.
            let least = || losses.iter().min_by(|a, b| a.1.total_cmp(&b.1));
            let &(sink, lost) = within.or_else(least).expect("every set has a sink");
            *slack = (*slack - lost.max(0.0)).max(0.0);
            left ^= 1 << sink;
            chosen[self.members[sink]] = self.choose(sink, left, slack);
        }
        Ok(())
    }

    /// The smallest family of a member, within a set, that loses at most `slack`.
    fn choose(&self, member: usize, set: usize, slack: &mut f64) -> usize {
        let families = self.families[member];
        let best = self.best_within(member, set).expect("a family of the sink");
        let within = self.within(member, set);
        let within = within.filter(|&index| families.score(index) >= best - *slack);
        let chosen = within.min_by_key(|&index| {
            let parents = families.parents(index);
            (parents.len(), parents)
        });
        let chosen = chosen.expect("the best family");
        *slack -= best - families.score(chosen);
        chosen
    }

    /// The indices of a member's families whose parents within the component are all in a set.
    fn within(&self, member: usize, set: usize) -> impl Iterator<Item = usize> + '_ {
        let bits = self.bits[member].iter().enumerate();
        let within = bits.filter(move |&(_, &bits)| bits as usize & !set == 0);
        within.map(|(index, _)| index)
    }

    /// The best score of a member's families within a set.
    fn best_within(&self, member: usize, set: usize) -> Option<f64> {
        let scores = self.within(member, set);
        let scores = scores.map(|index| self.families[member].score(index));
        scores.reduce(f64::max)
    }
}
