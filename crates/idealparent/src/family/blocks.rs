//! Columns of a family's parents.

/// The numbers of columns of a family's parents.
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
/// assert_eq!(blocks.widths().collect::<Vec<_>>(), [1, 1, 5]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Number of parents with one column.
    single: usize,
    /// The numbers of columns of the other parents, in ascending order.
    wider: Vec<usize>,
}

impl Blocks {
    /// Parents with one column each.
    pub fn single(parents: usize) -> Self {
        Blocks {
            single: parents,
            wider: Vec::new(),
        }
    }

    /// Adds a parent with this many columns.
    pub fn with(&self, columns: usize) -> Self {
        let mut blocks = self.clone();
        match columns {
            1 => blocks.single += 1,
            _ => {
                let place = blocks.wider.partition_point(|&width| width <= columns);
                blocks.wider.insert(place, columns);
            }
        }
        blocks
    }

    /// Removes a parent with this many columns.
    ///
    /// # Panics
    ///
    /// If there is no such parent.
    pub fn without(&self, columns: usize) -> Self {
        let mut blocks = self.clone();
        match columns {
            1 => blocks.single -= 1,
            _ => {
                let place = blocks.wider.binary_search(&columns);
                blocks.wider.remove(place.expect("a parent of this width"));
            }
        }
        blocks
    }

    /// Number of parents.
    pub fn parents(&self) -> usize {
        self.single + self.wider.len()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.single + self.wider.iter().sum::<usize>()
    }

    /// The number of columns of every parent, in ascending order.
    pub fn widths(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::repeat_n(1, self.single).chain(self.wider.iter().copied())
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
        let several = blocks.with(3).with(4);
        assert_eq!(several.widths().collect::<Vec<_>>(), [1, 1, 3, 4, 5]);
        assert_eq!(several.without(4), blocks.with(3));
    }
}
