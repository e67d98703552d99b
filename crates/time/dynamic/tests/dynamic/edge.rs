//! Boundary cases of the rules, each by hand, and compared with the slow simulation.

use std::cell::Cell;

use crate::common::*;
use numasim_course::{Binding, PolicyChoice, Scaling, Study};
use numasim_dynamic::{
    Controller, Ending, Observer, Question, Run, Silent, SimulateError, SoFar, WaitsFor, reference, simulate,
};
use numasim_model::order::{Control, Order};
use numasim_model::units::{Megabytes, Seconds};
use numasim_model::{AppId, Data, NodeId, Placement};
use numasim_policy::{Decision, Looks, Policy, PolicyError, View};

/// By the rules of the study; both simulations give the same answer.
#[track_caller]
fn both(study: &Study, script: bool) -> Run {
    let controller = || if script { Controller::Script } else { Controller::Nobody };
    let fast = run(study, controller());
    let question = Question { study, controller: controller(), data: None, seed: 1, until: None };
    let slow = reference::simulate(question).expect("an answer");
    let differences = crate::agreement::differences(&fast, &slow);
    assert!(differences.is_empty(), "{differences:?}");
    fast
}

#[test]
fn every_end_of_a_task_is_an_event() {
    // An arrival, four tasks that end together, and one sleep for each of them.
    let (app, mut course) = app("a", 10.0, tasks(4, &[10.0]), 1, 4);
    assert_eq!(both(&study(machine(1, 4), vec![(app.clone(), course.clone())]), false).events, 5);
    course.phases[0].io = Seconds::new(0.1);
    assert_eq!(both(&study(machine(1, 4), vec![(app, course)]), false).events, 9);
}

#[test]
fn before_every_instant_somebody_is_told_how_far_it_is_and_may_stop_it() {
    struct Told(Vec<(f64, u64)>);
    impl Observer for Told {
        fn so_far(&mut self, so_far: SoFar) {
            self.0.push((so_far.time.value(), so_far.events));
        }
    }
    // One thread, tasks of 1 s: an arrival at 0, then a task ends every second.
    let study = study(machine(1, 1), vec![app("a", 10.0, tasks(4, &[10.0]), 1, 1)]);
    let question =
        || Question { study: &study, controller: Controller::Nobody, data: None, seed: 1, until: None };
    let mut told = Told(Vec::new());
    let run = simulate(question(), &mut told, &|| false).expect("an answer");
    assert_eq!((run.ending, run.events), (Ending::Finished, 5));
    assert_eq!(told.0, [(0.0, 0), (0.0, 1), (1.0, 2), (2.0, 3), (3.0, 4)]);
    let asked = Cell::new(0);
    let third = || asked.replace(asked.get() + 1) == 2;
    let run = simulate(question(), &mut Told(Vec::new()), &third).expect("an answer");
    assert_eq!((run.ending, run.time, run.events), (Ending::Stopped, Seconds::new(1.0), 2));
}

#[test]
fn cores_are_shared_also_where_memory_is_what_holds_threads_back() {
    // Cores of 10 GFLOPS, 32 GB/s. a demands 100 GB/s of node 0, gets 32: 3.2 GFLOPS, 6.4 GFLOP take 2 s. From 1 s on b, whose data is on
    // node 1, has half of the core for 5 GFLOP; a still demands 50 GB/s with its half and is as fast as before.
    let (a, mut early) = app("a", 0.1, divisible(6.4), 2, 1);
    let (b, mut late) = app("b", 10.0, divisible(5.0), 2, 1);
    (early.threads, late.threads) = (vec![1, 0], vec![1, 0]);
    late.phases[0].data = Data::Placed(Placement::Home(NodeId(1)));
    late.arrives = Seconds::new(1.0);
    let run = both(&study(machine(2, 1), vec![(a, early), (b, late)]), false);
    assert_close(finished(&run, 0), 2.0);
    assert_close(run.apps[0].shared.value(), 1.0);
}

#[test]
fn an_application_that_ends_in_this_instant_is_told_nothing() {
    // 40 GFLOP on 4 cores: 1 s.
    let mut study = study(machine(1, 4), vec![app("a", 10.0, divisible(40.0), 1, 4)]);
    study.dynamics.commands = vec![command(1.0, 0, Order::PerNode(vec![1]))];
    let run = both(&study, true);
    assert_close(finished(&run, 0), 1.0);
    assert_eq!((run.commands, run.reaction.count), (0, 0));
}

#[test]
fn a_command_that_arrives_after_the_end_has_no_effect() {
    // Given at 0.5 s, due at 1.5 s; all is over at 1 s.
    let mut study = study(machine(1, 4), vec![app("a", 10.0, divisible(40.0), 1, 4)]);
    study.dynamics.commands = vec![command(0.5, 0, Order::PerNode(vec![0]))];
    study.dynamics.policy = PolicyChoice { command_delay: Seconds::new(1.0), ..PolicyChoice::default() };
    let run = both(&study, true);
    assert_close(finished(&run, 0), 1.0);
    assert_eq!((run.commands, run.reaction.count, run.core_moves), (1, 0, 0));
}

/// All threads to those that do not wait, none to the others.
struct ToTheBusy;

impl Policy for ToTheBusy {
    fn looks_at(&self) -> Looks {
        Looks { phase: true, waiting: true, ..Looks::default() }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        // In the first phase one thread on each node, later all.
        let threads = view.apps.iter().map(|app| {
            let most = if app.phase == 0 { 1 } else { u32::MAX };
            Some(app.threads.iter().map(|&threads| threads.min(most)).collect())
        });
        Ok(Decision { threads: threads.collect(), reasons: Vec::new() })
    }
}

#[test]
fn a_policy_is_asked_again_where_tasks_take_no_time() {
    // The first phase takes no time: at 0 s the policy also sees the second one, although it is asked only every 10 s. 40 GFLOP with 4
    // threads: 1 s.
    let (app, mut course) = app("a", 10.0, tasks(1, &[0.0]), 1, 4);
    let mut second = course.phases[0].clone();
    second.work = Some(divisible(40.0));
    course.phases.push(second);
    let mut study = study(machine(1, 4), vec![(app, course)]);
    study.dynamics.policy = PolicyChoice { period: Seconds::new(10.0), ..PolicyChoice::default() };
    let run = run(&study, Controller::Policy(&mut ToTheBusy));
    assert_close(finished(&run, 0), 1.0);
    assert_eq!(run.commands, 2);
}

#[test]
fn where_all_threads_are_blocked_nothing_is_done() {
    // 20 GFLOP at 40 GFLOPS until 0.25 s, nothing until 1 s, the other 10 until 1.25 s.
    let mut study = study(machine(1, 4), vec![app("a", 10.0, divisible(20.0), 1, 4)]);
    study.dynamics.commands =
        vec![command(0.25, 0, Order::PerNode(vec![0])), command(1.0, 0, Order::PerNode(vec![4]))];
    let run = both(&study, true);
    assert_close(finished(&run, 0), 1.25);
    assert_close(run.apps[0].blocked.value(), 4.0 * 0.75);
    assert_eq!(run.core_moves, 4);
}

#[test]
fn an_application_may_arrive_where_all_cores_are_taken() {
    // a alone for 0.5 s (20 of 40 GFLOP), then half of 4 cores each: a needs 20 / 20 = 1 s more, until 1.5 s; b has 20 of 40
    // GFLOP then, and 0.5 s more at 40.
    let a = app("a", 10.0, divisible(40.0), 1, 4);
    let (b, mut late) = app("b", 10.0, divisible(40.0), 1, 4);
    late.arrives = Seconds::new(0.5);
    let run = both(&study(machine(1, 4), vec![a, (b, late)]), false);
    assert_close(finished(&run, 0), 1.5);
    assert_close(finished(&run, 1), 2.0);
    assert_close(run.apps[0].shared.value(), 4.0);
}

#[test]
fn of_two_commands_on_their_way_each_takes_effect_in_turn() {
    // Given at 0.1 and 0.2, due at 0.6 and 0.7: 40 GFLOPS for 0.6 s (24), 10 for 0.1 s (1), 20 for the other 10 GFLOP: 1.2 s.
    let mut study = study(machine(1, 4), vec![app("a", 10.0, divisible(35.0), 1, 4)]);
    study.dynamics.commands =
        vec![command(0.1, 0, Order::PerNode(vec![1])), command(0.2, 0, Order::PerNode(vec![2]))];
    study.dynamics.policy = PolicyChoice { command_delay: Seconds::new(0.5), ..PolicyChoice::default() };
    let run = both(&study, true);
    assert_close(finished(&run, 0), 1.2);
    assert_eq!((run.commands, run.core_moves, run.reaction.count), (2, 1, 2));
}

#[test]
fn a_command_that_is_replaced_while_tasks_last_has_no_reaction_time() {
    // Tasks of 1 s. At 0.2 s a command for one thread, replaced at 0.5 s by one for two: at 1 s two block; 0.5 s of the second command
    // count.
    let mut study = study(machine(1, 4), vec![app("a", 10.0, tasks(8, &[10.0]), 1, 4)]);
    study.dynamics.commands =
        vec![command(0.2, 0, Order::PerNode(vec![1])), command(0.5, 0, Order::PerNode(vec![2]))];
    let run = both(&study, true);
    assert_eq!(run.reaction.count, 1);
    assert_close(run.reaction.max.value(), 0.5);
    // Four tasks at 1 s, two each at 2 and 3 s.
    assert_close(finished(&run, 0), 3.0);
}

fn pipeline(producer: f64, consumer: f64, iterations: u64, capacity: Option<u64>) -> Study {
    let apps = [("producer", producer), ("consumer", consumer)].map(|(name, gflop)| {
        let (app, mut course) = app(name, 10.0, divisible(gflop), 1, 4);
        course.iterations = iterations;
        (app, course)
    });
    let mut study = study(machine(1, 8), apps.into());
    study.dynamics.channels = vec![channel(0, 1, capacity)];
    study
}

#[test]
fn with_room_for_one_item_producer_and_consumer_take_turns() {
    // 4 cores each. The producer begins item i + 1 when item i is finished: 10 x (0.25 + 0.5) s.
    let run = both(&pipeline(10.0, 20.0, 10, Some(1)), false);
    assert_close(finished(&run, 1), 7.5);
    assert_close(finished(&run, 0), 7.0);
    assert_eq!(run.channels[0].max_items, 1);
    assert_close(run.apps[0].waited_output.value(), 9.0 * 0.5);
}

#[test]
fn a_consumer_that_is_a_thousand_times_slower_is_all_that_matters() {
    // Items of 0.25 ms, 100 of them at 25 ms; consumed in 0.25 s each.
    let run = both(&pipeline(0.01, 10.0, 100, None), false);
    assert_close(finished(&run, 0), 0.025);
    assert_close(finished(&run, 1), 0.000_25 + 100.0 * 0.25);
    assert_eq!(run.channels[0].max_items, 100);
}

#[test]
fn items_of_no_size_count_as_any_other() {
    let mut study = pipeline(10.0, 20.0, 10, Some(1));
    study.dynamics.channels[0].item = Megabytes::new(0.0);
    assert_close(finished(&both(&study, false), 1), 7.5);
}

#[test]
fn a_node_without_cores_is_memory_for_others() {
    // Node 1 has 32 GB/s and no core; two threads of node 0 read it over a link of 10 GB/s: 10 GB/s x 0.5 = 5 GFLOPS.
    use numasim_model::machine::{Machine, Node};
    use numasim_model::units::{Gflops, GigabytesPerSecond};
    let node = *machine(1, 2).node(NodeId(0));
    let memory = Node { cores: 0, gflops_per_core: Gflops::new(0.0), ..node };
    let two =
        Machine::new("M", vec![node, memory], vec![GigabytesPerSecond::new(10.0); 4]).expect("a machine");
    let (app, mut course) = app("a", 0.5, divisible(10.0), 2, 2);
    course.threads = vec![2, 0];
    course.phases[0].data = Data::Placed(Placement::Home(NodeId(1)));
    assert_close(finished(&both(&study(two, vec![(app, course)]), false), 0), 2.0);
}

#[test]
fn one_core_serves_everybody_in_turn() {
    // Three applications with 10 GFLOP each on one core of 10 GFLOPS: all end at 3 s.
    let apps = ["a", "b", "c"].map(|name| app(name, 10.0, divisible(10.0), 1, 1));
    let run = both(&study(machine(1, 1), apps.into()), false);
    for app in 0..3 {
        assert_close(finished(&run, app), 3.0);
    }
}

#[test]
fn a_thousand_applications_share_a_node() {
    // 1000 threads on 8 cores, 1 GFLOP each: 1000 / 80 = 12.5 s.
    let apps = (0..1000).map(|i| app(&i.to_string(), 10.0, divisible(1.0), 1, 1)).collect();
    let run = run(&study(machine(1, 8), apps), Controller::Nobody);
    assert!(run.apps.iter().all(|app| app.finished == run.makespan));
    assert_close(run.makespan.expect("finished").value(), 12.5);
}

#[test]
fn more_threads_do_not_help_what_is_serial_or_flat() {
    // S(4) = 1: 10 GFLOP at 10 GFLOPS.
    for scaling in [Scaling::Serial { fraction: 1.0 }, Scaling::Table(vec![(1, 1.0), (8, 1.0)])] {
        let (app, mut course) = app("a", 10.0, divisible(10.0), 1, 4);
        course.phases[0].scaling = scaling;
        assert_close(finished(&both(&study(machine(1, 4), vec![(app, course)]), false), 0), 1.0);
    }
}

#[test]
fn tasks_that_only_sleep_take_their_sleep() {
    // Five tasks of 0.1 s on two threads: three rounds. No core is used.
    let (app, mut course) = app("a", 10.0, tasks(5, &[0.0]), 1, 2);
    course.phases[0].io = Seconds::new(0.1);
    let run = both(&study(machine(1, 2), vec![(app, course)]), false);
    assert_close(finished(&run, 0), 0.3);
    assert_close(run.apps[0].mean_threads, 0.0);
}

/// Orders one thread more than exist.
struct TooMuch;

impl Policy for TooMuch {
    fn looks_at(&self) -> Looks {
        Looks::default()
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let threads =
            view.apps.iter().map(|app| Some(app.threads.iter().map(|&threads| threads + 1).collect()));
        Ok(Decision { threads: threads.collect(), reasons: Vec::new() })
    }
}

#[test]
fn more_threads_than_there_are_is_an_error() {
    for control in [Control::PerNode, Control::Total] {
        let (app, mut course) = app("a", 10.0, divisible(10.0), 1, 4);
        course.control = control;
        let study = study(machine(1, 4), vec![(app, course)]);
        let fast = run_until(&study, Controller::Policy(&mut TooMuch), None);
        let controller = Controller::Policy(&mut TooMuch);
        let slow =
            reference::simulate(Question { study: &study, controller, data: None, seed: 1, until: None });
        assert!(matches!(fast, Err(SimulateError::Impossible { app: AppId(0), .. })), "{fast:?}");
        assert_eq!(fast, slow);
    }
}

#[test]
fn tasks_that_end_together_are_taken_in_the_order_of_the_threads() {
    // Threads bound to cores: 2 on core 0 (half speed), 1 on core 1. Tasks of 10: at 1 s the third ends, takes the fourth; at 2 s all
    // end. Then two tasks are left for the first two threads: 2 s more; the third thread has none.
    let (app, mut course) = app("a", 10.0, tasks(6, &[10.0]), 1, 3);
    course.binding = Binding::Core;
    let run = both(&study(machine(1, 2), vec![(app, course)]), false);
    // Thread 0 and 2 are on core 0, thread 1 on core 1. At 2 s tasks 1, 3, 4 are over; 5 and 6 go to threads 0 and 1, each with a core.
    assert_close(finished(&run, 0), 3.0);
}

#[test]
fn tasks_may_keep_an_order_waiting_for_ever_in_a_deadlock_that_says_so() {
    let mut study = pipeline(10.0, 20.0, 4, Some(1));
    study.dynamics.commands = vec![command(0.1, 1, Order::PerNode(vec![0]))];
    let Err(SimulateError::Deadlock(deadlock)) = run_until(&study, Controller::Script, None) else {
        panic!("the consumer is blocked for ever")
    };
    let waits: Vec<WaitsFor> = deadlock.stuck.iter().map(|stuck| stuck.waits_for).collect();
    assert_eq!(waits, [WaitsFor::Output(AppId(1)), WaitsFor::Threads]);
}

/// Keeps the first application blocked, and changes its decision about the second one, which waits for it, each time.
struct Undecided(u32);

impl Policy for Undecided {
    fn looks_at(&self) -> Looks {
        Looks::ALL
    }

    fn decide(&mut self, _: &View) -> Result<Decision, PolicyError> {
        self.0 += 1;
        let threads = vec![Some(vec![0]), Some(vec![self.0 % 2])];
        Ok(Decision { threads, reasons: Vec::new() })
    }
}

#[test]
fn a_policy_that_changes_its_mind_for_ever_ends_in_a_deadlock_that_says_so() {
    let mut study = study(
        machine(1, 8),
        vec![app("producer", 10.0, divisible(10.0), 1, 8), app("consumer", 10.0, divisible(10.0), 1, 8)],
    );
    study.dynamics.channels = vec![channel(0, 1, None)];
    // Asked every second, or, if orders take a second, whenever one of them arrives.
    for (period, delay) in [(1.0, 0.0), (1.0, 0.5), (0.0, 1.0)] {
        let (period, command_delay) = (Seconds::new(period), Seconds::new(delay));
        study.dynamics.policy = PolicyChoice { period, command_delay, ..PolicyChoice::default() };
        let (mut fast, mut slow) = (Undecided(0), Undecided(0));
        let of = Question {
            study: &study,
            controller: Controller::Policy(&mut fast),
            data: None,
            seed: 1,
            until: None,
        };
        let again = Question {
            study: &study,
            controller: Controller::Policy(&mut slow),
            data: None,
            seed: 1,
            until: None,
        };
        let ends = [simulate(of, &mut Silent, &|| false), reference::simulate(again)];
        for end in ends {
            let Err(SimulateError::Deadlock(deadlock)) = end else { panic!("{end:?}") };
            let waits: Vec<WaitsFor> = deadlock.stuck.iter().map(|stuck| stuck.waits_for).collect();
            assert_eq!(waits, [WaitsFor::Threads, WaitsFor::Input(AppId(0))]);
            assert!((400.0..1100.0).contains(&deadlock.time.value()), "{}", deadlock.time.value());
        }
    }
}
