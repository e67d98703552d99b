//! The least makespan of all schedules of a few tasks, by trying them all.

use numasim_model::NodeId;
use numasim_model::graph::TaskId;
use numasim_model::units::Seconds;

use super::course::Course;
use crate::error::TasksError;
use crate::question::Question;

/// The least makespan of every schedule in which a worker begins a task when something happens, or waits until something else does: whoever
/// decides in simulated time does nothing else. The question's scheduler and `steal` are not looked at; nothing is ever stolen.
/// Not for the placement `numa`, as there is no socket but the one that runs a task.
///
/// The time grows faster than the factorial of the tasks; 8 on 2 nodes are for tests.
///
/// # Errors
/// As [`super::simulate`].
pub fn least_makespan(question: &Question) -> Result<Seconds, TasksError> {
    let mut least_s = f64::INFINITY;
    let mut course = Course::new(question)?;
    if course.go_to_next_instant() {
        go_on(course, &mut Vec::new(), &mut least_s);
    }
    Ok(Seconds::new(least_s))
}

/// What needs no decision, until nothing more of it happens; then every decision.
fn go_on(mut course: Course, ready: &mut Vec<TaskId>, least_s: &mut f64) {
    while !course.end_tasks().is_empty() | course.create(&mut |_| None) {
        ready.extend(course.newly_ready().into_iter().map(|(task, _)| task));
    }
    if course.is_over() {
        *least_s = least_s.min(course.now_s);
        return;
    }
    if course.now_s >= *least_s {
        return;
    }
    // Idle workers of a node are alike.
    let mut nodes: Vec<(NodeId, usize)> = Vec::new();
    for worker in course.idle_workers() {
        if nodes.iter().all(|&(node, _)| node != course.node_of(worker)) {
            nodes.push((course.node_of(worker), worker));
        }
    }
    for place in 0..ready.len() {
        for &(_, worker) in &nodes {
            let mut taken = course.clone();
            let mut left = ready.clone();
            taken.take(worker, left.remove(place), false, None);
            go_on(taken, &mut left, least_s);
        }
    }
    // Nobody takes anything more now.
    course.set_rates();
    if course.go_to_next_instant() {
        go_on(course, ready, least_s);
    }
}
