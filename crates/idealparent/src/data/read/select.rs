//! Selects the columns and rows of a file that become the table.

use std::collections::HashSet;

use super::message::list;
use super::{NameList, ReadOptions};
use crate::error::{Error, Result, about, flag, option, option_value, quoted};

/// Names of a file's columns and rows, before the numbers are read.
pub(super) struct Layout<'a> {
    /// Name of the file, as given by the user.
    pub(super) origin: &'a str,
    /// File and line of the header.
    pub(super) header_place: String,
    /// The names of all columns.
    pub(super) header: &'a [String],
    /// The column that holds the row names.
    pub(super) label: Option<usize>,
    /// Columns that cannot be variables, including the row names.
    pub(super) left_out: &'a [bool],
    /// The row names, if there are any.
    pub(super) row_names: Option<&'a [String]>,
    /// File and, for text files, line of a row.
    pub(super) row_place: &'a dyn Fn(usize) -> String,
}

/// The part of a file that becomes the table.
#[derive(Debug)]
pub(super) struct Selection {
    /// Indices of the columns, in the order of the file.
    pub(super) columns: Vec<usize>,
    /// Whether each row is selected; `None` if all are.
    pub(super) rows: Option<Vec<bool>>,
}

impl Selection {
    /// Whether the row with this index is selected.
    pub(super) fn wants_row(&self, row: usize) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows[row])
    }

    /// Applies the options `variables`, `instances` and `drop`.
    ///
    /// # Errors
    /// If a listed name does not exist, if selected names are not unique where they must be, or if
    /// nothing is left.
    pub(super) fn of(layout: &Layout, options: &ReadOptions) -> Result<Selection> {
        let (dropped_columns, dropped_rows) = dropped(layout, options)?;
        let (column_list, row_list) = if options.transpose {
            (&options.instances, &options.variables)
        } else {
            (&options.variables, &options.instances)
        };
        let selection = Selection {
            columns: select_columns(layout, column_list.as_ref(), &dropped_columns, options)?,
            rows: select_rows(layout, row_list.as_ref(), &dropped_rows, options)?,
        };
        if !options.transpose || column_list.is_some() {
            let columns = selection.columns.iter();
            let names = columns.map(|&column| (column, layout.header[column].as_str()));
            check_names(names, "columns", &|_| layout.header_place.clone(), false)?;
        }
        if options.transpose || row_list.is_some() {
            let rows = layout.row_names.unwrap_or_default().iter().enumerate();
            let kept = rows.filter(|(row, _)| selection.wants_row(*row));
            let names = kept.map(|(row, name)| (row, name.as_str()));
            check_names(names, "rows", layout.row_place, options.transpose)?;
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

/// The names in `drop` that are columns and, in a transposed table, those that are rows.
fn dropped<'a>(layout: &Layout, options: &'a ReadOptions) -> Result<(Vec<&'a str>, Vec<&'a str>)> {
    let columns: HashSet<&str> = layout.header.iter().map(String::as_str).collect();
    let rows: HashSet<&str> = match layout.row_names {
        Some(names) if options.transpose => names.iter().map(String::as_str).collect(),
        _ => HashSet::new(),
    };
    let names = options.drop.iter().map(String::as_str);
    let (columns, others): (Vec<_>, Vec<_>) = names.partition(|name| columns.contains(name));
    let (rows, unknown): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|name| rows.contains(name));
    if unknown.is_empty() {
        return Ok((columns, rows));
    }
    let problem = format!("{} has no column {}", layout.origin, list(&unknown));
    Err(Error::options(about("drop", problem)))
}

fn select_columns(
    layout: &Layout,
    listed: Option<&NameList>,
    dropped: &[&str],
    options: &ReadOptions,
) -> Result<Vec<usize>> {
    let possible = (0..layout.header.len()).filter(|&column| !layout.left_out[column]);
    let mut columns: Vec<usize> = possible.collect();
    let name = |&column: &usize| layout.header[column].as_str();
    if let Some(list) = listed {
        let known = columns.iter().map(name).collect();
        check_known(layout, list, &known, true, options.transpose)?;
    }
    let is_wanted = wanted(listed, dropped);
    columns.retain(|column| is_wanted(name(column)));
    if columns.is_empty() {
        return Err(Error::table(layout.origin, "no column of numbers is left"));
    }
    Ok(columns)
}

fn select_rows(
    layout: &Layout,
    listed: Option<&NameList>,
    dropped: &[&str],
    options: &ReadOptions,
) -> Result<Option<Vec<bool>>> {
    if listed.is_none() && dropped.is_empty() {
        return Ok(None);
    }
    let Some(names) = layout.row_names else {
        let problem = format!(
            "{} needs row names, but the table has none (if its first column holds them: {})",
            option("instances"),
            option_value("row_names", "yes")
        );
        return Err(Error::table(layout.origin, problem));
    };
    if let Some(list) = listed {
        let known = names.iter().map(String::as_str).collect();
        check_known(layout, list, &known, false, options.transpose)?;
    }
    let is_wanted = wanted(listed, dropped);
    Ok(Some(names.iter().map(|name| is_wanted(name)).collect()))
}

/// A predicate: whether a name is listed (if there is a list) and not dropped.
fn wanted<'a>(listed: Option<&'a NameList>, dropped: &[&'a str]) -> impl Fn(&str) -> bool + 'a {
    let listed: Option<HashSet<&str>> =
        listed.map(|list| list.names.iter().map(String::as_str).collect());
    let dropped: HashSet<&str> = dropped.iter().copied().collect();
    move |name| {
        let is_listed = listed.as_ref().is_none_or(|names| names.contains(name));
        is_listed && !dropped.contains(name)
    }
}

/// Returns an error if the data lack a listed name; the message suggests a reason.
fn check_known(
    layout: &Layout,
    listed: &NameList,
    known: &HashSet<&str>,
    are_columns: bool,
    transpose: bool,
) -> Result<()> {
    let what = if are_columns == transpose {
        "instance"
    } else {
        "variable"
    };
    let wrong = |problem: String| match listed.origin.as_str() {
        "" => Error::options(about(&format!("{what}s"), problem)),
        file => Error::table(file, problem),
    };
    if listed.names.is_empty() {
        return Err(wrong("no names are listed".to_string()));
    }
    let names = listed.names.iter().map(String::as_str);
    let unknown: Vec<&str> = names.filter(|name| !known.contains(name)).collect();
    let Some(first) = unknown.first() else {
        return Ok(());
    };
    let mut problem = format!("{} has no {what} {}", layout.origin, list(&unknown));
    let (other_side, other_names) = if are_columns {
        ("rows", layout.row_names.unwrap_or_default())
    } else {
        ("columns", layout.header)
    };
    let label = layout.label.map(|column| layout.header[column].as_str());
    if label == Some(*first) {
        problem += &format!(" ({} is the column of row names)", quoted(first));
    } else if other_names.iter().any(|name| name == first) {
        let remedy = if transpose { "leave out" } else { "add" };
        let transpose = flag("transpose");
        problem += &format!(" (found among the {other_side}: {remedy} {transpose}?)");
    }
    Err(wrong(problem))
}

/// Returns an error if a name occurs twice or, if `need_names`, if a name is blank.
fn check_names<'a>(
    names: impl Iterator<Item = (usize, &'a str)>,
    what: &str,
    place: &dyn Fn(usize) -> String,
    need_names: bool,
) -> Result<()> {
    let mut seen = HashSet::new();
    for (at, name) in names {
        if need_names && name.trim().is_empty() {
            let transpose = flag("transpose");
            let problem =
                format!("the row has no name (with {transpose} it is a variable and needs one)");
            return Err(Error::table(place(at), problem));
        }
        if !seen.insert(name) {
            let problem = format!("two {what} are called {} (rename one)", quoted(name));
            return Err(Error::table(place(at), problem));
        }
    }
    Ok(())
}
