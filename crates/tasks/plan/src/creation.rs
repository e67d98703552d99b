//! Who created whom: `ptrace-edt.csv`, then `ptrace-new.csv`.

use std::collections::HashMap;

use crate::cells::At;
use crate::classes::Classes;
use crate::fault::{Fault, File};
use crate::template::{Template, Templates};

/// The template of a task that creates others and is not listed itself.
const MAIN: &str = "main/0";

/// A task, while files are read.
#[derive(Clone, Copy, Debug)]
struct Task {
    id: u64,
    template: Template,
    /// Its line in `ptrace-edt.csv`, or, where it is not there, the one in `ptrace-new.csv` that names it as a creator.
    listed: (File, u64),
    created: Option<Created>,
}

/// How a task came to be.
#[derive(Clone, Copy, Debug)]
struct Created {
    parent: u32,
    seq: u64,
    line: u64,
}

/// Tasks and their creators, told line by line: all of `ptrace-edt.csv`, then all of `ptrace-new.csv`.
#[derive(Clone, Debug, Default)]
pub struct Creation {
    templates: Templates,
    tasks: Vec<Task>,
    numbers: HashMap<u64, u32>,
}

impl Creation {
    /// A line of `ptrace-edt.csv`: `task;template`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn edt(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let cells = At { file: File::Edt, line }.cells(text, ["task", "template"])?;
        let id = cells.number(0, "the task")?;
        let template = self.templates.read(&cells, 1)?;
        if self.numbers.contains_key(&id) {
            return Err(cells.fault(0, format!("task {id} is there twice")).hint("a task has one line"));
        }
        self.add(id, template, (File::Edt, line))
            .map(drop)
            .ok_or_else(|| cells.fault(0, "there are too many tasks"))
    }

    /// A line of `ptrace-new.csv`: `parent;seq;child`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new_task(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let cells = At { file: File::New, line }.cells(text, ["parent", "seq", "child"])?;
        let (parent, seq) = (cells.number(0, "the creator")?, cells.number(1, "the place of the child")?);
        let child = cells.number(2, "the child")?;
        let Some(&index) = self.numbers.get(&child) else {
            let message = format!("there is no task {child} in {}", File::Edt.name());
            return Err(cells.fault(2, message).hint("every created task has a line there"));
        };
        let parent = match self.numbers.get(&parent) {
            Some(&parent) => parent,
            None => self
                .templates
                .number(MAIN)
                .and_then(|main| self.add(parent, main, (File::New, line)))
                .ok_or_else(|| cells.fault(0, "there are too many tasks"))?,
        };
        let Some(task) = self.tasks.get_mut(index as usize) else { return Ok(()) };
        if let Some(created) = task.created {
            let message = format!("task {child} is created twice, before this in line {}", created.line);
            return Err(cells.fault(2, message).hint("a task has one creator"));
        }
        task.created = Some(Created { parent, seq, line });
        Ok(())
    }

    /// The classes of the tasks.
    ///
    /// # Errors
    /// There is not exactly one task without a creator, or one that it does not reach.
    pub fn classes(self) -> Result<Classes, Fault> {
        let mut roots = (0_u32..).zip(&self.tasks).filter(|(_, task)| task.created.is_none());
        let Some((root, first)) = roots.next() else {
            let message = if self.tasks.is_empty() {
                "there is no task"
            } else {
                "every task is created by another one: there is none that the program begins with"
            };
            return Err(Fault::new(File::Edt, 1, message).hint("the root has no creator"));
        };
        if let Some((_, second)) = roots.next() {
            let message = format!(
                "nobody creates task {}, and nobody task {}: a program begins with one task",
                second.id, first.id
            );
            let hint = format!("give all but one of them a line in {}", File::New.name());
            return Err(Fault::new(second.listed.0, second.listed.1, message).hint(hint));
        }
        let children = self.children();
        let mut classes = Classes::new(self.templates, self.tasks.iter().map(|task| task.template).collect());
        let mut reached = 0_usize;
        let mut order = vec![root];
        classes.root(root);
        while let Some(&parent) = order.get(reached) {
            reached += 1;
            for &(seq, _, child) in children.of(parent) {
                classes.child(parent, seq, child);
                order.push(child);
            }
        }
        if let Some((task, created)) = self.tasks.iter().enumerate().find_map(|(index, task)| {
            task.created.filter(|_| !classes.has_class(index)).map(|created| (task, created))
        }) {
            let message = format!("the root, task {}, does not reach task {}", first.id, task.id);
            let hint = "its creators form a circle: a task is created by an earlier one";
            return Err(Fault::new(File::New, created.line, message).of(2).hint(hint));
        }
        Ok(classes.named(self.numbers))
    }

    fn add(&mut self, id: u64, template: Template, listed: (File, u64)) -> Option<u32> {
        let index = u32::try_from(self.tasks.len()).ok().filter(|&index| index < u32::MAX)?;
        self.tasks.push(Task { id, template, listed, created: None });
        self.numbers.insert(id, index);
        Some(index)
    }

    /// All children by creator, those of one by seq, then id.
    fn children(&self) -> Children {
        let mut first = vec![0_usize; self.tasks.len() + 1];
        let created =
            || (0_u32..).zip(&self.tasks).filter_map(|(child, task)| Some((child, task.id, task.created?)));
        for (_, _, by) in created() {
            if let Some(count) = first.get_mut(by.parent as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let mut free = first.clone();
        let mut all = vec![(0, 0, 0); sum];
        for (child, id, by) in created() {
            if let Some(at) = free.get_mut(by.parent as usize) {
                if let Some(place) = all.get_mut(*at) {
                    *place = (by.seq, id, child);
                }
                *at += 1;
            }
        }
        for ends in first.windows(2) {
            if let [start, end] = *ends
                && let Some(of_one) = all.get_mut(start..end)
            {
                of_one.sort_unstable();
            }
        }
        Children { first, all }
    }
}

/// Children by creator: seq, id, index.
struct Children {
    /// Where those of each task begin.
    first: Vec<usize>,
    all: Vec<(u64, u64, u32)>,
}

impl Children {
    fn of(&self, parent: u32) -> &[(u64, u64, u32)] {
        let parent = parent as usize;
        match (self.first.get(parent), self.first.get(parent + 1)) {
            (Some(&start), Some(&end)) => self.all.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }
}
