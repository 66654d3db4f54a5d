//! The columns that parents bring to a family.

/// How many columns each parent of a family brings: one where it enters as it is, more where it is
/// expanded.
///
/// Parameters are counted in columns, edges in parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    parents: usize,
    columns: usize,
}

impl Blocks {
    /// Parents that bring one column each.
    pub fn single(parents: usize) -> Self {
        Blocks {
            parents,
            columns: parents,
        }
    }

    /// With one more parent that brings so many columns.
    pub fn with(&self, columns: usize) -> Self {
        Blocks {
            parents: self.parents + 1,
            columns: self.columns + columns,
        }
    }

    /// Without a parent that brings so many columns.
    pub fn without(&self, columns: usize) -> Self {
        Blocks {
            parents: self.parents - 1,
            columns: self.columns - columns,
        }
    }

    /// Number of parents.
    pub fn parents(&self) -> usize {
        self.parents
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_parents_are_counted_apart() {
        let blocks = Blocks::single(2).with(5);
        assert_eq!((blocks.parents(), blocks.columns()), (3, 7));
        assert_eq!(blocks.without(1), Blocks::single(1).with(5));
    }
}
