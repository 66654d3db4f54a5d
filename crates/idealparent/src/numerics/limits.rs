//! Numerical limits of fits.

/// The noise variance never falls below this share of the child's variance.
pub const VARIANCE_FLOOR: f64 = 1e-12;

/// The same where entries are uncertain. Their expectations come from the inverse of a matrix whose
/// condition is about 1 over this share, and EM must not follow its rounding errors.
pub const UNCERTAIN_FLOOR: f64 = 1e-6;

/// A parent is collinear if the other parents leave less than this share of its variance
/// unexplained: its weight would be rounding noise.
pub const COLLINEAR: f64 = 1e-12;

/// Shares below this are rounding noise where `f64` is used without refinement: in rankings of
/// non-linear families.
pub const UNRESOLVED: f64 = 1e-9;
