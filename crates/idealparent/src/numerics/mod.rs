//! Numerical methods that know nothing of tables and networks: factorisations, least squares, quadrature, limits.

mod cholesky;
mod least_squares;
mod limits;
mod marquardt;
mod quadrature;
mod summary;
mod uncertain;

pub use cholesky::Cholesky;
pub use least_squares::{LeastSquares, inner_product, least_squares};
pub use limits::{COLLINEAR, VARIANCE_FLOOR};
pub use marquardt::{Problem, minimise};
pub use quadrature::Rule;
pub(crate) use quadrature::WIDE;
pub use summary::{centred, mean_and_variance};
pub(crate) use uncertain::{UncertainNormal, uncertain_normal_equations};
