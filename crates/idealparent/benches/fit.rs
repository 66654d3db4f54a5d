//! Time of one sigmoid fit on one core, all its starts included: `cargo bench --bench fit`.

use std::sync::Arc;
use std::time::Instant;

use idealparent::cpd::CpdKind;
use idealparent::data::Column;
use idealparent::family::{FamilyData, FamilyFit, FamilyModel, Gram, Profiles};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Families per measurement.
const FAMILIES: usize = 200;

/// Repetitions; the fastest counts, since the machine may be shared.
const REPEATS: usize = 20;

fn main() {
    println!("M\tk\tmicroseconds");
    for (m, k) in [(173, 1), (173, 2), (173, 4), (1000, 3), (5000, 3)] {
        println!("{m}\t{k}\t{:.1}", 1e6 * seconds_per_fit(m, k));
    }
}

fn seconds_per_fit(m: usize, k: usize) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let tables: Vec<Vec<Column>> = (0..FAMILIES).map(|_| columns(&mut rng, m, k)).collect();
    let grams: Vec<Gram> = tables.iter().map(|table| Gram::new(table)).collect();
    let data = tables.iter().zip(&grams);
    let data: Vec<Profiles> = data
        .map(|(table, gram)| Profiles::new(table, gram))
        .collect();
    let model = CpdKind::sigmoid().model(false, false);
    let all: Vec<usize> = (1..=k).collect();
    // In a search the smaller family is known already.
    let smaller: Vec<FamilyFit> = data.iter().map(|d| chain(&*model, d, &all)).collect();
    let mut fastest = f64::INFINITY;
    for _ in 0..REPEATS {
        let began = Instant::now();
        for (data, smaller) in data.iter().zip(&smaller) {
            let nested = |_: &[usize]| Some(Arc::new(smaller.clone()));
            let fit = model.fit(family(data, &all), &nested);
            assert!(fit.is_some_and(|fit| fit.residual < 1.0));
        }
        fastest = fastest.min(began.elapsed().as_secs_f64());
    }
    fastest / FAMILIES as f64
}

/// The fit that `fit` asks for of the family without its weakest parent.
fn chain(model: &dyn FamilyModel, data: &Profiles, parents: &[usize]) -> FamilyFit {
    let asked = std::cell::RefCell::new(None);
    let nested = |rest: &[usize]| {
        let fit = chain(model, data, rest);
        let fit = model.fit(family(data, rest), &|_| Some(Arc::new(fit.clone())))?;
        *asked.borrow_mut() = Some(fit.clone());
        Some(Arc::new(fit))
    };
    model.fit(family(data, parents), &nested);
    asked.into_inner().unwrap_or_default()
}

/// A child and its parents, drawn from a sigmoid density.
fn columns(rng: &mut ChaCha8Rng, m: usize, k: usize) -> Vec<Column> {
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    let parents: Vec<Vec<f64>> = (0..k)
        .map(|_| (0..m).map(|_| normal(rng)).collect())
        .collect();
    let weights: Vec<f64> = (0..k).map(|_| rng.random_range(1.0..3.0)).collect();
    let child = (0..m).map(|t| {
        let eta: f64 = weights.iter().zip(&parents).map(|(w, u)| w * u[t]).sum();
        3.0 / (1.0 + (-eta).exp()) + 0.4 * normal(rng)
    });
    let child: Vec<f64> = child.collect();
    let columns = std::iter::once(child).chain(parents);
    columns.map(Column::from).collect()
}

/// The first column with some of the others as parents.
fn family<'a>(data: &'a Profiles<'a>, parents: &'a [usize]) -> FamilyData<'a> {
    FamilyData {
        data,
        child: 0,
        parents,
    }
}
