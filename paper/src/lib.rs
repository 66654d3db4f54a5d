//! The experiments of Nachman, Elidan and Friedman, *"Ideal Parent" Structure Learning for Continuous Variable Networks*
//! (UAI 2004), repeated with idealparent, beside the paper's own numbers and beside the defaults of today.
//!
//! [`faithful`] holds what was done in 2004 and is not done any more; [`experiments`] the paper's tables and figures.

pub mod experiments;
pub mod faithful;
pub mod files;
pub mod signals;
