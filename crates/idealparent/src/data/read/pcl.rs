//! The expression tables of the yeast literature: PCL, and CDT once clustered.
//!
//! A PCL table has the columns id, NAME, GWEIGHT and then one per array; a row EWEIGHT weighs the
//! arrays. A CDT table has GID before the id, and a row AID. None of these are measurements.

/// Columns that annotate genes.
const COLUMNS: [&str; 4] = ["NAME", "GWEIGHT", "GID", "GORDER"];

/// Rows that annotate arrays.
const ROWS: [&str; 3] = ["EWEIGHT", "GWEIGHT", "AID"];

/// Whether the table is of this kind, by its extension, its header or the row below that.
pub(super) fn is_pcl(extension: &str, header: &[String], first_cell: &str) -> bool {
    let heading = |index: usize| header.get(index).map_or("", |name| name.trim());
    matches!(extension, "pcl" | "cdt")
        || header.iter().any(|name| name.trim() == "GWEIGHT")
        || first_cell.trim() == "EWEIGHT"
        || (heading(0) == "GID" && first_cell.trim() == "AID")
}

/// Whether a column of such a table is left out.
pub(super) fn is_annotation(name: &str) -> bool {
    COLUMNS.contains(&name.trim())
}

/// Whether a row of such a table is left out.
pub(super) fn is_weight_row(first_cell: &str) -> bool {
    ROWS.contains(&first_cell.trim())
}

/// The column that names the genes: the first, or the one after GID.
pub(super) fn id_column(header: &[String]) -> Option<usize> {
    match header.first()?.trim() {
        "GID" if header.get(1).is_some_and(|name| !is_annotation(name)) => Some(1),
        "GWEIGHT" | "GORDER" => None,
        _ => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn recognised() {
        let plain = header(&["UID", "a"]);
        assert!(is_pcl("cdt", &plain, "x"));
        assert!(is_pcl(
            "txt",
            &header(&["YORF", "NAME", "GWEIGHT", "a"]),
            "x"
        ));
        assert!(is_pcl("txt", &plain, "EWEIGHT"));
        assert!(is_pcl("", &header(&["GID", "a"]), "AID"));
        // AID is a gene too.
        assert!(!is_pcl("tsv", &plain, "AID"));
    }

    #[test]
    fn the_id_names_the_rows() {
        assert_eq!(id_column(&header(&["YORF", "NAME", "a"])), Some(0));
        assert_eq!(id_column(&header(&["NAME", "GWEIGHT", "a"])), Some(0));
        assert_eq!(id_column(&header(&["GID", "UID", "NAME", "a"])), Some(1));
        assert_eq!(id_column(&header(&["GID", "NAME", "a"])), Some(0));
        assert_eq!(id_column(&header(&["GWEIGHT", "a"])), None);
        assert_eq!(id_column(&[]), None);
    }
}
