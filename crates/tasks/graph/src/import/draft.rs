//! A graph while a text is read: tasks in the order of the text, and which of them must come before which.

use std::collections::HashMap;

use crate::values::{AccessMode, MAX_TASKS};
use numasim_study::{Place, Problem, ProblemKind};

use crate::problems::{computable, shown};

/// A task as the text has it.
#[derive(Clone, Debug)]
pub(super) struct DraftTask {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) gflop: f64,
    /// Block, how, and its declared bytes.
    pub(super) accesses: Vec<(u32, AccessMode, f64)>,
    /// Tasks that must come before it; perhaps several times.
    pub(super) parents: Vec<u32>,
    pub(super) place: Place,
}

/// Tasks and blocks, named and with their bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) tasks: Vec<DraftTask>,
    pub(super) blocks: Vec<(String, f64)>,
}

impl DraftTask {
    /// Makes one access of all those to the same block: what reads and what writes it does both.
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
    /// There are too many, or its work is not a number that can be computed with.
    pub(super) fn task(&mut self, mut task: DraftTask) -> Result<u32, Box<Problem>> {
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
    pub(super) fn block(&mut self, name: String, bytes: f64) -> Option<u32> {
        if self.blocks.len() >= MAX_TASKS {
            return None;
        }
        self.blocks.push((name, bytes));
        u32::try_from(self.blocks.len() - 1).ok()
    }
}
