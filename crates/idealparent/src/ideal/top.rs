//! The best few of a long stream of values.

/// Collects the `wanted` largest keys and everything that ties with the last of them.
pub struct Top {
    wanted: usize,
    /// Keys closer than this are ties.
    tolerance: f64,
    /// Nothing below this is kept any more.
    threshold: f64,
    kept: Vec<(f64, u32)>,
    /// Whether anything above the first threshold was thrown away.
    truncated: bool,
}

impl Top {
    /// Keeps keys above `threshold` only.
    pub fn new(wanted: usize, threshold: f64, tolerance: f64) -> Self {
        Top {
            wanted: wanted.max(1),
            tolerance,
            threshold,
            kept: Vec::new(),
            truncated: false,
        }
    }

    /// The least key worth offering.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Offers a key that is above the threshold.
    pub fn offer(&mut self, key: f64, index: u32) {
        self.kept.push((key, index));
        if self.kept.len() >= self.wanted.saturating_mul(4).saturating_add(64) {
            let least = self.prune();
            // `offer` is for keys strictly above the threshold: ties of the last must still get in.
            self.threshold = self.threshold.max(least - self.tolerance);
            // What falls below the new threshold is lost unseen.
            self.truncated = true;
            // A crowd of ties must not be pruned again at every offer.
            self.wanted = self.wanted.max(self.kept.len() / 2);
        }
    }

    /// What was kept, in no order, and whether that was all.
    pub fn finish(mut self) -> (Vec<(f64, u32)>, bool) {
        self.prune();
        (self.kept, !self.truncated)
    }

    /// Drops all but the wanted and their ties; returns the least key that may stay.
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
    fn says_when_nothing_was_lost() {
        let mut top = Top::new(5, 0.0, 0.0);
        top.offer(1.0, 3);
        assert_eq!(top.finish(), (vec![(1.0, 3)], true));
    }
}
