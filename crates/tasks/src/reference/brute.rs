//! The least makespan of all schedules of a few tasks, by trying them all.

use numasim_graph::Dependencies;
use numasim_model::NodeId;
use numasim_model::graph::TaskId;
use numasim_model::units::Seconds;

use super::course::Course;
use crate::error::TasksError;
use crate::idle::IdleReason;
use crate::question::Question;
use crate::refusal;
use crate::schedulers::{Source, Start};

/// The least makespan of every schedule in which a worker begins a task when something happens, or waits until something else does: whoever
/// decides in simulated time does nothing else. The question's scheduler and `steal` are not looked at; nothing is ever stolen.
/// Not for the placement `numa`, as there is no socket but the one that runs a task.
///
/// The time grows faster than the factorial of the tasks; 8 on 2 nodes are for tests.
///
/// # Errors
/// As [`super::simulate`].
pub fn least_makespan(question: &Question) -> Result<Seconds, TasksError> {
    refusal::check(question)?;
    let mut course = Course::new(question)?;
    let mut search = Search { least_s: f64::INFINITY, flop_s: flop_s(question)? };
    if course.go_to_next_instant(IdleReason::Creation) {
        search.go_on(course, &mut Vec::new());
    }
    Ok(Seconds::new(search.least_s))
}

/// Per task: how long it and the tasks that wait for it compute at least, on the fastest cores.
fn flop_s(question: &Question) -> Result<Vec<f64>, TasksError> {
    let graph = question.graph;
    let dependencies = Dependencies::of(graph).ok_or(TasksError::TooManyEdges)?;
    let peaks = question.machine.nodes().iter().map(|node| node.gflops_per_core.value());
    let peak = peaks.fold(0.0, f64::max);
    let mut after = vec![0.0_f64; graph.task_count()];
    for task in graph.tasks().rev() {
        let children = dependencies.children(task).iter().map(|child| after[child.0 as usize]);
        after[task.0 as usize] = children.fold(0.0, f64::max) + graph.gflop(task) / peak;
    }
    Ok(after)
}

struct Search {
    /// The least makespan so far.
    least_s: f64,
    /// Of each task.
    flop_s: Vec<f64>,
}

impl Search {
    /// What needs no decision, until nothing more of it happens; then every decision.
    fn go_on(&mut self, mut course: Course, ready: &mut Vec<TaskId>) {
        while !course.end_tasks(&mut |_| None).is_empty() | course.create(&mut |_| None) {
            ready.extend(course.newly_ready().into_iter().map(|(task, _)| task));
        }
        if course.unfinished().is_none() {
            self.least_s = self.least_s.min(course.now_s);
            return;
        }
        // What is not taken yet has all its FLOP before it.
        let left = course.not_taken().map(|task| self.flop_s[task.0 as usize]);
        if course.now_s + left.fold(0.0, f64::max) >= self.least_s {
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
                taken.take(worker, Start::new(left.remove(place), Source::Own), None);
                self.go_on(taken, &mut left);
            }
        }
        // Nobody takes anything more now.
        // Whoever decides leaves none ready while nobody runs any: then an existing one waits for one that the master has not created.
        if ready.is_empty() && course.forces() {
            return self.go_on(course, ready);
        }
        course.set_rates();
        if course.go_to_next_instant(IdleReason::Parents) {
            self.go_on(course, ready);
        }
    }
}
