use super::*;
use crate::learn::LearnOptions;

/// The plan of the default options for a table too large for an exact search.
fn whole() -> Plan {
    LearnOptions::default().plan(100, 500)
}

fn begun(first: f64) -> GammaChoice {
    GammaChoice {
        tried: vec![first],
        ..GammaChoice::default()
    }
}

/// The values that each search uses if its network implies these values.
fn values(choice: &mut GammaChoice, implied: &[f64]) -> Vec<(Stage, f64)> {
    let mut searches = Vec::new();
    for &implied in implied {
        assert!(choice.advance(implied, 4.0, &whole(), false));
        assert!(!choice.is_damaged());
        searches.push((choice.stage, choice.value()));
    }
    searches
}

#[test]
fn short_searches_settle_before_the_complete_one() {
    let mut choice = begun(1.0);
    let searches = values(&mut choice, &[0.6, 0.5, 0.5]);
    let expected = [
        (Stage::Short, 0.6),
        (Stage::Short, 0.5),
        (Stage::Complete, 0.5),
    ];
    assert_eq!(searches, expected);
    // The complete search agrees.
    assert!(!choice.advance(0.5, 4.0, &whole(), false));
    assert_eq!(choice.value(), 0.5);
}

/// After a circle the complete search begins at the largest value. Its network may imply another.
#[test]
fn complete_searches_set_the_price_after_a_circle_of_short_ones() {
    let mut choice = begun(0.9);
    let searches = values(&mut choice, &[0.7, 0.5, 0.7, 0.5, 0.5]);
    let expected = [
        (Stage::Short, 0.7),
        (Stage::Short, 0.5),
        // The circle.
        (Stage::Short, 0.7),
        (Stage::Complete, 0.7),
        // Far from the value at which the network was searched.
        (Stage::Complete, 0.5),
    ];
    assert_eq!(searches, expected);
    assert!(!choice.advance(0.5, 4.0, &whole(), false));
    assert_eq!(choice.value(), 0.5);
}

#[test]
fn complete_searches_set_the_price_after_too_many_short_ones() {
    let mut choice = begun(2.0);
    let short: Vec<f64> = (1..MOST).map(|i| 2.0 - 0.1 * i as f64).collect();
    let searches = values(&mut choice, &short);
    assert!(searches.iter().all(|search| search.0 == Stage::Short));
    let searches = values(&mut choice, &[0.5, 0.8, 0.79]);
    let expected = [
        (Stage::Complete, 2.0 - 0.1 * (MOST - 1) as f64),
        (Stage::Complete, 0.8),
        (Stage::Settling, 0.79),
    ];
    assert_eq!(searches, expected);
    assert!(!choice.advance(0.79, 4.0, &whole(), false));
}

/// However the values go, the choice ends, and its state is never mistaken for a damaged one.
#[test]
fn every_choice_ends() {
    for seed in 0..2000_u64 {
        let mut choice = begun(1.0);
        let mut number = seed;
        for count in 0.. {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let implied = ((number >> 33) % (1 + seed % 40)) as f64 / 20.0;
            let goes_on = choice.advance(implied, 4.0, &whole(), false);
            assert!(!choice.is_damaged(), "{seed}");
            if !goes_on {
                break;
            }
            assert!(count < 40, "{seed}");
        }
    }
}

/// The network of an exact search stays the best at its price.
#[test]
fn nothing_follows_an_exact_search_that_is_near() {
    let mut choice = begun(0.6);
    let searches = values(&mut choice, &[0.6]);
    assert_eq!(searches, [(Stage::Complete, 0.6)]);
    assert!(!choice.advance(0.61, 4.0, &whole(), true));
    assert_eq!(choice.value(), 0.6);
}
