//! Inference with a network (section 4.3): posteriors of missing values, likelihood, prediction and
//! imputation.

mod exact;
mod expected;
mod impute;
mod instance;
mod integrate;
mod joint;
mod likelihood;
mod mean_field;
mod posterior;
mod predict;
mod profiles;

#[cfg(feature = "testing")]
pub use exact::Posterior;
pub use exact::{Wanted, exact};
pub use expected::expected_log_likelihood;
pub(crate) use expected::{Completion, entropy, expected_family};
pub use impute::{Imputation, impute};
pub(crate) use instance::Integrator;
pub use instance::{InstanceLikelihood, InstancePosterior};
pub use likelihood::NetworkScore;
pub(crate) use mean_field::mean_field;
pub use posterior::RowPosterior;
pub use predict::Prediction;
