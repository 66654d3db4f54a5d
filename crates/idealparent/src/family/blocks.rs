//! Columns of a family's parents.

/// Number of a family's parents, and of the columns of these parents.
///
/// A parent has one column, or several if it is expanded. Parameters are counted by columns, edges
/// by parents.
///
/// ```
/// use idealparent::extend::Blocks;
///
/// // Two parents with one column each, and one with five.
/// let blocks = Blocks::single(2).with(5);
/// assert_eq!((blocks.parents(), blocks.columns()), (3, 7));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    parents: usize,
    columns: usize,
}

impl Blocks {
    /// Parents with one column each.
    pub fn single(parents: usize) -> Self {
        Blocks {
            parents,
            columns: parents,
        }
    }

    /// Adds a parent with this many columns.
    pub fn with(&self, columns: usize) -> Self {
        Blocks {
            parents: self.parents + 1,
            columns: self.columns + columns,
        }
    }

    /// Removes a parent with this many columns.
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
    fn columns_and_parents_are_counted_separately() {
        let blocks = Blocks::single(2).with(5);
        assert_eq!((blocks.parents(), blocks.columns()), (3, 7));
        assert_eq!(blocks.without(1), Blocks::single(1).with(5));
    }
}
