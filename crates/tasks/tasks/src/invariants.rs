//! Invariants of any run, for every scheduler: functions on plain values. In debug builds the simulation checks its results ([`of_run`]);
//! property tests also check every task ([`of_tasks`]).

use numasim_graph::Dependencies;
use numasim_graph::values::{SchedulerKind, TaskGraph, TaskId};
use numasim_model::NodeId;

use crate::bound::{LowerBound, rounding};
use crate::question::Question;
use crate::random::Spread;
use crate::result::{IdleReason, Run, TaskRecord, Traffic};
use crate::schedulers::Source;

/// A violated invariant of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// Bytes by class do not add up to the bytes that all tasks move: bytes found and expected.
    Bytes(f64, f64),
    /// The sum over nodes (or tasks) differs from the total of the run; names the quantity.
    Sum(&'static str),
    /// A value that is negative or not finite, or a share outside of 0 to 1; names the value.
    Range(&'static str),
    /// The run ends before any schedule can: seconds found, and the bound.
    BelowBound(f64, LowerBound),
    /// Idle time does not complement the time of busy workers.
    Idle,
    /// Times without a task, by reason, do not complement the time of the busy workers of this node.
    Reasons(NodeId),
    /// Workers were idle for this reason for longer than possible.
    Reason(IdleReason),
    /// A task did not run exactly once; the number of times.
    Times(TaskId, usize),
    /// A task began before a task that it waits for had ended.
    Parent(TaskId, TaskId),
    /// A worker had two tasks at a time.
    Together(u32, TaskId, TaskId),
    /// A worker that does not exist, or one of another node.
    Worker(TaskId),
    /// A task began before the master can have created it.
    Creation(TaskId),
    /// A task began before its creator had ended.
    Creator(TaskId),
    /// A task was created although as many were alive as the limit allows.
    Throttle(TaskId),
    /// A task began although the master must have waited for this one.
    Taskwait(TaskId),
    /// A task was shorter than its overhead and its FLOP permit.
    Short(TaskId),
    /// A task that was not stolen ran on another node than the assigned one.
    Socket(TaskId),
}

/// Relative tolerance for rounding in sums.
const ROUNDING: f64 = 1e-9;

/// All violations by the sums of `run`, an answer to `question`. `bound`: a time before which no schedule can end.
pub fn of_run(question: &Question, run: &Run, bound: Option<&LowerBound>) -> Vec<Violation> {
    let mut all = Vec::new();
    let graph = question.graph;
    let mut spread = Spread::new(question.runtime);
    let given: f64 = graph.tasks().map(|task| spread.factor(task) * moved_bytes(graph, task)).sum();
    let found = run.traffic.total();
    if !is_near(found, given) {
        all.push(Violation::Bytes(found, given));
    }
    let of_nodes = run.nodes.iter().fold(Traffic::default(), |mut sum, node| {
        sum += node.traffic;
        sum
    });
    if !is_same_traffic(&of_nodes, &run.traffic) {
        all.push(Violation::Sum("bytes of nodes"));
    }
    if run.nodes.iter().map(|node| node.tasks).sum::<u64>() != graph.task_count() as u64 {
        all.push(Violation::Sum("tasks of nodes"));
    }
    if run.nodes.len() != question.machine.node_count() {
        all.push(Violation::Sum("nodes"));
    }
    let makespan_s = run.makespan.value();
    let at_least_0 = [("makespan", makespan_s), ("partition", run.partition.value())];
    for (what, value) in at_least_0.into_iter().chain(classes(&run.traffic).map(|bytes| ("bytes", bytes))) {
        if !(value.is_finite() && value >= 0.0) {
            all.push(Violation::Range(what));
        }
    }
    let slack = rounding(graph.task_count());
    if !(-slack..=1.0).contains(&run.idle) {
        all.push(Violation::Range("idle"));
    }
    let there_s = makespan_s * question.machine.total_cores() as f64;
    let busy_s: f64 = run.nodes.iter().map(|node| node.busy.value() + node.contender.value()).sum();
    let idle = if there_s > 0.0 { 1.0 - busy_s / there_s } else { 0.0 };
    if (idle - run.idle).abs() > slack {
        all.push(Violation::Idle);
    }
    reasons(question, run, &mut all);
    if let Some(bound) = bound
        && makespan_s < bound.makespan.value() * (1.0 - slack)
    {
        all.push(Violation::BelowBound(makespan_s, *bound));
    }
    all
}

/// All violations by the tasks of a run, in any order.
pub fn of_tasks(
    question: &Question,
    dependencies: &Dependencies,
    run: &Run,
    records: &[TaskRecord],
) -> Vec<Violation> {
    let graph = question.graph;
    let mut all = Vec::new();
    let mut of_task: Vec<Option<&TaskRecord>> = vec![None; graph.task_count()];
    let mut times = vec![0_usize; graph.task_count()];
    for record in records {
        let task = record.task.0 as usize;
        if let (Some(of_task), Some(times)) = (of_task.get_mut(task), times.get_mut(task)) {
            *of_task = Some(record);
            *times += 1;
        }
    }
    let wrong = graph.tasks().zip(&times).filter(|&(_, &times)| times != 1);
    all.extend(wrong.map(|(task, &times)| Violation::Times(task, times)));
    if !all.is_empty() {
        return all;
    }
    let in_order: Vec<&TaskRecord> = of_task.into_iter().flatten().collect();
    let slack_s = run.makespan.value() * rounding(graph.task_count());
    let mut spread = Spread::new(question.runtime);
    for record in &in_order {
        one_task(question, record, spread.factor(record.task), slack_s, &mut all);
        for child in dependencies.children(record.task) {
            let begins_s = in_order.get(child.0 as usize).map_or(f64::INFINITY, |child| child.start_s);
            if begins_s < record.end_s - slack_s {
                all.push(Violation::Parent(record.task, *child));
            }
        }
    }
    workers(&in_order, slack_s, &mut all);
    master(question, run, &in_order, slack_s, &mut all);
    sums(question, run, &in_order, slack_s, &mut all);
    all
}

/// The bytes that an access moves count, regardless of its mode.
fn moved_bytes(graph: &TaskGraph, task: TaskId) -> f64 {
    graph.accesses(task).map(|access| access.moved_bytes).sum()
}

fn classes(traffic: &Traffic) -> [f64; 4] {
    [traffic.llc_local, traffic.llc_remote, traffic.dram_local, traffic.dram_remote]
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
}

fn is_same_traffic(a: &Traffic, b: &Traffic) -> bool {
    let most = a.total().max(b.total());
    classes(a).into_iter().zip(classes(b)).all(|(a, b)| (a - b).abs() <= ROUNDING * most)
}

/// `factor`: variation of the task's work.
fn one_task(question: &Question, record: &TaskRecord, factor: f64, slack_s: f64, all: &mut Vec<Violation>) {
    let machine = question.machine;
    let task = record.task;
    let cores = |node| machine.node(node).cores;
    let before: u32 = machine.node_ids().take_while(|&node| node != record.node).map(cores).sum();
    let of_node = machine.nodes().get(record.node.0).map_or(0, |node| node.cores);
    if !(before..before + of_node).contains(&record.worker) {
        all.push(Violation::Worker(task));
        return;
    }
    let given = factor * moved_bytes(question.graph, task);
    if !is_near(record.traffic.total(), given) {
        all.push(Violation::Bytes(record.traffic.total(), given));
    }
    if !classes(&record.traffic).iter().all(|bytes| (0.0..=given * (1.0 + ROUNDING)).contains(bytes)) {
        all.push(Violation::Range("bytes of a task"));
    }
    if !record.stolen() && record.socket.is_some_and(|socket| socket != record.node) {
        all.push(Violation::Socket(task));
    }
    let steal = if record.stolen() { question.runtime.steal.value() } else { 0.0 };
    let overhead_s = question.runtime.task.value() + steal;
    let peak = machine.node(record.node).gflops_per_core.value();
    let least_s = overhead_s + factor * question.graph.gflop(task) / peak;
    if record.end_s - record.start_s < least_s - slack_s {
        all.push(Violation::Short(task));
    }
}

/// No worker has two tasks at a time.
fn workers(in_order: &[&TaskRecord], slack_s: f64, all: &mut Vec<Violation>) {
    let mut by_worker = in_order.to_vec();
    by_worker.sort_by(|a, b| {
        let times = a.start_s.total_cmp(&b.start_s).then(a.end_s.total_cmp(&b.end_s));
        a.worker.cmp(&b.worker).then(times)
    });
    for pair in by_worker.windows(2) {
        if let [first, second] = pair
            && first.worker == second.worker
            && second.start_s < first.end_s - slack_s
        {
            all.push(Violation::Together(first.worker, first.task, second.task));
        }
    }
}

/// The master needs its time for each task, waits if it has to, and never has more tasks alive than the limit.
///
/// It began to create task k no later than `creation` before k was taken. All tasks before k existed then, so those of them that end
/// later were alive.
///
/// Other tasks exist when their creator has ended. If there are such tasks, the master may have created one more in spite of the limit.
fn master(question: &Question, run: &Run, in_order: &[&TaskRecord], slack_s: f64, all: &mut Vec<Violation>) {
    let graph = question.graph;
    let creation_s = question.runtime.creation.value();
    let throttle = question.runtime.throttle.filter(|_| !graph.is_tree());
    let throttle = throttle.and_then(|most| usize::try_from(most).ok());
    // The earliest time at which the next task can be created, and the last end so far.
    let (mut created_s, mut last_end_s, mut waits) = (run.migration.value(), 0.0_f64, false);
    for (before, record) in in_order.iter().enumerate() {
        if let Some(creator) = graph.created_by(record.task) {
            let exists_s = in_order.get(creator.0 as usize).map_or(f64::INFINITY, |creator| creator.end_s);
            if record.start_s < exists_s - slack_s {
                all.push(Violation::Creator(record.task));
            }
            last_end_s = last_end_s.max(record.end_s);
            continue;
        }
        if graph.taskwait(record.task) && last_end_s > created_s {
            (created_s, waits) = (last_end_s, true);
        }
        created_s += creation_s;
        if record.start_s < created_s - slack_s {
            let task = record.task;
            all.push(if waits { Violation::Taskwait(task) } else { Violation::Creation(task) });
        }
        let begun_s = record.start_s - creation_s + slack_s;
        let alive = in_order.iter().take(before).filter(|earlier| earlier.end_s > begun_s);
        if throttle.is_some_and(|most| alive.count() >= most) {
            all.push(Violation::Throttle(record.task));
        }
        last_end_s = last_end_s.max(record.end_s);
    }
}

/// The results of the run are the sums over its tasks.
fn sums(question: &Question, run: &Run, in_order: &[&TaskRecord], slack_s: f64, all: &mut Vec<Violation>) {
    let mut traffic = Traffic::default();
    let mut busy_s = vec![0.0; run.nodes.len()];
    let mut last_end_s = 0.0_f64;
    let count =
        |what: &dyn Fn(&TaskRecord) -> bool| in_order.iter().filter(|record| what(record)).count() as u64;
    let from = |source| count(&|record| record.source == source);
    let is_remote = |record: &TaskRecord| {
        question.graph.affinity(record.task).is_some_and(|affinity| affinity != record.node)
    };
    for record in in_order {
        traffic += record.traffic;
        last_end_s = last_end_s.max(record.end_s);
        if let Some(busy_s) = busy_s.get_mut(record.node.0) {
            *busy_s += record.end_s - record.start_s;
        }
    }
    let busy_is_same = run
        .nodes
        .iter()
        .zip(&busy_s)
        .all(|(node, &busy_s)| (node.busy.value() - busy_s).abs() <= slack_s + ROUNDING * busy_s);
    let sums = [
        ("bytes of tasks", is_same_traffic(&traffic, &run.traffic)),
        ("steals", from(Source::Steal) == run.steals),
        ("mailboxes", from(Source::Mailbox) == run.mailbox),
        ("shared queues", from(Source::Shared) == run.shared),
        ("revokes", count(&|record| record.revoked) == run.revokes),
        ("remote tasks", count(&is_remote) == run.remote_tasks),
        ("makespan", (last_end_s - run.makespan.value()).abs() <= slack_s),
        ("busy seconds", busy_is_same),
    ];
    all.extend(sums.into_iter().filter(|&(_, holds)| !holds).map(|(what, _)| Violation::Sum(what)));
}

// Invariants of the times without a task.

/// On every node the reasons add up to the time that busy workers leave; and impossible reasons have no time.
fn reasons(question: &Question, run: &Run, all: &mut Vec<Violation>) {
    let makespan_s = run.makespan.value();
    let slack = rounding(question.graph.task_count());
    for ((node, of_node), id) in
        question.machine.nodes().iter().zip(&run.nodes).zip(question.machine.node_ids())
    {
        let there_s = makespan_s * f64::from(node.cores);
        let sum_s = of_node.busy.value() + of_node.contender.value() + of_node.idle.total().value();
        if (sum_s - there_s).abs() > slack * there_s {
            all.push(Violation::Reasons(id));
        }
    }
    let workers = question.machine.total_cores() as f64;
    let (slack_s, idle) = (slack * makespan_s * workers, run.idle_times());
    for reason in IdleReason::ALL {
        // Upper limit, in worker-seconds.
        let most_s = match reason {
            IdleReason::Elsewhere if takes_everything(question) => 0.0,
            IdleReason::Partition => run.partition.value() * workers,
            IdleReason::Creation => {
                let each_s = question.runtime.creation.value();
                (run.migration.value() + each_s * question.graph.task_count() as f64) * workers
            }
            IdleReason::Throttle if question.runtime.throttle.is_none() => 0.0,
            IdleReason::Taskwait if !question.graph.tasks().any(|task| question.graph.taskwait(task)) => 0.0,
            _ => makespan_s * workers,
        };
        if !(-slack_s..=most_s + slack_s).contains(&idle[reason]) {
            all.push(Violation::Reason(reason));
        }
    }
}

/// Whether no worker is idle while a task is in a queue.
fn takes_everything(question: &Question) -> bool {
    match question.scheduler.kind {
        SchedulerKind::Fifo | SchedulerKind::RandomSteal | SchedulerKind::TaskloopAffinity => true,
        SchedulerKind::Sa
        | SchedulerKind::Dep
        | SchedulerKind::RipDep
        | SchedulerKind::RipSp
        | SchedulerKind::RipMw
        | SchedulerKind::Heft
        | SchedulerKind::Tracked => question.steal,
        // Libraries leave tasks to the workers of their mailbox, node or loop.
        _ => false,
    }
}
