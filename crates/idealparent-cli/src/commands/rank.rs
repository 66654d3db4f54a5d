//! `idealparent rank`

use idealparent::graph::Reach;
use idealparent::ideal::rank_parents;
use idealparent::network::Transform;
use idealparent::{Error, Result};
use serde_json::json;

use super::{Outcome, note, on_threads};
use crate::args::RankArgs;
use crate::{input, output};

pub fn run(args: &RankArgs) -> Result<Outcome> {
    let network = input::network(&args.network)?;
    let (data, child) = input::data_and_name(&args.rest, &args.input, "child")?;
    let Some(child) = network.index_of(child) else {
        return Err(Error::Data(format!(
            "the network has no variable called '{child}'"
        )));
    };
    let (table, notes) = input::table(data, &args.input)?;
    note(false, &notes);
    let find = |v: usize| {
        table.index_of(network.name(v)).ok_or_else(|| {
            Error::Data(format!(
                "the data lack the network's variable '{}'",
                network.name(v)
            ))
        })
    };
    let columns: Result<Vec<usize>> = (0..network.len()).map(find).collect();
    let mut table = table.select_columns(&columns?);
    if network.transform == Transform::Exp2 {
        table = table.exp2()?;
    }
    let parents = &network.families[child].parents;
    let ranked = on_threads(args.threads, || rank_parents(&table, child, parents))??;
    let reach = Reach::new(&network.dag());
    let legal = |parent: usize| reach.allows(parent, child);
    let path = args.output.as_deref();
    let text = if args.json {
        let rows: Vec<_> = ranked
            .iter()
            .map(|r| {
                json!({
                    "candidate": network.name(r.parent),
                    "c1": r.c1,
                    "c2": r.c2,
                    "tangent": r.tangent,
                    "delta": r.delta,
                    "legal": legal(r.parent),
                })
            })
            .collect();
        format!("{:#}\n", json!(rows))
    } else {
        let separator = output::separator(path);
        let mut text = ["candidate", "c1", "c2", "tangent", "delta", "legal"]
            .join(&separator.to_string())
            + "\n";
        for r in &ranked {
            let cells = [
                output::cell(network.name(r.parent), separator),
                format!("{:.6}", r.c1),
                format!("{:.6}", r.c2),
                format!("{:.6}", r.tangent),
                r.delta
                    .map_or("NA".to_string(), |delta| format!("{delta:.6}")),
                if legal(r.parent) { "yes" } else { "no" }.to_string(),
            ];
            text += &(cells.join(&separator.to_string()) + "\n");
        }
        text
    };
    output::write_packed(path, &text)?;
    Ok(Outcome::Done)
}
