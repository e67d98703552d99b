//! One test for each warning that the measurements show.

use std::time::Duration;

use numasim_host::testing::cpus;

use super::*;
use crate::doubt::codes;

/// Ten equal repetitions without a warning.
fn steady() -> Repeated {
    Repeated {
        scenario: "even".into(),
        app: "mem".into(),
        gflops: vec![2.0; 10],
        huge_pages: Some(1.0),
        pages_verified: true,
        page_faults: Some((0, 0)),
        waited: Some(0.0),
        counting: Some(0.0),
        asked_intensity: 0.5,
        ran_intensity: 0.5,
    }
}

fn doubts(app: Repeated) -> Vec<Doubt> {
    after(&[steady(), app], &Watched::default(), &cpus("0-1"))
}

#[test]
fn a_steady_run_raises_no_warning() {
    assert_eq!(doubts(steady()), []);
    assert_eq!(after(&[], &Watched::default(), &cpus("0")), []);
}

#[test]
fn a_wide_spread_names_scenario_and_application() {
    // Five times 9 and five times 11: mean 10, squares 10 over 9, root 1.054.
    let gflops = [[9.0; 5], [11.0; 5]].concat();
    let [doubt] = &doubts(Repeated { gflops, ..steady() })[..] else { panic!("one doubt") };
    assert_eq!(
        doubt.to_string(),
        "the GFLOPS of 'mem' in 'even' spread by 11 % over 10 repetitions (standard deviation / mean, limit 5 %)"
    );
    assert!(doubt.holds_for("even", "mem"));
    assert!(!doubt.holds_for("even", "compute") && !doubt.holds_for("uneven", "mem"));
    // 9.54 and 10.46: squares 10 x 0.46^2 over 9, root 0.485: 4.8 %, below the limit.
    let gflops = [[9.54; 5], [10.46; 5]].concat();
    assert_eq!(doubts(Repeated { gflops, ..steady() }), []);
}

#[test]
fn few_repetitions_are_reported_once_for_the_run() {
    let few = Repeated { gflops: vec![2.0; 4], ..steady() };
    assert_eq!(doubts(few.clone()), [Doubt::FewRepetitions { repetitions: 4 }]);
    assert_eq!(after(&[few.clone(), few], &Watched::default(), &cpus("0")).len(), 1);
}

#[test]
fn few_huge_pages() {
    assert_eq!(codes(&doubts(Repeated { huge_pages: Some(0.5), ..steady() })), ["no-huge-pages"]);
    assert_eq!(doubts(Repeated { huge_pages: Some(0.95), ..steady() }), []);
    assert_eq!(doubts(Repeated { huge_pages: None, ..steady() }), []);
}

#[test]
fn unverified_pages() {
    let [doubt] = &doubts(Repeated { pages_verified: false, ..steady() })[..] else { panic!("one doubt") };
    assert_eq!((doubt.code(), doubt.app()), ("unverified-pages", Some("mem")));
}

#[test]
fn counting_overhead() {
    let [doubt] = &doubts(Repeated { counting: Some(0.004), ..steady() })[..] else { panic!("one doubt") };
    assert_eq!(doubt.to_string(), "counting took 0.40 % of the window of 'mem' in 'even'");
    assert_eq!(doubts(Repeated { counting: Some(0.001), ..steady() }), []);
}

#[test]
fn unexpected_page_faults() {
    let [doubt] = &doubts(Repeated { page_faults: Some((900, 0)), ..steady() })[..] else {
        panic!("one doubt")
    };
    assert_eq!(
        doubt.to_string(),
        "'mem' in 'even' had 900 page faults in the timed part, and its kernel has 0"
    );
    // New memory of 1,048,576 small pages, and a few unrelated faults; huge pages although small ones were expected.
    assert_eq!(doubts(Repeated { page_faults: Some((1_048_579, 1_048_576)), ..steady() }), []);
    assert_eq!(doubts(Repeated { page_faults: Some((2048, 1_048_576)), ..steady() }).len(), 1);
    assert_eq!(doubts(Repeated { page_faults: None, ..steady() }), []);
}

#[test]
fn a_different_intensity_is_reported_once_for_all_scenarios() {
    let other = Repeated { asked_intensity: 0.3, ran_intensity: 0.3125, ..steady() };
    let elsewhere = Repeated { scenario: "uneven".into(), ..other.clone() };
    let doubts = after(&[other, elsewhere], &Watched::default(), &cpus("0"));
    assert_eq!(doubts, [Doubt::KernelIntensity { app: "mem".into(), asked: 0.3, ran: 0.3125 }]);
    assert!(doubts[0].advice().contains("arithmetic_intensity = 0.3125"), "{}", doubts[0].advice());
}

#[test]
fn throttling_counts_only_if_it_happened() {
    let watched = |periods, waited| Watched {
        throttled: Some(Throttled { periods, waited: Duration::from_millis(waited) }),
        ..Watched::default()
    };
    assert_eq!(after(&[steady()], &watched(0, 0), &cpus("0")), []);
    let doubts = after(&[steady()], &watched(3, 250), &cpus("0"));
    assert_eq!(
        doubts[0].to_string(),
        "a control group throttled threads in 3 periods of the run, 0.250 s in all"
    );
}

#[test]
fn stolen_time_counts_on_the_used_processor_that_lost_most() {
    let shares = BTreeMap::from([(0, 0.02), (1, 0.05), (2, 0.05), (3, 0.9)]);
    let shares =
        shares.into_iter().map(|(cpu, stolen)| (cpu, Share { busy: 1.0 - stolen, stolen })).collect();
    let watched = Watched { shares, ..Watched::default() };
    for used in ["0-2", "2,1,0"] {
        assert_eq!(after(&[steady()], &watched, &cpus(used)), [Doubt::StolenTime { share: 0.05, cpu: 1 }]);
    }
}

#[test]
fn fractions_are_readable() {
    let messages: Vec<String> =
        [0.0, 0.001, 0.034, 0.07, 0.105, 1.0].iter().map(|&share| Percent(share).to_string()).collect();
    assert_eq!(messages, ["0 %", "0.1 %", "3.4 %", "7 %", "10 %", "100 %"]);
}
