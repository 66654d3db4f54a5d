//! Checks that there is enough memory before something large is allocated.
//!
//! An allocation that fails aborts the program. If the system grants memory that it does not have,
//! this program or another is killed later. Large allocations are therefore checked first.

use std::fmt;
use std::io::{self, Read};

use crate::error::{Error, option};

/// Error: more memory is needed than is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory {
    needed: u64,
    free: Option<u64>,
}

impl std::error::Error for OutOfMemory {}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "about {} of memory", Amount(self.needed))?;
        match self.free {
            Some(free) if free < self.needed => write!(f, ", but only {} is free", Amount(free)),
            _ => write!(f, ", but the system cannot allocate that much"),
        }
    }
}

/// A number of bytes, displayed in MB or GB.
struct Amount(u64);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let bytes = self.0 as f64;
        match bytes {
            _ if bytes >= 1e9 => write!(f, "{:.1} GB", bytes / 1e9),
            _ => write!(f, "{:.0} MB", (bytes / 1e6).ceil()),
        }
    }
}

/// Smaller allocations are not checked.
const SMALL: u64 = 64 << 20;

/// Returns an error if `needed` bytes cannot be allocated on top of those in use.
pub(crate) fn check(needed: u64) -> Result<(), OutOfMemory> {
    if needed < SMALL {
        return Ok(());
    }
    let free = available();
    let granted = || {
        // Reserved and freed at once: this finds limits of the process without touching a page.
        let bytes = usize::try_from(needed).ok();
        bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
    };
    if free.is_some_and(|free| free < needed) || !granted() {
        return Err(OutOfMemory { needed, free });
    }
    Ok(())
}

/// Returns an error if `variables` variables, which need `needed` bytes, do not fit in memory.
pub(crate) fn check_variables(variables: usize, needed: u64) -> Result<(), Error> {
    check(needed).map_err(|error| {
        Error::data(format!(
            "{variables} variables need {error} (select fewer with {})",
            option("variables")
        ))
    })
}

/// Reads to the end, or returns an error if memory does not suffice. `hint` is the expected number
/// of bytes.
pub(crate) fn read_to_end(mut reader: impl Read, hint: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    grow(&mut bytes, hint)?;
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match reader.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.capacity() - bytes.len() < count {
            let more = bytes.capacity().max(count);
            grow(&mut bytes, more)?;
        }
        bytes.extend_from_slice(&chunk[..count]);
    }
}

/// Reserves space for `more` bytes.
fn grow(bytes: &mut Vec<u8>, more: usize) -> io::Result<()> {
    let needed = bytes.len().saturating_add(more) as u64;
    let io_error = |error: OutOfMemory| io::Error::new(io::ErrorKind::OutOfMemory, error);
    // The present bytes are counted again: growing the vector may copy them.
    check(needed).map_err(io_error)?;
    let free = None;
    let reserved = bytes.try_reserve_exact(more);
    reserved.map_err(|_| io_error(OutOfMemory { needed, free }))
}

/// Free memory in bytes; `None` if the system does not report it.
fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let number = |path: &str| read(path)?.trim().parse::<u64>().ok();
    let machine = read("/proc/meminfo").and_then(|text| from_meminfo(&text));
    let container = || {
        // A container may have less than its machine. Without a limit the first file says `max`.
        let limit = number("/sys/fs/cgroup/memory.max")?;
        let used = number("/sys/fs/cgroup/memory.current")?;
        let cached = read("/sys/fs/cgroup/memory.stat");
        let cached = cached.and_then(|text| field(&text, "inactive_file"));
        Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
    };
    machine.into_iter().chain(container()).min()
}

/// Free memory and swap in bytes, from lines such as `MemAvailable:  23085724 kB`.
fn from_meminfo(text: &str) -> Option<u64> {
    let memory = field(text, "MemAvailable:")?;
    let swap = field(text, "SwapFree:").unwrap_or(0);
    Some(1024 * (memory + swap))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| match words.next() {
        Some(word) if word == name => words.next()?.parse().ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_refused() {
        assert_eq!(check(1 << 20), Ok(()));
        let line = check(1 << 60).unwrap_err().to_string();
        assert!(
            line.starts_with("about 1152921504.6 GB of memory, but "),
            "{line}"
        );
    }

    #[test]
    fn free_memory_is_read_from_meminfo() {
        let text = "MemTotal: 24 kB\nMemFree:  1 kB\nMemAvailable:   20 kB\nSwapFree: 3 kB\n";
        assert_eq!(from_meminfo(text), Some(23 * 1024));
        assert_eq!(from_meminfo("MemTotal: 24 kB\n"), None);
    }

    #[test]
    fn reading_returns_all_bytes_whatever_the_hint() {
        let bytes: Vec<u8> = (0..300_000).map(|i| (i % 251) as u8).collect();
        for hint in [0, 1000, 300_000, 400_000] {
            assert_eq!(read_to_end(bytes.as_slice(), hint).unwrap(), bytes);
        }
        let error = read_to_end(bytes.as_slice(), usize::MAX / 2).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }
}
