//! From running threads to their speeds.
//!
//! # State
//! An application on a node is a [`Spot`]: one flow of the sharing model, whose count is the sum of the parts of cores that its
//! running threads get, and one [`Lane`] of threads of equal speed, or one for each core where they are bound to cores.
//!
//! # Approach
//! A thread that begins or ends to run marks its spot. [`Rates::settle`], once per instant, finds the parts of marked nodes anew,
//! tells the [`Load`] the counts that have changed, solves it, and lists the lanes whose speed has changed. Where one task ends and
//! the next one begins on the same thread nothing has changed, and nothing is solved.

use numasim_course::Scaling;
use numasim_model::sharing::{FlowId, FlowKey, Load, Network, kept_on};
use numasim_model::{Demand, NodeId};

use crate::cores::Cores;

/// Threads of an application on a node that run at equal speed.
#[derive(Clone, Debug, Default)]
struct Lane {
    running: u32,
    /// GFLOPS of one of them.
    speed: f64,
}

/// An application on a node.
#[derive(Clone, Debug)]
struct Spot {
    flow: Option<FlowId>,
    lanes: Vec<Lane>,
    /// Whether each lane is a core; else there is one lane.
    by_core: bool,
    running: u32,
    /// Sum of the parts of cores, as the load knows it.
    count: f64,
    /// Running threads that get less than a core.
    shared: u32,
    is_marked: bool,
    /// Its place among the users of its node, while threads run.
    user: usize,
}

impl Spot {
    fn core(&self, lane: usize) -> Option<usize> {
        self.by_core.then_some(lane)
    }
}

#[derive(Clone, Debug)]
struct AppRates {
    spots: Vec<Spot>,
    running: u32,
    /// Nodes with running threads.
    nodes: usize,
    /// The share of its speed that it keeps on so many nodes.
    kept: f64,
    shared: u32,
    /// What the present phase asks for.
    demand: Demand,
    scaling: Scaling,
    efficiency: f64,
    is_rescaled: bool,
}

#[derive(Clone, Debug)]
struct NodeRates {
    cores: Cores,
    /// Applications with running threads here.
    users: Vec<usize>,
    is_marked: bool,
}

/// The lane of an application on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneId {
    pub(crate) app: usize,
    pub(crate) node: usize,
    pub(crate) lane: usize,
}

/// Speeds of all running threads.
#[derive(Clone, Debug)]
pub(crate) struct Rates<'n> {
    load: Load<'n>,
    /// Of a thread that shares its core.
    shared_efficiency: f64,
    apps: Vec<AppRates>,
    nodes: Vec<NodeRates>,
    marked_spots: Vec<(usize, usize)>,
    marked_nodes: Vec<usize>,
    rescaled: Vec<usize>,
    /// Whether a flow was removed since the last solution.
    is_stale: bool,
    changed: Vec<LaneId>,
    /// Applications of which other threads share their cores since the last [`Rates::settle`].
    reshared: Vec<usize>,
}

impl<'n> Rates<'n> {
    /// Nobody runs. `by_core`: per application, whether its threads are bound to cores.
    pub(crate) fn new(
        network: &'n Network,
        shared_efficiency: f64,
        apps: impl Iterator<Item = (Demand, Scaling, bool)>,
    ) -> Self {
        let machine = network.machine();
        let nodes = machine.nodes().iter().map(|node| NodeRates {
            cores: Cores::new(node.cores),
            users: Vec::new(),
            is_marked: false,
        });
        let apps = apps.map(|(demand, scaling, by_core)| {
            let spots = machine.nodes().iter().map(|node| Spot {
                flow: None,
                lanes: vec![Lane::default(); if by_core { node.cores as usize } else { 1 }],
                by_core,
                running: 0,
                count: 0.0,
                shared: 0,
                is_marked: false,
                user: 0,
            });
            let spots = spots.collect();
            AppRates {
                spots,
                running: 0,
                nodes: 0,
                kept: 1.0,
                shared: 0,
                demand,
                scaling,
                efficiency: 1.0,
                is_rescaled: false,
            }
        });
        Self {
            load: network.load(),
            shared_efficiency,
            apps: apps.collect(),
            nodes: nodes.collect(),
            marked_spots: Vec::new(),
            marked_nodes: Vec::new(),
            rescaled: Vec::new(),
            is_stale: false,
            changed: Vec::new(),
            reshared: Vec::new(),
        }
    }

    /// The application begins another phase; no thread of it runs.
    pub(crate) fn set_phase(&mut self, app: usize, demand: &Demand, scaling: &Scaling) {
        let rates = &mut self.apps[app];
        if rates.demand != *demand {
            rates.demand = demand.clone();
            for spot in &mut rates.spots {
                if let Some(flow) = spot.flow.take() {
                    self.load.remove(flow);
                    spot.count = 0.0;
                    self.is_stale = true;
                }
            }
        }
        if rates.scaling != *scaling {
            rates.scaling = scaling.clone();
            self.rescale(app);
        }
    }

    /// A thread begins to compute; `core` is the one of its node that it is bound to.
    pub(crate) fn start(&mut self, app: usize, node: usize, core: Option<usize>) -> LaneId {
        let lane = core.unwrap_or(0);
        let rates = &mut self.apps[app];
        let spot = &mut rates.spots[node];
        if spot.running == 0 {
            spot.user = self.nodes[node].users.len();
            self.nodes[node].users.push(app);
            rates.nodes += 1;
        }
        spot.running += 1;
        spot.lanes[lane].running += 1;
        rates.running += 1;
        self.nodes[node].cores.add(core);
        self.mark(app, node);
        LaneId { app, node, lane }
    }

    /// A thread ends to compute.
    pub(crate) fn stop(&mut self, app: usize, node: usize, core: Option<usize>) {
        let lane = core.unwrap_or(0);
        let rates = &mut self.apps[app];
        let spot = &mut rates.spots[node];
        spot.running -= 1;
        spot.lanes[lane].running -= 1;
        rates.running -= 1;
        if spot.running == 0 {
            rates.nodes -= 1;
            let place = spot.user;
            let users = &mut self.nodes[node].users;
            users.swap_remove(place);
            if let Some(&moved) = users.get(place) {
                self.apps[moved].spots[node].user = place;
            }
        }
        self.nodes[node].cores.remove(core);
        self.mark(app, node);
    }

    fn mark(&mut self, app: usize, node: usize) {
        let spot = &mut self.apps[app].spots[node];
        if !spot.is_marked {
            spot.is_marked = true;
            self.marked_spots.push((app, node));
        }
        if !self.nodes[node].is_marked {
            self.nodes[node].is_marked = true;
            self.marked_nodes.push(node);
        }
        let rates = &self.apps[app];
        if !matches!(rates.scaling, Scaling::Linear) || rates.demand.node_overhead > 0.0 {
            self.rescale(app);
        }
    }

    fn rescale(&mut self, app: usize) {
        if !self.apps[app].is_rescaled {
            self.apps[app].is_rescaled = true;
            self.rescaled.push(app);
        }
    }

    /// Finds all speeds anew. The lanes whose speed has changed are in [`Rates::changed`] afterwards.
    pub(crate) fn settle(&mut self) {
        self.changed.clear();
        self.reshared.clear();
        if self.marked_spots.is_empty() && self.rescaled.is_empty() && !self.is_stale {
            return;
        }
        let mut solve = std::mem::take(&mut self.is_stale);
        let (efficiencies_changed, mut parts_changed) = self.settle_efficiencies();
        solve |= efficiencies_changed;
        // Parts of cores first: where they change, they do so for everybody on the node.
        for node in self.marked_nodes.drain(..) {
            let NodeRates { cores, users, is_marked } = &mut self.nodes[node];
            *is_marked = false;
            if cores.settle() {
                parts_changed = true;
                for &app in users.iter() {
                    let spot = &mut self.apps[app].spots[node];
                    if !spot.is_marked {
                        spot.is_marked = true;
                        self.marked_spots.push((app, node));
                    }
                }
            }
        }
        let marked = std::mem::take(&mut self.marked_spots);
        for &(app, node) in &marked {
            solve |= self.settle_spot(app, node);
        }
        if solve {
            self.load.solve();
        }
        if solve || parts_changed {
            for node in 0..self.nodes.len() {
                for user in 0..self.nodes[node].users.len() {
                    self.settle_speeds(self.nodes[node].users[user], node);
                }
            }
        }
        self.marked_spots = marked;
        self.marked_spots.clear();
    }

    /// Whether a flow has changed, and whether what applications keep on their nodes has.
    fn settle_efficiencies(&mut self) -> (bool, bool) {
        let (mut changed, mut kept_changed) = (false, false);
        for app in self.rescaled.drain(..) {
            let rates = &mut self.apps[app];
            rates.is_rescaled = false;
            let kept = kept_on(rates.nodes, rates.demand.node_overhead);
            kept_changed |= kept.to_bits() != rates.kept.to_bits();
            rates.kept = kept;
            let efficiency = rates.scaling.efficiency(rates.running);
            if efficiency.to_bits() != rates.efficiency.to_bits() {
                rates.efficiency = efficiency;
                for flow in rates.spots.iter().filter_map(|spot| spot.flow) {
                    self.load.set_efficiency(flow, efficiency);
                    changed = true;
                }
            }
        }
        (changed, kept_changed)
    }

    /// Tells the load how many threads an application has on a node; whether that is news.
    fn settle_spot(&mut self, app: usize, node: usize) -> bool {
        let rates = &mut self.apps[app];
        let spot = &mut rates.spots[node];
        spot.is_marked = false;
        let cores = &self.nodes[node].cores;
        let (mut count, mut shared) = (0.0, 0);
        for (lane, threads) in spot.lanes.iter().enumerate().filter(|(_, lane)| lane.running > 0) {
            let part = cores.part(spot.core(lane));
            count += f64::from(threads.running) * part;
            shared += if part < 1.0 { threads.running } else { 0 };
        }
        if shared != spot.shared {
            rates.shared = rates.shared + shared - spot.shared;
            spot.shared = shared;
            self.reshared.push(app);
        }
        if count.to_bits() == spot.count.to_bits() {
            return false;
        }
        spot.count = count;
        if let Some(flow) = spot.flow {
            self.load.set_threads(flow, count);
        } else {
            let flow = self.load.add(FlowKey(app as u64), &rates.demand, NodeId(node), count);
            spot.flow = flow;
            if let Some(flow) = flow.filter(|_| rates.efficiency != 1.0) {
                self.load.set_efficiency(flow, rates.efficiency);
            }
        }
        true
    }

    fn settle_speeds(&mut self, app: usize, node: usize) {
        let AppRates { spots, kept, .. } = &mut self.apps[app];
        let spot = &mut spots[node];
        let Some(flow) = spot.flow else { return };
        let full = self.load.gflops(flow) * *kept;
        let cores = &self.nodes[node].cores;
        let by_core = spot.by_core;
        for (lane, threads) in spot.lanes.iter_mut().enumerate().filter(|(_, lane)| lane.running > 0) {
            let part = cores.part(by_core.then_some(lane));
            let speed = if part < 1.0 { part * full * self.shared_efficiency } else { full };
            if speed.to_bits() != threads.speed.to_bits() {
                threads.speed = speed;
                self.changed.push(LaneId { app, node, lane });
            }
        }
    }

    /// The lanes whose speed the last [`Rates::settle`] has changed.
    pub(crate) fn changed(&self) -> &[LaneId] {
        &self.changed
    }

    /// Applications of which other threads share their cores since the last [`Rates::settle`]: where memory is what holds
    /// them back, their speed may be the same as before.
    pub(crate) fn reshared(&self) -> &[usize] {
        &self.reshared
    }

    /// GFLOPS of one thread of a lane.
    pub(crate) fn speed(&self, lane: LaneId) -> f64 {
        self.apps[lane.app].spots[lane.node].lanes[lane.lane].speed
    }

    /// Threads that compute.
    pub(crate) fn running(&self, app: usize) -> u32 {
        self.apps[app].running
    }

    /// Threads that compute and get less than a core, as of the last [`Rates::settle`].
    pub(crate) fn shared(&self, app: usize) -> u32 {
        self.apps[app].shared
    }

    /// GFLOPS of all threads of an application on a node.
    pub(crate) fn gflops(&self, app: usize, node: usize) -> f64 {
        let lanes = &self.apps[app].spots[node].lanes;
        lanes.iter().map(|lane| f64::from(lane.running) * lane.speed).fold(0.0, |sum, gflops| sum + gflops)
    }

    /// GFLOPS of all threads of an application.
    pub(crate) fn total_gflops(&self, app: usize) -> f64 {
        let running = (0..self.nodes.len()).filter(|&node| self.apps[app].spots[node].running > 0);
        running.map(|node| self.gflops(app, node)).fold(0.0, |sum, gflops| sum + gflops)
    }

    /// GB/s of all threads of an application on a node.
    pub(crate) fn bandwidth(&self, app: usize, node: usize) -> f64 {
        let spot = &self.apps[app].spots[node];
        spot.flow.map_or(0.0, |flow| spot.count * self.load.bandwidth(flow))
    }

    /// Cores that an application uses on a node.
    pub(crate) fn cores_used(&self, app: usize, node: usize) -> f64 {
        self.apps[app].spots[node].count
    }
}
