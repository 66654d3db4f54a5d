//! Export of networks to the text formats of other programs.
//!
//! Exports are deterministic. Numbers are written in the shortest form that reads back as the same
//! value, and names are escaped by the rules of the format. If a format cannot represent a network,
//! the error names the variable that is the reason.

mod bnlearn;
mod cyjs;
mod dot;
mod gexf;
mod graphml;
mod lavaan;
mod rlang;
mod sif;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tsv;
mod view;
mod xml;

use std::str::FromStr;

use strum::VariantArray;

use crate::error::{Error, Message, Result, quoted};
use crate::network::Network;

pub use view::EdgeView;
pub use xml::{check_xml, escape_xml};

/// A text format that other programs read.
///
/// `Dot`, `Graphml`, `Gexf` and `Cyjs` contain the name of each node and whether it is hidden or
/// inactive. Edges have `weight`, `sign` (`positive` or `negative`), `strength` (if known) and
/// `direction`, which is `compelled`, or `reversible` if the data cannot determine it.
///
/// ```
/// use idealparent::ExportFormat;
///
/// assert_eq!("graphml".parse::<ExportFormat>()?, ExportFormat::Graphml);
/// assert!(ExportFormat::all().contains(&ExportFormat::Dot));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum ExportFormat {
    /// A table of edges: from, to, weight, strength, direction.
    Tsv,
    /// Graphviz DOT.
    Dot,
    /// GraphML, for yEd, Gephi, Cytoscape, networkx, igraph.
    Graphml,
    /// GEXF 1.2, for Gephi and networkx.
    Gexf,
    /// Cytoscape.js JSON.
    Cyjs,
    /// Simple interaction format: the structure alone.
    Sif,
    /// An R script that rebuilds the fitted network with bnlearn. Linear networks only.
    Bnlearn,
    /// lavaan model syntax with the weights as starting values. Linear networks only.
    Lavaan,
}

impl ExportFormat {
    /// All formats, in the order they are listed to users.
    pub fn all() -> &'static [ExportFormat] {
        ExportFormat::VARIANTS
    }

    /// The format's name in options.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The error for a network that this format cannot represent.
    fn refuse(self, problem: impl Into<Message>) -> Error {
        refuse(self.name(), problem)
    }
}

/// The error for a network that the format called `format` cannot represent.
fn refuse(format: &str, problem: impl Into<Message>) -> Error {
    Error::network(format!("{format} export"), problem)
}

impl FromStr for ExportFormat {
    type Err = Error;

    /// Parses the format's name, ignoring case. An unknown name is a usage error.
    fn from_str(word: &str) -> Result<Self> {
        let known = ExportFormat::all().iter().copied();
        known
            .clone()
            .find(|format| format.name().eq_ignore_ascii_case(word))
            .ok_or_else(|| {
                let names: Vec<&str> = known.map(ExportFormat::name).collect();
                let list = names.join(", ");
                let word = quoted(word);
                Error::options(format!("{word} is not an export format (one of {list})"))
            })
    }
}

impl Network {
    /// The network as the text of another program's format.
    ///
    /// # Errors
    ///
    /// [`Error::Network`], with the format as its place, if the format cannot represent the
    /// network: a name has characters that the format cannot write, a variable is non-linear or
    /// hidden (`Bnlearn` and `Lavaan`), or, in any format, a name is empty or repeated or a number
    /// is not finite.
    ///
    /// ```
    /// use idealparent::{Cpd, ExportFormat, Family, LinearCpd, Network, Variable};
    ///
    /// let family = Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0)));
    /// let network = Network::new(vec![Variable::observed("A")], vec![family]);
    /// assert!(network.export(ExportFormat::Dot)?.starts_with("digraph"));
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn export(&self, format: ExportFormat) -> Result<String> {
        view::check(self, format.name())?;
        let language = match format {
            ExportFormat::Graphml | ExportFormat::Gexf => Some("XML"),
            // Graphviz writes names into SVG, which is XML.
            ExportFormat::Dot => Some("Graphviz"),
            _ => None,
        };
        if let Some(language) = language {
            xml::check_names(self, format.name(), language)?;
        }
        match format {
            ExportFormat::Tsv => Ok(tsv::write(self)),
            ExportFormat::Dot => Ok(dot::write(self)),
            ExportFormat::Graphml => Ok(graphml::write(self)),
            ExportFormat::Gexf => Ok(gexf::write(self)),
            ExportFormat::Cyjs => Ok(cyjs::write(self)),
            ExportFormat::Sif => sif::write(self),
            ExportFormat::Bnlearn => bnlearn::write(self),
            ExportFormat::Lavaan => lavaan::write(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_parsed_from_their_names() {
        for &format in ExportFormat::all() {
            assert_eq!(format.name().parse::<ExportFormat>().unwrap(), format);
        }
        assert_eq!("DOT".parse::<ExportFormat>().unwrap(), ExportFormat::Dot);
        let error = "pdf".parse::<ExportFormat>().unwrap_err();
        assert!(error.is_usage());
        assert!(error.to_string().contains("graphml"), "{error}");
    }

    #[test]
    fn exports_are_the_same_each_time() {
        let network = testing::plain();
        for &format in ExportFormat::all() {
            let once = network.export(format).unwrap();
            assert_eq!(once, network.export(format).unwrap());
            assert!(
                once.ends_with('\n'),
                "{format}: the last line is terminated"
            );
        }
    }

    #[test]
    fn invalid_names_and_numbers_are_rejected_by_every_format() {
        let refused = |change: fn(&mut Network), word: &str| {
            for &format in ExportFormat::all() {
                let mut network = testing::plain();
                change(&mut network);
                let error = network.export(format).unwrap_err();
                assert!(matches!(error, Error::Network { .. }) && !error.is_usage());
                let text = error.to_string();
                assert!(
                    text.starts_with(format.name()) && text.contains(word),
                    "{text}"
                );
                assert!(!text.contains('\n'));
            }
        };
        refused(|n| n.variables[1].name.clear(), "empty name");
        refused(|n| n.variables[1].name = "A".into(), "'A'");
        refused(|n| testing::linear(n, 1).weights[0] = f64::NAN, "'B c'");
        refused(|n| testing::linear(n, 0).intercept = f64::INFINITY, "'A'");
    }
}
