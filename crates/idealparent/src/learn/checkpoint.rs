//! Checkpoints: the saved state of a run. A run that continues from one finds the same network as
//! an uninterrupted run.

use serde::{Deserialize, Serialize};

use super::mixture::SingleSearches;
use super::price::GammaChoice;
use super::{HiddenAttempt, LearnOptions, Learned, Observer, Standard, learn_by};
use crate::data::{Table, sha256_of};
use crate::error::{Error, Message, Result};
use crate::score::Evaluations;
use crate::search::{CandidatesUsed, SearchKind, SearchResult, SearchState};

/// Value of the field `format`, which identifies a checkpoint.
const FORMAT: &str = "idealparent-checkpoint";

/// Version of the format. Other versions are rejected, since a resumed run must reproduce the
/// uninterrupted one exactly.
const VERSION: u32 = 5;

/// The state of a run between two steps.
///
/// Passed to `Observer::checkpoint`.
///
/// ```
/// use idealparent::{Checkpoint, LearnOptions, Observer, example, learn};
///
/// /// Keeps the text of the last checkpoint, which a program would write to a file.
/// struct Last(String);
///
/// impl Observer for Last {
///     fn wants_checkpoint(&mut self, last: bool) -> bool {
///         last
///     }
///
///     fn checkpoint(&mut self, checkpoint: &Checkpoint) {
///         self.0 = checkpoint.to_json();
///     }
/// }
///
/// let mut last = Last(String::new());
/// learn(&example("sachs")?.table(), &LearnOptions::default(), &mut last)?;
/// assert_eq!(Checkpoint::from_json(&last.0)?.to_json(), last.0);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    format: String,
    version: u32,
    /// Hash of the data, options and strategy. Only a run with the same hash may resume.
    fingerprint: String,
    #[serde(flatten)]
    pub(super) parts: CheckpointParts,
}

/// What a checkpoint holds of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CheckpointParts {
    /// State of the search; `None` between two attempts to add a hidden variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) search: Option<SearchState>,
    /// State of structural EM, if values are missing or hidden variables are being added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) em: Option<EmState>,
    /// Progress of adding hidden variables, once that has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hidden: Option<HiddenProgress>,
    /// The choice of EBIC's gamma, if it is chosen from the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) price: Option<GammaChoice>,
    /// The searches with a single density, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) single: Option<SingleSearches>,
}

/// State of structural EM at the beginning of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EmState {
    /// Number of the iteration.
    pub(super) iteration: usize,
    /// The current network as JSON, and its free energy. May be `None` in the first iteration.
    pub(super) network: Option<(String, f64)>,
    /// Means and variances of the missing entries; `None` if they follow from the network alone.
    pub(super) entries: Option<Vec<(f64, f64)>>,
    /// Entropy of the distribution of the missing entries.
    pub(super) entropy: f64,
    /// Work of all earlier searches.
    pub(super) counts: WorkCounts,
}

/// The hidden variables tried so far, and the results of the run up to the checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HiddenProgress {
    /// Number of hidden variables in the network.
    pub(super) count: usize,
    /// The attempts so far, with their outcomes.
    pub(super) attempts: Vec<HiddenAttempt>,
    /// The search procedure; if the option is `auto`, the one it chose.
    pub(super) search: SearchKind,
    /// Iterations of structural EM.
    pub(super) iterations: usize,
    /// Number of candidates scored per slot.
    pub(super) candidates: CandidatesUsed,
    /// Mean share of values outside a link's image, if a measure inverts the link.
    pub(super) clamped: Option<f64>,
    /// Notes for the user, one line each.
    pub(super) notes: Vec<Message>,
}

/// The amount of work done by a number of searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkCounts {
    pub(super) moves: usize,
    /// Moves that were not reported to an observer: those that find the first network of EM, and
    /// those of attempts to add a hidden variable.
    pub(super) unobserved_moves: usize,
    pub(super) rounds: usize,
    pub(super) rejected: u64,
    pub(super) evaluations: Evaluations,
}

impl WorkCounts {
    /// Adds the moves and evaluations of a search whose steps were reported to the observer.
    pub(super) fn add(&mut self, found: &SearchResult) {
        self.moves += found.moves;
        self.evaluations += found.evaluations;
    }

    /// Adds the work of further searches.
    pub(super) fn add_all(&mut self, other: &WorkCounts) {
        self.moves += other.moves;
        self.unobserved_moves += other.unobserved_moves;
        self.rounds += other.rounds;
        self.rejected += other.rejected;
        self.evaluations += other.evaluations;
    }

    /// Adds the moves and evaluations of a search whose steps were not reported.
    pub(super) fn add_unobserved(&mut self, found: &SearchResult) {
        self.unobserved_moves += found.moves;
        self.evaluations += found.evaluations;
    }
}

impl Checkpoint {
    /// Continues the run, as `learn` would have continued it.
    ///
    /// The data and options must be those of the run. The result is the network that an
    /// uninterrupted run would have found. Families scored before the interruption may be scored,
    /// and counted, again.
    ///
    /// ```
    /// use idealparent::{Checkpoint, LearnOptions, Observer, Step, example, learn};
    ///
    /// /// Keeps the latest checkpoint, and stops after five steps.
    /// #[derive(Default)]
    /// struct Interrupted {
    ///     steps: usize,
    ///     latest: Option<Checkpoint>,
    /// }
    ///
    /// impl Observer for Interrupted {
    ///     fn step(&mut self, _: &Step) {
    ///         self.steps += 1;
    ///     }
    ///
    ///     fn wants_checkpoint(&mut self, _last: bool) -> bool {
    ///         true
    ///     }
    ///
    ///     fn checkpoint(&mut self, checkpoint: &Checkpoint) {
    ///         self.latest = Some(checkpoint.clone());
    ///     }
    ///
    ///     fn stop(&mut self) -> bool {
    ///         self.steps >= 5
    ///     }
    /// }
    ///
    /// let table = example("sachs")?.table();
    /// let options = LearnOptions::default();
    /// let mut interrupted = Interrupted::default();
    /// learn(&table, &options, &mut interrupted)?;
    /// let checkpoint = interrupted.latest.expect("a checkpoint");
    /// let resumed = checkpoint.resume(&table, &options, &mut ())?;
    /// assert_eq!(resumed.network, learn(&table, &options, &mut ())?.network);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn resume(
        &self,
        table: &Table,
        options: &LearnOptions,
        observer: &mut dyn Observer,
    ) -> Result<Learned> {
        learn_by(&Standard, table, options, Some(self), observer)
    }

    /// A checkpoint of a running search, with the state of structural EM if values are missing; or,
    /// without a search, a checkpoint between two attempts to add a hidden variable.
    pub(super) fn new(fingerprint: &str, parts: CheckpointParts) -> Self {
        Checkpoint {
            format: FORMAT.to_string(),
            version: VERSION,
            fingerprint: fingerprint.to_string(),
            parts,
        }
    }

    /// The content of a checkpoint file: one line of JSON, then a line with its checksum.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string(self).expect("a checkpoint can be written as JSON");
        with_checksum(&text)
    }

    /// Appends the checksum to the JSON text. Tests use this to make files that no run would write.
    #[cfg(feature = "testing")]
    pub fn with_checksum(text: &str) -> String {
        with_checksum(text)
    }

    /// Reads the text written by [`Checkpoint::to_json`].
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let wrong = |problem: String| Err(Error::data(problem));
        let damaged = "a damaged checkpoint (delete it to start again)";
        let (body, sum) = text.split_once('\n').unwrap_or((text, ""));
        let head = match serde_json::from_str::<Head>(body) {
            Ok(head) if head.format == FORMAT => head,
            Err(_) if body.starts_with(&format!(r#"{{"format":"{FORMAT}""#)) => {
                return wrong(damaged.to_string());
            }
            _ => return wrong("this is not a checkpoint file".to_string()),
        };
        if head.version != VERSION {
            let of = head.version;
            return wrong(format!(
                "the checkpoint has version {of}; this program can only resume from version {VERSION} \
                 (delete it to start again)"
            ));
        }
        if sha256_of(body) != sum.trim_end() {
            return wrong(damaged.to_string());
        }
        match serde_json::from_str(body) {
            Ok(checkpoint) => Ok(checkpoint),
            Err(error) => wrong(format!("{damaged}: {error}")),
        }
    }

    /// Returns an error if the checkpoint belongs to different data or options, or if no run can
    /// have written it.
    pub(super) fn check(
        &self,
        fingerprint: &str,
        options: &LearnOptions,
        holes: bool,
    ) -> Result<()> {
        if self.fingerprint != fingerprint {
            return Err(Error::data(
                "the checkpoint belongs to different data or options, or to another version of this \
                 program (delete it to start again)",
            ));
        }
        let parts = &self.parts;
        if parts.price.is_some() != options.chooses_gamma()
            || parts.price.as_ref().is_some_and(GammaChoice::is_damaged)
        {
            return Err(SearchState::damaged());
        }
        match (&parts.search, &parts.em, &parts.hidden) {
            (Some(_), em, None) if em.is_some() == holes => Ok(()),
            (None, Some(_), Some(_)) if options.wants_hidden() => Ok(()),
            _ => Err(SearchState::damaged()),
        }
    }
}

/// The content of a checkpoint file: the JSON text, and a line with its checksum.
fn with_checksum(text: &str) -> String {
    format!("{text}\n{}\n", sha256_of(text))
}
