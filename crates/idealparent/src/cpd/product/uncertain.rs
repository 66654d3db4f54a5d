//! A product of factors where the parents are uncertain, each independently of the others: moments of the product are
//! products of moments.

use super::FactorKind;
use crate::cpd::{FactorMoments, Rule};
use crate::fit::Profiles;

/// Below this deviation, relative to the product itself, its derivative is of no use.
const SMALLEST: f64 = 1e-10;

/// The instances of a family in which some parent is uncertain.
#[derive(Clone, Debug)]
pub(super) struct Uncertain {
    rule: &'static Rule,
    /// Ascending.
    rows: Vec<usize>,
    /// Of every parent: deviations in these instances, in units of its geometric mean.
    spreads: Vec<Vec<f64>>,
    /// Of every parent's factor.
    moments: Vec<Vec<FactorMoments>>,
    /// First and second moment of the product.
    products: Vec<(f64, f64)>,
    /// Deviations of the product.
    deviations: Vec<f64>,
}

impl Uncertain {
    /// `None` if all parents are known everywhere.
    pub(super) fn new(data: &Profiles, parents: &[usize]) -> Option<Self> {
        let rows = data.uncertain(parents);
        if rows.is_empty() {
            return None;
        }
        let of_parent = |&p: &usize| match data.data().variances(p) {
            [] => vec![0.0; rows.len()],
            all => {
                let unit = data.geometric_mean(p);
                rows.iter().map(|&row| all[row].sqrt() / unit).collect()
            }
        };
        Some(Uncertain {
            rule: Rule::fast(),
            spreads: parents.iter().map(of_parent).collect(),
            moments: vec![vec![FactorMoments::default(); rows.len()]; parents.len()],
            products: vec![(0.0, 0.0); rows.len()],
            deviations: vec![0.0; rows.len()],
            rows,
        })
    }

    /// Puts expectations in the place of the product and of the derivatives of its logarithm.
    pub(super) fn evaluate(
        &mut self,
        kinds: &[FactorKind],
        weights: &[f64],
        inputs: &[Vec<f64>],
        product: &mut [f64],
        logarithmic: &mut [Vec<f64>],
    ) {
        self.products.fill((1.0, 1.0));
        for (i, weight) in weights.iter().enumerate() {
            let rate = weight.exp();
            for (r, &row) in self.rows.iter().enumerate() {
                let y = rate * inputs[i][row];
                let moments = match self.spreads[i][r] {
                    0.0 => FactorMoments::certain(kinds[i], y),
                    sd => FactorMoments::new(kinds[i], y, rate * sd, self.rule),
                };
                self.products[r].0 *= moments.first;
                self.products[r].1 *= moments.second;
                logarithmic[i][row] = moments.by_rate.0 / moments.first;
                self.moments[i][r] = moments;
            }
        }
        for (r, &row) in self.rows.iter().enumerate() {
            let (first, second) = self.products[r];
            product[row] = first;
            self.deviations[r] = (second - first * first).max(0.0).sqrt();
        }
    }

    /// Deviations of the product, at the weights evaluated last.
    pub(super) fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// Sum of their squares.
    pub(super) fn square(&self) -> f64 {
        self.deviations.iter().map(|q| q * q).sum()
    }

    /// Derivatives of the deviations in the logarithm of every weight.
    pub(super) fn derivatives(&self) -> Vec<Vec<f64>> {
        let of_parent = |moments: &Vec<FactorMoments>| {
            let one = |(r, factor): (usize, &FactorMoments)| {
                let (first, second) = self.products[r];
                let q = self.deviations[r];
                if q <= SMALLEST * first {
                    return 0.0;
                }
                let (by_first, by_second) = factor.by_rate;
                let half = 0.5 * second * by_second / factor.second;
                (half - first * first * by_first / factor.first) / q
            };
            moments.iter().enumerate().map(one).collect()
        };
        self.moments.iter().map(of_parent).collect()
    }
}
