//! Writing tables as text.

use super::Table;

impl Table {
    /// The table as text: a header line, then one line per row, starting with the row name if the
    /// table has row names. Numbers read back to the same bits. Missing values are empty, except
    /// that a row which would be blank gets one `NA`.
    ///
    /// ```
    /// let table = idealparent::Table::new(vec!["A".into()], vec![vec![0.1, f64::NAN]])?;
    /// assert_eq!(table.to_text('\t'), "A\n0.1\nNA\n");
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn to_text(&self, separator: char) -> String {
        let mut text = String::new();
        let join = |cells: Vec<String>| cells.join(&separator.to_string()) + "\n";
        let named = self.row_names();
        let mut header: Vec<String> = named.iter().map(|_| String::new()).collect();
        header.extend(self.names().iter().map(|name| text_cell(name, separator)));
        text += &join(header);
        for row in 0..self.rows() {
            let mut cells: Vec<String> = named
                .iter()
                .map(|n| text_cell(&n[row], separator))
                .collect();
            cells.extend(self.columns().iter().map(|column| text_number(column[row])));
            let is_blank = cells.iter().all(String::is_empty);
            let first = cells.get_mut(usize::from(named.is_some()));
            if let (true, Some(value)) = (is_blank, first) {
                // Readers skip blank lines.
                *value = "NA".to_string();
            }
            text += &join(cells);
        }
        text
    }
}

/// A cell of a text table, in quotation marks if it contains a separator, a quotation mark or a
/// line break.
pub fn text_cell(text: &str, separator: char) -> String {
    let special = |c: char| c == separator || matches!(c, '"' | '\n' | '\r');
    if text.contains(special) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

/// A number as text that reads back to the same bits. A missing value (NaN) is empty.
pub fn text_number(value: f64) -> String {
    if value.is_nan() {
        String::new()
    } else {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ReadOptions, read_bytes};
    use super::*;

    #[test]
    fn a_row_without_name_and_value_reads_back() {
        let table = Table::new(vec!["A".into()], vec![vec![f64::NAN, 1.0]]).unwrap();
        let named = table.with_row_names(vec![String::new(), "r".into()]);
        let text = named.to_text('\t');
        assert_eq!(text, "\tA\n\tNA\nr\t1.0\n");
        let read = read_bytes(text.into_bytes(), "t.tsv", &ReadOptions::default()).unwrap();
        assert_eq!(read.table.row_names(), named.row_names());
        assert!(read.table.column(0)[0].is_nan());
    }
}
