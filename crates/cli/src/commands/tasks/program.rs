//! The graph that is simulated and what is asked of it: from files and switches to values.

use std::path::Path;

use numasim_graph::{Dependencies, generate, generate_program};
use numasim_model::graph::{
    GraphSource, PagePlacement, RuntimeSettings, SchedulerSettings, TaskGraph, TaskGraphBuilder, TaskScenario,
};
use numasim_model::{NodeId, Study};

use super::room::Counts;
use crate::args::TasksArgs;
use crate::commands::graph_folder;
use crate::failure::Failure;
use crate::view::tasked::GraphFacts;

/// A graph and its edges.
pub(super) struct Program {
    /// Blocks and tasks.
    pub(super) graph: TaskGraph,
    /// What waits for what.
    pub(super) dependencies: Dependencies,
}

/// What is asked of the graph, once.
pub(super) struct Settings {
    pub(super) scheduler: SchedulerSettings,
    pub(super) runtime: RuntimeSettings,
    pub(super) placement: PagePlacement,
    /// What says both, where something does.
    pub(super) scenario: Option<TaskScenario>,
    pub(super) steal: bool,
    /// The share of `--metg`.
    pub(super) metg: Option<f64>,
}

/// The graph of the files or of a folder.
///
/// # Errors
/// Two graphs; a generator that makes none; what cannot be read.
pub(in crate::commands) fn graph(study: &Study, folder: Option<&Path>) -> Result<TaskGraph, Failure> {
    Ok(match (&study.tasks.source, folder) {
        (GraphSource::None, Some(folder)) => graph_folder::read(folder, &study.machine)?,
        (GraphSource::None, None) => TaskGraphBuilder::new("empty").finish(),
        (_, Some(folder)) => {
            return Err(Failure::input(format!(
                "there are two graphs: that of --graph {} and that of the files",
                folder.display()
            ))
            .hint("leave out --graph, or give files without [[task]], [[block]], [program] and generator"));
        }
        (GraphSource::Given(graph), None) => graph.clone(),
        (GraphSource::Generated { name, generator }, None) => {
            let sockets: Vec<NodeId> = study.machine.compute_nodes().collect();
            generate(generator, name, &sockets)
                .map_err(|error| Failure::input(format!("generator {}: {error}", generator.as_str())))?
        }
        (GraphSource::Program { name, program }, None) => {
            let sockets: Vec<NodeId> = study.machine.compute_nodes().collect();
            generate_program(program, name, &sockets)
                .map_err(|error| Failure::input(format!("[program]: {error}")))?
        }
    })
}

impl Settings {
    /// What people call it: the scenario, or the scheduler.
    pub(super) fn label(&self) -> &'static str {
        self.scenario.map_or(self.scheduler.kind.as_str(), TaskScenario::as_str)
    }
}

impl Program {
    /// The graph of the files or of a folder, and its edges.
    ///
    /// # Errors
    /// Those of [`graph`]; no room for it, which shows before its edges are looked for, or too many edges.
    pub(super) fn of(study: &Study, folder: Option<&Path>) -> Result<Self, Failure> {
        let graph = graph(study, folder)?;
        Counts::of(&graph, 0).at_a_time()?;
        let dependencies = Dependencies::of(&graph)
            .ok_or_else(|| Failure::input("the graph has more than 2^32 edges, which are not dealt with"))?;
        Ok(Self { graph, dependencies })
    }

    /// For how many simulations at a time there is room.
    ///
    /// # Errors
    /// For none.
    pub(super) fn at_a_time(&self) -> Result<usize, Failure> {
        Counts::of(&self.graph, self.dependencies.edge_count()).at_a_time()
    }

    /// What people see of it.
    pub(super) fn facts(&self) -> GraphFacts {
        GraphFacts {
            name: self.graph.name().to_owned(),
            tasks: self.graph.task_count(),
            edges: self.dependencies.edge_count(),
            blocks: self.graph.blocks().len(),
            span: self.dependencies.span(),
        }
    }
}

/// Every scheduler, or every scenario, with every seed.
///
/// # Errors
/// Seeds beyond the last one.
pub(super) fn settings(args: &TasksArgs, study: &Study) -> Result<Vec<Settings>, Failure> {
    let tasks = &study.tasks;
    let first = args.seed.unwrap_or(tasks.runtime.seed);
    let Some(last) = first.checked_add(u64::from(args.runs) - 1) else {
        return Err(Failure::input(format!("seed {first} and {} runs: there are no such seeds", args.runs))
            .hint("give a smaller --seed"));
    };
    let of_files = [tasks.scheduler.kind];
    let kinds = if args.scheduler.is_empty() { &of_files[..] } else { &args.scheduler };
    let of_kind = |&kind| {
        let scheduler = SchedulerSettings { kind, ..tasks.scheduler.clone() };
        (scheduler, args.placement, None)
    };
    let of_scenario = |&scenario: &TaskScenario| {
        (scenario.scheduler(&tasks.scheduler), scenario.placement(), Some(scenario))
    };
    let asked: Vec<_> = if args.scenario.is_empty() {
        kinds.iter().map(of_kind).collect()
    } else {
        args.scenario.iter().map(of_scenario).collect()
    };
    let with_seeds = |(scheduler, placement, scenario): (SchedulerSettings, PagePlacement, _)| {
        (first..=last).map(move |seed| Settings {
            scheduler: scheduler.clone(),
            runtime: RuntimeSettings { seed, ..tasks.runtime.clone() },
            placement,
            scenario,
            steal: args.steal,
            metg: args.metg,
        })
    };
    Ok(asked.into_iter().flat_map(with_seeds).collect())
}
