//! Random models, and slow second formulations of them: thread by thread, with bisection in place of closed forms.

use numasim_model::sharing::Parameter;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, Model, ModelKind, NodeId};
use proptest::prelude::*;

use super::{Case, Solved, by_fast};

/// Any model without corrections.
pub(crate) fn plain() -> impl Strategy<Value = Model> {
    prop::sample::select(&ModelKind::ALL[..]).prop_map(Model::from)
}

/// Any model, most of them with one to three corrections.
pub(crate) fn corrected() -> impl Strategy<Value = Model> {
    let one = (prop::sample::select(&Parameter::ALL[..]), 0.05..0.95_f64).prop_map(|(parameter, part)| {
        let value = match parameter {
            Parameter::CoreLocal | Parameter::CoreRemote => 40.0 * part,
            Parameter::OutstandingLines => 30.0 * part,
            Parameter::RemoteWeight | Parameter::EcmPenalty => 3.0 * part,
            _ => part,
        };
        (parameter, value)
    });
    (plain(), prop::collection::vec(one, 0..=3)).prop_map(|(model, parameters)| {
        let set = |model: Model, (parameter, value)| model.with(parameter, value).expect("in range");
        parameters.into_iter().fold(model, set)
    })
}

impl Case {
    /// The answer of a model, on a machine with 80 ns to the own memory and 140 ns to any other.
    pub(crate) fn under(&self, model: Model) -> Solved {
        let nodes = self.machine.node_count();
        let latency = |pair: usize| if pair / nodes == pair % nodes { 80.0 } else { 140.0 };
        let machine = self.machine.clone().with_sharing(model);
        let machine =
            machine.with_latencies_ns((0..nodes * nodes).map(latency).collect()).expect("latencies");
        by_fast(&machine, &self.demands, &self.allocation)
    }
}

/// One thread that reads one memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub(crate) app: AppId,
    pub(crate) from: NodeId,
    /// GB/s of the memory for each GB/s of the thread.
    pub(crate) cost: f64,
    pub(crate) demand_gbs: f64,
    gets: f64,
}

/// GB/s of one thread of each application on each node, by the rules of `kind` without corrections.
pub(crate) fn slowly(kind: ModelKind, case: &Case) -> Vec<Vec<Option<f64>>> {
    let mut bandwidth: Vec<Vec<Option<f64>>> = case
        .apps()
        .map(|app| {
            let of_node = |node| (case.allocation.get(app, node) > 0).then(|| alone(case, app, node));
            case.machine.node_ids().map(of_node).collect()
        })
        .collect();
    for memory in case.machine.node_ids() {
        let mut readers = readers(case, memory);
        share(kind, case, memory, &mut readers);
        for reader in readers {
            if let Some(least) = &mut bandwidth[reader.app.0][reader.from.0] {
                *least = least.min(reader.gets / reader.cost);
            }
        }
    }
    bandwidth
}

/// What a thread would draw of all memories with the machine to itself.
pub(crate) fn alone(case: &Case, app: AppId, node: NodeId) -> f64 {
    let core = case.machine.node(node);
    let digests = core.gflops_per_core.value() / case.demands[app.0].arithmetic_intensity.value();
    core.core_bandwidth.map_or(digests, |ceiling| digests.min(ceiling.value()))
}

/// One entry for each thread that reads `memory`.
fn readers(case: &Case, memory: NodeId) -> Vec<Reader> {
    let mut readers = Vec::new();
    for app in case.apps() {
        for from in case.machine.node_ids() {
            let cost = case.cost(app, from, memory);
            let demand_gbs = alone(case, app, from) * cost;
            let reader = Reader { app, from, cost, demand_gbs, gets: demand_gbs };
            let threads = if cost > 0.0 { case.allocation.get(app, from) } else { 0 };
            readers.extend((0..threads).map(|_| reader));
        }
    }
    readers
}

/// Links first, then the controller.
fn share(kind: ModelKind, case: &Case, memory: NodeId, readers: &mut [Reader]) {
    let controller = case.machine.node(memory).bandwidth.value();
    let links: Vec<(NodeId, f64)> = case
        .machine
        .node_ids()
        .filter_map(|from| case.machine.link(from, memory).map(|link| (from, link.value())))
        .collect();
    if kind == ModelKind::RequestFraction {
        for reader in readers.iter_mut() {
            let link =
                case.machine.link(reader.from, memory).map_or(f64::INFINITY, GigabytesPerSecond::value);
            reader.gets = reader.demand_gbs.min(link).min(controller);
        }
    }
    for (from, link) in links {
        let mut there: Vec<&mut Reader> = readers.iter_mut().filter(|reader| reader.from == from).collect();
        fit(kind, link, &mut there);
    }
    fit(kind, controller, &mut readers.iter_mut().collect::<Vec<_>>());
}

/// Lowers what all get until it fits: by the same factor, or by the same time per byte.
fn fit(kind: ModelKind, capacity: f64, readers: &mut [&mut Reader]) {
    let sum: f64 = readers.iter().map(|reader| reader.gets).sum();
    if sum <= capacity {
        return;
    }
    let lowered = |gets: f64, by: f64| match kind {
        ModelKind::Ecm => 1.0 / (1.0 / gets + by),
        _ => gets / (1.0 + by),
    };
    let all = |by: f64| readers.iter().map(|reader| lowered(reader.gets, by)).sum::<f64>();
    let by = bisect(|by| all(by) <= capacity);
    for reader in readers.iter_mut() {
        reader.gets = lowered(reader.gets, by);
    }
}

/// The smallest number from 0 up for which `holds` is true, which is so for all larger ones.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1e-9);
    while !holds(high) {
        (low, high) = (high, high * 2.0);
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}
