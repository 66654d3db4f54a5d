//! The switches of the paper's procedures.

use std::str::FromStr;

use idealparent::score::ScoreKind;
use idealparent::{Candidates, Error, LearnOptions, Method, Result, SearchKind};

/// What happens to one of the K candidates if it would close a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Illegal {
    /// The next candidate in the ranking replaces it until it is legal again, as in the library.
    #[default]
    Refill,
    /// It is lost and not replaced until the family is ranked again. Candidates that are illegal at
    /// that time are not chosen.
    Drop,
    /// It stays: candidates are ranked and scored whether or not they would close a cycle, which
    /// only matters when a move is taken.
    Keep,
}

impl Illegal {
    /// The value of the option.
    pub fn word(self) -> &'static str {
        match self {
            Illegal::Refill => "refill",
            Illegal::Drop => "drop",
            Illegal::Keep => "keep",
        }
    }
}

impl FromStr for Illegal {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "refill" => Ok(Illegal::Refill),
            "drop" => Ok(Illegal::Drop),
            "keep" => Ok(Illegal::Keep),
            _ => Err(Error::options(format!(
                "illegal: '{word}' is not one of refill, drop, keep"
            ))),
        }
    }
}

/// Which of the paper's procedures replace the library's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faithful {
    /// Fit every candidate of greedy search over linear families from the data: the baseline of the
    /// speed-ups.
    pub resolve: bool,
    /// Fit every candidate from the data, even if it was fitted before.
    pub forget: bool,
    /// What happens to a candidate that would close a cycle.
    pub illegal: Illegal,
    /// If values are missing, compare candidates by expected values alone.
    pub means: bool,
    /// Use Sparse Candidate instead of hill climbing.
    pub sparse: bool,
    /// Use the paper's score of clusters of ideal parents.
    pub clusters: bool,
}

impl Faithful {
    /// Sets the option `key` if it is one of these switches; returns whether it is.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool> {
        let wrong = |what: &str| Err(Error::options(format!("{key}: '{value}' is not {what}")));
        let flag = || match value {
            "yes" | "true" | "1" => Ok(true),
            "no" | "false" | "0" => Ok(false),
            _ => wrong("yes or no").map(|()| false),
        };
        match key.replace('_', "-").as_str() {
            "resolve" => self.resolve = flag()?,
            "forget" => self.forget = flag()?,
            "illegal" => self.illegal = value.parse()?,
            "moments" => match value {
                "full" => self.means = false,
                "means" => self.means = true,
                _ => return wrong("full or means").map(|()| true),
            },
            "cluster-score" => match value {
                "integrated" => self.clusters = false,
                "paper" => self.clusters = true,
                _ => return wrong("integrated or paper").map(|()| true),
            },
            "search" if value == "sparse" => self.sparse = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns an error if the switches and options cannot be combined.
    pub fn check(&self, options: &LearnOptions) -> Result<()> {
        let wrong = |what: &str| Err(Error::options(what));
        if self.means && options.method == Method::Greedy {
            return wrong(
                "--moments means needs --method ideal (greedy search does not rank candidates)",
            );
        }
        if self.resolve && !options.is_linear() {
            return wrong(
                "--resolve needs --cpd linear (other densities are always fitted from the data)",
            );
        }
        if self.resolve && options.method != Method::Greedy {
            return wrong("--resolve needs --method greedy");
        }
        if (self.resolve || self.forget) && options.score == ScoreKind::Bge {
            return wrong("--score bge cannot be computed from fits");
        }
        if self.illegal != Illegal::Refill && options.search == SearchKind::Order {
            return wrong(
                "--illegal needs a search over edges (within an order, no candidate is illegal)",
            );
        }
        let chooses =
            options.method == Method::Ideal && matches!(options.candidates, Candidates::Top(_));
        if self.illegal == Illegal::Drop && !chooses {
            return wrong("--illegal drop needs --method ideal and a number of candidates");
        }
        if self.sparse && options.restarts.is_some() {
            return wrong("--search sparse has no restarts");
        }
        // If all scores are computed from moments at once, no candidate is left out.
        let fits = self.resolve || self.forget || !options.is_linear();
        let fits_all = options.method == Method::Greedy && fits;
        if self.illegal == Illegal::Keep && !chooses && !fits_all {
            return wrong(
                "--illegal keep needs a number of candidates, or --method greedy with candidates that are fitted",
            );
        }
        Ok(())
    }

    /// Sets the search to hill climbing if these procedures need it and no search was chosen.
    pub fn adapt(&self, options: &mut LearnOptions) {
        let differs = self.resolve || self.forget || self.illegal != Illegal::Refill;
        if options.search == SearchKind::Auto && (differs || self.sparse) {
            options.search = SearchKind::Hill;
        }
    }
}
