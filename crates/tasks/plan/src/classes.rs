//! Classes of tasks, the "supertasks" of paper 000: tasks that were created in the same way by tasks of one class.
//!
//! From the root on, breadth first, children by seq: a child with the template of its creator belongs to its creator's class (the star of
//! the generalized path: an iteration that creates the next one). Every other child belongs to the class for (class of its creator, seq,
//! template).

use std::collections::HashMap;
use std::fmt;

use numasim_model::text::is_hidden;

use crate::fault::{At, Cells, Fault, File, Shown};

/// A class of tasks, numbered in order of appearance; 0 is that of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// The class of a child of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The place of the child among the children of its creator.
    pub seq: u64,
    /// The template of the child.
    pub template: Template,
    /// Its class.
    pub child: ClassId,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The template of its tasks.
    pub template: Template,
    /// The class under which it first appeared, and the seq there; `None` for the root.
    pub met: Option<(ClassId, u64)>,
    /// Number of its tasks.
    pub tasks: u64,
    /// Its children, in order of appearance.
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
    /// Index of each task by its number in files.
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

    /// Sets the class of a task that a task with a class has created.
    pub(crate) fn child(&mut self, parent: u32, seq: u64, child: u32) {
        let (of_parent, template) = (self.class(parent), self.template(child));
        let key = (of_parent, seq, template);
        let known = self.met.get(&key).copied();
        let class = known.unwrap_or_else(|| self.meet(of_parent, seq, template));
        self.put(child, class);
    }

    /// A new class for a child that is the first of its kind.
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

    /// Adds the numbers of tasks in files.
    pub(crate) fn named(mut self, numbers: HashMap<u64, u32>) -> Self {
        self.numbers = numbers;
        self
    }

    /// All classes, by number.
    pub fn all(&self) -> &[Class] {
        &self.all
    }

    /// A class.
    pub fn get(&self, class: ClassId) -> Option<&Class> {
        self.all.get(class.0 as usize)
    }

    /// The templates of its tasks.
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Number of tasks.
    pub fn task_count(&self) -> usize {
        self.of_task.len()
    }

    /// The class and the template of the task that a cell names.
    ///
    /// # Errors
    /// The task does not exist.
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

// Creators of tasks: `ptrace-edt.csv`, then `ptrace-new.csv`.

/// The template of a task that creates others and is not listed itself.
const MAIN: &str = "main/0";

/// A task during reading.
#[derive(Clone, Copy, Debug)]
struct Task {
    id: u64,
    template: Template,
    /// Its line in `ptrace-edt.csv`, or, if it is not there, the line in `ptrace-new.csv` that names it as a creator.
    listed: (File, u64),
    created: Option<Created>,
}

/// The creation of a task.
#[derive(Clone, Copy, Debug)]
struct Created {
    parent: u32,
    seq: u64,
    line: u64,
}

/// Tasks and their creators, read line by line: all of `ptrace-edt.csv`, then all of `ptrace-new.csv`.
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
    /// The problem with the line.
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
    /// The problem with the line.
    pub fn new_task(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let cells = At { file: File::New, line }.cells(text, ["parent", "seq", "child"])?;
        let (parent, seq) = (cells.number(0, "the creator")?, cells.number(1, "the place of the child")?);
        let child = cells.number(2, "the child")?;
        let Some(&index) = self.numbers.get(&child) else {
            let message = format!("there is no task {child} in {}", File::Edt.as_str());
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
    /// There is not exactly one task without a creator, or some task cannot be reached from it.
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
                "neither task {} nor task {} is created by another task: a program begins with one task",
                second.id, first.id
            );
            let hint = format!("give all but one of them a line in {}", File::New.as_str());
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
    /// Index of the first child of each task.
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

// Generalized paths of paper 000: the creation of a task of a class, from the root on, with a star for repeated steps.
//
// `(main/0, 0, creator/1):(creator/1, 0, creator/1)*:(creator/1, 1, worker/2)`

/// Maximum number of steps that are written; of a longer path the last ones.
const MOST: u64 = 100;

/// Paths of all classes.
pub(crate) struct Paths<'c> {
    classes: &'c Classes,
    /// Per class: number of steps of its path.
    steps: Vec<u64>,
}

impl<'c> Paths<'c> {
    pub(crate) fn new(classes: &'c Classes) -> Self {
        let mut steps: Vec<u64> = Vec::with_capacity(classes.all().len());
        for (number, class) in (0..).map(ClassId).zip(classes.all()) {
            // The class under which a class first appeared comes earlier.
            let before = class.met.and_then(|(under, _)| steps.get(under.0 as usize)).copied().unwrap_or(0);
            let own = u64::from(class.met.is_some()) + stars(&class.entries, number).count() as u64;
            steps.push(before + own);
        }
        Self { classes, steps }
    }

    /// Writes the path of a class.
    pub(crate) fn write(&self, class: ClassId, out: &mut impl fmt::Write) -> fmt::Result {
        let all = self.steps.get(class.0 as usize).copied().unwrap_or(0);
        if all == 0 {
            return out.write_str(self.name(class));
        }
        // From the class to the root, until there are enough.
        let mut lineage = vec![class];
        let mut below = class;
        while let Some((under, _)) = self.classes.get(below).and_then(|class| class.met) {
            if self.steps.get(under.0 as usize).is_none_or(|steps| all - steps >= MOST) {
                break;
            }
            lineage.push(under);
            below = under;
        }
        let mut separator = "";
        let left_out = self.classes.get(below).and_then(|class| class.met);
        let left_out = left_out.and_then(|(under, _)| self.steps.get(under.0 as usize)).copied().unwrap_or(0);
        if left_out > 0 {
            write!(out, "({left_out} more steps)")?;
            separator = ":";
        }
        for &class in lineage.iter().rev() {
            let Some(known) = self.classes.get(class) else { continue };
            let name = self.name(class);
            if let Some((under, seq)) = known.met {
                write!(out, "{separator}({}, {seq}, {name})", self.name(under))?;
                separator = ":";
            }
            let mut own: Vec<u64> = stars(&known.entries, class).collect();
            own.sort_unstable();
            for seq in own {
                write!(out, "{separator}({name}, {seq}, {name})*")?;
                separator = ":";
            }
        }
        Ok(())
    }

    fn name(&self, class: ClassId) -> &'c str {
        self.classes.get(class).map_or("", |known| self.classes.templates().name(known.template))
    }
}

/// Seqs of children that belong to the class itself.
fn stars(entries: &[Entry], class: ClassId) -> impl Iterator<Item = u64> {
    entries.iter().filter(move |entry| entry.child == class).map(|entry| entry.seq)
}

// Templates: the kind of a task, `type/number of accesses`. Equal ones have one number.

/// A template, by its number in a [`Templates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template(pub u32);

/// All templates so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    names: Vec<(Box<str>, u32)>,
    numbers: HashMap<Box<str>, Template>,
}

impl Templates {
    /// The name of the template of tasks of a type with this number of accesses.
    pub fn name_of(kind: &str, accesses: usize) -> String {
        format!("{kind}/{accesses}")
    }

    /// The number of a known name.
    pub fn find(&self, name: &str) -> Option<Template> {
        self.numbers.get(name).copied()
    }

    /// The name.
    pub fn name(&self, template: Template) -> &str {
        self.names.get(template.0 as usize).map_or("", |(name, _)| name)
    }

    /// Number of accesses of its tasks.
    pub fn accesses(&self, template: Template) -> u32 {
        self.names.get(template.0 as usize).map_or(0, |(_, accesses)| *accesses)
    }

    /// The number of a name; `None` unless it is `type/number of accesses`.
    pub(crate) fn number(&mut self, name: &str) -> Option<Template> {
        if let Some(known) = self.find(name) {
            return Some(known);
        }
        let (_, accesses) = name.rsplit_once('/')?;
        let digits = !accesses.is_empty() && accesses.bytes().all(|byte| byte.is_ascii_digit());
        let accesses = accesses.parse().ok().filter(|_| digits && !name.contains(is_hidden))?;
        let number = Template(u32::try_from(self.names.len()).ok()?);
        self.names.push((name.into(), accesses));
        self.numbers.insert(name.into(), number);
        Some(number)
    }

    /// The number of the name in a cell.
    ///
    /// # Errors
    /// It is no template.
    pub(crate) fn read<const N: usize>(
        &mut self,
        cells: &Cells<'_, N>,
        cell: usize,
    ) -> Result<Template, Fault> {
        let text = cells.text(cell);
        self.number(text).ok_or_else(|| {
            let message = format!("'{}' is no template", Shown(text));
            cells
                .fault(cell, message)
                .hint("write TYPE/NUMBER, a type of tasks and how many accesses they have")
        })
    }
}
