//! Inputs larger than memory: one line, exit code 1, never an abort.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Output};

use crate::common::Folder;
use assert_cmd::cargo::cargo_bin;
use flate2::{Compression, write::GzEncoder};

/// Runs the command with an address space of this many kilobytes.
fn with_memory(folder: &Folder, kilobytes: usize, args: &[&str]) -> Output {
    let script = format!("ulimit -v {kilobytes}\nexec \"$0\" \"$@\"");
    Command::new("bash")
        .current_dir(folder.at("."))
        .args(["-c", &script])
        .arg(cargo_bin!("idealparent"))
        .args(args)
        .output()
        .expect("bash runs")
}

/// The error line of a run that fails for lack of memory.
fn out_of_memory(folder: &Folder, kilobytes: usize, args: &[&str]) -> String {
    let output = with_memory(folder, kilobytes, args);
    let line = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{args:?}: {line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.contains("of memory, but "), "{line}");
    line
}

/// A table of three instances.
fn wide(variables: u64) -> String {
    let mut text = String::new();
    for row in 0..4_u64 {
        for v in 0..variables {
            let before = if v > 0 { "\t" } else { "" };
            match row {
                0 => write!(text, "{before}V{v}"),
                _ => write!(text, "{before}{}", (v * (row + 7) * 7919) % 10_007),
            }
            .unwrap();
        }
        text.push('\n');
    }
    text
}

#[test]
fn too_many_variables_are_an_error() {
    let folder = Folder::new();
    let variables: u64 = 30_000;
    folder.write("wide.tsv", wide(variables));
    let line = out_of_memory(&folder, 4_000_000, &["learn", "wide.tsv", "--threads", "1"]);
    assert!(
        line.starts_with("error: 30000 variables need about 7.4 GB of memory, but "),
        "{line}"
    );
    assert!(
        line.ends_with("(select fewer with --variables)\n"),
        "{line}"
    );
}

/// Densities fitted to the data need more memory than linear ones, which use the moments only.
#[test]
fn non_linear_densities_need_more_memory() {
    let folder = Folder::new();
    folder.write("wide.tsv", wide(8000));
    let args = ["learn", "wide.tsv", "--threads", "1", "--cpd", "sigmoid"];
    let line = out_of_memory(&folder, 700_000, &args);
    let beginning = "error: 8000 variables need about 787 MB of memory, but ";
    assert!(line.starts_with(beginning), "{line}");
}

#[test]
fn too_large_a_gzip_file_is_an_error() {
    let folder = Folder::new();
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(&vec![b'a'; 10_000_000]).unwrap();
    let member = member.finish().unwrap();
    folder.write("bomb.tsv.gz", member.repeat(100));
    for command in ["learn", "export"] {
        let mut args = vec![command, "bomb.tsv.gz"];
        if command == "export" {
            args.extend(["--format", "dot"]);
        }
        let line = out_of_memory(&folder, 500_000, &args);
        let beginning = "error: bomb.tsv.gz: unpacking it needs about ";
        assert!(line.starts_with(beginning), "{line}");
    }
}

#[test]
fn too_long_a_line_is_an_error() {
    let folder = Folder::new();
    folder.write("long.csv", "a,".repeat(20_000_000));
    let line = out_of_memory(&folder, 500_000, &["learn", "long.csv"]);
    assert!(
        line.starts_with("error: long.csv: the table needs about "),
        "{line}"
    );
}

#[test]
fn an_endless_stream_is_an_error() {
    let folder = Folder::new();
    let script = "ulimit -v 500000\nyes 1,2,3 | \"$0\" learn -; echo ${PIPESTATUS[1]} >&2";
    let output = Command::new("bash")
        .current_dir(folder.at("."))
        .args(["-c", script])
        .arg(cargo_bin!("idealparent"))
        .output()
        .expect("bash runs");
    let message = String::from_utf8(output.stderr).expect("text");
    assert!(
        message.starts_with("error: <stdin>: reading it needs about "),
        "{message}"
    );
    assert!(message.ends_with("\n1\n"), "{message}");
}
