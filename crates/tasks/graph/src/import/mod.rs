//! Graphs of other tools: text in, a graph and warnings out, or problems with their places.
//!
//! Tasks come in topological order; independent ones are in the order of the file (or of submission, if the file contains it).
//! Dependences in the text without a common block become a block of 0 B that the earlier task writes and the later ones read. A block
//! that a task reads and writes moves twice.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use numasim_model::text::visible;
use numasim_study::{Place, Problem, ProblemKind};

use crate::problems::{NO_TASKS, computable, shown};
use crate::values::{
    Access, AccessMode, Block, BlockHome, BlockId, GraphError, MAX_TASKS, NewTask, TaskGraph,
    TaskGraphBuilder,
};

pub mod dot;
pub mod starpu;
#[cfg(test)]
mod tests;
pub mod wfcommons;

/// A graph, with notes for readers of its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The graph.
    pub graph: TaskGraph,
    /// Omissions and assumptions.
    pub warnings: Vec<Warning>,
}

/// An omission or assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// One sentence without a full stop.
    pub message: String,
    /// The place of its first occurrence.
    pub place: Option<Place>,
}

/// A note that concerns several places: the first of them, and their number.
#[derive(Clone, Debug, Default)]
struct Noted(Option<(String, Place, usize)>);

impl Noted {
    /// Adds a place; `name` is that of the task or block.
    fn at(&mut self, name: &str, place: &Place) {
        match &mut self.0 {
            Some((_, _, count)) => *count += 1,
            none => *none = Some((crate::problems::shown(name), place.clone(), 1)),
        }
    }

    /// The warning, if there is one: `what` (in the singular and in the plural), then `why`.
    fn warning(self, [one, many]: [&str; 2], why: &str) -> Option<Warning> {
        let (name, place, count) = self.0?;
        let message = match count {
            1 => format!("{one} `{name}` {why}"),
            _ => format!("{count} {many} (the first is `{name}`) {why}"),
        };
        Some(Warning { message, place: Some(place) })
    }
}

// From a draft to a graph: the order of tasks, then blocks for order without data.

/// The graph of a draft. Names are escaped so that hidden characters are visible.
///
/// # Errors
/// No tasks, a cycle of tasks that wait for each other, or more than the limits of a graph.
fn assemble(mut draft: Draft, name: &str) -> Result<TaskGraph, Vec<Problem>> {
    if draft.tasks.is_empty() {
        let problem = Problem::new(ProblemKind::EmptyFile, NO_TASKS).at(Place::whole(0), "");
        return Err(vec![problem]);
    }
    let order = topological(&draft).map_err(|problem| vec![*problem])?;
    add(&mut draft).map_err(|problem| vec![*problem])?;
    graph(&draft, &order, name)
        .map_err(|error| vec![Problem::new(ProblemKind::Limit, error.to_string()).at(Place::whole(0), "")])
}

fn graph(draft: &Draft, order: &[u32], name: &str) -> Result<TaskGraph, GraphError> {
    let mut graph = TaskGraphBuilder::new(visible(name));
    for (name, bytes) in &draft.blocks {
        let name = Some(visible(name)).filter(|name| !name.is_empty());
        graph.block(Block { bytes: *bytes, home: BlockHome::Open }, name.as_deref())?;
    }
    let mut accesses: Vec<Access> = Vec::new();
    for task in order.iter().filter_map(|&task| draft.tasks.get(task as usize)) {
        accesses.clear();
        accesses.extend(task.accesses.iter().map(|&(block, mode, declared_bytes)| {
            let times = if mode == AccessMode::Inout { 2.0 } else { 1.0 };
            Access { block: BlockId(block), mode, declared_bytes, moved_bytes: times * declared_bytes }
        }));
        let kind = graph.kind(&visible(&task.kind));
        let (gflop, accesses) = (task.gflop, accesses.as_slice());
        let name = Some(visible(&task.name)).filter(|name| !name.is_empty());
        let name = name.as_deref();
        let id = graph.task(NewTask { kind, gflop, accesses, socket: None, taskwait: false, name })?;
        graph.prioritise(id, task.priority);
    }
    Ok(graph.finish())
}

// Order without data: a block of 0 B for a task that others wait for without a common block.

/// Adds the blocks. Two tasks that access the same block, of which at least one writes it, are ordered without an additional one.
///
/// # Errors
/// There are too many blocks.
fn add(draft: &mut Draft) -> Result<(), Box<Problem>> {
    let sorted: Vec<Vec<(u32, bool)>> = draft
        .tasks
        .iter()
        .map(|task| {
            let mut all: Vec<_> = task.accesses.iter().map(|access| (access.0, access.1.writes())).collect();
            all.sort_unstable();
            all
        })
        .collect();
    let is_shown = |parent: u32, child: usize| {
        let (Some(one), Some(other)) = (sorted.get(parent as usize), sorted.get(child)) else { return true };
        let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
        few.iter().any(|&(block, writes)| {
            let found = many.binary_search_by_key(&block, |access| access.0).ok();
            found.and_then(|place| many.get(place)).is_some_and(|access| writes || access.1)
        })
    };
    // For each child its parents without a block.
    let mut hidden: Vec<Vec<u32>> = Vec::with_capacity(draft.tasks.len());
    for (child, task) in draft.tasks.iter().enumerate() {
        let mut parents: Vec<u32> =
            task.parents.iter().copied().filter(|&parent| !is_shown(parent, child)).collect();
        parents.sort_unstable();
        parents.dedup();
        hidden.push(parents);
    }
    let mut blocks: Vec<Option<u32>> = vec![None; draft.tasks.len()];
    for (child, parents) in hidden.iter().enumerate() {
        for &parent in parents {
            let Some(place) = blocks.get_mut(parent as usize) else { continue };
            let block = place.or_else(|| draft.block(String::new(), 0.0)).ok_or_else(|| {
                let message = "there is more order without data than there may be blocks";
                Box::new(Problem::new(ProblemKind::Limit, message).at(Place::whole(0), ""))
            })?;
            *place = Some(block);
            if let Some(task) = draft.tasks.get_mut(child) {
                task.accesses.push((block, AccessMode::In, 0.0));
            }
        }
    }
    for (task, block) in draft.tasks.iter_mut().zip(blocks) {
        task.accesses.extend(block.map(|block| (block, AccessMode::Out, 0.0)));
    }
    Ok(())
}

// A graph during reading: tasks in the order of the text, and the order constraints between them.

/// A task in the form of the text.
#[derive(Clone, Debug)]
struct DraftTask {
    name: String,
    kind: String,
    gflop: f64,
    /// Its priority; 0 by default.
    priority: f64,
    /// Block, mode and declared bytes.
    accesses: Vec<(u32, AccessMode, f64)>,
    /// Tasks that must come before it; repetitions are possible.
    parents: Vec<u32>,
    place: Place,
}

/// Tasks and blocks, named and with their bytes.
#[derive(Clone, Debug, Default)]
struct Draft {
    tasks: Vec<DraftTask>,
    blocks: Vec<(String, f64)>,
}

impl DraftTask {
    /// Merges all accesses to the same block into one: if some read and some write, it does both.
    fn unite(&mut self) {
        let mut blocks: Vec<u32> = self.accesses.iter().map(|access| access.0).collect();
        blocks.sort_unstable();
        if blocks.windows(2).all(|pair| pair.first() != pair.last()) {
            return;
        }
        let mut places = HashMap::new();
        let mut united: Vec<(u32, AccessMode, f64)> = Vec::new();
        for &(block, mode, bytes) in &self.accesses {
            let place = *places.entry(block).or_insert(united.len());
            match united.get_mut(place) {
                Some(known) => {
                    known.1 = if known.1 == mode { mode } else { AccessMode::Inout };
                    known.2 = known.2.max(bytes);
                }
                None => united.push((block, mode, bytes)),
            }
        }
        self.accesses = united;
    }
}

impl Draft {
    /// The number of a new task.
    ///
    /// # Errors
    /// There are too many, or its work is no usable number.
    fn task(&mut self, mut task: DraftTask) -> Result<u32, Box<Problem>> {
        if self.tasks.len() >= MAX_TASKS {
            let message = format!("there are more than {MAX_TASKS} tasks, which is the most that is read");
            return Err(Box::new(Problem::new(ProblemKind::Limit, message).at(task.place, "here")));
        }
        if let Err(why) = computable(task.gflop) {
            let message = format!("the work of `{}` is {:e} GFLOP, {why}", shown(&task.name), task.gflop);
            return Err(Box::new(Problem::new(ProblemKind::BadValue, message).at(task.place, "here")));
        }
        task.unite();
        self.tasks.push(task);
        // At most MAX_TASKS.
        Ok(u32::try_from(self.tasks.len() - 1).unwrap_or(u32::MAX))
    }

    /// The number of a new block; `None` if there are too many.
    fn block(&mut self, name: String, bytes: f64) -> Option<u32> {
        if self.blocks.len() >= MAX_TASKS {
            return None;
        }
        self.blocks.push((name, bytes));
        u32::try_from(self.blocks.len() - 1).ok()
    }
}

// Lines of a text with their places.

/// One line without its end.
#[derive(Clone, Copy, Debug)]
struct Line<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Line<'t> {
    /// The bytes of the line.
    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Words between spaces from the byte `from` of the line on, with their places.
    fn words(&self, from: usize) -> impl Iterator<Item = (&'t str, Range<usize>)> + use<'t> {
        let line = *self;
        let rest = line.text.get(from..).unwrap_or_default();
        let mut at = line.start + from;
        rest.split([' ', '\t']).filter_map(move |word| {
            let start = at;
            at += word.len() + 1;
            (!word.is_empty()).then(|| (word, start..start + word.len()))
        })
    }
}

/// The lines of a text.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |whole| {
        let line = Line { text: whole.trim_end_matches(['\n', '\r']), start };
        start += whole.len();
        line
    })
}

// The order in which tasks are created: each after its parents, independent ones in the order of the text.

/// Maximum number of tasks of a cycle that a message names.
const MOST_NAMED: usize = 8;

/// Tasks by number, in topological order.
///
/// # Errors
/// A cycle: the message names its tasks.
fn topological(draft: &Draft) -> Result<Vec<u32>, Box<Problem>> {
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

/// Some cycle among the tasks that still miss parents: each of them has a parent among them.
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

// Whether the memory suffices for the result of reading a text, checked before anything is read.
//
// Peaks that were measured with long lists of the smallest tasks, in bytes: JSON 580 for each object and as much as the text for each
// key, DOT 315 for each word, `tasks.rec` 650 for each job and 6 for each byte. The limits here are above them; a text with fewer and
// longer items needs less.

/// Maximum memory for a graph and the data read for it, in bytes: 4 GiB.
const MOST_BYTES: u64 = 4 << 30;

/// Rejects a text that would need more than 4 GiB: `each` bytes for each of `count` items, and `times` its length.
fn check_room(text: &str, [count, each]: [usize; 2], times: usize) -> Result<(), Vec<Problem>> {
    let bytes = (count as u64).saturating_mul(each as u64) + (text.len() as u64).saturating_mul(times as u64);
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let message = format!(
        "this graph may need {:.1} GiB of memory to be read; at most {} GiB are taken",
        bytes as f64 / (1_u64 << 30) as f64,
        MOST_BYTES >> 30
    );
    let hint = "write blocks.csv and tasks.csv for `numasim tasks --graph`, which are read in less memory";
    Err(vec![Problem::new(ProblemKind::Limit, message).at(Place::whole(0), "").hint(hint)])
}

/// Number of occurrences of `byte`.
fn count(text: &str, byte: u8) -> usize {
    text.bytes().filter(|&other| other == byte).count()
}

/// Number of words: sequences of letters, digits, `_`, `.` and all characters beyond ASCII.
fn words(text: &str) -> usize {
    let mut inside = false;
    text.bytes()
        .filter(|byte| {
            let was_inside = std::mem::replace(
                &mut inside,
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || !byte.is_ascii(),
            );
            inside && !was_inside
        })
        .count()
}
