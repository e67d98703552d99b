//! Speeds of applications for a given thread placement: the sharing model, with scaling and shared cores.
//!
//! # Unit
//! GFLOPS of all threads of an application.
//!
//! # Approach
//! One flow for each application and node on a [`Load`]. With n threads in total, demand and peak of each are multiplied by S(n)/n.
//! If a node has R threads on C < R cores, each runs for C/R of the time, minus the overhead of the operating system
//! (`Os::efficiency`).

use numasim_course::Scaling;
use numasim_model::sharing::{FlowId, FlowKey, Load, Network};
use numasim_model::{AppId, Demand, NodeId, Table};

use crate::known::{Known, Member};

/// Maximum number of distinguished kinds of members.
const MOST_CLASSES: usize = 64;

/// Threads of members on nodes, and their speeds.
#[derive(Clone, Debug)]
pub(crate) struct Speeds<'n> {
    load: Load<'n>,
    demands: Vec<Demand>,
    scalings: Vec<Scaling>,
    cores: Vec<u32>,
    /// The fraction of speed that remains for a thread that shares its core.
    shared_core: f64,
    counts: Table<u32>,
    flows: Table<Option<FlowId>>,
    /// Per member: its threads.
    totals: Vec<u32>,
    /// Per node: the members with threads there, ascending, and all threads.
    present: Vec<Vec<usize>>,
    on_node: Vec<u64>,
    /// Per node: GFLOPS of all, if known.
    sums: Vec<Option<f64>>,
    is_apart: bool,
}

impl<'n> Speeds<'n> {
    /// No thread yet.
    pub(crate) fn new(network: &'n Network, known: &Known, members: &[Member]) -> Self {
        let cores: Vec<u32> = network.machine().nodes().iter().map(|node| node.cores).collect();
        let nodes = cores.len();
        let demands: Vec<Demand> = members.iter().map(|member| known.demand(member)).collect();
        let is_apart = demands.iter().all(|demand| demand.placement.stays_at_home(network.machine()));
        Self {
            load: network.load(),
            scalings: members.iter().map(|member| known.scaling(member)).collect(),
            shared_core: known.os.efficiency(),
            counts: Table::filled(members.len(), nodes, 0),
            flows: Table::filled(members.len(), nodes, None),
            totals: vec![0; members.len()],
            present: vec![Vec::new(); nodes],
            on_node: vec![0; nodes],
            sums: vec![None; nodes],
            demands,
            cores,
            is_apart,
        }
    }

    /// Whether nodes are independent, except for an application whose threads slow each other down: all data is local to the
    /// threads.
    pub(crate) fn nodes_are_apart(&self) -> bool {
        self.is_apart
    }

    /// Whether threads of a member slow down its other threads, on whatever node.
    pub(crate) fn is_linear(&self, member: usize) -> bool {
        self.scalings[member] == Scaling::Linear
    }

    /// Members of one class have equal demand, so that one more thread on a node adds the same for each with equal thread counts there.
    /// `None`: a member whose threads slow each other down, or dependent nodes.
    pub(crate) fn classes(&self) -> Vec<Option<usize>> {
        let mut firsts: Vec<usize> = Vec::new();
        let class = |m: usize| {
            if !self.is_apart || !self.is_linear(m) {
                return None;
            }
            let known = firsts.iter().position(|&first| self.demands[first] == self.demands[m]);
            known.or_else(|| {
                // With more kinds, hardly any two members are alike, and the lookup costs more than it saves.
                (firsts.len() < MOST_CLASSES).then(|| {
                    firsts.push(m);
                    firsts.len() - 1
                })
            })
        };
        (0..self.members()).map(class).collect()
    }

    pub(crate) fn count(&self, member: usize, node: usize) -> u32 {
        self.counts[(AppId(member), NodeId(node))]
    }

    pub(crate) fn total_threads(&self, member: usize) -> u32 {
        self.totals[member]
    }

    /// Cores of a node without a thread.
    pub(crate) fn free(&self, node: usize) -> u64 {
        u64::from(self.cores[node]).saturating_sub(self.on_node[node])
    }

    pub(crate) fn nodes(&self) -> usize {
        self.cores.len()
    }

    pub(crate) fn members(&self) -> usize {
        self.totals.len()
    }

    /// Threads of each member on each node.
    pub(crate) fn rows(&self) -> Vec<Vec<u32>> {
        (0..self.members()).map(|m| self.counts.row(AppId(m)).to_vec()).collect()
    }

    /// Sets the number of threads of a member on a node.
    pub(crate) fn set(&mut self, member: usize, node: usize, threads: u32) {
        let cell = (AppId(member), NodeId(node));
        let before = self.counts[cell];
        if before == threads || self.cores[node] == 0 {
            return;
        }
        let part_before = self.part(node);
        self.counts[cell] = threads;
        self.totals[member] = self.totals[member] - before + threads;
        self.on_node[node] = self.on_node[node] - u64::from(before) + u64::from(threads);
        match (self.flows[cell], threads) {
            (None, _) => {
                self.flows[cell] =
                    self.load.add(FlowKey(member as u64), &self.demands[member], NodeId(node), 0.0);
                let place = self.present[node].partition_point(|&other| other < member);
                self.present[node].insert(place, member);
            }
            (Some(flow), 0) => {
                self.load.remove(flow);
                self.flows[cell] = None;
                self.present[node].retain(|&other| other != member);
            }
            (Some(_), _) => {}
        }
        if self.part(node).to_bits() == part_before.to_bits() {
            self.load_threads(member, node);
        } else {
            for at in 0..self.present[node].len() {
                self.load_threads(self.present[node][at], node);
            }
        }
        self.sums[node] = None;
        if !self.is_apart {
            self.sums.fill(None);
        }
        if !self.is_linear(member) {
            self.load_efficiency(member);
        }
    }

    /// Sets the threads of all members to `rows`.
    pub(crate) fn set_all(&mut self, rows: &[Vec<u32>]) {
        for (m, row) in rows.iter().enumerate() {
            for (n, &threads) in row.iter().enumerate() {
                self.set(m, n, threads);
            }
        }
    }

    /// The fraction of the time for which a thread of a node runs.
    fn part(&self, node: usize) -> f64 {
        let (cores, threads) = (u64::from(self.cores[node]), self.on_node[node]);
        if threads <= cores { 1.0 } else { cores as f64 / threads as f64 }
    }

    fn load_threads(&mut self, member: usize, node: usize) {
        let cell = (AppId(member), NodeId(node));
        if let Some(flow) = self.flows[cell] {
            self.load.set_threads(flow, f64::from(self.counts[cell]) * self.part(node));
        }
    }

    fn load_efficiency(&mut self, member: usize) {
        let efficiency = self.scalings[member].efficiency(self.totals[member]);
        for node in 0..self.nodes() {
            if let Some(flow) = self.flows[(AppId(member), NodeId(node))] {
                self.load.set_efficiency(flow, efficiency);
                self.sums[node] = None;
            }
        }
    }

    fn gflops_of_group(&self, member: usize, node: usize) -> f64 {
        let cell = (AppId(member), NodeId(node));
        let part = self.part(node);
        let speed = if part < 1.0 { part * self.shared_core } else { 1.0 };
        self.flows[cell].map_or(0.0, |flow| f64::from(self.counts[cell]) * speed * self.load.gflops(flow))
    }

    /// GFLOPS of each member.
    pub(crate) fn of_members(&mut self) -> Vec<f64> {
        self.load.solve();
        let of = |m: usize| (0..self.nodes()).map(|n| self.gflops_of_group(m, n)).sum();
        (0..self.members()).map(of).collect()
    }

    /// GFLOPS of all members together.
    pub(crate) fn total(&mut self) -> f64 {
        self.load.solve();
        let mut total = 0.0;
        for node in 0..self.nodes() {
            total += match self.sums[node] {
                Some(sum) => sum,
                None => self.present[node].iter().map(|&m| self.gflops_of_group(m, node)).sum(),
            };
        }
        total
    }

    /// GFLOPS of all members on each node, cached until something changes there.
    pub(crate) fn of_node(&mut self, node: usize) -> f64 {
        self.load.solve();
        if let Some(sum) = self.sums[node] {
            return sum;
        }
        let sum = self.present[node].iter().map(|&m| self.gflops_of_group(m, node)).sum();
        self.sums[node] = Some(sum);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, machine, study, view};

    /// GFLOPS of applications of these intensities with `rows` threads; `change` may change the courses before.
    fn speeds(cores: &[u32], intensities: &[f64], serial: f64, rows: &[Vec<u32>]) -> Vec<f64> {
        let mut study = study(machine(cores), intensities);
        study.dynamics.courses[0].phases[0].scaling =
            if serial > 0.0 { Scaling::Serial { fraction: serial } } else { Scaling::Linear };
        let known = Known::new(&study);
        let threads: Vec<u32> = cores.iter().map(|cores| 4 * cores).collect();
        let members =
            known.members(&view((0..intensities.len()).map(|entry| app(entry, &threads)).collect()));
        let network = Network::new(&study.machine);
        let mut speeds = Speeds::new(&network, &known, &members);
        speeds.set_all(rows);
        let each = speeds.of_members();
        let nodes: f64 = (0..cores.len()).map(|n| speeds.of_node(n)).sum();
        assert!((each.iter().sum::<f64>() - speeds.total()).abs() < 1e-9);
        assert!((nodes - speeds.total()).abs() < 1e-9);
        each
    }

    #[test]
    fn memory_and_compute_bound_threads_share_a_node() {
        // 4 and 4 threads of intensity 0.5 and 10 on 8 cores and 32 GB/s: 14 and 40 GFLOPS.
        let each = speeds(&[8], &[0.5, 10.0], 0.0, &[vec![4], vec![4]]);
        assert!((each[0] - 14.0).abs() < 1e-9 && (each[1] - 40.0).abs() < 1e-9, "{each:?}");
    }

    #[test]
    fn threads_of_a_sublinear_application_slow_each_other_down_on_all_nodes() {
        // One tenth serial: S(4) = 3.0769 of 10 GFLOPS, for any placement of the threads.
        let each = speeds(&[8, 8], &[10.0, 10.0], 0.1, &[vec![1, 3], vec![4, 0]]);
        assert!((each[0] - 30.769_230_769).abs() < 1e-6 && (each[1] - 40.0).abs() < 1e-9, "{each:?}");
    }

    #[test]
    fn more_threads_than_cores_share_them_at_a_price() {
        // 8 + 8 threads on 8 cores: half a core each, times 3 / 3.105
        let each = speeds(&[8], &[10.0, 10.0], 0.0, &[vec![8], vec![8]]);
        assert!((each[0] - 40.0 * 3.0 / 3.105).abs() < 1e-9, "{each:?}");
    }
}
