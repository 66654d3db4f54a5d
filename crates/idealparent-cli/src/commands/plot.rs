//! Plots of results.

use std::path::Path;

use idealparent::{Error, FoldResult, MethodSummary, Result};
use idealparent_view::{Axis, Figure, Mark, Panel, Series, png};

use crate::output;

/// Returns an error if the file extension is neither `.svg` nor `.png`.
pub fn check(path: Option<&Path>) -> Result<()> {
    match path {
        Some(path) if kind(path).is_none() => Err(Error::options(format!(
            "--plot {}: plots are written as .svg or .png",
            path.display()
        ))),
        _ => Ok(()),
    }
}

fn kind(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_ascii_lowercase();
    ["svg", "png"].into_iter().find(|kind| extension == *kind)
}

/// Writes a figure in the format given by the file extension.
pub fn write(figure: &Figure, path: &Path) -> Result<()> {
    let svg = figure.svg();
    match kind(path) {
        Some("png") => output::write_bytes(Some(path), &png(&svg, None)?),
        _ => output::write(Some(path), &svg),
    }
}

/// The name of a series, and its value for a fold.
type Shown<'a> = (&'a str, fn(&FoldResult) -> f64);

/// A figure with every fold of every method: likelihoods, edges, evaluations and time.
pub fn of_folds(results: &[FoldResult]) -> Figure {
    let rows = MethodSummary::of(results);
    let methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
    // Long names are shortened so that they fit side by side; the table has the full names.
    let short = |(number, method): (usize, &&str)| match method.chars().count() {
        0..=16 => method.to_string(),
        _ => format!(
            "{}: {}…",
            number + 1,
            method.chars().take(12).collect::<String>()
        ),
    };
    let names: Vec<String> = methods.iter().enumerate().map(short).collect();
    let panel = |title: &str, label: &str, is_log: bool, of: &[Shown]| {
        let series = |(colour, (name, value)): (usize, &Shown)| {
            let place = |result: &FoldResult| {
                let at = methods.iter().position(|method| *method == result.method);
                at.unwrap_or(0) as f64 + 0.16 * (colour as f64 - 0.5 * (of.len() as f64 - 1.0))
            };
            let points = results.iter().map(|result| (place(result), value(result)));
            Series::new(name, points.collect(), Mark::Points, colour)
        };
        Panel {
            title: title.to_string(),
            x: Axis::new("").named(names.clone()),
            y: if is_log {
                Axis::new(label).log()
            } else {
                Axis::new(label)
            },
            series: of.iter().enumerate().map(series).collect(),
            has_diagonal: false,
        }
    };
    Figure {
        title: "Cross-validation: one point per fold".to_string(),
        panels: vec![
            panel(
                "Log-likelihood",
                "per instance and variable",
                false,
                &[("test", |r| r.test), ("train", |r| r.train)],
            ),
            panel("Edges", "edges", false, &[("", |r| r.edges as f64)]),
            panel(
                "Families scored",
                "evaluations",
                true,
                &[("", |r| r.evaluations as f64)],
            ),
            panel("Time", "seconds", true, &[("", |r| r.seconds)]),
        ],
        columns: 2,
    }
}
