//! The experiments of Nachman, Elidan and Friedman, *"Ideal Parent" Structure Learning for
//! Continuous Variable Networks* (UAI 2004), repeated with idealparent. The results are compared
//! with the paper's numbers and with those of the current defaults.
//!
//! [`faithful`] contains the procedures of 2004 that the library does not use; [`experiments`]
//! makes the paper's tables and figures.

pub mod experiments;
pub mod faithful;
pub mod files;
pub mod signals;
