//! Fits of link densities: variable projection, with Levenberg-Marquardt iterations over the
//! weights inside the link.

use super::FamilyData;
use super::uncertain::Uncertain;
use crate::cpd::Link;
use crate::kernel::{Point, ScaleFit, dot, fit_scale, linear_predictor, normal_equations};
use crate::numerics::{Problem, minimise, uncertain_normal_equations};

/// Largest step of the bias in one iteration. Far out on a sigmoid's flank the derivative is a poor
/// guide, and a bias that jumps too far would slow down the weights.
const LARGEST_BIAS_STEP: f64 = 3.0;

/// The fit of a family: `x` regressed on `h(sum_j weights_j inputs_j)` with scale and offset.
pub struct LinkProblem<'a> {
    link: &'a dyn Link,
    x: &'a [f64],
    inputs: Vec<&'a [f64]>,
    bias: bool,
    /// The bias at the beginning of the current iteration.
    from: Option<f64>,
    /// The bias evaluated last, and the link's argument nearest to 0 (0 if arguments are on both
    /// sides).
    last: (f64, f64),
    total: f64,
    fitted: ScaleFit,
    /// Instances with uncertain parents.
    uncertain: Option<Uncertain>,
    /// Term of every sum of squares from the child's uncertain entries.
    own: f64,
    eta: Vec<f64>,
    value: Vec<f64>,
    slope: Vec<f64>,
    work: Vec<f64>,
}

impl<'a> LinkProblem<'a> {
    /// Creates the problem for a centred child.
    pub fn new(link: &'a dyn Link, x: &'a [f64], inputs: Vec<&'a [f64]>) -> Self {
        let m = x.len();
        LinkProblem {
            link,
            x,
            bias: false,
            from: None,
            last: (0.0, 0.0),
            total: dot(x, x),
            fitted: ScaleFit::default(),
            uncertain: None,
            own: 0.0,
            eta: vec![0.0; m],
            value: vec![0.0; m],
            slope: vec![0.0; m],
            work: vec![0.0; (inputs.len() + 1) * m],
            inputs,
        }
    }

    /// With `bias`, the last input must be all ones; its weight is then a free bias.
    pub fn with_bias(mut self, bias: bool) -> Self {
        self.bias = bias;
        self
    }

    /// Includes the uncertainty of the child's and its parents' entries.
    pub fn with_uncertainty(mut self, family: FamilyData) -> Self {
        self.own = family.data.own_variance(family.child);
        self.uncertain = Uncertain::new(family.data, family.parents);
        self
    }

    /// Moves the bias so that at least one argument is within the link's reach of 0.
    fn bound_bias(&mut self, weights: &mut [f64]) {
        let least = self.eta.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.eta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let nearest = least.max(0.0) + most.min(0.0);
        let reach = self.link.reach();
        let excess = nearest - nearest.clamp(-reach, reach);
        let bias = weights.last_mut().expect("the bias");
        if excess != 0.0 {
            *bias -= excess;
            self.eta.iter_mut().for_each(|eta| *eta -= excess);
        }
        self.last = (*bias, nearest - excess);
    }

    /// Standard deviation of the link's argument at these weights.
    pub fn spread(&mut self, weights: &[f64]) -> f64 {
        linear_predictor(&self.inputs, weights, &mut self.eta).sqrt()
    }

    /// Columns of the weighted sum.
    pub fn inputs(&self) -> &[&'a [f64]] {
        &self.inputs
    }

    /// The centred prediction `h(eta)`, its slopes `h'(eta)` and the regression on the prediction,
    /// at the weights evaluated last.
    pub fn state(&self) -> (&[f64], &[f64], ScaleFit) {
        (&self.value, &self.slope, self.fitted)
    }
}

impl Problem for LinkProblem<'_> {
    fn begin(&mut self) {
        self.from = None;
    }

    fn evaluate(&mut self, weights: &mut [f64]) -> f64 {
        if let Some(from) = self.from
            && let Some(bias) = weights.last_mut()
        {
            *bias = bias.clamp(from - LARGEST_BIAS_STEP, from + LARGEST_BIAS_STEP);
        }
        let spread = self.spread(weights);
        let wanted = spread.clamp(self.link.smallest_spread(), self.link.largest_spread());
        if !spread.is_finite() || spread <= 0.0 {
            return f64::INFINITY;
        }
        if wanted != spread {
            // If the weights are too large, the bias shrinks with them, so that the step stays in
            // place. If they are too small, the bias stays, so that the line keeps its part of the
            // link.
            let kept = usize::from(self.bias && wanted > spread);
            let scaled = weights.len() - kept;
            for weight in &mut weights[..scaled] {
                *weight *= wanted / spread;
            }
            linear_predictor(&self.inputs, weights, &mut self.eta);
        }
        if self.bias {
            self.bound_bias(weights);
        }
        self.link
            .evaluate(&self.eta, &mut self.value, &mut self.slope);
        if let Some(uncertain) = &mut self.uncertain {
            let values = (self.value.as_mut_slice(), self.slope.as_mut_slice());
            uncertain.evaluate(self.link, weights, &self.eta, values);
        }
        self.fitted = fit_scale(self.x, &mut self.value);
        if let Some(uncertain) = &self.uncertain {
            self.fitted.square += uncertain.square();
        }
        let sse = self.total - self.fitted.explained() + self.own;
        if self.fitted.square > 0.0 && sse.is_finite() {
            sse.max(0.0)
        } else {
            f64::INFINITY
        }
    }

    fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]) {
        let at = Point {
            x: self.x,
            p: &self.value,
            fitted: self.fitted,
            offset: true,
        };
        let (inputs, slope) = (&self.inputs, &self.slope);
        match &self.uncertain {
            None => normal_equations(at, slope, inputs, &mut self.work, gram, gradient),
            Some(uncertain) => {
                let (mut of_p, mut of_q) = uncertain.derivatives(inputs, slope);
                let q = uncertain.deviations();
                uncertain_normal_equations(at, q, &mut of_p, &mut of_q, gram, gradient);
            }
        }
        if self.bias {
            let i = self.inputs.len() - 1;
            let (bias, nearest) = self.last;
            if nearest.abs() >= self.link.reach() && nearest * gradient[i] > 0.0 {
                // The bias is at its bound, so the step of the weights is computed without it.
                gradient[i] = 0.0;
                gram[i * (i + 1)..].fill(0.0);
                gram[i * (i + 1) + i] = 1.0;
            }
            self.from = Some(bias);
        }
    }
}

/// Fits from several starts. Returns the weights and sum of squares of the best fit; `None` if no
/// start is usable.
///
/// `direction` is the least squares solution and `linear_sse` its sum of squares. A straight line
/// is the limit of small weights; if the other starts end above `linear_sse`, one more start has
/// small weights. `nested` holds the weights of smaller families, each padded with a zero; the fit
/// is never worse than any of these.
pub fn fit_link(
    problem: &mut LinkProblem,
    direction: &[f64],
    linear_sse: f64,
    nested: &[Vec<f64>],
    tolerance: f64,
) -> Option<(Vec<f64>, f64)> {
    let mut best: Option<(Vec<f64>, f64)> = None;
    let mut begin = |problem: &mut LinkProblem, mut weights: Vec<f64>| {
        if let Some(sse) = minimise(problem, &mut weights, tolerance)
            && best.as_ref().is_none_or(|(_, least)| sse < *least)
        {
            best = Some((weights, sse));
        }
        best.as_ref().map_or(f64::INFINITY, |(_, least)| *least)
    };
    let spread = problem.spread(direction);
    let scaled = |to: f64| direction.iter().map(|w| w * to / spread).collect();
    let mut least = f64::INFINITY;
    if spread > 0.0 {
        least = begin(problem, scaled(1.0));
        if !problem.link.is_complementary() {
            // Without symmetry, the opposite direction is a different start.
            least = begin(problem, scaled(-1.0));
        }
        if problem.bias {
            // One start on each flank. From the middle alone, every tenth family ends in a worse
            // minimum.
            for shift in [2.0, -2.0] {
                let mut weights: Vec<f64> = scaled(1.0);
                *weights.last_mut().expect("the bias") = shift;
                least = begin(problem, weights);
            }
        }
    }
    for smaller in nested {
        least = begin(problem, smaller.clone());
    }
    if linear_sse < least && spread > 0.0 {
        begin(problem, scaled(0.1));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpd::Sigmoid;
    use crate::numerics::check_gradient;

    /// A smooth child, and three inputs: two waves and a column of ones.
    fn family() -> (Vec<f64>, Vec<Vec<f64>>) {
        let wave = |t: usize, rate: f64| (t as f64 * rate).sin();
        let first: Vec<f64> = (0..40).map(|t| wave(t, 1.3)).collect();
        let second: Vec<f64> = (0..40).map(|t| wave(t, 2.1)).collect();
        let child: Vec<f64> = (0..40)
            .map(|t| wave(t, 1.3) - 0.4 * wave(t, 2.1) + 0.3 * wave(t, 7.7))
            .collect();
        let mean = child.iter().sum::<f64>() / 40.0;
        let child = child.iter().map(|x| x - mean).collect();
        (child, vec![first, second, vec![1.0; 40]])
    }

    /// Scale and offset are refitted at every point.
    #[test]
    fn gradient_agrees_with_finite_differences() {
        let (x, columns) = family();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        for weights in [[0.5, -0.2, 0.1], [2.0, 1.0, -1.0], [-0.7, 3.0, 2.0]] {
            let mut problem = LinkProblem::new(&Sigmoid, &x, inputs.clone()).with_bias(true);
            check_gradient(&mut problem, &weights);
        }
    }

    #[test]
    fn weights_and_bias_are_kept_within_bounds() {
        let (x, columns) = family();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut problem = LinkProblem::new(&Sigmoid, &x, inputs).with_bias(true);
        for mut weights in [
            [1e9, 0.0, 0.0],
            [1.0, 1.0, -1e6],
            [1e-9, 0.0, 0.5],
            [3.0, 1.0, 400.0],
        ] {
            let sse = problem.evaluate(&mut weights);
            assert!(sse.is_finite() && sse <= dot(&x, &x) * (1.0 + 1e-12));
            let spread = problem.spread(&weights);
            let slack = 1.0 + 1e-6;
            assert!(spread <= Sigmoid.largest_spread() * slack);
            assert!(spread * slack >= Sigmoid.smallest_spread());
            let nearest = problem
                .eta
                .iter()
                .fold(f64::INFINITY, |a, e| a.min(e.abs()));
            assert!(nearest <= Sigmoid.reach() * slack);
        }
        assert!(problem.evaluate(&mut [0.0, 0.0, 1.0]).is_infinite());
        assert!(problem.evaluate(&mut [f64::NAN, 0.0, 1.0]).is_infinite());
    }
}
