//! Sets with scores, and whether one of them within another set reaches a score.

/// Sets of numbers with scores, as a tree: a set is a path from the root along its numbers, largest
/// first.
///
/// Sets must be added in ascending order, compared by their largest numbers first. Then every
/// subset of a set comes before it.
#[derive(Clone, Debug)]
pub(super) struct ScoredSets {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    /// The last number of the path.
    number: u32,
    /// The node of the largest number that continues the path; 0 if none does.
    child: u32,
    /// The node of the next smaller number with the same beginning; 0 if there is none.
    sibling: u32,
    /// The score of the set; minus infinity if the path is only the beginning of sets.
    own: f64,
    /// The best score of this set and of those that continue it.
    best: f64,
}

impl Node {
    fn new(number: u32, sibling: u32) -> Self {
        Node {
            number,
            child: 0,
            sibling,
            own: f64::NEG_INFINITY,
            best: f64::NEG_INFINITY,
        }
    }
}

impl ScoredSets {
    pub(super) fn new() -> Self {
        ScoredSets {
            nodes: vec![Node::new(0, 0)],
        }
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }

    /// Adds a set; `numbers` are in descending order.
    pub(super) fn add(&mut self, numbers: impl Iterator<Item = usize>, score: f64) {
        let mut at = 0;
        self.nodes[0].best = self.nodes[0].best.max(score);
        for number in numbers {
            let newest = self.nodes[at].child;
            at = if newest > 0 && self.nodes[newest as usize].number as usize == number {
                newest as usize
            } else {
                debug_assert!(
                    newest == 0 || (self.nodes[newest as usize].number as usize) < number
                );
                let added = self.nodes.len();
                self.nodes.push(Node::new(number as u32, newest));
                self.nodes[at].child = added as u32;
                added
            };
            self.nodes[at].best = self.nodes[at].best.max(score);
        }
        self.nodes[at].own = score;
    }

    /// The best score of the sets whose numbers are all members, but at least `floor`. Scores of
    /// `enough` and more are not distinguished.
    pub(super) fn best_within(
        &self,
        is_member: &impl Fn(usize) -> bool,
        floor: f64,
        enough: f64,
    ) -> f64 {
        let mut best = floor;
        if self.nodes[0].best > best {
            self.raise(0, is_member, &mut best, enough);
        }
        best
    }

    fn raise(&self, at: usize, is_member: &impl Fn(usize) -> bool, best: &mut f64, enough: f64) {
        let node = &self.nodes[at];
        *best = best.max(node.own);
        let mut next = node.child;
        while next > 0 && *best < enough {
            let child = &self.nodes[next as usize];
            if child.best > *best && is_member(child.number as usize) {
                self.raise(next as usize, is_member, best, enough);
            }
            next = child.sibling;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_set_within_a_set_is_found_as_if_one_by_one() {
        let bits = |mask: usize| (0..6).rev().filter(move |b| mask >> b & 1 == 1);
        let score = |mask: usize| (mask * 37 % 64) as f64;
        let kept: Vec<usize> = (0..64).filter(|mask| mask % 3 != 1).collect();
        let mut sets = ScoredSets::new();
        for &mask in &kept {
            sets.add(bits(mask), score(mask));
        }
        for within in 0..64 {
            let inside = kept.iter().filter(|&&mask| mask & !within == 0);
            let best = inside
                .map(|&mask| score(mask))
                .fold(f64::NEG_INFINITY, f64::max);
            let is_member = |b: usize| within >> b & 1 == 1;
            for level in [-1.0, 10.0, 30.0, 60.0] {
                let found = sets.best_within(&is_member, level, f64::INFINITY);
                assert_eq!(found, best.max(level), "{within}");
                let found = sets.best_within(&is_member, -1.0, level);
                assert!(found == best.max(-1.0) || found >= level, "{within}");
            }
        }
    }
}
