//! PNG images, rendered from SVG.

use idealparent::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Maximum size of an image. A larger one could exceed the memory of many machines.
const MAX_PIXELS: f64 = 60e6;

/// Renders an SVG that this library has drawn as a PNG.
///
/// `scale` is the number of pixels per SVG unit. The default is 2, or less if the image would be
/// too large.
///
/// Text is drawn with a font that is part of the library, so that the image is the same on every
/// machine. If the text has characters outside that font, the fonts of the system are used as well.
pub fn png(svg: &str, scale: Option<f64>) -> Result<Vec<u8>> {
    if scale.is_some_and(|scale| !(0.01..=100.0).contains(&scale)) {
        return Err(Error::options("scale must be from 0.01 to 100"));
    }
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    // The font covers scripts up to Cyrillic, and symbols such as arrows.
    let is_known = |c: char| c < '\u{530}' || ('\u{2000}'..'\u{2300}').contains(&c);
    if !svg.chars().all(is_known) {
        fonts.load_system_fonts();
    }
    let embedded = fonts.faces().next().and_then(|face| face.families.first());
    if let Some((family, _)) = embedded.cloned() {
        fonts.set_sans_serif_family(family);
    }
    let options = Options {
        fontdb: std::sync::Arc::new(fonts),
        ..Options::default()
    };
    let failed = |problem: String| Error::data(format!("the picture cannot be drawn: {problem}"));
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size();
    let area = f64::from(size.width()) * f64::from(size.height());
    let most = (MAX_PIXELS / area).sqrt();
    let scale = match scale {
        Some(scale) if scale > most => {
            return Err(Error::options(format!(
                "scale {scale} makes the image too large (at most {most:.2} for this picture)"
            )));
        }
        Some(scale) => scale,
        None => most.min(2.0),
    };
    let pixels = |length: f32| ((f64::from(length) * scale).round() as u32).max(1);
    let mut image = Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| failed("its size is zero".to_string()))?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut image.as_mut());
    image
        .encode_png()
        .map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_drawn_and_the_scale_is_checked() {
        let svg = |text: &str| {
            format!(
                r##"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20" font-family="system-ui, sans-serif"><rect width="60" height="20" fill="#fff"/><text x="4" y="14">{text}</text></svg>"##
            )
        };
        let [empty, some, same] = ["", "Raf", "Raf"].map(|text| png(&svg(text), None).unwrap());
        assert!(some.starts_with(b"\x89PNG") && some != empty && some == same);
        let size = |png: &[u8]| u32::from_be_bytes(png[16..20].try_into().unwrap());
        assert_eq!(
            (size(&some), size(&png(&svg("a"), Some(1.0)).unwrap())),
            (120, 60)
        );
        assert!(png("<svg", None).is_err() && png(&svg("a"), Some(f64::NAN)).is_err());
        let problem = png(&svg("a"), Some(0.0)).unwrap_err().to_string();
        assert_eq!(problem, "scale must be from 0.01 to 100");
        let large = r#"<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"/>"#;
        assert!(png(large, Some(2.0)).is_err() && size(&png(large, None).unwrap()) < 9000);
    }
}
