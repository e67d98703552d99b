//! The bandwidth that one thread of an application would consume if it were not limited.
//!
//! resctrl counts the bandwidth that threads get. If no memory and no link that they use is nearly full, their demand is not higher. If
//! one is, their demand is higher by an unknown amount. In this case the demand is taken from the bandwidth limit of a core, if the
//! machine file defines it. A full memory gives every thread at least a core's share of its bandwidth, so this memory does not limit a
//! thread that consumes less. If the bandwidth was not counted, a fair share of a memory is assumed.

use numasim_draw::figures;
use numasim_evidence::running::Application;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId, Placement};

/// A memory or link at this fraction of its capacity is assumed to limit threads.
const NEARLY_FULL: f64 = 0.85;
/// Minimum bandwidth of a thread in a file: a program that only computes.
const LEAST_GBS: f64 = 0.001;

numasim_model::words! {
    /// The origin of the bandwidth of a thread.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DemandKind {
        /// Counted while no resource limited it.
        Measured = "measured",
        /// Counted while a memory or link was nearly full: the limit of a core replaces the demand of a thread.
        Estimated = "estimated",
        /// Not counted.
        Assumed = "assumed",
    }
}

/// The bandwidth of a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// GB/s of one thread.
    pub gbs: f64,
    /// The origin of the value.
    pub kind: DemandKind,
    /// The source, for a comment.
    pub source: String,
}

/// Traffic of memories and links, by node of the core and node of the memory, in GB/s.
type Traffic = Vec<Vec<f64>>;

/// The demand of each application; `None` without threads. `is_measured`: the values of the machine are not assumed.
pub(super) fn of_each(apps: &[Application], machine: &Machine, is_measured: bool) -> Vec<Option<Demand>> {
    let nodes = machine.node_count();
    let mut all: Traffic = vec![vec![0.0; nodes]; nodes];
    let own: Vec<Option<Traffic>> = apps.iter().map(|app| traffic(app, machine)).collect();
    for ((from, to), gbs) in own.iter().flatten().flat_map(|own| all_cells(own, nodes)) {
        all[from][to] += gbs;
    }
    let full = |own: &Traffic, threads: &[u32]| {
        all_cells(own, nodes).find_map(|((from, to), gbs)| {
            if gbs <= 0.0 {
                return None;
            }
            let memory: f64 = all.iter().map(|row| row[to]).sum();
            let capacity = machine.node(NodeId(to)).bandwidth.value();
            let of_a_thread = gbs / f64::from(threads[from].max(1));
            if memory >= NEARLY_FULL * capacity
                && of_a_thread >= NEARLY_FULL * share_of_core(machine, NodeId(to))
            {
                return Some(format!(
                    "the memory of node {to} carries {memory:.1} of its {capacity:.1} GB/s"
                ));
            }
            let link = machine.link(NodeId(from), NodeId(to)).filter(|_| from != to)?;
            let link = GigabytesPerSecond::value(link);
            (all[from][to] >= NEARLY_FULL * link).then(|| {
                format!(
                    "the link from node {from} to memory {to} carries {:.1} of its {link:.1} GB/s",
                    all[from][to]
                )
            })
        })
    };
    let of = |(app, own): (&Application, &Option<Traffic>)| {
        let threads = app.threads(nodes)?;
        let count: u32 = threads.iter().sum();
        if count == 0 {
            return None;
        }
        let on: Vec<usize> = (0..nodes).filter(|&node| threads[node] > 0).collect();
        let Some(total) = app.total_gbs else { return Some(assumed(machine, &on)) };
        let gbs = (total / f64::from(count)).max(LEAST_GBS);
        let busy = figures::count(u64::from(count), "busy thread");
        let counted = format!("{total:.3} GB/s over {busy} ({})", groups(app));
        let measured = || Demand { gbs, kind: DemandKind::Measured, source: counted.clone() };
        let Some(why) = own.as_ref().filter(|_| is_measured).and_then(|own| full(own, &threads)) else {
            return Some(measured());
        };
        let limits = on.iter().filter_map(|&node| machine.node(NodeId(node)).core_bandwidth);
        let limit = limits.map(GigabytesPerSecond::value).fold(0.0, f64::max);
        if limit <= gbs {
            return Some(measured());
        }
        Some(Demand {
            gbs: limit,
            kind: DemandKind::Estimated,
            source: format!(
                "what one core draws; {counted}, but {why}: a thread wants at least {gbs:.3} GB/s, and how much more is unknown"
            ),
        })
    };
    apps.iter().zip(&own).map(of).collect()
}

fn all_cells(own: &Traffic, nodes: usize) -> impl Iterator<Item = ((usize, usize), f64)> + '_ {
    (0..nodes).flat_map(move |from| (0..nodes).map(move |to| ((from, to), own[from][to])))
}

/// The traffic of an application between each node of cores and each memory, if its bandwidth and its data are known.
fn traffic(app: &Application, machine: &Machine) -> Option<Traffic> {
    let nodes = machine.node_count();
    let (threads, total) = (app.threads(nodes)?, app.total_gbs?);
    let placement = app.data_class().map_or(Placement::Local, |(best, _)| best.placement.clone());
    let count: u32 = threads.iter().sum();
    if count == 0 {
        return None;
    }
    let cell = |from: usize, to: usize| {
        let part = f64::from(threads[from]) / f64::from(count);
        total * part * placement.fraction(machine, NodeId(from), NodeId(to))
    };
    Some((0..nodes).map(|from| (0..nodes).map(|to| cell(from, to)).collect()).collect())
}

fn groups(app: &Application) -> String {
    let names: Vec<String> = app.monitors.iter().map(|name| format!("`{name}`")).collect();
    let plural = if names.len() == 1 { "" } else { "s" };
    format!("monitoring group{plural} {}", names.join(", "))
}

/// A core's share of the bandwidth of its node's memory.
fn assumed(machine: &Machine, on: &[usize]) -> Demand {
    let gbs = on.iter().map(|&node| share_of_core(machine, NodeId(node))).fold(f64::INFINITY, f64::min);
    Demand {
        gbs: if gbs.is_finite() { gbs.max(LEAST_GBS) } else { 1.0 },
        kind: DemandKind::Assumed,
        source: "nothing counted its bandwidth: the share of a core in the memory of its node; replace it by what `numasim profile-app` finds".to_owned(),
    }
}

/// Bandwidth of the memory of a node divided by its number of cores, in GB/s.
fn share_of_core(machine: &Machine, node: NodeId) -> f64 {
    let own = machine.node(node);
    own.bandwidth.value() / f64::from(own.cores.max(1))
}
