//! What is remembered of families: the score of every one that was counted, and the latest fits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use crate::family::FamilyFit;

/// Fits remembered in each of two generations, over all children: about 200 bytes each.
const FITS: usize = 1 << 19;

/// A family of a child, or a model's fit of it: 128 bits of hash in the place of a list of parents.
/// With a million million families two would share a key once in 10^14 searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(u64, u64);

impl Key {
    pub(super) fn family(parents: &[usize]) -> Self {
        let mut key = Key(0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f);
        for &parent in parents {
            key = key.with(parent as u64);
        }
        key
    }

    /// The same family fitted by one of several models.
    pub(super) fn model(self, model: usize) -> Self {
        // No parent has such a number.
        self.with(u64::MAX - model as u64)
    }

    fn with(self, number: u64) -> Self {
        Key(
            mixed(self.0.rotate_left(5) ^ number),
            mixed(
                self.1
                    .wrapping_add(number.wrapping_mul(0xd6e8_feb8_6659_fd93)),
            ),
        )
    }
}

/// Every bit of the result depends on every bit of the number (the finish of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// One child's families. The score of a counted family is kept for good, in some 50 bytes: it says
/// that the family was counted, and greedy search asks for it again. A fit that is forgotten is
/// made again, the same to the last bit.
#[derive(Debug, Default)]
struct Families {
    counted: FxHashMap<Key, Option<f64>>,
    fits: FxHashMap<Key, Option<Arc<FamilyFit>>>,
    older: FxHashMap<Key, Option<Arc<FamilyFit>>>,
}

/// All children's families, one lock each, so that threads scoring different children do not wait
/// for each other.
#[derive(Debug)]
pub(super) struct Memo {
    children: Vec<Mutex<Families>>,
    /// Fits in the younger generation.
    fits: AtomicUsize,
    most: usize,
}

impl Memo {
    pub(super) fn new(children: usize) -> Self {
        Memo {
            children: (0..children).map(|_| Mutex::default()).collect(),
            fits: AtomicUsize::new(0),
            most: FITS,
        }
    }

    /// Keeps so many fits in each generation.
    #[cfg(test)]
    pub(super) fn keep(&mut self, most: usize) {
        self.most = most;
    }

    fn lock(&self, child: usize) -> MutexGuard<'_, Families> {
        self.children[child].lock().expect("no scorer panics")
    }

    /// A counted family's score, `None` inside if it was refused.
    pub(super) fn counted(&self, child: usize, key: Key) -> Option<Option<f64>> {
        self.lock(child).counted.get(&key).copied()
    }

    /// Counts a family; says whether it is the first time.
    pub(super) fn count(&self, child: usize, key: Key, score: Option<f64>) -> bool {
        self.lock(child).counted.insert(key, score).is_none()
    }

    /// A fit, `None` inside if it was refused.
    pub(super) fn fit(&self, child: usize, key: Key) -> Option<Option<Arc<FamilyFit>>> {
        let mut families = self.lock(child);
        if let Some(found) = families.fits.get(&key) {
            return Some(found.clone());
        }
        let found = families.older.remove(&key)?;
        families.fits.insert(key, found.clone());
        drop(families);
        self.added();
        Some(found)
    }

    pub(super) fn remember(&self, child: usize, key: Key, fit: Option<Arc<FamilyFit>>) {
        self.lock(child).fits.insert(key, fit);
        self.added();
    }

    /// One more fit; with enough of them the older generation goes.
    fn added(&self) {
        if (self.fits.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(self.most) {
            for child in 0..self.children.len() {
                let mut families = self.lock(child);
                families.older = std::mem::take(&mut families.fits);
            }
        }
    }

    /// Number of fits remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let of_child = |child| {
            let families = self.lock(child);
            families.fits.len() + families.older.len()
        };
        (0..self.children.len()).map(of_child).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_tell_families_and_models_apart() {
        let mut seen = HashSet::new();
        let mut number = 0;
        for a in 0..100 {
            for b in a..100 {
                for c in [b, 100, 1000, 100_000] {
                    let key = Key::family(&[a, b, c]);
                    seen.extend([key, key.model(0), key.model(1)]);
                    number += 3;
                }
            }
        }
        assert_eq!(seen.len(), number);
        assert_ne!(Key::family(&[]), Key::family(&[0]));
    }

    #[test]
    fn counted_families_stay_and_old_fits_go() {
        let mut memo = Memo::new(2);
        memo.keep(10);
        let fit = |residual| {
            Some(Arc::new(FamilyFit {
                residual,
                ..FamilyFit::default()
            }))
        };
        let hot = Key::family(&[7]);
        memo.remember(1, hot, fit(0.5));
        for p in 0..1000 {
            let key = Key::family(&[p]);
            assert!(memo.count(0, key, Some(p as f64)));
            memo.remember(0, key.model(0), fit(p as f64));
            // What is asked for stays.
            assert_eq!(memo.fit(1, hot).unwrap().unwrap().residual, 0.5);
            assert!(memo.len() <= 20, "{}", memo.len());
        }
        for p in 0..1000 {
            let key = Key::family(&[p]);
            assert_eq!(memo.counted(0, key), Some(Some(p as f64)));
            assert!(!memo.count(0, key, None));
        }
        assert_eq!(memo.fit(0, Key::family(&[3]).model(0)), None);
    }
}
