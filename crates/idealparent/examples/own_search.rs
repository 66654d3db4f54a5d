//! A search of your own over the library's scores and rankings: children in random order, again and again from the
//! best network with some of its edges taken away.
//!
//! `cargo run --release --example own_search`

use std::collections::HashMap;

use idealparent::cpd::CpdKind;
use idealparent::family::{Gram, Profiles};
use idealparent::graph::{Constraints, Dag, Reach};
use idealparent::ideal::{Budget, FamilySelector, Measure, Query, Selector, TIE};
use idealparent::score::{FamilyScorer, Scorer};
use idealparent::search::{MoveSet, Neighbourhood, with_parent, without_parent};
use idealparent::{LearnOptions, data, fit_structure};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Candidates of each ranking that are scored: the paper's K.
const K: usize = 2;

/// The best family of a child that differs from its own in one parent, if it gains.
fn best_change(
    scorer: &dyn Scorer,
    selector: &dyn Selector,
    dag: &Dag,
    child: usize,
) -> Option<Vec<usize>> {
    let parents = dag.parents(child);
    let current = scorer.score(child, parents)?;
    // One ranking for a further parent, and one for the place of each that is there.
    let mut slots = vec![None];
    slots.extend(parents.iter().copied().map(Some));
    let reach = Reach::new(dag);
    let rankings = selector.rank(&Query {
        child,
        parents,
        slots: &slots,
        wanted: K,
        // A descendant as a parent would close a cycle.
        excluded: reach.descendants(child),
        closes_cycle: None,
        least_gain: TIE,
    });
    let mut families: Vec<Vec<usize>> = Vec::new();
    for ranking in rankings {
        let stays = match ranking.replaced {
            Some(replaced) => without_parent(parents, replaced),
            None => parents.to_vec(),
        };
        let best = ranking.candidates.iter().take(K);
        families.extend(best.map(|candidate| with_parent(&stays, candidate.parent)));
    }
    families.extend(parents.iter().map(|&p| without_parent(parents, p)));
    let scored = families.into_iter().filter_map(|family| {
        let gain = scorer.score(child, &family)? - current;
        (gain > TIE).then_some((gain, family))
    });
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, family)| family)
}

/// Visits the children in random order, and again, until none has a better family.
fn climb(scorer: &dyn Scorer, selector: &dyn Selector, dag: &mut Dag, random: &mut ChaCha8Rng) {
    let mut order: Vec<usize> = (0..dag.len()).collect();
    loop {
        order.shuffle(random);
        let mut changed = false;
        for &child in &order {
            let Some(family) = best_change(scorer, selector, dag, child) else {
                continue;
            };
            for parent in dag.parents(child).to_vec() {
                dag.remove_edge(parent, child);
            }
            for parent in family {
                dag.add_edge(parent, child);
            }
            changed = true;
        }
        if !changed {
            return;
        }
    }
}

/// The score of a network is the sum over its families.
fn score(scorer: &dyn Scorer, dag: &Dag) -> f64 {
    let family = |v: usize| scorer.score(v, dag.parents(v));
    (0..dag.len()).filter_map(family).sum()
}

/// The best network of several rounds.
fn search(scorer: &dyn Scorer, selector: &dyn Selector, rounds: usize, seed: u64) -> Dag {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut best = Dag::new(scorer.width());
    climb(scorer, selector, &mut best, &mut random);
    for _ in 1..rounds {
        let mut dag = best.clone();
        for (parent, child) in best.edges() {
            if random.random_bool(0.3) {
                dag.remove_edge(parent, child);
            }
        }
        climb(scorer, selector, &mut dag, &mut random);
        if score(scorer, &dag) > score(scorer, &best) + TIE {
            best = dag;
        }
    }
    best
}

/// Hill climbing, for comparison: the library keeps all moves scored and legal, and a loop takes the best.
fn hill_climbing(scorer: &dyn Scorer, selector: &dyn Selector) -> Dag {
    let constraints = Constraints::none(scorer.width());
    let start = Dag::new(scorer.width());
    let moves = Neighbourhood::new(scorer, selector, &constraints, MoveSet::all(), start);
    let mut moves = moves.expect("families without parents can be fitted");
    moves.rank_all(|| false);
    while let Some((best, _)) = moves.best() {
        moves.take(&best);
    }
    moves.dag().clone()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = LearnOptions {
        cpd: vec![CpdKind::Linear, CpdKind::sigmoid()],
        ..LearnOptions::default()
    };
    let table = data::example("sachs")?.table();

    // Moments, then the data as fits read them, then who scores and who ranks.
    let gram = Gram::new(table.columns());
    let profiles = Profiles::new(table.columns(), &gram);
    let prices = options
        .score_options()
        .prices(gram.instances(), table.width());
    let scorer = FamilyScorer::new(&profiles, options.models(), prices);
    let selector = FamilySelector::new(&scorer, Measure::Tangent, Budget::Top(K));

    let hill = hill_climbing(&scorer, &selector);
    println!("hill climbing {:.3}", score(&scorer, &hill));
    let own = search(&scorer, &selector, 20, 1);
    println!("own search    {:.3}", score(&scorer, &own));

    // A structure becomes a network by fitting its parameters.
    let name = |v: usize| table.names()[v].clone();
    let edges: Vec<_> = own.edges().map(|(p, c)| (name(p), name(c))).collect();
    let network = fit_structure(&table, &edges, &HashMap::new(), &options)?.network;
    for (child, family) in network.families.iter().enumerate() {
        let parents: Vec<&str> = family.parents.iter().map(|&p| network.name(p)).collect();
        let (name, kind) = (network.name(child), family.cpd.kind());
        println!("{name} <- {} ({kind})", parents.join(", "));
    }
    Ok(())
}
