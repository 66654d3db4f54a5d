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
mod subsets;

use rayon::prelude::*;

use crate::error::{Error, option, option_value, quoted};
use crate::graph::{Constraints, Dag};
use crate::ideal::TIE;
use crate::memory;
use crate::score::Scorer;
use choice::Component;
use components::components;
use families::{Enumeration, Families};

/// Largest component: 2^30 subsets take 8.6 GB.
const LARGEST: usize = 30;

/// Largest number of families that are scored, and that are kept, over all variables.
pub(crate) const MOST_FAMILIES: usize = 50_000_000;

/// Number of variables that an error names.
const SHOWN: usize = 4;

/// Number of variables whose families are enumerated at the same time: fewer if the scores that they
/// keep in memory would be more than this many together, 1 GB.
const ACTIVE: usize = 32;
const MOST_ENTRIES: usize = 1 << 27;

/// The problem of an exact search.
#[derive(Clone, Copy)]
pub(crate) struct ExactProblem<'a> {
    pub(crate) scorer: &'a dyn Scorer,
    pub(crate) constraints: &'a Constraints,
    /// Largest number of families that may be scored.
    pub(crate) budget: usize,
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
    /// These variables may lie on a common cycle, and they are too many.
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
                MOST_FAMILIES / 1_000_000,
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
    /// Number of families scored.
    pub(crate) scored: usize,
}

/// How many of these variables are enumerated at the same time.
fn side_by_side(open: &[&mut Enumeration]) -> usize {
    let widest = open.iter().map(|one| one.table_size()).max();
    let fitting = MOST_ENTRIES / widest.unwrap_or(0).max(1);
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
            budget,
        } = problem;
        let required = constraints.required_dag();
        let new = |child| Enumeration::new(scorer, child, constraints, &required);
        let mut all: Vec<Enumeration> = (0..scorer.width()).map(new).collect();
        let mut open: Vec<&mut Enumeration> = all.iter_mut().collect();
        let most = open.iter().max_by_key(|one| one.table_size());
        let (width, entries) = most.map_or((0, 0), |one| (one.width(), one.table_size()));
        memory::check(8 * (entries * side_by_side(&open)) as u64).map_err(|error| {
            let problem = error.to_string();
            Unsolved::TooLarge(TooLarge::Candidates(width, problem))
        })?;
        let mut finished = (0, 0);
        while !open.is_empty() {
            if stop() {
                return Err(Unsolved::Interrupted);
            }
            let active = side_by_side(&open);
            let done: Vec<bool> = open[..active]
                .par_iter_mut()
                .map(|enumeration| enumeration.advance())
                .collect();
            let sums = open[..active].iter().fold(finished, |(scored, kept), one| {
                (scored + one.scored, kept + one.found())
            });
            if sums.0 > budget || sums.1 > MOST_FAMILIES {
                let most = open[..active].iter().max_by_key(|one| one.scored);
                let child = most.expect("an enumeration that continues").child();
                return Err(Unsolved::TooLarge(TooLarge::Families(child)));
            }
            let mut place = 0;
            open.retain(|one| {
                let is_done = place < active && done[place];
                place += 1;
                if is_done {
                    finished.0 += one.scored;
                    finished.1 += one.found();
                }
                !is_done
            });
        }
        let scored = finished.0;
        let families: Vec<Families> = all.into_par_iter().map(Enumeration::families).collect();
        if let Some(child) = families.iter().position(|of| of.len() == 0) {
            return Err(Unsolved::Unfit(child));
        }
        let next = families.par_iter().map(Families::possible_parents);
        let next: Vec<Vec<usize>> = next.collect();
        Ok(Candidates {
            components: components(&next),
            families,
            scored,
        })
    }

    /// The largest component.
    fn largest(&self) -> &[usize] {
        // Of several, the one of the smallest variables.
        let largest = self.components.iter().rev().max_by_key(|of| of.len());
        largest.map_or(&[], Vec::as_slice)
    }

    /// Memory in bytes that [`Candidates::solve`] needs.
    pub(crate) fn bytes(&self) -> u64 {
        lattice::bytes(self.largest().len())
    }

    /// Finds the best network.
    pub(crate) fn solve(&self, stop: &mut dyn FnMut() -> bool) -> Result<Dag, Unsolved> {
        let members = || self.largest().to_vec();
        if self.largest().len() > LARGEST {
            return Err(Unsolved::TooLarge(TooLarge::Variables(members())));
        }
        if let Err(error) = memory::check(self.bytes()) {
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
