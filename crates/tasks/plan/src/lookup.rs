//! What a plan says of each task and block of a graph.

use numasim_model::NodeId;
use numasim_model::graph::{BlockId, TaskGraph, TaskId};

use crate::classes::ClassId;
use crate::guide::{Fallbacks, Guide, Guided};
use crate::template::Templates;

/// Two bytes instead of sixteen: graphs have millions of tasks and blocks. Node + 1; 0 for none.
type Packed = u16;

/// A plan for one graph: where its tasks and blocks belong. Where the plan does not know a task or a block, or has no opinion, what the
/// programmer says holds.
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

    /// Where a task belongs.
    pub fn task(&self, task: TaskId) -> Option<NodeId> {
        unpacked(self.tasks.get(task.0 as usize).copied()?)
    }

    /// Where a block belongs.
    pub fn block(&self, block: BlockId) -> Option<NodeId> {
        unpacked(self.blocks.get(block.0 as usize).copied()?)
    }

    /// Tasks and blocks that the plan does not know.
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
    use numasim_model::graph::{Access, AccessMode, Block, BlockHome, NewTask, TaskGraphBuilder, TreeTask};

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
        // main has no opinion and the last task no class: both go by affinity.
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
