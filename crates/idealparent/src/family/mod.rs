//! Families, each a child with its parents, on data: moments, fits, residuals, and the profiles
//! with which candidate parents are compared.

mod blocks;
mod expected;
mod gram;
mod gram_family;
mod linear;
mod link;
mod model;
mod on_data;
mod opening;
mod product;
mod profiles;
mod rows;
mod single_parent;
mod vectors;

pub use blocks::Blocks;
pub use expected::{LinearFit, expected_squares, fit_linear};
pub use gram::{Gram, enough_instances};
pub use gram_family::GramFamily;
pub use linear::LinearModel;
pub use link::LinkModel;
#[cfg(feature = "testing")]
pub use link::{LinkProblem, fit_link};
pub use model::{FamilyFit, FamilyModel, Job, Nested};
use model::{weakest_parents, without};
pub use on_data::FamilyData;
pub use opening::{CandidateForm, IdealProfile, Opening};
pub use product::ProductModel;
pub(crate) use product::SMALLEST_VARIATION;
pub use profiles::Profiles;
pub(crate) use profiles::SCANNED;
pub use rows::Rows;
pub use single_parent::SingleParent;

/// Three sine waves around a level. Some entries of each are uncertain, with these variances.
#[cfg(test)]
fn waves_with_holes(level: f64, sizes: [f64; 3]) -> crate::data::Completed<'static> {
    let wave = |rate: f64| {
        (0..40)
            .map(|t| level + (f64::from(t) * rate).sin())
            .collect()
    };
    let uncertain = |every: usize, size: f64| {
        let variance = |t: usize| if t.is_multiple_of(every) { size } else { 0.0 };
        (0..40).map(variance).collect()
    };
    let [child, first, second] = sizes;
    let variances = vec![
        uncertain(7, child),
        uncertain(3, first),
        uncertain(5, second),
    ];
    let columns: [crate::data::Column; 3] = [0.9, 1.3, 2.1].map(wave);
    crate::data::Completed::new(columns.to_vec(), variances, Default::default())
}
