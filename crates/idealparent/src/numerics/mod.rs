//! Numerical methods, independent of tables and networks: factorisations, least squares,
//! quadrature, limits.

mod cholesky;
mod least_squares;
mod limits;
mod marquardt;
mod multiply;
mod orthogonal;
mod quadrature;
mod regression;
mod summary;
mod uncertain;

pub use cholesky::Cholesky;
pub use least_squares::{LeastSquares, inner_product, least_squares};
pub use limits::{COLLINEAR, UNCERTAIN_FLOOR, UNRESOLVED, VARIANCE_FLOOR};
#[cfg(test)]
pub(crate) use marquardt::check_gradient;
pub use marquardt::{FINAL_TOLERANCE, Problem, SEARCH_TOLERANCE, minimise};
pub(crate) use multiply::multiply;
pub use orthogonal::{Orthogonal, triangle};
pub use quadrature::Rule;
pub(crate) use quadrature::WIDE;
pub use regression::{NEARLY_COLLINEAR, Regression};
pub use summary::{centred, mean_and_variance};
pub(crate) use uncertain::uncertain_normal_equations;
