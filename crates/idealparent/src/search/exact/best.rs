//! The best score of the subsets of a set, while sets are visited in the order of binary numbers.

use super::subsets::ScoredSets;

/// A table is used for up to this many candidates: 2^29 scores take 4.3 GB.
const WIDEST: usize = 29;

/// A table is used if at least one in this many sets may be visited.
const SPARSEST: f64 = 64.0;

/// The best scores of the sets visited so far and of their subsets.
///
/// A set is given as a path: the positions of its candidates, descending. Sets are visited in the
/// order of binary numbers, so all subsets of a set come before it.
#[derive(Clone, Debug)]
pub(super) enum BestSubsets {
    /// The best score of every set and its subsets. A lookup takes as many steps as the set has
    /// elements.
    Table(Vec<f64>),
    /// The scores of the sets kept, in a tree for each lowest position. Used if there are many
    /// candidates, of which only a few can be in the same set.
    Trees {
        trees: Vec<ScoredSets>,
        /// Whether a position is in the set that is extended.
        is_member: Vec<bool>,
    },
}

/// The number of sets of at most `most` candidates.
fn sets(candidates: usize, most: usize) -> f64 {
    let (mut sum, mut sets) = (1.0, 1.0);
    for k in 0..candidates.min(most) {
        sets *= (candidates - k) as f64 / (k + 1) as f64;
        sum += sets;
    }
    sum
}

/// Number of entries of the table for sets of at most `most` candidates; 0 if there is none.
pub(super) fn table_size(candidates: usize, most: usize) -> usize {
    if candidates <= WIDEST && sets(candidates, most) * SPARSEST >= (1_usize << candidates) as f64 {
        1 << candidates
    } else {
        0
    }
}

/// The number whose bits are the positions.
fn number(path: &[usize]) -> usize {
    path.iter()
        .fold(0, |number, position| number | 1 << position)
}

impl BestSubsets {
    /// `smallest` is the score of the set without candidates.
    pub(super) fn new(candidates: usize, most: usize, smallest: f64) -> Self {
        match table_size(candidates, most) {
            0 => BestSubsets::Trees {
                trees: vec![ScoredSets::new(); candidates],
                is_member: vec![false; candidates],
            },
            size => {
                let mut table = vec![f64::NEG_INFINITY; size];
                table[0] = smallest;
                BestSubsets::Table(table)
            }
        }
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            BestSubsets::Table(table) => 8 * table.len(),
            BestSubsets::Trees { trees, .. } => trees.iter().map(ScoredSets::bytes).sum(),
        }
    }

    /// The best score of the proper subsets of the set `path`. `below` is the best of the set
    /// without its lowest position, and of its subsets. Scores of `enough` and more are not
    /// distinguished.
    pub(super) fn within(&self, path: &[usize], below: f64, enough: f64) -> f64 {
        let (lowest, others) = path.split_last().expect("a set that is not empty");
        match self {
            BestSubsets::Table(table) => {
                let whole = number(path);
                let without = others.iter().map(|position| table[whole ^ 1 << position]);
                without.fold(below, f64::max)
            }
            BestSubsets::Trees { trees, is_member } => {
                trees[*lowest].best_within(&|position| is_member[position], below, enough)
            }
        }
    }

    /// Keeps a set with its score.
    pub(super) fn keep(&mut self, path: &[usize], score: f64) {
        if let BestSubsets::Trees { trees, .. } = self {
            let (lowest, others) = path.split_last().expect("a set that is not empty");
            trees[*lowest].add(others.iter().copied(), score);
        }
    }

    /// The sets that extend `path` by lower positions are visited next. `best` is the best score of
    /// the set and its subsets.
    pub(super) fn open(&mut self, path: &[usize], best: f64) {
        match self {
            BestSubsets::Table(table) => table[number(path)] = best,
            BestSubsets::Trees { is_member, .. } => {
                is_member[*path.last().expect("a set that is not empty")] = true;
            }
        }
    }

    /// The sets that extend `path` have been visited.
    pub(super) fn close(&mut self, path: &[usize]) {
        if let (BestSubsets::Trees { is_member, .. }, Some(&lowest)) = (self, path.last()) {
            is_member[lowest] = false;
        }
    }

    /// The set `path` and those that extend it by lower positions are left out, or only the set
    /// itself was scored; `best` is the best score of the set and its subsets.
    pub(super) fn skip(&mut self, path: &[usize], best: f64) {
        let BestSubsets::Table(table) = self else {
            return;
        };
        let whole = number(path);
        let (lowest, others) = path.split_last().expect("a set that is not empty");
        let size = 1 << lowest;
        // All subsets have smaller numbers.
        let (before, after) = table.split_at_mut(whole);
        let skipped = &mut after[..size];
        skipped.copy_from_slice(&before[whole ^ size..][..size]);
        for position in others {
            let without = &before[whole ^ 1 << position..][..size];
            for (score, &other) in skipped.iter_mut().zip(without) {
                *score = if other > *score { other } else { *score };
            }
        }
        for score in skipped.iter_mut() {
            *score = if best > *score { best } else { *score };
        }
    }
}
