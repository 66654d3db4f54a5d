//! The table that every method works on: named columns with one value per instance.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::column::Column;
use super::names::Names;
use super::read::message::list;
use crate::error::{Error, Result, flag, quoted};

/// Instances by variables, stored column by column; a missing entry is NaN.
///
/// A table never holds infinite values: every constructor returns an error for them.
///
/// ```
/// use idealparent::Table;
///
/// let names = vec!["A".to_string(), "B".to_string()];
/// let table = Table::new(names, vec![vec![1.0, 2.0], vec![0.5, f64::NAN]])?;
/// assert_eq!(table.index_of("B"), Some(1));
/// assert_eq!(table.column(0), [1.0, 2.0]);
/// assert_eq!(table.select_rows(&[0]).missing(), 0);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Shared with other tables of the same variables, for instance with subsets of the rows.
    names: Arc<Names>,
    columns: Vec<Column>,
    rows: usize,
    row_names: Option<Vec<String>>,
}

impl Table {
    /// A table from named columns of equal length.
    ///
    /// # Errors
    /// If names are repeated, columns differ in length, or a value is infinite.
    ///
    /// ```
    /// let table = idealparent::Table::new(
    ///     vec!["A".into(), "B".into()],
    ///     vec![vec![1.0, 2.0], vec![0.5, f64::NAN]],
    /// )?;
    /// assert_eq!((table.rows(), table.width(), table.missing()), (2, 2, 1));
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn new<C: Into<Column>>(names: Vec<String>, columns: Vec<C>) -> Result<Self> {
        let columns: Vec<Column> = columns.into_iter().map(C::into).collect();
        if names.len() != columns.len() {
            return Err(Error::data(format!(
                "{} names for {} columns",
                names.len(),
                columns.len()
            )));
        }
        let rows = columns.first().map_or(0, |column| column.len());
        let names = Names::new(names)
            .map_err(|twice| Error::data(format!("two columns are called {}", quoted(&twice))))?;
        for (name, column) in names.list().iter().zip(&columns) {
            let name = || quoted(name);
            if column.len() != rows {
                return Err(Error::data(format!(
                    "column {} has length {}, but the first column has length {rows}",
                    name(),
                    column.len()
                )));
            }
            if let Some(row) = column.iter().position(|value| value.is_infinite()) {
                return Err(Error::data(format!(
                    "column {}, row {}: infinite value (use NaN for a missing value)",
                    name(),
                    row + 1
                )));
            }
        }
        Ok(Table {
            names: Arc::new(names),
            columns,
            rows,
            row_names: None,
        })
    }

    /// The same table with names for its instances.
    ///
    /// # Panics
    /// If there is not one name per row.
    pub fn with_row_names(mut self, row_names: Vec<String>) -> Self {
        assert_eq!(row_names.len(), self.rows, "one name per row");
        self.row_names = Some(row_names);
        self
    }

    /// Number of instances.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of variables.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Names of the variables, in the order of the columns.
    pub fn names(&self) -> &[String] {
        self.names.list()
    }

    /// Names of the instances, if the table has any.
    pub fn row_names(&self) -> Option<&[String]> {
        self.row_names.as_deref()
    }

    /// The values of one variable; NaN if missing.
    pub fn column(&self, index: usize) -> &[f64] {
        &self.columns[index]
    }

    /// Replaces the values of a column.
    pub(super) fn set_column(&mut self, index: usize, values: Vec<f64>) {
        debug_assert_eq!(values.len(), self.rows);
        self.columns[index] = values.into();
    }

    /// All columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Index of the variable with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.names.index_of(name)
    }

    /// Index of a network's variable; the error suggests a reason if it is not in the table.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.index_of(name).ok_or_else(|| {
            let rows = self.row_names.as_deref().unwrap_or_default();
            let hint = if rows.iter().any(|row| row == name) {
                let transpose = flag("transpose");
                format!(" (a row has this name: add or remove {transpose}?)")
            } else {
                String::new()
            };
            let name = quoted(name);
            Error::data(format!("the data lack the network's variable {name}{hint}"))
        })
    }

    /// Returns an error that counts a network's variables if several are not in the table;
    /// [`find`](Self::find) has an error for a single one.
    pub(crate) fn check_several<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<()> {
        let lacking: Vec<&str> = names.filter(|name| self.index_of(name).is_none()).collect();
        if lacking.len() < 2 {
            return Ok(());
        }
        let rows = self.row_names.as_deref().unwrap_or_default();
        let hint = if rows.iter().any(|row| row == lacking[0]) {
            let transpose = flag("transpose");
            format!(" (rows have these names: add or remove {transpose}?)")
        } else {
            String::new()
        };
        Err(Error::data(format!(
            "the data lack {} of the network's variables: {}{hint}",
            lacking.len(),
            list(&lacking)
        )))
    }

    /// Number of missing entries.
    pub fn missing(&self) -> usize {
        let holes = |column: &Column| column.iter().filter(|value| value.is_nan()).count();
        self.columns.iter().map(holes).sum()
    }

    /// The table with the given columns only, in the given order.
    ///
    /// # Panics
    /// If a column is given twice.
    pub fn select_columns(&self, indices: &[usize]) -> Table {
        let names = indices.iter().map(|&j| self.names()[j].clone()).collect();
        Table {
            names: Arc::new(Names::new(names).expect("no column is taken twice")),
            columns: indices.iter().map(|&j| self.columns[j].clone()).collect(),
            rows: self.rows,
            row_names: self.row_names.clone(),
        }
    }

    /// The table with the given rows only, in the given order. A row may be given more than once.
    pub fn select_rows(&self, indices: &[usize]) -> Table {
        let pick = |column: &Column| indices.iter().map(|&i| column[i]).collect();
        Table {
            names: self.names.clone(),
            columns: self.columns.iter().map(pick).collect(),
            rows: indices.len(),
            row_names: self
                .row_names
                .as_ref()
                .map(|names| indices.iter().map(|&i| names[i].clone()).collect()),
        }
    }

    /// Swaps rows and columns. The new variables are named after the rows, or `R1`, `R2`, … if the
    /// rows have no names.
    pub fn transpose(&self) -> Result<Table> {
        let names = match &self.row_names {
            Some(names) => names.clone(),
            None => (1..=self.rows).map(|i| format!("R{i}")).collect(),
        };
        let column =
            |row: usize| -> Column { self.columns.iter().map(|column| column[row]).collect() };
        let turned = Table::new(names, (0..self.rows).map(column).collect())?;
        Ok(Table {
            rows: self.width(),
            row_names: Some(self.names().to_vec()),
            ..turned
        })
    }

    /// Replaces every value x by 2^x, which turns log-ratios into ratios.
    pub fn exp2(&self) -> Result<Table> {
        let raise = |column: &Column| column.iter().map(|value| value.exp2()).collect();
        let columns: Vec<Column> = self.columns.iter().map(raise).collect();
        for (name, column) in self.names().iter().zip(&columns) {
            if column.iter().any(|value| value.is_infinite()) {
                let name = quoted(name);
                return Err(Error::data(format!(
                    "column {name}: 2^x of its values is too large (are they log-ratios?)"
                )));
            }
        }
        Ok(Table {
            columns,
            ..self.clone()
        })
    }

    /// SHA-256 of the names and values, in hexadecimal. It does not depend on the file that the
    /// table was read from, nor on row names.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        hash.update((self.rows as u64).to_le_bytes());
        for (name, column) in self.names().iter().zip(&self.columns) {
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
            for &value in column {
                // One bit pattern for every NaN, and one for both zeros.
                let canonical = if value.is_nan() {
                    f64::NAN
                } else {
                    value + 0.0
                };
                hash.update(canonical.to_bits().to_le_bytes());
            }
        }
        hexadecimal(&hash.finalize())
    }
}

/// SHA-256 of a text, in hexadecimal.
pub(crate) fn sha256_of(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Table {
        let names = vec!["A".to_string(), "B".to_string()];
        Table::new(names, vec![vec![1.0, 2.0, 3.0], vec![4.0, f64::NAN, -0.0]]).unwrap()
    }

    #[test]
    fn malformed_tables_are_errors() {
        let names = || vec!["A".to_string(), "A".to_string()];
        let twice = Table::new(names(), vec![vec![1.0], vec![2.0]]).unwrap_err();
        assert_eq!(twice.to_string(), "two columns are called 'A'");
        let ab = || vec!["A".to_string(), "B".to_string()];
        assert!(Table::new(ab(), vec![vec![1.0], vec![]]).is_err());
        assert!(Table::new(ab(), vec![vec![1.0], vec![f64::INFINITY]]).is_err());
    }

    #[test]
    fn variables_are_found_by_name() {
        let table = small();
        assert_eq!((table.index_of("B"), table.index_of("b")), (Some(1), None));
        let turned = table.select_columns(&[1, 0]);
        assert_eq!((turned.index_of("B"), turned.width()), (Some(0), 2));
        let other = turned.select_rows(&[2, 0]).transpose().unwrap();
        assert_eq!((other.index_of("B"), other.index_of("R2")), (None, Some(1)));
    }

    #[test]
    fn several_variables_that_are_lacking_are_counted() {
        let table = small().with_row_names(["V", "s", "t"].map(String::from).to_vec());
        let check = |names: &[&str]| table.check_several(names.iter().copied());
        assert!(check(&["A", "B", "C"]).is_ok());
        let line = check(&["D", "A", "E", "F", "G"]).unwrap_err().to_string();
        assert_eq!(
            line,
            "the data lack 4 of the network's variables: 'D', 'E', 'F' and 1 more"
        );
        let line = check(&["V", "W"]).unwrap_err().to_string();
        assert!(line.contains("'V', 'W' (rows have these names: "), "{line}");
    }

    #[test]
    fn transposing_twice_is_the_identity() {
        let table = small().with_row_names(vec!["r".into(), "s".into(), "t".into()]);
        let back = table.transpose().unwrap().transpose().unwrap();
        assert_eq!(back.names(), table.names());
        assert_eq!(back.row_names(), table.row_names());
        assert_eq!(back.sha256(), table.sha256());
    }

    #[test]
    fn the_hash_depends_on_values_not_on_bit_patterns() {
        let mut other = small();
        other.columns[1][2] = 0.0;
        other.columns[1][1] = -f64::NAN;
        assert_eq!(small().sha256(), other.sha256());
        other.columns[1][1] = 1.0;
        assert_ne!(small().sha256(), other.sha256());
    }
}
