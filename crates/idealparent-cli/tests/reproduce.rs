//! `reproduce`: mistakes; the experiments themselves need the data and are run from outside.

mod common;

use common::Folder;

#[test]
fn mistakes() {
    let folder = Folder::new();
    folder.misused(
        &["reproduce", "fig9", "--data", ".", "-o", "out"],
        "'fig9' is no experiment (one of fig1, fig2, table1, fig3, fig4, cellcycle, all)",
    );
    let run = folder.run(&["reproduce", "table1", "--data", "nowhere", "-o", "out"]);
    assert_eq!(run.code, 1);
    assert!(
        run.err.starts_with("error: nowhere: there is no gasch2000"),
        "{}",
        run.err
    );
    assert_eq!(run.err.lines().count(), 1);
}
