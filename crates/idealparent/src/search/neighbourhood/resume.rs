//! What a neighbourhood remembers of its past, for going on after an interruption.

use serde::{Deserialize, Serialize};

use super::Neighbourhood;
use super::auto::Auto;
use super::pace::{Stop, Stopped};
use crate::ideal::Budget;
use crate::score::Evaluations;

/// Everything about a neighbourhood that does not follow from its graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    evaluations: Evaluations,
    auto: Auto,
    /// Where K is chosen by itself: how deep every slot of every child is open.
    depths: Vec<Vec<usize>>,
}

impl Neighbourhood<'_> {
    /// What [`Neighbourhood::recall`] needs.
    pub fn memory(&self) -> Memory {
        let depths = match self.selector.budget() {
            Budget::Auto => self.moves.iter().map(|own| own.depths()).collect(),
            _ => Vec::new(),
        };
        Memory {
            evaluations: self.evaluations,
            auto: self.auto.clone(),
            depths,
        }
    }

    /// In the place of [`Neighbourhood::rank_all`]: as it was when the memory was taken at this graph.
    pub fn recall(&mut self, memory: Memory, mut stop: impl FnMut() -> bool) -> bool {
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
                if let Some(depths) = memory.depths.get(child) {
                    self.moves[child].set_depths(depths);
                }
            }
            self.open_to_depth(block, stop)?;
            for &child in block {
                self.bound(child);
            }
        }
        self.score_edges_of(&all, stop)
    }
}
