//! Limits of the work and the memory of an exact search.

use crate::memory::{self, OutOfMemory};

/// What an exact search may use.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Largest number of families that are scored, and that are kept, over all variables.
    pub(super) families: usize,
    /// Largest number of sets of parents that are compared, over all variables. Most of them are
    /// left out by their bounds.
    pub(super) sets: usize,
    /// Growth of memory, in bytes, after which the free memory is checked.
    pub(super) step: usize,
    /// Returns an error if this many bytes cannot be allocated on top of those in use.
    pub(super) check_memory: fn(u64) -> Result<(), OutOfMemory>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            families: 50_000_000,
            sets: 10_000_000_000,
            step: 64 << 20,
            check_memory: memory::check,
        }
    }
}

/// Memory that grows while families are enumerated.
pub(super) struct Memory {
    limits: Limits,
    /// Bytes for which there was enough memory when that was last checked.
    granted: usize,
}

impl Memory {
    /// `granted` bytes have been checked.
    pub(super) fn new(limits: Limits, granted: usize) -> Self {
        Memory {
            granted: granted.saturating_add(limits.step),
            limits,
        }
    }

    /// Returns an error if `used` bytes are in use and there is not enough memory to go on. The
    /// largest part, of `largest` bytes, may double at any time.
    pub(super) fn grow_to(&mut self, used: usize, largest: usize) -> Result<(), OutOfMemory> {
        if used > self.granted {
            let next = self.limits.step.saturating_add(largest);
            (self.limits.check_memory)(next as u64)?;
            self.granted = used.saturating_add(self.limits.step);
        }
        Ok(())
    }
}
