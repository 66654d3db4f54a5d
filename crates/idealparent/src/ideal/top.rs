//! Selection of the largest values of a long stream.

/// Collects the `wanted` largest keys and all keys that tie with the smallest of them.
pub struct Top {
    wanted: usize,
    /// Keys that differ by at most this are ties.
    tolerance: f64,
    /// Keys at or below this are no longer of interest.
    threshold: f64,
    kept: Vec<(f64, u32)>,
    /// Whether any key above the initial threshold may have been dropped.
    truncated: bool,
}

impl Top {
    /// Collects keys above `threshold`. Keys that differ by at most `tolerance` are ties.
    pub fn new(wanted: usize, threshold: f64, tolerance: f64) -> Self {
        Top {
            wanted: wanted.max(1),
            tolerance,
            threshold,
            kept: Vec::new(),
            truncated: false,
        }
    }

    /// Only keys above this need to be offered.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Offers a key that is above the threshold.
    pub fn offer(&mut self, key: f64, index: u32) {
        self.kept.push((key, index));
        if self.kept.len() >= self.wanted.saturating_mul(4).saturating_add(64) {
            let least = self.prune();
            // Only keys strictly above the threshold are offered. The second subtraction of the
            // tolerance lets later ties with the last key in.
            self.threshold = self.threshold.max(least - self.tolerance);
            // Keys below the new threshold are no longer offered.
            self.truncated = true;
            // Raise the limit, so that a large group of ties is not pruned again at every offer.
            self.wanted = self.wanted.max(self.kept.len() / 2);
        }
    }

    /// Returns the keys kept, in no particular order, and whether none was dropped.
    pub fn finish(mut self) -> (Vec<(f64, u32)>, bool) {
        self.prune();
        (self.kept, !self.truncated)
    }

    /// Drops all but the `wanted` largest keys and their ties. Returns the smallest key that may
    /// stay.
    fn prune(&mut self) -> f64 {
        if self.kept.len() <= self.wanted {
            return self.threshold;
        }
        let by_key = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0);
        let (_, last, _) = self.kept.select_nth_unstable_by(self.wanted - 1, by_key);
        let least = last.0 - self.tolerance;
        let before = self.kept.len();
        self.kept.retain(|&(key, _)| key >= least);
        self.truncated |= self.kept.len() < before;
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_largest_and_their_ties() {
        let keys: Vec<f64> = (0..1000).map(|i| f64::from((i * 7919) % 1000)).collect();
        let mut top = Top::new(5, -1.0, 1.5);
        for (i, &key) in keys.iter().enumerate() {
            if key > top.threshold() {
                top.offer(key, i as u32);
            }
        }
        let (mut kept, all) = top.finish();
        kept.sort_by(|a, b| b.0.total_cmp(&a.0));
        let largest: Vec<f64> = kept.iter().map(|k| k.0).collect();
        assert_eq!(largest, [999.0, 998.0, 997.0, 996.0, 995.0, 994.0]);
        assert!(!all);
    }

    #[test]
    fn reports_when_nothing_was_dropped() {
        let mut top = Top::new(5, 0.0, 0.0);
        top.offer(1.0, 3);
        assert_eq!(top.finish(), (vec![(1.0, 3)], true));
    }
}
