//! Hidden variables: where the ideal parents of several variables agree, one is missing (section 4.2).

mod attempt;
mod cluster;
mod factor;
mod grow;
mod insert;
mod leading;
mod normal;
mod options;
mod profiles;
mod residuals;

pub use attempt::{HiddenAttempt, HiddenOutcome};
pub use cluster::{Agglomeration, Cluster, ClusterScore, agglomerate};
pub use factor::Factor;
pub(crate) use grow::Growth;
pub(crate) use normal::{anchor, anchored, normalise};
pub use options::{HiddenCount, HiddenOptions};
pub use profiles::Profiles;
