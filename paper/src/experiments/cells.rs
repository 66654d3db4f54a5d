//! A table of the results of many runs. Runs in the table are not repeated, so that a killed
//! experiment can continue.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use idealparent::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{files, signals};

/// Interval of progress messages if standard error is not a terminal.
const MINUTE: Duration = Duration::from_secs(60);

/// Runs by key, with their results.
pub struct Cells {
    path: PathBuf,
    file: File,
    keys: usize,
    columns: Vec<&'static str>,
    rows: Rows,
    bar: ProgressBar,
    /// Whether progress is printed line by line, because standard error is not a terminal.
    tells: bool,
    /// Time of the last progress line.
    told: Option<Instant>,
    /// Work done and total work, in the units of [`Cell::cost`].
    spent: f64,
    total: f64,
    began: Instant,
}

/// A run to do: its key, and an estimate of its cost relative to the others.
pub struct Cell {
    /// Values of the key columns.
    pub key: Vec<String>,
    /// Estimated cost, in any unit.
    pub cost: f64,
}

impl Cells {
    /// Opens the table in this file, or creates it. The first `keys` columns identify a run.
    pub fn open(path: &Path, keys: usize, columns: &[&'static str], quiet: bool) -> Result<Self> {
        let failed = |error| Error::io(path.display().to_string(), error);
        let (text, kept, rows) = read(path, keys, columns)?;
        if kept != text {
            files::write(path, &kept)?;
        }
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a valid template"));
        bar.enable_steady_tick(Duration::from_millis(250));
        Ok(Cells {
            path: path.to_path_buf(),
            file,
            keys,
            columns: columns.to_vec(),
            rows,
            bar,
            tells: !quiet && !std::io::stderr().is_terminal(),
            told: None,
            spent: 0.0,
            total: 0.0,
            began: Instant::now(),
        })
    }

    /// Returns an error if the file is not such a table.
    pub fn check(path: &Path, keys: usize, columns: &[&'static str]) -> Result<()> {
        read(path, keys, columns).map(|_| ())
    }

    /// Does the runs that are not in the table, in this order; returns whether all of them are now.
    pub fn run(
        &mut self,
        cells: &[Cell],
        mut work: impl FnMut(&[String]) -> Result<Option<Vec<f64>>>,
    ) -> Result<bool> {
        let todo: Vec<&Cell> = cells
            .iter()
            .filter(|cell| !self.rows.contains_key(&cell.key))
            .collect();
        self.total = todo.iter().map(|cell| cell.cost).sum();
        self.spent = 0.0;
        self.began = Instant::now();
        for (number, cell) in todo.iter().enumerate() {
            self.say(&format!(
                "{}/{} {}",
                number + 1,
                todo.len(),
                cell.key.join(" ")
            ));
            let found = if signals::is_stopped() {
                None
            } else {
                work(&cell.key)?
            };
            let Some(values) = found else {
                self.bar.finish_and_clear();
                return Ok(false);
            };
            self.add(cell.key.clone(), values)?;
            self.spent += cell.cost;
        }
        self.bar.finish_and_clear();
        Ok(true)
    }

    fn say(&mut self, what: &str) {
        let name = self
            .path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let left = if self.spent > 0.0 {
            let seconds =
                self.began.elapsed().as_secs_f64() * (self.total - self.spent) / self.spent;
            format!(", about {} left", duration(seconds))
        } else {
            String::new()
        };
        let line = format!("{name}: {what}{left}");
        if self.tells && self.told.is_none_or(|told| told.elapsed() > MINUTE) {
            files::tell(&line);
            self.told = Some(Instant::now());
        }
        self.bar.set_message(line);
    }

    fn add(&mut self, key: Vec<String>, values: Vec<f64>) -> Result<()> {
        assert_eq!(
            key.len() + values.len(),
            self.columns.len(),
            "one value per column"
        );
        let numbers = values.iter().map(|value| format!("{value:?}"));
        let line = key
            .iter()
            .cloned()
            .chain(numbers)
            .collect::<Vec<_>>()
            .join("\t")
            + "\n";
        let failed = |error| Error::io(self.path.display().to_string(), error);
        self.file.write_all(line.as_bytes()).map_err(failed)?;
        self.file.sync_data().map_err(failed)?;
        self.rows.insert(key, values);
        Ok(())
    }

    /// One value of the run with this key.
    pub fn value(&self, key: &[&str], column: &str) -> Option<f64> {
        let key: Vec<String> = key.iter().map(|part| part.to_string()).collect();
        let place = self.columns.iter().position(|own| *own == column)?;
        self.rows.get(&key)?.get(place - self.keys).copied()
    }
}

type Rows = HashMap<Vec<String>, Vec<f64>>;

/// The text of a file, the complete lines of it, and their runs. If there is no file, the lines are
/// the header alone.
fn read(path: &Path, keys: usize, columns: &[&'static str]) -> Result<(String, String, Rows)> {
    let header = columns.join("\t") + "\n";
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::io(path.display().to_string(), error)),
    };
    if !text.is_empty() && !text.starts_with(&header) && !header.starts_with(&text) {
        return Err(Error::table(
            path.display().to_string(),
            "this is not a table of such runs (remove it, or choose another folder)",
        ));
    }
    let mut rows = HashMap::new();
    let mut kept = header;
    for (number, line) in text.split_inclusive('\n').enumerate().skip(1) {
        // The last line may be incomplete, if the process that wrote it was killed.
        let Some(whole) = line.strip_suffix('\n') else {
            break;
        };
        let wrong = |what: &str| {
            let place = format!("{}:{}", path.display(), number + 1);
            Err(Error::table(place, what))
        };
        let Some((key, values)) = parsed(whole, keys, columns.len()) else {
            return wrong("this line is not a result of such a run (remove it to repeat the run)");
        };
        kept += line;
        if rows.insert(key, values).is_some() {
            return wrong("this run is listed twice (remove the wrong line)");
        }
    }
    Ok((text, kept, rows))
}

fn parsed(line: &str, keys: usize, columns: usize) -> Option<(Vec<String>, Vec<f64>)> {
    let fields: Vec<&str> = line.split('\t').collect();
    if fields.len() != columns {
        return None;
    }
    let values: Option<Vec<f64>> = fields[keys..]
        .iter()
        .map(|field| field.parse().ok())
        .collect();
    let key = fields[..keys].iter().map(|field| field.to_string());
    Some((key.collect(), values?))
}

/// Formats a duration with a suitable unit.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Mean and standard error; the mean is NaN if there are no values.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    (
        mean,
        if n > 1.0 {
            (spread / (n - 1.0) / n).sqrt()
        } else {
            0.0
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_runs_are_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.tsv");
        let cells: Vec<Cell> = ["a", "b", "c"]
            .map(|key| Cell {
                key: vec![key.to_string()],
                cost: 1.0,
            })
            .into();
        let mut seen = Vec::new();
        let mut run = |fail: bool| {
            let mut table = Cells::open(&path, 1, &["what", "value"], true).unwrap();
            let done = table.run(&cells, |key| {
                seen.push(key[0].clone());
                Ok((!fail || key[0] == "a").then(|| vec![0.1]))
            });
            (done.unwrap(), table.value(&["a"], "value"))
        };
        assert_eq!(run(true), (false, Some(0.1)));
        assert_eq!(run(false), (true, Some(0.1)));
        assert_eq!(seen, ["a", "b", "b", "c"]);
        // Killed in the middle of a line.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 3]).unwrap();
        let table = Cells::open(&path, 1, &["what", "value"], true).unwrap();
        assert_eq!(
            (table.value(&["b"], "value"), table.value(&["c"], "value")),
            (Some(0.1), None)
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
        // Any other damage is an error, and the file stays unchanged.
        for damaged in [
            "other\n",
            "what\tvalue\na\t0.1\r\nb\t0.1\n",
            "what\tvalue\na\t0.1\nnote\n",
            "what\tvalue\na\t0.1\nb\t0.x\n",
            "what\tvalue\na\t0.1\na\t0.2\n",
        ] {
            std::fs::write(&path, damaged).unwrap();
            assert!(Cells::open(&path, 1, &["what", "value"], true).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
        }
        // NaN is a valid result.
        std::fs::write(&path, "what\tvalue\na\tNaN\n").unwrap();
        let table = Cells::open(&path, 1, &["what", "value"], true).unwrap();
        assert!(table.value(&["a"], "value").unwrap().is_nan());
    }
}
