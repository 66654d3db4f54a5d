//! lavaan model syntax.

use std::collections::HashMap;
use std::fmt::Write;

use super::rlang::{gaussian, make_name, string, transform_comment};
use super::view::number;
use crate::error::{Result, quoted};
use crate::network::{ExportFormat, Network};

/// lavaan frees some covariances automatically. The header tells users how to prevent this:
/// - `sem()` frees covariances between variables without children; `lavaan()` frees none.
/// - Covariances of roots are free only if lavaan treats the roots as exogenous. It does not once
///   their means and variances are in the model, so these are written for roots too. This avoids
///   writing `A ~~ 0*C` for every pair of roots. `fixed.x = FALSE` makes the choice explicit.
const HEADER: &str = "\
# Read with  model <- paste(readLines(FILE, encoding = \"UTF-8\"), collapse = \"\\n\")
# Fit with   lavaan(model, data = data, fixed.x = FALSE, meanstructure = TRUE)
# and not with sem(), which would add residual covariances the network does not have.
# Variables without parents have their own mean and variance below, so that their covariances are
# fixed to zero, as in the network. The numbers are starting values (do.fit = FALSE keeps them).
";

/// Writes regressions, intercepts and variances, with the network's parameters as starting values.
///
/// Names are converted as R's `make.names` does, because R names the data's columns that way.
/// Inactive variables are left out and listed in a comment: lavaan rejects constant columns.
pub(super) fn write(network: &Network) -> Result<String> {
    let densities = gaussian(network, ExportFormat::Lavaan)?;
    let active: Vec<usize> = (0..network.len())
        .filter(|&v| !network.families[v].inactive)
        .collect();
    let names = r_names(network, &active)?;

    let mut out = format!(
        "# A Gaussian Bayesian network of {} variables and {} edges, for the R package lavaan.\n",
        network.len(),
        network.edge_count()
    );
    out.push_str(HEADER);
    out.push_str(transform_comment(network));
    for v in 0..network.len() {
        let original = network.name(v);
        if network.families[v].inactive {
            let original = string(original);
            let _ = writeln!(out, "# left out, constant or never observed: {original}");
        } else if names[v] != original {
            let _ = writeln!(out, "# {} stands for {}", names[v], string(original));
        }
    }

    out.push_str("\n# regressions\n");
    for &v in &active {
        let parents = &network.families[v].parents;
        let terms: Vec<String> = parents
            .iter()
            .zip(&densities[v].weights)
            .map(|(&parent, &weight)| format!("start({})*{}", number(weight), names[parent]))
            .collect();
        if !terms.is_empty() {
            let _ = writeln!(out, "{} ~ {}", names[v], terms.join(" + "));
        }
    }
    out.push_str("\n# intercepts\n");
    for &v in &active {
        let start = number(densities[v].intercept);
        let _ = writeln!(out, "{} ~ start({start})*1", names[v]);
    }
    out.push_str("\n# residual variances\n");
    for &v in &active {
        let start = number(densities[v].variance);
        let _ = writeln!(out, "{0} ~~ start({start})*{0}", names[v]);
    }
    Ok(out)
}

/// The R name of every variable. Returns an error if two `active` variables get the same name.
fn r_names(network: &Network, active: &[usize]) -> Result<Vec<String>> {
    let names: Vec<String> = network
        .variables
        .iter()
        .map(|v| make_name(&v.name))
        .collect();
    let mut owner: HashMap<&str, usize> = HashMap::new();
    for &v in active {
        if let Some(first) = owner.insert(&names[v], v) {
            return Err(ExportFormat::Lavaan.refuse(format!(
                "variables {} and {} both become {} in R (rename one of them)",
                quoted(network.name(first)),
                quoted(network.name(v)),
                names[v]
            )));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn model(network: &Network) -> String {
        network.export(ExportFormat::Lavaan).unwrap()
    }

    #[test]
    fn regressions_intercepts_and_variances_are_written() {
        let text = model(&testing::plain());
        for line in [
            "# B.c stands for \"B c\"",
            "# X1st stands for \"1st\"",
            "# if. stands for \"if\"",
            "B.c ~ start(0.53)*A + start(-1.2)*if.",
            "X1st ~ start(1e-12)*B.c",
            "A ~ start(0.5)*1",
            "A ~~ start(0.25)*A",
            "alone ~ start(4.5)*1",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
        }
        assert!(!text.contains("# A stands"));
    }

    #[test]
    fn a_name_cannot_leave_its_comment() {
        let mut network = testing::plain();
        network.variables[0].name = "a\nalone ~~ B".into();
        let text = model(&network);
        assert!(
            text.contains("# a.alone....B stands for \"a\\nalone ~~ B\"\n"),
            "{text}"
        );
    }

    #[test]
    fn inactive_variables_are_left_out() {
        let mut network = testing::plain();
        network.families[4].inactive = true;
        let text = model(&network);
        assert!(text.contains("# left out, constant or never observed: \"alone\""));
        assert!(!text.contains("alone ~"));
    }

    #[test]
    fn name_collisions_and_hidden_variables_are_rejected() {
        let mut network = testing::plain();
        network.variables[4].name = "B.c".into();
        let text = network
            .export(ExportFormat::Lavaan)
            .unwrap_err()
            .to_string();
        assert!(text.contains("'B c' and 'B.c' both become B.c"), "{text}");
        network.variables[4].hidden = true;
        let text = network
            .export(ExportFormat::Lavaan)
            .unwrap_err()
            .to_string();
        assert!(text.contains("'B.c' is hidden"), "{text}");
    }
}
