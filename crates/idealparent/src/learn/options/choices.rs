//! Types of option values, and how they are parsed and recorded.

use std::path::Path;

use serde_json::{Value, json};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::cpd::CpdKind;
use crate::data::read_file;
use crate::error::{Error, Origin, Result, quoted};
use crate::network::Structure;
use crate::options::{OptionKind, OptionValue, restored, word_value, wrong, wrong_whole};

/// Which candidate parents are scored.
///
/// ```
/// use idealparent::{LearnOptions, Method};
///
/// let mut options = LearnOptions::default();
/// options.method = Method::Greedy;
/// assert_eq!(options.record()["method"], "greedy");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// The candidates most similar to the ideal parent.
    #[default]
    Ideal,
    /// All candidates.
    Greedy,
}

word_value!(Method);

/// Which distribution is used for missing values.
///
/// See section 4.3 of the paper, and docs/missing.md.
///
/// ```
/// use idealparent::{LearnOptions, PosteriorKind};
///
/// let mut options = LearnOptions::default();
/// options.set("missing", "mean-field")?;
/// assert_eq!(options.missing, Some(PosteriorKind::MeanField));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum PosteriorKind {
    /// The exact posterior, if all densities are linear.
    Exact,
    /// The best distribution in which all missing entries are independent of each other.
    MeanField,
}

word_value!(PosteriorKind);

/// How many candidates per slot the ideal parent method scores: the paper's K.
///
/// ```
/// use idealparent::{Candidates, LearnOptions};
///
/// let mut options = LearnOptions::default();
/// assert_eq!(options.candidates, Candidates::Top(2));
/// options.set("candidates", "auto")?;
/// assert_eq!(options.candidates, Candidates::Auto);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Candidates {
    /// The given number.
    Top(usize),
    /// All candidates, as in greedy search.
    All,
    /// All that could still win, given the errors of the estimates so far.
    Auto,
}

impl Default for Candidates {
    fn default() -> Self {
        Candidates::Top(2)
    }
}

impl OptionValue for Candidates {
    const KIND: OptionKind = OptionKind::WholeOr(&["all", "auto"]);

    fn parse(text: &str) -> Result<Self> {
        let problem = "is not a whole number above 0, 'all' or 'auto'";
        match (text, text.parse()) {
            ("all", _) => Ok(Candidates::All),
            ("auto", _) => Ok(Candidates::Auto),
            (_, Ok(0)) => wrong(text, problem),
            (_, Ok(k)) => Ok(Candidates::Top(k)),
            (_, Err(error)) => wrong_whole(text, &error, usize::MAX, problem),
        }
    }

    fn record(&self) -> Option<Value> {
        Some(match self {
            Candidates::Top(k) => json!(k),
            Candidates::All => json!("all"),
            Candidates::Auto => json!("auto"),
        })
    }
}

/// How many hidden variables may be added.
///
/// See section 4.2 of the paper, and docs/hidden.md.
///
/// ```
/// use idealparent::{HiddenCount, LearnOptions};
///
/// let mut options = LearnOptions::default();
/// options.set("hidden", "3")?;
/// assert_eq!(options.hidden, HiddenCount::AtMost(3));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HiddenCount {
    /// At most the given number.
    AtMost(usize),
    /// As many as raise the score.
    Auto,
}

impl Default for HiddenCount {
    fn default() -> Self {
        HiddenCount::AtMost(0)
    }
}

impl HiddenCount {
    /// The largest allowed number.
    pub fn most(self) -> usize {
        match self {
            HiddenCount::AtMost(count) => count,
            HiddenCount::Auto => usize::MAX,
        }
    }
}

impl OptionValue for HiddenCount {
    const KIND: OptionKind = OptionKind::WholeOr(&["auto"]);

    fn parse(text: &str) -> Result<Self> {
        match (text, text.parse()) {
            ("auto", _) => Ok(HiddenCount::Auto),
            (_, Ok(count)) => Ok(HiddenCount::AtMost(count)),
            (_, Err(error)) => {
                let problem = "is not a whole number or 'auto'";
                wrong_whole(text, &error, usize::MAX, problem)
            }
        }
    }

    fn record(&self) -> Option<Value> {
        Some(match self {
            // Text, unlike other numbers: network files have it in this form.
            HiddenCount::AtMost(count) => json!(count.to_string()),
            HiddenCount::Auto => json!("auto"),
        })
    }
}

impl OptionValue for Vec<CpdKind> {
    const KIND: OptionKind = OptionKind::Words(CpdKind::WORDS);

    fn parse(text: &str) -> Result<Self> {
        let words = text.split(',').map(str::trim);
        words.map(CpdKind::parse).collect()
    }

    fn record(&self) -> Option<Value> {
        let words: Vec<&str> = self.iter().map(CpdKind::word).collect();
        Some(json!(words.join(",")))
    }
}

/// The structure that a search starts from, read from a file or given by a program.
///
/// ```
/// use idealparent::{LearnOptions, StartEdges};
///
/// let mut options = LearnOptions::default();
/// options.start = StartEdges::from(vec![("A".to_string(), "B".to_string())]);
/// assert_eq!(options.start.edges.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartEdges {
    /// The edges, `(from, to)`.
    pub edges: Vec<(String, String)>,
    /// The file, and the line of each edge if the file is a table, for messages.
    pub(crate) origin: Origin,
}

impl From<Vec<(String, String)>> for StartEdges {
    fn from(edges: Vec<(String, String)>) -> Self {
        let origin = Origin::default();
        StartEdges { edges, origin }
    }
}

/// Parsed from the path of a network file or of a table of edges.
impl OptionValue for StartEdges {
    const KIND: OptionKind = OptionKind::Structure;

    fn parse(text: &str) -> Result<Self> {
        let (file, lines) = Structure::with_lines(read_file(Path::new(text))?, text)?;
        let origin = Origin {
            file: text.to_string(),
            lines,
        };
        match file.hidden.first() {
            None => Ok(StartEdges {
                edges: file.edges,
                origin,
            }),
            Some(name) => Err(Error::network(
                text,
                format!(
                    "{} is hidden, but a search starts from observed variables only",
                    quoted(name)
                ),
            )),
        }
    }

    fn record(&self) -> Option<Value> {
        (!self.edges.is_empty()).then(|| json!(self.edges))
    }

    fn restore(value: &Value) -> Result<Self> {
        restored::<Vec<(String, String)>>(value, "is not a list of edges").map(StartEdges::from)
    }
}
