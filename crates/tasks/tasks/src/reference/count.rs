//! What is counted of a run, from the records of its tasks.

use numasim_graph::Tracker;
use numasim_model::units::Seconds;

use super::course::{Course, migration_s};
use super::decides::Decides;
use crate::observer::TaskRecord;
use crate::result::{ContenderRun, Cut, NodeRun, Run, Traffic};
use crate::schedulers::Source;

/// The run that `course` has become.
pub(super) fn run(course: &Course, decider: &dyn Decides) -> Run {
    let question = course.question;
    let mut traffic = Traffic::default();
    let mut nodes = vec![NodeRun::default(); question.machine.node_count()];
    let mut busy_s = 0.0;
    for record in &course.records {
        traffic += record.traffic;
        busy_s += record.end_s - record.start_s;
        let node = &mut nodes[record.node.0];
        node.tasks += 1;
        node.traffic += record.traffic;
        node.busy = node.busy + Seconds::new(record.end_s - record.start_s);
    }
    for (worker, &others_s) in course.contending.busy_s.iter().enumerate() {
        busy_s += others_s;
        let node = &mut nodes[course.node_of(worker).0];
        node.contender = node.contender + Seconds::new(others_s);
    }
    for (worker, idle) in course.idle.iter().enumerate() {
        nodes[course.node_of(worker).0].idle += *idle;
    }
    let makespan_s = course.records.iter().map(|record| record.end_s).fold(0.0, f64::max);
    let there_s = makespan_s * course.worker_count() as f64;
    let from = |source| course.records.iter().filter(|record| record.source == source).count() as u64;
    let is_remote = |record: &TaskRecord| {
        question.graph.affinity(record.task).is_some_and(|affinity| affinity != record.node)
    };
    Run {
        makespan: Seconds::new(makespan_s),
        traffic,
        nodes,
        idle: if there_s > 0.0 { 1.0 - busy_s / there_s } else { 0.0 },
        steals: course.records.iter().filter(|record| record.stolen()).count() as u64,
        cut: decider.gives_sockets().then(|| cut(course, decider)),
        partition: Seconds::new(course.partition_s),
        migration: Seconds::new(migration_s(question)),
        mailbox: from(Source::Mailbox),
        shared: from(Source::Shared),
        revokes: course.records.iter().filter(|record| record.revoked).count() as u64,
        remote_tasks: course.records.iter().filter(|record| is_remote(record)).count() as u64,
        contender: question
            .contender
            .map(|_| ContenderRun { tasks: course.contending.tasks, dealt: decider.dealt() }),
        fallbacks: decider.fallbacks(),
    }
}

fn cut(course: &Course, decider: &dyn Decides) -> Cut {
    let graph = course.question.graph;
    let mut cut = Cut::default();
    let mut tracker = Tracker::new(graph.blocks().len());
    for task in graph.tasks() {
        for edge in tracker.add(graph, task) {
            if decider.socket(edge.from) != decider.socket(edge.to) {
                cut.edges += 1;
                cut.bytes += edge.bytes;
            }
        }
    }
    cut
}
