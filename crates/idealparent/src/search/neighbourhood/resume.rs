//! What a neighbourhood remembers of its past, for going on after an interruption.

use serde::{Deserialize, Serialize};

use super::Neighbourhood;
use super::auto::Auto;
use super::pace::{Stop, Stopped};
use crate::ideal::Budget;
use crate::score::Evaluations;

/// Everything about a neighbourhood that does not follow from its graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) evaluations: Evaluations,
    auto: Auto,
    /// Where K is chosen by itself: how deep every slot of every child is open, and what was
    /// opened.
    slots: Vec<Vec<(usize, Vec<usize>)>>,
}

impl Memory {
    /// Whether it can be of a search over so many variables.
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
    /// What [`Neighbourhood::recall`] needs.
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

    /// In the place of [`Neighbourhood::rank_all`]: as it was when the memory was taken at this
    /// graph.
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
