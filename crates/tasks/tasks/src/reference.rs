//! Task graphs over simulated time, task by task: slow, obvious, and the measure of any faster simulation.
//!
//! The rules are those of the crate's text. [`simulate`] answers the same [`Question`] with the same [`Run`], and is written so that it can be
//! compared with those rules line by line: every task and every worker has a record of its own (`course`), every instant goes
//! through its four steps for everybody, and from one instant to the next all that could happen is looked through. There is no
//! queue of events, nothing is kept from one instant for another, and nobody is skipped because nothing changed.
//!
//! It shares no arithmetic with the fast one: caches and queues are plain lists (`data`, `deciding` with one file for each scheduler), and bandwidth comes from a new
//! [`numasim_model::sharing::Solver`] at every instant, in which every working task is an application of its own (`rates`). What remains
//! common is what is part of the question: types, dependencies, random numbers (the work of tasks), the partitioner,
//! and the estimates of `heft`.
//!
//! [`least_makespan`] tries all schedules of a few tasks in the same way. Both are there for tests.

mod brute;
mod count;
mod course;
mod data;
mod decides;
mod deciding;
mod line;
mod rates;
mod sources;

pub use brute::least_makespan;

use crate::error::TasksError;
use crate::idle::IdleReason;
use crate::observer::Observer;
use crate::question::Question;
use crate::refusal;
use crate::result::Run;
use crate::schedulers::Round;
use course::{Course, Heard};
use decides::Decides;
use line::Line;

/// Answers a question, slowly.
///
/// # Errors
/// As [`crate::simulate`].
pub fn simulate(question: &Question, observer: &mut dyn Observer) -> Result<Run, TasksError> {
    refusal::check(question)?;
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
        None => Ok(count::run(&course, decider)),
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
    // 2. The master creates what it can.
    course.create(&mut |event| decider.hear(event));
    // 3. Tasks that became ready go to the ends of their queues, by number.
    for (task, by) in course.newly_ready() {
        decider.ready(task, by, course.homes());
    }
    // 4. Every idle worker, in order, takes the first task of its own queue; then those that are still idle, in order, look in the
    // queues of other nodes, then steal.
    for round in [Round::Own, Round::OtherNodes, Round::Steal] {
        for place in 0..line.len() {
            // Where no task is left, those that are dealt to others need no turn to leave.
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
