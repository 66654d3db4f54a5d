//! The data sets that come with the library.

use super::{ReadOptions, Table, gunzip, read_bytes};
use crate::error::{Error, Result};

/// An embedded data set, with the true structure if it is known.
///
/// ```
/// let sachs = idealparent::example("sachs")?;
/// let table = sachs.table();
/// assert_eq!((table.rows(), table.width()), (853, 11));
/// assert_eq!(sachs.truth().unwrap().len(), 17);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Debug)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Example {
    /// The name to pass to [`example`].
    pub name: &'static str,
    /// A one-line description.
    pub title: &'static str,
    /// The source of the data, in one line.
    pub source: &'static str,
    table: &'static [u8],
    truth: Option<&'static str>,
}

const ECOLI70_SOURCE: &str = "sampled from the network ecoli70 of the bnlearn repository \
     (Schäfer & Strimmer 2005, Stat. Appl. Genet. Mol. Biol. 4:32)";
const ECOLI70_TRUTH: &str = include_str!("../../examples-data/ecoli70.truth.tsv");

static EXAMPLES: [Example; 4] = [
    Example {
        name: "sachs",
        title: "11 signalling proteins in 853 cells, with the consensus network",
        source: "Sachs et al. 2005, Science 308:523-529",
        table: include_bytes!("../../examples-data/sachs.tsv.gz"),
        truth: Some(include_str!("../../examples-data/sachs.truth.tsv")),
    },
    Example {
        name: "ecoli70",
        title: "500 samples of a linear Gaussian network of 46 genes and 70 edges",
        source: ECOLI70_SOURCE,
        table: include_bytes!("../../examples-data/ecoli70.tsv.gz"),
        truth: Some(ECOLI70_TRUTH),
    },
    Example {
        name: "ecoli70-holes",
        title: "ecoli70 with 5 % of the entries missing at random",
        source: ECOLI70_SOURCE,
        table: include_bytes!("../../examples-data/ecoli70-holes.tsv.gz"),
        truth: Some(ECOLI70_TRUTH),
    },
    Example {
        name: "twolayer",
        title: "300 samples of 60 variables with one or two of 5 hidden causes each",
        source: "simulated by the authors of idealparent",
        table: include_bytes!("../../examples-data/twolayer.tsv.gz"),
        truth: Some(include_str!("../../examples-data/twolayer.truth.tsv")),
    },
];

/// All embedded data sets.
///
/// ```
/// let names: Vec<&str> = idealparent::examples().iter().map(|example| example.name).collect();
/// assert_eq!(names, ["sachs", "ecoli70", "ecoli70-holes", "twolayer"]);
/// ```
pub fn examples() -> &'static [Example] {
    &EXAMPLES
}

/// The embedded data set with the given name.
///
/// # Errors
/// If there is none; the message lists the available names.
///
/// ```
/// use idealparent::example;
///
/// assert_eq!(example("ecoli70")?.table().width(), 46);
/// assert!(example("sach").unwrap_err().to_string().contains("available: sachs"));
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn example(name: &str) -> Result<&'static Example> {
    EXAMPLES.iter().find(|own| own.name == name).ok_or_else(|| {
        let names: Vec<&str> = EXAMPLES.iter().map(|own| own.name).collect();
        Error::options(format!(
            "no embedded data set is called '{name}' (available: {})",
            names.join(", ")
        ))
    })
}

impl Example {
    /// The data.
    pub fn table(&self) -> Table {
        let read = read_bytes(self.table.to_vec(), self.name, &ReadOptions::default());
        read.expect("an embedded table is well formed").table
    }

    /// The edges `(parent, child)` of the structure that generated the data or that experts agree
    /// on.
    ///
    /// Hidden causes have names that are not in the table: `H1`, `H2`, … .
    pub fn truth(&self) -> Option<Vec<(String, String)>> {
        let edge = |line: &str| {
            let mut cells = line.split('\t').map(String::from);
            cells.next().zip(cells.next()).expect("an edge")
        };
        Some(self.truth?.lines().skip(1).map(edge).collect())
    }

    /// The data as tab-separated text: a header line of names, then one line per instance. Missing
    /// values are empty.
    pub fn table_tsv(&self) -> String {
        let text = gunzip(self.table.to_vec(), self.name).expect("embedded data unpack");
        String::from_utf8(text).expect("embedded data are text")
    }

    /// The edges as tab-separated text with the columns `from`, `to` and, for simulated data,
    /// `weight`.
    pub fn truth_tsv(&self) -> Option<&'static str> {
        self.truth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> Table {
        example(name).unwrap().table()
    }

    fn value(table: &Table, row: usize, name: &str) -> f64 {
        table.column(table.index_of(name).unwrap())[row]
    }

    #[test]
    fn tables_and_truths_have_the_documented_sizes() {
        let expected = [
            ("sachs", 853, 11, 17),
            ("ecoli70", 500, 46, 70),
            ("ecoli70-holes", 500, 46, 70),
            ("twolayer", 300, 60, 75),
        ];
        assert_eq!(examples().len(), expected.len());
        for (own, (name, rows, width, edges)) in examples().iter().zip(expected) {
            let table = own.table();
            assert_eq!((own.name, table.rows(), table.width()), (name, rows, width));
            assert_eq!(own.truth().unwrap().len(), edges, "{name}");
            assert!(!own.title.contains('\n') && !own.source.contains('\n'));
        }
    }

    #[test]
    fn ecoli70_holes_is_ecoli70_with_entries_removed() {
        let (whole, holes) = (table("ecoli70"), table("ecoli70-holes"));
        assert_eq!(whole.missing(), 0);
        let share = holes.missing() as f64 / (500.0 * 46.0);
        assert!((share - 0.05).abs() < 0.005, "{share}");
        for (full, gappy) in whole.columns().iter().zip(holes.columns()) {
            let same = |(a, b): (&f64, &f64)| b.is_nan() || a == b;
            assert!(full.iter().zip(gappy).all(same));
        }
    }

    #[test]
    fn tables_hold_known_values() {
        let sachs = table("sachs");
        let first = [
            26.4, 13.2, 8.82, 18.3, 58.8, 6.61, 17.0, 414.0, 17.0, 44.9, 40.0,
        ];
        let row: Vec<f64> = sachs.columns().iter().map(|column| column[0]).collect();
        assert_eq!(row, first);
        assert_eq!(sachs.names()[5], "Erk");
        assert_eq!(value(&sachs, 852, "Jnk"), 9.65);

        let ecoli = table("ecoli70");
        assert_eq!(value(&ecoli, 0, "aceB"), -2.08687);
        assert_eq!(value(&ecoli, 0, "yjbO"), 0.429819);
        assert!(value(&table("ecoli70-holes"), 0, "folK").is_nan());
        assert_eq!(value(&table("twolayer"), 1, "G4"), 2.1809);
    }

    #[test]
    fn hidden_causes_have_no_column_and_no_parent() {
        let table = table("twolayer");
        for (from, to) in example("twolayer").unwrap().truth().unwrap() {
            assert!(table.index_of(&from).is_none());
            assert!(table.index_of(&to).is_some());
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
        let error = example("x").unwrap_err();
        assert!(error.is_usage());
        assert_eq!(
            error.to_string(),
            "no embedded data set is called 'x' (available: sachs, ecoli70, ecoli70-holes, twolayer)"
        );
    }

    #[test]
    fn texts_begin_with_their_headers() {
        let sachs = example("sachs").unwrap();
        assert!(sachs.table_tsv().starts_with("Raf\tMek\tPlcg\t"));
        assert!(sachs.truth_tsv().unwrap().starts_with("from\tto\n"));
        let twolayer = example("twolayer").unwrap();
        let truth = twolayer.truth_tsv().unwrap();
        assert!(truth.starts_with("from\tto\tweight\n"));
    }
}
