//! The paper's score of a cluster of ideal parents (section 4.2).

use idealparent::learn::ClusterScore;

/// The sum of C1 at the best profile (Eq. 5), plus the log-likelihood of that profile as a root of
/// unit variance.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaperClusters;

impl ClusterScore for PaperClusters {
    fn worth(&self, instances: f64, eigenvalue: f64) -> f64 {
        let root = 1.0 + (2.0 * std::f64::consts::PI).ln();
        0.5 * instances * (eigenvalue - root)
    }

    fn takes_whole(&self) -> bool {
        true
    }
}
