//! Where output goes: files, standard output, standard error, devices.

use crate::common::Folder;

#[test]
fn quiet_prints_nothing() {
    let folder = Folder::with_data();
    folder.write(
        "odd.tsv",
        "A\tB\tC\tD\n1\t5\t1\t2\n2\t5\t2\t7\n3\t5\t3\t1\n4\t5\t4\t4\n",
    );
    for data in ["data.tsv", "odd.tsv"] {
        for limit in ["0", "60"] {
            let run = folder.run(&[
                "learn",
                data,
                "-o",
                "net.json",
                "--quiet",
                "--time-limit",
                limit,
            ]);
            assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
            folder.net("net.json");
        }
    }
    // With --json and --quiet, the numbers are printed but not the notes.
    let run = folder.run(&["learn", "odd.tsv", "-q", "--json"]);
    assert_eq!(run.err, "");
    assert!(run.out.starts_with('{'));
}

#[test]
fn learn_prints_a_summary() {
    let folder = Folder::with_data();
    let run = folder.run(&["learn", "data.tsv", "-o", "net.json"]);
    assert_eq!(run.err, "", "no progress bar without a terminal");
    let net = folder.net("net.json");
    let edges = net.edges().len();
    assert!(
        run.out
            .starts_with(&format!("{edges} edges over 6 variables from 60 instances"))
    );
    for part in [
        "score (ebic, gamma ",
        "log-likelihood ",
        "the same in every equivalent network",
        "could be reversed",
        "strongest edges",
        "written to net.json\n",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    for (from, to) in net.edges() {
        assert!(
            run.out.contains(&format!("  {from} -> {to} ")),
            "{}",
            run.out
        );
    }
    assert!(
        folder
            .ok(&["learn", "data.tsv"])
            .contains("nothing written")
    );
}

#[test]
fn with_the_network_on_standard_output_nothing_else_is_printed_there() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &[]);
    let file = folder.read("net.json");
    for options in [
        ["-o", "-"].as_slice(),
        &["-o", "-", "-q"],
        &["-o", "-", "--json"],
    ] {
        let run = folder.run(&[&["learn", "data.tsv"], options].concat());
        assert_eq!((run.code, run.out.as_str()), (0, file.as_str()));
        assert_eq!(run.err.is_empty(), options.contains(&"-q"));
    }
    let fitted = folder.ok(&["fit", "net.json", "data.tsv", "-o", "-"]);
    assert!(fitted.starts_with("{\n  \"format\": ") && fitted.ends_with("}\n"));
    assert_eq!(folder.names(), ["data.tsv", "net.json"]);
}

#[test]
fn an_existing_file_is_replaced_completely() {
    let folder = Folder::with_data();
    folder.write("net.json", "x".repeat(100_000));
    folder.learn("data.tsv", &["-q", "--trace", "trace.jsonl"]);
    folder.write("plain", "");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name| {
            std::fs::metadata(folder.at(name))
                .unwrap()
                .permissions()
                .mode()
        };
        assert_eq!(
            mode("net.json"),
            mode("plain"),
            "the permissions of any new file"
        );
        assert_eq!(mode("trace.jsonl"), mode("plain"));
        std::os::unix::fs::symlink("net.json", folder.at("link.json")).unwrap();
        std::fs::write(folder.at("net.json"), "").unwrap();
        folder.ok(&["learn", "data.tsv", "-q", "-o", "link.json"]);
        assert!(folder.at("link.json").is_symlink());
        assert!(!folder.read("net.json").is_empty());
        std::fs::remove_file(folder.at("link.json")).unwrap();
    }
    assert_eq!(
        folder.names(),
        ["data.tsv", "net.json", "plain", "trace.jsonl"]
    );
}

#[cfg(unix)]
#[test]
fn replaced_files_keep_their_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with_data();
    for wanted in [0o600, 0o640, 0o666, 0o400] {
        folder.write("net.json", "");
        let path = folder.at("net.json");
        let permissions = std::fs::Permissions::from_mode(wanted);
        std::fs::set_permissions(&path, permissions).unwrap();
        folder.learn("data.tsv", &["-q"]);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, wanted, "{wanted:o}");
        std::fs::remove_file(path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn dev_stdout_means_standard_output() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &["-q"]);
    let run = folder.run(&["learn", "data.tsv", "-o", "/dev/stdout"]);
    assert_eq!((run.code, run.out), (0, folder.read("net.json")));
    assert!(run.err.contains("strongest edges"));
    let steps = folder.ok(&["learn", "data.tsv", "-q", "--trace", "-"]);
    assert!(steps.starts_with("{\"step\":1,"));
    assert_eq!(folder.names(), ["data.tsv", "net.json"]);
}
