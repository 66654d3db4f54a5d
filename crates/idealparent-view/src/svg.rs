//! A picture: parents above their children, hidden variables dashed, colour by sign, width by
//! strength.

use std::collections::HashMap;
use std::fmt::Write;

use idealparent::network::{EdgeView, Family, Variable, check_xml, edge_views, escape_xml};
use idealparent::{Network, Result};

use crate::layout::Layout;

/// Width of a letter and height of a node, in pixels.
const LETTER: f64 = 7.3;
const HEIGHT: f64 = 26.0;

/// Longer names are cut in the picture; pointing at them shows them whole.
const LONGEST: usize = 24;

/// Names are shown in a bubble of this width at least.
const NARROWEST: f64 = 34.0;

/// Colours that people who see few can tell apart (Okabe and Ito); negative edges also end in a
/// bar.
const POSITIVE: &str = "#0072b2";
const NEGATIVE: &str = "#d55e00";

/// The picture. What XML cannot hold is refused.
pub(crate) fn write(network: &Network) -> Result<String> {
    check_xml(network, "svg")?;
    let edges = edge_views(network);
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

/// A name as it is shown.
fn shown(name: &str) -> String {
    let line: String = name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.chars().count() > LONGEST {
        line.chars().take(LONGEST - 1).chain(['…']).collect()
    } else {
        line
    }
}

/// Width of a variable's box.
pub(crate) fn width(name: &str) -> f64 {
    // Letters of the East Asian scripts are twice as wide.
    let letters = shown(name)
        .chars()
        .map(|c| if c >= '\u{2E80}' { 2.0 } else { 1.0 })
        .sum::<f64>();
    (letters * LETTER + 16.0).max(NARROWEST)
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
    let is_positive = edge.sign == "positive";
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
    // From the lower rim of one node to the upper rim of the other.
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
        edge.direction,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn names_stay_text() {
        assert_eq!(shown("a\nb"), "a b");
        assert_eq!(shown(&"x".repeat(30)).chars().count(), LONGEST);
        let svg = write(&testing::hostile()).unwrap();
        assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;"));
        assert_eq!(svg.matches("<path d=\"M").count(), 4 + 2);
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
    }
}
