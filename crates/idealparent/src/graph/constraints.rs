//! Prior knowledge: required and forbidden edges, tiers, a limit on the number of parents.

use fixedbitset::FixedBitSet;

use super::knowledge::{Index, mistake};
use super::{Dag, Knowledge, names_along};
use crate::error::{Error, Origin, Result, option_value, quoted};

/// Prior knowledge by variable index, checked for contradictions.
///
/// ```
/// use idealparent::extend::{Constraints, Knowledge};
///
/// let names = ["A", "B"].map(String::from);
/// let mut knowledge = Knowledge::default();
/// knowledge.forbid.push(("A".to_string(), "B".to_string()));
/// let constraints = Constraints::new(&names, &knowledge, &[false, false], &[])?;
/// assert!(!constraints.allows(0, 1));
/// assert!(constraints.allows(1, 0));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Constraints {
    required: Vec<(usize, usize)>,
    /// Per child: the parents it may not have.
    banned: Vec<FixedBitSet>,
    /// Pairs of identical columns, for messages.
    twins: Vec<(usize, usize)>,
    /// The tier of each variable, for messages.
    tier_of: Vec<Option<usize>>,
    max_parents: usize,
}

impl Constraints {
    /// No constraints on a graph of `n` variables.
    pub fn none(n: usize) -> Self {
        Constraints {
            required: Vec::new(),
            banned: vec![FixedBitSet::with_capacity(n); n],
            twins: Vec::new(),
            tier_of: vec![None; n],
            max_parents: usize::MAX,
        }
    }

    /// Resolves names to indices.
    ///
    /// Variables marked in `inactive` get no edges. `twins` are pairs of identical columns; no edge
    /// is allowed between them.
    ///
    /// # Errors
    /// If a name is unknown, or if required edges contradict each other or other constraints.
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
        constraints.twins = twins.to_vec();
        for &(a, b) in twins {
            constraints.banned[a].insert(b);
            constraints.banned[b].insert(a);
        }
        let origins = &knowledge.origins;
        constraints.ban_against_tiers(&index, &knowledge.tiers, &origins.tiers)?;
        let forbidden = index.pairs(&knowledge.forbid, &origins.forbid, "forbid")?;
        for (_, (parent, child)) in forbidden {
            constraints.banned[child].insert(parent);
        }
        let required = index.pairs(&knowledge.require, &origins.require, "require")?;
        for (entry, (parent, child)) in required {
            // A star stands for active variables only.
            let wild = index.is_wild(&knowledge.require[entry]);
            if wild && (inactive[parent] || inactive[child]) {
                continue;
            }
            if let Some(problem) = constraints.conflict(names, parent, child, inactive) {
                let edge = format!("{} -> {}", quoted(&names[parent]), quoted(&names[child]));
                let problem = format!("{edge}{problem}");
                return Err(mistake(&origins.require, entry, "require", &problem));
            }
            constraints.required.push((parent, child));
        }
        constraints.required.sort_unstable();
        constraints.required.dedup();
        constraints.check_requirements(names, &origins.require)?;
        Ok(constraints)
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.banned.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.banned.is_empty()
    }

    /// Required edges `(parent, child)`, sorted.
    pub fn required(&self) -> &[(usize, usize)] {
        &self.required
    }

    /// The graph of the required edges.
    pub(crate) fn required_dag(&self) -> Dag {
        let edges = self.required.iter().copied();
        Dag::from_edges(self.len(), edges).expect("required edges were checked for cycles")
    }

    /// Whether the edge `parent -> child` is required.
    pub fn is_required(&self, parent: usize, child: usize) -> bool {
        self.required.binary_search(&(parent, child)).is_ok()
    }

    /// Whether the edge `parent -> child` is allowed, apart from cycles and the number of parents.
    pub fn allows(&self, parent: usize, child: usize) -> bool {
        parent != child && !self.banned[child].contains(parent)
    }

    /// Whether the edge `parent -> child` cannot be reversed: it is required, or its reverse is not
    /// allowed.
    pub fn fixes(&self, parent: usize, child: usize) -> bool {
        self.is_required(parent, child) || !self.allows(child, parent)
    }

    /// The parents that a child may not have. The child itself may or may not be included.
    pub fn banned(&self, child: usize) -> &FixedBitSet {
        &self.banned[child]
    }

    /// The same constraints, but each child may only have parents from its set.
    pub fn keep_only(&self, sets: &[FixedBitSet]) -> Self {
        let mut kept = self.clone();
        for (banned, set) in kept.banned.iter_mut().zip(sets) {
            let mut others = set.clone();
            others.grow(sets.len());
            others.toggle_range(..);
            banned.union_with(&others);
        }
        kept
    }

    /// The same constraints with `count` hidden variables added after the others.
    ///
    /// With `two_layers`, hidden variables are roots and all other variables have only hidden
    /// parents. With `are_roots`, hidden variables have no parents. Variables in `without` have no
    /// hidden parents.
    pub(crate) fn with_hidden(
        &self,
        count: usize,
        two_layers: bool,
        are_roots: bool,
        without: &[usize],
    ) -> Self {
        let (observed, n) = (self.banned.len(), self.banned.len() + count);
        // A variable that may not have any observed child may not have a hidden one either: it is
        // inactive, or all its edges are forbidden (`X *`).
        let mut childless = FixedBitSet::with_capacity(n);
        childless.insert_range(..observed);
        for banned in &self.banned {
            childless.intersect_with(banned);
        }
        let mut all = self.clone();
        all.banned.resize(n, FixedBitSet::new());
        for (v, banned) in all.banned.iter_mut().enumerate() {
            // A variable that may not have any observed parent may not have a hidden one either: it
            // is inactive, or all edges to it are forbidden (`* X`).
            let is_parentless =
                v < observed && observed > 0 && banned.count_ones(..observed) == observed;
            banned.grow(n);
            banned.insert(v);
            if two_layers {
                banned.insert_range(..observed);
            }
            if (two_layers && v >= observed) || is_parentless || without.contains(&v) {
                banned.insert_range(observed..);
            }
            if are_roots && v >= observed {
                banned.insert_range(..);
            } else if v >= observed {
                banned.union_with(&childless);
            }
        }
        all
    }

    /// Largest number of parents that a variable may have.
    pub fn max_parents(&self) -> usize {
        self.max_parents
    }

    fn ban_against_tiers(
        &mut self,
        index: &Index,
        tiers: &[Vec<String>],
        origin: &Origin,
    ) -> Result<()> {
        let n = self.banned.len();
        let mut tier_of = vec![None; n];
        let is_file = !origin.file.is_empty();
        for (tier, members) in tiers.iter().enumerate() {
            for name in members {
                let wrong = |problem: String| mistake(origin, tier, "tiers", &problem);
                let hint = if is_file && name.contains([',', ';', ' ']) {
                    " (separate names with tabs)"
                } else {
                    ""
                };
                let unknown = |problem: String| wrong(problem + hint);
                let v = index.find(name).map_err(unknown)?;
                if tier_of[v]
                    .replace(tier)
                    .is_some_and(|before| before != tier)
                {
                    return Err(wrong(format!("{} is in two tiers", quoted(name))));
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
        self.tier_of = tier_of;
        Ok(())
    }

    /// Why an edge between active variables is not allowed; `None` if it is in the list of
    /// forbidden edges.
    pub(crate) fn obstacle(&self, names: &[String], parent: usize, child: usize) -> Option<String> {
        if self.twins.contains(&(parent, child)) || self.twins.contains(&(child, parent)) {
            return Some("the two columns are identical".to_string());
        }
        // Hidden variables are in no tier.
        let tier = |v: usize| self.tier_of.get(v).copied().flatten();
        (tier(parent)? > tier(child)?)
            .then(|| format!("{} is in an earlier tier", quoted(&names[child])))
    }

    /// Why an edge cannot be required, worded to follow the edge in a message; `None` if it can.
    fn conflict(
        &self,
        names: &[String],
        parent: usize,
        child: usize,
        inactive: &[bool],
    ) -> Option<String> {
        let idle = [parent, child].into_iter().find(|&v| inactive[v]);
        if parent == child {
            Some(": a variable cannot be its own parent".to_string())
        } else if let Some(v) = idle {
            Some(format!(": {} never varies in the data", quoted(&names[v])))
        } else if !self.allows(parent, child) {
            let obstacle = self.obstacle(names, parent, child);
            let obstacle = obstacle.unwrap_or_else(|| "also forbidden".to_string());
            Some(format!(" is required, but {obstacle}"))
        } else {
            None
        }
    }

    fn check_requirements(&self, names: &[String], origin: &Origin) -> Result<()> {
        let edges = self.required.iter().copied();
        let dag = Dag::or_cycle(names.len(), edges).map_err(|cycle| {
            let shown = names_along(&cycle, names);
            let problem = format!("the required edges form a cycle: {shown}");
            match origin.file.as_str() {
                "" => Error::options(problem),
                file => Error::table(file, problem),
            }
        })?;
        for v in 0..names.len() {
            let count = dag.parents(v).len();
            if count > self.max_parents {
                let parents = if count == 1 { "parent" } else { "parents" };
                return Err(Error::options(format!(
                    "{} has {count} required {parents}, more than {} allows",
                    quoted(&names[v]),
                    option_value("max_parents", self.max_parents)
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Origins;

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
    fn stars_tiers_twins_and_inactive_variables_ban_edges() {
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
    fn contradictory_constraints_are_refused_in_one_line() {
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
            "`require`: 'A' -> 'D': 'D' never varies in the data"
        );
        assert_eq!(
            text(require(&[("A", "X")])),
            "`require`: no variable is called 'X'"
        );
        let mut both = require(&[("A", "B")]);
        both.forbid = pairs(&[("A", "*")]);
        assert_eq!(
            text(both),
            "`require`: 'A' -> 'B' is required, but also forbidden"
        );
        let mut against = require(&[("B", "A")]);
        against.tiers = vec![vec!["A".into()], vec!["B".into()]];
        assert_eq!(
            text(against),
            "`require`: 'B' -> 'A' is required, but 'A' is in an earlier tier"
        );
        assert_eq!(
            text(require(&[("C", "A")])),
            "`require`: 'C' -> 'A' is required, but the two columns are identical"
        );
        let mut many = require(&[("A", "B"), ("C", "B")]);
        many.max_parents = Some(1);
        assert!(text(many).contains("`max_parents = 1`"));
        // A star skips inactive variables.
        let c = build(&require(&[("B", "*")])).unwrap();
        assert_eq!(c.required(), [(1, 0), (1, 2)]);
    }

    #[test]
    fn a_variable_may_be_called_star() {
        let names = ["A", "*", "B"].map(String::from);
        let knowledge = Knowledge {
            forbid: pairs(&[("*", "B")]),
            require: pairs(&[("A", "*")]),
            ..Default::default()
        };
        let c = Constraints::new(&names, &knowledge, &[false; 3], &[]).unwrap();
        assert!(c.allows(0, 2) && !c.allows(1, 2));
        assert_eq!(c.required(), [(0, 1)]);
        assert_eq!(knowledge.notes(&names).len(), 1);
        assert!(knowledge.notes(&names[2..]).is_empty());
        assert!(Knowledge::default().notes(&names).is_empty());
    }

    #[test]
    fn a_mistake_in_a_file_names_its_line() {
        let origin = |file: &str| Origin {
            file: file.to_string(),
            lines: vec![2, 5],
        };
        let from_files = Knowledge {
            origins: Origins {
                require: origin("r.tsv"),
                forbid: origin("f.tsv"),
                tiers: origin("t.txt"),
            },
            ..Default::default()
        };
        let text = |knowledge: Knowledge| {
            let error = build(&knowledge).unwrap_err();
            assert!(!error.is_usage(), "{error}");
            error.to_string()
        };
        let mut k = from_files.clone();
        k.require = pairs(&[("A", "B"), ("a", "B")]);
        let line = "r.tsv:5: no variable is called 'a' (did you mean 'A'?)";
        assert_eq!(text(k.clone()), line);
        k.require = pairs(&[("A", "D"), ("B", "C")]);
        let line = "r.tsv:2: 'A' -> 'D': 'D' never varies in the data";
        assert_eq!(text(k.clone()), line);
        k.require = pairs(&[("A", "B"), ("B", "A")]);
        let line = "r.tsv: the required edges form a cycle: A -> B -> A";
        assert_eq!(text(k), line);
        let mut k = from_files.clone();
        k.forbid = pairs(&[("A", "B"), ("*", "X")]);
        assert_eq!(text(k), "f.tsv:5: no variable is called 'X'");
        let mut k = from_files;
        k.tiers = vec![vec!["A".into()], vec!["X".into()]];
        assert_eq!(text(k.clone()), "t.txt:5: no variable is called 'X'");
        k.tiers = vec![vec!["A,B".into()]];
        let line = "t.txt:2: no variable is called 'A,B' (separate names with tabs)";
        assert_eq!(text(k), line);
    }

    #[test]
    fn stars_in_forbidden_edges_cover_hidden_variables() {
        let knowledge = Knowledge {
            forbid: pairs(&[("*", "A"), ("B", "*")]),
            ..Knowledge::default()
        };
        let found = Constraints::new(&names(), &knowledge, &[false; 4], &[]).unwrap();
        let all = found.with_hidden(1, false, false, &[]);
        assert!(!all.allows(4, 0) && all.allows(4, 1));
        assert!(!all.allows(1, 4) && all.allows(0, 4));
    }
}
