//! Known numbers of small non-linear families.

use std::sync::Arc;

use crate::common::links::Identity;
use idealparent::cpd::{
    Cpd, CpdKind, FactorKind, Link, LinkCpd, MARGIN, ProductCpd, Sigmoid, clamp_to_image,
};
use idealparent::family::{LinkProblem, fit_link};
use idealparent::ideal::{
    c1, c1_distorted, c2, c2_distorted, distorted_weight, ideal_profile, replacement_profile,
};
use idealparent::numerics::{FINAL_TOLERANCE, centred, inner_product, least_squares};
use idealparent::score::Likelihood;
use idealparent::{LearnOptions, Structure, Table, fit};
use proptest::prelude::*;

fn close(value: f64, expected: f64) {
    within(1e-7, value, expected);
}

fn within(tolerance: f64, value: f64, expected: f64) {
    let error = (value - expected).abs();
    assert!(error < tolerance, "{value} is not {expected}");
}

fn sigmoid(weight: f64, scale: f64, offset: f64) -> LinkCpd {
    LinkCpd {
        link: Arc::new(Sigmoid),
        weights: vec![weight],
        bias: 0.0,
        scale,
        offset,
        variance: 1.0,
    }
}

/// Oracle O3 (tests/oracles.md): Eq. 8 and 9, the optimum that they estimate, where only the new
/// weight varies, and C2 with the slope at the current fit.
#[test]
fn distorted_measures_agree_with_the_oracle() {
    let u = [-2.0, -1.0, 0.0, 1.0, 2.0];
    let z = [1.0, -1.0, 0.5, 2.0, -0.5];
    let x = [-0.9, -0.2, 0.3, 0.8, -0.1];
    let cpd = sigmoid(0.5, 2.0, -1.0);
    let ideal: Vec<_> = (0..5).map(|t| cpd.ideal(x[t], &[u[t]], MARGIN)).collect();
    let y: Vec<f64> = ideal.iter().map(|value| value.y).collect();
    let slope: Vec<f64> = ideal.iter().map(|value| value.slope).collect();
    let residual: Vec<f64> = (0..5).map(|t| x[t] - cpd.mean(&[u[t]])).collect();
    let sse = inner_product(&residual, &residual);
    let distorted: Vec<f64> = (0..5).map(|t| y[t] * slope[t]).collect();
    close(inner_product(&distorted, &distorted), 0.5620761406);
    close(sse, 0.9078500600);
    close(distorted_weight(&y, &slope, &z), 0.5846562070);
    close(c1_distorted(&y, &slope, &z, sse, sse / 5.0), 1.4059187431);
    close(c2_distorted(&y, &slope, &z, sse), 2.0659393890);

    let with = |alpha: f64| -> f64 {
        let square = |t: usize| {
            let mean = -1.0 + 2.0 * Sigmoid.value(0.5 * u[t] + alpha * z[t]);
            (x[t] - mean).powi(2)
        };
        (0..5).map(square).sum()
    };
    close(with(0.3462017570), 0.7388844266);
    for other in [0.3452, 0.3472] {
        assert!(with(other) > with(0.3462017570));
    }
    close(-2.5 * (with(0.3462017570) / sse).ln(), 0.5148442894);

    let at_fit = |t: usize| z[t] * 2.0 * Sigmoid.slope(0.5 * u[t]);
    let w: Vec<f64> = (0..5).map(at_fit).collect();
    close(
        inner_product(&residual, &w) / inner_product(&w, &w),
        0.3778574186,
    );
    close(c2(&residual, &w), 0.6017891602);
}

/// Oracle O4: a value outside the image of the sigmoid.
#[test]
fn values_beyond_the_image_are_clamped() {
    let cpd = sigmoid(0.5, 2.0, -1.0);
    for (margin, y, slope) in [(0.01, 4.5951198501, 0.0198), (0.05, 2.9444389792, 0.095)] {
        let ideal = cpd.ideal(1.2, &[0.0], margin);
        within(1e-9, ideal.y, y);
        within(1e-12, ideal.slope, slope);
        assert!(ideal.clamped);
    }
    assert_eq!(clamp_to_image(1.1, (0.0, 1.0), 0.01), (0.99, true));
    assert_eq!(clamp_to_image(0.5, (0.0, 1.0), 0.01), (0.5, false));
    // Values are not clamped at an infinite end.
    assert_eq!(
        clamp_to_image(1e9, (0.0, f64::INFINITY), 0.01),
        (1e9, false)
    );
    assert_eq!(
        clamp_to_image(-1.0, (0.0, f64::INFINITY), 0.01),
        (0.01, true)
    );
}

/// Oracle O5: the ideal factor of a product.
#[test]
fn ideal_factors_agree_with_the_oracle() {
    let u = [0.5, 1.0, 2.0, 4.0];
    let x = [0.3, 0.5, 0.9, 1.5];
    let rho = [0.45, 0.5, 0.675, 0.9375];
    let y = [0.8181818182, 1.0, 2.0769230769, 15.0];
    let slopes = [0.2016666667, 0.25, 0.1408333333, 0.00625];
    let cpd = ProductCpd {
        factors: vec![idealparent::cpd::ProductFactor {
            kind: FactorKind::Activator,
            weight: 1.0,
        }],
        scale: 2.0,
        offset: 0.0,
        variance: 1.0,
    };
    for t in 0..4 {
        let ideal = cpd.ideal(FactorKind::Activator, x[t], &[u[t]], MARGIN);
        within(1e-9, ideal.y, y[t]);
        within(1e-9, ideal.slope, slopes[t]);
        close(x[t] / cpd.mean(&[u[t]]), rho[t]);
        // For a repressor, the ideal value is the reciprocal and the slope is negative.
        let ideal = cpd.ideal(FactorKind::Repressor, x[t], &[u[t]], MARGIN);
        close(ideal.y, 1.0 / y[t]);
        close(ideal.slope, -cpd.mean(&[u[t]]) * rho[t] * rho[t]);
    }
}

const U: [f64; 8] = [-2.5, -1.5, -1.0, -0.3, 0.2, 0.9, 1.4, 2.2];
const X: [f64; 8] = [-1.1, -0.7, -0.75, -0.1, 0.25, 0.6, 0.55, 1.05];

/// Oracle O10 for `fit_link`: the parent is not centred.
#[test]
fn fits_of_uncentred_parents_agree_with_the_oracle() {
    let (x, mean) = centred(&X);
    let linear = least_squares(&X, &[&U]).unwrap();
    close(linear.sse, 0.1511078802);
    let mut problem = LinkProblem::new(&Sigmoid, &x, vec![&U]);
    let direction = &linear.weights;
    let found = fit_link(&mut problem, direction, linear.sse, &[], FINAL_TOLERANCE);
    let (weights, sse) = found.unwrap();
    // Weights have half as many correct digits as the sum of squares.
    assert!((weights[0] - 0.932719184).abs() < 1e-4, "{weights:?}");
    close(sse, 0.1127236434);
    let variance = inner_product(&x, &x) / 8.0;
    let log = Likelihood::of_complete(8.0).family(variance, sse / (8.0 * variance));
    close(log, 5.6975222576);
    close(log - 2.0 * 8f64.ln(), 1.5386391742);
    let value: Vec<f64> = U.iter().map(|u| Sigmoid.value(weights[0] * u)).collect();
    let outer = least_squares(&X, &[&value]).unwrap();
    assert!((outer.weights[0] - 2.609642606).abs() < 1e-3);
    assert!((outer.intercept + 1.302800583).abs() < 1e-3);
    close(outer.sse, 0.1127236434);
    assert!(mean.abs() < 1.0);
}

/// Oracle O10 for `fit`: the parent is centred, without and with a bias inside the link.
#[test]
fn fitted_structures_agree_with_the_oracle() {
    let names = vec!["u".to_string(), "x".to_string()];
    let table = Table::new(names, vec![U.to_vec(), X.to_vec()]).unwrap();
    let structure = Structure::of_edges([("u", "x")]);
    for (bias, sse) in [(false, 0.1087884982), (true, 0.1060991217)] {
        let options = LearnOptions {
            cpd: vec![CpdKind::sigmoid()],
            bias,
            ..LearnOptions::default()
        };
        let fitted = fit(&table, &structure, &options).unwrap();
        let Cpd::Link(cpd) = &fitted.network.families[1].cpd else {
            panic!("the density is not a sigmoid");
        };
        let square = |t: usize| (X[t] - cpd.mean(&[U[t]])).powi(2);
        close((0..8).map(square).sum(), sse);
        close(8.0 * cpd.variance, sse);
        let root = fitted.network.score.as_ref().unwrap().log_likelihood;
        let own = |column: &[f64]| {
            let (column, _) = centred(column);
            Likelihood::of_complete(8.0).family(inner_product(&column, &column) / 8.0, 1.0)
        };
        let family = root - own(&U);
        let variance = sse / 8.0;
        close(family, Likelihood::of_complete(8.0).family(variance, 1.0));
        if !bias {
            close(family, 5.8396565603);
            assert!((cpd.weights[0] - 0.995347411).abs() < 1e-4, "{cpd:?}");
        }
        assert!(cpd.scale > 0.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// With the identity as the link, Eq. 8 and 9 equal Propositions 3.2 and 3.3, for adding and
    /// for replacing.
    #[test]
    fn identity_link_is_the_linear_case(seed in 0u64..10_000, m in 8usize..60) {
        let (_, table) = crate::common::linear_network(4, m, 2.0, seed);
        let (x, u, z) = (table.column(3), table.column(0), table.column(1));
        let fit = least_squares(x, &[u]).unwrap();
        let cpd = LinkCpd {
            link: Arc::new(Identity),
            weights: fit.weights.clone(),
            bias: 0.0,
            scale: 1.0,
            offset: fit.intercept,
            variance: 1.0,
        };
        let ideal: Vec<_> = (0..m).map(|t| cpd.ideal(x[t], &[u[t]], MARGIN)).collect();
        let y: Vec<f64> = ideal.iter().map(|value| value.y).collect();
        let slope: Vec<f64> = ideal.iter().map(|value| value.slope).collect();
        prop_assert!(ideal.iter().all(|value| value.slope == 1.0 && !value.clamped));
        let plain = ideal_profile(x, &[u], &fit);
        let s2 = fit.sse / m as f64;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-7 * (1.0 + b.abs());
        prop_assert!(near(c1_distorted(&y, &slope, z, fit.sse, s2), c1(&plain, z, s2)));
        prop_assert!(near(c2_distorted(&y, &slope, z, fit.sse), c2(&plain, z)));
        let back = replacement_profile(&y, u, fit.weights[0]);
        let c1_replace = idealparent::ideal::c1_replace(&back, &plain, z, s2);
        let c2_replace = idealparent::ideal::c2_replace(&back, &plain, z);
        prop_assert!(near(c1_distorted(&back, &slope, z, fit.sse, s2), c1_replace));
        prop_assert!(near(c2_distorted(&back, &slope, z, fit.sse), c2_replace));
    }
}
