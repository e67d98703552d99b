//! A plan in the form for a run: it leads from the class of its creator to the class of a task, and from there to its node.
//!
//! The class of a task depends on nothing that happens while tasks run, so a whole graph is looked up before anything runs.

use std::collections::HashMap;

use numasim_graph::values::{BlockId, TaskGraph, TaskId};
use numasim_model::NodeId;

use crate::classes::{ClassId, Template, Templates};
use crate::fault::{At, Cells, Fault, File, Shown};

/// Tasks and blocks of a run that are not in the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fallbacks {
    /// Tasks without a class.
    pub tasks: u64,
    /// Blocks that no class creates at their place.
    pub blocks: u64,
}

/// The plan for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guided {
    /// The node, among those with cores.
    Node(usize),
    /// Its class has no preference.
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

    /// The plan for a task.
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

    /// Number of classes of tasks.
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
    /// For a machine with this number of nodes with cores.
    pub fn new(nodes: usize) -> Self {
        Self { guide: Guide::default(), nodes, missing: 0, named: Vec::new() }
    }

    /// A line of `plan-tree.csv`.
    ///
    /// # Errors
    /// The problem with the line.
    pub fn tree(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let at = At { file: File::PlanTree, line };
        if self.missing == 0 {
            self.class(&at.cells(text, ["id", "template", "node", "children"])?)
        } else {
            self.missing -= 1;
            self.entry(&at.cells(text, ["id", "seq", "template", "child"])?, line)
        }
    }

    /// The end of `plan-tree.csv`, after its last line `line`.
    ///
    /// # Errors
    /// A class is missing, or a child does not exist.
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
    /// The problem with the line.
    pub fn blocks(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let cells = At { file: File::PlanDbs, line }.cells(text, ["class", "seq", "node"])?;
        let class = cells.number(0, "the class")?;
        let known = u32::try_from(class).ok().filter(|&class| (class as usize) < self.guide.classes.len());
        let Some(class) = known.map(ClassId) else {
            let message = format!("there is no class {class} in {}", File::PlanTree.as_str());
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
        // A number that does not fit is no class, which is reported at the end.
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

// The plan for each task and block of a graph.

/// Two bytes instead of sixteen: graphs have millions of tasks and blocks. Node + 1; 0 for none.
type Packed = u16;

/// A plan for one graph: the nodes of its tasks and blocks. If a task or a block is not in the plan, or has no preference, the
/// programmer's hint applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphPlan {
    tasks: Vec<Packed>,
    blocks: Vec<Packed>,
    fallbacks: Fallbacks,
}

impl GraphPlan {
    /// Looks up every task and block of a graph; `nodes` are those with cores, ascending.
    pub fn of(guide: &Guide, graph: &TaskGraph, nodes: &[NodeId]) -> Self {
        let node = |place: usize| nodes.get(place).copied();
        let mut fallbacks = Fallbacks::default();
        let mut classes: Vec<Option<ClassId>> = Vec::with_capacity(graph.task_count());
        let mut tasks = Vec::with_capacity(graph.task_count());
        for task in graph.tasks() {
            let template = Templates::name_of(graph.type_name(task), graph.accesses(task).len());
            let class = match (graph.created_by(task), graph.seq(task)) {
                (Some(creator), Some(seq)) => {
                    let creator = classes.get(creator.0 as usize).copied().flatten();
                    creator.and_then(|creator| guide.child(creator, u64::from(seq), &template))
                }
                _ => guide.root(&template),
            };
            classes.push(class);
            let own = match guide.task(class) {
                Guided::Node(place) => node(place),
                Guided::NoOpinion => None,
                Guided::Fallback => {
                    fallbacks.tasks += 1;
                    None
                }
            };
            tasks.push(packed(own.or_else(|| graph.affinity(task))));
        }
        let mut created = vec![0_u64; graph.task_count()];
        let creators = (0..).map(BlockId).zip(graph.block_creators());
        let blocks = creators.map(|(block, creator)| {
            let seq = created.get_mut(creator.0 as usize).map_or(0, |seq| std::mem::replace(seq, *seq + 1));
            let class = classes.get(creator.0 as usize).copied().flatten();
            let own = guide.block(class, seq).and_then(node);
            fallbacks.blocks += u64::from(own.is_none());
            packed(own.or_else(|| graph.hint(block)))
        });
        let blocks = blocks.collect();
        Self { tasks, blocks, fallbacks }
    }

    /// The node of a task.
    pub fn task(&self, task: TaskId) -> Option<NodeId> {
        unpacked(self.tasks.get(task.0 as usize).copied()?)
    }

    /// The node of a block.
    pub fn block(&self, block: BlockId) -> Option<NodeId> {
        unpacked(self.blocks.get(block.0 as usize).copied()?)
    }

    /// Number of tasks and blocks that are not in the plan.
    pub fn fallbacks(&self) -> Fallbacks {
        self.fallbacks
    }
}

fn packed(node: Option<NodeId>) -> Packed {
    // There are at most MAX_NODES.
    node.and_then(|node| Packed::try_from(node.0 + 1).ok()).unwrap_or(0)
}

fn unpacked(node: Packed) -> Option<NodeId> {
    node.checked_sub(1).map(|node| NodeId(usize::from(node)))
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{Access, AccessMode, Block, BlockHome, NewTask, TaskGraphBuilder, TreeTask};

    use super::*;
    use crate::File;
    use crate::testing::Texts;

    /// `main` makes block 0 and creates two `work` tasks that read it; a third one is no child of the plan. Hints are node 5.
    fn graph() -> TaskGraph {
        let mut graph = TaskGraphBuilder::new("tree");
        let (main, work) = (graph.kind("main"), graph.kind("work"));
        for _ in 0..2 {
            let block = graph.block(Block { bytes: 8.0, home: BlockHome::Open }, None).expect("a block");
            graph.block_hint(block, NodeId(5)).expect("a block");
        }
        let read = Access { block: BlockId(0), mode: AccessMode::In, declared_bytes: 8.0, moved_bytes: 8.0 };
        for (kind, created_by) in [(main, None), (work, Some(0)), (work, Some(0)), (work, Some(0))] {
            let accesses = if created_by.is_some() { &[read][..] } else { &[] };
            let task = NewTask { kind, gflop: 0.0, accesses, socket: None, taskwait: false, name: None };
            let tree = TreeTask {
                created_by: created_by.map(TaskId),
                affinity: Some(NodeId(5)),
                ..TreeTask::default()
            };
            graph.tree_task(task, tree).expect("a task");
        }
        for block in [0, 1].map(BlockId) {
            graph.block_created_by(block, TaskId(0)).expect("a block");
        }
        graph.finish()
    }

    #[test]
    fn tasks_and_blocks_go_where_the_plan_says_else_where_the_programmer_does() {
        let texts = Texts::default()
            .with(File::PlanTree, "0;main/0;-1;2\n0;0;work/1;1\n0;1;work/1;2\n1;work/1;1;0\n2;work/1;0;0\n")
            .with(File::PlanDbs, "0;0;1\n");
        let guide = texts.guide(2).expect("a plan");
        // Nodes with cores are 2 and 5: the plan counts these.
        let plan = GraphPlan::of(&guide, &graph(), &[NodeId(2), NodeId(5)]);
        let tasks: Vec<_> = (0..4).map(|task| plan.task(TaskId(task))).collect();
        // main has no preference and the last task no class: both follow their affinity.
        assert_eq!(tasks, [5, 5, 2, 5].map(|node| Some(NodeId(node))));
        assert_eq!((plan.block(BlockId(0)), plan.block(BlockId(1))), (Some(NodeId(5)), Some(NodeId(5))));
        assert_eq!(plan.fallbacks(), Fallbacks { tasks: 1, blocks: 1 });
    }

    #[test]
    fn another_program_is_all_fallbacks() {
        let texts = Texts::default().with(File::PlanTree, "0;other/0;1;0\n");
        let plan = GraphPlan::of(&texts.guide(2).expect("a plan"), &graph(), &[NodeId(2), NodeId(5)]);
        assert_eq!(plan.fallbacks(), Fallbacks { tasks: 4, blocks: 2 });
        assert_eq!(plan.task(TaskId(0)), Some(NodeId(5)));
    }
}
