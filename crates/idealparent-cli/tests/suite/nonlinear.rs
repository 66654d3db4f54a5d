//! Sigmoid and product densities.

use crate::common::Folder;

const DATA: &str = "u\tx\n-2.5\t-1.1\n-1.5\t-0.7\n-1\t-0.75\n-0.3\t-0.1\n0.2\t0.25\n0.9\t0.6\n1.4\t0.55\n2.2\t1.05\n";
const NOT_POSITIVE: &str = "column 'u' holds -2.5, but the product cpd needs values above 0 (--exp2 turns log-ratios into ratios)";

fn folder() -> Folder {
    Folder::with(&[("data.tsv", DATA), ("edges.tsv", "from\tto\nu\tx\n")])
}

/// The density of the second family of a network file.
fn density(folder: &Folder) -> serde_json::Value {
    folder.json("net.json")["families"][1]["cpd"].clone()
}

#[test]
fn products_need_positive_values() {
    let fit = ["fit", "edges.tsv", "data.tsv", "-o", "net.json"];
    let learn = ["learn", "data.tsv", "-o", "net.json"];
    for args in [fit.as_slice(), &learn] {
        for cpd in ["product", "linear,product"] {
            let folder = folder();
            folder.fails(&[args, &["--cpd", cpd]].concat(), 1, NOT_POSITIVE);
            let run = folder.run(&[args, &["--cpd", cpd, "--exp2"]].concat());
            assert_eq!(run.code, 0, "{}", run.err);
            assert_eq!(folder.json("net.json")["transform"], "exp2");
        }
    }
    // `fit` checks this too for the densities of a network file.
    let folder = folder();
    let exp2 = ["--cpd", "product", "--exp2"];
    assert_eq!(folder.run(&[fit.as_slice(), &exp2].concat()).code, 0);
    assert_eq!(density(&folder)["type"], "product");
    let text = folder.read("net.json").replace("\"exp2\"", "\"none\"");
    folder.write("net.json", text);
    folder.fails(
        &["fit", "net.json", "data.tsv", "-o", "again.json"],
        1,
        NOT_POSITIVE,
    );
}

#[test]
fn sigmoid_fits_have_the_least_squared_error() {
    let folder = folder();
    for (options, sse) in [
        (["--cpd", "sigmoid"].as_slice(), 0.1087884982),
        (&["--cpd", "sigmoid", "--bias"], 0.1060991217),
    ] {
        let fit = ["fit", "edges.tsv", "data.tsv", "-o", "net.json"];
        let run = folder.run(&[&fit, options].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let cpd = density(&folder);
        assert_eq!(cpd["type"], "sigmoid");
        let variance = cpd["variance"].as_f64().unwrap();
        assert!((8.0 * variance - sse).abs() < 1e-7, "{variance}");
        // Without --cpd the densities of the network are fitted again.
        let again = folder.run(&["fit", "net.json", "data.tsv", "-o", "again.json"]);
        assert_eq!(again.code, 0, "{}", again.err);
        let cpd = |file: &str| folder.json(file)["families"][1]["cpd"].clone();
        assert_eq!(cpd("again.json"), cpd("net.json"));
    }
}

#[test]
fn incompatible_options_are_refused() {
    let folder = folder();
    for (options, line) in [
        (["--bias"].as_slice(), "--bias needs --cpd sigmoid"),
        (
            &["--baseline", "--cpd", "sigmoid"],
            "--baseline needs --cpd product",
        ),
        (
            &["--cpd", "sigmoid", "--score", "bge"],
            "--score bge needs --cpd linear",
        ),
        (&["--cpd", "sigmoid,sigmoid"], "--cpd names 'sigmoid' twice"),
    ] {
        let args = ["learn", "data.tsv", "-o", "net.json"];
        folder.fails(&[&args, options].concat(), 2, line);
    }
}

/// Every command handles networks of every kind of density.
#[test]
fn every_command_handles_every_density() {
    let folder = Folder::with(&[("data.tsv", &positive(5, 80))]);
    for (cpd, kinds) in [
        ("sigmoid", ["sigmoid"].as_slice()),
        ("product", &["product"]),
        ("linear,sigmoid,product", &["linear", "sigmoid", "product"]),
    ] {
        let report = folder.ok_json(&[
            "learn", "data.tsv", "-o", "net.json", "--cpd", cpd, "--score", "bic", "--json",
        ]);
        let net = folder.net("net.json");
        assert!(!net.edges().is_empty());
        for (_, child) in net.edges() {
            let kind = net.family(child)["cpd"]["type"].as_str().unwrap();
            assert!(kinds.contains(&kind), "{kind}");
        }
        let scored = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
        assert!(crate::common::close(&scored["score"], &report["score"]));
        assert!(crate::common::close(
            &scored["log_likelihood"],
            &report["log_likelihood"]
        ));
        let fitted = folder.ok_json(&["fit", "net.json", "data.tsv", "-o", "fit.json", "--json"]);
        assert!(fitted["dimension"] == report["dimension"]);
        let again = folder.ok_json(&["score", "fit.json", "data.tsv", "--json"]);
        assert!(crate::common::close(
            &again["log_likelihood"],
            &report["log_likelihood"]
        ));
        let (_, child) = net.edges()[0];
        let ranked = folder.ok_json(&["rank", "net.json", "data.tsv", child, "--json"]);
        crate::common::assert_finite(&ranked, "rank");
        let run = folder.run(&["predict", "net.json", "data.tsv", child]);
        assert_eq!((run.code, run.out.lines().count()), (0, 81));
        let cells = crate::common::cells(&run.out);
        let numbers = cells[1..].iter().flatten().map(|cell| cell.parse::<f64>());
        assert!(numbers.into_iter().all(|x| x.is_ok_and(f64::is_finite)));
        folder.ok(&["sample", "net.json", "-n", "20", "-o", "drawn.tsv"]);
        folder.ok(&["compare", "net.json", "fit.json"]);
        for format in ["dot", "graphml", "gexf", "cyjs", "sif", "tsv"] {
            folder.ok(&["export", "net.json", "--format", format]);
        }
        if cpd == "sigmoid" {
            let run = folder.run(&["export", "net.json", "--format", "bnlearn"]);
            assert_eq!(run.code, 1);
            assert!(run.err.contains("has a sigmoid cpd"), "{}", run.err);
        }
    }
    let methods = "greedy ideal:k=1 ideal:k=auto ideal:measure=c2 greedy:cpd=linear";
    let cv = folder.ok_json(&[
        "cv",
        "data.tsv",
        "--cpd",
        "sigmoid",
        "--methods",
        methods,
        "--folds",
        "3",
        "--json",
    ]);
    assert_eq!(cv.as_array().unwrap().len(), 15);
}

/// Positive data in which each variable saturates with the one before it.
fn positive(width: usize, rows: usize) -> String {
    let mut noise = crate::common::Noise::new(5);
    let names: Vec<String> = (0..width).map(|v| format!("v{v}")).collect();
    let mut text = names.join("\t") + "\n";
    for _ in 0..rows {
        let mut row = vec![(0.8 * noise.draw()).exp()];
        for v in 1..width {
            let mean = 3.0 * row[v - 1] / (1.0 + row[v - 1]);
            row.push(mean * (0.15 * noise.draw()).exp());
        }
        let cells: Vec<String> = row.iter().map(|x| format!("{x:.6}")).collect();
        text += &(cells.join("\t") + "\n");
    }
    text
}
