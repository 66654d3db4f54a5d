//! Signals and closed pipes.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, tree};
use assert_cmd::cargo::cargo_bin;

/// Starts the command in the folder, from a shell that first runs `before`.
fn start(folder: &Folder, before: &str, args: &[&str]) -> Child {
    Command::new("bash")
        .current_dir(folder.at("."))
        .args(["-c", &format!("{before}\nexec \"$0\" \"$@\"")])
        .arg(cargo_bin!("idealparent"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.expect("kill runs").success());
}

/// Waits until the condition holds; fails with `what` after a minute.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a search of many seconds with a trace, and waits until it has taken some steps.
fn start_search(folder: &Folder, before: &str) -> Child {
    folder.write("data.tsv", tree(400, 300));
    let args = [
        "learn", "data.tsv", "-o", "net.json", "--method", "greedy", "--cpd", "sigmoid",
    ];
    let rest = ["--score", "aic", "--trace", "trace.jsonl", "--threads", "1"];
    let mut child = start(folder, before, &[args.as_slice(), &rest].concat());
    // The trace file is created after the signal handler is installed, and grows when the first
    // steps have filled its buffer.
    let has_begun = || {
        let entries = std::fs::read_dir(folder.at(".")).unwrap();
        let mut sizes = entries.map(|entry| {
            let entry = entry.unwrap();
            let is_trace = entry
                .file_name()
                .to_string_lossy()
                .starts_with(".idealparent-");
            entry
                .metadata()
                .map_or(0, |data| if is_trace { data.len() } else { 0 })
        });
        sizes.any(|size| size > 0)
    };
    wait_until("no step was taken", has_begun);
    assert!(
        child.try_wait().unwrap().is_none(),
        "the run is not over yet"
    );
    child
}

/// Stops a search with a signal; returns the folder, the exit code, and both outputs.
fn stop_search(signal_name: &str) -> (Folder, i32, String, String) {
    let folder = Folder::new();
    let mut child = start_search(&folder, "");
    signal(&child, signal_name);
    let status = child.wait().unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    (folder, status.code().expect("an exit code"), out, err)
}

#[test]
fn ctrl_c_writes_the_best_network_so_far() {
    let (folder, code, out, err) = stop_search("-INT");
    assert_eq!(code, 130);
    assert_eq!(err, "note: stopped: this is the best network so far\n");
    assert!(out.contains("written to net.json"));
    assert_eq!(folder.names(), ["data.tsv", "net.json", "trace.jsonl"]);
    let net = folder.net("net.json");
    assert!(!net.edges().is_empty());
    let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    assert!(crate::common::close(
        &score["score"],
        &net.0["score"]["value"]
    ));
    let trace = folder.read("trace.jsonl");
    let last: serde_json::Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
    assert!(crate::common::close(&last["score"], &score["score"]));
    assert!(last["step"].as_u64() >= Some(net.edges().len() as u64));
}

#[test]
fn other_signals_also_write_the_network_and_have_their_own_exit_codes() {
    for (name, wanted) in [("-TERM", 143), ("-HUP", 129)] {
        let (folder, code, _, _) = stop_search(name);
        assert_eq!(code, wanted, "{name}");
        folder.ok(&["score", "net.json", "data.tsv"]);
    }
}

#[test]
fn signals_ignored_at_the_start_stay_ignored() {
    let folder = Folder::new();
    let mut child = start_search(&folder, "trap '' HUP INT");
    signal(&child, "-HUP");
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "it still runs");
    // Had one of the ignored signals been handled, this would be the second and leave no files.
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(folder.names(), ["data.tsv", "net.json", "trace.jsonl"]);
}

#[test]
fn a_second_signal_ends_the_program_at_once_and_leaves_no_files() {
    let folder = Folder::with(&[("trace.jsonl", "old\n")]);
    let mut child = start_search(&folder, "");
    // Both signals are pending while the process is halted, so the run cannot end between them.
    for name in ["-STOP", "-INT", "-TERM", "-CONT"] {
        signal(&child, name);
    }
    // The system decides which of the two is delivered second.
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(130 | 143)), "{code:?}");
    assert_eq!(folder.names(), ["data.tsv", "trace.jsonl"]);
    assert_eq!(folder.read("trace.jsonl"), "old\n");
}

/// Runs a shell script in which `$0` is the command; returns the exit codes of its pipeline.
fn piped(folder: &Folder, script: &str) -> String {
    let output = Command::new("bash")
        .current_dir(folder.at("."))
        .args(["-c", &format!("{script}; echo ${{PIPESTATUS[@]}}")])
        .arg(cargo_bin!("idealparent"))
        .output()
        .expect("bash runs");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().last().expect("the exit codes").to_string()
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &["-q"]);
    for command in [
        "learn data.tsv",
        "learn data.tsv --json",
        "learn data.tsv -o -",
        "learn data.tsv --trace -",
        "fit net.json data.tsv -o -",
        "score net.json data.tsv",
        "sample net.json -n 20000",
        "predict net.json data.tsv V0",
        "rank net.json data.tsv V0",
        "compare net.json net.json",
        "cv data.tsv --folds 2",
        "export net.json --format graphml",
        "examples ecoli70",
        "learn --help",
    ] {
        assert_eq!(
            piped(&folder, &format!("\"$0\" {command} | head -1")),
            "0 0",
            "{command}"
        );
        assert_eq!(
            piped(&folder, &format!("\"$0\" {command} 2>&1 | true")),
            "0 0",
            "{command}"
        );
        // If standard output was closed from the start, the output is lost, which is an error.
        assert_eq!(
            piped(&folder, &format!("\"$0\" {command} >&-")),
            "1",
            "{command}"
        );
        assert_eq!(
            piped(&folder, &format!("\"$0\" {command} > /dev/null")),
            "0",
            "{command}"
        );
    }
    let silent = "\"$0\" learn data.tsv -o net.json -q >&-";
    assert_eq!(piped(&folder, silent), "0");
    // Errors keep their exit code even if nobody reads the message.
    assert_eq!(
        piped(&folder, "\"$0\" score net.json nowhere.tsv 2>&1 | true"),
        "1 0"
    );
    assert_eq!(piped(&folder, "\"$0\" learn --score 2>&1 | true"), "2 0");
}
