//! Prior knowledge by variable name, and the messages about mistakes in it.

use std::collections::HashMap;

use crate::error::{Error, Message, Origin, Result, about, quoted};

/// Prior knowledge by variable name, as a user writes it. `*` stands for every variable, unless a
/// variable has this name.
///
/// ```
/// use idealparent::extend::{Constraints, Knowledge};
///
/// // No variable may be a parent of the first one.
/// let mut knowledge = Knowledge::default();
/// knowledge.forbid.push(("*".to_string(), "age".to_string()));
/// let names = ["age", "height", "weight"].map(String::from);
/// let constraints = Constraints::new(&names, &knowledge, &[false; 3], &[])?;
/// assert!(!constraints.allows(2, 0));
/// assert!(constraints.allows(0, 2));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Knowledge {
    /// Required edges, `(from, to)`.
    pub require: Vec<(String, String)>,
    /// Forbidden edges, `(from, to)`.
    pub forbid: Vec<(String, String)>,
    /// Tiers: edges lead only to the same or a later tier. Variables in no tier are not restricted.
    pub tiers: Vec<Vec<String>>,
    /// Largest number of parents that a variable may have.
    pub max_parents: Option<usize>,
    /// The files that the knowledge was read from, for messages; empty if it comes from a program.
    pub(crate) origins: Origins,
}

/// The files that prior knowledge was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins {
    /// File of the required edges.
    pub(crate) require: Origin,
    /// File of the forbidden edges.
    pub(crate) forbid: Origin,
    /// File of the tiers.
    pub(crate) tiers: Origin,
}

impl Knowledge {
    /// Notes for the user, one line each, about how the knowledge is interpreted.
    pub fn notes(&self, names: &[String]) -> Vec<Message> {
        let mut edges = self.require.iter().chain(&self.forbid);
        if edges.any(has_star) && names.iter().any(|name| name == STAR) {
            let note = "a variable is called '*', so * in lists of edges means only this variable";
            return vec![note.into()];
        }
        Vec::new()
    }
}

/// Stands for every variable.
const STAR: &str = "*";

fn has_star((from, to): &(String, String)) -> bool {
    from == STAR || to == STAR
}

/// The error for one entry of a list. It names the file and line if the list comes from a file,
/// otherwise the option `what`.
pub(super) fn mistake(origin: &Origin, entry: usize, what: &str, problem: &str) -> Error {
    match origin.place(entry) {
        Some(place) => Error::table(place, problem),
        None => Error::options(about(what, problem)),
    }
}

/// Variables by name.
pub(super) struct Index<'a> {
    names: &'a [String],
    index: HashMap<&'a str, usize>,
}

impl<'a> Index<'a> {
    pub(super) fn new(names: &'a [String]) -> Self {
        let index = names.iter().map(String::as_str).zip(0..).collect();
        Index { names, index }
    }

    /// The index of a variable, or the message for an unknown name.
    pub(super) fn find(&self, name: &str) -> std::result::Result<usize, String> {
        self.index.get(name).copied().ok_or_else(|| {
            let alike = self.names.iter().find(|own| own.eq_ignore_ascii_case(name));
            let hint = alike.map_or(String::new(), |own| {
                format!(" (did you mean {}?)", quoted(own))
            });
            format!("no variable is called {}{hint}", quoted(name))
        })
    }

    /// The edges that a list stands for, each as the index of its entry and a pair of variables.
    ///
    /// A star does not pair a variable with itself.
    pub(super) fn pairs(
        &self,
        edges: &[(String, String)],
        origin: &Origin,
        what: &str,
    ) -> Result<Vec<(usize, (usize, usize))>> {
        let every = |name: &str| match name {
            STAR if !self.index.contains_key(STAR) => Ok((0..self.names.len()).collect()),
            _ => self.find(name).map(|v| vec![v]),
        };
        let mut pairs = Vec::new();
        for (entry, (from, to)) in edges.iter().enumerate() {
            let wrong = |problem: String| mistake(origin, entry, what, &problem);
            let parents: Vec<usize> = every(from).map_err(wrong)?;
            let children: Vec<usize> = every(to).map_err(wrong)?;
            let wild = self.is_wild(&edges[entry]);
            for parent in parents {
                let fitting = children.iter().filter(|&&child| !wild || parent != child);
                pairs.extend(fitting.map(|&child| (entry, (parent, child))));
            }
        }
        Ok(pairs)
    }

    /// Whether an entry contains a star that stands for every variable.
    pub(super) fn is_wild(&self, edge: &(String, String)) -> bool {
        has_star(edge) && !self.index.contains_key(STAR)
    }
}
