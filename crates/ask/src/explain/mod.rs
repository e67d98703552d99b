//! The worked calculation behind a scenario: the rows of the paper's Tables I and II, with the numbers put in.
//!
//! Memory by memory: first what other nodes request and what is left ("remote first"), then how each link and each
//! node's own part is split. Nodes with the same calculation are shown once. Then data on several nodes, and the sum.
//! Where one round is not all there is: flows, and round by round who gets what.

mod flows;
mod kernels;
mod pools;
mod remote;
mod rounds;
mod sheet;
mod spread;
mod static_work;
mod total;

use numasim_model::sharing::trace::{MemoryTrace, PoolTrace};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{AppId, NodeId};

use numasim_draw::Style;

use crate::ScenarioView;
use sheet::Sheet;

/// For people: the same, whose lines and columns stay as they are in Markdown, too.
pub fn shown(view: &ScenarioView, style: &Style) -> String {
    let as_text = Style { markdown: false, ..*style };
    style.verbatim(explain(view, &as_text))
}

/// Everything about how the model comes to the figures of this scenario.
pub fn explain(view: &ScenarioView, style: &Style) -> String {
    let rates = while_all_run(view, style);
    rates + &static_work::text(view, style)
}

/// The rates while nobody has finished, which is all there is but for work that was divided beforehand.
fn while_all_run(view: &ScenarioView, style: &Style) -> String {
    if view.evaluation.trace.is_empty() && !view.evaluation.flows.is_empty() {
        return kernels::note(view) + &flows::explain(view, style) + &rounds::text(view, style);
    }
    let classes = memory_classes(view);
    let mut blocks: Vec<Block> = Vec::new();
    for class in &classes {
        blocks.extend(remote::requests(class, style).map(Block::Text));
        blocks.extend(pools::sheets(view, class, style).into_iter().map(Block::Sheet));
    }
    blocks.extend(spread::blocks(view, style).into_iter().map(Block::Text));
    let totals = total::node_classes(view);
    match blocks.as_mut_slice() {
        // One table tells it all, as in the paper.
        [Block::Sheet(only)] if totals.len() == 1 => total::rows(&totals, only),
        _ => {
            let mut sum = Sheet::new("Sum over all nodes".to_owned(), Vec::new());
            total::rows(&totals, &mut sum);
            blocks.push(Block::Sheet(sum));
        }
    }
    let one_line = blocks.iter().all(|block| match block {
        Block::Sheet(sheet) => sheet.fits(style.columns()),
        Block::Text(_) => true,
    });
    let rendered = blocks.into_iter().map(|block| match block {
        Block::Sheet(sheet) => sheet.render(one_line, style),
        Block::Text(text) => text,
    });
    kernels::note(view) + &rendered.collect::<Vec<_>>().join("\n")
}

/// A part of the calculation, in the order of reading.
enum Block {
    Sheet(Sheet),
    Text(String),
}

/// Memories with the same calculation.
pub(super) struct MemoryClass<'a> {
    nodes: Vec<usize>,
    trace: &'a MemoryTrace,
    /// Other instances of the same applications take part on the other nodes.
    mixed: bool,
}

/// What a class has in common: everything but the numbers of nodes and instances.
struct Calculation {
    /// Without its pools.
    memory: MemoryTrace,
    /// Equal pools together, with how many there are: their order follows the numbers of the nodes.
    pools: Vec<(Pool, usize)>,
}

/// A pool with the cores that read from it.
#[derive(PartialEq)]
struct Pool {
    trace: PoolTrace,
    peak: Gflops,
    ceiling: Option<GigabytesPerSecond>,
}

impl PartialEq for Calculation {
    fn eq(&self, other: &Self) -> bool {
        self.memory == other.memory
            && self.pools.len() == other.pools.len()
            && self.pools.iter().all(|pool| other.pools.contains(pool))
    }
}

impl Calculation {
    fn new(view: &ScenarioView, trace: &MemoryTrace) -> Self {
        let mut pools: Vec<(Pool, usize)> = Vec::new();
        for pool in &trace.pools {
            let core = view.machine.node(pool.from);
            let mut anonymous = PoolTrace { from: NodeId(0), ..pool.clone() };
            for flow in &mut anonymous.flows {
                flow.app = first_of_group(view, flow.app);
            }
            let pool = Pool { trace: anonymous, peak: core.gflops_per_core, ceiling: core.core_bandwidth };
            match pools.iter_mut().find(|(other, _)| *other == pool) {
                Some((_, count)) => *count += 1,
                None => pools.push((pool, 1)),
            }
        }
        let memory = MemoryTrace { memory: NodeId(0), pools: Vec::new(), ..*trace };
        Self { memory, pools }
    }
}

fn memory_classes<'a>(view: &ScenarioView<'a>) -> Vec<MemoryClass<'a>> {
    let mut classes: Vec<(Calculation, MemoryClass)> = Vec::new();
    for trace in &view.evaluation.trace {
        let calculation = Calculation::new(view, trace);
        if let Some((_, class)) = classes.iter_mut().find(|(other, _)| *other == calculation) {
            class.nodes.push(trace.memory.0);
            class.mixed |= !same_apps(class.trace, trace);
        } else {
            classes.push((calculation, MemoryClass { nodes: vec![trace.memory.0], trace, mixed: false }));
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

fn first_of_group(view: &ScenarioView, app: AppId) -> AppId {
    let group = &view.apps[app.0].group;
    view.app_ids().find(|other| view.apps[other.0].group == *group).unwrap_or(app)
}

fn same_apps(one: &MemoryTrace, other: &MemoryTrace) -> bool {
    let apps = |trace: &MemoryTrace| -> Vec<AppId> {
        trace.pools.iter().flat_map(|pool| pool.flows.iter().map(|flow| flow.app)).collect()
    };
    apps(one) == apps(other)
}
