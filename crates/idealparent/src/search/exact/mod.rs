//! The best network of all, by dynamic programming over subsets of the variables.
//!
//! First, the sets of parents that an optimal network can have are enumerated for every variable
//! (`families`). Variables that can lie on a common cycle form a component; components are solved
//! one by one, since any choice of parents outside the component closes no cycle (`components`).
//! Within a component, the best score of every subset of its variables follows from those of
//! smaller subsets (`lattice`).

mod best;
mod choice;
mod components;
mod families;
mod lattice;
mod limits;
mod subsets;

use rayon::prelude::*;

use crate::error::{Error, option, option_value, quoted};
use crate::graph::{Constraints, Dag};
use crate::ideal::TIE;
use crate::score::Scorer;
use choice::Component;
use components::components;
use families::{Enumeration, Families};
pub(crate) use limits::Limits;
use limits::Memory;

/// Largest component: 2^30 subsets take 8.6 GB.
const LARGEST: usize = 30;

/// Memory that a family needs while its component is solved: its parents as bits, alone and twice
/// with its score.
const FAMILY_BYTES: u64 = 4 + 16 + 16;

/// Number of variables that an error names.
const SHOWN: usize = 4;

/// Number of variables whose families are enumerated at the same time: fewer if they would need more
/// than this many bytes together to begin.
const ACTIVE: usize = 32;
const MOST_BYTES: usize = 1 << 30;

/// The problem of an exact search.
#[derive(Clone, Copy)]
pub(crate) struct ExactProblem<'a> {
    pub(crate) scorer: &'a dyn Scorer,
    pub(crate) constraints: &'a Constraints,
    pub(crate) limits: Limits,
}

/// Why an exact search did not find the best network.
#[derive(Debug)]
pub(crate) enum Unsolved {
    /// It was asked to stop.
    Interrupted,
    /// The required parents of this variable cannot be fitted.
    Unfit(usize),
    /// It would take too much work or memory.
    TooLarge(TooLarge),
}

/// What makes a problem too large for an exact search.
#[derive(Debug)]
pub enum TooLarge {
    /// Too many families have to be scored, most of them this variable's.
    Families(usize),
    /// Too many sets of parents have to be compared, most of them this variable's.
    Sets(usize),
    /// The families found so far, most of them this variable's, need more memory than is free.
    Kept(usize, String),
    /// Too many variables, these, may lie on a common cycle.
    Variables(Vec<usize>),
    /// This many possible parents of a variable need more memory than is free.
    Candidates(usize, String),
    /// These variables need more memory than is free.
    Memory(Vec<usize>, String),
}

impl TooLarge {
    /// The error for the user; `names` are the names of the variables.
    pub fn error(&self, names: &[String]) -> Error {
        let exact = option_value("search", "exact");
        let several = |members: &[usize]| {
            let shown = members.iter().take(SHOWN).map(|&v| quoted(&names[v]));
            let more = if members.len() > SHOWN { ", …" } else { "" };
            format!(
                "{} variables ({}{more})",
                members.len(),
                shown.collect::<Vec<_>>().join(", ")
            )
        };
        let problem = match self {
            TooLarge::Families(child) => format!(
                "{exact} would have to score more than {} million families, most of them of {}",
                Limits::default().families / 1_000_000,
                quoted(&names[*child])
            ),
            TooLarge::Sets(child) => format!(
                "{exact} would have to compare more than {} billion sets of parents, most of them \
                 of {}",
                Limits::default().sets / 1_000_000_000,
                quoted(&names[*child])
            ),
            TooLarge::Kept(child, error) => format!(
                "{exact} has to keep the families that may be in the best network, most of them of \
                 {}, which needs {error}",
                quoted(&names[*child])
            ),
            TooLarge::Variables(members) => format!(
                "{exact} would have to order {} that depend on each other, and the limit is \
                 {LARGEST}",
                several(members)
            ),
            TooLarge::Candidates(width, error) => {
                format!("{exact} has to compare the sets of {width} parents, which needs {error}")
            }
            TooLarge::Memory(members, error) => {
                format!(
                    "{exact} has to order {}, which needs {error}",
                    several(members)
                )
            }
        };
        Error::options(format!(
            "{problem} (lower {}, raise {}, give {}, or use {})",
            option("max_parents"),
            option("gamma"),
            option("tiers"),
            option_value("search", "order")
        ))
    }
}

/// The families of an optimal network, enumerated but not yet chosen.
pub(crate) struct Candidates {
    /// By variable.
    families: Vec<Families>,
    components: Vec<Vec<usize>>,
    limits: Limits,
    /// Number of families scored.
    pub(crate) scored: usize,
}

/// The work of some enumerations.
#[derive(Clone, Copy, Default)]
struct Work {
    scored: usize,
    visited: usize,
    kept: usize,
    bytes: usize,
}

impl Work {
    fn with(self, one: &Enumeration) -> Work {
        Work {
            scored: self.scored + one.scored,
            visited: self.visited + one.visited,
            kept: self.kept + one.found(),
            bytes: self.bytes + one.bytes(),
        }
    }
}

/// How many of these variables are enumerated at the same time.
fn side_by_side(open: &[&mut Enumeration]) -> usize {
    let widest = open.iter().map(|one| one.bytes_to_begin()).max();
    let fitting = MOST_BYTES / widest.unwrap_or(0).max(1);
    open.len().min(fitting.clamp(1, ACTIVE))
}

impl Candidates {
    /// Enumerates the families that an optimal network can have.
    pub(crate) fn enumerate(
        problem: ExactProblem,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Unsolved> {
        let ExactProblem {
            scorer,
            constraints,
            limits,
        } = problem;
        let required = constraints.required_dag();
        let new = |child| Enumeration::new(scorer, child, constraints, &required);
        let mut all: Vec<Enumeration> = (0..scorer.width()).map(new).collect();
        let mut open: Vec<&mut Enumeration> = all.iter_mut().collect();
        let most = open.iter().max_by_key(|one| one.bytes_to_begin());
        let (width, bytes) = most.map_or((0, 0), |one| (one.width(), one.bytes_to_begin()));
        let bytes = bytes.saturating_mul(side_by_side(&open));
        (limits.check_memory)(bytes as u64).map_err(|error| {
            let problem = error.to_string();
            Unsolved::TooLarge(TooLarge::Candidates(width, problem))
        })?;
        let mut memory = Memory::new(limits, bytes + scorer.cache_bytes());
        let mut finished = Work::default();
        while !open.is_empty() {
            if stop() {
                return Err(Unsolved::Interrupted);
            }
            let active = side_by_side(&open);
            let done: Vec<bool> = open[..active]
                .par_iter_mut()
                .map(|enumeration| enumeration.advance())
                .collect();
            let now = &open[..active];
            let sum = now.iter().fold(finished, |sum, one| sum.with(one));
            let most = |amount: fn(&Enumeration) -> usize| {
                let most = now.iter().max_by_key(|one| amount(one));
                most.expect("an enumeration that continues").child()
            };
            let refused = |problem| Err(Unsolved::TooLarge(problem));
            if sum.scored > limits.families || sum.kept > limits.families {
                return refused(TooLarge::Families(most(|one| one.scored)));
            }
            if sum.visited > limits.sets {
                return refused(TooLarge::Sets(most(|one| one.visited)));
            }
            let largest = now.iter().map(|one| one.bytes()).max().unwrap_or(0);
            if let Err(error) = memory.grow_to(sum.bytes + scorer.cache_bytes(), largest) {
                let child = most(|one| one.bytes());
                return refused(TooLarge::Kept(child, error.to_string()));
            }
            let mut place = 0;
            open.retain(|one| {
                let is_done = place < active && done[place];
                place += 1;
                if is_done {
                    finished = finished.with(one);
                }
                !is_done
            });
        }
        let scored = finished.scored;
        let families: Vec<Families> = all.into_par_iter().map(Enumeration::families).collect();
        if let Some(child) = families.iter().position(|of| of.len() == 0) {
            return Err(Unsolved::Unfit(child));
        }
        let next = families.par_iter().map(Families::possible_parents);
        let next: Vec<Vec<usize>> = next.collect();
        Ok(Candidates {
            components: components(&next),
            families,
            limits,
            scored,
        })
    }

    /// The largest component.
    fn largest(&self) -> &[usize] {
        // Of several, the one of the smallest variables.
        let largest = self.components.iter().rev().max_by_key(|of| of.len());
        largest.map_or(&[], Vec::as_slice)
    }

    /// Memory in bytes that [`Candidates::solve`] needs for the scores of sets of variables.
    pub(crate) fn bytes(&self) -> u64 {
        lattice::bytes(self.largest().len())
    }

    /// Memory in bytes that the families of a component need while it is solved.
    fn bytes_of_families(&self, members: &[usize]) -> u64 {
        let kept = members.iter().map(|&v| self.families[v].len() as u64);
        FAMILY_BYTES * kept.sum::<u64>()
    }

    /// Finds the best network.
    pub(crate) fn solve(&self, stop: &mut dyn FnMut() -> bool) -> Result<Dag, Unsolved> {
        let members = || self.largest().to_vec();
        if self.largest().len() > LARGEST {
            return Err(Unsolved::TooLarge(TooLarge::Variables(members())));
        }
        let families = self.components.iter().map(|of| self.bytes_of_families(of));
        let families = families.max().unwrap_or(0);
        let needed = self.bytes().saturating_add(families);
        if let Err(error) = (self.limits.check_memory)(needed) {
            return Err(Unsolved::TooLarge(TooLarge::Memory(
                members(),
                error.to_string(),
            )));
        }
        let mut chosen = vec![0; self.families.len()];
        // Differences within the tie tolerance, and the sum of all of them, count as rounding
        // errors.
        let mut slack = TIE;
        for members in &self.components {
            let component = Component::new(members, &self.families);
            component.solve(&mut chosen, &mut slack, stop)?;
        }
        let edges = self.families.iter().zip(chosen).enumerate();
        let edges = edges.flat_map(|(child, (families, index))| {
            let parents = families.parents(index).iter();
            parents.map(move |&p| (p as usize, child))
        });
        let dag = Dag::from_edges(self.families.len(), edges);
        Ok(dag.expect("the families of an order close no cycle"))
    }
}

#[cfg(test)]
mod tests;
