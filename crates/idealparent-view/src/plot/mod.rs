//! SVG charts with points and lines, for cross-validation and the paper's figures.

mod axis;
mod draw;

pub use axis::{Axis, Scale};

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A dot for every point.
    Points,
    /// A line from point to point.
    Line,
    /// Dots and a line.
    Both,
}

/// A series of points in one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend; an empty name is not listed.
    pub name: String,
    /// The points. Points that are not finite are skipped.
    pub points: Vec<(f64, f64)>,
    /// Half the length of each point's error bar: empty, or one per point.
    pub errors: Vec<f64>,
    /// Whether to draw dots, a line or both.
    pub mark: Mark,
    /// Index of the colour, from 0.
    pub colour: usize,
}

impl Series {
    /// A series without error bars.
    pub fn new(name: &str, points: Vec<(f64, f64)>, mark: Mark, colour: usize) -> Self {
        Series {
            name: name.to_string(),
            points,
            errors: Vec::new(),
            mark,
            colour,
        }
    }
}

/// One chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title of the chart.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The series to draw.
    pub series: Vec<Series>,
    /// Whether to draw the line on which both coordinates are equal.
    pub has_diagonal: bool,
}

/// Several charts in a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Title above all charts; may be empty.
    pub title: String,
    /// The charts, row by row.
    pub panels: Vec<Panel>,
    /// Number of charts in a row.
    pub columns: usize,
}

impl Figure {
    /// Draws the figure as SVG. The same figure always gives the same text.
    pub fn svg(&self) -> String {
        draw::figure(self)
    }
}
