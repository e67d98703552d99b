//! Tasks that read and write blocks of data, and what a runtime knows of them: values without any behaviour.
//!
//! A [`TaskGraph`] lists [`Block`]s and tasks in the order in which a master thread creates them. It has no edges: which task waits for
//! which follows from the accesses, in creation order (paper 001, section 1.2.1), and is worked out by the crate `graph`.
//! Decisions (weights, edges) go by the bytes that an access *declares*, time by those that it *moves* (paper 001, section 2.1:
//! a stencil declares the whole neighbouring tile and reads its border).
//!
//! In a *tree program* tasks create tasks: a task exists from the end of its creator on ([`TreeTask`]). Numbers stay those of the files, and
//! who waits for whom follows from them whatever runs when.

mod generator;
mod parts;
mod settings;
mod task_graph;

pub use generator::{
    ArrayId, Generator, Indivisible, LoopShape, OfMachine, Parameter, Pattern, Program, ProgramArray,
    ProgramLoop, TaskBench,
};
pub use parts::{
    Access, AccessMode, Block, BlockHome, BlockId, GraphError, MAX_ACCESSES, MAX_TASKS, ReplayId, Submit,
    TaskId, TreeTask, TypeId,
};
pub use settings::{
    Contender, PagePlacement, Partitioner, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskScenario,
    Ties,
};
pub use task_graph::{NewTask, TaskGraph, TaskGraphBuilder};

/// What the input files say about tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskStudy {
    /// `[graph] name`; `None` where no file gives one.
    pub name: Option<String>,
    /// Where the graph comes from.
    pub source: GraphSource,
    /// `[scheduler]`: who decides which task runs where.
    pub scheduler: SchedulerSettings,
    /// `[runtime]`: what creating, fetching and stealing cost.
    pub runtime: RuntimeSettings,
    /// `[contender]`: who else wants the workers; `None`: nobody.
    pub contender: Option<Contender>,
}

/// Where a graph comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum GraphSource {
    /// No file says anything of tasks.
    #[default]
    None,
    /// `[[block]]` and `[[task]]`.
    Given(TaskGraph),
    /// `[graph] generator = "..."`, not made yet.
    Generated {
        /// The name of the graph.
        name: String,
        /// What makes it.
        generator: Generator,
    },
    /// `[program]`, not made yet.
    Program {
        /// The name of the graph.
        name: String,
        /// Arrays and loops.
        program: Program,
    },
}
