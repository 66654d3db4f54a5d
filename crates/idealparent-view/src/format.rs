//! Every format that a network can be written in, by name.

use std::fmt;
use std::str::FromStr;

use idealparent::error::quoted;
use idealparent::network::{ExportFormat, export as export_text};
use idealparent::{Error, Network, Result};

use crate::svg;

/// A format that a network can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Text that other programs read.
    Text(ExportFormat),
    /// A picture.
    Svg,
}

impl Format {
    /// All formats, in the order they are listed to users.
    pub fn all() -> impl Iterator<Item = Format> {
        let text = ExportFormat::all().iter().copied().map(Format::Text);
        text.chain([Format::Svg])
    }

    /// The format's word in options.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text(format) => format.name(),
            Format::Svg => "svg",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    /// From the format's word, in any case of letters; an unknown one is wrong usage. `png` is none
    /// of them: pixels are made from the text of the SVG.
    fn from_str(word: &str) -> Result<Self> {
        let mut known = Format::all();
        let found = known.find(|format| format.name().eq_ignore_ascii_case(word));
        found.ok_or_else(|| {
            let has_png = cfg!(feature = "png");
            Error::Options(match word.eq_ignore_ascii_case("png") {
                true if has_png => "a png is not text: draw it from svg".to_string(),
                true => "a png needs the feature png of idealparent-view".to_string(),
                false => {
                    let names = Format::all().map(Format::name);
                    let list: Vec<&str> = names.chain(has_png.then_some("png")).collect();
                    let (word, list) = (quoted(word), list.join(", "));
                    format!("{word} is no export format (one of {list})")
                }
            })
        })
    }
}

/// The text of `network` in `format`. The same network gives the same bytes.
///
/// # Errors
///
/// What the format cannot hold is an [`Error::Network`] whose place is the format, as for
/// [`idealparent::network::export`].
pub fn export(network: &Network, format: Format) -> Result<String> {
    match format {
        Format::Text(format) => export_text(network, format),
        Format::Svg => svg::write(network),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn formats_go_by_name() {
        for format in Format::all() {
            assert_eq!(format.name().parse::<Format>().unwrap(), format);
        }
        assert_eq!("SVG".parse::<Format>().unwrap(), Format::Svg);
        let error = "pdf".parse::<Format>().unwrap_err();
        assert!(error.is_usage());
        let text = error.to_string();
        assert!(text.contains("graphml") && text.contains("svg"), "{text}");
        let error = "PNG".parse::<Format>().unwrap_err();
        assert!(error.is_usage() && error.to_string().starts_with("a png "));
        let error = "a\nb".parse::<Format>().unwrap_err();
        assert!(error.to_string().starts_with(r"'a\nb' is no export format"));
    }

    #[test]
    fn exports_are_the_same_each_time() {
        let network = testing::plain();
        for format in Format::all() {
            let once = export(&network, format).unwrap();
            assert_eq!(once, export(&network, format).unwrap());
            assert!(
                once.ends_with('\n'),
                "{format}: a text file ends its last line"
            );
        }
    }

    #[test]
    fn what_a_picture_cannot_hold_is_refused() {
        let refused = |change: fn(&mut Network), word: &str| {
            let mut network = testing::plain();
            change(&mut network);
            let error = export(&network, Format::Svg).unwrap_err();
            assert!(matches!(error, Error::Network { .. }) && !error.is_usage());
            let text = error.to_string();
            assert!(
                text.starts_with("svg export: ") && text.contains(word),
                "{text}"
            );
            assert!(!text.contains('\n'));
        };
        refused(|n| n.variables[1].name.clear(), "empty name");
        refused(|n| n.variables[1].name = "A".into(), "'A'");
        refused(|n| testing::linear(n, 1).weights[0] = f64::NAN, "'B c'");
        refused(|n| testing::linear(n, 0).intercept = f64::INFINITY, "'A'");
        refused(|n| n.variables[4].name = "x\0y".into(), "U+0000, which XML");
    }
}
