use super::*;
use crate::learn::IntegratedScore;
use rand::{RngExt, SeedableRng};

fn centred(column: &[f64]) -> Vec<f64> {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let sd = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / column.len() as f64).sqrt();
    column.iter().map(|x| (x - mean) / sd).collect()
}

fn worked_example() -> ProfileSimilarities {
    let columns = [
        [1.0, 0.0, -1.0, 2.0, -2.0],
        [2.0, 1.0, 0.0, 1.0, -4.0],
        [-1.0, 1.0, 2.0, 0.0, -2.0],
    ];
    ProfileSimilarities::new(&columns.map(|c| centred(&c)), 5.0)
}

/// A score that grows with the eigenvalue and does not subtract the gain by chance.
struct Whole;

impl ClusterScore for Whole {
    fn worth(&self, instances: f64, eigenvalue: f64) -> f64 {
        0.5 * instances * (eigenvalue - 1.0 - (2.0 * std::f64::consts::PI).ln())
    }

    fn takes_whole(&self) -> bool {
        true
    }
}

const INTEGRATED: Agglomeration = Agglomeration {
    score: &IntegratedScore,
    quick: false,
};

/// Three profiles of five instances. The expected numbers were computed independently.
#[test]
fn a_cluster_of_three_agrees_with_a_worked_example() {
    let profiles = worked_example();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    close(5.0 * profiles.similarity(0, 1), 4.0451991748);
    close(5.0 * profiles.similarity(0, 2), 0.5);
    close(5.0 * profiles.similarity(1, 2), 2.3596995186);
    let (eigenvalue, vector) = profiles.leading(&[0, 1, 2], vec![1.0; 3]);
    close(5.0 * eigenvalue, 9.9117423568);
    for (v, wanted) in vector
        .iter()
        .zip([0.6080357584, 0.6896813775, 0.3932329005])
    {
        close(v.abs(), wanted);
    }
    close(2.5 * eigenvalue, 4.9558711784);
    close(IntegratedScore.worth(5.0, eigenvalue), 0.7451655822);
    // C2 at the best profile, which is a weighted sum of the members' profiles.
    let y = [
        centred(&[1.0, 0.0, -1.0, 2.0, -2.0]),
        centred(&[2.0, 1.0, 0.0, 1.0, -4.0]),
        centred(&[-1.0, 1.0, 2.0, 0.0, -2.0]),
    ];
    let z: Vec<f64> = (0..5)
        .map(|m| (0..3).map(|i| vector[i] * y[i][m]).sum())
        .collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let c2 = |y: &Vec<f64>| {
        let cosine = dot(y, &z).powi(2) / dot(y, y) / dot(&z, &z);
        -2.5 * (1.0 - cosine).ln()
    };
    close(y.iter().map(c2).sum(), 11.3738216975);
    let products = ProfileSimilarities::new(&y, 5.0)
        .products(
            &[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1],
            (&None, &[0, 1]),
            (&None, &[2]),
        )
        .unwrap();
    let (by_products, found) = profiles.leading_by_products(&[0, 1, 2], &products, vec![1.0; 3]);
    close(by_products, eigenvalue);
    for (a, b) in found.iter().zip(&vector) {
        close(a.abs(), b.abs());
    }
}

/// Agglomerates naively: computes the gain of all pairs in every step, with dense eigenvalues.
fn naive_clusters(profiles: &ProfileSimilarities, how: Agglomeration) -> Vec<Vec<usize>> {
    let evidence = |members: &[usize]| {
        let k = members.len();
        let a = faer::Mat::from_fn(k, k, |i, j| profiles.similarity(members[i], members[j]));
        let eigen = a.self_adjoint_eigen(faer::Side::Lower).unwrap();
        how.evidence(profiles.instances(), k, eigen.S()[k - 1])
    };
    let mut clusters: Vec<Vec<usize>> = (0..profiles.count()).map(|v| vec![v]).collect();
    loop {
        let mut best = (0.0, 0, 0);
        for i in 0..clusters.len() {
            for j in i + 1..clusters.len() {
                let union = [&clusters[i][..], &clusters[j][..]].concat();
                let gain = evidence(&union) - evidence(&clusters[i]) - evidence(&clusters[j]);
                if gain > best.0 {
                    best = (gain, i, j);
                }
            }
        }
        if best.0 <= 0.0 {
            clusters.iter_mut().for_each(|c| c.sort_unstable());
            return clusters;
        }
        let taken = clusters.remove(best.2);
        clusters[best.1].extend(taken);
    }
}

#[test]
fn bounds_give_the_same_clusters_as_a_naive_agglomeration() {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
    let mut merged = 0;
    for case in 0..120 {
        let (n, m, causes) = (4 + case % 15, 5 + case % 40, 1 + case % 3);
        let z: Vec<Vec<f64>> = (0..causes)
            .map(|_| (0..m).map(|_| rng.random::<f64>() - 0.5).collect())
            .collect();
        let profiles: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let own: Vec<f64> = (0..m)
                    .map(|t| z[i % causes][t] + rng.random::<f64>() - 0.5)
                    .collect();
                // A column may have a norm below 1.
                let share = if case % 4 == 0 { 0.9 } else { 1.0 };
                centred(&own).iter().map(|x| x * share).collect()
            })
            .collect();
        let profiles = ProfileSimilarities::new(&profiles, m as f64);
        let how = Agglomeration {
            score: [&IntegratedScore as &dyn ClusterScore, &Whole][case % 2],
            quick: false,
        };
        let mut found = agglomerate(&profiles, how);
        found.sort_by_key(|c| c.members[0]);
        merged += n - found.len();
        let wanted = naive_clusters(&profiles, how);
        let members: Vec<Vec<usize>> = found.iter().map(|c| c.members.clone()).collect();
        assert_eq!(members, wanted, "case {case}");
        for cluster in found {
            let bounds = 1.0 - 1e-12..=cluster.members.len() as f64 + 1e-9;
            assert!(bounds.contains(&cluster.eigenvalue), "{cluster:?}");
        }
    }
    assert!(merged > 500, "{merged}");
}

/// With well separated clusters, the approximate comparison of unions finds the same ones.
#[test]
fn quick_agglomeration_finds_the_same_clusters() {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(6);
    let (n, m, causes) = (60, 80, 5);
    let z: Vec<Vec<f64>> = (0..causes)
        .map(|_| (0..m).map(|_| rng.random::<f64>() - 0.5).collect())
        .collect();
    let profiles: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let noise = |rng: &mut rand_chacha::ChaCha8Rng| 0.8 * (rng.random::<f64>() - 0.5);
            let own: Vec<f64> = (0..m).map(|t| z[i % causes][t] + noise(&mut rng)).collect();
            centred(&own)
        })
        .collect();
    let profiles = ProfileSimilarities::new(&profiles, m as f64);
    let quick = Agglomeration {
        quick: true,
        ..INTEGRATED
    };
    let members = |how| -> Vec<Vec<usize>> {
        let mut found = agglomerate(&profiles, how);
        found.sort_by_key(|c| c.members[0]);
        found.into_iter().map(|c| c.members).collect()
    };
    assert_eq!(members(quick), members(INTEGRATED));
    assert_eq!(members(quick).len(), causes);
}

#[test]
fn no_profile_gives_no_cluster_and_one_profile_gains_nothing() {
    assert!(agglomerate(&ProfileSimilarities::new(&[], 5.0), INTEGRATED).is_empty());
    let one = agglomerate(
        &ProfileSimilarities::new(&[vec![1.0, -1.0]], 2.0),
        INTEGRATED,
    );
    assert_eq!(one.len(), 1);
    assert_eq!((one[0].eigenvalue, one[0].worth), (1.0, 0.0));
    assert_eq!(one[0].loadings(), [0.0]);
}

#[test]
fn identical_profiles_form_one_cluster() {
    let column = centred(&[1.0, 2.0, 4.0, -3.0]);
    let whole = Agglomeration {
        score: &Whole,
        quick: false,
    };
    let found = agglomerate(&ProfileSimilarities::new(&vec![column; 6], 4.0), whole);
    assert_eq!(found.len(), 1);
    assert!((found[0].eigenvalue - 6.0).abs() < 1e-12);
}
