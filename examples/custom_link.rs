//! A custom density with a softplus link: learned, written to a file and read back.
//!
//! `cargo run --release -p idealparent-examples --example custom_link`

use std::sync::Arc;

use idealparent::extend::Link;
use idealparent::{CpdKind, LearnOptions, Network, example, learn};

/// `h(eta) = log(1 + e^eta)`: zero below a threshold, a straight line above it.
#[derive(Debug)]
struct Softplus;

impl Link for Softplus {
    fn word(&self) -> &str {
        "softplus"
    }

    fn value(&self, eta: f64) -> f64 {
        eta.max(0.0) + (-eta.abs()).exp().ln_1p()
    }

    fn slope(&self, eta: f64) -> f64 {
        1.0 / (1.0 + (-eta).exp())
    }

    fn inverse(&self, value: f64) -> f64 {
        value + (-(-value).exp()).ln_1p()
    }

    fn image(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let softplus: Arc<dyn Link> = Arc::new(Softplus);
    let mut options = LearnOptions::default();
    // Every family gets the better of the two.
    options.cpd = vec![CpdKind::Linear, CpdKind::Link(softplus.clone())];
    let table = example("sachs")?.table();
    let network = learn(&table, &options, &mut ())?.network;
    for (child, family) in network.families.iter().enumerate() {
        let parents: Vec<&str> = family.parents.iter().map(|&p| network.name(p)).collect();
        let (name, kind) = (network.name(child), family.cpd.kind());
        println!("{name} <- {} ({kind})", parents.join(", "));
    }

    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), network.to_json()?)?;
    let text = std::fs::read_to_string(file.path())?;
    // The file contains only the link's name, so reading it needs the link itself.
    let back = Network::from_json_with(&text, "net.json", &[softplus])?;
    assert_eq!(back, network);
    println!("log-likelihood {:.3}", back.log_likelihood(&table)?);
    Ok(())
}
