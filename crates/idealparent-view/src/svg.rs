//! The picture of a network: parents above their children, hidden variables dashed. The colour of
//! an edge shows its sign, its width shows its strength.

use std::collections::HashMap;
use std::fmt::Write;

use idealparent::internal::{check_xml, escape_xml};
use idealparent::{EdgeView, Family, Network, Result, Variable};

use crate::layout::Layout;

/// Width of a letter and height of a node, in pixels.
const LETTER: f64 = 7.3;
const HEIGHT: f64 = 26.0;

/// Longer names are truncated in the picture; their tooltips show them in full.
const MAX_LETTERS: usize = 24;

/// Minimum width of a node.
const MIN_WIDTH: f64 = 34.0;

/// Colours that remain distinguishable with colour vision deficiency (Okabe and Ito). Negative
/// edges also end in a bar.
const POSITIVE: &str = "#0072b2";
const NEGATIVE: &str = "#d55e00";

/// Draws a network. Returns an error if XML cannot represent it.
pub(crate) fn write(network: &Network) -> Result<String> {
    check_xml(network, "svg")?;
    let edges = network.edge_views();
    let dag = network.dag();
    let widths: Vec<f64> = network.variables.iter().map(|v| width(&v.name)).collect();
    let layout = Layout::new(&dag, &widths);
    let (across, down) = (
        layout.width.max(80.0).ceil(),
        layout.height.max(50.0).ceil(),
    );
    let mut out = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" height="{down}" role="img" font-family="system-ui, sans-serif" font-size="12">
<title>A Bayesian network of {} variables and {} edges</title>
<defs>
<marker id="up" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="{POSITIVE}"/></marker>
<marker id="down" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M8 0V10" stroke="{NEGATIVE}" stroke-width="3"/></marker>
</defs>
<rect width="100%" height="100%" fill="#fff"/>
"##,
        network.len(),
        edges.len(),
    );
    let strongest = edges.iter().filter_map(|edge| edge.strength);
    let strongest = strongest.fold(0.0, f64::max);
    let ends = |edge: &EdgeView| (edge.parent, edge.child);
    let of: HashMap<(usize, usize), &EdgeView> = edges.iter().map(|e| (ends(e), e)).collect();
    for (pair, points) in dag.edges().zip(&layout.edges) {
        draw_edge(&mut out, network, of[&pair], points, strongest);
    }
    let nodes = network.variables.iter().zip(&network.families);
    for ((node, &place), &width) in nodes.zip(&layout.nodes).zip(&widths) {
        draw_node(&mut out, node, place, width);
    }
    out.push_str("</svg>\n");
    Ok(out)
}

/// A name as shown: on one line, and truncated if long.
fn shown(name: &str) -> String {
    let line: String = name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.chars().count() > MAX_LETTERS {
        line.chars().take(MAX_LETTERS - 1).chain(['…']).collect()
    } else {
        line
    }
}

/// Width of the box of the variable called `name`.
pub(crate) fn width(name: &str) -> f64 {
    // East Asian characters are twice as wide.
    let letters = shown(name)
        .chars()
        .map(|c| if c >= '\u{2E80}' { 2.0 } else { 1.0 })
        .sum::<f64>();
    (letters * LETTER + 16.0).max(MIN_WIDTH)
}

fn draw_node(
    out: &mut String,
    (variable, family): (&Variable, &Family),
    (x, y): (f64, f64),
    width: f64,
) {
    let (left, top) = (x - 0.5 * width, y - 0.5 * HEIGHT);
    let (fill, line, dashes, radius) = match (variable.hidden, family.inactive) {
        (true, _) => (
            "#fff3d6",
            "#a86400",
            r#" stroke-dasharray="4 3""#,
            0.5 * HEIGHT,
        ),
        (_, true) => ("#f4f4f4", "#b5b5b5", "", 4.0),
        _ => ("#eef4fa", "#5b7690", "", 4.0),
    };
    let what = match (variable.hidden, family.inactive) {
        (true, _) => " (hidden)",
        (_, true) => " (never varies)",
        _ => "",
    };
    let _ = writeln!(
        out,
        r##"<g><title>{}{what}</title><rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{HEIGHT}" rx="{radius}" fill="{fill}" stroke="{line}"{dashes}/><text x="{x:.1}" y="{:.1}" text-anchor="middle" fill="#1c2733">{}</text></g>"##,
        escape_xml(&variable.name),
        y + 4.2,
        escape_xml(&shown(&variable.name)),
    );
}

fn draw_edge(
    out: &mut String,
    network: &Network,
    edge: &EdgeView,
    points: &[(f64, f64)],
    strongest: f64,
) {
    let is_positive = !edge.is_negative;
    let (colour, end) = if is_positive {
        (POSITIVE, "up")
    } else {
        (NEGATIVE, "down")
    };
    let thickness = match edge.strength {
        Some(strength) if strongest > 0.0 => 1.0 + 2.5 * (strength.max(0.0) / strongest).sqrt(),
        _ => 1.5,
    };
    let mut path = String::new();
    let last = points.len() - 1;
    // Edges run from the lower side of the parent's box to the upper side of the child's.
    let at = |i: usize| match i {
        0 => (points[0].0, points[0].1 + 0.5 * HEIGHT),
        i if i == last => (points[i].0, points[i].1 - 0.5 * HEIGHT - 2.0),
        i => points[i],
    };
    let _ = write!(path, "M{:.1} {:.1}", at(0).0, at(0).1);
    for i in 1..=last {
        let ((x, y), (to_x, to_y)) = (at(i - 1), at(i));
        let half = 0.5 * (y + to_y);
        let _ = write!(
            path,
            "C{x:.1} {half:.1} {to_x:.1} {half:.1} {to_x:.1} {to_y:.1}"
        );
    }
    let strength = edge.strength.map_or(String::new(), |strength| {
        format!(", strength {strength:.2}")
    });
    let _ = writeln!(
        out,
        r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thickness:.2}" stroke-opacity="0.8" marker-end="url(#{end})"><title>{} → {}: weight {:.4}{strength}, {}</title></path>"#,
        escape_xml(network.name(edge.parent)),
        escape_xml(network.name(edge.child)),
        edge.weight,
        edge.direction(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use idealparent::network::testing;

    #[test]
    fn names_are_truncated_and_escaped() {
        assert_eq!(shown("a\nb"), "a b");
        assert_eq!(shown(&"x".repeat(30)).chars().count(), MAX_LETTERS);
        let svg = write(&testing::hostile()).unwrap();
        assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;"));
        assert_eq!(svg.matches("<path d=\"M").count(), 4 + 2);
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
    }
}
