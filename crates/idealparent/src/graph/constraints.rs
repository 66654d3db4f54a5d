//! What the user knows beforehand: required and forbidden edges, tiers, a limit on parents.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;

use super::{Dag, names_along};
use crate::error::{Error, Result};

/// Prior knowledge by name, as a user writes it; `*` stands for every variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// Edges that must be there, `(from, to)`.
    pub require: Vec<(String, String)>,
    /// Edges that must not be there.
    pub forbid: Vec<(String, String)>,
    /// Edges go only to the same or a later tier; a name in no tier is free.
    pub tiers: Vec<Vec<String>>,
    /// Most parents a variable may have.
    pub max_parents: Option<usize>,
}

/// Prior knowledge by index, checked for contradictions.
#[derive(Clone, Debug)]
pub struct Constraints {
    required: Vec<(usize, usize)>,
    /// Per child: the parents it may not have.
    banned: Vec<FixedBitSet>,
    max_parents: usize,
}

impl Constraints {
    /// Everything is allowed.
    pub fn none(n: usize) -> Self {
        Constraints {
            required: Vec::new(),
            banned: vec![FixedBitSet::with_capacity(n); n],
            max_parents: usize::MAX,
        }
    }

    /// Resolves names and checks that the requirements can be met.
    ///
    /// `inactive` variables can have no edges; `twins` are pairs of identical columns, between which
    /// no edge is allowed.
    pub fn new(
        names: &[String],
        knowledge: &Knowledge,
        inactive: &[bool],
        twins: &[(usize, usize)],
    ) -> Result<Self> {
        let n = names.len();
        let index = Index::new(names);
        let mut constraints = Constraints::none(n);
        constraints.max_parents = knowledge.max_parents.unwrap_or(usize::MAX);
        for v in 0..n {
            constraints.banned[v].insert(v);
            if inactive[v] {
                constraints.banned[v].insert_range(..);
                for banned in &mut constraints.banned {
                    banned.insert(v);
                }
            }
        }
        for &(a, b) in twins {
            constraints.banned[a].insert(b);
            constraints.banned[b].insert(a);
        }
        constraints.ban_against_tiers(&index, &knowledge.tiers)?;
        for (from, to) in &knowledge.forbid {
            for (parent, child) in index.pairs(from, to, "forbid")? {
                constraints.banned[child].insert(parent);
            }
        }
        for (from, to) in &knowledge.require {
            let wild = from == "*" || to == "*";
            for (parent, child) in index.pairs(from, to, "require")? {
                // A star means every variable that can take part.
                if wild && (inactive[parent] || inactive[child]) {
                    continue;
                }
                constraints.check_required(names, parent, child, inactive)?;
                constraints.required.push((parent, child));
            }
        }
        constraints.required.sort_unstable();
        constraints.required.dedup();
        constraints.check_requirements(names)?;
        Ok(constraints)
    }

    /// Edges that must be there, `(parent, child)`, sorted.
    pub fn required(&self) -> &[(usize, usize)] {
        &self.required
    }

    /// Whether this edge must be there.
    pub fn is_required(&self, parent: usize, child: usize) -> bool {
        self.required.binary_search(&(parent, child)).is_ok()
    }

    /// Whether `parent -> child` may be there, cycles aside.
    pub fn allows(&self, parent: usize, child: usize) -> bool {
        parent != child && !self.banned[child].contains(parent)
    }

    /// The parents a child may not have (itself included where known).
    pub fn banned(&self, child: usize) -> &FixedBitSet {
        &self.banned[child]
    }

    /// Most parents a variable may have.
    pub fn max_parents(&self) -> usize {
        self.max_parents
    }

    fn ban_against_tiers(&mut self, index: &Index, tiers: &[Vec<String>]) -> Result<()> {
        let n = self.banned.len();
        let mut tier_of = vec![None; n];
        for (tier, members) in tiers.iter().enumerate() {
            for name in members {
                let v = index.find(name, "tiers")?;
                if tier_of[v]
                    .replace(tier)
                    .is_some_and(|before| before != tier)
                {
                    return Err(Error::Options(format!("tiers: '{name}' is in two tiers")));
                }
            }
        }
        for child in 0..n {
            for parent in 0..n {
                if let (Some(from), Some(to)) = (tier_of[parent], tier_of[child])
                    && from > to
                {
                    self.banned[child].insert(parent);
                }
            }
        }
        Ok(())
    }

    fn check_required(
        &self,
        names: &[String],
        parent: usize,
        child: usize,
        inactive: &[bool],
    ) -> Result<()> {
        let idle = [parent, child].into_iter().find(|&v| inactive[v]);
        let problem = if parent == child {
            "a variable cannot be its own parent".to_string()
        } else if let Some(v) = idle {
            format!("'{}' never varies in the data", names[v])
        } else if !self.allows(parent, child) {
            "the edge is forbidden, against the tiers, or between identical columns".to_string()
        } else {
            return Ok(());
        };
        Err(Error::Options(format!(
            "require '{}' -> '{}': {problem}",
            names[parent], names[child]
        )))
    }

    fn check_requirements(&self, names: &[String]) -> Result<()> {
        let edges = self.required.iter().copied();
        let dag = Dag::or_cycle(names.len(), edges).map_err(|cycle| {
            let shown = names_along(&cycle, names);
            Error::Options(format!("the required edges form a cycle: {shown}"))
        })?;
        for v in 0..names.len() {
            if dag.parents(v).len() > self.max_parents {
                return Err(Error::Options(format!(
                    "'{}' has {} required parents, more than --max-parents {}",
                    names[v],
                    dag.parents(v).len(),
                    self.max_parents
                )));
            }
        }
        Ok(())
    }
}

/// Variables by name.
struct Index<'a>(HashMap<&'a str, usize>);

impl<'a> Index<'a> {
    fn new(names: &'a [String]) -> Self {
        let pairs = names.iter().enumerate();
        Index(pairs.map(|(v, name)| (name.as_str(), v)).collect())
    }

    fn find(&self, name: &str, what: &str) -> Result<usize> {
        let found = self.0.get(name).copied();
        found.ok_or_else(|| Error::Options(format!("{what}: no variable is called '{name}'")))
    }

    /// The pairs that `from -> to` stands for; where a star is meant, a variable is not paired with itself.
    fn pairs(&self, from: &str, to: &str, what: &str) -> Result<Vec<(usize, usize)>> {
        let every = |name: &str| match name {
            "*" => Ok((0..self.0.len()).collect()),
            _ => self.find(name, what).map(|v| vec![v]),
        };
        let wild = from == "*" || to == "*";
        let children: Vec<usize> = every(to)?;
        let mut pairs = Vec::new();
        for parent in every(from)? {
            let fitting = |child: &&usize| !(wild && parent == **child);
            pairs.extend(
                children
                    .iter()
                    .filter(fitting)
                    .map(|&child| (parent, child)),
            );
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["A", "B", "C", "D"].map(String::from).to_vec()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |&(a, b): &(&str, &str)| (a.to_string(), b.to_string());
        list.iter().map(own).collect()
    }

    fn build(knowledge: &Knowledge) -> Result<Constraints> {
        Constraints::new(&names(), knowledge, &[false, false, false, true], &[(0, 2)])
    }

    #[test]
    fn stars_tiers_twins_and_inactive() {
        let knowledge = Knowledge {
            forbid: pairs(&[("*", "B")]),
            tiers: vec![vec!["B".into()], vec!["C".into()]],
            ..Default::default()
        };
        let c = build(&knowledge).unwrap();
        assert!(!c.allows(0, 1) && !c.allows(2, 1), "nothing into B");
        assert!(c.allows(1, 2) && !c.allows(2, 1), "tiers");
        assert!(!c.allows(0, 2) && !c.allows(2, 0), "twins");
        assert!(!c.allows(3, 0) && !c.allows(0, 3), "inactive");
        assert!(c.allows(1, 0));
    }

    #[test]
    fn contradictions_are_one_line() {
        let text = |k: Knowledge| build(&k).unwrap_err().to_string();
        let require = |list: &[(&str, &str)]| Knowledge {
            require: pairs(list),
            ..Default::default()
        };
        assert_eq!(
            text(require(&[("A", "B"), ("B", "A")])),
            "the required edges form a cycle: A -> B -> A"
        );
        assert_eq!(
            text(require(&[("A", "D")])),
            "require 'A' -> 'D': 'D' never varies in the data"
        );
        assert_eq!(
            text(require(&[("A", "X")])),
            "require: no variable is called 'X'"
        );
        let mut both = require(&[("A", "B")]);
        both.forbid = pairs(&[("A", "*")]);
        assert!(text(both).starts_with("require 'A' -> 'B': the edge is forbidden"));
        let mut many = require(&[("A", "B"), ("C", "B")]);
        many.max_parents = Some(1);
        assert!(text(many).contains("--max-parents 1"));
        // A star skips what cannot take part.
        let c = build(&require(&[("B", "*")])).unwrap();
        assert_eq!(c.required(), [(1, 0), (1, 2)]);
    }
}
