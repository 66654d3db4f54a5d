use super::*;
use crate::data::Column;
use crate::family::Gram;
use crate::graph::{Constraints, Knowledge};
use crate::ideal::GramSelector;
use crate::score::{GramScorer, ScoreKind, ScoreOptions};
use crate::search::MoveSet;
use crate::search::random_data::random_columns;

/// Searches a table of 34 variables that all depend on each other.
fn searched(kind: SearchKind) -> std::result::Result<SearchResult, Failure> {
    let columns = random_columns(34, 300, 2).into_iter().map(Column::from);
    let gram = Gram::new(&columns.collect::<Vec<_>>());
    let options = ScoreOptions {
        kind: ScoreKind::Aic,
        ..ScoreOptions::default()
    };
    let scorer = GramScorer::new(&gram, 34, &options).unwrap();
    let selector = GramSelector::greedy(&scorer);
    let names: Vec<String> = (0..34).map(|v| format!("X{v}")).collect();
    let knowledge = Knowledge {
        max_parents: Some(2),
        ..Knowledge::default()
    };
    let constraints = Constraints::new(&names, &knowledge, &[false; 34], &[]).unwrap();
    let problem = Problem {
        scorer: &scorer,
        selector: &selector,
        constraints: &constraints,
        moves: MoveSet::all(),
    };
    let plan = Plan {
        search: kind,
        affordable: f64::INFINITY,
        exact: true,
        tabu_length: 10,
        restarts: Restarts::Fixed(0),
        perturb: None,
        seed: 0,
    };
    search(problem, &plan, Dag::new(34), None, &mut ())
}

/// Only a user who asks for the exact search gets an error.
#[test]
fn auto_searches_orders_if_the_problem_is_too_large_for_an_exact_search() {
    let exact = searched(SearchKind::Exact);
    assert!(matches!(exact, Err(Failure::TooLarge(_))));
    let auto = searched(SearchKind::Auto).unwrap();
    assert_eq!(auto.search, SearchKind::Order);
    assert_eq!(auto.ending, Ending::Maximum);
    let order = searched(SearchKind::Order).unwrap();
    assert_eq!(auto.dag, order.dag);
}
