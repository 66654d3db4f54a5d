//! Missing values: what is known of them given a network, and learning around that (section 4.3).

mod exact;
mod expected;
mod holes;
mod instance;
mod integrate;
mod joint;
mod mean_field;
mod relax;
mod steps;
mod structural;
mod watch;

pub use exact::{Posterior, Wanted, exact};
pub use expected::expected_log_likelihood;
use expected::{entropy, expected_family};
pub use holes::{Holes, Pattern};
pub(crate) use instance::Integrator;
pub use instance::{InstanceLikelihood, InstancePosterior};
pub(crate) use steps::{Completion, Em, LEAST_HIDDEN, Limits, State};
pub(crate) use structural::{Care, Iterations};
pub(crate) use watch::{Aside, Steps};
