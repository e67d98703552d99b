//! Task graphs over simulated time, task by task: slow, obvious, and the measure of any faster simulation.
//!
//! The rules are those of the crate's text. [`simulate`] answers the same [`Question`] with the same [`Run`], and is written so that it can be
//! compared with those rules line by line: every task and every worker has a record of its own (`course`), every instant goes
//! through its four steps for everybody, and from one instant to the next all that could happen is looked through. There is no
//! queue of events, nothing is kept from one instant for another, and nobody is skipped because nothing changed.
//!
//! It shares no arithmetic with the fast one: caches and queues are plain lists (`data`, `deciding`), and bandwidth comes from a new
//! [`numasim_model::sharing::Solver`] at every instant, in which every working task is an application of its own (`rates`). What remains
//! common is what is part of the question: types, dependencies, random numbers (the work of tasks), the partitioner,
//! and the estimates of `heft`.
//!
//! [`least_makespan`] tries all schedules of a few tasks in the same way. Both are there for tests.

mod brute;
mod count;
mod course;
mod data;
mod deciding;
mod line;
mod own_queues;
mod planned;
mod rates;
mod sources;
mod windows;

pub use brute::least_makespan;

use crate::error::TasksError;
use crate::idle::IdleReason;
use crate::observer::Observer;
use crate::question::Question;
use crate::result::Run;
use course::Course;
use deciding::Decider;
use line::Line;

/// Answers a question, slowly.
///
/// # Errors
/// As [`crate::simulate`].
pub fn simulate(question: &Question, observer: &mut dyn Observer) -> Result<Run, TasksError> {
    let mut course = Course::new(question)?;
    let mut decider = Decider::new(question)?;
    let mut line = Line::new(course.worker_count(), question.runtime);
    let mut why = IdleReason::Creation;
    while course.go_to_next_instant(why) {
        loop {
            one_round(&mut course, &mut decider, &mut line, observer);
            if let Some(error) = decider.failed {
                return Err(error);
            }
            if !course.comes_now() {
                break;
            }
        }
        course.set_rates();
        why = course.why_idle(decider.is_somewhere_else());
    }
    match course.unfinished() {
        Some(task) => Err(TasksError::NeverEnds(task)),
        None => Ok(count::run(&course, &decider)),
    }
}

/// The four steps of an instant, once.
fn one_round(course: &mut Course, decider: &mut Decider, line: &mut Line, observer: &mut dyn Observer) {
    // 1. Tasks that end, by number.
    let ended = course.end_tasks();
    for &(task, _) in &ended {
        if let Some(record) = course.record(task, decider.socket(task)) {
            observer.ended(&record);
        }
    }
    // 2. The master creates what it can.
    course.create(&mut |event| decider.hear(event));
    // 3. Tasks that became ready go to the ends of their queues, by number.
    for (task, by) in course.newly_ready() {
        decider.ready(task, by, course.homes());
    }
    // 4. Every idle worker, in order, takes the first task of its own queue; then those that are still idle, in order, steal.
    line.join(&ended);
    for steals in [false, true] {
        for place in 0..line.len() {
            if !course.has_ready() {
                break;
            }
            let worker = if steals { line.at(place) } else { line.turn(place) };
            if !course.is_idle(worker) {
                continue;
            }
            let node = course.node_of(worker);
            if let Some(task) = if steals { decider.steal(node) } else { decider.own(worker, node) } {
                course.take(worker, task, steals, decider.socket(task));
            }
        }
    }
    line.leave(|worker| course.is_idle(worker));
}
