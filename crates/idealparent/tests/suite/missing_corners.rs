//! Missing values with collinear columns, in rankings, and with networks of different columns.

use crate::common::holes::with_holes;
use crate::common::linear_network;
use idealparent::cpd::CpdKind;
use idealparent::inference::impute;
use idealparent::{LearnOptions, Table, learn};

/// Two complete, collinear columns next to a column with missing values. Moments of pairs of
/// columns alone could treat the two as different.
#[test]
fn collinear_columns_and_missing_values_can_be_learned() {
    for seed in 0..6 {
        let (_, full) = linear_network(7, 200, 2.0, seed);
        let mut columns = full.columns().to_vec();
        columns.push(columns[0].iter().map(|x| 2.54 * x + 32.0).collect());
        for row in (0..200).step_by(9) {
            columns[6][row] = f64::NAN;
        }
        let table = Table::new(crate::common::names(8), columns).unwrap();
        for cpd in [CpdKind::Linear, CpdKind::sigmoid()] {
            let options = LearnOptions {
                cpd: vec![cpd],
                ..LearnOptions::default()
            };
            let learned = learn(&table, &options, &mut ()).unwrap();
            assert!(learned.network.score.unwrap().value.is_finite());
        }
    }
}

/// C1 and C2 are lower bounds of the true change, also with missing values.
#[test]
fn c1_and_c2_are_lower_bounds_with_missing_values() {
    let (_, full) = linear_network(8, 150, 2.0, 5);
    let table = with_holes(&full, 0.3, 6);
    let options = LearnOptions::default();
    let network = learn(&table, &options, &mut ()).unwrap().network;
    for child in 0..8 {
        let parents = network.families[child].parents.clone();
        let ranking = network
            .rank_parents(&table, child, &parents, &CpdKind::Linear.into())
            .unwrap();
        for candidate in ranking.candidates {
            let delta = candidate.delta.unwrap();
            let slack = 1e-6 * delta.abs().max(1.0);
            assert!(candidate.c2 <= delta + slack, "{candidate:?}");
            assert!(candidate.c1 <= delta + slack, "{candidate:?}");
        }
    }
}

/// There are fewer draws than networks, and only the last network contains all columns.
#[test]
fn one_draw_from_two_networks_fills_all_columns() {
    let (_, full) = linear_network(5, 120, 2.0, 8);
    let table = with_holes(&full, 0.2, 9);
    let options = LearnOptions::default();
    let all = learn(&table, &options, &mut ()).unwrap().network;
    let names = table.names()[1..].to_vec();
    let rest = Table::new(names, table.columns()[1..].to_vec()).unwrap();
    let some = learn(&rest, &options, &mut ()).unwrap().network;
    let filled = impute(&[some, all], &table, 1, 3).unwrap();
    assert_eq!(filled.mean.missing(), 0);
    assert_eq!(filled.draws[0].missing(), 0);
}

#[test]
fn variables_that_were_never_observed_cannot_be_predicted() {
    let (_, full) = linear_network(4, 60, 2.0, 10);
    let mut columns = full.columns().to_vec();
    columns[2] = vec![f64::NAN; 60].into();
    let table = Table::new(full.names().to_vec(), columns).unwrap();
    let network = learn(&table, &LearnOptions::default(), &mut ())
        .unwrap()
        .network;
    let line = network.predict(&table, "X2").unwrap_err().to_string();
    assert_eq!(
        line,
        "'X2' was never observed, so the network cannot predict it"
    );
}
