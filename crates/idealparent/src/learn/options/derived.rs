//! Values derived from the options: settings of other modules, and the record.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{HiddenCount, LearnOptions, Method};
use crate::cpd::{CpdKind, Link, Sigmoid};
use crate::error::{Error, Message, Result, flag, option, option_value};
use crate::family::FamilyModel;
use crate::graph::{Knowledge, Origins};
use crate::network::{Network, Transform};
use crate::options::OptionCommand;
use crate::score::{Gamma, ScoreKind, ScoreOptions};
use crate::search::SearchKind;

/// Upper limit of options that are lengths or counts.
const MAX_COUNT: usize = 1_000_000;

/// Options for hidden variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HiddenOptions {
    /// How many hidden variables may be added.
    pub(crate) count: HiddenCount,
    /// Whether hidden variables are roots, and observed variables are leaves with hidden parents
    /// only.
    pub(crate) two_layer: bool,
    /// Minimum number of children of a hidden variable. `None`: 2 with two layers, otherwise 3.
    pub(crate) min_children: Option<usize>,
}

impl HiddenOptions {
    /// Whether hidden variables are requested.
    pub(crate) fn is_wanted(&self) -> bool {
        self.count != HiddenCount::AtMost(0)
    }

    /// Minimum number of children. The default is 3 if observed variables may be joined by edges,
    /// since a hidden parent of two variables is equivalent to an edge between them.
    pub(crate) fn fewest(&self) -> usize {
        self.min_children
            .unwrap_or(if self.two_layer { 2 } else { 3 })
    }

    /// Returns an error for invalid combinations.
    pub(super) fn check(&self) -> Result<()> {
        let given = [
            (flag("two_layer"), self.two_layer),
            (option("min_children"), self.min_children.is_some()),
        ];
        if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given)
            && !self.is_wanted()
        {
            let hidden = option_value("hidden", "auto");
            return Err(Error::options(format!("{name} needs {hidden} or a number")));
        }
        if self.min_children.is_some_and(|least| least < 2) {
            return Err(Error::options(format!(
                "{} must be at least 2 (a hidden variable with one child is noise)",
                option("min_children")
            )));
        }
        Ok(())
    }
}

impl LearnOptions {
    /// Whether candidates are compared with ideal parents.
    pub(super) fn ranks_candidates(&self) -> bool {
        self.method == Method::Ideal || self.wants_hidden()
    }

    /// The score and its settings. EBIC's gamma may still have to be chosen.
    pub fn score_options(&self) -> ScoreOptions {
        ScoreOptions {
            kind: self.score,
            gamma: self.gamma,
            penalty: self.penalty,
            alpha_w: self.alpha_w,
        }
    }

    /// The score and settings of `base`, with some of them replaced by `given`: pairs of an
    /// option's name and value.
    ///
    /// Settings of `base` that do not apply to the resulting score return to their defaults.
    pub fn score_options_with(
        base: &ScoreOptions,
        given: &[(impl AsRef<str>, impl AsRef<str>)],
    ) -> Result<ScoreOptions> {
        let mut options = LearnOptions {
            score: base.kind,
            gamma: base.gamma,
            penalty: base.penalty,
            alpha_w: base.alpha_w,
            ..LearnOptions::default()
        };
        let mut names = Vec::new();
        for (name, word) in given {
            let spec = LearnOptions::spec(name.as_ref())?;
            spec.set(&mut options, word.as_ref())?;
            names.push(spec.name);
        }
        let default_options = LearnOptions::default();
        if options.score != ScoreKind::Bge && !names.contains(&"alpha_w") {
            options.alpha_w = default_options.alpha_w;
        }
        if options.score != ScoreKind::Ebic && !names.contains(&"gamma") {
            options.gamma = default_options.gamma;
        }
        if options.score == ScoreKind::Bge && !names.contains(&"penalty") {
            options.penalty = default_options.penalty;
        }
        options.score_options().check()?;
        Ok(options.score_options())
    }

    /// Whether hidden variables are requested.
    pub fn wants_hidden(&self) -> bool {
        self.hidden_options().is_wanted()
    }

    /// The options for hidden variables.
    pub(crate) fn hidden_options(&self) -> HiddenOptions {
        HiddenOptions {
            count: self.hidden,
            two_layer: self.two_layer,
            min_children: self.min_children,
        }
    }

    /// The prior knowledge.
    pub fn knowledge(&self) -> Knowledge {
        Knowledge {
            require: self.require.edges.clone(),
            forbid: self.forbid.edges.clone(),
            tiers: self.tiers.tiers.clone(),
            max_parents: self.max_parents,
            origins: Origins {
                require: self.require.origin.clone(),
                forbid: self.forbid.origin.clone(),
                tiers: self.tiers.origin.clone(),
            },
        }
    }

    /// Whether all densities are linear.
    pub fn is_linear(&self) -> bool {
        self.cpd.iter().all(|kind| *kind == CpdKind::Linear)
    }

    /// Whether any density is defined for positive parents only.
    pub(crate) fn needs_positive(&self) -> bool {
        self.cpd.iter().any(CpdKind::needs_positive)
    }

    /// Whether any density has a link.
    pub(super) fn has_link(&self) -> bool {
        self.cpd.iter().any(|kind| matches!(kind, CpdKind::Link(_)))
    }

    /// Whether further rounds follow the first.
    pub(super) fn searches_again(&self) -> bool {
        let by_itself = matches!(self.search, SearchKind::Auto | SearchKind::Order);
        match self.restarts {
            Some(restarts) => restarts > 0,
            None => by_itself || self.effort.is_some(),
        }
    }

    /// Approximate cost of the most expensive fit, relative to that of a sigmoid.
    pub(in crate::learn) fn fit_cost(&self) -> f64 {
        let costs = self.cpd.iter().map(|kind| kind.fit_cost(self.bias));
        costs.fold(1.0, f64::max)
    }

    /// The transform of the values.
    pub(in crate::learn) fn transform(&self) -> Transform {
        if self.exp2 {
            Transform::Exp2
        } else {
            Transform::None
        }
    }

    /// The links among the densities.
    pub(crate) fn own_links(&self) -> Vec<Arc<dyn Link>> {
        let link = |kind: &CpdKind| match kind {
            CpdKind::Link(link) => Some(link.clone()),
            _ => None,
        };
        self.cpd.iter().filter_map(link).collect()
    }

    /// The models of the densities, in the order of the option.
    pub fn models(&self) -> Vec<Box<dyn FamilyModel>> {
        let model = |kind: &CpdKind| kind.model(self.bias, self.baseline);
        self.cpd.iter().map(model).collect()
    }

    /// The models of the densities for use in a search, where fits are faster and less accurate.
    pub fn search_models(&self) -> Vec<Box<dyn FamilyModel>> {
        let model = |kind: &CpdKind| kind.search_model(self.bias, self.baseline);
        self.cpd.iter().map(model).collect()
    }

    /// The options that affect the learned network, for its provenance.
    pub fn record(&self) -> Map<String, Value> {
        self.recorded(OptionCommand::Learn)
    }

    /// The options that affect the parameters of a given structure, for the network's provenance.
    pub fn record_fit(&self) -> Map<String, Value> {
        self.recorded(OptionCommand::Fit)
    }

    fn recorded(&self, command: OptionCommand) -> Map<String, Value> {
        let specs = LearnOptions::specs().iter();
        let belonging = specs.filter(|spec| spec.is_taken_by(command));
        belonging
            .filter_map(|spec| Some((spec.name.to_string(), spec.record(self)?)))
            .collect()
    }
}

impl Network {
    /// The options of the densities (`cpd`, `bias` and `baseline`) that the network was learned
    /// with. Other options have their defaults.
    pub fn recorded_options(&self) -> Result<LearnOptions> {
        self.recorded(OptionCommand::Rank)
    }

    /// The score that this network was learned with, according to its provenance.
    pub fn learned_by(&self) -> Result<ScoreOptions> {
        let mut options = self.recorded(OptionCommand::Score)?.score_options();
        let is_recorded = |name: &str| {
            let provenance = self.provenance.as_ref();
            provenance.is_some_and(|provenance| provenance.options.contains_key(name))
        };
        if options.kind == ScoreKind::Ebic && !is_recorded("gamma") {
            // Files of other programs say only that the score is EBIC.
            options.gamma = Gamma::Fixed(1.0);
        }
        if options.gamma == Gamma::Auto
            && let Some(gamma) = self.score.as_ref().and_then(|score| score.gamma)
        {
            options.gamma = Gamma::AutoAt(gamma);
        }
        options.alpha_w = options.alpha_w.filter(|_| options.kind == ScoreKind::Bge);
        options.check().map_err(wrong_record)?;
        Ok(options)
    }

    /// The recorded options that a command accepts. Others have their defaults.
    fn recorded(&self, command: OptionCommand) -> Result<LearnOptions> {
        let mut options = LearnOptions::default();
        for (name, value) in self.provenance.iter().flat_map(|p| &p.options) {
            let spec = LearnOptions::spec(name).ok();
            if let Some(spec) = spec.filter(|spec| spec.is_taken_by(command)) {
                let restored = spec.restore(&mut options, value);
                restored.map_err(wrong_record)?;
            }
        }
        Ok(options)
    }
}

/// The error for an invalid option in a network file.
fn wrong_record(error: Error) -> Error {
    Error::data(Message::from(error).within("the recorded options are wrong"))
}

/// Returns an error if the number exceeds the limit.
pub(super) fn limit(name: &str, number: Option<usize>) -> Result<()> {
    match number {
        Some(number) if number > MAX_COUNT => Err(Error::options(format!(
            "{} must be at most {MAX_COUNT}",
            option(name)
        ))),
        _ => Ok(()),
    }
}

/// Returns an error if an exact search is combined with options that contradict it.
pub(super) fn check_exact(options: &LearnOptions) -> Result<()> {
    if options.search != SearchKind::Exact {
        return Ok(());
    }
    let exact = option_value("search", "exact");
    if options.wants_hidden() {
        let hidden = option("hidden");
        return Err(Error::options(format!(
            "{exact} cannot be combined with {hidden}: with hidden variables no network can be \
             proved to be the best"
        )));
    }
    let again = match (options.restarts, options.effort) {
        (Some(count), _) if count > 0 => Some("restarts"),
        (_, effort) => effort.map(|_| "effort"),
    };
    if let Some(again) = again {
        return Err(Error::options(format!(
            "{exact} finds the best network at once and cannot be combined with {}",
            option(again)
        )));
    }
    Ok(())
}

/// Returns an error if no density is named, if one is named twice, or if a link has a reserved
/// name.
pub(super) fn check_cpds(options: &LearnOptions) -> Result<()> {
    if options.cpd.is_empty() {
        return Err(Error::options(format!(
            "{} names no density",
            option("cpd")
        )));
    }
    for (i, kind) in options.cpd.iter().enumerate() {
        if let CpdKind::Link(link) = kind {
            check_word(link.as_ref())?;
        }
        if options.cpd[..i].contains(kind) {
            let word = kind.word();
            return Err(Error::options(format!(
                "{} names '{word}' twice",
                option("cpd")
            )));
        }
    }
    Ok(())
}

/// Returns an error if a link has the name of a different built-in density.
fn check_word(link: &dyn Link) -> Result<()> {
    let is_sigmoid = || {
        let same = |&eta: &f64| (link.value(eta) - Sigmoid.value(eta)).abs() < 1e-12;
        [-3.0, -0.5, 0.0, 1.0, 4.0].iter().all(same)
    };
    match link.word() {
        "linear" | "product" => {}
        "sigmoid" if !is_sigmoid() => {}
        _ => return Ok(()),
    }
    Err(Error::options(
        "a custom link must not be called linear, product or sigmoid",
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_gives_back_the_options() {
        let edges = |from: &str, to: &str| vec![(from.to_string(), to.to_string())];
        let mut options = LearnOptions::default();
        for (name, word) in [
            ("cpd", "linear,sigmoid"),
            ("bias", "yes"),
            ("gamma", "0.5"),
            ("missing", "mean-field"),
            ("candidates", "auto"),
            ("hidden", "2"),
            ("min_children", "4"),
            ("tabu_length", "7"),
            ("search", "tabu"),
            ("moves", "add,delete"),
            ("max_parents", "3"),
        ] {
            options.set(name, word).unwrap();
        }
        options.require = edges("A", "B").into();
        options.forbid = edges("*", "A").into();
        options.start = edges("B", "C").into();
        options.tiers = vec![vec!["A".to_string()], vec!["B".to_string()]].into();
        let mut restored = LearnOptions::default();
        for (name, value) in options.record() {
            let spec = LearnOptions::spec(&name).unwrap();
            spec.restore(&mut restored, &value).unwrap();
        }
        assert_eq!(restored, options);
    }

    #[test]
    fn a_record_of_another_type_is_an_error() {
        let mut options = LearnOptions::default();
        let mut message = |name: &str, value: Value| {
            let spec = LearnOptions::spec(name).unwrap();
            spec.restore(&mut options, &value).unwrap_err().to_string()
        };
        let line = "`bias`: '1' is neither true nor false";
        assert_eq!(message("bias", json!(1)), line);
        let line = "`gamma`: '\"1\"' is neither a number nor 'auto'";
        assert_eq!(message("gamma", json!("1")), line);
        let line = "`require`: '\"edges.tsv\"' is not a list of edges";
        assert_eq!(message("require", json!("edges.tsv")), line);
        // Both forms of a whole number have been written.
        for value in [json!(2), json!("2")] {
            let spec = LearnOptions::spec("hidden").unwrap();
            spec.restore(&mut options, &value).unwrap();
            assert_eq!(options.hidden, HiddenCount::AtMost(2));
        }
    }

    #[test]
    fn settings_of_another_score_return_to_their_defaults() {
        let base = ScoreOptions {
            kind: ScoreKind::Ebic,
            gamma: Gamma::Fixed(0.5),
            ..ScoreOptions::default()
        };
        let given = [("score", "bge"), ("alpha-w", "9")];
        let options = LearnOptions::score_options_with(&base, &given).unwrap();
        assert_eq!(options.gamma, ScoreOptions::default().gamma);
        assert_eq!(options.alpha_w, Some(9.0));
    }
}
