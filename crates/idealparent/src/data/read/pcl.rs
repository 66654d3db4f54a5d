//! PCL and CDT, the formats of expression tables in the yeast literature. CDT tables are clustered.
//!
//! A PCL table has the columns id, NAME, GWEIGHT and then one per array; the row EWEIGHT holds
//! weights of the arrays. A CDT table also has a column GID before the id, and a row AID. None of
//! these are measurements.

/// Columns that annotate genes.
const COLUMNS: [&str; 4] = ["NAME", "GWEIGHT", "GID", "GORDER"];

/// Rows that annotate arrays.
const ROWS: [&str; 3] = ["EWEIGHT", "GWEIGHT", "AID"];

/// Whether a table is PCL or CDT, judged by its extension, its header or its first row.
pub(super) fn is_pcl(extension: &str, header: &[String], first_cell: &str) -> bool {
    let heading = |index: usize| header.get(index).map_or("", |name| name.trim());
    matches!(extension, "pcl" | "cdt")
        || header.iter().any(|name| name.trim() == "GWEIGHT")
        || first_cell.trim() == "EWEIGHT"
        || (heading(0) == "GID" && first_cell.trim() == "AID")
}

/// Whether a column annotates genes, and is therefore left out.
pub(super) fn is_annotation(name: &str) -> bool {
    COLUMNS.contains(&name.trim())
}

/// Whether a row annotates arrays, and is therefore left out.
pub(super) fn is_weight_row(first_cell: &str) -> bool {
    ROWS.contains(&first_cell.trim())
}

/// The column with the names of the genes: the first, or the one after GID.
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
    fn the_extension_header_or_first_row_identifies_the_format() {
        let plain = header(&["UID", "a"]);
        assert!(is_pcl("cdt", &plain, "x"));
        assert!(is_pcl(
            "txt",
            &header(&["YORF", "NAME", "GWEIGHT", "a"]),
            "x"
        ));
        assert!(is_pcl("txt", &plain, "EWEIGHT"));
        assert!(is_pcl("", &header(&["GID", "a"]), "AID"));
        // AID is also the name of a gene.
        assert!(!is_pcl("tsv", &plain, "AID"));
    }

    #[test]
    fn the_id_column_holds_the_row_names() {
        assert_eq!(id_column(&header(&["YORF", "NAME", "a"])), Some(0));
        assert_eq!(id_column(&header(&["NAME", "GWEIGHT", "a"])), Some(0));
        assert_eq!(id_column(&header(&["GID", "UID", "NAME", "a"])), Some(1));
        assert_eq!(id_column(&header(&["GID", "NAME", "a"])), Some(0));
        assert_eq!(id_column(&header(&["GWEIGHT", "a"])), None);
        assert_eq!(id_column(&[]), None);
    }
}
