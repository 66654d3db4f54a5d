//! `bootstrap`: strengths of edges, and the averaged network.

use crate::common::Folder;

/// A chain A -> C -> B and an independent D; all values are different.
fn chain(rows: usize) -> String {
    let mut text = "A\tB\tC\tD\n".to_string();
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    };
    for _ in 0..rows {
        let a = noise();
        let c = a + 0.3 * noise();
        let b = c + 0.3 * noise();
        text += &format!("{a}\t{b}\t{c}\t{}\n", noise());
    }
    text
}

#[test]
fn strengths_and_averaged_network_depend_on_the_seed_only() {
    let folder = Folder::with(&[("d.tsv", &chain(100))]);
    let run = |more: &[&str]| {
        let fixed = [
            "bootstrap",
            "d.tsv",
            "-n",
            "30",
            "-o",
            "e.tsv",
            "--average",
            "net.json",
            "--gamma",
            "1",
        ];
        folder.ok(&[&fixed[..], more].concat());
        (folder.read("e.tsv"), folder.read("net.json"))
    };
    let first = run(&[]);
    assert!(first.0.starts_with("from\tto\tstrength\tdirection\n"));
    let strong: Vec<&str> = first.0.lines().filter(|l| l.contains("\t1.0\t")).collect();
    // Both directions of both edges.
    assert_eq!(strong.len(), 4, "{}", first.0);
    let net = folder.net("net.json");
    let edges = net.edges();
    assert_eq!(edges.len(), 2);
    assert_ne!(net.parents("C"), ["A", "B"], "not in any replicate");
    assert_eq!(run(&["--threads", "1"]), first);
    assert_ne!(run(&["--seed", "2"]).0, first.0);
}

#[test]
fn the_averaged_network_respects_prior_knowledge() {
    let folder = Folder::with(&[
        ("d.tsv", &chain(60)),
        ("r.tsv", "from\tto\nD\tA\n"),
        ("t.tsv", "A\nB\tC\tD\n"),
    ]);
    let args = [
        "bootstrap",
        "d.tsv",
        "-n",
        "10",
        "-o",
        "e.tsv",
        "--average",
        "net.json",
        "-q",
        "--gamma",
        "1",
    ];
    folder.ok(&[
        &args[..],
        &[
            "--require",
            "r.tsv",
            "--max-parents",
            "1",
            "--threshold",
            "1",
        ],
    ]
    .concat());
    assert_eq!(folder.net("net.json").edges(), [("D", "A")]);
    folder.ok(&[&args[..], &["--max-parents", "1", "--threshold", "0"]].concat());
    for child in ["A", "B", "C", "D"] {
        assert!(folder.net("net.json").parents(child).len() <= 1);
    }
    // The tiers determine A -> C, and that determines C -> B.
    folder.ok(&[&args[..], &["--tiers", "t.tsv"]].concat());
    let edges = folder.read("e.tsv");
    let row = edges.lines().find(|line| line.starts_with("C\tB\t"));
    let direction = row.and_then(|row| row.split('\t').nth(3)?.parse::<f64>().ok());
    // A few replicates join all three variables, and then this edge may have either direction.
    assert!(direction.is_some_and(|share| share > 0.7), "{edges}");
}

#[test]
fn usage_errors_are_one_line() {
    let folder = Folder::with(&[("d.tsv", &chain(30)), ("r.tsv", "from\tto\nA\tC\n")]);
    let data = ["bootstrap", "d.tsv"];
    folder.fails(
        &[&data[..], &["-n", "0"]].concat(),
        2,
        "--replicates must be from 1 to 1000000",
    );
    folder.fails(
        &[&data[..], &["-n", "1000000000"]].concat(),
        2,
        "--replicates must be from 1 to 1000000",
    );
    folder.fails(
        &[&data[..], &["--threshold", "1.5"]].concat(),
        2,
        "--threshold must be between 0 and 1",
    );
    folder.fails(
        &[&data[..], &["--require", "r.tsv", "-o", "r.tsv"]].concat(),
        2,
        "-o r.tsv: this file is also an input (choose another name)",
    );
    folder.fails(
        &[&data[..], &["-o", "-", "--average", "-"]].concat(),
        2,
        "-o and --average cannot both go to standard output",
    );
    folder.fails(
        &[&data[..], &["--time-limit", "0"]].concat(),
        1,
        "no network was finished in time",
    );
}

/// A variable that varies in one instance only is constant in samples without that instance.
#[test]
fn replicates_that_cannot_be_learned_are_left_out() {
    let text: String = chain(40)
        .lines()
        .enumerate()
        .map(|(i, line)| match i {
            0 => format!("{line}\tE\n"),
            1 => format!("{line}\t1\n"),
            _ => format!("{line}\t0\n"),
        })
        .collect();
    let folder = Folder::with(&[("d.tsv", &text), ("r.tsv", "from\tto\nA\tE\n")]);
    let run = folder.run(&[
        "bootstrap",
        "d.tsv",
        "-n",
        "30",
        "--require",
        "r.tsv",
        "-o",
        "e.tsv",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("from which no network could be learned: "),
        "{}",
        run.err
    );
}
