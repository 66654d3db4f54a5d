//! Drawing of figures as SVG.

use std::fmt::Write;

use super::axis::Span;
use super::{Figure, Mark, Panel, Series};
use crate::markup::escape_shown;

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 48.0;

/// Colours that remain distinguishable with colour vision deficiency (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333",
];

pub(super) fn figure(figure: &Figure) -> String {
    let columns = figure.columns.clamp(1, figure.panels.len().max(1));
    let rows = figure.panels.len().div_ceil(columns);
    let head = if figure.title.is_empty() { 0.0 } else { 30.0 };
    let (width, height) = (WIDTH * columns as f64, HEIGHT * rows as f64 + head);
    let mut out = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" font-family="system-ui, sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
"##
    );
    if !figure.title.is_empty() {
        let title = escape_shown(&figure.title);
        let _ = writeln!(out, "<title>{title}</title>");
        let _ = writeln!(
            out,
            r##"<text x="14" y="22" font-size="15" font-weight="bold" fill="#1c2733">{title}</text>"##
        );
    }
    for (number, panel) in figure.panels.iter().enumerate() {
        let (x, y) = (
            WIDTH * (number % columns) as f64,
            head + HEIGHT * (number / columns) as f64,
        );
        let _ = writeln!(out, r#"<g transform="translate({x} {y})">"#);
        draw_panel(&mut out, panel);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// Approximate width of a letter at the size of labels. An estimate, because no font is available
/// to measure text.
const LETTER: f64 = 6.3;

/// Rotation, in degrees, of labels under an axis that would touch otherwise.
const SLANT: f64 = 35.0;

/// Space below the plot area of a panel, and whether the labels there are rotated.
fn bottom(panel: &Panel) -> (f64, bool) {
    let lengths = panel.x.names.iter().map(|name| name.chars().count());
    let longest = LETTER * lengths.max().unwrap_or(0) as f64;
    let room = (WIDTH - LEFT - RIGHT) / panel.x.names.len().max(1) as f64;
    if longest < room {
        return (BOTTOM, false);
    }
    let label = if panel.x.label.is_empty() { 0.0 } else { 16.0 };
    let height = 18.0 + label + longest * SLANT.to_radians().sin();
    (height.clamp(BOTTOM, 0.4 * HEIGHT), true)
}

struct Frame<'a> {
    panel: &'a Panel,
    x: Span,
    y: Span,
    floor: f64,
}

impl Frame<'_> {
    fn at(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let across = self.x.share(self.panel.x.place(x));
        let up = self.y.share(self.panel.y.place(y));
        let place = (
            LEFT + across * (WIDTH - LEFT - RIGHT),
            self.floor - up * (self.floor - TOP),
        );
        (place.0.is_finite() && place.1.is_finite()).then_some(place)
    }
}

fn draw_panel(out: &mut String, panel: &Panel) {
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let ends = panel.series.iter().flat_map(|series| {
        let bars = series.errors.iter().zip(&series.points);
        bars.flat_map(|(error, point)| [point.1 - error, point.1 + error])
    });
    let (bottom, is_slanted) = bottom(panel);
    let frame = Frame {
        panel,
        x: panel.x.span(points().map(|point| point.0)),
        y: panel.y.span(points().map(|point| point.1).chain(ends)),
        floor: HEIGHT - bottom,
    };
    let (right, floor) = (WIDTH - RIGHT, frame.floor);
    for (place, text) in panel.x.ticks(&frame.x, 6) {
        let x = LEFT + frame.x.share(place) * (right - LEFT);
        let _ = writeln!(
            out,
            r##"<path d="M{x:.1} {TOP}V{floor}" stroke="#e1e6eb"/>"##
        );
        let text = escape_shown(&text);
        if is_slanted {
            let _ = writeln!(
                out,
                r##"<text x="{x:.1}" y="{:.1}" text-anchor="end" transform="rotate(-{SLANT} {x:.1} {:.1})" fill="#5a6875">{text}</text>"##,
                floor + 13.0,
                floor + 13.0
            );
        } else {
            let _ = writeln!(
                out,
                r##"<text x="{x:.1}" y="{:.1}" text-anchor="middle" fill="#5a6875">{text}</text>"##,
                floor + 15.0
            );
        }
    }
    for (place, text) in panel.y.ticks(&frame.y, 5) {
        let y = floor - frame.y.share(place) * (floor - TOP);
        let _ = writeln!(
            out,
            r##"<path d="M{LEFT} {y:.1}H{right}" stroke="#e1e6eb"/>"##
        );
        let _ = writeln!(
            out,
            r##"<text x="{}" y="{:.1}" text-anchor="end" fill="#5a6875">{}</text>"##,
            LEFT - 6.0,
            y + 4.0,
            escape_shown(&text)
        );
    }
    let _ = writeln!(
        out,
        r##"<text x="{LEFT}" y="16" font-size="13" font-weight="bold" fill="#1c2733">{}</text>"##,
        escape_shown(&panel.title)
    );
    let _ = writeln!(
        out,
        r##"<text x="{}" y="{}" text-anchor="middle" font-size="12" fill="#1c2733">{}</text>"##,
        0.5 * (LEFT + right),
        HEIGHT - 10.0,
        escape_shown(&panel.x.label)
    );
    let _ = writeln!(
        out,
        r##"<text x="{}" y="14" transform="rotate(-90)" text-anchor="middle" font-size="12" fill="#1c2733">{}</text>"##,
        -0.5 * (TOP + floor),
        escape_shown(&panel.y.label)
    );
    if panel.has_diagonal {
        draw_diagonal(out, &frame);
    }
    for series in &panel.series {
        draw_series(out, &frame, series);
    }
    draw_legend(out, panel);
}

/// Draws the line of equal values, within the range of both axes.
fn draw_diagonal(out: &mut String, frame: &Frame) {
    let (low, high) = (frame.x.low.max(frame.y.low), frame.x.high.min(frame.y.high));
    if low < high {
        let at = |value: f64| {
            (
                LEFT + frame.x.share(value) * (WIDTH - LEFT - RIGHT),
                frame.floor - frame.y.share(value) * (frame.floor - TOP),
            )
        };
        let ((x, y), (to_x, to_y)) = (at(low), at(high));
        let _ = writeln!(
            out,
            r##"<path d="M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}" stroke="#9aa6b2" stroke-dasharray="4 3"/>"##
        );
    }
}

fn draw_series(out: &mut String, frame: &Frame, series: &Series) {
    let colour = COLOURS[series.colour % COLOURS.len()];
    let places: Vec<(f64, f64)> = series.points.iter().filter_map(|&p| frame.at(p)).collect();
    for (&(x, y), error) in series.points.iter().zip(&series.errors) {
        if let (Some((at, low)), Some((_, high))) =
            (frame.at((x, y - error)), frame.at((x, y + error)))
        {
            let _ = writeln!(
                out,
                r#"<path d="M{at:.1} {low:.1}V{high:.1}" stroke="{colour}" stroke-opacity="0.5"/>"#
            );
        }
    }
    if series.mark != Mark::Points && !places.is_empty() {
        let path: Vec<String> = places
            .iter()
            .map(|(x, y)| format!("{x:.1} {y:.1}"))
            .collect();
        let _ = writeln!(
            out,
            r#"<path d="M{}" fill="none" stroke="{colour}" stroke-width="1.8"/>"#,
            path.join("L")
        );
    }
    if series.mark != Mark::Line {
        let (radius, opacity) = match places.len() {
            0..=200 => (3.0, 0.8),
            201..=1000 => (2.0, 0.6),
            _ => (1.4, 0.4),
        };
        if places.len() > MANY_POINTS {
            draw_many_points(out, &places, colour, (radius, opacity));
            return;
        }
        for (x, y) in places {
            let _ = writeln!(
                out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}" fill-opacity="{opacity}"/>"#
            );
        }
    }
}

/// More points than this are drawn as a few paths, which makes the SVG ten times smaller.
const MANY_POINTS: usize = 1000;

/// Number of these paths. Points of different paths add up in opacity where they overlap.
const LAYERS: usize = 8;

fn draw_many_points(
    out: &mut String,
    places: &[(f64, f64)],
    colour: &str,
    (radius, opacity): (f64, f64),
) {
    for layer in 0..LAYERS {
        let own = places.iter().skip(layer).step_by(LAYERS);
        let path: String = own.map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect();
        let _ = writeln!(
            out,
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="{}" stroke-linecap="round" stroke-opacity="{opacity}"/>"#,
            2.0 * radius
        );
    }
}

fn draw_legend(out: &mut String, panel: &Panel) {
    let named: Vec<&Series> = panel.series.iter().filter(|s| !s.name.is_empty()).collect();
    let mut x = WIDTH - RIGHT;
    for series in named.iter().rev() {
        x -= LETTER * series.name.chars().count() as f64 + 22.0;
        let colour = COLOURS[series.colour % COLOURS.len()];
        let _ = writeln!(
            out,
            r##"<circle cx="{x:.1}" cy="26" r="4" fill="{colour}"/><text x="{:.1}" y="30" fill="#1c2733">{}</text>"##,
            x + 8.0,
            escape_shown(&series.name)
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::plot::{Axis, Figure, Mark, Panel, Series};

    #[test]
    fn many_points_are_all_drawn() {
        let points: Vec<(f64, f64)> = (0..3000)
            .map(|i| (f64::from(i), f64::from(i % 7)))
            .collect();
        let panel = Panel {
            title: String::new(),
            x: Axis::new("x"),
            y: Axis::new("y"),
            series: vec![Series::new("", points, Mark::Points, 0)],
            has_diagonal: false,
        };
        let figure = Figure {
            title: String::new(),
            panels: vec![panel],
            columns: 1,
        };
        let svg = figure.svg();
        assert_eq!(svg.matches("h0").count(), 3000);
        assert!(
            !svg.contains("<circle") && svg.len() < 70_000,
            "{}",
            svg.len()
        );
    }

    #[test]
    fn points_that_are_not_finite_are_skipped() {
        let points = vec![(1.0, 2.0), (f64::NAN, 1.0), (10.0, 0.0), (100.0, 3.0)];
        let panel = Panel {
            title: "<b>".to_string(),
            x: Axis::new("M").log(),
            y: Axis::new("y").log(),
            series: vec![Series::new("a & b", points, Mark::Both, 9)],
            has_diagonal: true,
        };
        let figure = Figure {
            title: "T".to_string(),
            panels: vec![panel.clone(), panel],
            columns: 2,
        };
        let svg = figure.svg();
        assert!(
            svg.contains("&lt;b&gt;")
                && svg.contains("a &amp; b")
                && !svg.contains("NaN")
                && !svg.contains("inf")
        );
        assert_eq!(svg.matches(r#"r="3""#).count(), 4);
        let empty = Figure {
            title: String::new(),
            panels: Vec::new(),
            columns: 3,
        };
        assert!(empty.svg().ends_with("</svg>\n"));
    }
}
