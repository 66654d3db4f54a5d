//! `reproduce` has moved to a separate program.

use crate::common::Folder;

#[test]
fn reproduce_names_the_new_command() {
    let folder = Folder::new();
    let line = "the paper's experiments are a separate program: cargo run --release -p paper -- table1 --data DIR -o DIR";
    for words in [
        ["reproduce"].as_slice(),
        &["reproduce", "--help"],
        &[
            "reproduce",
            "table1",
            "--data",
            "nowhere",
            "-o",
            "out",
            "--quick",
        ],
    ] {
        folder.misused(words, line);
    }
}
