//! Standardised profiles of ideal parents, and how similar they are.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

use super::leading::leading;

/// The matrix Y of section 4.2, a column `y_i / (s_i sqrt M)` for every variable, and `A = Y'Y`.
///
/// A column may be shorter than 1, where part of a profile is uncertain: the diagonal of A is 1 all the same.
#[derive(Clone, Debug)]
pub struct Profiles {
    /// Column by column.
    columns: Vec<f64>,
    rows: usize,
    instances: f64,
    /// Row by row.
    similarities: Vec<f64>,
    count: usize,
}

impl Profiles {
    /// Profiles in units of their deviations, so that squares add up to at most `instances`.
    pub fn new(profiles: &[Vec<f64>], instances: f64) -> Self {
        let count = profiles.len();
        let rows = profiles.first().map_or(0, Vec::len);
        let scale = 1.0 / instances.sqrt();
        let columns: Vec<f64> = profiles.iter().flatten().map(|y| y * scale).collect();
        let y = faer::MatRef::from_column_major_slice(&columns, rows, count);
        let mut product = Mat::zeros(count, count);
        // Which thread does what has no influence on the sums: each entry is one of them.
        matmul(
            product.as_mut(),
            Accum::Replace,
            y.transpose(),
            y,
            1.0,
            Par::Seq,
        );
        let mut similarities = vec![0.0; count * count];
        for i in 0..count {
            for j in 0..count {
                similarities[i * count + j] = match i.cmp(&j) {
                    std::cmp::Ordering::Equal => 1.0,
                    // The same for (i, j) and (j, i), and never more than a correlation.
                    _ => product[(i.max(j), i.min(j))].clamp(-1.0, 1.0),
                };
            }
        }
        Profiles {
            columns,
            rows,
            instances,
            similarities,
            count,
        }
    }

    /// The same columns, each with its entries in another order.
    pub(super) fn shuffled(&self, mut shuffle: impl FnMut(&mut [f64])) -> Self {
        let scale = self.instances.sqrt();
        let column = |i: usize| {
            let mut column: Vec<f64> = self.column(i).iter().map(|y| y * scale).collect();
            shuffle(&mut column);
            column
        };
        let columns: Vec<Vec<f64>> = (0..self.count).map(column).collect();
        Profiles::new(&columns, self.instances)
    }

    /// Number of profiles.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of instances, M.
    pub fn instances(&self) -> f64 {
        self.instances
    }

    /// An entry of A / M.
    pub fn similarity(&self, i: usize, j: usize) -> f64 {
        self.similarities[i * self.count + j]
    }

    fn column(&self, i: usize) -> &[f64] {
        &self.columns[i * self.rows..(i + 1) * self.rows]
    }

    /// The largest eigenvalue of some variables' similarities, with its vector, from a vector to begin with.
    pub fn leading(&self, members: &[usize], start: Vec<f64>) -> (f64, Vec<f64>) {
        let k = members.len();
        if k > 2 * self.rows {
            return self.leading_by_columns(members, start);
        }
        let mut block = vec![0.0; k * k];
        for (row, &i) in block.chunks_mut(k).zip(members) {
            let of = &self.similarities[i * self.count..(i + 1) * self.count];
            for (entry, &j) in row.iter_mut().zip(members) {
                *entry = of[j];
            }
        }
        leading(start, |x, out| {
            for (row, out) in block.chunks(k).zip(out) {
                *out = row.iter().zip(x).map(|(a, x)| a * x).sum();
            }
        })
    }

    /// The same from the profiles themselves, where there are more variables than instances.
    pub(super) fn leading_by_columns(&self, members: &[usize], start: Vec<f64>) -> (f64, Vec<f64>) {
        let square = |&i: &usize| self.column(i).iter().map(|y| y * y).sum::<f64>();
        let rest: Vec<f64> = members.iter().map(|i| 1.0 - square(i)).collect();
        let mut sum = vec![0.0; self.rows];
        leading(start, |x, out| {
            sum.fill(0.0);
            for (&i, x) in members.iter().zip(x) {
                for (sum, y) in sum.iter_mut().zip(self.column(i)) {
                    *sum += y * x;
                }
            }
            for (at, out) in out.iter_mut().enumerate() {
                let products = self.column(members[at]).iter().zip(&sum);
                *out = products.map(|(y, s)| y * s).sum::<f64>() + rest[at] * x[at];
            }
        })
    }

    /// Where to begin for the union of two clusters (members, vector, eigenvalue): the best point between their vectors.
    pub(super) fn together(
        &self,
        (a, x, value): (&[usize], &[f64], f64),
        (b, y, other): (&[usize], &[f64], f64),
    ) -> Vec<f64> {
        let mut cross = 0.0;
        for (&i, x) in a.iter().zip(x) {
            let row = &self.similarities[i * self.count..(i + 1) * self.count];
            cross += x * b.iter().zip(y).map(|(&j, y)| row[j] * y).sum::<f64>();
        }
        let half = 0.5 * (value - other);
        let (cosine, sine) = match half >= 0.0 {
            true => (half + half.hypot(cross), cross),
            false => (cross, half.hypot(cross) - half),
        };
        let (cosine, sine) = match cosine.hypot(sine) {
            0.0 => (1.0, 1.0),
            length => (cosine / length, sine / length),
        };
        let x = x.iter().map(|x| cosine * x);
        x.chain(y.iter().map(|y| sine * y)).collect()
    }
}
