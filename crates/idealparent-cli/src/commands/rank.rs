//! `idealparent rank`

use std::path::Path;

use idealparent::extend::Reach;
use idealparent::internal::text_cell;
use idealparent::{CpdSettings, Error, LearnOptions, Network, RankedParent, Result};
use serde_json::json;

use super::{Outcome, note_unused, on_threads};
use crate::args::RankArgs;
use crate::notes::{note, note_reading};
use crate::{input, output};

pub fn run(args: &RankArgs) -> Result<Outcome> {
    let network = input::network(&args.network)?;
    let (data, child) = input::data_and_name(&args.rest, &args.input, "child")?;
    let mut inputs: Vec<Option<&Path>> = args.input.read.files().map(Some).collect();
    inputs.extend([Some(args.network.as_path()), data]);
    output::check_places(&inputs, &[("-o", args.output.as_deref())])?;
    let child = network.find(child)?;
    let (table, notes) = input::table_for(std::slice::from_ref(&network), data, &args.input)?;
    note_reading(false, &notes);
    note_unused(false, &network, &table);
    let observed = network.variables.iter().filter(|v| !v.hidden);
    let columns: Result<Vec<usize>> = observed.map(|v| table.find(&v.name)).collect();
    let table = table.select_columns(&columns?);
    if network.variables[child].hidden {
        return Err(Error::data(format!(
            "'{}' is hidden, so it has no ideal parent to rank",
            output::one_line(network.name(child))
        )));
    }
    let density = density(args, &network, child)?;
    let parents = &network.families[child].parents;
    let ranking = on_threads(args.threads, || {
        network.rank_parents(&table, child, parents, &density)
    })??;
    if table.missing() > 0 || network.has_hidden() {
        let line = "missing and hidden values are replaced by their posterior means and variances";
        note(false, &[line.to_string()]);
    }
    if ranking.clamped > 0.0 {
        let percent = 100.0 * ranking.clamped;
        note(
            false,
            &[format!(
                "{percent:.1} % of the values of '{}' are outside the image of its {} cpd and were clamped for c1 and c2",
                output::one_line(network.name(child)),
                density.kind.word()
            )],
        );
    }
    let reach = Reach::new(&network.dag());
    let legal = |parent: usize| reach.allows(parent, child);
    let path = args.output.as_deref();
    let text = if args.json {
        as_json(&network, &ranking.candidates, legal)
    } else {
        as_table(
            &network,
            &ranking.candidates,
            legal,
            output::separator(path),
        )
    };
    output::write_packed(path, &text)?;
    Ok(Outcome::Done)
}

fn as_json(network: &Network, ranked: &[RankedParent], legal: impl Fn(usize) -> bool) -> String {
    let row = |r: &RankedParent| {
        json!({
            "candidate": network.name(r.parent),
            "c1": r.c1,
            "c2": r.c2,
            "tangent": r.tangent,
            "delta": r.delta,
            "legal": legal(r.parent),
        })
    };
    let rows: Vec<_> = ranked.iter().map(row).collect();
    format!("{:#}\n", json!(rows))
}

fn as_table(
    network: &Network,
    ranked: &[RankedParent],
    legal: impl Fn(usize) -> bool,
    separator: char,
) -> String {
    let between = separator.to_string();
    let mut text = ["candidate", "c1", "c2", "tangent", "delta", "legal"].join(&between) + "\n";
    for r in ranked {
        let cells = [
            text_cell(network.name(r.parent), separator),
            format!("{:.6}", r.c1),
            format!("{:.6}", r.c2),
            format!("{:.6}", r.tangent),
            r.delta
                .map_or("NA".to_string(), |delta| format!("{delta:.6}")),
            if legal(r.parent) { "yes" } else { "no" }.to_string(),
        ];
        text += &(cells.join(&between) + "\n");
    }
    text
}

/// The density to rank candidates for: the one given by the user, else that of the child's family,
/// else, for a child without parents, the first one the network was learned with.
fn density(args: &RankArgs, network: &Network, child: usize) -> Result<CpdSettings> {
    let recorded = network.recorded_options()?;
    let family = &network.families[child];
    let mut options = LearnOptions::default();
    args.density.apply(&mut options)?;
    let given = |name: &str| args.density.has(name);
    if !given("cpd") {
        options.cpd = vec![if family.parents.is_empty() {
            recorded.cpd[0].clone()
        } else {
            family.cpd.kind_to_learn()
        }];
        options.bias |= recorded.bias;
        options.baseline |= recorded.baseline;
    }
    let [kind] = &options.cpd[..] else {
        return input::usage("--cpd: rank takes only one density");
    };
    let mut density = CpdSettings::from(kind.clone());
    (density.bias, density.baseline) = (options.bias, options.baseline);
    let mut checked = options.clone();
    // A network may have been learned with several densities, and its bias and baseline need not
    // apply to this one. So only those given by the user are checked.
    checked.bias &= given("bias");
    checked.baseline &= given("baseline");
    checked.check()?;
    Ok(density)
}
