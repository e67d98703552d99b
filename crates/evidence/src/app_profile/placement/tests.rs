//! Classes calculated by hand, and random signatures.

use proptest::prelude::*;

use super::*;

fn look(data: &[f64], threads: &[f64]) -> Look {
    Look::of(data, Some(threads)).expect("data and threads")
}

fn told(looks: &[Look]) -> Candidate {
    match classify(looks) {
        Some(Verdict::Told { best, .. }) => best,
        other => panic!("no class: {other:?}"),
    }
}

#[test]
fn one_look_with_uneven_threads_identifies_the_simple_classes() {
    let threads = [6.0, 2.0, 0.0, 0.0];
    let found = |data: &[f64]| told(&[look(data, &threads)]).placement;
    assert_eq!(found(&[3.0, 1.0, 0.0, 0.0]), Placement::Local);
    assert_eq!(found(&[0.0, 0.0, 1.0, 0.0]), Placement::Home(NodeId(2)));
    assert_eq!(found(&[1.0, 1.0, 1.0, 1.0]), Placement::Interleave);
    // Half on node 3, half where the threads are: 0.375, 0.125, 0, 0.5.
    let Placement::PartHome { home, share } = found(&[0.375, 0.125, 0.0, 0.5]) else {
        panic!("no share at a home")
    };
    assert_eq!(home, NodeId(3));
    assert!((share - 0.5).abs() < 1e-12);
    // 40 % over four nodes: 0.1 each, and 0.6 x (0.75, 0.25).
    let Placement::PartInterleave { share } = found(&[0.55, 0.25, 0.1, 0.1]) else {
        panic!("no interleaved share")
    };
    assert!((share - 0.4).abs() < 1e-12);
    assert_eq!(found(&[0.0, 0.5, 0.2, 0.3]), Placement::Fractions(vec![0.0, 0.5, 0.2, 0.3]));
}

#[test]
fn data_that_a_class_does_not_explain_is_its_residual() {
    // Threads 1:1, data 52:48: 2 % is elsewhere than local data would be; two nodes with even threads are
    // also interleave.
    let even = classify(&[look(&[52.0, 48.0], &[1.0, 1.0])]);
    let Some(Verdict::Equal(classes)) = even else { panic!("{even:?}") };
    assert_eq!(classes.len(), 2);
    assert!(classes.iter().all(|one| (one.residual - 0.02).abs() < 1e-12), "{classes:?}");
    let best = told(&[look(&[0.96, 0.04, 0.0], &[0.0, 0.5, 0.5])]);
    assert_eq!(best.placement, Placement::Home(NodeId(0)));
    assert!((best.residual - 0.04).abs() < 1e-12);
}

#[test]
fn a_second_look_distinguishes_local_data_from_a_home() {
    let first = look(&[1.0, 0.0], &[1.0, 0.0]);
    let Some(Verdict::Equal(classes)) = classify(std::slice::from_ref(&first)) else { panic!("guessed") };
    assert!(classes.iter().any(|one| one.placement == Placement::Local));
    assert!(classes.iter().any(|one| one.placement == Placement::Home(NodeId(0))));
    // Threads on both nodes, data still on node 0: node 0 is its home. Data follows the threads: it is local.
    assert_eq!(told(&[first.clone(), look(&[1.0, 0.0], &[1.0, 1.0])]).placement, Placement::Home(NodeId(0)));
    assert_eq!(told(&[first, look(&[0.3, 0.7], &[0.3, 0.7])]).placement, Placement::Local);
}

#[test]
fn without_threads_or_with_one_node_no_class_is_guessed() {
    let unknown = Look::of(&[1.0, 1.0], None).expect("data");
    assert!(matches!(classify(&[unknown]), Some(Verdict::Equal(_))));
    assert_eq!(classify(&[look(&[5.0], &[2.0])]), Some(Verdict::OneNode));
    assert_eq!(classify(&[]), None);
    assert_eq!(classify(&[look(&[1.0], &[1.0]), look(&[1.0, 1.0], &[1.0, 1.0])]), None);
    for (data, threads) in
        [(&[0.0, 0.0][..], &[1.0, 1.0][..]), (&[1.0, 1.0], &[0.0, 0.0]), (&[1.0], &[1.0, 1.0])]
    {
        assert_eq!(Look::of(data, Some(threads)), None);
    }
}

#[test]
fn two_looks_separate_local_interleaved_and_static_data() {
    // a = 0.5, 0.1 on each of two nodes, 0.3 more on node 0: f = (0.4, 0.1).
    let of = |threads: [f64; 2]| look(&[0.5 * threads[0] + 0.4, 0.5 * threads[1] + 0.1], &threads);
    let found = signature(&[of([1.0, 0.0]), of([0.5, 0.5])]).expect("threads differ");
    assert!((found.local - 0.5).abs() < 1e-6, "{found:?}");
    assert!((found.interleaved - 0.2).abs() < 1e-6, "{found:?}");
    assert!((found.fixed[0] - 0.3).abs() < 1e-6 && found.fixed[1].abs() < 1e-6, "{found:?}");
    assert!(found.residual < 1e-6);
    assert_eq!(signature(&[of([1.0, 0.0])]), None);
    assert_eq!(signature(&[of([1.0, 0.0]), of([0.95, 0.05])]), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A signature describes data that is placed according to it, and the class is never worse than local
    /// data or one fraction.
    #[test]
    fn a_signature_is_recovered(
        weights in proptest::collection::vec(0.0..1.0_f64, 4),
        first in proptest::collection::vec(0.0..1.0_f64, 3),
        second in proptest::collection::vec(0.0..1.0_f64, 3),
    ) {
        let sum: f64 = weights.iter().sum();
        prop_assume!(sum > 0.1 && first.iter().sum::<f64>() > 0.1 && second.iter().sum::<f64>() > 0.1);
        let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        let of = |threads: &[f64]| {
            let all: f64 = threads.iter().sum();
            let data: Vec<f64> = (0..3).map(|node| shares[0] * threads[node] / all + shares[node + 1]).collect();
            look(&data, threads)
        };
        let looks = [of(&first), of(&second)];
        if let Some(found) = signature(&looks) {
            prop_assert!(found.residual < 1e-5, "{:?}", found);
            prop_assert!((found.local - shares[0]).abs() < 1e-3, "{:?} of {:?}", found, shares);
            let all = found.local + found.interleaved + found.fixed.iter().sum::<f64>();
            prop_assert!((all - 1.0).abs() < 1e-9);
        }
        if let Some(Verdict::Told { best, .. }) = classify(&looks) {
            prop_assert!((0.0..=1.0).contains(&best.residual));
        }
    }
}
