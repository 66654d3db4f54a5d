//! Parsing of one cell of a text table.

/// The value of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    /// No value: empty, or one of the words for a missing value.
    Missing,
    /// A finite number.
    Number(f64),
    /// A word for infinity, or a number too large for a double.
    Infinite,
    /// Anything else.
    Text,
}

impl Cell {
    /// Parses a cell, ignoring spaces around it.
    pub(super) fn parse(cell: &str) -> Cell {
        let cell = cell.trim();
        if cell.is_empty() {
            return Cell::Missing;
        }
        match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => Cell::Number(value),
            Ok(value) if value.is_nan() => Cell::Missing,
            Ok(_) => Cell::Infinite,
            Err(_) if is_missing_word(cell) => Cell::Missing,
            Err(_) => Cell::Text,
        }
    }

    /// Whether the cell is missing.
    pub(super) fn is_missing(cell: &str) -> bool {
        Cell::parse(cell) == Cell::Missing
    }
}

/// Whether a cell is one of the words for a missing value, besides NaN, which parses as a number.
fn is_missing_word(cell: &str) -> bool {
    ["NA", "N/A", "null", "none", "."]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(cell))
}

/// Whether a cell is a number with a decimal comma, such as `1,5`.
pub(super) fn is_decimal_comma(cell: &str) -> bool {
    let mut parts = cell.trim().split(',');
    let whole = parts
        .next()
        .unwrap_or_default()
        .trim_start_matches(['-', '+']);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && parts.next().is_some_and(digits) && parts.next().is_none()
}

/// Whether a comma in a number could be a thousands separator as well, as in `1,234`.
pub(super) fn is_grouped(cell: &str) -> bool {
    let digits = cell.trim().trim_start_matches(['-', '+']);
    let Some((whole, rest)) = digits.split_once(',') else {
        return false;
    };
    is_decimal_comma(cell) && whole.len() <= 3 && !whole.starts_with('0') && rest.len() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_missing_values_ignore_case() {
        for cell in [
            "", "  ", "NA", "na", "n/a", "N/A", "NaN", "nan", "NAN", "-nan", "NULL", "null",
            "None", "none", ".", " NA ", "\u{a0}",
        ] {
            assert_eq!(Cell::parse(cell), Cell::Missing, "{cell:?}");
        }
    }

    #[test]
    fn numbers_are_parsed_exactly() {
        for (cell, value) in [
            ("1", 1.0),
            (" -0.1 ", -0.1),
            ("+3.", 3.0),
            (".5", 0.5),
            ("1e-3", 1e-3),
            ("6.02E23", 6.02e23),
            ("0.1000000000000000055511151231257827", 0.1),
            ("1e-999", 0.0),
            ("5e-324", 5e-324),
        ] {
            assert_eq!(Cell::parse(cell), Cell::Number(value), "{cell:?}");
        }
        let Cell::Number(zero) = Cell::parse("-0") else {
            panic!("-0 is a number");
        };
        assert!(zero.is_sign_negative());
    }

    #[test]
    fn infinite_values_and_text_are_distinguished() {
        for cell in ["inf", "-Inf", "INFINITY", "1e999", "-1e999"] {
            assert_eq!(Cell::parse(cell), Cell::Infinite, "{cell:?}");
        }
        for cell in [
            "abc", "1_000", "1,5", "0x10", "1 2", "-", "e5", "..", "n.a.", "¾",
        ] {
            assert_eq!(Cell::parse(cell), Cell::Text, "{cell:?}");
        }
    }
}
