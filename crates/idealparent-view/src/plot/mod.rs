//! Charts as SVG: panels with points and lines, for cross-validation and the paper's figures.

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
    /// Both.
    Both,
}

/// Points of one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the legend calls it; empty: it is not listed.
    pub name: String,
    /// The points; those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Half the length of a bar through every point; none, or one per point.
    pub errors: Vec<f64>,
    /// Dots, a line or both.
    pub mark: Mark,
    /// Which colour, from 0.
    pub colour: usize,
}

impl Series {
    /// A series without bars.
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
    /// Its heading.
    pub title: String,
    /// Below.
    pub x: Axis,
    /// To the left.
    pub y: Axis,
    /// What is in it.
    pub series: Vec<Series>,
    /// Whether to draw where both are equal.
    pub has_diagonal: bool,
}

/// Several charts side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The heading of all; may be empty.
    pub title: String,
    /// The charts, row by row.
    pub panels: Vec<Panel>,
    /// How many there are in a row.
    pub columns: usize,
}

impl Figure {
    /// The picture. The same figure gives the same text.
    pub fn svg(&self) -> String {
        draw::figure(self)
    }
}
