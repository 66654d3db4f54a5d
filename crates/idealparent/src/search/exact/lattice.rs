//! The best score of every set of variables as the first ones in an order: dynamic programming over
//! subsets.

use rayon::prelude::*;

use super::subsets::ScoredSets;

/// Number of variables whose subsets form a block.
const LOW: usize = 12;

/// Number of blocks between two checks whether to stop.
const CHUNK: usize = 64;

/// The parents of one variable within its component, as bits, with scores.
pub(super) struct ParentSets {
    variable: usize,
    /// Groups of sets that have the same bits above those of a block: these bits, and the range of
    /// the sets in `entries`.
    groups: Vec<(usize, std::ops::Range<usize>)>,
    /// The bits within a block, and the score.
    entries: Vec<(usize, f64)>,
}

impl ParentSets {
    /// Keeps the sets that score more than their subsets. With `are_needed`, all of them do.
    pub(super) fn new(variable: usize, mut sets: Vec<(u32, f64)>, are_needed: bool) -> Self {
        // The best of equal sets comes first.
        sets.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        sets.dedup_by_key(|set| set.0);
        if !are_needed {
            Self::drop_needless(&mut sets);
        }
        let mut groups: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
        for (i, &(mask, _)) in sets.iter().enumerate() {
            let high = mask as usize >> LOW;
            match groups.last_mut() {
                Some((known, range)) if *known == high => range.end = i + 1,
                _ => groups.push((high, i..i + 1)),
            }
        }
        let low = (1 << LOW) - 1;
        let entry = |&(mask, score): &(u32, f64)| (mask as usize & low, score);
        ParentSets {
            variable,
            groups,
            entries: sets.iter().map(entry).collect(),
        }
    }

    /// Drops the sets that score no more than one of their subsets.
    fn drop_needless(sets: &mut Vec<(u32, f64)>) {
        let mut kept = ScoredSets::new();
        sets.retain(|&(mask, score)| {
            let is_member = |bit: usize| mask >> bit & 1 == 1;
            let needed = kept.best_within(&is_member, f64::NEG_INFINITY, score) < score;
            if needed {
                kept.add((0..32).rev().filter(|bit| mask >> bit & 1 == 1), score);
            }
            needed
        });
    }

    /// The best scores within `high` and every set of the `low` lowest variables.
    fn fill(&self, high: usize, low: usize, table: &mut [f64]) {
        table.fill(f64::NEG_INFINITY);
        let mut at = 0;
        while let Some((bits, range)) = self.groups.get(at) {
            let missing = bits & !high;
            if missing == 0 {
                for &(set, score) in &self.entries[range.clone()] {
                    table[set] = larger(table[set], score);
                }
                at += 1;
            } else {
                // Skip all groups with the same bits down to the highest one that `high` lacks.
                let highest = missing.ilog2();
                let next = ((bits >> highest) + 1) << highest;
                at += self.groups[at..].partition_point(|group| group.0 < next);
            }
        }
        for bit in (0..low).filter(|&bit| bit != self.variable) {
            let half = 1 << bit;
            for pair in table.chunks_exact_mut(2 * half) {
                let (without, with) = pair.split_at_mut(half);
                for (with, &without) in with.iter_mut().zip(&*without) {
                    *with = larger(*with, without);
                }
            }
        }
    }
}

/// The larger of two numbers, neither of which is NaN. Unlike `f64::max` this is one instruction.
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Memory in bytes that [`best_scores`] needs for this many variables.
pub(super) fn bytes(variables: usize) -> u64 {
    8_u64
        .checked_shl(variables as u32)
        .filter(|_| variables < 60)
        .unwrap_or(u64::MAX)
}

/// For every set of variables, the best score of a network over them; a set is the number with its
/// bits. `None` if `stop` interrupted the work.
///
/// The last variable of a set in an order is a sink: its parents are any of the others. Sets are
/// divided into blocks by their bits above the lowest twelve. Within a block, the best families of
/// a variable come from one pass per bit, for all sets at once.
pub(super) fn best_scores(
    families: &[ParentSets],
    stop: &mut dyn FnMut() -> bool,
) -> Option<Vec<f64>> {
    let n = families.len();
    let low = n.min(LOW);
    let mut best = vec![f64::NEG_INFINITY; 1 << n];
    let mut blocks: Vec<usize> = (0..1 << (n - low)).collect();
    // A block needs those without one of its bits.
    blocks.sort_by_key(|block| block.count_ones());
    for layer in blocks.chunk_by(|a, b| a.count_ones() == b.count_ones()) {
        for chunk in layer.chunks(CHUNK) {
            if stop() {
                return None;
            }
            let solve = |&high: &usize| block(families, high, low, &best);
            let solved: Vec<Vec<f64>> = chunk.par_iter().map(solve).collect();
            for (&high, scores) in chunk.iter().zip(&solved) {
                best[high << low..][..scores.len()].copy_from_slice(scores);
            }
        }
    }
    Some(best)
}

/// The best scores of the sets with these high bits.
fn block(families: &[ParentSets], high: usize, low: usize, best: &[f64]) -> Vec<f64> {
    let size = 1 << low;
    let mut scores = vec![f64::NEG_INFINITY; size];
    if high == 0 {
        scores[0] = 0.0;
    }
    let mut table = vec![f64::NEG_INFINITY; size];
    for (j, family) in families.iter().enumerate().skip(low) {
        let bit = 1 << (j - low);
        if high & bit != 0 {
            family.fill(high, low, &mut table);
            let before = &best[(high ^ bit) << low..][..size];
            for ((score, own), before) in scores.iter_mut().zip(&table).zip(before) {
                *score = larger(*score, own + before);
            }
        }
    }
    let mut tables = vec![f64::NEG_INFINITY; low * size];
    for (family, table) in families.iter().zip(tables.chunks_exact_mut(size)) {
        family.fill(high, low, table);
    }
    for set in 1..size {
        let mut score = scores[set];
        let mut rest = set;
        while rest > 0 {
            let sink = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let before = set ^ (1 << sink);
            score = larger(score, scores[before] + tables[sink * size + before]);
        }
        scores[set] = score;
    }
    scores
}
