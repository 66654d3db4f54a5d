//! Watches a run, and stops it after a time.
//!
//! `cargo run --release -p idealparent-examples --example time_limit`

use std::time::{Duration, Instant};

use idealparent::{LearnOptions, Observer, Step, example, learn};

/// Prints every step, and stops when the time is up.
struct Until(Instant);

impl Observer for Until {
    fn step(&mut self, step: &Step) {
        println!("{} {:.3}", step.taken.word(), step.score);
    }

    fn stop(&mut self) -> bool {
        Instant::now() > self.0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let table = example("sachs")?.table();
    let mut until = Until(Instant::now() + Duration::from_secs(10));
    let learned = learn(&table, &LearnOptions::default(), &mut until)?;
    println!("{} edges", learned.network.edge_count());
    Ok(())
}
