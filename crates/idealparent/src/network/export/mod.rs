//! Networks in other programs' formats, as text.
//!
//! Every format writes the same network the same way each time, numbers in the shortest form that
//! reads back as the same value, and names escaped by the format's own rules; what a format cannot
//! say is refused with a sentence that names the variable.

mod bnlearn;
mod cyjs;
mod dot;
mod gexf;
mod graphml;
mod lavaan;
mod rlang;
mod sif;
#[cfg(test)]
mod testing;
mod tsv;
mod view;
mod xml;

use std::str::FromStr;

use strum::VariantArray;

use crate::error::{Error, Result, quoted};
use crate::network::Network;

pub use view::{EdgeView, edge_views};
pub use xml::{check_xml, escape_xml};

/// A format other programs read.
///
/// `Dot`, `Graphml`, `Gexf` and `Cyjs` carry, per node, its name and whether it is hidden or
/// inactive, and per edge `weight`, `sign` (`positive` or `negative`), `strength` (where it is
/// known) and `direction`: `compelled`, or `reversible` where the data cannot tell it from its
/// opposite.
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
pub enum ExportFormat {
    /// A table of edges: from, to, weight, strength, direction.
    Tsv,
    /// Graphviz.
    Dot,
    /// GraphML, for yEd, Gephi, Cytoscape, networkx, igraph.
    Graphml,
    /// GEXF 1.2, for Gephi and networkx.
    Gexf,
    /// Cytoscape.js JSON.
    Cyjs,
    /// Simple interaction format: the structure alone.
    Sif,
    /// An R script that rebuilds the fitted network with bnlearn: linear networks only.
    Bnlearn,
    /// lavaan model syntax, the weights as starting values: linear networks only.
    Lavaan,
}

impl ExportFormat {
    /// All formats, in the order they are listed to users.
    pub fn all() -> &'static [ExportFormat] {
        ExportFormat::VARIANTS
    }

    /// The format's word in options.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// A refusal: this format cannot say what the network holds.
    fn refuse(self, problem: impl Into<String>) -> Error {
        refuse(self.name(), problem)
    }
}

/// A refusal: the format of this name cannot say what the network holds.
fn refuse(format: &str, problem: impl Into<String>) -> Error {
    Error::network(format!("{format} export"), problem)
}

impl FromStr for ExportFormat {
    type Err = Error;

    /// From the format's word, in any case of letters; an unknown one is wrong usage.
    fn from_str(word: &str) -> Result<Self> {
        let known = ExportFormat::all().iter().copied();
        known
            .clone()
            .find(|format| format.name().eq_ignore_ascii_case(word))
            .ok_or_else(|| {
                let names: Vec<&str> = known.map(ExportFormat::name).collect();
                let list = names.join(", ");
                let word = quoted(word);
                Error::Options(format!("{word} is no export format (one of {list})"))
            })
    }
}

/// The text of `network` in `format`.
///
/// What the format cannot hold is an [`Error::Network`] whose place is the format: a name with
/// characters it has no way to write, a non-linear or hidden variable in `Bnlearn` or `Lavaan`,
/// and, in any format, an empty or repeated name or a number that is not finite.
pub fn export(network: &Network, format: ExportFormat) -> Result<String> {
    view::check(network, format.name())?;
    let language = match format {
        ExportFormat::Graphml | ExportFormat::Gexf => Some("XML"),
        // It writes names into XML pictures, so what XML cannot hold it cannot draw.
        ExportFormat::Dot => Some("Graphviz"),
        _ => None,
    };
    if let Some(language) = language {
        xml::check_names(network, format.name(), language)?;
    }
    match format {
        ExportFormat::Tsv => Ok(tsv::write(network)),
        ExportFormat::Dot => Ok(dot::write(network)),
        ExportFormat::Graphml => Ok(graphml::write(network)),
        ExportFormat::Gexf => Ok(gexf::write(network)),
        ExportFormat::Cyjs => Ok(cyjs::write(network)),
        ExportFormat::Sif => sif::write(network),
        ExportFormat::Bnlearn => bnlearn::write(network),
        ExportFormat::Lavaan => lavaan::write(network),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_by_name() {
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
            let once = export(&network, format).unwrap();
            assert_eq!(once, export(&network, format).unwrap());
            assert!(
                once.ends_with('\n'),
                "{format}: a text file ends its last line"
            );
        }
    }

    #[test]
    fn what_no_format_can_hold_is_refused() {
        let refused = |change: fn(&mut Network), word: &str| {
            for &format in ExportFormat::all() {
                let mut network = testing::plain();
                change(&mut network);
                let error = export(&network, format).unwrap_err();
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
