//! What the user knows beforehand, by name, and how it is told wrong.

use std::collections::HashMap;

use crate::error::{Error, Note, Origin, Result, quoted};

/// Prior knowledge by name, as a user writes it; `*` stands for every variable, unless there is one
/// of that name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// Edges that must be there, `(from, to)`.
    pub require: Vec<(String, String)>,
    /// Edges that must not be there.
    pub forbid: Vec<(String, String)>,
    /// Edges go only to the same or a later tier; a name in no tier is free.
    pub tiers: Vec<Vec<String>>,
    /// Most parents a variable may have.
    pub max_parents: Option<usize>,
    /// The files all this was read from, for messages; empty where it comes from a program.
    pub origins: Origins,
}

/// The files that prior knowledge was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// Of the required edges.
    pub require: Origin,
    /// Of the forbidden edges.
    pub forbid: Origin,
    /// Of the tiers.
    pub tiers: Origin,
}

impl Knowledge {
    /// What a user should be told, a line each, about what is meant by these words.
    pub fn notes(&self, names: &[String]) -> Vec<Note> {
        let mut edges = self.require.iter().chain(&self.forbid);
        if edges.any(has_star) && names.iter().any(|name| name == STAR) {
            let note = "there is a variable '*': in the lists of edges * means that one alone";
            return vec![note.into()];
        }
        Vec::new()
    }
}

/// The word for every variable.
const STAR: &str = "*";

fn has_star((from, to): &(String, String)) -> bool {
    from == STAR || to == STAR
}

/// A mistake in one entry of a list called `what`: one of the file, if there is a file.
pub(super) fn mistake(origin: &Origin, entry: usize, what: &str, problem: &str) -> Error {
    match origin.place(entry) {
        Some(place) => Error::table(place, problem),
        None => Error::Options(format!("{what}: {problem}")),
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

    /// The variable of this name, or what to say instead.
    pub(super) fn find(&self, name: &str) -> std::result::Result<usize, String> {
        self.index.get(name).copied().ok_or_else(|| {
            let alike = self.names.iter().find(|own| own.eq_ignore_ascii_case(name));
            let hint = alike.map_or(String::new(), |own| format!(" (there is {})", quoted(own)));
            format!("no variable is called {}{hint}", quoted(name))
        })
    }

    /// What each entry of a list of edges stands for: the number of the entry, and a pair.
    ///
    /// Where a star is meant, a variable is not paired with itself.
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

    /// Whether an edge stands for many.
    pub(super) fn is_wild(&self, edge: &(String, String)) -> bool {
        has_star(edge) && !self.index.contains_key(STAR)
    }
}
