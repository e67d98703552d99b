//! The least makespan of all schedules of a few tasks, by trying them all.

mod ahead;

use std::collections::{BTreeMap, HashMap};

use numasim_graph::values::TaskId;
use numasim_model::NodeId;
use numasim_model::units::Seconds;

use self::ahead::Ahead;
use super::course::Course;
use crate::error::TasksError;
use crate::idle::IdleReason;
use crate::question::Question;
use crate::refusal;
use crate::schedulers::{Source, Start};

/// The least makespan of every schedule in which a worker begins a task when something happens, or waits until something else does: whoever
/// decides in simulated time does nothing else. The question's scheduler and `steal` are not looked at; nothing is ever stolen.
/// Not for the placement `numa`, as there is no socket but the one that runs a task, nor where the work of tasks is spread.
///
/// Schedules that cannot be better than the best one so far are left, and what comes is looked at once where several ways lead to the same
/// state. The time still grows with the factorial of the tasks; 8 on 2 nodes are for tests.
///
/// `None`: more than `most_states` states would have to be remembered. Most questions have thousands, a few of them millions.
///
/// # Errors
/// As [`super::simulate`].
pub fn least_makespan(question: &Question, most_states: usize) -> Result<Option<Seconds>, TasksError> {
    refusal::check(question)?;
    let mut course = Course::new(question)?;
    let mut search = Search {
        least_s: f64::INFINITY,
        ahead: Ahead::new(question)?,
        seen: HashMap::new(),
        reached: 0,
        open: BTreeMap::new(),
    };
    if course.go_to_next_instant(IdleReason::Creation) {
        search.reach(course, Vec::new());
    }
    while let Some((_, (course, ready))) = search.open.pop_first() {
        search.decide(course, ready);
        if search.seen.len() > most_states {
            return Ok(None);
        }
    }
    Ok(Some(Seconds::new(search.least_s)))
}

struct Search<'a> {
    /// The least makespan so far.
    least_s: f64,
    ahead: Ahead<'a>,
    /// Per state that was reached: the earliest time at which it was.
    seen: HashMap<Vec<u64>, f64>,
    reached: usize,
    /// Courses and their ready tasks, where something is to be decided; by the bits of the time that they take at least, which are ordered as
    /// the times are, then those first where fewer tasks are left, then the oldest.
    open: BTreeMap<(u64, usize, usize), (Course<'a>, Vec<TaskId>)>,
}

impl<'a> Search<'a> {
    /// What needs no decision, until nothing more of it happens.
    fn reach(&mut self, mut course: Course<'a>, mut ready: Vec<TaskId>) {
        while !course.end_tasks(&mut |_| None).is_empty() | course.create(&mut |_| None) {
            ready.extend(course.newly_ready().into_iter().map(|(task, _)| task));
        }
        if course.unfinished().is_none() {
            self.least_s = self.least_s.min(course.now_s);
            return;
        }
        let at_least_s = course.now_s + self.ahead.least_s(&course);
        if at_least_s < self.least_s && self.is_new(&course) {
            let key = (at_least_s.to_bits(), course.not_taken().count(), self.reached);
            self.reached += 1;
            self.open.insert(key, (course, ready));
        }
    }

    /// Every decision.
    fn decide(&mut self, mut course: Course<'a>, ready: Vec<TaskId>) {
        if course.now_s + self.ahead.least_s(&course) >= self.least_s {
            return;
        }
        let workers = one_of_each_node(&course);
        for place in 0..ready.len() {
            for &worker in &workers {
                let mut taken = course.clone();
                let mut left = ready.clone();
                taken.take(worker, Start::new(left.remove(place), Source::Own), None);
                self.reach(taken, left);
            }
        }
        // Nobody takes anything more now.
        // Whoever decides leaves none ready while nobody runs any: then an existing one waits for one that the master has not created.
        if ready.is_empty() && course.forces() {
            return self.reach(course, ready);
        }
        course.set_rates();
        if course.go_to_next_instant(IdleReason::Parents) {
            self.reach(course, ready);
        }
    }

    /// Whether this state was not reached before, or only at a later time.
    fn is_new(&mut self, course: &Course) -> bool {
        let earliest_s = self.seen.entry(course.state()).or_insert(f64::INFINITY);
        let is_new = course.now_s < *earliest_s;
        *earliest_s = earliest_s.min(course.now_s);
        is_new
    }
}

/// An idle worker of each node that has one: those of a node are alike.
fn one_of_each_node(course: &Course) -> Vec<usize> {
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut workers = course.idle_workers();
    workers.retain(|&worker| {
        let node = course.node_of(worker);
        let is_first = !nodes.contains(&node);
        nodes.push(node);
        is_first
    });
    workers
}

#[cfg(test)]
mod tests;
