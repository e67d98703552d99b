//! Random models, and slow second formulations of them: thread by thread, with bisection instead of closed
//! forms.

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
            Parameter::RemoteWeight | Parameter::EcmPenalty | Parameter::EcmWritePenalty => 3.0 * part,
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
    /// The answer of a model. If the model uses latencies, the machine has 80 ns to local memory and 140 ns
    /// to any other; the nearest memory of a node without memory stays the same.
    pub(crate) fn under(&self, model: Model) -> Solved {
        let nodes = self.machine.node_count();
        let latency = |pair: usize| {
            let (from, memory) = (NodeId(pair / nodes), NodeId(pair % nodes));
            if from == memory {
                80.0
            } else if self.machine.local_memory(from) == memory {
                139.0
            } else {
                140.0
            }
        };
        let mut machine = self.machine.clone().with_sharing(model);
        if model.parameters.outstanding_lines.is_some() {
            machine =
                machine.with_latencies_ns((0..nodes * nodes).map(latency).collect()).expect("latencies");
        }
        by_fast(&machine, &self.demands, &self.allocation)
    }
}

/// One thread that reads one memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub(crate) app: AppId,
    pub(crate) from: NodeId,
    /// GB/s of the memory per GB/s of the thread.
    pub(crate) cost: f64,
    pub(crate) demand_gbs: f64,
    gets: f64,
}

/// A model with a hard corner.
pub(crate) fn hard(kind: ModelKind) -> Model {
    let model = Model::from(kind);
    if kind == ModelKind::Ecm { model.with(Parameter::EcmPenalty, 0.0).expect("in range") } else { model }
}

/// GB/s of one thread of each application on each node, by the rules of `kind` without corrections.
pub(crate) fn slowly(kind: ModelKind, case: &Case) -> Vec<Vec<Option<f64>>> {
    by_memories(case, |memory, readers| match kind {
        ModelKind::Ecm => wait_at_both([Some(0.0), None], case, memory, readers),
        _ => share(kind, case, memory, readers),
    })
}

/// The same by the rules of `ecm` with an `ecm_penalty` and an `ecm_write_penalty`.
pub(crate) fn slowly_by_ecm(penalty: [Option<f64>; 2], case: &Case) -> Vec<Vec<Option<f64>>> {
    by_memories(case, |memory, readers| wait_at_both(penalty, case, memory, readers))
}

/// A queue of ecm, processed thread by thread.
struct SlowQueue {
    capacity: f64,
    factor: f64,
    /// The threads that need it, and GB/s of it per GB/s that one of them moves.
    needs: Vec<(usize, f64)>,
}

/// A thread: its row in tables with a row for each L3 domain of an application, its node, and its GB/s alone.
#[derive(Clone, Copy)]
struct SlowThread {
    row: usize,
    node: NodeId,
    alone: f64,
}

/// The rules of `ecm` for data on several memories and read limits of nodes and L3 domains: bisects one wait
/// after the other, repeatedly, until none changes. With limits of L3 domains an application has a row for
/// each domain. `None` if that takes too long.
pub(crate) fn patiently_by_ecm(penalty: f64, case: &Case) -> Option<Vec<Vec<Option<f64>>>> {
    let machine = &case.machine;
    let per_app = machine.rows_per_app();
    let allocation = case.allocation.rows(machine);
    let mut threads: Vec<SlowThread> = Vec::new();
    for (row, node) in (0..allocation.apps()).flat_map(|row| machine.node_ids().map(move |node| (row, node)))
    {
        let one = |_| SlowThread { row, node, alone: alone(case, AppId(row / per_app), node) };
        threads.extend((0..allocation.get(AppId(row), node)).map(one));
    }
    // Traffic of a thread in the queues of some memories per GB/s that it moves.
    let taken = |thread: &SlowThread, memories: &[NodeId]| -> f64 {
        memories.iter().map(|&memory| case.cost(AppId(thread.row / per_app), thread.node, memory)).sum()
    };
    let memories: Vec<NodeId> = machine.memory_nodes().collect();
    let queue = |capacity: f64, cores: u32, memories: &[NodeId], needs: &dyn Fn(&SlowThread) -> bool| {
        let there = threads.iter().enumerate().filter(|(_, thread)| needs(thread));
        let needs: Vec<(usize, f64)> =
            there.map(|(t, thread)| (t, taken(thread, memories))).filter(|&(_, taken)| taken > 0.0).collect();
        let even = capacity / f64::from(cores.max(1));
        let count: f64 = needs.iter().map(|&(t, taken)| (threads[t].alone * taken / even).min(1.0)).sum();
        SlowQueue { capacity, factor: (count - 1.0).max(0.0) * penalty / capacity / capacity, needs }
    };
    let mut queues: Vec<SlowQueue> = Vec::new();
    for &memory in &memories {
        let node = machine.node(memory);
        queues.push(queue(node.bandwidth.value(), node.cores, &[memory], &|_| true));
        for from in machine.compute_nodes() {
            if let Some(link) = machine.link(from, memory) {
                let there = |thread: &SlowThread| thread.node == from;
                queues.push(queue(link.value(), machine.node(from).cores, &[memory], &there));
            }
        }
    }
    for from in machine.compute_nodes() {
        let node = machine.node(from);
        if let Some(limit) = node.read_bandwidth {
            queues.push(queue(limit.value(), node.cores, &memories, &|thread| thread.node == from));
        }
        for (domain, limit) in (0..node.domains()).zip(node.l3_bandwidth.iter().cycle()) {
            let there = |thread: &SlowThread| thread.node == from && thread.row % per_app == domain;
            queues.push(queue(limit.value(), node.domain_cores(), &memories, &there));
        }
    }
    queues.retain(|queue| !queue.needs.is_empty());
    let mut times: Vec<f64> = threads.iter().map(|thread| 1.0 / thread.alone).collect();
    let mut waits = vec![0.0; queues.len()];
    for _ in 0..3000 {
        let mut change = 0.0_f64;
        for (queue, wait) in queues.iter().zip(&mut waits) {
            for &(t, taken) in &queue.needs {
                times[t] -= taken * *wait;
            }
            let fits = |wait: f64| {
                let drawn: f64 =
                    queue.needs.iter().map(|&(t, taken)| taken / (times[t] + taken * wait)).sum();
                let alone = if queue.factor > 0.0 { wait / queue.factor } else { f64::INFINITY };
                drawn <= (alone.powi(-8) + queue.capacity.powi(-8)).powf(-0.125)
            };
            let new = if fits(0.0) { 0.0 } else { bisect(fits) };
            change = change.max((new - *wait).abs() * queue.capacity);
            *wait = new;
            for &(t, taken) in &queue.needs {
                times[t] += taken * *wait;
            }
        }
        if change < 1e-9 {
            let mut gbs = vec![vec![None; machine.node_count()]; allocation.apps()];
            for (thread, time) in threads.iter().zip(&times) {
                gbs[thread.row][thread.node.0] = Some(1.0 / time);
            }
            return Some(gbs);
        }
    }
    None
}

/// Applies `rules` to each memory, and takes the smallest fraction of its demand that a thread gets.
fn by_memories(case: &Case, rules: impl Fn(NodeId, &mut [Reader])) -> Vec<Vec<Option<f64>>> {
    let mut bandwidth: Vec<Vec<Option<f64>>> = case
        .apps()
        .map(|app| {
            let of_node = |node| (case.allocation.get(app, node) > 0).then(|| alone(case, app, node));
            case.machine.node_ids().map(of_node).collect()
        })
        .collect();
    for memory in case.machine.memory_nodes() {
        let mut readers = readers(case, memory);
        rules(memory, &mut readers);
        for reader in readers {
            if let Some(least) = &mut bandwidth[reader.app.0][reader.from.0] {
                *least = least.min(reader.gets / reader.cost);
            }
        }
    }
    bandwidth
}

/// Bandwidth of a thread on all memories with the machine to itself.
pub(crate) fn alone(case: &Case, app: AppId, node: NodeId) -> f64 {
    let core = case.machine.node(node);
    let demand = &case.demands[app.0];
    let digests = peak(case, app, node) / demand.arithmetic_intensity.value();
    let ceilings = [core.core_bandwidth, demand.limits.bandwidth];
    ceilings.into_iter().flatten().fold(digests, |least, ceiling| least.min(ceiling.value()))
}

/// GFLOPS of a thread that memory does not limit; no limit if it counts another unit.
pub(crate) fn peak(case: &Case, app: AppId, node: NodeId) -> f64 {
    let limits = case.demands[app.0].limits;
    let core = case.machine.node(node).gflops_per_core.value() * limits.speedup.unwrap_or(1.0);
    match limits.gflops {
        _ if limits.no_flop => f64::INFINITY,
        Some(own) => own.value().min(core),
        None => core,
    }
}

/// One entry per thread that reads `memory`.
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
        fit(link, &mut there);
    }
    fit(controller, &mut readers.iter_mut().collect::<Vec<_>>());
}

/// Reduces all rates by the same factor until they fit.
fn fit(capacity: f64, readers: &mut [&mut Reader]) {
    let sum: f64 = readers.iter().map(|reader| reader.gets).sum();
    if sum <= capacity {
        return;
    }
    let by = bisect(|by| sum / (1.0 + by) <= capacity);
    for reader in readers.iter_mut() {
        reader.gets /= 1.0 + by;
    }
}

/// ECM: the smallest wait at the controller with which the traffic does not exceed the delivered bandwidth,
/// and within each trial of it the smallest such wait at each link.
fn wait_at_both([penalty, of_writes]: [Option<f64>; 2], case: &Case, memory: NodeId, readers: &mut [Reader]) {
    let node = case.machine.node(memory);
    let controller = node.bandwidth.value();
    let link = |from: NodeId| case.machine.link(from, memory).map(GigabytesPerSecond::value);
    // (N - 1) p0 / capacity, the factor of the rates. A thread that requests less than its even share counts
    // as a fraction of one.
    let factor = |there: &[&Reader], capacity: f64, cores: u32| {
        let even = capacity / f64::from(cores.max(1));
        let part = |reader: &Reader| (reader.demand_gbs / even).min(1.0);
        let count: f64 = there.iter().map(|reader| part(reader)).sum();
        let of = |reader: &Reader| {
            if reader.from == memory && !case.demands[reader.app.0].traffic.writes() {
                penalty.unwrap_or(0.33)
            } else {
                of_writes.or(penalty).unwrap_or(0.5)
            }
        };
        let mean = there.iter().map(|reader| part(reader) * of(reader)).sum::<f64>() / count;
        if count > 1.0 { (count - 1.0) * mean / capacity / capacity } else { 0.0 }
    };
    let gets = |reader: &Reader, waits: f64| 1.0 / (1.0 / reader.demand_gbs + waits);
    // The delivered bandwidth is the soft minimum of the capacity and of the sum that the wait alone would
    // give.
    let keeps = |sum: f64, wait: f64, capacity: f64, factor: f64| {
        let alone = if factor > 0.0 { wait / factor } else { f64::INFINITY };
        sum <= (alone.powi(-8) + capacity.powi(-8)).powf(-0.125)
    };
    let all: Vec<Reader> = readers.to_vec();
    let everybody: Vec<&Reader> = all.iter().collect();
    let at_controller = factor(&everybody, controller, node.cores);
    // Rate of every reader with this wait at the controller.
    let with = |wait: f64| -> Vec<f64> {
        let mut rates = vec![0.0; all.len()];
        for from in case.machine.node_ids() {
            let there: Vec<&Reader> = all.iter().filter(|reader| reader.from == from).collect();
            let at_link = link(from).map_or(0.0, |capacity| {
                let factor = factor(&there, capacity, case.machine.node(from).cores);
                let sum = |more: f64| there.iter().map(|reader| gets(reader, wait + more)).sum::<f64>();
                if keeps(sum(0.0), 0.0, capacity, factor) {
                    0.0
                } else {
                    bisect(|more| keeps(sum(more), more, capacity, factor))
                }
            });
            for (rate, reader) in rates.iter_mut().zip(&all).filter(|(_, reader)| reader.from == from) {
                *rate = gets(reader, wait + at_link);
            }
        }
        rates
    };
    let keeps = |wait: f64| keeps(with(wait).iter().sum(), wait, controller, at_controller);
    let wait = if keeps(0.0) { 0.0 } else { bisect(keeps) };
    for (reader, rate) in readers.iter_mut().zip(with(wait)) {
        reader.gets = rate;
    }
}

/// The smallest number from 0 up for which `holds` is true, given that it is true for all larger ones.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1e-9);
    while !holds(high) {
        (low, high) = (high, high * 2.0);
    }
    // The ends are a factor of 2 apart: one halving per digit of a number.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}
