//! The history of a neighbourhood, for resuming a search after an interruption.

use serde::{Deserialize, Serialize};

use super::Neighbourhood;
use super::auto::Auto;
use super::pace::{Stop, Stopped};
use crate::ideal::Budget;
use crate::score::Evaluations;

/// The state of a neighbourhood that does not follow from its graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) evaluations: Evaluations,
    auto: Auto,
    /// If K is chosen automatically: for every slot of every child, the number of candidates to be
    /// open, and those that were opened.
    slots: Vec<Vec<(usize, Vec<usize>)>>,
}

impl Memory {
    /// Whether a search over this many variables can have produced this state.
    pub(crate) fn is_sound(&self, variables: usize) -> bool {
        let opened = |slot: &(usize, Vec<usize>)| {
            let ascending = slot.1.windows(2).all(|pair| pair[0] < pair[1]);
            ascending && slot.1.last().is_none_or(|&last| last < variables)
        };
        let all = self.slots.is_empty() || self.slots.len() == variables;
        all && self.auto.is_sound() && self.slots.iter().flatten().all(opened)
    }
}

impl Neighbourhood<'_> {
    /// The state that [`Neighbourhood::recall`] restores.
    pub(crate) fn memory(&self) -> Memory {
        let past = |slots: &Vec<super::SlotMoves>| slots.iter().map(|slot| slot.past()).collect();
        let slots = match self.selector.budget() {
            Budget::Auto => self.moves.iter().map(|own| past(&own.slots)).collect(),
            _ => Vec::new(),
        };
        Memory {
            evaluations: self.evaluations,
            auto: self.auto.clone(),
            slots,
        }
    }

    /// Replaces [`Neighbourhood::rank_all`] in a resumed search: restores the neighbourhood as it
    /// was when `memory` was taken at this graph. Returns whether all work was done before `stop`.
    pub(crate) fn recall(&mut self, memory: Memory, mut stop: impl FnMut() -> bool) -> bool {
        let done = self.reopen_all(&memory, &mut stop).is_ok();
        self.evaluations = memory.evaluations;
        self.auto = memory.auto;
        done
    }

    fn reopen_all(&mut self, memory: &Memory, stop: Stop) -> Result<(), Stopped> {
        let all: Vec<usize> = (0..self.dag.len()).collect();
        for block in all.chunks(super::BLOCK) {
            self.rank(block, stop)?;
            for &child in block {
                let Some(past) = memory.slots.get(child) else {
                    continue;
                };
                let mut slots = std::mem::take(&mut self.moves[child].slots);
                for (slot, (depth, opened)) in slots.iter_mut().zip(past) {
                    let replaced = slot.ranking.replaced;
                    slot.recall(*depth, opened, |z| self.insertion(child, replaced, z).0);
                }
                self.moves[child].slots = slots;
            }
            self.open_to_depth(block, stop)?;
            for &child in block {
                self.bound(child);
            }
        }
        self.score_edges_of(&all, stop)
    }
}
