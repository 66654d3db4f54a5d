//! A temporary folder for each test, running the command in it, and test data.

// Each test file uses only some of these.
#![allow(dead_code)]

use std::fmt::Write;
use std::path::PathBuf;

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;
use tempfile::TempDir;

/// A folder that is removed when the test ends.
pub struct Folder(TempDir);

/// Exit code and output of a run of the command.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Folder(TempDir::new().expect("a temporary folder"))
    }

    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// A folder with `data.tsv`: six variables, sixty instances.
    pub fn with_data() -> Self {
        Folder::with(&[("data.tsv", &tree(6, 60))])
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.at(name), bytes).expect("a file written");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).expect("a text file")
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    /// The names of all files, including temporary and hidden ones.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// Runs the command in the folder.
    pub fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, b"")
    }

    /// Runs the command in the folder, with this standard input.
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Run {
        let mut command = cargo_bin_cmd!("idealparent");
        command.current_dir(self.0.path());
        let output = command.args(args).write_stdin(input.to_vec()).output();
        let output = output.expect("the command starts");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Run {
            code: output.status.code().expect("an exit code"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Runs the command, which must succeed, and returns its standard output.
    pub fn ok(&self, args: &[&str]) -> String {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        run.out
    }

    /// Like [`Folder::ok`], with the output parsed as JSON.
    pub fn ok_json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).expect("JSON")
    }

    /// Learns from `data` into `net.json` with these further options.
    pub fn learn(&self, data: &str, options: &[&str]) -> Net {
        let args = ["learn", data, "-o", "net.json"];
        self.ok(&[&args, options].concat());
        self.net("net.json")
    }

    pub fn net(&self, name: &str) -> Net {
        Net(self.json(name))
    }

    /// Like [`Folder::fails`] with code 2, but checks only the beginning of the line, since the
    /// list of known words at its end may grow.
    pub fn misused(&self, args: &[&str], beginning: &str) {
        let before = self.names();
        let run = self.run(args);
        let line = format!("error: {beginning}");
        assert!(run.err.starts_with(&line), "{args:?}: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{args:?}");
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}");
        assert_eq!(self.names(), before, "{args:?}");
    }

    /// Runs the command, which must fail with this code and line and leave no new files.
    pub fn fails(&self, args: &[&str], code: i32, line: &str) {
        let before = self.names();
        let run = self.run(args);
        assert_eq!(run.err, format!("error: {line}\n"), "{args:?}");
        assert_eq!(run.code, code, "{args:?}");
        assert_eq!(run.out, "", "{args:?}");
        assert_eq!(self.names(), before, "{args:?}");
    }
}

/// A network file.
pub struct Net(pub Value);

impl Net {
    pub fn family(&self, name: &str) -> &Value {
        let families = self.0["families"].as_array().expect("families");
        let found = families.iter().find(|family| family["variable"] == name);
        found.expect("the variable's family")
    }

    pub fn parents(&self, name: &str) -> Vec<&str> {
        let parents = self.family(name)["parents"].as_array().expect("parents");
        parents
            .iter()
            .map(|p| p.as_str().expect("a name"))
            .collect()
    }

    pub fn names(&self) -> Vec<&str> {
        let variables = self.0["variables"].as_array().expect("variables");
        let names = variables.iter().map(|variable| variable["name"].as_str());
        names.map(|name| name.expect("a name")).collect()
    }

    /// All edges, `(from, to)`.
    pub fn edges(&self) -> Vec<(&str, &str)> {
        let of = |child| self.parents(child).into_iter().map(move |p| (p, child));
        self.names().into_iter().flat_map(of).collect()
    }

    pub fn has(&self, from: &str, to: &str) -> bool {
        self.parents(to).contains(&from)
    }
}

/// Whether two numbers are equal up to rounding.
pub fn close(a: &Value, b: &Value) -> bool {
    let [a, b] = [a, b].map(|value| value.as_f64().expect("a number"));
    (a - b).abs() <= 1e-6 * a.abs().max(1.0)
}

/// Asserts that all numbers are finite. A number that is not finite is written as null in JSON.
pub fn assert_finite(value: &Value, place: &str) {
    match value {
        Value::Null => panic!("{place}: null instead of a number"),
        Value::Number(number) => assert!(number.as_f64().expect("a double").is_finite(), "{place}"),
        Value::Array(items) => items.iter().for_each(|item| assert_finite(item, place)),
        Value::Object(map) => map.iter().for_each(|(key, item)| assert_finite(item, key)),
        Value::String(_) | Value::Bool(_) => {}
    }
}

/// The keys of an object, in the order of the file.
pub fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

/// A reproducible stream of standard normal draws.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Noise(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// A uniform draw from (0, 1).
    fn uniform(&mut self) -> f64 {
        // Xorshift with a multiplication (Vigna 2016).
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        (bits as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn draw(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// The rows of a linear tree: variable j depends on variable j/2.
pub fn tree_rows(variables: usize, rows: usize) -> Vec<Vec<f64>> {
    let mut noise = Noise::new(7);
    let row = |_| {
        let mut row: Vec<f64> = Vec::with_capacity(variables);
        for j in 0..variables {
            let parent = if j > 0 { 0.9 * row[j / 2] } else { 0.0 };
            row.push(parent + noise.draw());
        }
        row
    };
    (0..rows).map(row).collect()
}

/// [`tree_rows`] as tab-separated text, with variables V0, V1, …
pub fn tree(variables: usize, rows: usize) -> String {
    let names: Vec<String> = (0..variables).map(|j| format!("V{j}")).collect();
    table(&names, &tree_rows(variables, rows), '\t')
}

/// Rows as text, with a header line.
pub fn table<S: AsRef<str>>(names: &[S], rows: &[Vec<f64>], separator: char) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut text = names.join(&separator.to_string()) + "\n";
    for row in rows {
        for (j, value) in row.iter().enumerate() {
            let before = if j > 0 {
                separator.to_string()
            } else {
                String::new()
            };
            write!(text, "{before}{value}").expect("writing to a string");
        }
        text.push('\n');
    }
    text
}

/// The cells of tab-separated text, including the header.
pub fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .map(|line| line.split('\t').collect())
        .collect()
}
