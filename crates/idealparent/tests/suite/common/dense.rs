//! Dense Gaussian computations, as a reference for the sparse ones.

use idealparent::Network;

/// Mean and covariance of a linear network, propagated along a topological order.
pub fn dense(network: &Network) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = network.len();
    let mut mean = vec![0.0; n];
    let mut cov = vec![vec![0.0; n]; n];
    for v in network.dag().topological_order().unwrap() {
        let family = &network.families[v];
        let idealparent::cpd::Cpd::Linear(cpd) = &family.cpd else {
            unreachable!("the network is not linear")
        };
        mean[v] = cpd.intercept;
        let mut row = vec![0.0; n];
        for (&p, &w) in family.parents.iter().zip(&cpd.weights) {
            mean[v] += w * mean[p];
            for u in 0..n {
                row[u] += w * cov[p][u];
            }
        }
        let own: f64 = family
            .parents
            .iter()
            .zip(&cpd.weights)
            .map(|(&p, &w)| w * row[p])
            .sum();
        row[v] = own + cpd.variance;
        for u in 0..n {
            cov[v][u] = row[u];
            cov[u][v] = row[u];
        }
    }
    (mean, cov)
}

/// Solves a dense system by elimination with pivoting; returns the solution and log |det|.
pub fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> (Vec<f64>, f64) {
    let n = b.len();
    let mut log_det = 0.0;
    for i in 0..n {
        let pivot = (i..n)
            .max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs()))
            .unwrap();
        a.swap(i, pivot);
        b.swap(i, pivot);
        log_det += a[i][i].abs().ln();
        for r in i + 1..n {
            let factor = a[r][i] / a[i][i];
            for c in i..n {
                let value = a[i][c];
                a[r][c] -= factor * value;
            }
            b[r] -= factor * b[i];
        }
    }
    for i in (0..n).rev() {
        for c in i + 1..n {
            b[i] -= a[i][c] * b[c];
        }
        b[i] /= a[i][i];
    }
    (b, log_det)
}
