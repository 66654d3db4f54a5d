//! Measures of every candidate parent, compared with the true change in likelihood (the paper's
//! Figure 1).

use rayon::prelude::*;

use crate::cpd::{CpdKind, CpdSettings};
use crate::data::{Columns, Completed, Table};
use crate::error::{Error, Result, quoted};
use crate::family::{Gram, GramFamily, Job, Profiles, enough_instances};
use crate::ideal::{Measure, Scan, c1, c2, ideal_profile, scan_candidates};
use crate::learn::unfit;
use crate::network::Network;
use crate::numerics::{
    LeastSquares, VARIANCE_FLOOR, centred, inner_product, least_squares, mean_and_variance,
};
use crate::score::{FamilyScorer, Likelihood, Prices};
use crate::search::with_parent;

/// A candidate parent and the value of each measure, in nats and without penalties.
///
/// Part of a [`ParentRanking`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct RankedParent {
    /// Column of the candidate.
    pub parent: usize,
    /// Proposition 3.2 with the candidate centred; Eq. 8 for non-linear densities.
    pub c1: f64,
    /// Proposition 3.3 with the candidate centred; Eq. 9 for non-linear densities.
    pub c2: f64,
    /// The tangent measure.
    pub tangent: f64,
    /// True change in log-likelihood after refitting; `None` if the family cannot be fitted.
    pub delta: Option<f64>,
}

/// All candidate parents of a child.
///
/// Returned by [`rank_parents`]; the paper's Figure 1 compares these values.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct ParentRanking {
    /// The candidates by true change, largest first; for replacements, in the order of the columns.
    pub candidates: Vec<RankedParent>,
    /// Share of the child's values outside the image of its link (footnote 1). Such values carry
    /// little information for C1 and C2.
    pub clamped: f64,
}

/// Compares every column with the ideal additional parent of `child`, whose family is fitted first
/// with the given density.
///
/// The table must be complete. Columns that never vary are left out.
///
/// ```
/// use idealparent::{CpdKind, example, rank_parents};
///
/// let table = example("sachs")?.table();
/// let child = table.index_of("Erk").unwrap();
/// let ranking = rank_parents(&table, child, &[], &CpdKind::Linear.into())?;
/// assert_eq!(table.names()[ranking.candidates[0].parent], "Akt");
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn rank_parents(
    table: &Table,
    child: usize,
    parents: &[usize],
    density: &CpdSettings,
) -> Result<ParentRanking> {
    if table.missing() > 0 {
        return Err(Error::data(
            "ranking needs complete data, but the table has missing values",
        ));
    }
    let data = Completed::complete(table.columns());
    rank_completed(table, &data, &[], child, parents, density)
}

/// As [`rank_parents`], with each candidate in place of the parent `replaced`. The candidates are
/// in the order of the columns.
#[cfg(any(test, feature = "testing"))]
pub fn rank_replacements(
    table: &Table,
    child: usize,
    parents: &[usize],
    replaced: usize,
    density: &CpdSettings,
) -> Result<ParentRanking> {
    if table.missing() > 0 || !parents.contains(&replaced) {
        return Err(Error::data(
            "ranking replacements needs complete data and a parent to replace",
        ));
    }
    let columns = checked_columns(table, &[], child, parents, &density.kind)?;
    let mut parents = parents.to_vec();
    parents.sort_unstable();
    let data = Completed::complete(table.columns());
    let ranked = from_moments(&data, child, &parents, Some(replaced), density);
    let mut ranking = ranked.ok_or_else(|| unfit(&table.names()[child], table.rows()))?;
    ranking.candidates.retain(|r| !columns.inactive[r.parent]);
    Ok(ranking)
}

impl Network {
    /// As [`rank_parents`], for variables of this network. Missing and hidden values are replaced
    /// by the network's expectations.
    ///
    /// ```
    /// use idealparent::{CpdKind, LearnOptions, Table, example, learn};
    ///
    /// let sachs = example("sachs")?.table();
    /// let network = learn(&sachs, &LearnOptions::default(), &mut ())?.network;
    /// let mut columns = sachs.columns().to_vec();
    /// columns[0][0] = f64::NAN;
    /// let table = Table::new(sachs.names().to_vec(), columns)?;
    /// let child = network.find("Erk")?;
    /// let ranking = network.rank_parents(&table, child, &[], &CpdKind::Linear.into())?;
    /// assert_eq!(network.name(ranking.candidates[0].parent), "Akt");
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn rank_parents(
        &self,
        table: &Table,
        child: usize,
        parents: &[usize],
        density: &CpdSettings,
    ) -> Result<ParentRanking> {
        let columns = self.columns_of(table)?;
        let is_complete = columns
            .iter()
            .all(|c| c.iter().all(|value| !value.is_nan()));
        let data = if is_complete {
            Completed::complete(&columns)
        } else {
            self.expectations(&columns)?
        };
        let names = self.variables.iter().map(|v| v.name.clone());
        let table = Table::new(names.collect(), columns.clone())?;
        let hidden: Vec<bool> = self.variables.iter().map(|v| v.hidden).collect();
        rank_completed(&table, &data, &hidden, child, parents, density)
    }
}

/// As [`Network::rank_parents`], with the network's expectations computed beforehand, to rank the
/// parents of several children.
///
/// The columns of the table must be the network's variables, in its order and transformed as in
/// training. `data` contains the network's expectations, and `hidden` says which variables are
/// hidden.
pub fn rank_completed(
    table: &Table,
    data: &Completed,
    hidden: &[bool],
    child: usize,
    parents: &[usize],
    density: &CpdSettings,
) -> Result<ParentRanking> {
    let kind = &density.kind;
    let columns = checked_columns(table, hidden, child, parents, kind)?;
    let mut parents = parents.to_vec();
    parents.sort_unstable();
    let ranked = match kind {
        CpdKind::Linear if data.is_complete() => linear(table, child, &parents),
        _ => from_moments(data, child, &parents, None, density),
    };
    let mut ranking = ranked.ok_or_else(|| unfit(&table.names()[child], table.rows()))?;
    if *kind == CpdKind::Linear && !data.is_complete() {
        linear_measures(&mut ranking, data, child, &parents);
    }
    let usable = |r: &RankedParent| !columns.inactive[r.parent];
    ranking.candidates.retain(usable);
    let key = |r: &RankedParent| r.delta.unwrap_or(f64::NEG_INFINITY);
    let order = |a: &RankedParent, b: &RankedParent| {
        key(b).total_cmp(&key(a)).then(a.parent.cmp(&b.parent))
    };
    ranking.candidates.sort_by(order);
    Ok(ranking)
}

/// Returns the properties of the columns, or an error if the parents of `child` cannot be ranked.
fn checked_columns(
    table: &Table,
    hidden: &[bool],
    child: usize,
    parents: &[usize],
    kind: &CpdKind,
) -> Result<Columns> {
    let name = quoted(&table.names()[child]);
    if parents.contains(&child) {
        return Err(Error::data(format!("{name} cannot be its own parent")));
    }
    if *kind != CpdKind::Linear {
        Profiles::check_memory(table.width(), table.rows(), 1)?;
    }
    // Returns an error for values whose squares do not fit a double.
    let mut columns = Columns::new(table)?;
    for (inactive, hidden) in columns.inactive.iter_mut().zip(hidden) {
        // A hidden variable has no observed values, but its expectations vary.
        *inactive &= !hidden;
    }
    if kind.needs_positive() {
        columns.check_positive(table)?;
    }
    if columns.inactive[child] {
        return Err(Error::data(format!("{name} never varies in the data")));
    }
    Ok(columns)
}

/// Sets C1 and C2 from expected moments, including covariances of entries that are missing
/// together.
fn linear_measures(ranking: &mut ParentRanking, data: &Completed, child: usize, parents: &[usize]) {
    let gram = Gram::expected(data);
    let Some(family) = GramFamily::new(&gram, child, parents, |_| 0.0) else {
        return;
    };
    let m = family.instances;
    let residual = family.residual.max(gram.variance_floor());
    for candidate in &mut ranking.candidates {
        let z = candidate.parent;
        let terms = parents.iter().zip(&family.weights);
        let predicted: f64 = terms.map(|(&p, w)| w * gram.correlation(p, z)).sum();
        let share = (gram.correlation(child, z) - predicted).powi(2) / residual;
        candidate.c1 = 0.5 * m * share;
        candidate.c2 = -0.5 * m * (-share.min(1.0 - gram.variance_floor())).ln_1p();
    }
}

/// A column divided by the power of two nearest to its standard deviation. Dividing by a power of
/// two causes no rounding errors.
fn to_unit_scale(column: &[f64]) -> Vec<f64> {
    let sd = mean_and_variance(column).1.sqrt();
    let factor = if sd > 0.0 {
        (-sd.log2().round()).exp2()
    } else {
        1.0
    };
    column.iter().map(|x| x * factor).collect()
}

/// Linear measures computed directly from the data by their definitions, independently of the
/// search.
fn linear(table: &Table, child: usize, parents: &[usize]) -> Option<ParentRanking> {
    let m = table.rows() as f64;
    // No measure depends on units. Scaling avoids overflow in products of very large values.
    let columns: Vec<Vec<f64>> = table.columns().iter().map(|c| to_unit_scale(c)).collect();
    let x = &columns[child];
    let own = mean_and_variance(x).1;
    let inputs: Vec<&[f64]> = parents.iter().map(|&p| &columns[p][..]).collect();
    let regress = |x: &[f64], inputs: &[&[f64]]| -> Option<LeastSquares> {
        least_squares(x, inputs).filter(|_| enough_instances(m, inputs.len()))
    };
    let fit = regress(x, &inputs)?;
    let y = ideal_profile(x, &inputs, &fit);
    let s2 = (fit.sse / m).max(VARIANCE_FLOOR * own);
    let likelihood = Likelihood::of_complete(m);
    let current = likelihood.relative(fit.sse / (m * own));
    let candidate = |z: usize| {
        let column = &columns[z];
        let (centred_z, _) = centred(column);
        let mut family = inputs.clone();
        family.push(column);
        let full = regress(x, &family);
        // The part of the candidate that the current fit cannot reproduce; floored like the true
        // change.
        let tangent = least_squares(column, &inputs)
            .filter(|_| full.is_some())
            .map_or(0.0, |on_parents| {
                let perpendicular = ideal_profile(column, &inputs, &on_parents);
                let fall = inner_product(&y, &perpendicular).powi(2)
                    / inner_product(&perpendicular, &perpendicular);
                likelihood.relative((fit.sse - fall) / (m * own)) - current
            });
        RankedParent {
            parent: z,
            c1: c1(&y, &centred_z, s2),
            c2: c2(&y, &centred_z),
            tangent,
            delta: full.map(|fit| likelihood.relative(fit.sse / (m * own)) - current),
        }
    };
    Some(ParentRanking {
        candidates: others(table.width(), child, parents)
            .into_par_iter()
            .map(candidate)
            .collect(),
        clamped: 0.0,
    })
}

/// Measures computed with the models and scans of the search.
fn from_moments(
    data: &Completed,
    child: usize,
    parents: &[usize],
    replaced: Option<usize>,
    density: &CpdSettings,
) -> Option<ParentRanking> {
    let gram = Gram::expected(data);
    let profiles = Profiles::expected(data, &gram);
    let model = density.kind.model(density.bias, density.baseline);
    let scorer = FamilyScorer::new(&profiles, vec![model], Prices::default());
    let m = profiles.rows(child).total();
    let likelihood = Likelihood::of(&gram, child);
    let current = likelihood.relative(scorer.fit(0, child, parents)?.residual);
    let fits = |family: &[usize]| scorer.fit(0, child, family);
    let job = Job {
        family: scorer.family(child, parents),
        replaced,
    };
    let kept = job.remaining();
    let measures = [Measure::C1, Measure::C2, Measure::Tangent];
    let model = &scorer.models()[0];
    let scans = measures.map(|m| Scan::all(model.as_ref(), &job, m, &fits));
    let clamped: Vec<usize> = scans[1].iter().filter_map(Scan::clamped).collect();
    let shares = clamped.iter().map(|&count| count as f64 / m);
    let clamped = shares.sum::<f64>() / clamped.len().max(1) as f64;
    let estimates = scan_candidates(&profiles, &scans);
    let candidate = |z: usize| {
        let fit = scorer.fit(0, child, &with_parent(&kept, z));
        let change = |measure: usize| match estimates[measure][z] - current {
            change if change.is_finite() => change,
            _ => 0.0,
        };
        RankedParent {
            parent: z,
            c1: change(0),
            c2: change(1),
            tangent: change(2),
            delta: fit.map(|fit| likelihood.relative(fit.residual) - current),
        }
    };
    Some(ParentRanking {
        candidates: others(data.width(), child, parents)
            .into_par_iter()
            .map(candidate)
            .collect(),
        clamped,
    })
}

fn others(width: usize, child: usize, parents: &[usize]) -> Vec<usize> {
    let usable = |z: &usize| *z != child && !parents.contains(z);
    (0..width).filter(usable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two causes, a child, a constant and a column with a line break in its name.
    fn table() -> Table {
        let wave = |by: f64| (0..40).map(move |row| (by * f64::from(row)).sin());
        let child = wave(1.3).zip(wave(0.7)).map(|(a, b)| 0.5 * a + b * b);
        let columns: Vec<Vec<f64>> = vec![
            wave(1.3).collect(),
            wave(0.7).collect(),
            child.collect(),
            vec![0.0; 40],
            wave(2.1).collect(),
        ];
        let names = ["A", "B", "C", "constant", "line\nbreak"];
        Table::new(names.map(String::from).to_vec(), columns).unwrap()
    }

    #[test]
    fn replacements_obey_the_checks() {
        let rank = |child, kind: CpdKind| {
            let ranked = rank_replacements(&table(), child, &[0], 0, &kind.into());
            ranked.map_err(|error| error.to_string())
        };
        assert!(rank(2, CpdKind::Linear).is_ok());
        let problem = rank(3, CpdKind::Linear).unwrap_err();
        assert_eq!(problem, "'constant' never varies in the data");
        let problem = rank(2, CpdKind::Product).unwrap_err();
        assert!(problem.contains("needs values above 0"), "{problem}");
        let problem = rank(0, CpdKind::Linear).unwrap_err();
        assert_eq!(problem, "'A' cannot be its own parent");
    }

    #[test]
    fn line_breaks_in_names_are_escaped_in_messages() {
        let table = table();
        let problem = |parents: &[usize]| {
            let ranked = rank_parents(&table, 4, parents, &CpdKind::Linear.into());
            ranked.unwrap_err().to_string()
        };
        assert_eq!(problem(&[4]), r"'line\nbreak' cannot be its own parent");
        let collinear = problem(&[0, 3]);
        assert!(
            collinear.starts_with(r"the family of 'line\nbreak' cannot"),
            "{collinear}"
        );
    }

    #[test]
    fn rankings_do_not_depend_on_units() {
        let table = table();
        let ranked = |unit: f64| {
            let scale = |column: &crate::data::Column| column.iter().map(|x| unit * x).collect();
            let columns: Vec<crate::data::Column> = table.columns().iter().map(scale).collect();
            let scaled = Table::new(table.names().to_vec(), columns).unwrap();
            rank_parents(&scaled, 0, &[], &CpdKind::Linear.into()).unwrap()
        };
        let plain = ranked(1.0);
        for unit in [
            2f64.powi(-400),
            2f64.powi(-100),
            2f64.powi(100),
            2f64.powi(400),
        ] {
            assert_eq!(ranked(unit), plain);
        }
    }
}
