//! Every measure of every candidate beside the true change: what the paper's Figure 1 plots.

use rayon::prelude::*;

use super::{c1, c2, ideal_profile};
use crate::data::{Columns, Table};
use crate::error::{Error, Result};
use crate::fit::{centred, dot, least_squares, mean_and_variance};
use crate::score::{VARIANCE_FLOOR, enough_instances, relative};

/// A candidate parent and what each measure makes of it, in nats, penalties not counted.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedParent {
    /// Column of the candidate.
    pub parent: usize,
    /// Proposition 3.2, the candidate centred.
    pub c1: f64,
    /// Proposition 3.3.
    pub c2: f64,
    /// The tangent measure.
    pub tangent: f64,
    /// True change in log-likelihood after refitting; `None` if the family cannot be fitted.
    pub delta: Option<f64>,
}

/// Compares every column with the ideal additional parent of `child`, whose family is fitted first.
///
/// Sorted by true change, largest first. Columns that never vary are left out.
pub fn rank_parents(table: &Table, child: usize, parents: &[usize]) -> Result<Vec<RankedParent>> {
    let name = &table.names()[child];
    if parents.contains(&child) {
        return Err(Error::Data(format!("'{name}' cannot be its own parent")));
    }
    if table.missing() > 0 {
        return Err(Error::Data(
            "ranking needs complete data, and there are missing values".to_string(),
        ));
    }
    // Refuses values whose squares do not fit a double.
    Columns::new(table)?;
    let m = table.rows() as f64;
    let x = table.column(child);
    let own = mean_and_variance(x).1;
    if own == 0.0 {
        return Err(Error::Data(format!("'{name}' never varies in the data")));
    }
    let inputs: Vec<&[f64]> = parents.iter().map(|&p| table.column(p)).collect();
    let fit = least_squares(x, &inputs).filter(|_| enough_instances(m, parents.len()));
    let Some(fit) = fit else {
        return Err(Error::Data(format!(
            "the family of '{name}' cannot be fitted: its parents are collinear, or too many for {m} instances"
        )));
    };
    let y = ideal_profile(x, &inputs, &fit);
    let s2 = (fit.sse / m).max(VARIANCE_FLOOR * own);
    let current = relative(m, fit.sse / (m * own));
    let usable = |z: &usize| *z != child && !parents.contains(z);
    let candidate = |z: usize| {
        let column = table.column(z);
        let (centred_z, _) = centred(column);
        let own_z = dot(&centred_z, &centred_z);
        if own_z == 0.0 {
            return None;
        }
        let mut family = inputs.clone();
        family.push(column);
        let full = least_squares(x, &family).filter(|_| enough_instances(m, family.len()));
        // What the current fit cannot imitate of the candidate; floored like the true change.
        let tangent = least_squares(column, &inputs)
            .filter(|_| full.is_some())
            .map_or(0.0, |on_parents| {
                let perpendicular = ideal_profile(column, &inputs, &on_parents);
                let fall = dot(&y, &perpendicular).powi(2) / dot(&perpendicular, &perpendicular);
                relative(m, (fit.sse - fall) / (m * own)) - current
            });
        Some(RankedParent {
            parent: z,
            c1: c1(&y, &centred_z, s2),
            c2: c2(&y, &centred_z),
            tangent,
            delta: full.map(|fit| relative(m, fit.sse / (m * own)) - current),
        })
    };
    let candidates: Vec<usize> = (0..table.width()).filter(usable).collect();
    let mut ranked: Vec<RankedParent> = candidates.into_par_iter().filter_map(candidate).collect();
    let key = |r: &RankedParent| r.delta.unwrap_or(f64::NEG_INFINITY);
    ranked.sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.parent.cmp(&b.parent)));
    Ok(ranked)
}
