//! `reproduce` has become a program of its own.

mod common;

use common::Folder;

#[test]
fn reproduce_says_where_it_went() {
    let folder = Folder::new();
    let line = "the paper's experiments are a program of their own: cargo run --release -p paper -- table1 --data DIR -o DIR";
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
