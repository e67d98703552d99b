//! The worked calculation behind a scenario: the rows of the paper's Tables I and II, with the numbers inserted.
//!
//! The calculation goes memory by memory. It first shows the requests of other nodes and the remaining bandwidth ("remote first"), then
//! how each link and each node's own part is split. Nodes with the same calculation are shown once. Data on several nodes and the sum
//! follow. If there are several rounds, it shows the flows and, round by round, the allotted bandwidth.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use numasim_draw::Style;
use numasim_draw::figures::{self, short};
use numasim_draw::grid::wrap;
use numasim_model::sharing::trace::{MemoryTrace, PoolTrace};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{AppId, NodeId};
use sheet::Sheet;

use crate::ScenarioView;

mod limits;
mod pools;
mod rounds;
mod sheet;
mod spread;

/// The same for people, with lines and columns that keep their form in Markdown.
pub fn shown(view: &ScenarioView, style: &Style) -> String {
    let as_text = Style { markdown: false, ..*style };
    style.verbatim(explain(view, &as_text))
}

/// The complete derivation of the values of this scenario.
pub fn explain(view: &ScenarioView, style: &Style) -> String {
    let rates = while_all_run(view, style);
    rates + &static_work(view, style)
}

/// The rates while all applications run. Except for static scheduling, these are the final rates.
fn while_all_run(view: &ScenarioView, style: &Style) -> String {
    if view.evaluation.trace.is_empty() && !view.evaluation.flows.is_empty() {
        return kernels(view)
            + &limits::text(view, style)
            + &spread::explain(view, style)
            + &rounds::text(view, style);
    }
    let classes = memory_classes(view);
    let mut blocks: Vec<Block> = Vec::new();
    for class in &classes {
        blocks.extend(spread::requests(class, style).map(Block::Text));
        blocks.extend(pools::sheets(view, class, style).into_iter().map(Block::Sheet));
    }
    blocks.extend(spread::blocks(view, style).into_iter().map(Block::Text));
    let totals = node_classes(view);
    let unit = view.total().1;
    match blocks.as_mut_slice() {
        // One table shows everything, as in the paper.
        [Block::Sheet(only)] if totals.len() == 1 => totals_into(&totals, unit, only),
        _ => {
            let mut sum = Sheet::new("Sum over all nodes".to_owned(), Vec::new());
            totals_into(&totals, unit, &mut sum);
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
    kernels(view) + &rendered.collect::<Vec<_>>().join("\n")
}

/// A part of the calculation, in reading order.
enum Block {
    Sheet(Sheet),
    Text(String),
}

/// Memories with the same calculation.
pub(super) struct MemoryClass<'a> {
    nodes: Vec<usize>,
    trace: &'a MemoryTrace,
    /// Whether other instances of the same applications run on the other nodes.
    mixed: bool,
}

/// The common part of a class: everything except the numbers of nodes and instances.
struct Calculation {
    /// The trace without its pools.
    memory: MemoryTrace,
    /// Equal pools merged, with their count; their order follows the node numbers.
    pools: Vec<(Pool, usize)>,
}

/// A pool with the cores that read from it.
#[derive(PartialEq)]
struct Pool {
    trace: PoolTrace,
    core: (Gflops, Option<GigabytesPerSecond>),
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
            let pool = Pool { trace: anonymous, core: (core.gflops_per_core, core.core_bandwidth) };
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

/// Lines that name the GB/s units of the calculation; empty if all are the same.
fn kernels(view: &ScenarioView) -> String {
    // Memories by kernel and factor. For an explained scenario all flows are listed.
    let mut found: BTreeMap<(&str, u64), BTreeSet<usize>> = BTreeMap::new();
    for flow in view.evaluation.flows.iter().filter(|flow| flow.occupied != 1.0) {
        let kernel = view.apps[flow.app.0].kernel.as_str();
        found.entry((kernel, flow.occupied.to_bits())).or_default().insert(flow.memory.0);
    }
    if found.is_empty() {
        return String::new();
    }
    let mut text = "Everything that is shared is counted in GB/s of reads:\n".to_owned();
    for ((kernel, occupied), nodes) in found {
        let nodes: Vec<usize> = nodes.into_iter().collect();
        let stands_for = figures::short(f64::from_bits(occupied));
        let memories = figures::nodes(&nodes);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  1 GB/s of the kernel {kernel} stands for {stands_for} of them on {memories} (bandwidth_gbs / {kernel}_gbs)."
        );
    }
    text + "\n"
}

/// `threads x rate of the slowest` for each application, and the sum; empty without static scheduling.
fn static_work(view: &ScenarioView, style: &Style) -> String {
    if !view.evaluation.static_work {
        return String::new();
    }
    let rule = "Static scheduling: each application's work is divided equally among its threads in advance, and the slowest thread determines the \
             result. GB/s are averages over its run time; the calculation ignores that the remaining threads get more bandwidth when \
             others have finished.";
    let mut lines = wrap(rule, style.columns());
    for app in view.active_apps() {
        let result = &view.evaluation.apps[app.0];
        let Some(slowest) = result.slowest else { continue };
        let Some(group) = result.per_node.get(slowest.0).and_then(Option::as_ref) else { continue };
        let smt = view.apps[app.0].smt;
        let rate = group.working.value() / f64::from(group.threads * smt.threads_per_core());
        let threads = view.total_threads(app);
        lines.push(format!(
            "  {}: {} * {} (a thread on {slowest}) = {} {}",
            view.apps[app.0].name,
            figures::count(threads, "thread"),
            short(rate),
            short(result.gflops.value()),
            view.apps[app.0].unit(),
        ));
    }
    let (total, unit) = view.total();
    lines.push(format!("  total: {} {unit}", short(total)));
    format!("\n{}\n", lines.join("\n"))
}

/// Nodes with the same applications at the same speed.
struct NodeClass {
    nodes: Vec<usize>,
    /// Number of instances, and GFLOPS of one.
    terms: Vec<(u32, f64)>,
}

impl NodeClass {
    fn gflops(&self) -> f64 {
        self.terms.iter().map(|&(instances, gflops)| f64::from(instances) * gflops).sum()
    }
}

/// The nodes with threads, equal ones merged.
fn node_classes(view: &ScenarioView) -> Vec<NodeClass> {
    let mut classes: Vec<NodeClass> = Vec::new();
    for node in view.machine.compute_nodes() {
        let terms = terms(view, node);
        if terms.is_empty() {
            continue;
        }
        match classes.iter_mut().find(|class| class.terms == terms) {
            Some(class) => class.nodes.push(node.0),
            None => classes.push(NodeClass { nodes: vec![node.0], terms }),
        }
    }
    classes
}

/// Terms of the applications that count in the unit of the total.
fn terms(view: &ScenarioView, node: NodeId) -> Vec<(u32, f64)> {
    let unit = view.total().1;
    let mut terms: Vec<(&str, u32, f64)> = Vec::new();
    for (app, result) in view.apps.iter().zip(&view.evaluation.apps).filter(|(app, _)| app.unit() == unit) {
        let Some(group) = &result.per_node[node.0] else { continue };
        let gflops = group.working.value();
        match terms.iter_mut().find(|(name, _, other)| *name == app.group && *other == gflops) {
            Some((_, instances, _)) => *instances += 1,
            None => terms.push((&app.group, 1, gflops)),
        }
    }
    terms.into_iter().map(|(_, instances, gflops)| (instances, gflops)).collect()
}

/// Adds `total GFLOPS per node` of each class and `total GFLOPS`, or the same in another unit.
fn totals_into(classes: &[NodeClass], unit: &str, sheet: &mut Sheet) {
    for class in classes {
        let terms: Vec<String> = class
            .terms
            .iter()
            .map(|(instances, gflops)| format!("{instances} * {}", short(*gflops)))
            .collect();
        let title = if classes.len() == 1 {
            format!("total {unit} per node")
        } else {
            format!("total {unit} per node, {}", figures::nodes(&class.nodes))
        };
        sheet.span(&title, "", format!("{} = {}", terms.join(" + "), short(class.gflops())));
    }
    let terms: Vec<String> =
        classes.iter().map(|class| format!("{} * {}", class.nodes.len(), short(class.gflops()))).collect();
    let total: f64 = classes.iter().map(|class| class.nodes.len() as f64 * class.gflops()).sum();
    let figure =
        if terms.is_empty() { "0".to_owned() } else { format!("{} = {}", terms.join(" + "), short(total)) };
    sheet.span(&format!("total {unit}"), "", figure);
}
