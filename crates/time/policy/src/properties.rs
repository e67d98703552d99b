//! Properties of every policy, on random machines and views.

use numasim_course::{Channel, Phase, Scaling, Study};
use numasim_model::order::{Control, Order, Waiting};
use numasim_model::units::{FlopPerByte, Gflop, Megabytes, Seconds};
use numasim_model::{AppId, Machine};
use proptest::prelude::*;

use crate::testing::{machine, scenario, study, view};
use crate::{AppView, Decision, Looks, Policy, PolicyName, Presence, View, orders};

const APPS: usize = 4;

/// The policies that decide.
const NAMES: [&str; 9] = [
    "static-even",
    "static:s",
    "fair-share",
    "lead:2",
    "lend",
    "oversubscribe:2",
    "marginal",
    "reexplore",
    "replan",
];

/// Two phases, a channel from the first to the second application, sleep and bad scaling of the third.
fn question(cores: &[u32]) -> Study {
    let mut study = study(machine(cores), &[0.5, 2.0, 10.0, 1.0]);
    for course in &mut study.dynamics.courses {
        let first = course.phases[0].clone();
        course.phases.push(Phase { arithmetic_intensity: FlopPerByte::new(4.0), ..first });
    }
    study.dynamics.courses[2].phases[0].io = Seconds::new(0.01);
    study.dynamics.courses[2].phases[0].scaling = Scaling::Serial { fraction: 0.2 };
    let (from, to) = (AppId(0), AppId(1));
    study.dynamics.channels = vec![Channel { from, to, item: Megabytes::new(1.0), capacity: None }];
    for app in &mut study.apps {
        app.min_threads = 0;
    }
    let none = vec![vec![0; cores.len()]; APPS];
    study.scenarios = vec![scenario(&study, "s", &none)];
    study
}

fn policy(name: &str, study: &Study) -> Box<dyn Policy + Send> {
    let name: PolicyName = name.parse().expect("a name");
    name.make(study).expect("a policy").expect("one that decides")
}

/// An application of the study on `nodes` nodes, in any state.
fn any_app(entry: usize, nodes: usize) -> impl Strategy<Value = AppView> {
    let threads = prop::collection::vec((0_u32..7, 0_u32..7, 0_u32..7), nodes);
    let state = (0_u8..6, 0_u8..6, 0_usize..4, 0_usize..2);
    (threads, state, 0_u64..5, prop::option::of(0_u64..3), prop::option::of(0.0_f64..500.0)).prop_map(
        move |(threads, (presence, waiting, control, phase), progress, queued, left)| AppView {
            entry: Some(AppId(entry)),
            presence: match presence {
                0 => Presence::Ahead,
                1 => Presence::Gone,
                _ => Presence::There,
            },
            control: Control::ALL[control],
            running: threads.iter().map(|(all, running, _)| (*running).min(*all)).collect(),
            blocked: threads
                .iter()
                .map(|(all, running, blocked)| (*blocked).min(all.saturating_sub(*running)))
                .collect(),
            threads: threads.iter().map(|(all, ..)| *all).collect(),
            progress,
            waiting: match waiting {
                0 => Waiting::Input,
                1 => Waiting::Call,
                _ => Waiting::None,
            },
            queued,
            phase,
            left: left.map(Gflop::new),
        },
    )
}

/// Cores of each node, and a view of applications on them: no threads on nodes without cores.
fn any_view() -> impl Strategy<Value = (Vec<u32>, View)> {
    let cores = prop::collection::vec(0_u32..6, 0..2).prop_map(|more| [vec![4], more].concat());
    let with_apps = |cores: Vec<u32>| {
        let apps: Vec<_> = (0..APPS).map(|entry| any_app(entry, cores.len())).collect();
        (Just(cores), apps)
    };
    cores.prop_flat_map(with_apps).prop_map(|(cores, mut apps)| {
        for app in &mut apps {
            for (n, _) in cores.iter().enumerate().filter(|(_, cores)| **cores == 0) {
                (app.threads[n], app.running[n], app.blocked[n]) = (0, 0, 0);
            }
        }
        (cores, view(apps))
    })
}

/// `of` with the ignored parts taken from `other`.
fn with_unseen_parts(of: &View, other: &View, looks: Looks) -> View {
    let mut changed = of.clone();
    if !looks.work {
        changed.time = Seconds::new(7.0);
    }
    for (app, other) in changed.apps.iter_mut().zip(&other.apps) {
        if !looks.waiting {
            app.waiting = other.waiting;
        }
        if !looks.progress {
            app.progress = other.progress;
        }
        if !looks.tasks {
            (app.queued, app.running, app.blocked) =
                (other.queued, other.running.clone(), other.blocked.clone());
        }
        if !looks.phase {
            app.phase = other.phase;
        }
        if !looks.work {
            app.left = other.left;
        }
    }
    changed
}

fn sum(decision: &Decision, node: usize) -> u32 {
    decision.threads.iter().flatten().map(|row| row[node]).sum()
}

proptest! {
    #![proptest_config(crate::random::questions(48))]

    #[test]
    fn threads_stay_within_existing_threads_and_cores((cores, view) in any_view()) {
        let study = question(&cores);
        for name in NAMES {
            let decision = policy(name, &study).decide(&view).expect("a decision");
            prop_assert_eq!(decision.threads.len(), view.apps.len());
            for (app, row) in view.apps.iter().zip(&decision.threads) {
                prop_assert_eq!(row.is_some(), app.presence == Presence::There, "{}", name);
                let Some(row) = row else { continue };
                prop_assert!(row.iter().zip(&app.threads).all(|(row, own)| row <= own), "{} {:?}", name, decision);
                let even_so = name.starts_with("static");
                prop_assert!(even_so || app.waiting == Waiting::None || row.iter().all(|&threads| threads == 0), "{}", name);
            }
            for (n, &cores) in cores.iter().enumerate() {
                prop_assert!(sum(&decision, n) <= cores || name.starts_with("oversubscribe"), "{} {:?}", name, decision);
            }
        }
    }

    #[test]
    fn all_cores_are_dealt_as_far_as_threads_suffice((cores, view) in any_view()) {
        let study = question(&cores);
        for (name, is_in) in [
            ("static-even", (|app| app.presence == Presence::There) as fn(&AppView) -> bool),
            ("fair-share", AppView::is_busy),
        ] {
            let decision = policy(name, &study).decide(&view).expect("a decision");
            for (n, &cores) in cores.iter().enumerate() {
                let threads: u32 = view.apps.iter().filter(|app| is_in(app)).map(|app| app.threads[n]).sum();
                prop_assert_eq!(sum(&decision, n), cores.min(threads), "{}", name);
            }
        }
    }

    #[test]
    fn a_decision_depends_only_on_the_declared_fields((cores, view) in any_view(), turn in 0..APPS) {
        let study = question(&cores);
        // Another view of the same machine: the applications in another order.
        let mut other = view.clone();
        other.apps.rotate_left(turn);
        for name in NAMES {
            let mut policy_1 = policy(name, &study);
            let looks = policy_1.looks_at();
            let decision = policy_1.decide(&view);
            // Earlier questions do not matter.
            let _ = policy_1.decide(&other);
            prop_assert_eq!(&policy_1.decide(&view), &decision, "{}", name);
            let unseen = with_unseen_parts(&view, &other, looks);
            prop_assert_eq!(&policy(name, &study).decide(&unseen), &decision, "{}", name);
        }
    }

    #[test]
    fn cores_are_given_out_once_if_they_suffice((cores, mut view) in any_view()) {
        let study = question(&cores);
        for app in &mut view.apps {
            app.control = Control::Cores;
        }
        let decision = policy("fair-share", &study).decide(&view).expect("a decision");
        let mut given: Vec<u32> = Vec::new();
        for (order, row) in orders(&study.machine, &view, &decision).into_iter().zip(&decision.threads) {
            let (Some(Order::Cores(own)), Some(row)) = (order, row) else { continue };
            prop_assert!(own.is_sorted());
            prop_assert_eq!(own.len(), row.iter().sum::<u32>() as usize);
            given.extend(own);
        }
        let all = given.len();
        given.sort_unstable();
        given.dedup();
        prop_assert_eq!(given.len(), all, "no core twice");
        prop_assert!(given.iter().all(|&core| core < cores.iter().sum::<u32>()));
    }
}

fn told(machine: &Machine, apps: Vec<AppView>, rows: &[&[u32]]) -> Vec<Option<Order>> {
    let threads = rows.iter().map(|row| Some(row.to_vec())).collect();
    orders(machine, &view(apps), &Decision { threads, reasons: Vec::new() })
}

#[test]
fn each_application_gets_an_order_that_it_can_follow() {
    let machine = machine(&[2, 3]);
    let with = |entry, control| AppView { control, ..crate::testing::app(entry, &[2, 3]) };
    let apps = vec![
        with(0, Control::Total),
        with(1, Control::PerNode),
        with(2, Control::None),
        with(3, Control::Cores),
    ];
    let told = told(&machine, apps, &[&[1, 2], &[1, 1], &[1, 0], &[1, 2]]);
    // Node 0 has cores 0 and 1: the first takes 0, the second 1, the third 0 again, the last one 1. Node 1 has 2, 3, 4: 2 and 3, 4, 2 and 3.
    assert_eq!(
        told,
        [Some(Order::Total(3)), Some(Order::PerNode(vec![1, 1])), None, Some(Order::Cores(vec![1, 2, 3]))]
    );
}

#[test]
fn applications_ordered_by_count_also_take_their_turn_at_cores() {
    // Four cores each: the threads of the first one run on 0 to 3.
    let machine = machine(&[8]);
    for control in [Control::PerNode, Control::Total, Control::None] {
        let first = AppView { control, ..crate::testing::app(0, &[8]) };
        let second = AppView { control: Control::Cores, ..crate::testing::app(1, &[8]) };
        let told = told(&machine, vec![first, second], &[&[4], &[4]]);
        assert_eq!(told[1], Some(Order::Cores(vec![4, 5, 6, 7])), "{control:?}");
    }
}

#[test]
fn cores_are_given_out_from_the_lowest_and_reused_when_exhausted() {
    // Node 0 has cores 0 and 1, node 1 has 2, 3 and 4. First: 0 | 2, 3. Second: 1 and again 0 | 4 and again 2.
    let machine = machine(&[2, 3]);
    let with = |entry| AppView { control: Control::Cores, ..crate::testing::app(entry, &[2, 3]) };
    let told = told(&machine, vec![with(0), with(1)], &[&[1, 2], &[2, 2]]);
    assert_eq!(told, [Some(Order::Cores(vec![0, 2, 3])), Some(Order::Cores(vec![0, 1, 2, 4]))]);
}

#[test]
fn absent_applications_get_no_order() {
    let machine = machine(&[2]);
    let ahead = AppView { presence: Presence::Ahead, ..crate::testing::app(0, &[2]) };
    assert_eq!(told(&machine, vec![ahead], &[&[1]]), [None]);
}
