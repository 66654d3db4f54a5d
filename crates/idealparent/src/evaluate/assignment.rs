//! Who belongs to whom: the assignment with the largest sum.

/// For every row of a matrix of worths its column, or none, so that no column is taken twice and the sum is as large as can be. Worths
/// are not negative; a pair worth nothing is left apart.
///
/// The Hungarian method: rows come in one by one, each along a shortest path of exchanges under prices that keep all paths
/// non-negative.
pub(crate) fn assign(worths: &[Vec<f64>]) -> Vec<Option<usize>> {
    let rows = worths.len();
    let columns = worths.first().map_or(0, Vec::len);
    // One column of its own for every row, worth nothing, so that nobody has to be taken.
    let width = columns + rows;
    let cost = |i: usize, j: usize| match j < columns {
        true => -worths[i][j],
        false => 0.0,
    };
    let (mut row_prices, mut column_prices) = (vec![0.0; rows], vec![0.0; width]);
    let mut owner: Vec<Option<usize>> = vec![None; width];
    for first in 0..rows {
        let mut distance = vec![f64::INFINITY; width];
        let mut before: Vec<Option<usize>> = vec![None; width];
        let mut done = vec![false; width];
        let (mut row, mut column) = (first, None);
        let last = loop {
            let reached = column.map_or(0.0, |at: usize| distance[at]);
            let mut next: Option<usize> = None;
            for j in 0..width {
                if done[j] {
                    continue;
                }
                let along = reached + cost(row, j) - row_prices[row] - column_prices[j];
                if along < distance[j] {
                    distance[j] = along;
                    before[j] = column;
                }
                if next.is_none_or(|best| distance[j] < distance[best]) {
                    next = Some(j);
                }
            }
            let at = next.expect("every row has a column of its own");
            done[at] = true;
            column = Some(at);
            match owner[at] {
                None => break at,
                Some(other) => row = other,
            }
        };
        let length = distance[last];
        for j in (0..width).filter(|&j| done[j]) {
            let shift = length - distance[j];
            column_prices[j] -= shift;
            if let Some(other) = owner[j] {
                row_prices[other] += shift;
            }
        }
        row_prices[first] += length;
        let mut at = last;
        loop {
            match before[at] {
                Some(previous) => {
                    owner[at] = owner[previous];
                    at = previous;
                }
                None => {
                    owner[at] = Some(first);
                    break;
                }
            }
        }
    }
    let mut found = vec![None; rows];
    for (j, row) in owner.iter().enumerate().take(columns) {
        if let Some(i) = *row
            && worths[i][j] > 0.0
        {
            found[i] = Some(j);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// The largest sum by trying everything.
    fn best(worths: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == worths.len() {
            return 0.0;
        }
        let mut most = best(worths, row + 1, taken);
        for j in 0..taken.len() {
            if !taken[j] {
                taken[j] = true;
                most = most.max(worths[row][j] + best(worths, row + 1, taken));
                taken[j] = false;
            }
        }
        most
    }

    #[test]
    fn as_good_as_any() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for case in 0..300 {
            let (rows, columns) = (case % 6, 1 + (case / 6) % 6);
            let worths: Vec<Vec<f64>> = (0..rows)
                .map(|_| {
                    let one = |x: f64| if x < 0.3 { 0.0 } else { x };
                    (0..columns).map(|_| one(rng.random())).collect()
                })
                .collect();
            let found = assign(&worths);
            let mut taken = vec![false; columns];
            let mut sum = 0.0;
            for (i, j) in found.iter().enumerate() {
                if let Some(j) = *j {
                    assert!(!std::mem::replace(&mut taken[j], true));
                    sum += worths[i][j];
                }
            }
            let wanted = best(&worths, 0, &mut vec![false; columns]);
            assert!((sum - wanted).abs() < 1e-12, "{case}: {sum} {wanted}");
        }
    }
}
