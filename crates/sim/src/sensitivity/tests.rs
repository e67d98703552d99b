//! Gains and ranges calculated by hand, and properties of any of them.

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Access, Allocation, App, NodeId};
use proptest::prelude::*;

use super::*;
use crate::objective::Objective;
use crate::parallel::on_threads;
use crate::restrictions::Restrictions;
use crate::search::{Monitor, Settings, Unattended, explore};
use crate::testing::{local_app, uniform_machine};

fn solved(problem: &Problem) -> Sensitivity {
    let outcome = explore(problem, &Settings::default(), &Unattended).unwrap();
    analyse(problem, &outcome.best, &outcome.alternatives, &Unattended).expect("allowed winners")
}

fn paper(restrictions: Restrictions) -> Problem {
    let machine = uniform_machine(4, 8, 10.0, 32.0, 10.0);
    let apps = [
        local_app("mem-1", 0.5),
        local_app("mem-2", 0.5),
        local_app("mem-3", 0.5),
        local_app("compute", 10.0),
    ];
    Problem::new(&machine, &apps, Objective::TotalGflops, restrictions).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs().max(1.0)
}

#[test]
fn a_faster_l3_domain_serves_the_unmet_demand() {
    // Hand test B of L3 domains: 16 cores in domains of 8 that read 50 GB/s, 30 GB/s a core. 2 + 2 threads get 100 of their 120 GB/s, and
    // the memory has 120. One more GB/s in each domain is worth 2 GFLOPS, one more of the memory nothing. One more core would not give a
    // valid machine.
    let flat = uniform_machine(1, 16, 1000.0, 120.0, 1.0);
    let mut node = *flat.node(NodeId(0));
    node.core_bandwidth = Some(GigabytesPerSecond::new(30.0));
    (node.cores_per_l3, node.l3_bandwidth) = (Some(8), Some(GigabytesPerSecond::new(50.0)));
    let machine = flat.retuned(vec![node], vec![GigabytesPerSecond::new(1.0)]).unwrap();
    let apps = [local_app("a", 1.0)];
    let found =
        solved(&Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap());
    let of = |key: &str| found.widening.iter().find(|w| w.figure.key() == key);
    assert!(close(of("l3_read_gbs").unwrap().gain.unwrap(), 2.0));
    assert_eq!(of("bandwidth_gbs").unwrap().gain, Some(0.0));
    assert!(of("cores").is_none() && found.widening_left == 0);
    // 3 + 3 threads draw the same, and are ahead as soon as domains of more than 60 GB/s are not saturated by two.
    assert!(found.ranges.iter().any(|range| range.figure.key() == "l3_read_gbs"));
}

#[test]
fn gains_on_the_papers_machine() {
    let everywhere = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
    let found = solved(&paper(everywhere));
    let of = |key: &str| found.widening.iter().filter(move |w| w.figure.key() == key).collect::<Vec<_>>();
    // 1, 1, 1, 5 on every node: three threads share 32 - 5 = 27 GB/s; one more GB/s is 0.5 GFLOPS more. 10 % are 3.2
    // GB/s and 1.6 GFLOPS.
    let controllers = of("bandwidth_gbs");
    assert_eq!(controllers.len(), 1, "equal nodes are one entry");
    assert_eq!(controllers[0].figure.count(), 4);
    assert!(close(controllers[0].gain.unwrap(), 0.5));
    assert!(close(controllers[0].gain_10_percent.unwrap(), 1.6));
    assert!(close(controllers[0].gain_moved.unwrap(), 0.5));
    // One more core runs compute: + 10 GFLOPS, and its 1 GB/s is taken from AI 0.5: - 0.5.
    let cores = of("cores");
    assert!(close(cores[0].gain.unwrap(), 9.5));
    assert_eq!(cores[0].used_by, [numasim_model::AppId(3)]);
    // 1 % of 5 cores of compute is 0.5 GFLOPS; their 0.05 GB/s are taken from AI 0.5: - 0.025.
    let peaks = of("gflops_per_core");
    assert!(close(peaks[0].gain.unwrap(), 0.475));
    // No thread reads over a link.
    let links = of("link_gbs");
    assert_eq!((links.len(), links[0].figure.count(), links[0].gain), (1, 12, Some(0.0)));
    assert!(found.better.is_none());
}

#[test]
fn a_faster_controller_is_also_faster_for_write_kernels() {
    // One node of 32 GB/s, 24 of triads, which want 160: one more GB/s of reads is 0.75 GB/s of triads, 10 % are 2.4.
    let machine = crate::testing::with_nodes(&uniform_machine(1, 8, 10.0, 32.0, 1.0), |_, mut node| {
        node.kernels.set(Access::Triad, GigabytesPerSecond::new(24.0));
        node
    });
    let triad = App { kernel: Access::Triad, ..local_app("triad", 0.5) };
    let problem = Problem::new(&machine, &[triad], Objective::TotalGflops, Restrictions::default()).unwrap();
    let found = solved(&problem);
    let controller = found.widening.iter().find(|w| w.figure.key() == "bandwidth_gbs").expect("a controller");
    assert!(close(controller.gain.unwrap(), 0.375), "{controller:?}");
    assert!(close(controller.gain_10_percent.unwrap(), 1.2), "{controller:?}");
}

#[test]
fn a_suboptimal_answer_is_replaced_by_a_better_one() {
    let problem = paper(Restrictions::default());
    let even = problem.baselines(&[], &Unattended).remove(0).candidate;
    let found = analyse(&problem, &even, &[], &Unattended).expect("allowed winners");
    let better = found.better.expect("140 GFLOPS can be beaten");
    assert!(better.score > 140.0);
    assert!(found.ranges.iter().all(|range| range.below.as_ref().is_none_or(|switch| switch.factor < 1.0)));
}

/// One node, 2 cores, 10 GFLOPS each, 8 GB/s, none idle. `low` has AI 1 and wants 10 GB/s a thread, `high` has AI `high`.
fn two_kinds(high: f64) -> Problem {
    let machine = uniform_machine(1, 2, 10.0, 8.0, 1.0);
    let mut apps = [local_app("low", 1.0), local_app("high", high)];
    for app in &mut apps {
        app.min_threads = 0;
    }
    let no_idle_cores = Restrictions { no_idle_cores: true, ..Restrictions::default() };
    Problem::new(&machine, &apps, Objective::TotalGflops, no_idle_cores).unwrap()
}

#[test]
fn a_range_ends_where_the_other_application_takes_the_cores() {
    // Two threads of `high` (AI 1.5): min(20, 8 x 1.5) = 12. Two of `low` (AI 1): min(20, 8) = 8. One of each: 10/1.5 = 6.67 GB/s and 10
    // GB/s are wanted of 8; baseline 4 each, nothing is left: 6 + 4 = 10. `low` must have more than AI 1.5 to win: + 50 %; `high` less than
    // AI 1: - 33.3 %. A mixed allocation does not win before that.
    let found = solved(&two_kinds(1.5));
    let of = |name: usize| {
        let member = numasim_model::AppId(name);
        found.ranges.iter().find(|r| r.figure == Figure::Intensities(vec![member])).unwrap()
    };
    let low = of(0);
    assert!(low.below.is_none());
    assert!(close(low.above.as_ref().unwrap().factor, 1.5), "{low:?}");
    assert_eq!(low.lost, [0.0; 4]);
    let high = of(1);
    assert!(high.above.is_none());
    assert!(close(high.below.as_ref().unwrap().factor, 1.0 / 1.5), "{high:?}");
    // With half the intensity, 0.75, `low` wins with 8; `high` keeps 6.
    assert_eq!(high.below.as_ref().unwrap().winner.allocation.as_slice(), [2, 0]);
}

#[test]
fn the_loss_is_the_lead_of_the_winner() {
    // AI 1.1 against 1: 8.8 against 8. With 20 % less, AI 0.88, the kept allocation has 7.04 of 8: 12 % are lost;
    // with 10 % less, AI 0.99: 7.92 of 8, 1 %.
    let found = solved(&two_kinds(1.1));
    let high = &found.ranges[1];
    assert!(close(high.lost[0], 0.12) && close(high.lost[1], 0.01), "{:?}", high.lost);
    assert_eq!(high.lost[2..], [0.0, 0.0]);
}

#[test]
fn a_tie_does_not_win() {
    // Equal applications on one node: every split of the cores has the same total, for any bandwidth.
    let found = solved(&two_kinds(1.0));
    let controller = found.ranges.iter().find(|r| matches!(r.figure, Figure::Controllers(_))).unwrap();
    assert!(controller.below.is_none() && controller.above.is_none());
}

#[test]
fn rivals_that_the_question_forbids_are_left_out() {
    // At least one thread of each: giving all cores to one application is no rival, although it would be better.
    let machine = uniform_machine(1, 2, 10.0, 8.0, 1.0);
    let apps = [local_app("low", 0.1), local_app("high", 10.0)];
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
    let outcome = explore(&problem, &Settings::default(), &Unattended).unwrap();
    let forbidden =
        Candidate { allocation: Allocation::from_rows(&[vec![0], vec![2]]).unwrap(), ..outcome.best.clone() };
    let found = analyse(&problem, &outcome.best, &[forbidden], &Unattended).expect("allowed winners");
    assert!(found.better.is_none());
}

#[test]
fn unfinished_items_are_counted() {
    struct Stopped;
    impl Monitor for Stopped {
        fn stop(&self) -> bool {
            true
        }
        fn progress(&self, _: &crate::search::Progress) {}
    }
    impl Shared for Stopped {
        fn is_over(&self, _: f64) -> bool {
            true
        }
    }
    let problem = paper(Restrictions::default());
    let outcome = explore(&problem, &Settings::default(), &Unattended).unwrap();
    let found = analyse(&problem, &outcome.best, &[], &Stopped).expect("allowed winners");
    assert!(found.ranges.is_empty() && found.widening.is_empty());
    // 4 controllers, 12 links, 4 x cores, 4 x peak; 4 applications in a separate group, controllers, peaks
    assert_eq!((found.widening_left, found.ranges_left), (24, 6));
}

#[test]
fn gains_use_the_remaining_time() {
    /// The first half of the time is over.
    struct Half;
    impl Monitor for Half {
        fn stop(&self) -> bool {
            false
        }
        fn progress(&self, _: &crate::search::Progress) {}
    }
    impl Shared for Half {
        fn is_over(&self, part: f64) -> bool {
            part < 0.9
        }
    }
    let problem = paper(Restrictions::default());
    let outcome = explore(&problem, &Settings::default(), &Unattended).unwrap();
    let found = analyse(&problem, &outcome.best, &[], &Half).expect("allowed winners");
    assert_eq!((found.ranges_left, found.widening_left), (6, 0));
    assert!(!found.widening.is_empty());
}

/// Asks to stop at its second call, and counts the calls after it.
#[derive(Default)]
struct Soon(std::sync::atomic::AtomicU64);

impl Monitor for Soon {
    fn stop(&self) -> bool {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 1
    }
    fn progress(&self, _: &crate::search::Progress) {}
}

#[test]
fn a_local_search_stops_on_request() {
    // 64 nodes and 40 applications: one pass of changes would take 500 evaluations, each of 40 x 64 x 3 flows.
    let machine = uniform_machine(64, 8, 10.0, 32.0, 10.0);
    let apps: Vec<App> = (0..40).map(|n| local_app(&format!("a{n}"), 0.5 + f64::from(n))).collect();
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
    let even = problem.baselines(&[], &Unattended).remove(0).candidate;
    let soon = Soon::default();
    climb::climb(&problem, &even, 500, &soon);
    let asked = soon.0.into_inner();
    assert!(asked <= 4, "asked {asked} times");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let problem = paper(Restrictions::default());
    let with = |threads: usize| on_threads(threads, || solved(&problem));
    assert_eq!(with(1), with(3));
}

proptest! {
    #![proptest_config(crate::random::questions(48))]

    /// With local data no application takes bandwidth from another node, and more of it, shared by one rule, helps every application.
    #[test]
    fn faster_controllers_never_lose_and_ranges_contain_their_value(
        nodes in 1_usize..4,
        cores in 1_u32..5,
        bandwidth in 1.0..40.0_f64,
        intensities in prop::collection::vec(0.05..10.0_f64, 1..4),
    ) {
        let machine = uniform_machine(nodes, cores, 10.0, bandwidth, 10.0);
        let mut apps: Vec<_> = intensities.iter().enumerate().map(|(i, &x)| local_app(&format!("a{i}"), x)).collect();
        for app in &mut apps {
 app.min_threads = 0;
 }
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
        let found = solved(&problem);
        prop_assert!(found.better.is_none());
        for one in &found.widening {
            let (gain, moved) = (one.gain.unwrap(), one.gain_moved.unwrap());
            prop_assert!(moved >= gain - 1e-9, "{one:?}");
            if matches!(one.figure, Figure::Controllers(_) | Figure::Links(_)) {
                prop_assert!(gain >= 0.0, "{one:?}");
            }
        }
        for range in &found.ranges {
            let (low, high) = (&range.below, &range.above);
            prop_assert!(low.as_ref().is_none_or(|s| s.factor <= 1.0 && s.factor >= SMALLEST_FACTOR));
            prop_assert!(high.as_ref().is_none_or(|s| s.factor >= 1.0 && s.factor <= LARGEST_FACTOR));
            prop_assert!(range.lost.iter().all(|lost| (0.0..=1.0).contains(lost)));
        }
    }

    /// An allocation that is reported to win beyond a range really wins there, as a full search confirms.
    #[test]
    fn a_new_search_beyond_a_range_is_at_least_as_good_as_the_winner(
        cores in 1_u32..5,
        bandwidth in 1.0..40.0_f64,
        intensities in prop::collection::vec(0.05..10.0_f64, 2..4),
    ) {
        let machine = uniform_machine(2, cores, 10.0, bandwidth, 10.0);
        let mut apps: Vec<_> = intensities.iter().enumerate().map(|(i, &x)| local_app(&format!("a{i}"), x)).collect();
        for app in &mut apps {
 app.min_threads = 0;
 }
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
        let best = explore(&problem, &Settings::default(), &Unattended).unwrap().best;
        let found = analyse(&problem, &best, &[], &Unattended).expect("allowed winners");
        for (range, end) in found.ranges.iter().filter_map(|range| Some((range, range.above.as_ref()?))) {
            let factor = end.factor * (1.0 + 1e-5);
            let change = figure::Change::Times(factor);
            let (machine, apps) = range.figure.changed(&machine, &apps, change).unwrap();
            let there = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
            let again = explore(&there, &Settings::default(), &Unattended).unwrap();
            let kept = climb::rated(&there, &best).score;
            prop_assert!(again.best.score > kept, "{range:?}");
        }
    }
}

#[test]
fn different_values_vary_separately_and_together() {
    let mut nodes = uniform_machine(3, 4, 10.0, 20.0, 5.0).nodes().to_vec();
    nodes[2].bandwidth = numasim_model::units::GigabytesPerSecond::new(30.0);
    let links = vec![numasim_model::units::GigabytesPerSecond::new(5.0); 9];
    let machine = numasim_model::Machine::new("two kinds", nodes, links).unwrap();
    let apps = [local_app("a", 0.5), local_app("b", 5.0)];
    let problem = Problem::new(&machine, &apps, Objective::Fair, Restrictions::default()).unwrap();
    let found = solved(&problem);
    let controllers: Vec<&Figure> =
        found.ranges.iter().map(|r| &r.figure).filter(|f| f.key() == "bandwidth_gbs").collect();
    let [n0, n1, n2] = [0, 1, 2].map(NodeId);
    assert_eq!(
        controllers,
        [
            &Figure::Controllers(vec![n0, n1, n2]),
            &Figure::Controllers(vec![n0, n1]),
            &Figure::Controllers(vec![n2])
        ]
    );
}
