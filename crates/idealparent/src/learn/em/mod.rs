//! Learning from missing values (section 4.3): EM for a given structure, and structural EM.

mod relax;
mod steps;
mod structural;
mod units;

pub(super) use steps::{CompletedNetwork, Em, EmLimits, LEAST_HIDDEN};
pub(super) use structural::{EmSchedule, Iterations, choose_gamma};
pub(super) use units::{anchor, normalise};
