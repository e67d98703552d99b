//! What an application asks of the machine in a scenario, and what becomes of data that is still open.
//!
//! The one rule: the solver needs an intensity, a kernel and a placement. All come from the application, but where the scenario has
//! data of its own ([`Scenario::data`]), that holds. Data that is open must be decided before, unless nobody reads the
//! data there: an application without threads asks for nothing, wherever its data lies.

use std::borrow::Cow;

use crate::allocation::Allocation;
use crate::app::{App, Data, OpenData, Placement, Smt, ThreadLimits, Traffic};
use crate::ids::{AppId, NodeId};
use crate::machine::{Machine, Node};
use crate::scenario::{Scenario, Study};
use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond, LINE_BYTES};

/// What the solver needs to know of an application: its arithmetic intensity, how it uses memory, and where its data lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// FLOP per byte moved to or from memory.
    pub arithmetic_intensity: FlopPerByte,
    /// What one thread does at most.
    pub limits: ThreadLimits,
    /// How it uses memory: what a GB/s of it occupies of a memory ([`crate::Node::occupied_by`]).
    pub traffic: Traffic,
    /// What it loses with threads on several nodes ([`App::node_overhead`]).
    pub node_overhead: f64,
    /// Where its data lies; open data must be decided before.
    pub placement: Placement,
    /// Of replicated data that is written: the memories that have a copy, ascending, each of which gets every write. `None` where nothing is written
    /// to copies, or while nobody knows which nodes have threads ([`Demand::on_nodes`]).
    pub copies: Option<Vec<NodeId>>,
    /// Cache lines that one thread has under way at a time; `None` if not given.
    pub outstanding_lines: Option<f64>,
}

impl Demand {
    /// Of threads that only the machine limits, and that lose nothing on several nodes.
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

    /// Whether its writes go to copies on the nodes of its threads, and nobody has said yet which nodes these are.
    pub fn has_open_copies(&self) -> bool {
        self.placement == Placement::Replicated && self.traffic.write_share() > 0.0 && self.copies.is_none()
    }

    /// The same with threads on those nodes that `is_used` names: from then on it is known which memories have a copy of replicated data.
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

    /// The memories other than that which it reads that get the writes of a thread on `from`.
    fn written_copies(&self, machine: &Machine, from: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let own = machine.local_memory(from);
        self.copies.iter().flatten().copied().filter(move |&memory| memory != own)
    }

    /// Bytes that a thread on `from` moves to or from `memory` for each of its bytes: the share of its data there, or the share that it
    /// writes where another copy of its data lies.
    pub fn fraction(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        let is_written = self.written_copies(machine, from).any(|copy| copy == memory);
        let written = if is_written { self.traffic.write_share() } else { 0.0 };
        self.placement.fraction(machine, from, memory) + written
    }

    /// Bytes that a thread on `from` moves on all memories for each of its bytes: 1, and more where it writes several copies.
    pub fn moved(&self, machine: &Machine, from: NodeId) -> f64 {
        1.0 + self.written_copies(machine, from).count() as f64 * self.traffic.write_share()
    }

    /// The memories that threads on `from` read or write, ascending: where [`Demand::fraction`] is above 0.
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

    /// The most that one thread computes on a core of `node`.
    pub fn peak(&self, node: &Node) -> Gflops {
        self.limits.peak(node)
    }

    /// GB/s of reads that one GB/s of a thread on `from` stands for, on all memories together: the mean of
    /// [`crate::Node::occupied_by`] over its data, and the copies that it writes.
    pub(crate) fn occupied(&self, machine: &Machine, from: NodeId) -> f64 {
        if !machine.has_figure_of(self.traffic) {
            return self.moved(machine, from);
        }
        self.used_from(machine, from).into_iter().map(|memory| self.cost(machine, from, memory)).sum()
    }

    /// What one thread on `from` draws with the machine to itself, the ceilings of the sharing model aside: what it can digest, and no more than the lines that it has under
    /// way bring at the latencies of its data (lines x 64 byte / latency; the time per byte is the mean over the data).
    pub fn want(&self, machine: &Machine, from: NodeId) -> GigabytesPerSecond {
        least(self.own_limits(machine, from))
    }

    /// What keeps one thread on `from` from drawing more with the machine to itself: each limit and the GB/s that it allows, those of the sharing
    /// model as well.
    pub fn thread_limits(
        &self,
        machine: &Machine,
        from: NodeId,
    ) -> impl Iterator<Item = (ThreadLimit, GigabytesPerSecond)> + use<> {
        let of_model = machine.sharing().parameters.ceilings(machine, self, from);
        self.own_limits(machine, from).chain(of_model)
    }

    /// What no thread on `from` exceeds wherever its data lies, the limits of the sharing model included. For data on several memories the time per
    /// byte is the mean over the data, so that each limit is at most that of the memory that allows most.
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

    /// How many times as long as a thread of the benchmark, which has more lines under way, one on `from` waits for a byte at a busy memory;
    /// 1 where either number is not known.
    pub(crate) fn waits(&self, machine: &Machine, from: NodeId) -> f64 {
        self.outstanding_lines.zip(machine.benchmark_lines(from)).map_or(1.0, |(own, usual)| usual / own)
    }

    /// GB/s of reads on `memory` that one GB/s of a thread on `from` stands for: the fraction of its data there, times what the
    /// kernel occupies of the memory.
    pub fn cost(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        self.fraction(machine, from, memory) * machine.node(memory).occupied_by(self.traffic)
    }
}

crate::words! {
    /// What keeps one thread from drawing more with the machine to itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ThreadLimit {
        /// The peak of its core.
        CorePeak = "core-peak",
        /// The most that a thread of the application computes ([`App::thread_gflops`]).
        ThreadPeak = "thread-peak",
        /// The bandwidth of its core, or a ceiling of the sharing model on one thread.
        CoreBandwidth = "core-bandwidth",
        /// The most that a thread of the application draws ([`App::thread_gbs`]).
        ThreadBandwidth = "thread-bandwidth",
        /// The latency of its data: the thread has only a limited number of cache lines under way.
        Latency = "memory-latency",
    }
}

/// The tightest of `limits`.
pub(crate) fn least(limits: impl Iterator<Item = (ThreadLimit, GigabytesPerSecond)>) -> GigabytesPerSecond {
    limits.map(|(_, allowed)| allowed).fold(GigabytesPerSecond::new(f64::INFINITY), GigabytesPerSecond::min)
}

/// What nobody has decided of an application that has threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// Where its data lies.
    #[error("{}", .1.said_of(&format!("application {}", .0.0)))]
    Data(AppId, OpenData),
    /// How many hardware threads of a core it uses.
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

    /// The first such application.
    pub fn app(self) -> AppId {
        match self {
            Self::Data(app, _) | Self::Smt(app) => app,
        }
    }
}

impl App {
    /// What it asks for with its data at `placement`. Copies that nobody writes are read as local data is.
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

/// What applications ask for with their data at `placements`: one for each application.
pub fn demands(apps: &[App], placements: &[Placement]) -> Vec<Demand> {
    apps.iter().zip(placements).map(|(app, placement)| app.demand(placement.clone())).collect()
}

/// The same with the threads of `allocation`: copies of replicated data lie on their nodes.
pub fn on_nodes(machine: &Machine, demands: Vec<Demand>, allocation: &Allocation) -> Vec<Demand> {
    let placed = |(a, demand): (usize, Demand)| {
        demand.on_nodes(machine, |node| {
            allocation.row(AppId(a)).get(node.0).is_some_and(|&threads| threads > 0)
        })
    };
    demands.into_iter().enumerate().map(placed).collect()
}

/// The applications with so many hardware threads on a core: one entry for each of them, or none where they stay as they are.
pub fn with_smt<'a>(apps: &'a [App], smt: &[Smt]) -> Cow<'a, [App]> {
    if apps.iter().zip(smt).all(|(app, smt)| app.smt == *smt) {
        return Cow::Borrowed(apps);
    }
    apps.iter().zip(smt).map(|(app, &smt)| app.clone().with_smt(smt)).collect()
}

impl Data {
    /// The placement; for open data [`Placement::Local`], which is as good as any while nobody reads the data
    /// ([`Scenario::undecided`]).
    pub fn placement_or_local(&self) -> Placement {
        self.placement().cloned().unwrap_or(Placement::Local)
    }

    /// The placement for a number of the [`Data::STEPS`] parts of open data on each node; a home is the first node that has any.
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

    /// Open data as it becomes with `placement`, in the form that [`Data::placement_of`] gives it; `None` where it may not become that.
    pub fn closed_by(&self, placement: &Placement, machine: &Machine) -> Option<Placement> {
        let closed = match self {
            Self::OpenFractions if placement.local_share() == 0.0 => Placement::Fractions(
                machine.node_ids().map(|node| placement.fixed_share(machine, node)).collect(),
            ),
            _ => placement.clone(),
        };
        self.may_become(&closed).then_some(closed)
    }

    /// Whether `placement` is one that it may become.
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

    /// Whether explore decides where it lies.
    pub fn is_open(&self) -> bool {
        self.placement().is_none()
    }
}

impl Scenario {
    /// What is open here of the data of `app`, if threads read it.
    pub fn reads_open_data(&self, app: AppId) -> Option<OpenData> {
        self.data[app.0].open().filter(|_| self.allocation.total(app) > 0)
    }

    /// Whether nobody has decided how many hardware threads of a core `app` uses, and it has threads.
    pub fn has_open_smt(&self, app: AppId) -> bool {
        self.smt[app.0] == Smt::Any && self.allocation.total(app) > 0
    }

    /// The first application that has threads and leaves something open.
    pub fn undecided(&self) -> Option<Undecided> {
        (0..self.data.len()).map(AppId).find_map(|app| {
            let data = self.reads_open_data(app).map(|open| Undecided::Data(app, open));
            data.or_else(|| self.has_open_smt(app).then_some(Undecided::Smt(app)))
        })
    }

    /// Where the data of each application lies.
    ///
    /// # Errors
    /// [`Undecided`] if nobody has decided it, or [`Scenario::smt`], of an application that has threads.
    pub fn placements(&self) -> Result<Vec<Placement>, Undecided> {
        match self.undecided() {
            Some(open) => Err(open),
            None => Ok(self.data.iter().map(Data::placement_or_local).collect()),
        }
    }
}

impl Study {
    /// What each application asks for in `scenario`.
    ///
    /// # Errors
    /// [`Undecided`] if an application with threads leaves something open.
    pub fn demands(&self, scenario: &Scenario) -> Result<Vec<Demand>, Undecided> {
        let demands = demands(&self.apps_in(scenario), &scenario.placements()?);
        Ok(on_nodes(&self.machine, demands, &scenario.allocation))
    }

    /// The applications as `scenario` runs them.
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

    /// Two nodes; `a` has its data local, the home of `b` is open.
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
    fn an_open_home_that_somebody_reads_is_named() {
        assert_eq!(scenario(1, OPEN).placements(), Err(Undecided::Data(AppId(1), OpenData::Home)));
    }

    #[test]
    fn an_open_home_that_nobody_reads_is_no_obstacle() {
        assert_eq!(scenario(0, OPEN).placements(), Ok(vec![Placement::Local; 2]));
    }

    #[test]
    fn the_data_of_the_scenario_hold_and_not_those_of_the_application() {
        let apps = [app("a", 0.5, OPEN), app("b", 2.0, OPEN)];
        let placements = scenario(1, Data::Placed(Placement::Home(NodeId(1)))).placements().expect("decided");
        let asked = demands(&apps, &placements);
        assert_eq!(asked[0], apps[0].demand(Placement::Local));
        assert_eq!(asked[1].placement, Placement::Home(NodeId(1)));
        assert_eq!(asked[1].arithmetic_intensity, FlopPerByte::new(2.0));
    }

    #[test]
    fn an_open_home_may_become_a_home_and_nothing_else() {
        assert!(OPEN.may_become(&Placement::Home(NodeId(1))));
        assert!(!OPEN.may_become(&Placement::Interleave));
        let local = Data::Placed(Placement::Local);
        assert!(local.may_become(&Placement::Local) && !local.may_become(&Placement::Home(NodeId(0))));
    }

    #[test]
    fn open_fractions_may_become_sixteenths_and_nothing_else() {
        let open = Data::OpenFractions;
        assert!(open.may_become(&open.placement_of(&[3, 13])));
        for other in
            [Placement::Fractions(vec![0.1, 0.9]), Placement::Fractions(vec![0.5, 0.25]), Placement::Local]
        {
            assert!(!open.may_become(&other), "{other}");
        }
    }

    #[test]
    fn what_lies_on_nodes_in_sixteenths_closes_open_fractions() {
        let one = GigabytesPerSecond::new(1.0);
        let node = Node { cores: 1, gflops_per_core: Gflops::new(1.0), bandwidth: one, ..Node::default() };
        let machine = |nodes| Machine::uniform("m", nodes, node, one).expect("a machine");
        let closed = |placement, nodes| Data::OpenFractions.closed_by(&placement, &machine(nodes));
        assert_eq!(closed(Placement::Interleave, 2), Some(Placement::Fractions(vec![0.5, 0.5])));
        assert_eq!(closed(Placement::Home(NodeId(1)), 2), Some(Placement::Fractions(vec![0.0, 1.0])));
        // Thirds are no sixteenths, and local data lies on no node of its own.
        assert_eq!(closed(Placement::Interleave, 3), None);
        assert_eq!(closed(Placement::Local, 2), None);
    }
}
