//! `idealparent export`

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::Path;

use idealparent::Result;
use idealparent_view::{Format, export, png};

use super::Outcome;
use crate::args::ExportArgs;
use crate::{input, output};

pub fn run(args: &ExportArgs) -> Result<Outcome> {
    let path = args.output.as_deref();
    let extension = path.and_then(Path::extension).and_then(OsStr::to_str);
    let Some(format) = args.format.as_deref().or(extension) else {
        return input::usage(
            "no format: give --format FORMAT, or -o FILE with the format as its extension",
        );
    };
    // A png is rendered from the svg.
    let is_png = format.eq_ignore_ascii_case("png");
    let format: Format = if is_png { "svg" } else { format }.parse()?;
    output::check_places(&[Some(&args.network)], &[("-o", path)])?;
    if !is_png && args.scale.is_some() {
        return input::usage("--scale needs the format png");
    }
    if is_png && path.is_none_or(output::is_stdout) && std::io::stdout().is_terminal() {
        return input::usage("a png cannot be shown in a terminal: name a file with -o");
    }
    let network = input::network(&args.network)?;
    let text = export(&network, format)?;
    if is_png {
        output::write_bytes(path, &png(&text, args.scale)?)?;
    } else {
        output::write(path, &text)?;
    }
    Ok(Outcome::Done)
}
