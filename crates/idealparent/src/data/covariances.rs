//! Covariances of missing entries, summed over instances.

/// Sums over instances of the posterior covariances of entries of the same instance.
///
/// Usually only a few pairs of variables are missing together and correlated, so only these are
/// stored. If there are many, all pairs are stored.
#[derive(Clone, Debug, Default)]
pub enum Covariances {
    /// All covariances are 0: nothing is missing, or entries are independent of each other.
    #[default]
    Independent,
    /// Some pairs: for each variable the other variables, ascending, each with its sum.
    Sparse(Vec<Vec<(usize, f64)>>),
    /// All pairs: the number of variables, and the matrix of sums, row by row.
    Dense(usize, Vec<f64>),
}

impl Covariances {
    /// The sum for two variables; 0 if entries are independent.
    pub fn sum(&self, a: usize, b: usize) -> f64 {
        match self {
            Covariances::Independent => 0.0,
            Covariances::Dense(n, sums) => sums[a * n + b],
            Covariances::Sparse(rows) => {
                let at = rows[a].binary_search_by_key(&b, |&(other, _)| other);
                at.map_or(0.0, |at| rows[a][at].1)
            }
        }
    }

    /// The stored sums of one variable with all variables; in the dense form those that are not 0.
    pub fn of(&self, a: usize) -> Box<dyn Iterator<Item = (usize, f64)> + '_> {
        match self {
            Covariances::Independent => Box::new(std::iter::empty()),
            Covariances::Sparse(rows) => Box::new(rows[a].iter().copied()),
            Covariances::Dense(n, sums) => {
                let row = sums[a * n..(a + 1) * n].iter().copied().enumerate();
                Box::new(row.filter(|&(_, sum)| sum != 0.0))
            }
        }
    }

    /// Multiplies one variable by a factor.
    pub(crate) fn rescale(&mut self, variable: usize, by: f64) {
        match self {
            Covariances::Independent => {}
            Covariances::Sparse(rows) => {
                for (a, row) in rows.iter_mut().enumerate() {
                    for (b, sum) in row {
                        let times = usize::from(a == variable) + usize::from(*b == variable);
                        *sum *= by.powi(times as i32);
                    }
                }
            }
            Covariances::Dense(n, sums) => {
                for i in 0..*n {
                    sums[variable * *n + i] *= by;
                    sums[i * *n + variable] *= by;
                }
            }
        }
    }

    /// The sums of the given variables, in the given order.
    pub fn select(&self, variables: &[usize]) -> Covariances {
        if let Covariances::Independent = self {
            return Covariances::Independent;
        }
        let pairs = variables
            .iter()
            .flat_map(|&a| variables.iter().map(move |&b| self.sum(a, b)));
        Covariances::Dense(variables.len(), pairs.collect())
    }
}

/// Accumulates the sums of a [`Covariances`].
#[derive(Clone, Debug)]
pub struct CovarianceSums {
    variables: usize,
    /// Pairs in the order in which they were added; empty once the dense form is used.
    pairs: Vec<(u32, u32, f64)>,
    dense: Vec<f64>,
}

impl CovarianceSums {
    /// Empty sums for a number of variables.
    pub fn new(variables: usize) -> Self {
        CovarianceSums {
            variables,
            pairs: Vec::new(),
            dense: Vec::new(),
        }
    }

    /// Adds the covariances of the given variables, a matrix stored row by row, `count` times.
    pub fn add(&mut self, variables: &[usize], matrix: &[f64], count: f64) {
        let (n, k) = (self.variables, variables.len());
        // A stored pair takes twice the memory of an entry of the dense matrix.
        if self.dense.is_empty() && 2 * (self.pairs.len() + k * k) > n * n {
            self.dense = vec![0.0; n * n];
            for (a, b, sum) in std::mem::take(&mut self.pairs) {
                self.dense[a as usize * n + b as usize] += sum;
            }
        }
        for (i, &a) in variables.iter().enumerate() {
            for (j, &b) in variables.iter().enumerate() {
                let sum = count * matrix[i * k + j];
                if self.dense.is_empty() {
                    self.pairs.push((a as u32, b as u32, sum))
                } else {
                    self.dense[a * n + b] += sum
                }
            }
        }
    }

    /// Returns the sums.
    pub fn finish(mut self) -> Covariances {
        if !self.dense.is_empty() {
            return Covariances::Dense(self.variables, self.dense);
        }
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.variables];
        // A stable sort, so that equal pairs are summed in the order in which they were added.
        self.pairs.sort_by_key(|&(a, b, _)| (a, b));
        for (a, b, sum) in self.pairs {
            let row = &mut rows[a as usize];
            match row.last_mut() {
                Some((last, total)) if *last == b as usize => *total += sum,
                _ => row.push((b as usize, sum)),
            }
        }
        Covariances::Sparse(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_and_dense_forms_give_the_same_sums() {
        let (mut few, mut many) = (CovarianceSums::new(40), CovarianceSums::new(40));
        many.dense = vec![0.0; 1600];
        for (at, variables) in [[3, 7, 20], [7, 20, 39], [3, 20, 21]].iter().enumerate() {
            let matrix: Vec<f64> = (0..9).map(|i| (i * i + at) as f64 * 0.1).collect();
            few.add(variables, &matrix, 2.0);
            many.add(variables, &matrix, 2.0);
        }
        let (few, many) = (few.finish(), many.finish());
        assert!(matches!(few, Covariances::Sparse(_)) && matches!(many, Covariances::Dense(..)));
        for a in 0..40 {
            for b in 0..40 {
                assert_eq!(few.sum(a, b), many.sum(a, b));
            }
            assert!(few.of(a).filter(|&(_, sum)| sum != 0.0).eq(many.of(a)));
        }
        assert_eq!(few.select(&[20, 3]).sum(0, 1), few.sum(20, 3));
        let mut crowded = CovarianceSums::new(4);
        crowded.add(&[0, 1, 2], &[1.0; 9], 1.0);
        assert!(matches!(crowded.finish(), Covariances::Dense(..)));
    }
}
