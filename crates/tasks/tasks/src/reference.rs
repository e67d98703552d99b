//! Task graphs over simulated time, task by task: slow and obvious, the reference for any faster simulation.
//!
//! The rules are those of the crate's documentation. [`simulate`] answers the same [`Question`] with the same [`Run`], and is written so
//! that it can be compared with those rules line by line. Every task and every worker has a separate record (`course`). Every instant
//! takes its four steps for all tasks and workers, and the search for the next instant examines all possible events. There is no queue of
//! events, no state is cached from one instant to another, and no element is skipped because nothing changed.
//!
//! It shares no arithmetic with the fast simulation. The content of caches follows from a list of all bytes ever touched (`data`). Queues
//! are plain lists (`deciding` with one file for each scheduler). Bandwidth comes from a new [`numasim_model::sharing::Solver`] at every
//! instant, in which every working task is a separate application (`rates`). Both share only parts of the question: types, dependencies,
//! random numbers (the work of tasks), the partitioner, and the estimates of `heft`.
//!
//! [`least_makespan`] tries all schedules of a few tasks in the same way. Both functions exist for tests.

use numasim_graph::Tracker;
use numasim_graph::values::{RuntimeSettings, TaskId, Ties};
use numasim_model::units::Seconds;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::error;
use crate::error::TasksError;
use crate::question::Question;
use crate::random::{Stream, generator};
use crate::reference::course::master::Heard;
use crate::reference::course::{Course, migration_s};
use crate::reference::deciding::Decides;
use crate::result::{ContenderRun, Cut, IdleReason, NodeRun, Observer, Run, TaskRecord, Traffic};
use crate::schedulers::{Round, Source};

pub use brute::least_makespan;

mod brute;
mod course;
mod data;
mod deciding;

/// Answers a question, slowly.
///
/// # Errors
/// As [`crate::simulate`].
pub fn simulate(question: &Question, observer: &mut dyn Observer) -> Result<Run, TasksError> {
    error::check(question)?;
    let mut course = Course::new(question)?;
    let mut decider = deciding::make(question)?;
    let decider = decider.as_mut();
    let mut line = Line::new(course.worker_count(), question.runtime);
    course.hands_over = decider.hands_over();
    let mut why = IdleReason::Creation;
    while course.go_to_next_instant(why) {
        loop {
            one_round(&mut course, decider, &mut line, observer);
            if let Some(error) = decider.failed() {
                return Err(error);
            }
            if !course.comes_now() && !course.forces() {
                break;
            }
        }
        if course.unfinished().is_none() {
            break;
        }
        course.set_rates();
        why = course.why_idle(decider.has_queued());
    }
    course.stop_contenders();
    match course.unfinished() {
        Some(task) => Err(TasksError::NeverEnds(task)),
        None => Ok(counted(&course, decider)),
    }
}

/// Phases of contenders and the four steps of an instant, once.
fn one_round(
    course: &mut Course,
    decider: &mut (dyn Decides + '_),
    line: &mut Line,
    observer: &mut dyn Observer,
) {
    for programs in course.pass_bounds() {
        decider.hear(&Heard::Shares(programs));
        course.deal(|worker| decider.is_dealt(worker));
    }
    // 1. Tasks that end, by number.
    let ended = course.end_tasks(&mut |event| decider.hear(event));
    for &(task, _) in &ended {
        if let Some(record) = course.record(task, decider.socket(task)) {
            observer.ended(&record);
        }
    }
    line.join(&ended);
    // Then contenders' tasks, by worker.
    for worker in course.end_contenders() {
        decider.hear(&Heard::Joins(worker));
        line.come_back(worker);
    }
    // 2. The master creates as many tasks as it can.
    course.create(&mut |event| decider.hear(event));
    // 3. Tasks that became ready go to the ends of their queues, by number.
    for (task, by) in course.newly_ready() {
        decider.ready(task, by, course.homes());
    }
    // 4. Every idle worker, in order, takes the first task of its queue. Then those that are still idle, in order, look in the queues of
    //    other nodes, then steal.
    for round in [Round::Own, Round::OtherNodes, Round::Steal] {
        for place in 0..line.len() {
            // If no task is left, workers that are dealt to others need no turn to leave.
            let any = course.has_ready();
            let worker = if round == Round::Own && any { line.turn(place) } else { line.at(place) };
            if !course.is_idle(worker) {
                continue;
            }
            let found = if any { decider.take(round, worker) } else { None };
            if let Some(start) = found {
                course.take(worker, start, decider.socket(start.task));
            } else if round == Round::Own && course.leaves(worker) {
                decider.hear(&Heard::Leaves(worker));
            }
        }
    }
    line.leave(|worker| course.is_idle(worker));
}

// Sums over a run, from the records of its tasks.

/// The results of the run of `course`.
fn counted(course: &Course, decider: &dyn Decides) -> Run {
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

// The order in which idle workers look for tasks.

/// Idle workers, by number. If the order is random, the next worker is drawn from those that have not had their turn.
#[derive(Clone, Debug)]
struct Line {
    idle: Vec<usize>,
    random: Option<ChaCha8Rng>,
}

impl Line {
    /// `count` idle workers.
    fn new(count: usize, runtime: &RuntimeSettings) -> Self {
        let random = (runtime.ties == Ties::Random).then(|| generator(runtime.seed, Stream::Workers));
        Self { idle: (0..count).collect(), random }
    }

    fn len(&self) -> usize {
        self.idle.len()
    }

    /// Workers whose tasks have ended come to the end, by task.
    fn join(&mut self, ended: &[(TaskId, usize)]) {
        self.idle.extend(ended.iter().map(|&(_, worker)| worker));
        if self.random.is_none() {
            self.idle.sort_unstable();
        }
    }

    /// A worker that had left comes to the end.
    fn come_back(&mut self, worker: usize) {
        self.idle.push(worker);
        if self.random.is_none() {
            self.idle.sort_unstable();
        }
    }

    /// The worker that comes after those at the places before `place`. A single worker uses no random number.
    fn turn(&mut self, place: usize) -> usize {
        let left = place..self.idle.len();
        if let Some(random) = self.random.as_mut().filter(|_| left.len() > 1) {
            self.idle.swap(place, random.random_range(left));
        }
        self.idle[place]
    }

    /// The worker that had its turn at `place`.
    fn at(&self, place: usize) -> usize {
        self.idle[place]
    }

    /// Workers that are not idle any more leave.
    fn leave(&mut self, is_idle: impl Fn(usize) -> bool) {
        self.idle.retain(|&worker| is_idle(worker));
    }
}
