//! Packing of the data's values for the page: a limited number of instances, four bytes per value.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Maximum number of values in the page. More would make the page too large to send by mail, and
/// no chart could show them.
const MAX_VALUES: usize = 400_000;

/// Minimum number of instances shown, regardless of the number of variables.
const MIN_ROWS: usize = 60;

/// The instances that the page shows, evenly spaced.
pub(super) fn shown_rows(rows: usize, variables: usize) -> Vec<usize> {
    let most = (MAX_VALUES / variables.max(1)).clamp(MIN_ROWS, 5000);
    if rows <= most {
        return (0..rows).collect();
    }
    (0..most).map(|i| i * rows / most).collect()
}

/// Packs the values of one variable in single precision, centred and scaled, so that variables with
/// a large offset or an extreme scale keep their digits.
pub(super) struct Packer {
    pub centre: f64,
    pub scale: f64,
}

impl Packer {
    pub fn new(column: &[f64]) -> Self {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let centre = 0.5 * low + 0.5 * high;
        let scale = 0.5 * high - 0.5 * low;
        Packer {
            centre: if centre.is_finite() { centre } else { 0.0 },
            scale: if scale.is_finite() && scale > 0.0 {
                scale
            } else {
                1.0
            },
        }
    }

    /// Values, centred and scaled, as base64 of little-endian single precision numbers.
    pub fn places(&self, values: Vec<f64>) -> String {
        packed(
            values
                .into_iter()
                .map(|value| (value - self.centre) / self.scale),
        )
    }

    /// Differences of values, scaled but not centred, in the same encoding.
    pub fn differences(&self, values: impl Iterator<Item = f64>) -> String {
        packed(values.map(|value| value / self.scale))
    }
}

fn packed(values: impl Iterator<Item = f64>) -> String {
    let bytes: Vec<u8> = values
        .flat_map(|value| (value as f32).to_le_bytes())
        .collect();
    STANDARD.encode(bytes)
}

/// Bits as base64, eight per byte, the first one in the lowest bit.
pub(super) fn packed_bits(bits: &[bool]) -> String {
    let byte = |eight: &[bool]| {
        let set = eight.iter().enumerate().filter(|(_, bit)| **bit);
        set.fold(0_u8, |byte, (place, _)| byte | 1 << place)
    };
    STANDARD.encode(bits.chunks(8).map(byte).collect::<Vec<u8>>())
}

/// A number rounded to seven digits, which is more than the page shows. Null if it is not finite.
pub(super) fn short(value: f64) -> serde_json::Value {
    if value.is_finite() {
        let text = format!("{value:.6e}");
        serde_json::json!(text.parse::<f64>().expect("it was a number"))
    } else {
        serde_json::Value::Null
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_rows_are_evenly_spaced() {
        assert_eq!(shown_rows(173, 50).len(), 173);
        let some = shown_rows(10_000, 2_000);
        assert_eq!((some.len(), some[0], some[1]), (200, 0, 50));
        assert_eq!(shown_rows(1000, 100_000).len(), MIN_ROWS);
    }

    #[test]
    fn bits_and_numbers_are_packed() {
        assert_eq!(packed_bits(&[true, false, false, true]), "CQ==");
        assert_eq!(packed([1.0].into_iter()), "AACAPw==");
        let years = Packer::new(&[1.6e9, 1.6e9 + 4.0]);
        assert_eq!((years.centre, years.scale), (1.6e9 + 2.0, 2.0));
        assert_eq!(years.places(vec![1.6e9 + 4.0]), "AACAPw==");
        assert_eq!(years.differences([2.0].into_iter()), "AACAPw==");
        let huge = Packer::new(&[-1e308, 1e308]);
        assert_eq!((huge.centre, huge.scale), (0.0, 1e308));
        assert_eq!(short(f64::NAN), serde_json::Value::Null);
        assert_eq!(short(0.1 + 0.2), serde_json::json!(0.3));
    }
}
