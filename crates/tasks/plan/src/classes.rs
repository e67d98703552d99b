//! Classes of tasks, the "supertasks" of paper 000: tasks that were created alike by tasks of one class.
//!
//! From the root on, breadth first, children by seq: a child with the template of its creator is of its creator's class (the star of the
//! generalized path: an iteration that creates the next one); every other child is of the class that (class of its creator, seq, template)
//! stands for.

use std::collections::HashMap;

use crate::cells::Cells;
use crate::fault::Fault;
use crate::template::{Template, Templates};

/// A class of tasks, numbered in the order in which they were met; 0 is that of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// Which class a child of a task is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The place of the child among the children of its creator.
    pub seq: u64,
    /// What the child is made from.
    pub template: Template,
    /// Its class.
    pub child: ClassId,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What its tasks are made from.
    pub template: Template,
    /// The class under which it was met first, and the seq there; `None` of the root.
    pub met: Option<(ClassId, u64)>,
    /// How many tasks it has.
    pub tasks: u64,
    /// Its children, in the order in which they were met.
    pub entries: Vec<Entry>,
}

/// No class yet.
const NONE: ClassId = ClassId(u32::MAX);

/// All classes of a profile.
#[derive(Clone, Debug)]
pub struct Classes {
    templates: Templates,
    all: Vec<Class>,
    /// Per task, in the order of the file.
    of_task: Vec<ClassId>,
    /// Per task.
    made_from: Vec<Template>,
    /// Tasks by the numbers that they have in files.
    numbers: HashMap<u64, u32>,
    met: HashMap<(ClassId, u64, Template), ClassId>,
}

impl Classes {
    pub(crate) fn new(templates: Templates, made_from: Vec<Template>) -> Self {
        Self {
            templates,
            all: Vec::new(),
            of_task: vec![NONE; made_from.len()],
            made_from,
            numbers: HashMap::new(),
            met: HashMap::new(),
        }
    }

    /// The class of the root.
    pub(crate) fn root(&mut self, task: u32) {
        let class = self.add(self.template(task), None);
        self.put(task, class);
    }

    /// The class of a task that a task with a class has created.
    pub(crate) fn child(&mut self, parent: u32, seq: u64, child: u32) {
        let (of_parent, template) = (self.class(parent), self.template(child));
        let key = (of_parent, seq, template);
        let known = self.met.get(&key).copied();
        let class = known.unwrap_or_else(|| self.meet(of_parent, seq, template));
        self.put(child, class);
    }

    /// The class of a child that is the first of its kind.
    fn meet(&mut self, of_parent: ClassId, seq: u64, template: Template) -> ClassId {
        let is_star = self.get(of_parent).is_some_and(|class| class.template == template);
        let class = if is_star { of_parent } else { self.add(template, Some((of_parent, seq))) };
        self.met.insert((of_parent, seq, template), class);
        if let Some(parent) = self.all.get_mut(of_parent.0 as usize) {
            parent.entries.push(Entry { seq, template, child: class });
        }
        class
    }

    pub(crate) fn has_class(&self, task: usize) -> bool {
        self.of_task.get(task).is_some_and(|class| *class != NONE)
    }

    /// With the numbers that tasks have in files.
    pub(crate) fn named(mut self, numbers: HashMap<u64, u32>) -> Self {
        self.numbers = numbers;
        self
    }

    /// All, by number.
    pub fn all(&self) -> &[Class] {
        &self.all
    }

    /// One of them.
    pub fn get(&self, class: ClassId) -> Option<&Class> {
        self.all.get(class.0 as usize)
    }

    /// The templates of its tasks.
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// How many tasks there are.
    pub fn task_count(&self) -> usize {
        self.of_task.len()
    }

    /// The class and the template of the task that a cell names.
    ///
    /// # Errors
    /// There is no such task.
    pub(crate) fn of_cell<const N: usize>(
        &self,
        cells: &Cells<'_, N>,
        cell: usize,
    ) -> Result<(ClassId, Template), Fault> {
        let id = cells.number(cell, "the task")?;
        let task = self.numbers.get(&id).copied().ok_or_else(|| {
            cells
                .fault(cell, format!("there is no task {id}"))
                .hint("tasks are those of ptrace-edt.csv, and the creator of the first one")
        })?;
        Ok((self.class(task), self.template(task)))
    }

    fn class(&self, task: u32) -> ClassId {
        self.of_task.get(task as usize).copied().unwrap_or(NONE)
    }

    fn template(&self, task: u32) -> Template {
        self.made_from.get(task as usize).copied().unwrap_or(Template(0))
    }

    fn add(&mut self, template: Template, met: Option<(ClassId, u64)>) -> ClassId {
        // There are no more classes than tasks, whose numbers have 32 bits.
        let number = ClassId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(Class { template, met, tasks: 0, entries: Vec::new() });
        number
    }

    fn put(&mut self, task: u32, class: ClassId) {
        if let Some(of_task) = self.of_task.get_mut(task as usize) {
            *of_task = class;
        }
        if let Some(class) = self.all.get_mut(class.0 as usize) {
            class.tasks += 1;
        }
    }
}
