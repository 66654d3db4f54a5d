//! Leaves of the computation: plain loops over slices, compiled once per instruction set and chosen
//! at run time. Sums are taken in a fixed number of lanes, so every machine adds in the same order.

mod dot;
mod exp;
mod projection;
mod sweep;

use pulp::{Arch, NullaryFnOnce};

pub use dot::dot;
pub use exp::logistic_and_slope;
pub use projection::{Fitted, Point, fit_scale, linear_predictor, normal_equations};
pub use sweep::{BLOCK, Block, Keys, SlotTerms};

/// Runs a loop as compiled for the machine's instruction set. It must be `#[inline(always)]`, as
/// all that it calls: only what is part of the function for an instruction set is compiled for it.
#[inline(always)]
fn dispatch<R>(body: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Inlined(body))
}

/// Called by reference: a closure called by value goes through a function that is not inlined.
struct Inlined<F>(F);

impl<R, F: FnMut() -> R> NullaryFnOnce for Inlined<F> {
    type Output = R;

    #[inline(always)]
    fn call(mut self) -> R {
        (self.0)()
    }
}
