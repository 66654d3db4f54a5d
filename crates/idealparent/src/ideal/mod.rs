//! The ideal parent: its profile, how candidates are compared with it, and how they are chosen
//! (sections 3, 4.1 and 5 of the paper).

mod family_selector;
mod gram_selector;
mod measure;
mod profile;
mod scan;
mod selector;
mod top;

pub use family_selector::FamilySelector;
pub use gram_selector::GramSelector;
pub use measure::{
    Measure, c1, c1_distorted, c1_replace, c2, c2_distorted, c2_expected, c2_replace,
    distorted_weight,
};
pub use profile::{ideal_profile, replacement_profile};
pub use scan::{Scan, scan_candidates};
pub use selector::{
    Budget, Candidate, Exhaustive, Query, Ranking, Selector, Survey, TIE, sort_with_ties,
};
