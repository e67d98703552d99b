//! The demand of an application on the machine in a scenario, and the resolution of open data.
//!
//! The solver needs an intensity, a kernel and a placement, which come from the application. If the scenario
//! defines data ([`Scenario::data`]), its placement takes precedence. Open data must be decided first, unless
//! no thread reads it: an application without threads has no demand, wherever its data is.

use std::borrow::Cow;

use crate::allocation::Allocation;
use crate::app::{App, Data, OpenData, Placement, Smt, ThreadLimits, Traffic};
use crate::ids::{AppId, NodeId};
use crate::machine::{Machine, Node};
use crate::scenario::{Scenario, Study};
use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond, LINE_BYTES};

/// The application's properties that the solver needs: arithmetic intensity, memory traffic and data
/// placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// FLOP per byte moved to or from memory.
    pub arithmetic_intensity: FlopPerByte,
    /// Upper limits of one thread.
    pub limits: ThreadLimits,
    /// Its memory traffic, which determines how much of a memory's bandwidth one GB/s of it consumes
    /// ([`crate::Node::occupied_by`]).
    pub traffic: Traffic,
    /// Loss with threads on several nodes ([`App::node_overhead`]).
    pub node_overhead: f64,
    /// Its data placement; open data must be decided first.
    pub placement: Placement,
    /// For replicated data with writes: the memories that have a copy, ascending. Each of them gets every
    /// write. `None` if no writes go to copies, or as long as the nodes with threads are unknown
    /// ([`Demand::on_nodes`]).
    pub copies: Option<Vec<NodeId>>,
    /// Cache lines that one thread has outstanding at a time; `None` if not given.
    pub outstanding_lines: Option<f64>,
}

impl Demand {
    /// Demand of threads that only the machine limits, without a loss on several nodes.
    pub fn new(arithmetic_intensity: FlopPerByte, traffic: impl Into<Traffic>, placement: Placement) -> Self {
        let limits = ThreadLimits::default();
        let traffic = traffic.into();
        Self {
            arithmetic_intensity,
            limits,
            traffic,
            node_overhead: 0.0,
            placement,
            copies: None,
            outstanding_lines: None,
        }
    }

    /// Whether its writes go to copies on the nodes of its threads, and these nodes are not yet known.
    pub fn has_open_copies(&self) -> bool {
        self.placement == Placement::Replicated && self.traffic.write_share() > 0.0 && self.copies.is_none()
    }

    /// The same demand with threads on the nodes for which `is_used` returns true. The memories with a copy
    /// of replicated data are known from then on.
    #[must_use]
    pub fn on_nodes(self, machine: &Machine, is_used: impl Fn(NodeId) -> bool) -> Self {
        if !self.has_open_copies() {
            return self;
        }
        let used = machine.compute_nodes().filter(|&node| is_used(node));
        let mut copies: Vec<NodeId> = used.map(|node| machine.local_memory(node)).collect();
        copies.sort_unstable();
        copies.dedup();
        Self { copies: Some(copies), ..self }
    }

    /// The memories that get the writes of a thread on `from`, without the memory that it reads.
    fn written_copies(&self, machine: &Machine, from: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let own = machine.local_memory(from);
        self.copies.iter().flatten().copied().filter(move |&memory| memory != own)
    }

    /// Bytes that a thread on `from` moves to or from `memory` per byte of its traffic: the share of its data
    /// there, or the share that it writes if another copy of its data is there.
    pub fn fraction(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        let is_written = self.written_copies(machine, from).any(|copy| copy == memory);
        let written = if is_written { self.traffic.write_share() } else { 0.0 };
        self.placement.fraction(machine, from, memory) + written
    }

    /// Bytes that a thread on `from` moves on all memories per byte of its traffic: 1, or more if it writes
    /// several copies.
    pub fn moved(&self, machine: &Machine, from: NodeId) -> f64 {
        1.0 + self.written_copies(machine, from).count() as f64 * self.traffic.write_share()
    }

    /// The memories that threads on `from` read or write (those with a [`Demand::fraction`] above 0), in
    /// ascending order.
    pub fn used_from(&self, machine: &Machine, from: NodeId) -> Vec<NodeId> {
        let mut used = self.placement.read_from(machine, from);
        if self.copies.is_some() {
            used.extend(self.written_copies(machine, from));
            used.sort_unstable();
        }
        used
    }

    /// Whether threads on other nodes read or write `memory`.
    pub fn is_used_from_outside(&self, machine: &Machine, memory: NodeId) -> bool {
        let is_copy = self.copies.as_ref().is_some_and(|copies| copies.contains(&memory));
        is_copy || self.placement.is_read_from_outside(machine, memory)
    }

    /// The highest rate of one thread on a core of `node`.
    pub fn peak(&self, node: &Node) -> Gflops {
        self.limits.peak(node)
    }

    /// Read-equivalent GB/s of one GB/s of a thread on `from`, on all memories together: the mean of
    /// [`crate::Node::occupied_by`] over its data, plus the copies that it writes.
    pub(crate) fn occupied(&self, machine: &Machine, from: NodeId) -> f64 {
        if !machine.has_figure_of(self.traffic) {
            return self.moved(machine, from);
        }
        self.used_from(machine, from).into_iter().map(|memory| self.cost(machine, from, memory)).sum()
    }

    /// The bandwidth that one thread on `from` consumes with the machine to itself, without the ceilings of
    /// the sharing model. It is as much as the thread can process, limited by the bandwidth of its
    /// outstanding lines at the latencies of its data (lines x 64 byte / latency; the time per byte is the
    /// mean over the data).
    pub fn want(&self, machine: &Machine, from: NodeId) -> GigabytesPerSecond {
        least(self.own_limits(machine, from))
    }

    /// The limits of one thread on `from` with the machine to itself: each limit and the GB/s that it allows,
    /// including the limits of the sharing model.
    pub fn thread_limits(
        &self,
        machine: &Machine,
        from: NodeId,
    ) -> impl Iterator<Item = (ThreadLimit, GigabytesPerSecond)> + use<> {
        let of_model = machine.sharing().parameters.ceilings(machine, self, from);
        self.own_limits(machine, from).chain(of_model)
    }

    /// An upper bound on the bandwidth of one thread on `from` for any data placement, including the limits
    /// of the sharing model. For data on several memories the time per byte is the mean over the data, so
    /// each limit is at most that of the memory that allows most.
    pub fn most_wherever(&self, machine: &Machine, from: NodeId) -> GigabytesPerSecond {
        let most = |of: &dyn Fn(NodeId) -> f64| machine.memory_nodes().map(of).fold(0.0, f64::max);
        let by_lines = self.outstanding_lines.map_or(f64::INFINITY, |lines| {
            let time = |memory| machine.latency_ns(from, memory);
            most(&|memory| time(memory).map_or(f64::INFINITY, |ns| lines * LINE_BYTES / ns))
        });
        let parameters = &machine.sharing().parameters;
        let of_model = most(&|memory| parameters.ceiling_gbs(machine, from, memory));
        let own = self.own_limits(machine, from).filter(|(limit, _)| *limit != ThreadLimit::Latency);
        least(own).min(GigabytesPerSecond::new(by_lines.min(of_model)))
    }

    fn own_limits(
        &self,
        machine: &Machine,
        from: NodeId,
    ) -> impl Iterator<Item = (ThreadLimit, GigabytesPerSecond)> + use<> {
        let node = machine.node(from);
        let ThreadLimits { gflops, bandwidth, no_flop, .. } = self.limits;
        let lines = self.outstanding_lines.zip(self.placement.latency_ns(machine, from));
        let brought = lines.map(|(lines, ns)| GigabytesPerSecond::new(lines * LINE_BYTES / ns));
        let peak = (!no_flop).then_some(self.limits.core_peak(node) / self.arithmetic_intensity);
        let limits = [
            (ThreadLimit::CorePeak, peak),
            (ThreadLimit::ThreadPeak, gflops.map(|own| own / self.arithmetic_intensity)),
            (ThreadLimit::CoreBandwidth, node.core_bandwidth),
            (ThreadLimit::ThreadBandwidth, bandwidth),
            (ThreadLimit::Latency, brought),
        ];
        limits.into_iter().filter_map(|(limit, allowed)| Some((limit, allowed?)))
    }

    /// Waiting time of a thread on `from` for a byte of a busy memory, relative to a thread of the benchmark,
    /// which has more lines outstanding. 1 if either number of lines is unknown.
    pub(crate) fn waits(&self, machine: &Machine, from: NodeId) -> f64 {
        self.outstanding_lines.zip(machine.benchmark_lines(from)).map_or(1.0, |(own, usual)| usual / own)
    }

    /// Read-equivalent GB/s on `memory` of one GB/s of a thread on `from`: the fraction of its data there,
    /// times the kernel's consumption of the memory's bandwidth.
    pub fn cost(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        self.fraction(machine, from, memory) * machine.node(memory).occupied_by(self.traffic)
    }
}

crate::words! {
    /// The limit on one thread's bandwidth with the machine to itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ThreadLimit {
        /// The peak of its core.
        CorePeak = "core-peak",
        /// The highest rate of a thread of the application ([`App::thread_gflops`]).
        ThreadPeak = "thread-peak",
        /// The bandwidth of its core, or a ceiling of the sharing model on one thread.
        CoreBandwidth = "core-bandwidth",
        /// The highest bandwidth of a thread of the application ([`App::thread_gbs`]).
        ThreadBandwidth = "thread-bandwidth",
        /// The latency of its data: a thread has a limited number of outstanding cache lines.
        Latency = "memory-latency",
    }
}

/// The tightest of `limits`.
pub(crate) fn least(limits: impl Iterator<Item = (ThreadLimit, GigabytesPerSecond)>) -> GigabytesPerSecond {
    limits.map(|(_, allowed)| allowed).fold(GigabytesPerSecond::new(f64::INFINITY), GigabytesPerSecond::min)
}

/// An open property of an application that has threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// Its data placement.
    #[error("{}", .1.said_of(&format!("application {}", .0.0)))]
    Data(AppId, OpenData),
    /// Its number of hardware threads per core.
    #[error("whether application {} has one or both hardware threads of a core is open", .0.0)]
    Smt(AppId),
}

impl Undecided {
    /// `the home of the data of APP is open`.
    pub fn said_of(self, app: &str) -> String {
        match self {
            Self::Data(_, open) => open.said_of(app),
            Self::Smt(_) => format!("`smt` of {app} is open"),
        }
    }

    /// The application.
    pub fn app(self) -> AppId {
        match self {
            Self::Data(app, _) | Self::Smt(app) => app,
        }
    }
}

impl App {
    /// Its demand with its data at `placement`. Copies without writes are read like local data.
    pub fn demand(&self, placement: Placement) -> Demand {
        let is_read_only = placement == Placement::Replicated && !self.writes_copies(&placement);
        let placement = if is_read_only { Placement::Local } else { placement };
        Demand {
            arithmetic_intensity: self.arithmetic_intensity,
            limits: self.limits(),
            traffic: self.traffic(),
            node_overhead: self.node_overhead,
            placement,
            copies: None,
            outstanding_lines: self.outstanding_lines,
        }
    }
}

/// The demand of each application with its data at the corresponding entry of `placements`.
pub fn demands(apps: &[App], placements: &[Placement]) -> Vec<Demand> {
    apps.iter().zip(placements).map(|(app, placement)| app.demand(placement.clone())).collect()
}

/// The same demands with the threads of `allocation`: copies of replicated data are on the nodes of the
/// threads.
pub fn on_nodes(machine: &Machine, demands: Vec<Demand>, allocation: &Allocation) -> Vec<Demand> {
    let placed = |(a, demand): (usize, Demand)| {
        demand.on_nodes(machine, |node| {
            allocation.row(AppId(a)).get(node.0).is_some_and(|&threads| threads > 0)
        })
    };
    demands.into_iter().enumerate().map(placed).collect()
}

/// The applications with these numbers of hardware threads per core: one entry per application, or an empty
/// slice to leave them unchanged.
pub fn with_smt<'a>(apps: &'a [App], smt: &[Smt]) -> Cow<'a, [App]> {
    if apps.iter().zip(smt).all(|(app, smt)| app.smt == *smt) {
        return Cow::Borrowed(apps);
    }
    apps.iter().zip(smt).map(|(app, &smt)| app.clone().with_smt(smt)).collect()
}

impl Data {
    /// The placement; for open data [`Placement::Local`], which is as good as any other as long as no thread
    /// reads the data ([`Scenario::undecided`]).
    pub fn placement_or_local(&self) -> Placement {
        self.placement().cloned().unwrap_or(Placement::Local)
    }

    /// The placement of open data with this number of its [`Data::STEPS`] pieces on each node. A home is the
    /// first node with any piece.
    pub fn placement_of(&self, parts: &[u32]) -> Placement {
        match self {
            Self::Placed(placement) => placement.clone(),
            Self::OpenHome { share } => {
                let home = parts.iter().position(|&parts| parts > 0).unwrap_or(0);
                Placement::at_home(NodeId(home), *share)
            }
            Self::OpenFractions => {
                let fraction = |&parts: &u32| f64::from(parts) / f64::from(Self::STEPS);
                Placement::Fractions(parts.iter().map(fraction).collect())
            }
        }
    }

    /// The placement that open data gets from `placement`, in the form that [`Data::placement_of`] returns;
    /// `None` if the data may not get that placement.
    pub fn closed_by(&self, placement: &Placement, machine: &Machine) -> Option<Placement> {
        let closed = match self {
            Self::OpenFractions if placement.local_share() == 0.0 => Placement::Fractions(
                machine.node_ids().map(|node| placement.fixed_share(machine, node)).collect(),
            ),
            _ => placement.clone(),
        };
        self.may_become(&closed).then_some(closed)
    }

    /// Whether open data may get `placement`.
    pub fn may_become(&self, placement: &Placement) -> bool {
        match self {
            Self::Placed(own) => own == placement,
            Self::OpenHome { share } => {
                placement.home().is_some_and(|home| *placement == Placement::at_home(home, *share))
            }
            Self::OpenFractions => match placement {
                Placement::Fractions(fractions) => {
                    let parts = || fractions.iter().map(|fraction| fraction * f64::from(Self::STEPS));
                    parts().all(|parts| parts >= 0.0 && parts.fract() == 0.0)
                        && parts().sum::<f64>() == f64::from(Self::STEPS)
                }
                _ => false,
            },
        }
    }

    /// Whether `explore` decides the placement of the data.
    pub fn is_open(&self) -> bool {
        self.placement().is_none()
    }
}

impl Scenario {
    /// The open property of the data of `app` in this scenario, if threads read the data.
    pub fn reads_open_data(&self, app: AppId) -> Option<OpenData> {
        self.data[app.0].open().filter(|_| self.allocation.total(app) > 0)
    }

    /// Whether `app` has threads and its number of hardware threads per core is open.
    pub fn has_open_smt(&self, app: AppId) -> bool {
        self.smt[app.0] == Smt::Any && self.allocation.total(app) > 0
    }

    /// The first application that has threads and an open property.
    pub fn undecided(&self) -> Option<Undecided> {
        (0..self.data.len()).map(AppId).find_map(|app| {
            let data = self.reads_open_data(app).map(|open| Undecided::Data(app, open));
            data.or_else(|| self.has_open_smt(app).then_some(Undecided::Smt(app)))
        })
    }

    /// The data placement of each application.
    ///
    /// # Errors
    /// [`Undecided`] if the placement or [`Scenario::smt`] of an application with threads is open.
    pub fn placements(&self) -> Result<Vec<Placement>, Undecided> {
        match self.undecided() {
            Some(open) => Err(open),
            None => Ok(self.data.iter().map(Data::placement_or_local).collect()),
        }
    }
}

impl Study {
    /// The demand of each application in `scenario`.
    ///
    /// # Errors
    /// [`Undecided`] if an application with threads has an open property.
    pub fn demands(&self, scenario: &Scenario) -> Result<Vec<Demand>, Undecided> {
        let demands = demands(&self.apps_in(scenario), &scenario.placements()?);
        Ok(on_nodes(&self.machine, demands, &scenario.allocation))
    }

    /// The applications with the hardware threads of `scenario`.
    pub fn apps_in(&self, scenario: &Scenario) -> Cow<'_, [App]> {
        with_smt(&self.apps, &scenario.smt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Data = Data::OpenHome { share: 1.0 };

    fn app(name: &str, intensity: f64, data: Data) -> App {
        App::new(name, FlopPerByte::new(intensity), data)
    }

    /// Two nodes; the data of `a` is local, the home of `b` is open.
    fn scenario(threads_of_b: u32, data_of_b: Data) -> Scenario {
        Scenario {
            name: "s".to_owned(),
            allocation: Allocation::from_rows(&[vec![1, 1], vec![0, threads_of_b]]).expect("rows"),
            data: vec![Data::Placed(Placement::Local), data_of_b],
            smt: vec![Smt::One; 2],
            static_work: false,
        }
    }

    #[test]
    fn an_open_home_is_an_error_if_threads_read_the_data() {
        assert_eq!(scenario(1, OPEN).placements(), Err(Undecided::Data(AppId(1), OpenData::Home)));
    }

    #[test]
    fn an_open_home_is_allowed_if_no_thread_reads_the_data() {
        assert_eq!(scenario(0, OPEN).placements(), Ok(vec![Placement::Local; 2]));
    }

    #[test]
    fn data_of_the_scenario_overrides_data_of_the_application() {
        let apps = [app("a", 0.5, OPEN), app("b", 2.0, OPEN)];
        let placements = scenario(1, Data::Placed(Placement::Home(NodeId(1)))).placements().expect("decided");
        let asked = demands(&apps, &placements);
        assert_eq!(asked[0], apps[0].demand(Placement::Local));
        assert_eq!(asked[1].placement, Placement::Home(NodeId(1)));
        assert_eq!(asked[1].arithmetic_intensity, FlopPerByte::new(2.0));
    }

    #[test]
    fn an_open_home_accepts_only_a_home() {
        assert!(OPEN.may_become(&Placement::Home(NodeId(1))));
        assert!(!OPEN.may_become(&Placement::Interleave));
        let local = Data::Placed(Placement::Local);
        assert!(local.may_become(&Placement::Local) && !local.may_become(&Placement::Home(NodeId(0))));
    }

    #[test]
    fn open_fractions_accept_only_sixteenths() {
        let open = Data::OpenFractions;
        assert!(open.may_become(&open.placement_of(&[3, 13])));
        for other in
            [Placement::Fractions(vec![0.1, 0.9]), Placement::Fractions(vec![0.5, 0.25]), Placement::Local]
        {
            assert!(!open.may_become(&other), "{other}");
        }
    }

    #[test]
    fn placements_in_sixteenths_close_open_fractions() {
        let one = GigabytesPerSecond::new(1.0);
        let node = Node { cores: 1, gflops_per_core: Gflops::new(1.0), bandwidth: one, ..Node::default() };
        let machine = |nodes| Machine::uniform("m", nodes, node, one).expect("a machine");
        let closed = |placement, nodes| Data::OpenFractions.closed_by(&placement, &machine(nodes));
        assert_eq!(closed(Placement::Interleave, 2), Some(Placement::Fractions(vec![0.5, 0.5])));
        assert_eq!(closed(Placement::Home(NodeId(1)), 2), Some(Placement::Fractions(vec![0.0, 1.0])));
        // Thirds are not sixteenths, and local data is on no fixed node.
        assert_eq!(closed(Placement::Interleave, 3), None);
        assert_eq!(closed(Placement::Local, 2), None);
    }
}
