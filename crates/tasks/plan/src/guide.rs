//! A plan as a run uses it: from the class of its creator to the class of a task, and from there to its node.
//!
//! Which class a task is of depends on nothing that happens while tasks run, so a graph is looked up whole, before anything runs.

use std::collections::HashMap;

use crate::cells::{At, Cells};
use crate::classes::ClassId;
use crate::fault::{Fault, File, Shown};
use crate::template::{Template, Templates};

/// Tasks and blocks of a run that the plan does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fallbacks {
    /// Tasks without a class.
    pub tasks: u64,
    /// Blocks that no class creates at their place.
    pub blocks: u64,
}

/// What the plan says of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guided {
    /// The node, among those with cores.
    Node(usize),
    /// Its class has no opinion.
    NoOpinion,
    /// It has no class.
    Fallback,
}

/// A class of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Planned {
    template: Template,
    node: Option<usize>,
}

/// The plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guide {
    templates: Templates,
    classes: Vec<Planned>,
    children: HashMap<(ClassId, u64, Template), ClassId>,
    blocks: HashMap<(ClassId, u64), usize>,
}

impl Guide {
    /// The class of a task without a creator.
    pub fn root(&self, template: &str) -> Option<ClassId> {
        let root = self.classes.first()?;
        (self.templates.name(root.template) == template).then_some(ClassId(0))
    }

    /// The class of a task that one of class `creator` creates at place `seq`.
    pub fn child(&self, creator: ClassId, seq: u64, template: &str) -> Option<ClassId> {
        self.children.get(&(creator, seq, self.templates.find(template)?)).copied()
    }

    /// What the plan says of a task.
    pub fn task(&self, class: Option<ClassId>) -> Guided {
        match class.and_then(|class| self.classes.get(class.0 as usize)) {
            None => Guided::Fallback,
            Some(class) => class.node.map_or(Guided::NoOpinion, Guided::Node),
        }
    }

    /// The node of a block that a task of class `creator` creates at place `seq`.
    pub fn block(&self, creator: Option<ClassId>, seq: u64) -> Option<usize> {
        self.blocks.get(&(creator?, seq)).copied()
    }

    /// How many classes of tasks there are.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }
}

/// A child that was named before all classes are known.
#[derive(Clone, Copy, Debug)]
struct Named {
    child: u64,
    template: Template,
    line: u64,
}

/// Reads a plan line by line: all of `plan-tree.csv`, its end, then all of `plan-dbs.csv`.
#[derive(Clone, Debug)]
pub struct GuideReader {
    guide: Guide,
    nodes: usize,
    /// Children of the last class that are still to come.
    missing: u64,
    named: Vec<Named>,
}

impl GuideReader {
    /// For a machine with so many nodes with cores.
    pub fn new(nodes: usize) -> Self {
        Self { guide: Guide::default(), nodes, missing: 0, named: Vec::new() }
    }

    /// A line of `plan-tree.csv`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn tree(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let at = At { file: File::PlanTree, line };
        if self.missing == 0 {
            self.class(&at.cells(text, ["id", "template", "node", "children"])?)
        } else {
            self.missing -= 1;
            self.entry(&at.cells(text, ["id", "seq", "template", "child"])?, line)
        }
    }

    /// The end of `plan-tree.csv`, behind its last line `line`.
    ///
    /// # Errors
    /// Something is missing, or a child that there is not.
    pub fn tree_ends(&mut self, line: u64) -> Result<(), Fault> {
        let at = |line| At { file: File::PlanTree, line };
        if self.missing > 0 {
            let message =
                format!("the file ends where class {} has {} more children", self.last(), self.missing);
            return Err(at(line).fault(message));
        }
        if self.guide.classes.is_empty() {
            return Err(at(1).fault("there is no class").hint("class 0 is that of the task that begins"));
        }
        for named in std::mem::take(&mut self.named) {
            let child = usize::try_from(named.child).ok();
            let Some(class) = child.and_then(|child| self.guide.classes.get(child)) else {
                let message = format!("there is no class {}", named.child);
                let hint = format!("classes are 0 to {}", self.guide.classes.len() - 1);
                return Err(at(named.line).fault(message).of(3).hint(hint));
            };
            if class.template != named.template {
                let name = |template| Shown(self.guide.templates.name(template));
                let message = format!(
                    "class {} is of '{}', not of '{}'",
                    named.child,
                    name(class.template),
                    name(named.template)
                );
                return Err(at(named.line).fault(message).of(2));
            }
        }
        Ok(())
    }

    /// A line of `plan-dbs.csv`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn blocks(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let cells = At { file: File::PlanDbs, line }.cells(text, ["class", "seq", "node"])?;
        let class = cells.number(0, "the class")?;
        let known = u32::try_from(class).ok().filter(|&class| (class as usize) < self.guide.classes.len());
        let Some(class) = known.map(ClassId) else {
            let message = format!("there is no class {class} in {}", File::PlanTree.name());
            return Err(cells.fault(0, message));
        };
        let seq = cells.number(1, "the place of the block")?;
        let node = cells.number(2, "the node")?;
        let node = self.node(&cells, node)?;
        if self.guide.blocks.insert((class, seq), node).is_some() {
            let message = format!("block {seq} of class {} is there twice", class.0);
            return Err(cells.fault(1, message));
        }
        Ok(())
    }

    /// The plan, after the last line.
    pub fn finish(self) -> Guide {
        self.guide
    }

    fn class(&mut self, cells: &Cells<'_, 4>) -> Result<(), Fault> {
        let next = self.guide.classes.len() as u64;
        if cells.number(0, "the class")? != next {
            let message = format!("class {} comes where {next} is expected", cells.text(0));
            return Err(cells
                .fault(0, message)
                .hint("classes are 0, 1, 2 ... with their children behind them"));
        }
        let template = self.guide.templates.read(cells, 1)?;
        let node = if cells.text(2) == "-1" {
            None
        } else {
            let node = cells.number(2, "the node")?;
            Some(self.node(cells, node)?)
        };
        self.missing = cells.number(3, "the number of children")?;
        self.guide.classes.push(Planned { template, node });
        Ok(())
    }

    fn entry(&mut self, cells: &Cells<'_, 4>, line: u64) -> Result<(), Fault> {
        let last = self.last();
        if cells.number(0, "the class")? != last {
            let message =
                format!("a child of class {} comes where one of class {last} is expected", cells.text(0));
            let hint = format!("the line of class {last} says how many children follow");
            return Err(cells.fault(0, message).hint(hint));
        }
        let seq = cells.number(1, "the place of the child")?;
        let template = self.guide.templates.read(cells, 2)?;
        let child = cells.number(3, "the class of the child")?;
        // What does not fit is no class, which is said at the end.
        let class = ClassId(u32::try_from(child).unwrap_or(u32::MAX));
        let key = (ClassId(u32::try_from(last).unwrap_or(u32::MAX)), seq, template);
        if self.guide.children.insert(key, class).is_some() {
            let message = format!("child {seq} of '{}' is there twice", Shown(cells.text(2)));
            return Err(cells.fault(1, message).hint("a place and a template have one class"));
        }
        self.named.push(Named { child, template, line });
        Ok(())
    }

    /// The number of the last class.
    fn last(&self) -> u64 {
        (self.guide.classes.len() as u64).saturating_sub(1)
    }

    fn node<const N: usize>(&self, cells: &Cells<'_, N>, node: u64) -> Result<usize, Fault> {
        usize::try_from(node).ok().filter(|&node| node < self.nodes).ok_or_else(|| {
            let plural = if self.nodes == 1 { "node" } else { "nodes" };
            let message =
                format!("the plan uses node {node}, the machine has {} {plural} with cores", self.nodes);
            cells.fault(2, message).hint("plan for this machine, or take the machine that the plan is for")
        })
    }
}
