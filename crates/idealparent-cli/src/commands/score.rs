//! `idealparent score`

use idealparent::internal::text_cell;
use idealparent::{Error, Result};

use super::{Outcome, note_unused, on_threads};
use crate::args::ScoreCommand;
use crate::notes::{note, note_reading};
use crate::{input, output};

pub fn run(args: &ScoreCommand) -> Result<Outcome> {
    let network = input::network(&args.network)?;
    let named = |error: Error| Error::network(args.network.display().to_string(), error);
    let options = args.score.over(&network.learned_by().map_err(named)?)?;
    let (table, notes) = input::table_for(
        std::slice::from_ref(&network),
        args.data.as_deref(),
        &args.input,
    )?;
    note_reading(args.run.quiet, &notes);
    note_unused(args.run.quiet, &network, &table);
    let score = on_threads(args.run.threads, || network.score_table(&table, &options))??;
    let missing = table.missing();
    if missing > 0 {
        let line = format!("missing values: {missing}; the likelihood is of the observed values");
        note(args.run.quiet, &[line]);
    }
    if score.rough > 0 {
        let (rows, all) = (score.rough, score.instances);
        let line =
            format!("the estimate is rough in {rows} of {all} rows, where a few draws dominate it");
        note(args.run.quiet, &[line]);
    }
    if args.run.json {
        let object = score.figures(&network, options.kind);
        output::print(&format!("{object:#}\n"))?;
        return Ok(Outcome::Done);
    }
    let likelihood = |what: &str, value: f64| {
        let each = value / (score.instances * network.active().max(1)) as f64;
        let instances = score.instances;
        format!("{what} {value:.6} ({instances} instances, {each:.6} per instance and variable)\n")
    };
    let mut text = match score.estimate {
        None => likelihood("log-likelihood", score.log_likelihood),
        Some(estimate) => {
            likelihood("log-likelihood, mean field bound", score.log_likelihood)
                + &likelihood("log-likelihood, estimate", estimate)
        }
    };
    text += &format!(
        "score ({}) {:.6}, {} parameters\n",
        options.kind.word(),
        score.score,
        score.dimension,
    );
    if let Some(parts) = &score.per_variable {
        text += "\nvariable\tlog_likelihood\n";
        for (variable, part) in network.variables.iter().zip(parts) {
            let name = output::one_line(&text_cell(&variable.name, '\t'));
            text += &format!("{name}\t{part:.6}\n");
        }
    }
    output::print(&text)?;
    Ok(Outcome::Done)
}
