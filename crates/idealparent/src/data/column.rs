//! The values of one variable, owned by the table or borrowed from the caller.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::numerics::mean_and_variance;

/// Values in the caller's memory, kept alive by a reference count.
type Lent = Arc<dyn AsRef<[f64]> + Send + Sync>;

/// One value per instance, NaN if it is missing. Clones share the values.
///
/// The values may lie in the caller's memory, for instance in an array of another language. They
/// are then used without a copy.
///
/// ```
/// use std::sync::Arc;
/// use idealparent::Column;
///
/// let lent: Arc<Vec<f64>> = Arc::new(vec![1.0, 2.0]);
/// let column = Column::lent(lent.clone());
/// assert_eq!(&column[..], &[1.0, 2.0]);
/// assert!(std::ptr::eq(column.as_ptr(), lent.as_ptr()));
/// ```
#[derive(Clone)]
pub struct Column(Values);

#[derive(Clone)]
enum Values {
    Own(Arc<Vec<f64>>),
    Lent(Lent),
}

impl Column {
    /// A column over the caller's memory, without a copy. The values must not change afterwards: a
    /// table checks them only once.
    pub fn lent(values: Lent) -> Self {
        Column(Values::Lent(values))
    }
}

impl Deref for Column {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match &self.0 {
            Values::Own(values) => values,
            Values::Lent(values) => (**values).as_ref(),
        }
    }
}

impl DerefMut for Column {
    /// Mutable access to the values. They are copied first if they are shared or borrowed from the
    /// caller.
    fn deref_mut(&mut self) -> &mut [f64] {
        if let Values::Lent(values) = &self.0 {
            self.0 = Values::Own(Arc::new((**values).as_ref().to_vec()));
        }
        match &mut self.0 {
            Values::Own(values) => Arc::make_mut(values).as_mut_slice(),
            Values::Lent(_) => unreachable!("copied above"),
        }
    }
}

impl AsRef<[f64]> for Column {
    fn as_ref(&self) -> &[f64] {
        self
    }
}

impl From<Vec<f64>> for Column {
    fn from(values: Vec<f64>) -> Self {
        Column(Values::Own(Arc::new(values)))
    }
}

impl FromIterator<f64> for Column {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        values.into_iter().collect::<Vec<f64>>().into()
    }
}

impl<'a> IntoIterator for &'a Column {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The columns scaled to unit variance. Constant columns stay unchanged.
pub fn unit_variance(columns: &[Column]) -> Vec<Column> {
    let scale = |column: &Column| {
        let sd = mean_and_variance(column).1.sqrt();
        let divisor = if sd > 0.0 { sd } else { 1.0 };
        column.iter().map(|x| x / divisor).collect()
    };
    columns.iter().map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_a_clone_does_not_change_the_original() {
        let lent: Arc<Vec<f64>> = Arc::new(vec![1.0, 2.0]);
        for first in [Column::lent(lent.clone()), vec![1.0, 2.0].into()] {
            let mut second = first.clone();
            assert!(std::ptr::eq(first.as_ptr(), second.as_ptr()));
            second[0] = 5.0;
            assert_eq!(
                (&first[..], &second[..]),
                (&[1.0, 2.0][..], &[5.0, 2.0][..])
            );
        }
        assert_eq!(lent[0], 1.0);
    }
}
