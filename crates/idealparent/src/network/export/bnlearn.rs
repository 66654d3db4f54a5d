//! An R script for bnlearn.

use std::fmt::Write;

use super::rlang::{gaussian, string, transform_comment};
use super::view::number;
use crate::error::{Result, quoted};
use crate::network::{ExportFormat, Network};

/// Writes the structure with `model2network` and the parameters with `custom.fit`, both in
/// topological order.
pub(super) fn write(network: &Network) -> Result<String> {
    let densities = gaussian(network, ExportFormat::Bnlearn)?;
    for variable in &network.variables {
        check_name(&variable.name)?;
    }
    let order = network.order();

    let mut model = String::new();
    for &v in &order {
        model.push('[');
        model.push_str(network.name(v));
        for (at, &parent) in network.families[v].parents.iter().enumerate() {
            model.push(if at == 0 { '|' } else { ':' });
            model.push_str(network.name(parent));
        }
        model.push(']');
    }

    let mut out = format!(
        "# A Gaussian Bayesian network of {} variables and {} edges, for the R package bnlearn.\n\
         # Run this script with source(FILE, encoding = \"UTF-8\"): it makes the structure, dag, and\n\
         # the network with its parameters, fitted.\n",
        network.len(),
        network.edge_count()
    );
    out.push_str(transform_comment(network));
    out.push_str("library(bnlearn)\n\n");
    let _ = writeln!(out, "dag <- model2network({})", string(&model));
    out.push_str("\nfitted <- custom.fit(dag, dist = list(");
    for (at, &v) in order.iter().enumerate() {
        let density = densities[v];
        out.push_str(if at == 0 { "\n  " } else { ",\n  " });
        let _ = write!(
            out,
            "{} = list(coef = c(\"(Intercept)\" = {}",
            string(network.name(v)),
            number(density.intercept)
        );
        for (&parent, &weight) in network.families[v].parents.iter().zip(&density.weights) {
            let _ = write!(
                out,
                ", {} = {}",
                string(network.name(parent)),
                number(weight)
            );
        }
        let _ = write!(out, "), sd = {})", number(density.variance.sqrt()));
    }
    out.push_str("\n))\n");
    Ok(out)
}

/// Returns an error if a name contains a separator of bnlearn's model strings, or already has a
/// meaning in the script's calls of R's `c`, where variables are element names.
fn check_name(name: &str) -> Result<()> {
    let refuse = |problem: &str| {
        Err(ExportFormat::Bnlearn.refuse(format!(
            "the name of variable {} {problem} (rename the variable)",
            quoted(name)
        )))
    };
    if name.contains(['[', ']', '|', ':']) {
        return refuse("contains one of [ ] | :, which separate the parts of a bnlearn model");
    }
    if name.contains('\0') {
        return refuse("contains a NUL character, which R strings cannot represent");
    }
    if ["(Intercept)", "recursive", "use.names"].contains(&name) {
        return refuse("has another meaning in the R code of the script");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn structure_and_parameters_are_written() {
        let text = testing::plain().export(ExportFormat::Bnlearn).unwrap();
        let model = r#"dag <- model2network("[A][if][B c|A:if][1st|B c][alone]")"#;
        assert!(text.contains(model), "{text}");
        let b =
            r#""B c" = list(coef = c("(Intercept)" = 1.5, "A" = 0.53, "if" = -1.2), sd = 0.3535"#;
        assert!(text.contains(b), "{text}");
        assert!(text.contains(r#""A" = list(coef = c("(Intercept)" = 0.5), sd = 0.5)"#));
    }

    #[test]
    fn unsupported_networks_are_rejected() {
        let refusal = |change: &dyn Fn(&mut Network)| {
            let mut network = testing::plain();
            change(&mut network);
            network
                .export(ExportFormat::Bnlearn)
                .unwrap_err()
                .to_string()
        };
        for bad in ["a[b", "a]b", "a|b", "a:b", "a\0b", "recursive"] {
            let text = refusal(&|n| n.variables[2].name = bad.into());
            assert!(
                text.starts_with("bnlearn export: the name of variable"),
                "{text}"
            );
        }
        let text = refusal(&|n| n.variables[3].hidden = true);
        assert!(text.contains("'if' is hidden"), "{text}");
        let text = refusal(&|n| testing::linear(n, 2).variance = 0.0);
        assert!(text.contains("'1st'"), "{text}");
    }

    #[test]
    fn names_are_escaped_for_r() {
        let mut network = testing::plain();
        network.variables[0].name = "a\"); q(\"no\\".into();
        network.transform = crate::network::Transform::Exp2;
        let text = network.export(ExportFormat::Bnlearn).unwrap();
        assert!(text.contains(r#""[a\"); q(\"no\\][if]"#), "{text}");
        assert!(text.contains("# The parameters are for 2^x of the data"));
    }
}
