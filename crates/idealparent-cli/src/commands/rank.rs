//! `idealparent rank`

use idealparent::Result;
use idealparent::graph::Reach;
use idealparent::ideal::rank_parents;
use idealparent::network::Transform;
use serde_json::json;

use super::{Outcome, note, on_threads};
use crate::args::RankArgs;
use crate::{input, output};

pub fn run(args: &RankArgs) -> Result<Outcome> {
    let network = input::network(&args.network)?;
    let (data, child) = input::data_and_name(&args.rest, &args.input, "child")?;
    output::check_places(
        &[Some(&args.network), data],
        &[("-o", args.output.as_deref())],
    )?;
    let child = network.find(child)?;
    let (table, notes) = input::table(data, &args.input)?;
    note(false, &notes);
    let columns: Result<Vec<usize>> = network
        .variables
        .iter()
        .map(|v| table.find(&v.name))
        .collect();
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
