//! What is searched and how, and what comes of it.

use super::super::neighbourhood::CandidatesUsed;
use super::super::{MoveSet, SearchKind};
use crate::error::Error;
use crate::graph::{Constraints, Dag};
use crate::ideal::Selector;
use crate::score::{Evaluations, Scorer};

/// What is searched.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// Scores families.
    pub scorer: &'a dyn Scorer,
    /// Says which candidates deserve a score.
    pub selector: &'a dyn Selector,
    /// What is known beforehand.
    pub constraints: &'a Constraints,
    /// Kinds of moves.
    pub moves: MoveSet,
}

/// How it is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The procedure.
    pub search: SearchKind,
    /// What a round of orders costs.
    pub cost: Cost,
    /// For how many steps tabu search leaves a changed edge alone.
    pub tabu_length: usize,
    /// Rounds after the first.
    pub restarts: usize,
    /// Whether these are as many only as are affordable together.
    pub spares: bool,
    /// Random moves before each of them.
    pub perturb: usize,
    /// Seed of everything random.
    pub seed: u64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    Maximum,
    /// The observer asked to stop.
    Stopped,
}

/// About what a round of orders costs from a network: families near the best ones are grown and
/// scored again and again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The cost is N times the sum over families of (1 + parents) to this power.
    pub power: i32,
    /// What all rounds together may cost, where nobody said how many.
    pub affordable: f64,
}

impl Cost {
    pub(super) fn of(&self, dag: &Dag) -> f64 {
        let family = |v: usize| (1.0 + dag.parents(v).len() as f64).powi(self.power);
        dag.len() as f64 * (0..dag.len()).map(family).sum::<f64>()
    }

    /// How many rounds from a network are affordable.
    pub(super) fn rounds(&self, dag: &Dag) -> usize {
        (self.affordable / self.of(dag)) as usize
    }
}

/// Where a search ended.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best network.
    pub dag: Dag,
    /// The procedure; what [`SearchKind::Auto`] chose.
    pub search: SearchKind,
    /// Rounds begun.
    pub rounds: usize,
    /// How it ended.
    pub ending: Ending,
    /// Steps taken.
    pub moves: usize,
    /// Families scored.
    pub evaluations: Evaluations,
    /// How many candidates per slot were scored.
    pub candidates: CandidatesUsed,
}

/// Why a search could not be done.
#[derive(Debug)]
pub enum Failure {
    /// The family of this child cannot be fitted in the network it starts from.
    Unfit(usize),
    /// The state to go on from cannot be used.
    Damaged(Error),
}

impl Plan {
    /// One run of hill climbing in its place.
    pub fn hill(&self) -> Plan {
        Plan {
            search: SearchKind::Hill,
            restarts: 0,
            ..self.clone()
        }
    }

    /// Whether moves that lose are of interest.
    pub(super) fn leaves_maxima(&self) -> bool {
        match self.search {
            SearchKind::Tabu | SearchKind::Anneal => true,
            _ => self.restarts > 0,
        }
    }
}
