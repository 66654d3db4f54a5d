//! A custom search that uses the library's scores and rankings. It visits the children in random
//! order, and restarts from the best network with some of its edges removed.
//!
//! `cargo run --release -p idealparent-examples --example own_search`

use idealparent::extend::{
    Budget, Constraints, FamilyScorer, FamilySelector, Gram, Neighbourhood, Profiles, Query, Reach,
    Scorer, Selector, TIE, with_parent, without_parent,
};
use idealparent::{CpdKind, Dag, LearnOptions, Measure, MoveSet, Structure, example, fit};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of candidates scored per ranking, the paper's K.
const K: usize = 2;

/// The best family that adds, replaces or removes one parent of a child; `None` if none raises
/// the score.
fn best_change(
    scorer: &dyn Scorer,
    selector: &dyn Selector,
    dag: &Dag,
    child: usize,
) -> Option<Vec<usize>> {
    let parents = dag.parents(child);
    let current = scorer.score(child, parents)?;
    // One ranking for an additional parent, and one for the replacement of each parent.
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

/// Visits the children in random order until no child has a better family.
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

/// Hill climbing, for comparison. The library keeps all moves scored and legal; the loop takes the
/// best one.
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
    let mut options = LearnOptions::default();
    options.cpd = vec![CpdKind::Linear, CpdKind::sigmoid()];
    let table = example("sachs")?.table();

    // Second moments, standardised data, the scorer and the selector.
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

    // Fitting the parameters turns the structure into a network.
    let name = |v: usize| table.names()[v].clone();
    let structure = Structure::of_edges(own.edges().map(|(p, c)| (name(p), name(c))));
    let network = fit(&table, &structure, &options)?.network;
    for (child, family) in network.families.iter().enumerate() {
        let parents: Vec<&str> = family.parents.iter().map(|&p| network.name(p)).collect();
        let (name, kind) = (network.name(child), family.cpd.kind());
        println!("{name} <- {} ({kind})", parents.join(", "));
    }
    Ok(())
}
