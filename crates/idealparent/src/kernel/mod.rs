//! Inner loops over slices, compiled once per instruction set; the right version is chosen at run
//! time. Sums use a fixed number of lanes, so that every machine adds in the same order.

mod dot;
mod exp;
mod projection;
mod sweep;
mod triangular;

use pulp::{Arch, NullaryFnOnce};

pub use dot::{LANES, dot, dots, project_off, subtract_combination, subtract_multiple};
pub use exp::logistic_and_slope;
pub use projection::{Point, ScaleFit, fit_scale, linear_predictor, normal_equations};
pub use sweep::{BLOCK, Block, Keys, SlotTerms};
pub use triangular::{factor_lower, invert_lower};

/// Runs the version of `body` that was compiled for the machine's instruction set. The closure and
/// everything it calls must be `#[inline(always)]`: only inlined code is compiled for the
/// instruction set.
#[inline(always)]
fn dispatch<R>(body: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Inlined(body))
}

/// Calls the closure by reference: a call by value goes through a function that is not inlined.
struct Inlined<F>(F);

impl<R, F: FnMut() -> R> NullaryFnOnce for Inlined<F> {
    type Output = R;

    #[inline(always)]
    fn call(mut self) -> R {
        (self.0)()
    }
}
