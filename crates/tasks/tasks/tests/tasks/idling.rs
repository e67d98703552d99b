//! Why workers have no task. M2 has four workers.

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Fifo, RipDep, Sa};
use numasim_model::units::Seconds;
use numasim_tasks::IdleReason::{self, Creation, Elsewhere, End, Parents, Partition, Taskwait, Throttle};
use numasim_tasks::{Observer, Question, Run, TaskRecord, simulate};

/// Worker-seconds of all nodes, without reasons that did not occur.
fn idle(run: &Run) -> Vec<(IdleReason, f64)> {
    let times = run.idle_times();
    let all = IdleReason::ALL.map(|reason| (reason, times[reason]));
    all.into_iter().filter(|&(_, seconds)| seconds != 0.0).collect()
}

#[test]
fn while_the_master_creates_that_is_why() {
    // Taken at 1, 2, 3 s, for 10 s each. 4 workers idle until 1 s, 3 until 2 s, 2 until 3 s: 9. Then nothing is left to take:
    // 1 idle until 11 s, 2 until 12 s, 3 until 13 s: 8 + 2 + 3.
    let mut setting = under(Fifo);
    setting.runtime.creation = Seconds::new(1.0);
    let mut graph = Graph::new();
    for _ in 0..3 {
        graph.task(100.0, &[]);
    }
    let (run, _) = setting.run(&m2(), &graph.done());
    assert_eq!(idle(&run), [(Creation, 9.0), (End, 13.0)]);
    // 22 of 4 x 13 worker-seconds.
    near(run.idle, 22.0 / 52.0);
    near(run.idle_because(Creation), 9.0 / 52.0);
}

#[test]
fn where_tasks_lie_with_other_sockets_that_is_why_until_somebody_steals() {
    // 4 tasks of 10 s for the 2 workers of socket 0: those of socket 1 idle while two tasks wait for 10 s, then while the last two run.
    let mut graph = Graph::new();
    for _ in 0..4 {
        graph.on(0, 100.0, &[]);
    }
    let graph = graph.done();
    let mut setting = under(Sa);
    let (run, _) = setting.run(&m2(), &graph);
    assert_eq!(idle(&run), [(Elsewhere, 20.0), (End, 20.0)]);
    assert_eq!(run.nodes[0].idle.total().value(), 0.0);
    assert_eq!(run.nodes[1].idle.total().value(), 40.0);
    setting.steal = true;
    assert_eq!(idle(&setting.run(&m2(), &graph).0), []);
}

#[test]
fn a_throttle_is_why_before_anything_that_waits() {
    // One alive at most: 3 idle during each second; the second task is the last one.
    let mut setting = under(Fifo);
    setting.runtime.throttle = Some(1);
    let mut graph = Graph::new();
    graph.task(10.0, &[]);
    graph.task(10.0, &[]);
    assert_eq!(idle(&setting.run(&m2(), &graph.done()).0), [(Throttle, 3.0), (End, 3.0)]);
}

#[test]
fn a_taskwait_is_why_until_the_last_earlier_task_ends() {
    // 1 s and 3 s, then 1 s alone: 2 idle for 1 s, 3 for 2 s; 3 for 1 s.
    let mut graph = Graph::new();
    graph.task(10.0, &[]);
    graph.task(30.0, &[]);
    graph.after_all(10.0, &[]);
    assert_eq!(idle(&under(Fifo).run(&m2(), &graph.done()).0), [(Taskwait, 8.0), (End, 3.0)]);
}

#[test]
fn tasks_that_wait_for_others_are_why_when_all_are_created() {
    let mut graph = Graph::new();
    let x = graph.block(0.0, None);
    graph.task(10.0, &[all(x, Out, 0.0)]);
    graph.task(10.0, &[all(x, In, 0.0)]);
    assert_eq!(idle(&under(Fifo).run(&m2(), &graph.done()).0), [(Parents, 3.0), (End, 3.0)]);
}

#[test]
fn a_partition_is_why_for_tasks_that_wait_for_their_sockets() {
    // Created at 1 and 2 s, a window without edges: 1 s for each task. The first is ready at 1 s, but has no socket before 4 s.
    let mut setting = under(RipDep);
    setting.runtime.creation = Seconds::new(1.0);
    setting.scheduler.window = 2;
    setting.scheduler.partition_ns_per_vertex_edge = Some(1e9);
    let mut graph = Graph::new();
    graph.task(10.0, &[]);
    graph.task(10.0, &[]);
    let (run, _) = setting.run(&m2(), &graph.done());
    assert_eq!(idle(&run), [(Partition, 8.0), (Creation, 8.0), (End, 2.0)]);
}

#[test]
fn a_graph_without_tasks_has_no_idle_time() {
    let (run, _) = under(Fifo).run(&m2(), &Graph::new().done());
    assert_eq!(idle(&run), []);
    assert_eq!(run.idle_because(End), 0.0);
}

#[test]
fn who_looks_on_hears_of_each_reason_once_in_a_row() {
    #[derive(Default)]
    struct Heard(Vec<(IdleReason, f64, f64)>);
    impl Observer for Heard {
        fn ended(&mut self, _: &TaskRecord) {}

        fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
            self.0.push((reason, start_s, end_s));
        }
    }
    // As with the taskwait above.
    let mut graph = Graph::new();
    graph.task(10.0, &[]);
    graph.task(30.0, &[]);
    graph.after_all(10.0, &[]);
    let (graph, machine, setting) = (graph.done(), m2(), under(Fifo));
    let question = Question {
        placement: setting.placement,
        ..Question::new(&machine, &graph, &setting.scheduler, &setting.runtime)
    };
    let mut heard = Heard::default();
    simulate(&question, &mut heard).expect("an answer");
    assert_eq!(heard.0, [(Taskwait, 0.0, 3.0), (End, 3.0, 4.0)]);
}
