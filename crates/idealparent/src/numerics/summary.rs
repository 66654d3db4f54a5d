//! Means and variances of single columns.

/// Mean and variance (with 1/M) of a column. The mean is corrected in a second pass, which removes
/// rounding errors.
pub fn mean_and_variance(column: &[f64]) -> (f64, f64) {
    let m = column.len() as f64;
    if column.is_empty() {
        return (0.0, 0.0);
    }
    if column.iter().all(|&x| x == column[0]) {
        return (column[0], 0.0);
    }
    let rough = column.iter().sum::<f64>() / m;
    let mean = rough + column.iter().map(|x| x - rough).sum::<f64>() / m;
    let square = |x: &f64| (x - mean) * (x - mean);
    (mean, column.iter().map(square).sum::<f64>() / m)
}

/// The column minus its mean, and the mean.
pub fn centred(column: &[f64]) -> (Vec<f64>, f64) {
    let (mean, _) = mean_and_variance(column);
    (column.iter().map(|x| x - mean).collect(), mean)
}
