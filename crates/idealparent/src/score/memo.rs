//! Cache of families: scores of all counted families, and recent fits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use crate::family::FamilyFit;

/// Maximum number of fits in each of two generations, over all children.
const FITS: usize = 1 << 19;

/// Approximate memory of a fit, and of the score of a counted family.
const FIT_BYTES: usize = 200;
const COUNTED_BYTES: usize = 50;

/// Key of a child's family, or of a model's fit of it: a 128-bit hash instead of a list of parents.
///
/// In a search over 10^12 families, the probability that two share a key is below 10^-14.
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

    /// Key of this family's fit by one of several models.
    pub(super) fn model(self, model: usize) -> Self {
        // Parents never have numbers this large.
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

/// Mixes the bits, so that every bit of the result depends on every bit of the number (the
/// finaliser of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Families of one child.
///
/// The score of a counted family is never dropped; it takes about 50 bytes. It records that the
/// family was counted, and greedy search needs it again. A dropped fit is recomputed when needed,
/// with the same result to the last bit.
#[derive(Debug, Default)]
struct Families {
    counted: FxHashMap<Key, Option<f64>>,
    fits: FxHashMap<Key, Option<Arc<FamilyFit>>>,
    older: FxHashMap<Key, Option<Arc<FamilyFit>>>,
}

/// Cached families of all children. Each child has its own lock, so that threads that score
/// different children do not wait for each other.
#[derive(Debug)]
pub(super) struct Memo {
    children: Vec<Mutex<Families>>,
    /// Number of fits added so far. Every `most` fits a new generation begins.
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

    /// Limits each generation to `most` fits.
    #[cfg(test)]
    pub(super) fn keep(&mut self, most: usize) {
        self.most = most;
    }

    fn lock(&self, child: usize) -> MutexGuard<'_, Families> {
        self.children[child].lock().expect("no scorer panics")
    }

    /// The score of a counted family; `None` if it was not counted, `Some(None)` if it could not be
    /// fitted.
    pub(super) fn counted(&self, child: usize, key: Key) -> Option<Option<f64>> {
        self.lock(child).counted.get(&key).copied()
    }

    /// Forgets which families were counted, and their scores. Fits are kept.
    pub(super) fn forget_counted(&mut self) {
        for families in &mut self.children {
            let families = families.get_mut().expect("no scorer panics");
            families.counted.clear();
        }
    }

    /// Counts a family and stores its score. Returns whether it was counted for the first time.
    pub(super) fn count(&self, child: usize, key: Key, score: Option<f64>) -> bool {
        self.lock(child).counted.insert(key, score).is_none()
    }

    /// A cached fit; `None` if there is none, `Some(None)` if the family could not be fitted.
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

    /// Counts an added fit. When the younger generation is full, it replaces the older one.
    fn added(&self) {
        if (self.fits.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(self.most) {
            for child in 0..self.children.len() {
                let mut families = self.lock(child);
                families.older = std::mem::take(&mut families.fits);
            }
        }
    }

    /// Approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let of_child = |child| {
            let families = self.lock(child);
            let fits = families.fits.capacity() + families.older.capacity();
            COUNTED_BYTES * families.counted.capacity() + FIT_BYTES * fits
        };
        (0..self.children.len()).map(of_child).sum()
    }

    /// Number of cached fits.
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
    fn families_and_models_have_different_keys() {
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
    fn counted_families_are_kept_and_old_fits_dropped() {
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
            // A fit that is used again stays in the cache.
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
