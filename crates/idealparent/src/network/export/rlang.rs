//! Helpers shared by the exports for R packages, bnlearn and lavaan.

use crate::cpd::{Cpd, LinearCpd};
use crate::error::{Result, quoted};
use crate::network::{ExportFormat, Network, Transform};

/// The densities of a linear Gaussian network without hidden variables. Any other network is an
/// error, because neither package can represent it.
pub(super) fn gaussian(network: &Network, format: ExportFormat) -> Result<Vec<&LinearCpd>> {
    let parts = network.variables.iter().zip(&network.families);
    parts
        .map(|(variable, family)| {
            let refuse = |what: String| {
                let name = quoted(&variable.name);
                Err(format.refuse(format!("variable {name} {what}")))
            };
            if variable.hidden {
                return refuse(
                    "is hidden; this format supports observed variables only (use graphml)".into(),
                );
            }
            match &family.cpd {
                Cpd::Linear(linear) if linear.variance > 0.0 => Ok(linear),
                Cpd::Linear(_) => refuse("has a variance that is not positive".into()),
                other => refuse(format!(
                    "has a {} cpd; this format supports linear cpds only",
                    other.kind()
                )),
            }
        })
        .collect()
}

/// A comment that tells users to transform their data, or an empty string if they need not.
pub(super) fn transform_comment(network: &Network) -> &'static str {
    match network.transform {
        Transform::None => "",
        Transform::Exp2 => "# The parameters are for 2^x of the data: transform the data first.\n",
    }
}

/// Quotes and escapes text as an R string literal.
pub(super) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_format(c) => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether `c` is an invisible formatting character. R rejects some of these unless escaped.
fn is_format(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Converts a name as R's `make.names` does in a UTF-8 locale. `read.csv` and similar functions
/// name their columns this way.
pub(super) fn make_name(name: &str) -> String {
    let mut chars = name.chars();
    let valid_start = match (chars.next(), chars.next()) {
        (Some('.'), Some(second)) => !second.is_ascii_digit(),
        (Some('.'), None) => true,
        (Some(first), _) => first.is_alphabetic(),
        (None, _) => false,
    };
    let keep = |c: char| {
        if c.is_alphabetic() || c.is_ascii_digit() || c == '_' {
            c
        } else {
            '.'
        }
    };
    let prefix = if valid_start { "" } else { "X" };
    let mut made: String = prefix.chars().chain(name.chars().map(keep)).collect();
    if RESERVED.contains(&&*made) {
        made.push('.');
    }
    made
}

/// Reserved words of R.
const RESERVED: [&str; 19] = [
    "NULL",
    "NA",
    "TRUE",
    "FALSE",
    "Inf",
    "NaN",
    "NA_integer_",
    "NA_real_",
    "NA_character_",
    "NA_complex_",
    "function",
    "while",
    "repeat",
    "for",
    "if",
    "in",
    "else",
    "next",
    "break",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_converted_as_make_names_does() {
        // Recorded from R 4.2 in a UTF-8 locale.
        let recorded = [
            ("a b", "a.b"),
            ("_x", "X_x"),
            ("1a", "X1a"),
            (".1a", "X.1a"),
            (".", "."),
            ("..1", "..1"),
            ("if", "if."),
            ("NA", "NA."),
            ("NA_real_", "NA_real_."),
            ("T", "T"),
            ("", "X"),
            ("été", "été"),
            ("β-catenin", "β.catenin"),
            ("a\nb", "a.b"),
            ("a²", "a."),
            ("²", "X."),
            ("日本", "日本"),
            (".é", ".é"),
            ("x_y", "x_y"),
            ("function", "function."),
        ];
        for (name, made) in recorded {
            assert_eq!(make_name(name), made, "{name}");
        }
    }

    #[test]
    fn special_characters_are_escaped_in_r_strings() {
        assert_eq!(string("a\"b\\c\n\u{1}é"), "\"a\\\"b\\\\c\\n\\u0001é\"");
        assert_eq!(string("\u{202e}abc\u{2066}"), "\"\\u202eabc\\u2066\"");
    }
}
