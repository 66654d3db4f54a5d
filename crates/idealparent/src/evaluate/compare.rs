//! Comparison of two structures: structural Hamming distances, precision and recall.

use serde::Serialize;

use super::matching::{HiddenMatches, Places};
use crate::data::list;
use crate::error::{Error, Result};
use crate::evaluate::NamedDag;
use crate::graph::{Adjacency, Cpdag, Dag};

/// Agreement of a learned structure with a reference, under one definition of an edge.
///
/// An edge of the learned structure is *correct* when the pair has the same status in the
/// reference.
///
/// Part of a [`Comparison`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Agreement {
    /// Structural Hamming distance: the number of pairs whose status differs.
    pub shd: usize,
    /// Share of the learned edges that are correct; 1 if none was learned.
    pub precision: f64,
    /// Number of correct edges over the number of edges of the reference; 1 if it has none.
    pub recall: f64,
    /// Harmonic mean of precision and recall; 0 if both are 0.
    pub f1: f64,
    /// Number of correct edges.
    #[serde(skip)]
    pub correct: usize,
    /// Number of edges learned.
    #[serde(skip)]
    pub learned: usize,
    /// Number of edges of the reference.
    #[serde(skip)]
    pub reference: usize,
}

/// A learned structure compared with a reference, by [`compare`].
///
/// Serialised, it has the keys `skeleton`, `directed` and `cpdag`, each with `shd`, `precision`,
/// `recall` and `f1`. If a structure has hidden variables, it also has `observed` and `hidden`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Comparison {
    /// The status of a pair is adjacent or not adjacent.
    pub skeleton: Agreement,
    /// The status of a pair is none, `->` or `<-`; a reversed edge counts as one difference.
    pub directed: Agreement,
    /// The status of a pair is none, `->`, `<-` or undirected, in the structures' [`Cpdag`]s.
    pub cpdag: Agreement,
    /// Agreement of the skeletons over the observed variables, if a structure has hidden ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<Agreement>,
    /// The hidden variables and their matches, if a structure has hidden variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<HiddenMatches>,
    /// Variables of the learned structure that the reference does not name, in the learned order.
    ///
    /// A reference given as pairs does not name variables without edges.
    #[serde(skip)]
    pub only_in_learned: Vec<String>,
    /// Variables of the reference that the learned structure does not have, in the reference's
    /// order.
    #[serde(skip)]
    pub only_in_reference: Vec<String>,
    /// Number of variables that both structures have.
    #[serde(skip)]
    pub shared: usize,
}

/// Compares a learned structure with a reference.
///
/// Observed variables are matched by name. A variable that only one structure has is treated as a
/// variable without edges in the other. Hidden variables are matched by their children, whatever
/// their names.
///
/// # Errors
/// If the structures have no variable in common.
///
/// ```
/// use idealparent::{LearnOptions, NamedDag, compare, example, learn};
///
/// let sachs = example("sachs")?;
/// let network = learn(&sachs.table(), &LearnOptions::default(), &mut ())?.network;
/// let truth = NamedDag::from_pairs("sachs", &sachs.truth().unwrap())?;
/// let found = compare(&NamedDag::of_network(&network), &truth)?;
/// println!("F1 of the skeleton: {:.2}", found.skeleton.f1);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn compare(learned: &NamedDag, reference: &NamedDag) -> Result<Comparison> {
    let places = Places::new(learned, reference);
    let only_in_learned = places.strangers(learned, &places.learned, &places.reference);
    let shared = learned.names().len() - only_in_learned.len();
    // A list of edges may be empty, and then has no names.
    if shared == 0 && !learned.names().is_empty() && !reference.names().is_empty() {
        return Err(Error::data(format!(
            "the two structures have no variable in common (one has {}, the other {})",
            list(learned.names()),
            list(reference.names())
        )));
    }
    let count = places.is_hidden.len();
    let a = embed(learned, &places.learned, count);
    let b = embed(reference, &places.reference, count);
    let (class_a, class_b) = (Cpdag::new(&a), Cpdag::new(&b));

    let mut common = 0;
    let mut same_direction = 0;
    let mut same_class = 0;
    for (parent, child) in a.edges() {
        let forward = b.has_edge(parent, child);
        if forward || b.has_edge(child, parent) {
            common += 1;
            same_direction += usize::from(forward);
            let status = class_a.adjacency(parent, child);
            debug_assert_ne!(status, Adjacency::None, "the class keeps every adjacency");
            same_class += usize::from(status == class_b.adjacency(parent, child));
        }
    }
    let agreement =
        |correct: usize| Agreement::new(correct, common, a.edge_count(), b.edge_count());
    Ok(Comparison {
        skeleton: agreement(common),
        directed: agreement(same_direction),
        cpdag: agreement(same_class),
        observed: places.hidden.is_some().then(|| {
            let is_hidden = &places.is_hidden;
            let observed = |&(p, c): &(usize, usize)| !is_hidden[p] && !is_hidden[c];
            let both = |&(p, c): &(usize, usize)| b.has_edge(p, c) || b.has_edge(c, p);
            let common = a.edges().filter(observed).filter(both).count();
            let [learned, reference] = [&a, &b].map(|dag| dag.edges().filter(observed).count());
            Agreement::new(common, common, learned, reference)
        }),
        shared,
        only_in_learned,
        only_in_reference: places.strangers(reference, &places.reference, &places.learned),
        hidden: places.hidden,
    })
}

impl Agreement {
    /// Computes the agreement from the numbers of correct edges, of pairs adjacent in both
    /// structures, and of edges of each structure.
    fn new(correct: usize, common: usize, learned: usize, reference: usize) -> Self {
        let share = |of: usize| {
            if of == 0 {
                1.0
            } else {
                correct as f64 / of as f64
            }
        };
        let (precision, recall) = (share(learned), share(reference));
        let sum = precision + recall;
        Agreement {
            // Pairs adjacent in one structure only, and pairs adjacent in both whose status
            // differs.
            shd: (learned - common) + (reference - common) + (common - correct),
            precision,
            recall,
            f1: if sum > 0.0 {
                2.0 * precision * recall / sum
            } else {
                0.0
            },
            correct,
            learned,
            reference,
        }
    }
}

/// The graph of a structure over the variables of both structures.
fn embed(structure: &NamedDag, at: &[usize], count: usize) -> Dag {
    let mut dag = Dag::new(count);
    for (parent, child) in structure.dag().edges() {
        dag.add_edge(at[parent], at[child]);
    }
    dag
}

#[cfg(test)]
mod tests {
    use super::super::named_dag::pairs;
    use super::*;

    fn distances(c: &Comparison) -> [usize; 3] {
        [c.skeleton.shd, c.directed.shd, c.cpdag.shd]
    }

    #[test]
    fn a_structure_agrees_with_itself() {
        let s = pairs("a>b c>b b>d");
        let c = compare(&s, &s).unwrap();
        assert_eq!(distances(&c), [0, 0, 0]);
        for agreement in [c.skeleton, c.directed, c.cpdag] {
            assert_eq!((agreement.precision, agreement.recall), (1.0, 1.0));
            assert_eq!((agreement.f1, agreement.correct), (1.0, 3));
        }
    }

    #[test]
    fn equivalent_structures_differ_in_direction_only() {
        let c = compare(&pairs("a>b b>c"), &pairs("c>b b>a")).unwrap();
        assert_eq!(distances(&c), [0, 2, 0]);
        assert_eq!((c.directed.precision, c.directed.f1), (0.0, 0.0));
    }

    #[test]
    fn agrees_with_counts_by_hand() {
        // Learned: the collider a > b < c, and b > d. Reference: a > b > c, and e > f, no d.
        // In the reference's class a - b - c and e - f are undirected.
        let c = compare(&pairs("a>b c>b b>d"), &pairs("a>b b>c e>f")).unwrap();
        assert_eq!(distances(&c), [2, 3, 4]);
        assert_eq!(
            (c.skeleton.correct, c.directed.correct, c.cpdag.correct),
            (2, 1, 0)
        );
        assert_eq!(c.directed.precision, 1.0 / 3.0);
        assert_eq!(c.only_in_learned, ["d"]);
        assert_eq!(c.only_in_reference, ["e", "f"]);
    }

    #[test]
    fn precision_is_one_if_nothing_was_learned() {
        let (none, some) = (pairs(""), pairs("a>b"));
        let c = compare(&none, &some).unwrap().directed;
        assert_eq!((c.precision, c.recall, c.f1, c.shd), (1.0, 0.0, 0.0, 1));
        let c = compare(&some, &none).unwrap().cpdag;
        assert_eq!((c.precision, c.recall, c.f1, c.shd), (0.0, 1.0, 0.0, 1));
        let c = compare(&none, &none).unwrap().skeleton;
        assert_eq!((c.precision, c.recall, c.f1, c.shd), (1.0, 1.0, 1.0, 0));
    }

    #[test]
    fn the_serialised_keys_are_fixed() {
        let value = serde_json::to_value(compare(&pairs("a>b"), &pairs("b>a")).unwrap()).unwrap();
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(keys(&value), ["skeleton", "directed", "cpdag"]);
        for part in ["skeleton", "directed", "cpdag"] {
            assert_eq!(keys(&value[part]), ["shd", "precision", "recall", "f1"]);
        }
    }

    /// Compares the counts over edges with a loop over all pairs.
    #[test]
    fn agrees_with_a_loop_over_all_pairs() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        let names = ["a", "b", "c", "d", "e", "f"];
        let mut draw = |flip: bool| {
            let mut edges = Vec::new();
            for i in 0..names.len() {
                for j in 0..i {
                    if rng.random_bool(0.4) {
                        let (from, to) = if flip { (i, j) } else { (j, i) };
                        edges.push((names[from], names[to]));
                    }
                }
            }
            NamedDag::from_pairs("test", &edges).unwrap()
        };
        for case in 0..100 {
            let (a, b) = (draw(case % 2 == 0), draw(case % 3 == 0));
            let c = compare(&a, &b).unwrap();
            let mut wanted = [0; 3];
            for i in 0..names.len() {
                for j in 0..i {
                    let status = |s: &NamedDag| {
                        let at = |name| s.names().iter().position(|other| other == name);
                        let (Some(x), Some(y)) = (at(names[i]), at(names[j])) else {
                            return (false, (false, false), Adjacency::None);
                        };
                        let directed = (s.dag().has_edge(x, y), s.dag().has_edge(y, x));
                        let class = Cpdag::new(s.dag()).adjacency(x, y);
                        (directed.0 || directed.1, directed, class)
                    };
                    let (one, other) = (status(&a), status(&b));
                    wanted[0] += usize::from(one.0 != other.0);
                    wanted[1] += usize::from(one.1 != other.1);
                    wanted[2] += usize::from(one.2 != other.2);
                }
            }
            assert_eq!(distances(&c), wanted);
        }
    }
}
