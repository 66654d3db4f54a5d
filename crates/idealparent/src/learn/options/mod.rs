//! The options of learning.
//!
//! To add an option, add it to [`LearnOptions`]. The command line, the Python package, the record
//! in network files and the reference page are generated from it.

mod choices;
mod derived;

use serde_json::json;

use crate::cpd::CpdKind;
use crate::data::{EdgeList, TierList};
use crate::error::{Error, about, flag, option, option_value};
use crate::ideal::Measure;
use crate::options::OptionCommand::{Cv, Fit, Learn, Rank, Score};
use crate::options::{OptionGroup as Group, needs, options};
use crate::score::{Gamma, ScoreKind, ScoreOptions};
use crate::search::{MoveSet, SearchKind};
pub use choices::{Candidates, HiddenCount, Method, PosteriorKind, StartEdges};
use derived::{check_cpds, check_exact, limit};

options! {
    /// All options of learning a network from a table.
    ///
    /// ```
    /// use idealparent::{LearnOptions, ScoreKind};
    ///
    /// let mut options = LearnOptions::default();
    /// options.score = ScoreKind::Bic;
    /// options.set("max_parents", "3")?;
    /// options.check()?;
    /// assert_eq!(options.record()["max_parents"], 3);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    ///
    /// Errors name the option. How the name is written depends on the style:
    ///
    /// ```
    /// use idealparent::{Gamma, LearnOptions, OptionStyle};
    ///
    /// let mut options = LearnOptions::default();
    /// options.gamma = Gamma::Fixed(-1.0);
    /// let error = options.check().unwrap_err();
    /// assert_eq!(error.to_string(), "`gamma` must be a number from 0 to 1e6, not -1.0");
    /// let line = error.render(OptionStyle::Command);
    /// assert_eq!(line, "--gamma must be a number from 0 to 1e6, not -1.0");
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct LearnOptions {
        /// How a variable depends on its parents: linear, sigmoid or product. Several, separated by
        /// commas: the best for each family
        cpd: Vec<CpdKind> = vec![CpdKind::Linear]
            => .at(Group::Model, Fit).also(Rank).value("CPD").everyday().always_recorded()
               .check(check_cpds);
        /// Fit a bias inside the sigmoid
        bias: bool = false
            => .at(Group::Model, Fit).also(Rank)
               .check(|o| needs(!o.bias || o.has_link(), flag("bias"), "cpd", "sigmoid"));
        /// Fit an offset of the product
        baseline: bool = false
            => .at(Group::Model, Fit).also(Rank)
               .check(|o| {
                   let has_product = o.cpd.contains(&CpdKind::Product);
                   needs(!o.baseline || has_product, flag("baseline"), "cpd", "product")
               });
        /// The score, in nats (larger is better): ebic, bic, aic or bge
        score: ScoreKind = ScoreKind::Ebic
            => .at(Group::Score, Score).value("SCORE").everyday().always_recorded()
               .check(|o| {
                   let is_bge = o.score == ScoreKind::Bge;
                   if is_bge && !o.is_linear() {
                       let (score, cpd) =
                           (option_value("score", "bge"), option_value("cpd", "linear"));
                       return Err(Error::options(format!("{score} needs {cpd}")));
                   }
                   if is_bge && o.wants_hidden() {
                       let (score, hidden) = (option_value("score", "bge"), option("hidden"));
                       return Err(Error::options(format!(
                           "{hidden} cannot be combined with {score}, which needs complete data"
                       )));
                   }
                   Ok(())
               });
        /// EBIC's extra penalty per edge, as a multiple of log(number of variables); auto: chosen
        /// from the data, and larger where instances are few
        gamma: Gamma = ScoreOptions::default().gamma
            => .at(Group::Score, Score).value("G")
               .recorded_if(|o| o.score == ScoreKind::Ebic)
               .check(|o| o.score_options().check());
        /// Factor on the penalty per parameter, which is log(number of instances) / 2, or 1 with
        /// aic
        penalty: f64 = ScoreOptions::default().penalty
            => .at(Group::Score, Score).value("P").recorded_if(|o| o.score != ScoreKind::Bge);
        /// BGe's degrees of freedom
        alpha_w: Option<f64> = None
            => .at(Group::Score, Score).value("A").default_is("number of variables + 2");
        /// Which distribution is used for missing values: exact, or mean-field (all entries are
        /// independent of each other)
        missing: Option<PosteriorKind> = None
            => .at(Group::Model, Fit).value("KIND").formerly(&["posterior"])
               .default_is("exact for linear networks, mean-field for others")
               .check(|o| {
                   let is_exact = o.missing == Some(PosteriorKind::Exact);
                   if is_exact && !o.is_linear() {
                       let others = o.cpd.iter().filter(|kind| **kind != CpdKind::Linear);
                       let others: Vec<&str> = others.map(CpdKind::word).collect();
                       return Err(Error::options(format!(
                           "{} needs {} (for {} densities use {})",
                           option_value("missing", "exact"),
                           option_value("cpd", "linear"),
                           others.join(" and "),
                           option_value("missing", "mean-field")
                       )));
                   }
                   Ok(())
               });
        /// Learn from 2^x of every value, which turns log-ratios into ratios
        exp2: bool = false => .at(Group::Model, Fit);
        /// Scale columns to unit variance while learning; parameters are reported in the data's
        /// units
        standardize: bool = false => .at(Group::Model, Fit);
        /// Which candidate parents are scored: ideal (those most similar to the ideal parent) or
        /// greedy (all)
        method: Method = Method::Ideal
            => .at(Group::Search, Learn).except(Cv).value("METHOD").everyday().always_recorded();
        /// How many candidate parents per family the ideal method scores: a number, all, or auto
        /// (as many as could still win)
        candidates: Candidates = Candidates::Top(2)
            => .at(Group::Search, Learn).value("K").short('k').formerly(&["k"])
               .recorded_if(|o| o.method == Method::Ideal)
               .check(|o| {
                   // The greedy method scores all, so this is no contradiction.
                   let agrees = o.candidates == Candidates::All
                       || o.candidates == LearnOptions::default().candidates;
                   needs(agrees || o.method == Method::Ideal, option("candidates"), "method", "ideal")
               });
        /// How candidates are compared with the ideal parent: tangent, c2 or c1
        measure: Measure = Measure::Tangent
            => .at(Group::Search, Learn).value("MEASURE")
               .recorded_if(|o| o.ranks_candidates())
               .check(|o| {
                   let is_default = o.measure == LearnOptions::default().measure;
                   needs(is_default || o.ranks_candidates(), option("measure"), "method", "ideal")
               });
        /// Maximum number of hidden variables to add as common parents of variables with similar
        /// ideal parents, or auto (as many as raise the score)
        hidden: HiddenCount = HiddenCount::AtMost(0)
            => .at(Group::Hidden, Learn).value("N").everyday();
        /// Minimum number of children of a hidden variable
        min_children: Option<usize> = None
            => .at(Group::Hidden, Learn).value("C").default_is("3, or 2 with two layers")
               .record_as(|o| {
                   let hidden = o.hidden_options();
                   hidden.is_wanted().then(|| json!(hidden.fewest()))
               })
               .check(|o| o.hidden_options().check());
        /// Hidden variables are roots, and all others have hidden parents only
        two_layer: bool = false
            => .at(Group::Hidden, Learn)
               .check(|o| {
                   if o.two_layer && !(o.require.edges.is_empty() && o.start.edges.is_empty()) {
                       let (two_layer, require) = (flag("two_layer"), option("require"));
                       return Err(Error::options(format!(
                           "{require} and {} cannot be combined with {two_layer}, which allows \
                            edges from hidden variables only",
                           option("start")
                       )));
                   }
                   Ok(())
               });
        /// The search procedure: hill (climbing), tabu, anneal, order (over orders of the
        /// variables), exact (the best network of all, for up to about 25 variables), or auto
        /// (exact or order where that takes seconds, otherwise hill)
        search: SearchKind = SearchKind::Auto
            => .at(Group::Search, Learn).value("SEARCH").everyday().always_recorded()
               .check(check_exact);
        /// Tabu search: number of steps for which a changed edge stays tabu
        tabu_length: Option<usize> = None
            => .at(Group::Search, Learn).value("L").default_is("depends on the number of variables")
               .check(|o| {
                   let is_tabu = o.search == SearchKind::Tabu;
                   needs(o.tabu_length.is_none() || is_tabu, option("tabu_length"), "search", "tabu")?;
                   limit("tabu_length", o.tabu_length)
               });
        /// How long to search, as a factor: the search ends when 50 rounds in a row found nothing
        /// better, or after a certain amount of work
        effort: Option<f64> = None
            => .at(Group::Search, Learn).value("X").everyday()
               .default_is("1 with auto and order, otherwise a single round")
               .check(|o| {
                   let Some(effort) = o.effort else {
                       return Ok(());
                   };
                   if !(0.001..=1e6).contains(&effort) {
                       let problem = format!("must be a number from 0.001 to 1e6, not {effort:?}");
                       return Err(Error::options(about("effort", problem)));
                   }
                   if o.restarts.is_some() {
                       let (effort, restarts) = (option("effort"), option("restarts"));
                       return Err(Error::options(format!(
                           "{effort} cannot be combined with {restarts}"
                       )));
                   }
                   Ok(())
               });
        /// Number of rounds after the first, each from a perturbed copy of the best network so far
        restarts: Option<usize> = None
            => .at(Group::Search, Learn).value("R").default_is("depends on the effort")
               .check(|o| limit("restarts", o.restarts));
        /// Number of random changes that perturb the network or its order before a round
        perturb: Option<usize> = None
            => .at(Group::Search, Learn).value("CHANGES")
               .default_is("depends on the number of variables")
               .check(|o| {
                   if o.perturb.is_some() && !o.searches_again() {
                       let (perturb, restarts) = (option("perturb"), option_value("restarts", 1));
                       return Err(Error::options(format!("{perturb} needs {restarts} or more")));
                   }
                   limit("perturb", o.perturb)
               });
        /// The kinds of moves: add, delete, reverse, replace
        moves: MoveSet = MoveSet::all()
            => .at(Group::Search, Learn).value("MOVES").always_recorded()
               .check(|o| {
                   if o.moves.kinds().next().is_none() {
                       let moves = option("moves");
                       return Err(Error::options(format!("{moves} names no kind of move")));
                   }
                   Ok(())
               });
        /// Maximum number of parents of a variable
        max_parents: Option<usize> = None
            => .at(Group::Knowledge, Learn).value("P").everyday().default_is("no limit");
        /// Edges that the network must have (* matches every variable)
        require: EdgeList = EdgeList::default()
            => .at(Group::Knowledge, Learn).value("FILE").everyday();
        /// Edges that the network must not have (* matches every variable)
        forbid: EdgeList = EdgeList::default()
            => .at(Group::Knowledge, Learn).value("FILE").everyday();
        /// Structure to start the search from
        start: StartEdges = StartEdges::default()
            => .at(Group::Search, Learn).value("FILE");
        /// Tiers of variables, where edges lead to the same or a later tier only
        tiers: TierList = TierList::default()
            => .at(Group::Knowledge, Learn).value("FILE").everyday()
               .check(|o| {
                   let tiers = &o.tiers.tiers;
                   if !tiers.is_empty() && tiers.iter().all(Vec::is_empty) {
                       return Err(Error::options(about("tiers", "no names are listed")));
                   }
                   Ok(())
               });
        /// Seed of the random numbers
        seed: u64 = 0
            => .at(Group::Search, Learn).value("S").everyday().never_recorded();
    }
}
