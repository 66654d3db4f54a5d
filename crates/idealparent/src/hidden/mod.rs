//! Hidden variables: where the ideal parents of several variables agree, one is missing (section 4.2).

mod cluster;
mod leading;
mod profiles;

pub use cluster::{Agglomeration, Cluster, ClusterScore, agglomerate};
pub use profiles::Profiles;
