//! Checks which columns of a table can take part in a network.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::Table;
use super::read::message::{drop_option, list};
use crate::error::{Error, Message, Result, flag, quoted};

/// Sums of squares of larger values would overflow.
const LARGEST: f64 = 1e140;
/// Squares of smaller ranges would underflow.
const SMALLEST: f64 = 1e-140;

/// If the largest value is this many times the range, a network's intercepts, which are in the
/// units of the data, keep only half of a double's digits.
const FAR: f64 = 1e8;

/// Up to this many constant columns get a note each.
const MOST_NOTES: usize = 3;

/// Columns that cannot take part in a network, and columns with identical values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Whether each column is constant or never observed.
    pub inactive: Vec<bool>,
    /// Whether each column is never observed, and therefore inactive.
    pub unobserved: Vec<bool>,
    /// Whether each column is a hidden variable, which has no observed values.
    pub hidden: Vec<bool>,
    /// Pairs of columns with identical values.
    pub twins: Vec<(usize, usize)>,
    /// Notes for the user, one line each.
    pub notes: Vec<Message>,
}

impl Columns {
    /// Examines every column of a table.
    ///
    /// # Errors
    /// If the values of a column are too large, or its range too small, to be squared.
    pub fn new(table: &Table) -> Result<Self> {
        let mut columns = Columns {
            inactive: vec![false; table.width()],
            unobserved: vec![false; table.width()],
            hidden: vec![false; table.width()],
            ..Default::default()
        };
        let (are_many_empty, are_many_constant) = columns.note_many(table);
        for (v, name) in table.names().iter().enumerate() {
            let name = quoted(name);
            let observed = || table.column(v).iter().copied().filter(|x| !x.is_nan());
            let Some(first) = observed().next() else {
                columns.inactive[v] = true;
                columns.unobserved[v] = true;
                if !are_many_empty {
                    let note = format!("column {name} has no values: kept without edges");
                    columns.notes.push(note.into());
                }
                continue;
            };
            if observed().all(|x| x == first) {
                columns.inactive[v] = true;
                if !are_many_constant {
                    let note = format!("column {name} is constant: kept without edges");
                    columns.notes.push(note.into());
                }
            }
            let (low, high) = observed().fold((first, first), |(a, b), x| (a.min(x), b.max(x)));
            if low.abs().max(high.abs()) > LARGEST {
                return Err(Error::data(format!(
                    "column {name} holds values beyond {LARGEST:e}: rescale it"
                )));
            }
            let is_far = low.abs().max(high.abs()) > FAR * (high - low);
            if !columns.inactive[v] && is_far {
                columns.notes.push(format!(
                    "column {name} is far from zero compared with its spread: centre it to keep precision"
                ).into());
            }
            if !columns.inactive[v] && high - low < SMALLEST {
                return Err(Error::data(format!(
                    "column {name} varies by less than {SMALLEST:e}: rescale it"
                )));
            }
        }
        columns.find_twins(table);
        Ok(columns)
    }

    /// If there are too many columns without values for a note each, adds one note for all of them,
    /// and likewise for constant columns. Returns for each of the two whether there were too many.
    fn note_many(&mut self, table: &Table) -> (bool, bool) {
        let (mut empty, mut constant) = (Vec::new(), Vec::new());
        for (name, column) in table.names().iter().zip(table.columns()) {
            let mut observed = column.iter().filter(|x| !x.is_nan());
            match observed.next() {
                None => empty.push(name),
                Some(first) if observed.all(|x| x == first) => constant.push(name),
                Some(_) => {}
            }
        }
        for (names, what) in [
            (&empty, "have no values and are"),
            (&constant, "are constant and"),
        ] {
            if names.len() > MOST_NOTES {
                let (count, names) = (names.len(), list(names));
                let note = format!("{count} columns {what} kept without edges: {names}");
                self.notes.push(note.into());
            }
        }
        (empty.len() > MOST_NOTES, constant.len() > MOST_NOTES)
    }

    /// Fills the missing entries of inactive columns with their constant value, or with 0 if
    /// nothing was observed. No method uses these values; afterwards only active columns have
    /// missing entries.
    pub fn fill_inactive(&self, table: &mut Table) {
        for v in (0..table.width()).filter(|&v| self.inactive[v]) {
            let mut values = table.column(v).iter().copied();
            if !values.clone().any(f64::is_nan) {
                continue;
            }
            let value = values.find(|x| !x.is_nan()).unwrap_or(0.0);
            table.set_column(v, vec![value; table.rows()]);
        }
    }

    /// The value of a constant column; `None` if it varies or is never observed.
    pub fn constant(&self, table: &Table, v: usize) -> Option<f64> {
        let mut values = table.column(v).iter().copied();
        let is_constant = self.inactive[v] && !self.unobserved[v];
        values.find(|x| !x.is_nan()).filter(|_| is_constant)
    }

    /// Number of active columns, not counting hidden ones.
    pub fn active(&self) -> usize {
        let observed = self.inactive.iter().zip(&self.hidden);
        observed.filter(|&(idle, hidden)| !idle && !hidden).count()
    }

    /// Whether a column is identical to an earlier one.
    pub(crate) fn is_copy(&self, column: usize) -> bool {
        self.twins.iter().any(|&(_, copy)| copy == column)
    }

    /// Adds hidden columns.
    pub(crate) fn add_hidden(&mut self, count: usize) {
        let width = self.inactive.len() + count;
        self.inactive.resize(width, false);
        self.unobserved.resize(width, false);
        self.hidden.resize(width, true);
    }

    /// Returns an error if an active column has a value that is not positive: the product CPD needs
    /// positive values.
    pub fn check_positive(&self, table: &Table) -> Result<()> {
        for v in (0..table.width()).filter(|&v| !self.inactive[v]) {
            let Some(value) = table.column(v).iter().find(|x| **x <= 0.0) else {
                continue;
            };
            return Err(Error::data(format!(
                "column {} holds {value}, but the product cpd needs values above 0 \
                 ({} turns log-ratios into ratios)",
                quoted(&table.names()[v]),
                flag("exp2")
            )));
        }
        Ok(())
    }

    fn find_twins(&mut self, table: &Table) {
        let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
        for v in (0..table.width()).filter(|&v| !self.inactive[v]) {
            let mut hash = DefaultHasher::new();
            for &x in table.column(v) {
                // One bit pattern for both zeros, and one for every missing value.
                let canonical = if x.is_nan() { f64::NAN } else { x + 0.0 };
                hash.write_u64(canonical.to_bits());
            }
            groups.entry(hash.finish()).or_default().push(v);
        }
        let same = |a: usize, b: usize| {
            let pairs = table.column(a).iter().zip(table.column(b));
            pairs
                .into_iter()
                .all(|(x, y)| x == y || (x.is_nan() && y.is_nan()))
        };
        for group in groups.into_values() {
            for (i, &a) in group.iter().enumerate() {
                for &b in &group[i + 1..] {
                    if same(a, b) {
                        self.twins.push((a, b));
                    }
                }
            }
        }
        self.twins.sort_unstable();
        let names = table.names();
        let mut is_reported = vec![false; table.width()];
        for &(a, b) in &self.twins {
            // In a group of identical columns, each is reported once, as a copy of the first.
            if !std::mem::replace(&mut is_reported[b], true) {
                let note = format!(
                    "column {} is an exact duplicate of {}, so there is no edge between them (consider leaving it out with {})",
                    quoted(&names[b]),
                    quoted(&names[a]),
                    drop_option(&[&names[b]])
                );
                self.notes.push(note.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&[f64]]) -> Table {
        let names = (0..columns.len()).map(|i| format!("C{i}")).collect();
        Table::new(names, columns.iter().map(|c| c.to_vec()).collect()).unwrap()
    }

    #[test]
    fn constant_empty_and_duplicate_columns_are_noted() {
        let hole = f64::NAN;
        let data = table(&[
            &[1.0, 2.0, hole],
            &[3.0, hole, 3.0],
            &[hole; 3],
            &[1.0, 2.0, hole],
            &[1.0, 2.0, 0.0],
        ]);
        let columns = Columns::new(&data).unwrap();
        assert_eq!(columns.inactive, [false, true, true, false, false]);
        assert_eq!(columns.twins, [(0, 3)]);
        assert_eq!(
            columns.notes,
            [
                "column 'C1' is constant: kept without edges",
                "column 'C2' has no values: kept without edges",
                "column 'C3' is an exact duplicate of 'C0', so there is no edge between them (consider leaving it out with `drop = C3`)",
            ]
        );
        assert_eq!(columns.active(), 3);
        let mut filled = data.clone();
        columns.fill_inactive(&mut filled);
        assert_eq!(filled.column(1), [3.0; 3]);
        assert_eq!(filled.column(2), [0.0; 3]);
        assert_eq!(
            filled.missing(),
            2,
            "only active columns have missing entries"
        );
        let constants = [0, 1, 2].map(|v| columns.constant(&data, v));
        assert_eq!(constants, [None, Some(3.0), None]);
    }

    #[test]
    fn many_constant_or_empty_columns_are_one_note() {
        let mut columns: Vec<&[f64]> = vec![&[1.0, 1.0]; 5];
        columns.extend([[f64::NAN; 2].as_slice(); 4]);
        columns.push(&[1.0, 2.0]);
        let found = Columns::new(&table(&columns)).unwrap();
        assert_eq!(found.active(), 1);
        assert_eq!(
            found.notes,
            [
                "4 columns have no values and are kept without edges: 'C5', 'C6', 'C7' and 1 more",
                "5 columns are constant and kept without edges: 'C0', 'C1', 'C2' and 2 more",
            ]
        );
    }

    #[test]
    fn values_that_cannot_be_squared_are_errors() {
        let text = |c: &[f64]| Columns::new(&table(&[c])).unwrap_err().to_string();
        assert_eq!(
            text(&[1e200, 1.0]),
            "column 'C0' holds values beyond 1e140: rescale it"
        );
        assert_eq!(
            text(&[1e-200, 2e-200]),
            "column 'C0' varies by less than 1e-140: rescale it"
        );
        assert!(Columns::new(&table(&[&[1e12, 1e-12, 0.0]])).is_ok());
    }

    #[test]
    fn a_message_with_a_line_break_in_a_name_is_one_line() {
        let data = Table::new(vec!["a\nb".into()], vec![vec![1.0, -2.0]]).unwrap();
        let columns = Columns::new(&data).unwrap();
        let line = columns.check_positive(&data).unwrap_err().to_string();
        assert!(line.starts_with(r"column 'a\nb' holds -2, but "), "{line}");
    }

    #[test]
    fn columns_far_from_zero_are_noted() {
        let notes = |c: &[f64]| Columns::new(&table(&[c])).unwrap().notes;
        assert_eq!(
            notes(&[-1e9 + 1.0, -1e9]),
            ["column 'C0' is far from zero compared with its spread: centre it to keep precision"]
        );
        assert!(notes(&[1e6, 1e6 + 1.0]).is_empty());
    }
}
