//! Whether there is memory for something large, before it is allocated.
//!
//! An allocation that fails ends the program; one that the system grants without having the memory
//! gets the program, or another, killed later. Large ones are therefore asked for first.

use std::fmt;
use std::io::{self, Read};

use crate::error::{Error, option};

/// More than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lacking {
    needed: u64,
    free: Option<u64>,
}

impl std::error::Error for Lacking {}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "about {} of memory", Amount(self.needed))?;
        match self.free {
            Some(free) if free < self.needed => write!(f, ", and {} are free", Amount(free)),
            _ => write!(f, ", and the system does not give as much"),
        }
    }
}

/// A number of bytes as people read it.
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

/// Less than this is not worth asking for.
const SMALL: u64 = 64 << 20;

/// Whether so many bytes can be had, on top of what is in use.
pub(crate) fn check(needed: u64) -> Result<(), Lacking> {
    if needed < SMALL {
        return Ok(());
    }
    let free = available();
    let granted = || {
        // Given back at once: limits of the process show without a page being touched.
        let bytes = usize::try_from(needed).ok();
        bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
    };
    if free.is_some_and(|free| free < needed) || !granted() {
        return Err(Lacking { needed, free });
    }
    Ok(())
}

/// Whether there is room for what so many variables need.
pub(crate) fn check_variables(variables: usize, needed: u64) -> Result<(), Error> {
    check(needed).map_err(|lacking| {
        Error::Data(format!(
            "{variables} variables need {lacking} (take fewer, with {})",
            option("variables")
        ))
    })
}

/// Reads all there is, as far as memory goes; `hint` is how much is expected.
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

/// Makes room for more.
fn grow(bytes: &mut Vec<u8>, more: usize) -> io::Result<()> {
    let needed = bytes.len().saturating_add(more) as u64;
    let lacking = |lacking: Lacking| io::Error::new(io::ErrorKind::OutOfMemory, lacking);
    // What is there is counted again, since it may have to be copied.
    check(needed).map_err(lacking)?;
    let free = None;
    let reserved = bytes.try_reserve_exact(more);
    reserved.map_err(|_| lacking(Lacking { needed, free }))
}

/// The bytes that can be used without others being driven out, where the system tells.
fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let number = |path: &str| read(path)?.trim().parse::<u64>().ok();
    let machine = read("/proc/meminfo").and_then(|text| from_meminfo(&text));
    let container = || {
        // A container may have less than its machine; without a limit the first file says `max`.
        let limit = number("/sys/fs/cgroup/memory.max")?;
        let used = number("/sys/fs/cgroup/memory.current")?;
        let cached = read("/sys/fs/cgroup/memory.stat");
        let cached = cached.and_then(|text| field(&text, "inactive_file"));
        Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
    };
    machine.into_iter().chain(container()).min()
}

/// Free memory and swap, from lines such as `MemAvailable:  23085724 kB`.
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
    fn what_nobody_has_is_refused() {
        assert_eq!(check(1 << 20), Ok(()));
        let line = check(1 << 60).unwrap_err().to_string();
        assert!(
            line.starts_with("about 1152921504.6 GB of memory, and "),
            "{line}"
        );
    }

    #[test]
    fn free_memory_as_linux_tells_it() {
        let text = "MemTotal: 24 kB\nMemFree:  1 kB\nMemAvailable:   20 kB\nSwapFree: 3 kB\n";
        assert_eq!(from_meminfo(text), Some(23 * 1024));
        assert_eq!(from_meminfo("MemTotal: 24 kB\n"), None);
    }

    #[test]
    fn all_is_read() {
        let bytes: Vec<u8> = (0..300_000).map(|i| (i % 251) as u8).collect();
        for hint in [0, 1000, 300_000, 400_000] {
            assert_eq!(read_to_end(bytes.as_slice(), hint).unwrap(), bytes);
        }
        let error = read_to_end(bytes.as_slice(), usize::MAX / 2).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }
}
