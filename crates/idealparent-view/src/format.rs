//! All export formats of a network: text formats and SVG.

use std::fmt;
use std::str::FromStr;

use idealparent::internal::quoted;
use idealparent::{Error, ExportFormat, Network, Result};

use crate::svg;

/// An export format of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A text format of another program.
    Text(ExportFormat),
    /// A picture of the graph, as SVG.
    Svg,
}

impl Format {
    /// All formats, in the order they are listed to users.
    pub fn all() -> impl Iterator<Item = Format> {
        let text = ExportFormat::all().iter().copied().map(Format::Text);
        text.chain([Format::Svg])
    }

    /// The format's name in options.
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

/// The names of all formats that a network can be written in: those of [`Format`] and, with the
/// feature `png`, `png`.
pub fn format_names() -> Vec<&'static str> {
    let names = Format::all().map(Format::name);
    names
        .chain(cfg!(feature = "png").then_some("png"))
        .collect()
}

impl FromStr for Format {
    type Err = Error;

    /// Parses the format's name, ignoring case. An unknown name is a usage error, and so is `png`,
    /// which is not text: convert an SVG instead.
    fn from_str(word: &str) -> Result<Self> {
        let mut known = Format::all();
        let found = known.find(|format| format.name().eq_ignore_ascii_case(word));
        found.ok_or_else(|| {
            let has_png = cfg!(feature = "png");
            if word.eq_ignore_ascii_case("png") {
                let problem = if has_png {
                    "a png is not text: export svg and convert it"
                } else {
                    "a png needs the feature png of idealparent-view"
                };
                return Error::options(problem);
            }
            let (word, list) = (quoted(word), format_names().join(", "));
            Error::options(format!("{word} is not an export format (one of {list})"))
        })
    }
}

/// Converts `network` to the text of `format`. The same network always gives the same bytes.
///
/// # Errors
///
/// [`Error::Network`], with the format as its place, if the format cannot represent the network;
/// see [`Network::export`].
pub fn export(network: &Network, format: Format) -> Result<String> {
    match format {
        Format::Text(format) => network.export(format),
        Format::Svg => svg::write(network),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idealparent::network::testing;

    #[test]
    fn formats_are_parsed_from_their_names() {
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
        let text = error.to_string();
        assert!(text.starts_with(r"'a\nb' is not an export format"));
    }

    #[test]
    fn exports_are_the_same_each_time() {
        let network = testing::plain();
        for format in Format::all() {
            let once = export(&network, format).unwrap();
            assert_eq!(once, export(&network, format).unwrap());
            assert!(
                once.ends_with('\n'),
                "{format}: the last line is terminated"
            );
        }
    }

    #[test]
    fn invalid_names_and_numbers_are_rejected() {
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
