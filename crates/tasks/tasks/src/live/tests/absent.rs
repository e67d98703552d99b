//! Absent workers get no tasks, and no task waits for them.

use std::collections::BTreeMap;

use numasim_graph::values::{PagePlacement, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskGraph};

use super::{graph, machine};
use crate::live::{Creation, Live};
use crate::{Question, Start, WorkerId};

/// The workers that ran tasks, if tasks are run one after the other in the order in which they are handed out. `told` is called before
/// each of them, and makes workers leave or come; it may take the task back.
fn played(
    kind: SchedulerKind,
    graph: &TaskGraph,
    mut told: impl FnMut(&mut Live<'_>, usize, WorkerId, Start) -> bool,
) -> BTreeMap<u32, u32> {
    let machine = machine();
    let scheduler = SchedulerSettings { kind, window: 16, ..SchedulerSettings::default() };
    let runtime = RuntimeSettings::default();
    let question = Question {
        machine: &machine,
        graph,
        scheduler: &scheduler,
        runtime: &runtime,
        placement: PagePlacement::FirstTouch,
        steal: false,
        contender: None,
        plan: None,
    };
    let mut live = Live::new(&question).expect("a scheduler");
    let (mut ran, mut handed) = (BTreeMap::new(), std::collections::VecDeque::new());
    while !live.is_over() {
        loop {
            match live.create() {
                Creation::Created(_) => {}
                Creation::Window(_) => live.partition().expect("a partition"),
                Creation::Waits | Creation::Done => break,
            }
        }
        live.hand_out(|worker, start| handed.push_back((worker, start)));
        assert_eq!(live.is_stuck(), None, "{kind:?}");
        let (worker, start) = handed.pop_front().expect("somebody is there, and some task is ready");
        if told(&mut live, ran.len(), worker, start) {
            assert_eq!(ran.insert(start.task.0, worker.0), None, "{kind:?}: twice");
            live.ended(start.task, worker);
        }
    }
    ran
}

#[test]
fn whoever_is_absent_runs_nothing_and_all_tasks_are_run() {
    use SchedulerKind::{
        ArenaPerNode, Dep, Fifo, Heft, Hint, RandomSteal, RipDep, Sa, Static, TaskloopAffinity, Tbb, TbbNuma,
    };
    let kinds = [
        Fifo,
        Sa,
        Dep,
        RipDep,
        RandomSteal,
        Heft,
        Tbb,
        TbbNuma,
        Hint,
        ArenaPerNode,
        TaskloopAffinity,
        Static,
    ];
    for kind in kinds {
        // From the 10th task to the 40th only one of the four is present; the others do not begin the tasks that they had been given.
        for only in 0..4 {
            let mut late = Vec::new();
            let ran = played(kind, &graph(false), |live, number, worker, start| {
                if number == 40 {
                    (0..4).map(WorkerId).for_each(|worker| {
                        live.come(worker);
                    });
                }
                let leaves = (10..40).contains(&number) && worker.0 != only;
                if leaves {
                    live.leave(worker, Some(start));
                    return false;
                }
                if (10..40).contains(&number) {
                    late.push(worker.0);
                }
                true
            });
            assert_eq!(ran.len(), 60, "{kind:?}");
            assert!(late.len() == 30 && late.iter().all(|&worker| worker == only), "{kind:?}: {late:?}");
        }
    }
}

#[test]
fn what_a_worker_leaves_stays_on_its_socket_where_somebody_is_there() {
    // Tasks of even number are on socket 0, workers 0 and 1; the others on the socket of workers 2 and 3, of which 3 is never present.
    let ran = played(SchedulerKind::Sa, &graph(false), |live, _, worker, start| {
        let leaves = worker.0 == 3;
        if leaves {
            live.leave(worker, Some(start));
        }
        !leaves
    });
    assert!(ran.iter().all(|(task, &worker)| (task % 2 == 0) == (worker < 2) && worker != 3), "{ran:?}");
}

#[test]
fn with_nobody_there_tasks_wait_and_nothing_is_stuck() {
    let (machine, graph) = (machine(), graph(false));
    let (scheduler, runtime) = (SchedulerSettings::default(), RuntimeSettings::default());
    let question = Question {
        machine: &machine,
        graph: &graph,
        scheduler: &scheduler,
        runtime: &runtime,
        placement: PagePlacement::FirstTouch,
        steal: false,
        contender: None,
        plan: None,
    };
    let mut live = Live::new(&question).expect("a scheduler");
    for worker in (0..4).map(WorkerId) {
        live.leave(worker, None);
    }
    while let Creation::Created(_) = live.create() {}
    live.hand_out(|worker, start| panic!("{worker:?} got {start:?}"));
    assert_eq!((live.is_stuck(), live.ready() > 0), (None, true));
    assert!(live.come(WorkerId(2)) && !live.come(WorkerId(2)));
    let mut who = Vec::new();
    live.hand_out(|worker, _| who.push(worker));
    assert_eq!(who, [WorkerId(2)]);
}
