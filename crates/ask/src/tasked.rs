//! Simulated task graphs: what came out of a simulation, and the document. Numbers are not rounded.

use numasim_draw::figures;
use numasim_model::Machine;
use numasim_model::graph::{PagePlacement, SchedulerKind, TaskScenario};
use numasim_tasks::bound::LowerBound;
use numasim_tasks::{Answer, IdleReason, Metg, NodeRun, Program, Run, Settings, Traffic};
use serde_json::{Value, json};

use crate::json::{name_model, number};

/// What the graph is.
#[derive(Clone, Debug)]
pub struct GraphFacts {
    /// Its name.
    pub name: String,
    /// How many tasks it has.
    pub tasks: usize,
    /// How many edges.
    pub edges: usize,
    /// How many blocks.
    pub blocks: usize,
    /// Tasks on the longest path.
    pub span: u32,
}

impl GraphFacts {
    /// What people see of a program.
    pub fn of(program: &Program) -> Self {
        Self {
            name: program.graph.name().to_owned(),
            tasks: program.graph.task_count(),
            edges: program.dependencies.edge_count(),
            blocks: program.graph.blocks().len(),
            span: program.dependencies.span(),
        }
    }

    /// `cholesky: 20 tasks, 30 edges, 10 blocks, 7 on the longest path`.
    pub fn in_words(&self) -> String {
        format!(
            "{}: {}, {}, {}, {} on the longest path",
            self.name,
            figures::count(self.tasks as u64, "task"),
            figures::count(self.edges as u64, "edge"),
            figures::count(self.blocks as u64, "block"),
            self.span,
        )
    }
}

/// One simulation with what it was asked.
#[derive(Clone, Debug)]
pub struct Tasked {
    /// Who decided.
    pub scheduler: SchedulerKind,
    /// Where pages were.
    pub placement: PagePlacement,
    /// What said both, where something did.
    pub scenario: Option<TaskScenario>,
    /// Whether idle workers stole.
    pub steal: bool,
    /// Of everything that was drawn.
    pub seed: u64,
    /// What came out.
    pub run: Run,
    /// No schedule can have a shorter makespan than this.
    pub bound: LowerBound,
    /// The minimum effective task granularity, where that was asked for.
    pub metg: Option<Metg>,
}

/// All that is shown.
#[derive(Clone, Copy, Debug)]
pub struct TasksView<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The graph.
    pub graph: &'a GraphFacts,
    /// In the order of `--scheduler` or `--scenario`, then of the seeds.
    pub runs: &'a [Tasked],
}

impl Tasked {
    /// What was asked, and the answer.
    pub fn of(settings: &Settings, answer: Answer) -> Self {
        let Answer { run, bound, metg } = answer;
        Self {
            scheduler: settings.scheduler.kind,
            placement: settings.placement,
            scenario: settings.scenario,
            steal: settings.steal,
            seed: settings.runtime.seed,
            run,
            bound,
            metg,
        }
    }

    /// What people call it: the scenario, or the scheduler.
    pub fn label(&self) -> &'static str {
        self.scenario.map_or(self.scheduler.as_str(), TaskScenario::as_str)
    }

    /// When the last task ended, in seconds.
    pub fn makespan_s(&self) -> f64 {
        self.run.makespan.value()
    }

    /// No schedule has a shorter makespan than this, in seconds.
    pub fn bound_s(&self) -> f64 {
        self.bound.makespan.value()
    }

    /// How far the makespan is above the lower bound, as a fraction of it.
    pub fn above_bound(&self) -> Option<f64> {
        (self.bound_s() > 0.0).then(|| (self.makespan_s() / self.bound_s() - 1.0).max(0.0))
    }
}

/// The document: one object for each scheduler and seed.
///
/// Beyond the contract, after its keys: of a run `bound_by` (what takes as long as the lower bound), `idle_reasons` (parts of all worker-seconds,
/// `idle` together) and `per_node`, for every node of the machine;
/// with `--metg` also `metg`, whose figures are null where no size of tasks keeps the share.
pub fn json(view: &TasksView<'_>) -> Value {
    let mut document = head(view.machine, view.graph);
    document["runs"] = view.runs.iter().map(object).collect();
    document
}

/// What every document of `tasks` begins with: the machine, its model, and the graph.
pub fn head(machine: &Machine, graph: &GraphFacts) -> Value {
    let mut document = json!({ "schema": 1, "command": "tasks", "machine": machine.name() });
    name_model(&mut document, machine.sharing());
    document["graph"] = json!({
        "name": graph.name,
        "tasks": graph.tasks,
        "edges": graph.edges,
        "blocks": graph.blocks,
        "span": graph.span,
    });
    document
}

fn object(tasked: &Tasked) -> Value {
    let run = &tasked.run;
    let mut object = json!({
        "scheduler": tasked.scheduler.as_str(),
        "placement": tasked.placement.as_str(),
        "steal": tasked.steal,
        "seed": tasked.seed,
        "makespan_s": number(tasked.makespan_s()),
        "bound_s": number(tasked.bound_s()),
        "bytes": bytes(&run.traffic),
        "idle": number(run.idle),
        "steals": run.steals,
        "cut_edges": run.cut.map(|cut| cut.edges),
        "cut_bytes": run.cut.map(|cut| number(cut.bytes)),
        "partition_s": number(run.partition.value()),
        "mailbox": run.mailbox,
        "shared": run.shared,
        "revokes": run.revokes,
        "remote_tasks": run.remote_tasks,
        "migration_s": number(run.migration.value()),
        "scenario": tasked.scenario.map(TaskScenario::as_str),
        "contender_tasks": run.contender.as_ref().map_or(0, |contender| contender.tasks),
        "dealt": run.contender.as_ref().and_then(|contender| contender.dealt.as_ref()),
        "fallbacks": run.fallbacks.map(|of| json!({ "tasks": of.tasks, "blocks": of.blocks })),
        "bound_by": tasked.bound.because_of.as_str(),
        "idle_reasons": reasons(|reason| run.idle_because(reason)),
        "per_node": run.nodes.iter().enumerate().map(node).collect::<Vec<_>>(),
    });
    if let Some(metg) = tasked.metg {
        object["metg"] = json!({
            "share": metg.share,
            "metg_us": metg.found.map(|(_, seconds)| number(seconds * 1e6)),
            "flop": metg.found.map(|(flop, _)| flop),
            "efficiency": metg.found.map(|_| number(metg.efficiency)),
        });
    }
    object
}

fn node((number_of_node, run): (usize, &NodeRun)) -> Value {
    json!({
        "node": number_of_node,
        "tasks": run.tasks,
        "busy_s": number(run.busy.value()),
        "idle_s": reasons(|reason| run.idle.of(reason).value()),
        "bytes": bytes(&run.traffic),
    })
}

/// A figure of each reason, in the order in which they are asked.
fn reasons(of: impl Fn(IdleReason) -> f64) -> Value {
    let all = IdleReason::ALL.into_iter();
    Value::Object(all.map(|reason| (reason.as_str().to_owned(), number(of(reason)))).collect())
}

fn bytes(traffic: &Traffic) -> Value {
    json!({
        "llc_local": number(traffic.llc_local),
        "llc_remote": number(traffic.llc_remote),
        "dram_local": number(traffic.dram_local),
        "dram_remote": number(traffic.dram_remote),
    })
}
