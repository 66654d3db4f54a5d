//! Matching the variables of two structures: observed ones by name, hidden ones by their children.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::NamedDag;
use super::assignment::assign;

/// A hidden variable of the learned structure and its match in the reference.
///
/// Part of [`HiddenMatches`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct HiddenMatch {
    /// Its name in the learned structure.
    pub learned: String,
    /// The name of its match in the reference.
    pub reference: String,
    /// Jaccard index of their sets of children: the number of common children over the number of
    /// all.
    pub jaccard: f64,
}

/// Matches between the hidden variables of two structures: the assignment with the largest sum of
/// Jaccard indices.
///
/// Part of a `Comparison`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct HiddenMatches {
    /// Number of hidden variables learned.
    pub learned: usize,
    /// Number of hidden variables of the reference.
    pub reference: usize,
    /// The matched pairs.
    pub matches: Vec<HiddenMatch>,
}

/// Positions of both structures' variables in the union of their variables.
pub(super) struct Places {
    pub(super) learned: Vec<usize>,
    pub(super) reference: Vec<usize>,
    /// Whether the variable at each position is hidden.
    pub(super) is_hidden: Vec<bool>,
    pub(super) hidden: Option<HiddenMatches>,
}

impl Places {
    pub(super) fn new(learned: &NamedDag, reference: &NamedDag) -> Self {
        let (a, b) = (hidden_of(learned, reference), hidden_of(reference, learned));
        let mut index: HashMap<&str, usize> = HashMap::new();
        let mut is_hidden = Vec::new();
        let mut places = [Vec::new(), Vec::new()];
        for ((structure, hidden), places) in [(learned, &a), (reference, &b)]
            .into_iter()
            .zip(&mut places)
        {
            for (name, &hidden) in structure.names().iter().zip(hidden) {
                let next = is_hidden.len();
                let place = if hidden {
                    next
                } else {
                    *index.entry(name).or_insert(next)
                };
                if place == next {
                    is_hidden.push(hidden);
                }
                places.push(place);
            }
        }
        let [places_a, mut places_b] = places;
        let list =
            |hidden: &[bool]| -> Vec<usize> { (0..hidden.len()).filter(|&v| hidden[v]).collect() };
        let (rows, columns) = (list(&a), list(&b));
        let children = |structure: &NamedDag, places: &[usize], v: usize| -> BTreeSet<usize> {
            structure
                .dag()
                .children(v)
                .iter()
                .map(|&c| places[c])
                .collect()
        };
        let jaccard = |&i: &usize, &j: &usize| {
            let (x, y) = (
                children(learned, &places_a, i),
                children(reference, &places_b, j),
            );
            let shared = x.intersection(&y).count() as f64;
            shared / x.union(&y).count().max(1) as f64
        };
        let similarities_of = |i: &usize| columns.iter().map(|j| jaccard(i, j)).collect();
        let similarities: Vec<Vec<f64>> = rows.iter().map(similarities_of).collect();
        let assigned = assign(&similarities);
        let mut matches = Vec::new();
        for (at, column) in assigned.iter().enumerate() {
            let Some(column) = *column else { continue };
            matches.push(HiddenMatch {
                learned: learned.names()[rows[at]].clone(),
                reference: reference.names()[columns[column]].clone(),
                jaccard: similarities[at][column],
            });
            places_b[columns[column]] = places_a[rows[at]];
        }
        Places {
            learned: places_a,
            reference: places_b,
            is_hidden,
            hidden: (rows.len() + columns.len() > 0).then_some(HiddenMatches {
                learned: rows.len(),
                reference: columns.len(),
                matches,
            }),
        }
    }

    /// Names of the variables that the other structure does not have.
    pub(super) fn strangers(
        &self,
        structure: &NamedDag,
        own: &[usize],
        other: &[usize],
    ) -> Vec<String> {
        let known: BTreeSet<usize> = other.iter().copied().collect();
        let all = structure.names().iter().zip(own);
        let missing = all.filter(|(_, place)| !known.contains(place));
        missing.map(|(name, _)| name.clone()).collect()
    }
}

/// Which variables of a structure are hidden.
///
/// A structure from pairs of names does not say so. If the other structure has hidden variables, a
/// variable then counts as hidden if it has children and is not observed in the other structure.
fn hidden_of(structure: &NamedDag, other: &NamedDag) -> Vec<bool> {
    if let Some(hidden) = structure.hidden() {
        return hidden.to_vec();
    }
    let Some(hidden) = other.hidden().filter(|hidden| hidden.contains(&true)) else {
        return vec![false; structure.names().len()];
    };
    let observed: BTreeSet<&String> = other
        .names()
        .iter()
        .zip(hidden)
        .filter(|(_, hidden)| !**hidden)
        .map(|(name, _)| name)
        .collect();
    structure
        .names()
        .iter()
        .enumerate()
        .map(|(v, name)| !observed.contains(name) && !structure.dag().children(v).is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::super::named_dag::pairs;

    /// Hidden variables are matched by their children; their names do not matter.
    #[test]
    fn hidden_variables_are_matched_by_their_children() {
        let learned = pairs("H1>c H1>d H1>e H2>a H2>b a>b")
            .with_hidden(&["H1".to_string(), "H2".to_string()]);
        let reference = pairs("H1>a H1>b H2>c H2>d H3>x H3>y");
        let found = compare(&learned, &reference).unwrap();
        let hidden = found.hidden.clone().unwrap();
        assert_eq!((hidden.learned, hidden.reference), (2, 3), "{hidden:?}");
        let reference = reference.with_hidden(&["H1", "H2", "H3"].map(String::from));
        let found = compare(&learned, &reference).unwrap();
        let hidden = found.hidden.unwrap();
        assert_eq!((hidden.learned, hidden.reference), (2, 3));
        let matched: Vec<(&str, &str)> = hidden
            .matches
            .iter()
            .map(|m| (m.learned.as_str(), m.reference.as_str()))
            .collect();
        assert_eq!(matched, [("H1", "H2"), ("H2", "H1")]);
        assert!((hidden.matches[0].jaccard - 2.0 / 3.0).abs() < 1e-15);
        // Of 6 edges learned and 6 of the reference, 4 are the same.
        assert_eq!((found.skeleton.correct, found.skeleton.shd), (4, 4));
        assert_eq!(found.directed.correct, 4);
        let observed = found.observed.unwrap();
        assert_eq!(
            (observed.learned, observed.reference, observed.shd),
            (1, 0, 1)
        );
        assert_eq!(found.only_in_reference, ["H3", "x", "y"]);
        assert_eq!(found.only_in_learned, ["e"]);
    }

    #[test]
    fn structures_without_hidden_variables_have_no_matches() {
        let found = compare(&pairs("a>b"), &pairs("a>b c>d")).unwrap();
        assert!(found.hidden.is_none() && found.observed.is_none());
    }
}
