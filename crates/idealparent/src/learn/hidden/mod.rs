//! Hidden variables: if the ideal parents of several variables agree, a common parent is missing
//! from the data (section 4.2).

mod cliques;
mod cluster;
mod factor;
mod given;
mod grow;
mod insert;
mod leading;
mod profiles;
mod propose;
mod residuals;

pub use cluster::{Agglomeration, Cluster, agglomerate};
pub use factor::HiddenFactor;
pub(super) use given::fit_hidden;
pub(super) use grow::Growth;
pub use profiles::ProfileSimilarities;
