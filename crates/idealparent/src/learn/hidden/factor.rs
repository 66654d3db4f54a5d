//! A hidden parent of a cluster, with the noise of the members fitted too.
//!
//! The integrated score of a cluster keeps the noise that its members have without a hidden parent,
//! so it underestimates the gain. This module fits the loadings and the noise of one factor to the
//! members' similarities by EM. A step takes O(L^2) and does not read the instances.

use super::{Cluster, ProfileSimilarities};

/// Maximum number of EM steps.
const MAX_STEPS: usize = 200;

/// EM stops if a step gains less than this, in nats.
const TOLERANCE: f64 = 1e-4;

/// Minimum noise variance of a member, as a share of its variance.
const MIN_NOISE: f64 = 1e-3;

/// A fitted hidden parent of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenFactor {
    /// The children, in ascending order.
    pub members: Vec<usize>,
    /// Regression weights of their standardised profiles on a hidden parent of unit variance.
    pub loadings: Vec<f64>,
    /// Noise variances of the standardised profiles.
    pub noise: Vec<f64>,
    /// Gain of log-likelihood.
    pub gain: f64,
}

impl HiddenFactor {
    /// Fits a hidden parent of a cluster. Removes members whose gain is at most `price`.
    pub fn new(profiles: &ProfileSimilarities, cluster: &Cluster, price: f64) -> Self {
        let mut factor = HiddenFactor::fit(profiles, &cluster.members, cluster.loadings());
        loop {
            let worth = |noise: &f64| -0.5 * profiles.instances() * noise.ln();
            let keep: Vec<bool> = factor.noise.iter().map(|n| worth(n) > price).collect();
            if keep.iter().all(|&kept| kept) {
                return factor;
            }
            let pick = |of: &[f64]| -> Vec<f64> {
                let kept = of.iter().zip(&keep).filter(|(_, kept)| **kept);
                kept.map(|(x, _)| *x).collect()
            };
            let members = factor.members.iter().zip(&keep).filter(|(_, kept)| **kept);
            let members: Vec<usize> = members.map(|(&v, _)| v).collect();
            factor = HiddenFactor::fit(profiles, &members, pick(&factor.loadings));
        }
    }

    fn fit(profiles: &ProfileSimilarities, members: &[usize], start: Vec<f64>) -> Self {
        let mut block = Vec::with_capacity(members.len().pow(2));
        for &i in members {
            block.extend(members.iter().map(|&j| profiles.similarity(i, j)));
        }
        HiddenFactor::of_block(members.to_vec(), &block, profiles.instances(), start)
    }

    /// Fits a hidden parent from the members' similarities in row-major order.
    pub(super) fn of_block(
        members: Vec<usize>,
        block: &[f64],
        instances: f64,
        start: Vec<f64>,
    ) -> Self {
        let k = members.len();
        let mut factor = HiddenFactor {
            members,
            noise: start.iter().map(|b| (1.0 - b * b).max(0.1)).collect(),
            loadings: start,
            gain: 0.0,
        };
        if k < 2 {
            factor.loadings.fill(0.0);
            factor.noise.fill(1.0);
            return factor;
        }
        let mut before = f64::NEG_INFINITY;
        for _ in 0..MAX_STEPS {
            // The posterior mean of the parent is w'y, its variance 1 / (1 + b' N^-1 b).
            let terms = factor.loadings.iter().zip(&factor.noise);
            let precision = 1.0 + terms.clone().map(|(b, n)| b * b / n).sum::<f64>();
            let w: Vec<f64> = terms.map(|(b, n)| b / n / precision).collect();
            let row = |row: &[f64]| row.iter().zip(&w).map(|(r, w)| r * w).sum::<f64>();
            let shared: Vec<f64> = block.chunks(k).map(row).collect();
            let spread = shared.iter().zip(&w).map(|(s, w)| s * w).sum::<f64>();
            // -M/2 (log |B| + tr B^-1 R - L), B = N + b b' and R the similarities.
            let logs: f64 = factor.noise.iter().map(|n| n.ln()).sum();
            let traces: f64 = factor.noise.iter().map(|n| 1.0 / n).sum();
            let distance = logs + precision.ln() + traces - precision * spread - k as f64;
            factor.gain = -0.5 * instances * distance;
            if factor.gain - before < TOLERANCE {
                break;
            }
            before = factor.gain;
            let square = 1.0 / precision + spread;
            for (i, shared) in shared.iter().enumerate() {
                factor.loadings[i] = shared / square;
                factor.noise[i] = (1.0 - factor.loadings[i] * shared).max(MIN_NOISE);
            }
        }
        factor
    }

    /// The posterior of the parent: the weights of the members' standardised profiles in its mean,
    /// and its variance.
    pub fn posterior(&self) -> (Vec<f64>, f64) {
        let terms = self.loadings.iter().zip(&self.noise);
        let precision = 1.0 + terms.clone().map(|(b, n)| b * b / n).sum::<f64>();
        let weights = terms.map(|(b, n)| b / n / precision).collect();
        (weights, 1.0 / precision)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Agglomeration, agglomerate};
    use super::*;
    use crate::learn::IntegratedScore;
    use rand::{RngExt, SeedableRng};

    /// Also checks that the gain is larger than the integrated score, and that unrelated members
    /// are removed.
    #[test]
    fn gain_agrees_with_the_dense_likelihood() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        let m = 150;
        let z: Vec<f64> = (0..m).map(|_| rng.random::<f64>() - 0.5).collect();
        let columns: Vec<Vec<f64>> = (0..9)
            .map(|i| {
                let strength = if i < 6 { 0.6 + 0.1 * i as f64 } else { 0.0 };
                let raw: Vec<f64> = z
                    .iter()
                    .map(|z| strength * z + 0.5 * (rng.random::<f64>() - 0.5))
                    .collect();
                let mean = raw.iter().sum::<f64>() / m as f64;
                let square = raw.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
                let sd = (square / m as f64).sqrt();
                raw.iter().map(|x| (x - mean) / sd).collect()
            })
            .collect();
        let profiles = ProfileSimilarities::new(&columns, m as f64);
        let how = Agglomeration {
            score: &IntegratedScore,
            quick: false,
        };
        let mut clusters = agglomerate(&profiles, how);
        clusters.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        let factor = HiddenFactor::new(&profiles, &clusters[0], 4.0);
        assert_eq!(factor.members, [0, 1, 2, 3, 4, 5]);
        assert!(factor.gain > clusters[0].worth);
        let k = factor.members.len();
        let model = faer::Mat::from_fn(k, k, |i, j| {
            let noise = if i == j { factor.noise[i] } else { 0.0 };
            noise + factor.loadings[i] * factor.loadings[j]
        });
        let eigen = model.self_adjoint_eigen(faer::Side::Lower).unwrap();
        let mut distance = -(k as f64);
        for t in 0..k {
            let value = eigen.S()[t];
            distance += value.ln();
            for i in 0..k {
                for j in 0..k {
                    let u = eigen.U()[(i, t)] * eigen.U()[(j, t)];
                    distance +=
                        u * profiles.similarity(factor.members[i], factor.members[j]) / value;
                }
            }
        }
        let gain = -0.5 * m as f64 * distance;
        assert!((gain - factor.gain).abs() < 1e-9, "{gain} {}", factor.gain);
    }
}
