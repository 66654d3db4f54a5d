//! Properties of every fitted family: an additional parent never makes the fit worse, and neither
//! units nor the order of the fits matter.

use crate::common::nonlinear::{positive_network, product_family, sigmoid_family};
use idealparent::Table;
use idealparent::cpd::CpdKind;
use idealparent::family::{FamilyFit, Gram, GramFamily, Profiles};
use idealparent::score::{FamilyScorer, Prices, Scorer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Kind = (&'static str, bool, bool);

const KINDS: [Kind; 4] = [
    ("sigmoid", false, false),
    ("sigmoid", true, false),
    ("product", false, false),
    ("product", false, true),
];

fn with_scorer<T>(
    table: &Table,
    (kind, bias, baseline): Kind,
    ask: impl FnOnce(&FamilyScorer) -> T,
) -> T {
    let gram = Gram::new(table.columns());
    let profiles = Profiles::new(table.columns(), &gram);
    let model = CpdKind::parse(kind).unwrap().model(bias, baseline);
    ask(&FamilyScorer::new(
        &profiles,
        vec![model],
        Prices::default(),
    ))
}

fn random_family(kind: Kind, k: usize, m: usize, rng: &mut ChaCha8Rng) -> Table {
    match kind.0 {
        "sigmoid" => sigmoid_family(k, m, rng.random(), rng),
        _ => product_family(k, m, rng),
    }
}

/// Checks that a family fits at least as well as without its weakest parent. Returns the number of
/// smaller families, and the number of those that fit better.
fn compare_with_smaller(
    table: &Table,
    kind: Kind,
    child: usize,
    parents: &[usize],
) -> (usize, usize) {
    let k = parents.len();
    with_scorer(table, kind, |scorer| {
        let all = scorer.fit(0, child, parents).unwrap().residual;
        let gram = scorer.data().gram();
        let linear = GramFamily::new(gram, child, parents, |_| 0.0).unwrap();
        let weakest = parents[linear.by_loss()[0]];
        let (mut subsets, mut above) = (0, 0);
        for subset in 1..(1usize << k) - 1 {
            let kept = |i: &usize| subset >> i & 1 == 1;
            let some: Vec<usize> = (0..k).filter(kept).map(|i| parents[i]).collect();
            let part = scorer.fit(0, child, &some).unwrap().residual;
            subsets += 1;
            above += usize::from(all > part * (1.0 + 1e-6));
            // With a bias, and for products, families with up to three parents fit at least as well
            // as every smaller one.
            let each = k <= 3 && kind != KINDS[0];
            if each || (some.len() == k - 1 && !some.contains(&weakest)) {
                // A repressor with the smallest weight is not exactly 1.
                let slack = if kind.0 == "product" { 1e-9 } else { 0.0 };
                let bound = part * (1.0 + slack);
                assert!(all <= bound, "{kind:?} {child} {parents:?}: {all} {part}");
            }
        }
        (subsets, above)
    })
}

#[test]
fn larger_families_fit_at_least_as_well() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let yeast = crate::common::yeast("aa_rebuild_nomiss.txt");
    for kind in KINDS {
        let (mut simulated, mut real) = ((0, 0), (0, 0));
        let add = |sum: &mut (usize, usize), (subsets, above)| {
            *sum = (sum.0 + subsets, sum.1 + above);
        };
        for round in 0..60 {
            let k = 2 + round % 3;
            let table = random_family(kind, k, 60, &mut rng);
            let parents: Vec<usize> = (0..k).collect();
            add(
                &mut simulated,
                compare_with_smaller(&table, kind, k, &parents),
            );
            let Some(yeast) = &yeast else { continue };
            let chosen = rand::seq::index::sample(&mut rng, yeast.width(), k + 1).into_vec();
            let product = kind.0 == "product";
            let table = yeast.select_columns(&chosen);
            let table = if product {
                table.exp2().unwrap()
            } else {
                table
            };
            add(&mut real, compare_with_smaller(&table, kind, k, &parents));
        }
        for (what, (subsets, above)) in [("simulated", simulated), ("yeast", real)] {
            assert_eq!(above, 0, "{what}, {kind:?}: of {subsets} smaller families");
        }
    }
}

/// Fits are the same to the last bit, whatever was fitted before and on any number of threads.
#[test]
fn fits_do_not_depend_on_order_or_threads() {
    let table = positive_network(7, 50, 5);
    let mut families: Vec<(usize, Vec<usize>)> = Vec::new();
    for child in 0..7 {
        for subset in 1usize..128 {
            if subset >> child & 1 == 0 && subset.count_ones() <= 4 {
                families.push((child, (0..7).filter(|p| subset >> p & 1 == 1).collect()));
            }
        }
    }
    for kind in KINDS {
        let fits = |threads: usize, backwards: bool| -> Vec<Option<FamilyFit>> {
            use rayon::prelude::*;
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                with_scorer(&table, kind, |scorer| {
                    let ask = |(child, parents): &(usize, Vec<usize>)| {
                        scorer.fit(0, *child, parents).map(|fit| (*fit).clone())
                    };
                    if backwards {
                        let mut all: Vec<_> = families.iter().rev().map(ask).collect();
                        all.reverse();
                        return all;
                    }
                    families.par_iter().map(ask).collect()
                })
            })
        };
        let first = fits(1, false);
        assert_eq!(first, fits(1, true));
        assert_eq!(first, fits(4, false));
    }
}

/// A change of units changes the log-likelihood only by the scale of the child. For products, units
/// may differ by a factor, but not by an offset.
#[test]
fn units_do_not_matter() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for round in 0..80 {
        let kind = KINDS[round % 4];
        let (k, m) = (1 + round / 4 % 4, 40 + round);
        let table = random_family(kind, k, m, &mut rng);
        let mut columns = table.columns().to_vec();
        let mut jacobian = 0.0;
        for (v, column) in columns.iter_mut().enumerate() {
            let size = [1e-6, 0.3, 7.0, 1e5][rng.random_range(0..4)];
            let (factor, shift) = match kind.0 {
                "sigmoid" if rng.random() => (-size, 10.0 * size * crate::common::normal(&mut rng)),
                "sigmoid" => (size, size * crate::common::normal(&mut rng)),
                _ => (size, 0.0),
            };
            column.iter_mut().for_each(|x| *x = factor * *x + shift);
            if v == k {
                jacobian = m as f64 * size.ln();
            }
        }
        let changed = Table::new(crate::common::names(k + 1), columns).unwrap();
        let parents: Vec<usize> = (0..k).collect();
        let score = |table: &Table| with_scorer(table, kind, |s| s.score(k, &parents).unwrap());
        let (before, after) = (score(&table), score(&changed));
        let error = (before - after - jacobian).abs();
        assert!(
            error < 1e-9 * before.abs().max(1.0) * 10.0,
            "{kind:?} {k} {m}: {before} {after} {error}"
        );
    }
}
