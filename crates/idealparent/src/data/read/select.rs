//! Which columns and rows of a file are wanted.

use std::collections::{HashMap, HashSet};

use super::message::{list, shorten};
use super::{NameList, ReadOptions};
use crate::error::{Error, Result};

/// A file's columns and rows by name, before any number is read.
pub(super) struct Layout<'a> {
    /// The file, as the user named it.
    pub(super) origin: &'a str,
    /// File and line of the column names.
    pub(super) header_place: String,
    /// The names of all columns.
    pub(super) header: &'a [String],
    /// The column that names the rows.
    pub(super) label: Option<usize>,
    /// Columns that cannot be variables, the row names among them.
    pub(super) left_out: &'a [bool],
    /// The names of the rows, where they have any.
    pub(super) row_names: Option<&'a [String]>,
    /// File and, where it has lines, line of a row.
    pub(super) row_place: &'a dyn Fn(usize) -> String,
}

/// The part of a file that becomes the table.
#[derive(Debug)]
pub(super) struct Selection {
    /// Indices of the columns, in the order of the file.
    pub(super) columns: Vec<usize>,
    /// For every row whether it is wanted; all are where nothing is said.
    pub(super) rows: Option<Vec<bool>>,
}

impl Selection {
    /// Whether the row of this number is wanted.
    pub(super) fn wants_row(&self, row: usize) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows[row])
    }

    /// Applies `variables`, `instances` and `drop`; what is left has names that tell it apart.
    pub(super) fn of(layout: &Layout, options: &ReadOptions) -> Result<Selection> {
        let dropped = Dropped::find(layout, options)?;
        let (column_list, row_list) = if options.transpose {
            (&options.instances, &options.variables)
        } else {
            (&options.variables, &options.instances)
        };
        let selection = Selection {
            columns: select_columns(layout, column_list.as_ref(), &dropped.columns, options)?,
            rows: select_rows(layout, row_list.as_ref(), &dropped.rows, options)?,
        };
        if !options.transpose || column_list.is_some() {
            check_column_names(layout, &selection)?;
        }
        if options.transpose || row_list.is_some() {
            check_row_names(layout, &selection, options.transpose)?;
        }
        if selection
            .rows
            .as_ref()
            .is_some_and(|rows| !rows.contains(&true))
        {
            return Err(Error::table(layout.origin, "no rows are left"));
        }
        Ok(selection)
    }
}

/// The columns and, in a transposed table, rows that `drop` names.
struct Dropped<'a> {
    columns: HashSet<&'a str>,
    rows: HashSet<&'a str>,
}

impl<'a> Dropped<'a> {
    fn find(layout: &Layout, options: &'a ReadOptions) -> Result<Self> {
        let columns: HashSet<&str> = layout.header.iter().map(String::as_str).collect();
        let rows: HashSet<&str> = match layout.row_names {
            Some(names) if options.transpose => names.iter().map(String::as_str).collect(),
            _ => HashSet::new(),
        };
        let mut dropped = Dropped {
            columns: HashSet::new(),
            rows: HashSet::new(),
        };
        let mut unknown = Vec::new();
        for name in options.drop.iter().map(String::as_str) {
            if columns.contains(name) {
                dropped.columns.insert(name);
            } else if rows.contains(name) {
                dropped.rows.insert(name);
            } else {
                unknown.push(name);
            }
        }
        if unknown.is_empty() {
            return Ok(dropped);
        }
        Err(Error::Options(format!(
            "--drop: {} has no column {}",
            layout.origin,
            list(&unknown)
        )))
    }
}

fn select_columns(
    layout: &Layout,
    listed: Option<&NameList>,
    dropped: &HashSet<&str>,
    options: &ReadOptions,
) -> Result<Vec<usize>> {
    let possible = (0..layout.header.len()).filter(|&column| !layout.left_out[column]);
    let possible: Vec<usize> = possible.collect();
    let wanted: Option<HashSet<&str>> =
        listed.map(|list| list.names.iter().map(String::as_str).collect());
    if let Some(list) = listed {
        let known = possible
            .iter()
            .map(|&column| layout.header[column].as_str());
        let unknown = unknown_names(list, &known.collect());
        check_unknown(layout, list, unknown, true, options.transpose)?;
    }
    let is_wanted = |&column: &usize| {
        let name = layout.header[column].as_str();
        let is_listed = |names: &HashSet<&str>| names.contains(name);
        wanted.as_ref().is_none_or(is_listed) && !dropped.contains(name)
    };
    let columns: Vec<usize> = possible.into_iter().filter(is_wanted).collect();
    if columns.is_empty() {
        return Err(Error::table(layout.origin, "no column of numbers is left"));
    }
    Ok(columns)
}

fn select_rows(
    layout: &Layout,
    listed: Option<&NameList>,
    dropped: &HashSet<&str>,
    options: &ReadOptions,
) -> Result<Option<Vec<bool>>> {
    if listed.is_none() && dropped.is_empty() {
        return Ok(None);
    }
    let Some(names) = layout.row_names else {
        return Err(Error::table(
            layout.origin,
            "--instances needs row names, and the table has none \
             (if its first column holds them: --row-names yes)",
        ));
    };
    let wanted: Option<HashSet<&str>> =
        listed.map(|list| list.names.iter().map(String::as_str).collect());
    if let Some(list) = listed {
        let unknown = unknown_names(list, &names.iter().map(String::as_str).collect());
        check_unknown(layout, list, unknown, false, options.transpose)?;
    }
    let is_wanted = |name: &String| {
        let is_listed = |names: &HashSet<&str>| names.contains(name.as_str());
        wanted.as_ref().is_none_or(is_listed) && !dropped.contains(name.as_str())
    };
    Ok(Some(names.iter().map(is_wanted).collect()))
}

/// The listed names that are not known.
fn unknown_names<'a>(listed: &'a NameList, known: &HashSet<&str>) -> Vec<&'a str> {
    let names = listed.names.iter().map(String::as_str);
    names.filter(|name| !known.contains(name)).collect()
}

/// Refuses names that the data lack, with a guess at the reason.
fn check_unknown(
    layout: &Layout,
    listed: &NameList,
    unknown: Vec<&str>,
    are_columns: bool,
    transpose: bool,
) -> Result<()> {
    if listed.names.is_empty() {
        return Err(Error::table(&listed.origin, "no names are listed"));
    }
    let Some(first) = unknown.first() else {
        return Ok(());
    };
    let what = if are_columns == transpose {
        "instance"
    } else {
        "variable"
    };
    let mut problem = format!("{} has no {what} {}", layout.origin, list(&unknown));
    let (other_side, other_names) = if are_columns {
        ("rows", layout.row_names.unwrap_or_default())
    } else {
        ("columns", layout.header)
    };
    let label = layout.label.map(|column| layout.header[column].as_str());
    if label == Some(*first) {
        problem += &format!(" ('{}' is the column of row names)", shorten(first));
    } else if other_names.iter().any(|name| name == first) {
        let remedy = if transpose { "leave out" } else { "add" };
        problem += &format!(" (the {other_side} have such names: {remedy} --transpose?)");
    }
    Err(Error::table(&listed.origin, problem))
}

fn check_column_names(layout: &Layout, selection: &Selection) -> Result<()> {
    let mut seen = HashSet::new();
    for &column in &selection.columns {
        let name = layout.header[column].as_str();
        if !seen.insert(name) {
            let problem = format!("two columns are called '{}' (rename one)", shorten(name));
            return Err(Error::table(&layout.header_place, problem));
        }
    }
    Ok(())
}

fn check_row_names(layout: &Layout, selection: &Selection, are_variables: bool) -> Result<()> {
    let mut seen = HashMap::new();
    let names = layout.row_names.unwrap_or_default();
    for (row, name) in names.iter().enumerate() {
        if !selection.wants_row(row) {
            continue;
        }
        if are_variables && name.trim().is_empty() {
            let problem = "the row has no name (with --transpose it is a variable and needs one)";
            return Err(Error::table((layout.row_place)(row), problem));
        }
        if seen.insert(name.as_str(), row).is_some() {
            let problem = format!("two rows are called '{}' (rename one)", shorten(name));
            return Err(Error::table((layout.row_place)(row), problem));
        }
    }
    Ok(())
}
