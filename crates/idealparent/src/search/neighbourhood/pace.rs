//! Work in pieces, so that a request to stop takes effect soon.

use std::time::{Duration, Instant};

use rayon::prelude::*;

/// Called between pieces of work; returns whether to stop.
pub(super) type Stop<'s> = &'s mut dyn FnMut() -> bool;

/// The work was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// Number of items in the first piece.
const FIRST: usize = 64;

/// A piece should take between `SHORT` and `LONG`: short enough for Ctrl-C, long enough for threads
/// to be worthwhile.
const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_millis(200);

/// Applies `f` to every item, in parallel; `stop` is called before every piece.
///
/// The length of the pieces depends on the clock, so `f` must not depend on the other items of its
/// piece.
pub(super) fn in_pieces<T: Sync, R: Send>(
    work: &[T],
    grain: usize,
    stop: Stop,
    f: impl Fn(&T) -> R + Sync,
) -> Result<Vec<R>, Stopped> {
    let mut done = Vec::with_capacity(work.len());
    let mut length = FIRST;
    while done.len() < work.len() {
        if stop() {
            return Err(Stopped);
        }
        let began = Instant::now();
        let to = (done.len() + length).min(work.len());
        let piece = work[done.len()..to].par_iter().with_min_len(grain);
        done.par_extend(piece.map(&f));
        match began.elapsed() {
            took if took < SHORT => length *= 2,
            took if took > LONG => length = (length / 2).max(1),
            _ => {}
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_complete_and_in_order() {
        let work: Vec<usize> = (0..10_000).collect();
        let doubled = in_pieces(&work, 8, &mut || false, |i| 2 * i).unwrap();
        assert!(doubled.iter().enumerate().all(|(i, &twice)| twice == 2 * i));
        assert_eq!(doubled.len(), work.len());
    }

    #[test]
    fn a_request_to_stop_takes_effect_between_pieces() {
        let work = vec![(); 10_000];
        let mut asked = 0;
        let mut stop = || {
            asked += 1;
            asked > 3
        };
        let slow = |(): &()| std::thread::sleep(Duration::from_millis(1));
        assert_eq!(in_pieces(&work, 1, &mut stop, slow), Err(Stopped));
        assert_eq!(asked, 4);
    }
}
