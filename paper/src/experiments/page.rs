//! Pages of results: Markdown with tables and pictures.

use std::path::Path;

use idealparent::Result;
use idealparent_view::{Figure, Mark, Series};

use super::cells::mean_and_error;
use crate::files;

/// A page under construction.
pub struct Page {
    text: String,
    pictures: Vec<(String, String)>,
}

impl Page {
    pub fn new(title: &str, is_quick: bool) -> Self {
        let warning = if is_quick {
            "\n**A small part (`--quick`), not the results of the whole experiment.**\n"
        } else {
            ""
        };
        Page {
            text: format!("# {title}\n{warning}"),
            pictures: Vec::new(),
        }
    }

    pub fn heading(&mut self, text: &str) {
        self.text += &format!("\n## {text}\n");
    }

    pub fn say(&mut self, text: &str) {
        self.text += &format!("\n{text}\n");
    }

    /// Adds a table whose first row is the header.
    pub fn table(&mut self, rows: &[Vec<String>]) {
        let line = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
        let Some((header, body)) = rows.split_first() else {
            return;
        };
        let rule = vec!["---".to_string(); header.len()];
        self.text += "\n";
        for cells in [header, &rule].into_iter().chain(body) {
            self.text += &line(cells);
        }
    }

    /// Adds a table of the paper's claims: each with our results for the paper's measure and score,
    /// with our results for the tangent measure or the defaults, and with the reason for a
    /// difference.
    pub fn claims(&mut self, claims: Vec<[String; 4]>) {
        self.heading("What the paper says, and what is found here");
        let header = [
            "the paper",
            "here, with C2 and BIC",
            "here, tangent or defaults",
            "the difference",
        ];
        let mut rows = vec![header.map(String::from).to_vec()];
        rows.extend(claims.into_iter().map(Vec::from));
        self.table(&rows);
    }

    /// Adds a picture, which is written to a file next to the page.
    pub fn picture(&mut self, name: &str, figure: &Figure) {
        self.text += &format!("\n![{}]({name})\n", figure.title);
        self.pictures.push((name.to_string(), figure.svg()));
    }

    pub fn write(&self, folder: &Path, name: &str) -> Result<()> {
        for (picture, svg) in &self.pictures {
            files::write(&folder.join(picture), svg)?;
        }
        files::write(&folder.join(format!("{name}.md")), &self.text)
    }
}

/// Means over samples of each size, with standard errors.
pub fn curve(
    name: &str,
    sizes: &[usize],
    colour: usize,
    values: impl Fn(usize) -> Vec<f64>,
) -> Series {
    let found: Vec<(f64, f64)> = sizes
        .iter()
        .map(|&size| mean_and_error(&values(size)))
        .collect();
    let points = sizes
        .iter()
        .zip(&found)
        .map(|(&size, &(mean, _))| (size as f64, mean));
    Series {
        errors: found.iter().map(|&(_, error)| error).collect(),
        ..Series::new(name, points.collect(), Mark::Both, colour)
    }
}

/// Formats a difference with its sign.
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    if text.contains(|c: char| !"+-0.".contains(c)) {
        text
    } else {
        // A number that rounds to zero has no sign.
        text.trim_start_matches(['+', '-']).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn numbers_that_round_to_zero_have_no_sign() {
        assert_eq!(signed(-0.0004, 3), "0.000");
        assert_eq!(signed(-0.0006, 3), "-0.001");
        assert_eq!(signed(12.34, 1), "+12.3");
        assert_eq!(signed(f64::NAN, 1), "NaN");
    }
}
