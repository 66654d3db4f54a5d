//! The steps of a run for the page.

use serde_json::{Value, json};

/// Maximum number of steps shown. Longer runs are thinned evenly.
const MAX_STEPS: usize = 4000;

/// The lines of a trace, with their position in the run.
///
/// Every step also gets the number of edges after it, if known. Lines about iterations and hidden
/// variables are kept. `edges` is the number of edges at the start, if known.
pub(super) fn steps(trace: &[Value], edges: Option<i64>) -> Vec<Value> {
    let mut edges = edges;
    let mut out = Vec::new();
    let count = trace
        .iter()
        .filter(|line| line.get("step").is_some())
        .count();
    let every = count.div_ceil(MAX_STEPS).max(1);
    let mut seen = 0;
    for line in trace {
        if line.get("step").is_none() {
            // A hidden variable changes the number of edges; lines about iterations contain it.
            edges = line["edges"].as_i64();
            let mut line = line.clone();
            line["place"] = json!(seen);
            out.push(line);
            continue;
        }
        edges = match (line["edges"].as_i64(), line["move"].as_str()) {
            (Some(count), _) => Some(count),
            (_, Some("add")) => edges.map(|count| count + 1),
            (_, Some("delete")) => edges.map(|count| count - 1),
            (_, Some("reverse" | "replace")) => edges,
            _ => None,
        };
        seen += 1;
        if seen % every == 0 || seen == count {
            let mut line = line.clone();
            line["edges"] = json!(edges);
            line["place"] = json!(seen);
            out.push(line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_counted_while_their_number_is_known() {
        let step = |word: &str| json!({"step": 1, "move": word});
        let trace = [
            step("add"),
            step("add"),
            step("delete"),
            step("order"),
            json!({"iteration": 1, "edges": 7}),
            step("add"),
            json!({"hidden": "H1"}),
            step("add"),
        ];
        let edges = |start: Option<i64>| -> Vec<Option<i64>> {
            let found = steps(&trace, start);
            found
                .iter()
                .filter(|line| line.get("step").is_some())
                .map(|line| line["edges"].as_i64())
                .collect()
        };
        assert_eq!(
            edges(Some(0)),
            [Some(1), Some(2), Some(1), None, Some(8), None]
        );
        assert_eq!(edges(None)[..3], [None, None, None]);
        assert_eq!(
            steps(&vec![step("add"); 10_000], Some(0)).last().unwrap()["place"],
            10_000
        );
    }
}
