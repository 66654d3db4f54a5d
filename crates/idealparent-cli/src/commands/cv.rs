//! `idealparent cv`

use idealparent::{Error, FoldResult, MethodSpec, MethodSummary, Result, cross_validate};

use super::{Outcome, files_read, on_threads, plot};
use crate::args::CvArgs;
use crate::notes::{note, note_reading};
use crate::watch::{StopReason, Watch};
use crate::{input, output};

pub fn run(args: &CvArgs) -> Result<Outcome> {
    let base = args.model.options()?;
    let methods = MethodSpec::parse_all(&args.methods, &base)?;
    plot::check(args.plot.as_deref())?;
    let inputs = files_read(&args.model, &args.input, args.data.as_deref());
    output::check_places(&inputs, &[("--plot", args.plot.as_deref())])?;
    let (table, notes) = input::table(args.data.as_deref(), &args.input)?;
    note_reading(args.run.quiet, &notes);
    let mut watch = Watch::new(table.names(), args.run.quiet, args.time_limit)?;
    let results = on_threads(args.run.threads, || {
        cross_validate(&table, &methods, args.folds, base.seed, &mut watch)
    })??;
    watch.finish()?;
    if results.is_empty() && matches!(watch.stop_reason, Some(StopReason::TimeLimit)) {
        return Err(Error::data("no fold was finished in time"));
    }
    let wanted = methods.len() * args.folds;
    if results.len() < wanted {
        let line = format!("stopped after {} of {wanted} runs", results.len());
        note(args.run.quiet, &[line]);
    }
    if table.missing() > 0 && methods.iter().any(|m| !m.options.is_linear()) {
        let line = "values are missing: train and test of non-linear networks are estimates";
        note(args.run.quiet, &[line.to_string()]);
    }
    if let Some(path) = args.plot.as_deref()
        && !results.is_empty()
    {
        plot::write(&plot::of_folds(&results), path)?;
    }
    if args.run.json {
        let text = serde_json::to_string_pretty(&results).expect("numbers can be written as JSON");
        output::print(&(text + "\n"))?;
    } else {
        output::print(&text_table(&results))?;
    }
    Ok(match watch.stop_reason {
        Some(StopReason::Interrupted) => Outcome::Interrupted,
        _ => Outcome::Done,
    })
}

/// The columns of the paper's Table 1: all methods, then those after the first relative to it.
fn text_table(results: &[FoldResult]) -> String {
    let rows = MethodSummary::of(results);
    let Some(first) = rows.first() else {
        return "no fold was finished\n".to_string();
    };
    let cells = |row: [&str; 7]| row.map(str::to_string).to_vec();
    let mut table = vec![cells([
        "method", "train", "test", "edges", "moves", "eval", "seconds",
    ])];
    for row in &rows {
        table.push(vec![
            row.method.clone(),
            format!("{:.4}", row.train),
            format!("{:.4}", row.test),
            format!("{:.1}", row.edges),
            format!("{:.1}", row.moves),
            format!("{:.0}", row.evaluations),
            format!("{:.4}", row.seconds),
        ]);
    }
    let mut text = output::aligned(&table);
    if rows.len() > 1 {
        let relative = format!("relative to {}", first.method);
        let mut table = vec![cells([
            &relative, "train", "test", "edges %", "moves %", "eval %", "speed-up",
        ])];
        let percent = |value: f64, whole: f64, digits: usize| match whole {
            0.0 => "-".to_string(),
            _ => format!("{:.digits$}", 100.0 * value / whole),
        };
        for row in &rows[1..] {
            table.push(vec![
                row.method.clone(),
                format!("{:+.4}", row.train - first.train),
                format!("{:+.4}", row.test - first.test),
                percent(row.edges, first.edges, 1),
                percent(row.moves, first.moves, 1),
                percent(row.evaluations, first.evaluations, 2),
                format!("{:.2}x", first.seconds / row.seconds),
            ]);
        }
        text = format!("{text}\n{}", output::aligned(&table));
    }
    text + "\ntrain, test: mean log-likelihood per instance and variable; eval: families scored for add and replace moves\n"
}
