//! Axes: their range, and ticks at round numbers.

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios; numbers must be positive.
    Log,
}

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Label of the axis.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Labels at 0, 1, 2 and so on, used instead of numbers unless empty.
    pub names: Vec<String>,
    /// First and last value. `None`: chosen from the points.
    pub ends: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis with numbers.
    pub fn new(label: &str) -> Self {
        Axis {
            label: label.to_string(),
            scale: Scale::Linear,
            names: Vec::new(),
            ends: None,
        }
    }

    /// Makes the axis logarithmic.
    pub fn log(mut self) -> Self {
        self.scale = Scale::Log;
        self
    }

    /// Labels the axis with names instead of numbers.
    pub fn named(mut self, names: Vec<String>) -> Self {
        self.names = names;
        self
    }

    fn forward(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        }
    }

    /// The range of the axis that contains these values, in the axis's scale.
    pub(super) fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        let ends = match (self.ends, self.names.len()) {
            (Some((low, high)), _) => (self.forward(low), self.forward(high)),
            (None, 0) => {
                let (low, high) = values
                    .map(|value| self.forward(value))
                    .filter(|value| value.is_finite())
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                        (low.min(x), high.max(x))
                    });
                let (low, high) = match low.partial_cmp(&high) {
                    Some(std::cmp::Ordering::Less) => (low, high),
                    Some(std::cmp::Ordering::Equal) => {
                        let by = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
                        (low - by, high + by)
                    }
                    _ => (0.0, 1.0),
                };
                let pad = 0.05 * (high - low);
                (low - pad, high + pad)
            }
            (None, count) => (-0.6, count as f64 - 0.4),
        };
        Span {
            low: ends.0,
            high: ends.1,
        }
    }

    /// Positions and labels of the ticks.
    pub(super) fn ticks(&self, span: &Span, most: usize) -> Vec<(f64, String)> {
        if !self.names.is_empty() {
            let names = self.names.iter().enumerate();
            return names.map(|(at, name)| (at as f64, name.clone())).collect();
        }
        if self.scale == Scale::Log && span.high - span.low > 0.8 {
            return log_ticks(span);
        }
        let back = |x: f64| match self.scale {
            Scale::Linear => x,
            Scale::Log => 10_f64.powf(x),
        };
        let (low, high) = (back(span.low), back(span.high));
        let step = round_step((high - low) / most as f64);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last)
            .map(|i| i as f64 * step)
            .map(|value| (self.forward(value), number(value, step)))
            .filter(|(place, _)| place.is_finite())
            .collect()
    }

    /// Position of a value, in the axis's scale.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.forward(value)
    }
}

/// The range of an axis, in the axis's scale.
pub(super) struct Span {
    pub low: f64,
    pub high: f64,
}

impl Span {
    /// Relative position: 0 at the beginning of the axis, 1 at its end.
    pub fn share(&self, place: f64) -> f64 {
        (place - self.low) / (self.high - self.low)
    }
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let size = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0]
        .iter()
        .map(|k| k * size)
        .find(|&step| step >= raw * 0.999);
    step.unwrap_or(10.0 * size)
}

/// Ticks at powers of ten, and for short ranges also at 2 and 5 times these.
fn log_ticks(span: &Span) -> Vec<(f64, String)> {
    let (first, last) = (span.low.floor() as i32, span.high.ceil() as i32);
    let factors: &[f64] = match span.high - span.low {
        decades if decades > 3.0 => &[1.0],
        _ => &[1.0, 2.0, 5.0],
    };
    let mut ticks = Vec::new();
    for power in first..=last {
        for factor in factors {
            let value = factor * 10_f64.powi(power);
            if (span.low..=span.high).contains(&value.log10()) {
                ticks.push((value.log10(), number(value, value)));
            }
        }
    }
    ticks
}

/// Formats a number with as many digits as the distance between ticks requires.
fn number(value: f64, step: f64) -> String {
    let text = if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        format!("{value:.0e}")
    } else {
        let digits = (-step.log10().floor()).max(0.0) as usize;
        format!("{value:.digits$}")
    };
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().any(|c| c.is_ascii_digit() && c != '0') => {
            format!("\u{2212}{rest}")
        }
        Some(rest) => rest.to_string(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, values: [f64; 2]) -> Vec<String> {
        let span = axis.span(values.into_iter());
        axis.ticks(&span, 5)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    }

    #[test]
    fn ticks_are_at_round_numbers() {
        let axis = Axis::new("x");
        assert_eq!(texts(&axis, [0.0, 1.0]), ["0.0", "0.5", "1.0"]);
        assert_eq!(
            texts(&axis, [-2.0, 2.0]),
            ["\u{2212}2", "\u{2212}1", "0", "1", "2"]
        );
        let log = Axis::new("x").log();
        assert_eq!(
            texts(&log, [25.0, 1000.0]),
            ["50", "100", "200", "500", "1000"]
        );
        let named = Axis::new("x").named(vec!["a".into(), "b".into()]);
        assert_eq!(texts(&named, [0.0, 1.0]), ["a", "b"]);
        assert!(!texts(&axis, [3.0, 3.0]).is_empty() && !texts(&axis, [f64::NAN; 2]).is_empty());
    }
}
