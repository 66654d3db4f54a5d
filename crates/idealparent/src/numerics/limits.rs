//! Where numbers stop being meaningful.

/// The noise variance never falls below this share of the child's own variance.
pub const VARIANCE_FLOOR: f64 = 1e-6;

/// A parent whose part not explained by the other parents is below this share of its variance is
/// refused: its weight would be rounding noise.
pub const COLLINEAR: f64 = 1e-9;
