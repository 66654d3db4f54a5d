//! Cross-validation folds.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result, option, option_value};

/// Training and test rows of one fold, both in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Training rows.
    pub train: Vec<usize>,
    /// Test rows.
    pub test: Vec<usize>,
}

/// Splits the rows at random into `count` folds whose test sets differ in size by at most one.
///
/// The same seed gives the same folds.
pub fn folds(rows: usize, count: usize, seed: u64) -> Result<Vec<Fold>> {
    if count < 2 {
        return Err(Error::options(format!(
            "{} must be at least 2",
            option("folds")
        )));
    }
    if count > rows {
        return Err(Error::options(format!(
            "{} is more than the {rows} rows of the data",
            option_value("folds", count)
        )));
    }
    let mut shuffled: Vec<usize> = (0..rows).collect();
    shuffled.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut fold_of = vec![0; rows];
    for (place, &row) in shuffled.iter().enumerate() {
        fold_of[row] = place % count;
    }
    let fold = |number: usize| {
        let (test, train) = (0..rows).partition(|&row| fold_of[row] == number);
        Fold { train, test }
    };
    Ok((0..count).map(fold).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_exactly_one_test_set() {
        let all = folds(23, 5, 1).unwrap();
        let mut tested: Vec<usize> = all.iter().flat_map(|f| f.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..23).collect::<Vec<_>>());
        for fold in &all {
            assert!(fold.test.len() == 4 || fold.test.len() == 5);
            assert_eq!(fold.train.len() + fold.test.len(), 23);
        }
        assert_eq!(all, folds(23, 5, 1).unwrap());
        assert_ne!(all, folds(23, 5, 2).unwrap());
        assert!(folds(3, 4, 1).is_err() && folds(3, 1, 1).is_err());
    }
}
