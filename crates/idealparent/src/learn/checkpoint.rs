//! Where a run stands: enough to go on from there to the network it would have found anyway.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::HiddenAttempt;
use crate::error::{Error, Note, Result};
use crate::score::Evaluations;
use crate::search::{CandidatesUsed, Found, SearchKind, SearchState};

/// What the first field of a checkpoint says.
const FORMAT: &str = "idealparent-checkpoint";

/// Files of other versions are refused: a run goes on exactly or not at all.
const VERSION: u32 = 3;

/// A run's state between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    format: String,
    version: u32,
    /// Of data, options and strategy: a checkpoint fits no others.
    fingerprint: String,
    /// Where the search stands; none between two attempts to add a hidden variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) search: Option<SearchState>,
    /// Where values are missing: around which expectations the search goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) em: Option<EmState>,
    /// How far the growth of hidden variables is, once they are being added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hidden: Option<HiddenProgress>,
}

/// Where structural EM stands when a search begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EmState {
    /// Number of the iteration.
    pub(super) iteration: usize,
    /// The network before, with its free energy; none in the first iteration.
    pub(super) network: Option<(String, f64)>,
    /// Means and variances of the missing entries, where they do not follow from the network.
    pub(super) entries: Option<Vec<(f64, f64)>>,
    /// Entropy of their distribution.
    pub(super) entropy: f64,
    /// Work of the searches before.
    pub(super) counts: WorkCounts,
}

/// Which hidden variables were tried, and what is to be told of the run before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HiddenProgress {
    /// How many the network has.
    pub(super) count: usize,
    /// What came of those proposed so far.
    pub(super) attempts: Vec<HiddenAttempt>,
    /// The search procedure, where `auto` chose one.
    pub(super) search: SearchKind,
    /// Iterations of structural EM.
    pub(super) iterations: usize,
    /// How many candidates per slot were scored.
    pub(super) candidates: CandidatesUsed,
    /// Mean share of values outside a link's image, where it matters.
    pub(super) clamped: Option<f64>,
    /// What a user should be told, a line each.
    pub(super) notes: Vec<Note>,
}

/// The work of some searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkCounts {
    pub(super) moves: usize,
    /// Moves that no observer was told of: those of first guesses, and of hidden variables on
    /// trial.
    pub(super) unobserved_moves: usize,
    pub(super) rounds: usize,
    pub(super) rejected: u64,
    pub(super) evaluations: Evaluations,
}

impl WorkCounts {
    /// Adds the work of a search.
    pub(super) fn add(&mut self, found: &Found) {
        self.moves += found.moves;
        self.evaluations += found.evaluations;
    }

    /// Likewise of one that nobody watched.
    pub(super) fn add_unobserved(&mut self, found: &Found) {
        self.unobserved_moves += found.moves;
        self.evaluations += found.evaluations;
    }
}

/// Tells a damaged file from a whole one.
fn checksum(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Checkpoint {
    /// During a search, inside structural EM where values are missing; or, without a search,
    /// between two attempts to add a hidden variable.
    pub(super) fn new(
        fingerprint: &str,
        search: Option<SearchState>,
        em: Option<EmState>,
        hidden: Option<HiddenProgress>,
    ) -> Self {
        Checkpoint {
            format: FORMAT.to_string(),
            version: VERSION,
            fingerprint: fingerprint.to_string(),
            search,
            em,
            hidden,
        }
    }

    /// As text for a file: JSON, and on a line of its own the checksum of it.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string(self).expect("a checkpoint can be written as JSON");
        Checkpoint::with_checksum(&text)
    }

    /// JSON with its checksum, as in a file; tests use it for contents that no run writes.
    #[doc(hidden)]
    pub fn with_checksum(text: &str) -> String {
        format!("{text}\n{}\n", checksum(text))
    }

    /// Reads what [`Checkpoint::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let wrong = |problem: String| Err(Error::Data(problem));
        let (body, sum) = text.split_once('\n').unwrap_or((text, ""));
        let head = match serde_json::from_str::<Head>(body) {
            Ok(head) if head.format == FORMAT => head,
            _ => return wrong("this is no checkpoint".to_string()),
        };
        if head.version != VERSION {
            let of = head.version;
            return wrong(format!(
                "a checkpoint of version {of}; this program goes on from version {VERSION} only"
            ));
        }
        let damaged = "a damaged checkpoint (remove it to begin anew)";
        if checksum(body) != sum.trim_end() {
            return wrong(damaged.to_string());
        }
        match serde_json::from_str(body) {
            Ok(checkpoint) => Ok(checkpoint),
            Err(error) => wrong(format!("{damaged}: {error}")),
        }
    }

    /// Refuses a checkpoint of other data or options, and one that no run can have written.
    pub(super) fn check(&self, fingerprint: &str, hidden: bool, holes: bool) -> Result<()> {
        if self.fingerprint != fingerprint {
            return Err(Error::Data(
                "the checkpoint is of other data or other options, or of another version of this program"
                    .to_string(),
            ));
        }
        match (&self.search, &self.em, &self.hidden) {
            (Some(_), em, None) if em.is_some() == holes => Ok(()),
            (None, Some(_), Some(_)) if hidden => Ok(()),
            _ => Err(SearchState::damaged()),
        }
    }
}
