//! Covariances of missing entries, summed over instances.

/// Sums over instances of the posterior covariances of entries of the same instance.
///
/// Few pairs of variables are missing together and depend on each other then; where many are, all
/// pairs are kept.
#[derive(Clone, Debug, Default)]
pub enum Covariances {
    /// Nothing is uncertain, or each entry independently of the others: only variances count.
    #[default]
    Independent,
    /// Of some pairs: for each variable the others, ascending, with the sums.
    Sparse(Vec<Vec<(usize, f64)>>),
    /// Of all pairs of so many variables, row by row.
    Dense(usize, Vec<f64>),
}

impl Covariances {
    /// The sum of two variables; 0 where pairs are independent.
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

    /// The sums of one variable with others, where they are not 0.
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

    /// One variable in other units.
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

    /// Those of some variables, in this order.
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

/// Sums in the making.
#[derive(Clone, Debug)]
pub struct CovarianceSums {
    variables: usize,
    /// Pairs in the order in which they came; empty once all pairs are kept.
    pairs: Vec<(u32, u32, f64)>,
    dense: Vec<f64>,
}

impl CovarianceSums {
    /// Nothing yet, for so many variables.
    pub fn new(variables: usize) -> Self {
        CovarianceSums {
            variables,
            pairs: Vec::new(),
            dense: Vec::new(),
        }
    }

    /// Adds the covariances of some variables, a matrix row by row, `count` times.
    pub fn add(&mut self, variables: &[usize], matrix: &[f64], count: f64) {
        let (n, k) = (self.variables, variables.len());
        // A pair takes twice the room of an entry among all pairs.
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

    /// The sums.
    pub fn finish(mut self) -> Covariances {
        if !self.dense.is_empty() {
            return Covariances::Dense(self.variables, self.dense);
        }
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.variables];
        // Stable: equal pairs are added up in the order in which they came.
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

    /// The same sums, however many pairs there are.
    #[test]
    fn sparse_and_dense_agree() {
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
