//! Learns a network from the embedded example data.
//!
//! `cargo run --release -p idealparent-examples --example quick_start`

use idealparent::{LearnOptions, example, learn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let table = example("sachs")?.table();
    let network = learn(&table, &LearnOptions::default(), &mut ())?.network;
    println!("{} edges", network.edge_count());
    Ok(())
}
