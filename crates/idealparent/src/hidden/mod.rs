//! Hidden variables: where the ideal parents of several variables agree, one is missing (section 4.2).

mod attempt;
mod cliques;
mod cluster;
mod factor;
mod given;
mod grow;
mod insert;
mod leading;
mod normal;
mod options;
mod profiles;
mod propose;
mod residuals;

pub use attempt::{HiddenAttempt, HiddenOutcome};
pub use cluster::{Agglomeration, Cluster, ClusterScore, agglomerate};
pub use factor::Factor;
pub(crate) use given::fit_hidden;
pub(crate) use grow::Growth;
pub(crate) use normal::{anchor, anchored, normalise};
pub use options::{HiddenCount, HiddenOptions};
pub use profiles::Profiles;
