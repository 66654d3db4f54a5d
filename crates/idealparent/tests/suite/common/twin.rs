//! A reference implementation of the estimates: one candidate at a time, directly from the
//! formulas.

use idealparent::Table;
use idealparent::cpd::{FactorKind, MARGIN, ProductCpd, Sigmoid, ideal_value};
use idealparent::family::FamilyFit;
use idealparent::ideal::{Measure, c1_distorted, c2_distorted, distorted_weight};
use idealparent::numerics::{
    VARIANCE_FLOOR, centred, inner_product, least_squares, mean_and_variance,
};
use idealparent::score::{FamilyScorer, Likelihood};
use nalgebra::{DMatrix, DVector};

const KINDS: [FactorKind; 2] = [FactorKind::Activator, FactorKind::Repressor];

pub struct Twin<'a> {
    pub scorer: &'a FamilyScorer<'a>,
    pub table: &'a Table,
    pub model: usize,
    /// The kind of density.
    pub word: &'a str,
    pub bias: bool,
    pub baseline: bool,
}

impl Twin<'_> {
    /// Estimated log-likelihood with `z` in the slot. `None` if the Jacobian of the current fit is
    /// so nearly singular that two ways to compute the projection would not agree.
    pub fn estimate(
        &self,
        child: usize,
        parents: &[usize],
        replaced: Option<usize>,
        z: usize,
        measure: Measure,
    ) -> Option<f64> {
        let rest: Vec<usize> = parents
            .iter()
            .copied()
            .filter(|&p| Some(p) != replaced)
            .collect();
        let m = self.table.rows() as f64;
        let own = mean_and_variance(self.table.column(child)).1;
        let fit_of = |family: &[usize]| self.scorer.fit(self.model, child, family).unwrap();
        if measure == Measure::Tangent {
            let residual = match self.word {
                "product" => self.product_grid(child, &rest, &fit_of(&rest), z),
                "linear" => self.tangent(child, &rest, &fit_of(&rest), z)?,
                _ => {
                    let contained = self.contained(child, &rest, z)?;
                    if rest.is_empty() {
                        contained
                    } else {
                        contained.min(self.tangent(child, &rest, &fit_of(&rest), z)?)
                    }
                }
            };
            return Some(Likelihood::of_complete(m).family(own, residual));
        }
        let fit = fit_of(parents);
        let current = Likelihood::of_complete(m).family(own, fit.residual);
        let gain = |y: &[f64], slope: &[f64], z: &[f64]| match measure {
            Measure::C1 => c1_distorted(y, slope, z, m * fit.residual, fit.residual),
            // The noise variance cannot fall below its floor.
            _ => c2_distorted(y, slope, z, m * fit.residual)
                .min(-0.5 * m * (VARIANCE_FLOOR / fit.residual).ln()),
        };
        let change = match self.word {
            "product" => {
                let z = self.table.column(z);
                let of_kind = |kind| {
                    let (y, slope) = self.product_profile(child, parents, replaced, &fit, kind);
                    assert!(distorted_weight(&y, &slope, z) > 0.0);
                    gain(&y, &slope, z)
                };
                KINDS
                    .map(of_kind)
                    .into_iter()
                    .fold(f64::NEG_INFINITY, f64::max)
            }
            word => {
                let (y, slope) = self.profile(child, parents, replaced, &fit, word == "linear");
                gain(&y, &slope, &self.scaled(z))
            }
        };
        Some(current + change)
    }

    fn scaled(&self, v: usize) -> Vec<f64> {
        let column = self.table.column(v);
        let sd = mean_and_variance(column).1.sqrt();
        centred(column).0.iter().map(|x| x / sd).collect()
    }

    /// The weighted sum of the scaled parents, plus the bias if there is one.
    fn eta(&self, parents: &[usize], fit: &FamilyFit) -> Vec<f64> {
        let bias = fit.weights.get(parents.len()).copied().unwrap_or(0.0);
        let mut eta = vec![bias; self.table.rows()];
        for (&p, weight) in parents.iter().zip(&fit.weights) {
            for (eta, u) in eta.iter_mut().zip(self.scaled(p)) {
                *eta += weight * u;
            }
        }
        eta
    }

    /// The smallest residual of the simpler families that a sigmoid of `rest` and `z` contains: the
    /// linear one and, with fewer than two other parents, `z` alone.
    fn contained(&self, child: usize, rest: &[usize], z: usize) -> Option<f64> {
        let x = self.scaled(child);
        let m = x.len() as f64;
        let columns: Vec<&[f64]> = rest
            .iter()
            .chain([&z])
            .map(|&p| self.table.column(p))
            .collect();
        let mut least = least_squares(&x, &columns)?.sse / m;
        if rest.len() < 2 {
            for spread in [1.0, 2.0, 4.0, 8.0] {
                let value = |z: &f64| 1.0 / (1.0 + (-spread * z).exp());
                let p: Vec<f64> = self.scaled(z).iter().map(value).collect();
                least = least.min(least_squares(&x, &[&p])?.sse / m);
            }
        }
        Some(least)
    }

    fn tangent(&self, child: usize, rest: &[usize], fit: &FamilyFit, z: usize) -> Option<f64> {
        let x = DVector::from_vec(self.scaled(child));
        let m = x.len();
        let z = DVector::from_vec(self.scaled(z));
        let mut columns = vec![DVector::from_element(m, 1.0)];
        let mut slope = DVector::from_element(m, 1.0);
        let mut mean = columns.clone();
        if self.word == "linear" {
            let parents = rest.iter().map(|&p| DVector::from_vec(self.scaled(p)));
            columns.extend(parents);
            mean = columns.clone();
        } else if !rest.is_empty() {
            let eta = self.eta(rest, fit);
            let p = DVector::from_iterator(m, eta.iter().map(|e| 1.0 / (1.0 + (-e).exp())));
            slope = p.map(|p| p * (1.0 - p));
            mean.push(p.clone());
            let average = eta.iter().sum::<f64>() / m as f64;
            let spread = eta.iter().map(|e| (e - average).powi(2)).sum::<f64>() / m as f64;
            // For a straight line, p is a linear combination of the other columns except for its
            // curvature.
            if spread.sqrt() >= 1.5e-2 {
                columns.push(p);
            }
            for &parent in rest {
                columns.push(DVector::from_vec(self.scaled(parent)).component_mul(&slope));
            }
            if self.bias {
                columns.push(slope.clone());
            }
        }
        let residual = project_out(&x, &mean)?;
        let w = z.component_mul(&slope);
        let length = w.norm_squared();
        let w = project_out(&w, &columns)?;
        // If the slope vanishes at almost all instances, only rounding errors remain.
        if w.norm_squared() < 1e-7 * length {
            return None;
        }
        let projected = project_out(&residual, &columns)?;
        let fall = projected.dot(&w).powi(2) / w.norm_squared();
        Some((residual.norm_squared() - fall).max(0.0) / m as f64)
    }

    fn profile(
        &self,
        child: usize,
        parents: &[usize],
        replaced: Option<usize>,
        fit: &FamilyFit,
        linear: bool,
    ) -> (Vec<f64>, Vec<f64>) {
        let x = self.scaled(child);
        let eta = self.eta(parents, fit);
        let back = match replaced {
            Some(p) => {
                let weight = fit.weights[parents.iter().position(|&q| q == p).unwrap()];
                self.scaled(p).iter().map(|u| weight * u).collect()
            }
            None => vec![0.0; x.len()],
        };
        if linear {
            let y = (0..x.len()).map(|t| x[t] - eta[t] + back[t]).collect();
            return (y, vec![1.0; x.len()]);
        }
        let (offset, scale) = if parents.is_empty() {
            let (least, range) = range(&x);
            (least - 0.1 * range, 1.2 * range)
        } else {
            let p: Vec<f64> = eta.iter().map(|e| 1.0 / (1.0 + (-e).exp())).collect();
            let (centred_p, mean) = centred(&p);
            let scale = inner_product(&centred_p, &x) / inner_product(&centred_p, &centred_p);
            (-scale * mean, scale)
        };
        let value = |t: usize| {
            let q = (x[t] - offset) / scale;
            let ideal = ideal_value(&Sigmoid, q, scale, eta[t] - back[t], MARGIN);
            (ideal.y, ideal.slope)
        };
        (0..x.len()).map(value).unzip()
    }

    /// The child in units of its standard deviation, centred if there is a baseline, and the factor
    /// of each parent.
    fn factors(
        &self,
        child: usize,
        parents: &[usize],
        fit: &FamilyFit,
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let x = if self.baseline {
            self.scaled(child)
        } else {
            let column = self.table.column(child);
            let sd = mean_and_variance(column).1.sqrt();
            column.iter().map(|x| x / sd).collect()
        };
        let factor = |(i, &p): (usize, &usize)| {
            let column = self.table.column(p);
            let rate = fit.weights[i].exp() / geometric_mean(column);
            column
                .iter()
                .map(|u| fit.kinds[i].value(rate * u))
                .collect()
        };
        (x, parents.iter().enumerate().map(factor).collect())
    }

    fn product_grid(&self, child: usize, rest: &[usize], fit: &FamilyFit, z: usize) -> f64 {
        let (x, factors) = self.factors(child, rest, fit);
        let column = self.table.column(z);
        let mut best = f64::INFINITY;
        for kind in KINDS {
            for log_rate in [-3.0f64, -1.5, 0.0, 1.5, 3.0] {
                let rate = log_rate.exp() / geometric_mean(column);
                let value = |t: usize| {
                    let others: f64 = factors.iter().map(|factor| factor[t]).product();
                    others * kind.value(rate * column[t])
                };
                let v: Vec<f64> = (0..x.len()).map(value).collect();
                let v = if self.baseline { centred(&v).0 } else { v };
                let fall = inner_product(&x, &v).powi(2) / inner_product(&v, &v);
                best = best.min((inner_product(&x, &x) - fall) / x.len() as f64);
            }
        }
        best
    }

    fn product_profile(
        &self,
        child: usize,
        parents: &[usize],
        replaced: Option<usize>,
        fit: &FamilyFit,
        kind: FactorKind,
    ) -> (Vec<f64>, Vec<f64>) {
        let (x, factors) = self.factors(child, parents, fit);
        let product: Vec<f64> = (0..x.len())
            .map(|t| factors.iter().map(|factor| factor[t]).product())
            .collect();
        let (offset, scale) = match (parents.is_empty(), self.baseline) {
            (true, true) => {
                let (least, range) = range(&x);
                (least - 0.1 * range, 1.2 * range)
            }
            (true, false) => (0.0, 1.1 * x.iter().copied().fold(f64::MIN, f64::max)),
            (false, true) => {
                let (p, mean) = centred(&product);
                let scale = inner_product(&p, &x) / inner_product(&p, &p);
                (-scale * mean, scale)
            }
            (false, false) => (
                0.0,
                inner_product(&product, &x) / inner_product(&product, &product),
            ),
        };
        let value = |t: usize| {
            let kept = (0..parents.len()).filter(|&i| Some(parents[i]) != replaced);
            let most: f64 = scale * kept.map(|i| factors[i][t]).product::<f64>();
            let cpd = ProductCpd {
                factors: Vec::new(),
                scale: most,
                offset,
                variance: 1.0,
            };
            let ideal = cpd.ideal(kind, x[t], &[], MARGIN);
            (ideal.y, ideal.slope)
        };
        (0..x.len()).map(value).unzip()
    }
}

fn range(x: &[f64]) -> (f64, f64) {
    let least = x.iter().copied().fold(f64::INFINITY, f64::min);
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (least, most - least)
}

fn geometric_mean(column: &[f64]) -> f64 {
    let logs: f64 = column.iter().map(|x| x.ln()).sum();
    (logs / column.len() as f64).exp()
}

/// The residual of `y` after least squares on the columns. `None` if the columns are nearly
/// dependent.
fn project_out(y: &DVector<f64>, columns: &[DVector<f64>]) -> Option<DVector<f64>> {
    let unit: Vec<DVector<f64>> = columns.iter().map(|c| c / c.norm()).collect();
    let svd = DMatrix::from_columns(&unit).svd(true, false);
    let u = svd.u.expect("U was requested");
    if svd.singular_values.min() < 1e-5 {
        return None;
    }
    Some(y - &u * (u.transpose() * y))
}
