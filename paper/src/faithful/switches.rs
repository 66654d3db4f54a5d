//! The switches of the paper's procedures.

use std::str::FromStr;

use idealparent::score::ScoreKind;
use idealparent::{Candidates, Error, LearnOptions, Method, Result, SearchKind};

/// What happens to the place of a candidate that would close a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Illegal {
    /// The next in the ranking takes it, until the candidate is legal again: as the library does.
    #[default]
    Refill,
    /// Nothing takes it until the family is ranked anew; what is illegal then gets none.
    Drop,
    /// It keeps it: candidates are ranked and scored whether or not they would close a cycle, which matters only when a
    /// move is taken.
    Keep,
}

impl Illegal {
    /// The word for it in options.
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
            _ => Err(Error::Options(format!(
                "illegal: '{word}' is none of refill, drop, keep"
            ))),
        }
    }
}

/// Which of the paper's ways replace the library's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faithful {
    /// With greedy search over linear families: fit every candidate from the data, the baseline of the speed-ups.
    pub resolve: bool,
    /// Fit every candidate from the data, also those that were fitted before.
    pub forget: bool,
    /// What happens to the place of a candidate that would close a cycle.
    pub illegal: Illegal,
    /// Where values are missing, compare candidates by expected values alone.
    pub means: bool,
    /// Sparse Candidate in place of hill climbing.
    pub sparse: bool,
    /// The paper's score of clusters of ideal parents.
    pub clusters: bool,
}

impl Faithful {
    /// Takes one option by its word if it is one of these; says whether it was.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool> {
        let wrong = |what: &str| Err(Error::Options(format!("{key}: '{value}' is not {what}")));
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

    /// Refuses combinations that make no sense.
    pub fn check(&self, options: &LearnOptions) -> Result<()> {
        let wrong = |what: &str| Err(Error::Options(what.to_string()));
        if self.means && options.method == Method::Greedy {
            return wrong("moments means goes with the ideal method (greedy compares nothing)");
        }
        if self.resolve && !options.is_linear() {
            return wrong("resolve goes with cpd linear (others are always fitted from the data)");
        }
        if self.resolve && options.method != Method::Greedy {
            return wrong("resolve goes with the greedy method");
        }
        if (self.resolve || self.forget) && options.score == ScoreKind::Bge {
            return wrong("the bge score cannot be computed from fits");
        }
        if self.illegal != Illegal::Refill && options.search == SearchKind::Order {
            return wrong("illegal goes with searches over edges: in an order nothing is illegal");
        }
        let chooses =
            options.method == Method::Ideal && matches!(options.candidates, Candidates::Top(_));
        if self.illegal == Illegal::Drop && !chooses {
            return wrong("illegal drop goes with the ideal method and a number of candidates");
        }
        if self.sparse && options.restarts.is_some() {
            return wrong("search sparse has no restarts");
        }
        // Where every score follows from moments at once, none is left out.
        let fits = self.resolve || self.forget || !options.is_linear();
        let fits_all = options.method == Method::Greedy && fits;
        if self.illegal == Illegal::Keep && !chooses && !fits_all {
            return wrong(
                "illegal keep goes with a number of candidates, or with greedy where candidates are fitted",
            );
        }
        Ok(())
    }

    /// The options with the search that these procedures go with, where none was chosen.
    pub fn adapt(&self, options: &mut LearnOptions) {
        let differs = self.resolve || self.forget || self.illegal != Illegal::Refill;
        if options.search == SearchKind::Auto && (differs || self.sparse) {
            options.search = SearchKind::Hill;
        }
    }
}
