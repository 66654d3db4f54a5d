//! The single-edge changes a search considers (section 4.1).

use serde_json::{Value, json};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::error::Result;
use crate::graph::Dag;
use crate::options::{OptionKind, OptionValue, word_value};

/// Kinds of moves, in the order that decides ties.
///
/// See section 4.1 of the paper.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum MoveKind {
    /// Add a parent.
    Add,
    /// Delete a parent.
    Delete,
    /// Reverse an edge.
    Reverse,
    /// Replace a parent by another.
    Replace,
}

word_value!(MoveKind);

/// A change of one edge. Moves are ordered by child, kind, parent and replaced parent; this order
/// decides ties.
///
/// ```
/// use idealparent::{Dag, Move, MoveKind};
///
/// let mut dag = Dag::from_edges(3, [(0, 2)]).unwrap();
/// let kind = MoveKind::Replace;
/// Move { child: 2, kind, parent: 1, replaced: Some(0) }.apply(&mut dag);
/// assert_eq!(dag.parents(2), [1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The variable whose family changes; for a reversal, the child before the move.
    pub child: usize,
    /// The kind of change.
    pub kind: MoveKind,
    /// The parent added, deleted or reversed; for a replacement, the new parent.
    pub parent: usize,
    /// The parent that a replacement drops.
    pub replaced: Option<usize>,
}

impl Move {
    /// Applies the move to a graph.
    pub fn apply(&self, dag: &mut Dag) {
        match self.kind {
            MoveKind::Add => dag.add_edge(self.parent, self.child),
            MoveKind::Delete => dag.remove_edge(self.parent, self.child),
            MoveKind::Reverse => {
                dag.remove_edge(self.parent, self.child);
                dag.add_edge(self.child, self.parent);
            }
            MoveKind::Replace => {
                let dropped = self.replaced.expect("a replacement drops a parent");
                dag.remove_edge(dropped, self.child);
                dag.add_edge(self.parent, self.child);
            }
        }
    }

    /// The variables whose families change.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        let second = (self.kind == MoveKind::Reverse).then_some(self.parent);
        std::iter::once(self.child).chain(second)
    }
}

/// The kinds of moves a search may use.
///
/// ```
/// use idealparent::{MoveKind, MoveSet};
///
/// let moves = MoveSet::new([MoveKind::Add, MoveKind::Delete]);
/// assert!(moves.allows(MoveKind::Add));
/// assert!(!moves.allows(MoveKind::Reverse));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveSet([bool; 4]);

impl MoveSet {
    /// Creates a set of these kinds.
    pub fn new(kinds: impl IntoIterator<Item = MoveKind>) -> Self {
        let mut set = [false; 4];
        for kind in kinds {
            set[kind as usize] = true;
        }
        MoveSet(set)
    }

    /// All four kinds.
    pub fn all() -> Self {
        MoveSet([true; 4])
    }

    /// Whether this kind may be used.
    pub fn allows(&self, kind: MoveKind) -> bool {
        self.0[kind as usize]
    }

    /// The kinds in the set.
    pub fn kinds(&self) -> impl Iterator<Item = MoveKind> + '_ {
        let all = <MoveKind as VariantArray>::VARIANTS.iter().copied();
        all.filter(|&kind| self.allows(kind))
    }
}

/// Written as words separated by commas.
impl OptionValue for MoveSet {
    const KIND: OptionKind = OptionKind::Words(<MoveKind as VariantNames>::VARIANTS);

    fn parse(text: &str) -> Result<Self> {
        let words = text.split(',').map(str::trim);
        let kinds: Result<Vec<MoveKind>> = words.map(MoveKind::parse).collect();
        Ok(MoveSet::new(kinds?))
    }

    fn record(&self) -> Option<Value> {
        let words: Vec<&str> = self.kinds().map(MoveKind::word).collect();
        Some(json!(words))
    }
}

impl Default for MoveSet {
    fn default() -> Self {
        MoveSet::all()
    }
}

/// `parents` with `added` inserted; both lists are ascending.
///
/// ```
/// assert_eq!(idealparent::extend::with_parent(&[1, 5], 3), [1, 3, 5]);
/// ```
pub fn with_parent(parents: &[usize], added: usize) -> Vec<usize> {
    let mut family = parents.to_vec();
    let at = family.partition_point(|&p| p < added);
    family.insert(at, added);
    family
}

/// `parents` without `dropped`.
///
/// ```
/// assert_eq!(idealparent::extend::without_parent(&[1, 3, 5], 3), [1, 5]);
/// ```
pub fn without_parent(parents: &[usize], dropped: usize) -> Vec<usize> {
    parents.iter().copied().filter(|&p| p != dropped).collect()
}
