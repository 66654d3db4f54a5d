//! Missing values: what is known of them given a network, and learning around that (section 4.3).

mod exact;
mod expected;
mod holes;
mod instance;
mod mean_field;
mod steps;
mod structural;
mod watch;

pub use exact::{Moments, Posterior, exact};
pub use expected::expected_log_likelihood;
pub use holes::{Holes, Pattern};
pub use instance::InstancePosterior;
pub(crate) use instance::instance_posterior;
pub(crate) use mean_field::MeanField;
