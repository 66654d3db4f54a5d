//! Usage errors: exit code 2, one line, no new files.

use crate::common::{Folder, tree};

/// Asserts that `learn data.tsv -o net.json` with these options is a usage error.
fn refused(folder: &Folder, options: &[&str], line: &str) {
    let args = ["learn", "data.tsv", "-o", "net.json"];
    folder.fails(&[&args, options].concat(), 2, line);
}

#[test]
fn unknown_option_values_are_refused() {
    let folder = Folder::with_data();
    let refused = |options: &[&str], line: &str| refused(&folder, options, line);
    refused(
        &["--score", "mdl"],
        "--score: 'mdl' is not one of ebic, bic, aic, bge",
    );
    refused(
        &["--measure", "c3"],
        "--measure: 'c3' is not one of tangent, c2, c1",
    );
    refused(
        &["--method", "exact"],
        "--method: 'exact' is not one of ideal, greedy",
    );
    let moves = "is not one of add, delete, reverse, replace";
    refused(
        &["--moves", "add,swap"],
        &format!("--moves: 'swap' {moves}"),
    );
    refused(
        &["--moves", ""],
        "--moves: no value is given (choose from add, delete, reverse, replace)",
    );
    refused(
        &["--row-names", "maybe"],
        "--row-names: 'maybe' is neither yes nor no",
    );
    let learn = |option, word| ["learn", "data.tsv", "-o", "net.json", option, word];
    folder.misused(
        &learn("--cpd", "cubic"),
        "--cpd: 'cubic' is not one of linear",
    );
    folder.misused(
        &learn("--search", "random"),
        "--search: 'random' is not one of auto, hill",
    );
}

#[test]
fn numbers_out_of_range_are_refused() {
    let folder = Folder::with_data();
    let refused = |options: &[&str], line: &str| refused(&folder, options, line);
    for word in ["0", "-1", "2.5", "many"] {
        let line = format!("--candidates: '{word}' is not a whole number above 0");
        folder.misused(&["learn", "data.tsv", "-o", "net.json", "-k", word], &line);
    }
    for (option, word, shown) in [
        ("--gamma", "-1", "-1.0"),
        ("--gamma", "nan", "NaN"),
        ("--penalty", "-0.5", "-0.5"),
    ] {
        let line = format!("{option} must be a number from 0 to 1e6, not {shown}");
        refused(&[option, word], &line);
    }
    for (option, more) in [
        ("--gamma", [].as_slice()),
        ("--penalty", &[]),
        ("--alpha-w", &["--score", "bge"]),
    ] {
        for (value, shown) in [("1e308", "1e308"), ("1000001", "1000001.0")] {
            let line = format!("{option} must be a number from 0 to 1e6, not {shown}");
            refused(&[&[option, value], more].concat(), &line);
        }
    }
    refused(&["--threads", "0"], "--threads must be at least 1");
    let limit = "--time-limit must be from 0 to 1e9 seconds";
    for value in ["-1", "inf", "NaN", "4294967296"] {
        refused(&["--time-limit", value], limit);
    }
    refused(
        &["--seed", "-1"],
        "--seed: '-1' is not a whole number of at least 0",
    );
    assert_eq!(folder.names(), ["data.tsv"]);
}

#[test]
fn incompatible_options_are_refused() {
    let folder = Folder::with_data();
    let refused = |options: &[&str], line: &str| refused(&folder, options, line);
    refused(&["--alpha-w", "20"], "--alpha-w needs --score bge");
    refused(
        &["--score", "bge", "--alpha-w", "7"],
        "--alpha-w must be above the number of variables plus one (7)",
    );
    folder.ok(&["learn", "data.tsv", "-o", "net.json", "-q"]);
    let args = ["score", "net.json", "data.tsv", "--alpha-w", "20"];
    folder.fails(&args, 2, "--alpha-w needs --score bge");
    // An alpha_w recorded in the network file is no error.
    let bge = ["--score", "bge", "--alpha-w", "20", "-o", "net.json", "-q"];
    folder.ok(&[&["learn", "data.tsv"], bge.as_slice()].concat());
    folder.ok(&["score", "net.json", "data.tsv", "--score", "bic"]);
}

#[test]
fn data_come_from_exactly_one_source() {
    let folder = Folder::with_data();
    folder.ok(&["learn", "data.tsv", "-o", "net.json", "-q"]);
    let both = "give either a data file or --example, not both";
    let neither = "no data: give a file, - for standard input, or --example NAME";
    for start in [
        ["learn"].as_slice(),
        &["fit", "net.json"],
        &["score", "net.json"],
        &["cv"],
    ] {
        let args = [start, &["data.tsv", "--example", "sachs"]].concat();
        folder.fails(&args, 2, both);
        folder.fails(start, 2, neither);
    }
    let unknown = "no embedded data set is called 'iris' (available: sachs, ecoli70, ecoli70-holes, twolayer)";
    folder.fails(&["learn", "--example", "iris"], 2, unknown);
    folder.fails(&["examples", "iris"], 2, unknown);
    folder.fails(
        &[
            "predict",
            "net.json",
            "--example",
            "sachs",
            "data.tsv",
            "Raf",
        ],
        2,
        "with --example, give only the target",
    );
    folder.fails(
        &["rank", "net.json", "data.tsv"],
        2,
        "give the data and the child, or --example NAME and the child",
    );
}

#[test]
fn invalid_delimiters_are_refused() {
    let folder = Folder::with_data();
    for word in ["", "ab", "\"", "é"] {
        let line = format!(
            "--delimiter: '{word}' is not a single character, nor one of tab, comma, semicolon, space"
        );
        refused(&folder, &["--delimiter", word], &line);
    }
    for word in [".", "e", "5"] {
        let line = format!(
            "--delimiter: '{word}' cannot separate numbers (use a tab, a comma, a semicolon or a space)"
        );
        refused(&folder, &["--delimiter", word], &line);
    }
}

#[test]
fn more_required_parents_than_max_parents_are_refused() {
    let folder = Folder::with_data();
    folder.write("require.tsv", "from\tto\nV0\tV2\nV1\tV2\n");
    refused(
        &folder,
        &["--require", "require.tsv", "--max-parents", "1"],
        "'V2' has 2 required parents, more than --max-parents 1 allows",
    );
}

#[test]
fn start_networks_that_violate_constraints_are_refused() {
    let folder = Folder::with_data();
    folder.write("start.tsv", "from\tto\nV0\tV1\nV2\tV1\n");
    let start = ["--start", "start.tsv"];
    let begin = |options: &[&str], line: &str| {
        refused(&folder, &[&start, options].concat(), line);
    };
    begin(
        &["--max-parents", "1"],
        "'V1' has 2 parents in the start network, more than --max-parents 1 allows",
    );
    folder.write("edges.tsv", "from\tto\nV2\tV1\n");
    begin(
        &["--forbid", "edges.tsv"],
        "the start network's edge 'V2' -> 'V1' is not allowed: it is forbidden",
    );
    folder.write("edges.tsv", "from\tto\nV1\tV0\n");
    begin(
        &["--require", "edges.tsv"],
        "the start network and the required edge 'V1' -> 'V0' form a cycle",
    );
    // Errors in the content of the file have exit code 1.
    folder.write("start.tsv", "from\tto\nV0\tOther\n");
    let args = [
        "learn",
        "data.tsv",
        "-o",
        "net.json",
        "--start",
        "start.tsv",
    ];
    folder.fails(
        &args,
        1,
        "start.tsv:2: the start network has a variable 'Other' that is not in the data",
    );
    folder.write("start.tsv", "from\tto\nV0\tV1\nv2\tV3\n");
    let line = "start.tsv:3: the start network has a variable 'v2' that is not in the data (did you mean 'V2'?)";
    folder.fails(&args, 1, line);
    folder.write("start.tsv", "from\tto\nA\tV0\nB\tC\nD\tA\n");
    let line = "start.tsv:2: the start network has 4 variables that are not in the data: 'A', 'B', 'C' and 1 more";
    folder.fails(&args, 1, line);
    folder.write("start.tsv", "from\tto\nV0\tV1\nV1\tV0\n");
    folder.fails(
        &args,
        1,
        "start.tsv: the start network has a cycle: V0 -> V1 -> V0",
    );
}

#[test]
fn variables_not_in_the_network_are_refused() {
    let folder = Folder::with_data();
    folder.ok(&["learn", "data.tsv", "-o", "net.json", "-q"]);
    let unknown = "the network has no variable called";
    for command in ["rank", "predict"] {
        let fails = |name: &str, line: &str| {
            folder.fails(&[command, "net.json", "data.tsv", name], 2, line);
        };
        fails("X", &format!("{unknown} 'X'"));
        fails("v1", &format!("{unknown} 'v1' (did you mean 'V1'?)"));
    }
}

#[test]
fn invalid_folds_and_methods_are_refused() {
    let folder = Folder::with(&[("data.tsv", &tree(3, 8))]);
    let refused = |options: &[&str], line: &str| {
        folder.fails(&[&["cv", "data.tsv"], options].concat(), 2, line);
    };
    refused(&["--folds", "1"], "--folds must be at least 2");
    refused(
        &["--folds", "9"],
        "--folds 9 is more than the 8 rows of the data",
    );
    refused(&["--methods", " "], "--methods names no method");
    refused(
        &["--methods", "greedy best"],
        "--methods: 'best' is not one of ideal, greedy",
    );
    refused(
        &["--methods", "ideal:speed=9"],
        "--methods: 'ideal:speed=9': there is no option 'speed'",
    );
    refused(
        &["--methods", "ideal:bias"],
        "--methods: 'ideal:bias': bias needs cpd=sigmoid",
    );
    refused(
        &["--methods", "ideal:k=x"],
        "--methods: 'ideal:k=x': candidates: 'x' is not a whole number above 0, 'all' or 'auto'",
    );
    refused(
        &["--methods", "ideal:k"],
        "--methods: 'ideal:k': k needs a value, as in k=2",
    );
    refused(
        &["--methods", "greedy ideal greedy"],
        "--methods names 'greedy' twice",
    );
    for method in ["ideal:k=2:k=3", "ideal:candidates=2:k=3"] {
        let line = format!("--methods: '{method}': 'k' is given twice");
        refused(&["--methods", method], &line);
    }
    refused(
        &["--methods", "ideal:missing=exact:posterior=mean-field"],
        "--methods: 'ideal:missing=exact:posterior=mean-field': 'posterior' is given twice",
    );
    refused(
        &["--methods", "ideal:method=greedy"],
        "--methods: 'ideal:method=greedy': 'method' cannot be an option of a method",
    );
    let few = Folder::with(&[("data.tsv", &tree(3, 3))]);
    few.fails(
        &["cv", "data.tsv", "--folds", "2"],
        1,
        "3 rows in 2 folds leave 1 to train on; at least two are required",
    );
    refused(&["--threads", "0"], "--threads must be at least 1");
}

#[test]
fn errors_of_the_argument_parser_are_one_line() {
    let folder = Folder::new();
    for (args, line) in [
        (
            ["frobnicate"].as_slice(),
            "there is no command 'frobnicate' (see --help)",
        ),
        (&["learn", "a", "b"], "unexpected argument 'b' (see --help)"),
        (&["learn", "--score"], "--score needs a value (see --help)"),
        (
            &["sample", "net.json", "-n", "some"],
            "--number: 'some' is not a whole number of at least 0",
        ),
        (
            &["learn", "a", "--threads", "-1"],
            "--threads: '-1' is not a whole number of at least 1",
        ),
        (
            &["learn", "a", "--threads", "99999999999999999999"],
            "--threads: '99999999999999999999' is too large (at most 18446744073709551615)",
        ),
        (
            &["cv", "a", "--folds", "x"],
            "--folds: 'x' is not a whole number of at least 2",
        ),
        (&["compare", "a.json"], "missing: <REFERENCE> (see --help)"),
        (&["learn", "--json", "--json"], "--json is given twice"),
        (
            &["learn", "--require", "a", "--require", "b"],
            "--require is given twice",
        ),
        (
            &["predict", "net.json", "data.tsv", "V0", "V1"],
            "give the network, the data and one target",
        ),
        (
            &["rank", "net.json", "data.tsv", "V0", "V1"],
            "give the network, the data and one child",
        ),
        (
            &["predict", "net.json", "--example", "sachs"],
            "missing: the target variable (see --help)",
        ),
        (
            &["rank", "net.json"],
            "missing: <DATA>, <CHILD> (see --help)",
        ),
        (
            &["impute", "--example", "sachs"],
            "missing: <NETWORK> (see --help)",
        ),
    ] {
        folder.fails(args, 2, line);
    }
    let args = ["export", "net.json", "--format", "pdf"];
    folder.misused(
        &args,
        "'pdf' is not an export format (one of tsv, dot, graphml, gexf, cyjs, sif, ",
    );
}

#[test]
fn similar_commands_and_options_are_suggested() {
    let folder = Folder::new();
    let learn = "there is no command 'lern' (did you mean learn?)";
    folder.fails(&["lern"], 2, learn);
    folder.fails(&["help", "lern"], 2, learn);
    folder.fails(
        &["bootstrap", "--n", "20"],
        2,
        "bootstrap has no option --n (did you mean -n?)",
    );
    // The method of cv would be ignored: its methods are those that --methods lists.
    folder.fails(
        &["cv", "--method", "ideal"],
        2,
        "cv has no option --method (did you mean --methods?)",
    );
    for (args, line) in [
        (
            &["learn", "--cdp", "sigmoid"][..],
            "learn has no option --cdp (did you mean --cpd?)",
        ),
        (
            &["learn", "--max_parents", "2"],
            "learn has no option --max_parents (did you mean --max-parents?)",
        ),
        (
            &["learn", "--parents", "2"],
            "learn has no option --parents (did you mean --max-parents?)",
        ),
        (
            &["fit", "a", "b", "--search", "tabu"],
            "fit has no option --search (see --help)",
        ),
        (&["learn", "-x"], "learn has no option -x (see --help)"),
        (&["--cpd", "learn"], "there is no option --cpd (see --help)"),
    ] {
        folder.fails(args, 2, line);
    }
}

#[test]
fn methods_without_quotation_marks_are_explained() {
    let args = ["cv", "data.tsv", "--methods", "greedy", "ideal"];
    let line = "unexpected argument 'ideal' (several methods need quotation marks: --methods \"greedy ideal\")";
    Folder::with_data().fails(&args, 2, line);
}
