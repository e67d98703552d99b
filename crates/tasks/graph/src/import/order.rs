//! The order in which tasks are created: each behind its parents, those that are free in the order of the text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numasim_study::{Problem, ProblemKind};

use super::draft::Draft;
use crate::problems::shown;

/// Most tasks of a circle that a message names.
const MOST_NAMED: usize = 8;

/// Tasks by number, in topological order.
///
/// # Errors
/// A circle: its tasks are named.
pub(super) fn topological(draft: &Draft) -> Result<Vec<u32>, Box<Problem>> {
    let tasks = &draft.tasks;
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); tasks.len()];
    let mut missing: Vec<usize> = Vec::with_capacity(tasks.len());
    for (number, task) in (0_u32..).zip(tasks) {
        missing.push(task.parents.len());
        for &parent in &task.parents {
            if let Some(children) = children.get_mut(parent as usize) {
                children.push(number);
            }
        }
    }
    let free = (0_u32..).zip(&missing).filter(|(_, missing)| **missing == 0);
    let mut free: BinaryHeap<Reverse<u32>> = free.map(|(number, _)| Reverse(number)).collect();
    let mut order = Vec::with_capacity(tasks.len());
    while let Some(Reverse(task)) = free.pop() {
        order.push(task);
        for &child in children.get(task as usize).into_iter().flatten() {
            if let Some(missing) = missing.get_mut(child as usize) {
                *missing -= 1;
                if *missing == 0 {
                    free.push(Reverse(child));
                }
            }
        }
    }
    if order.len() == tasks.len() { Ok(order) } else { Err(Box::new(circle(draft, &missing))) }
}

/// Some circle among the tasks that still miss parents: each of them has a parent among them.
fn circle(draft: &Draft, missing: &[usize]) -> Problem {
    let waits = |task: &u32| missing.get(*task as usize).is_some_and(|&missing| missing > 0);
    let parent = |task: u32| draft.tasks.get(task as usize)?.parents.iter().copied().find(waits);
    let mut seen = vec![None; draft.tasks.len()];
    let mut path = Vec::new();
    let mut next = (0_u32..).take(draft.tasks.len()).find(waits);
    let mut start = 0;
    while let Some(task) = next {
        match seen.get_mut(task as usize) {
            Some(Some(place)) => {
                start = *place;
                break;
            }
            Some(place) => *place = Some(path.len()),
            None => break,
        }
        path.push(task);
        next = parent(task);
    }
    // From parent to child.
    let mut circle: Vec<_> = path.get(start..).unwrap_or_default().iter().rev().collect();
    let least = circle.iter().enumerate().min_by_key(|(_, task)| **task).map_or(0, |(place, _)| place);
    circle.rotate_left(least);
    let tasks: Vec<_> = circle.iter().filter_map(|&&task| draft.tasks.get(task as usize)).collect();
    let mut names: Vec<String> = tasks.iter().take(MOST_NAMED).map(|task| shown(&task.name)).collect();
    if tasks.len() > MOST_NAMED {
        names.push(format!("... ({} tasks)", tasks.len()));
    }
    names.extend(names.first().cloned());
    let message = format!("tasks wait for each other in a circle: {}", names.join(" -> "));
    let problem = Problem::new(ProblemKind::Conflict, message);
    match tasks.first() {
        Some(task) => problem.at(task.place.clone(), "one of them"),
        None => problem,
    }
}
