//! The procedure of a model on a compiled question, for all memories or one of them. For every model but the
//! plain default: offers, then the bandwidth of each controller, then the rules of the model.

use crate::ids::NodeId;
use crate::machine::Machine;
use crate::sharing::compiled::{Compiled, Shares};
use crate::sharing::ports::{Remote, shared_level};
use crate::sharing::rounds::Dealing;
use crate::sharing::{baseline, ecm, max_min, proportional, remote_first, request_fraction};
use crate::sharing_model::{ModelKind, Parameters};

/// The procedure from thread counts to rates.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// The default without corrections.
    Plain,
    /// Any other model.
    Corrected(Box<Corrected>),
}

/// Working memory of evaluations.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Working memory of rounds.
    dealing: Dealing,
    /// Working memory of models other than the plain default.
    notes: Notes,
}

impl Memory {
    /// From now on, starts each answer near the previous one if that saves steps.
    pub(super) fn begin_near(&mut self) {
        self.notes.ecm.begin_near();
    }

    /// Notes a new flow on `node`; in sums its position is the end of `is_before`.
    pub(super) fn flow_added(
        &mut self,
        compiled: &Compiled,
        group: u32,
        node: NodeId,
        is_before: impl Fn(u32) -> bool,
    ) {
        self.dealing.flow_added(compiled, group, node.0, is_before);
    }

    /// Notes that a flow is gone.
    pub(super) fn flow_removed(&mut self, group: u32) {
        self.dealing.flow_removed(group);
    }
}

impl Way {
    /// The procedure of the model of `compiled`.
    pub(super) fn new(compiled: &Compiled, machine: &Machine) -> Self {
        if compiled.model.is_plain_default() {
            Self::Plain
        } else {
            Self::Corrected(Box::new(Corrected::new(compiled, machine)))
        }
    }

    /// Room for evaluations. `separable`: each thread reads one memory, and no limit is shared.
    pub(super) fn memory(&self, compiled: &Compiled, separable: bool) -> Memory {
        let mut memory = Memory::default();
        self.make_room(compiled, separable, &mut memory);
        if self.deals(separable) {
            memory.dealing.compile(compiled, self.remote());
        }
        memory
    }

    /// The same in place: allocates nothing if there was enough room before.
    pub(super) fn make_room(&self, compiled: &Compiled, separable: bool, memory: &mut Memory) {
        if let Self::Corrected(corrected) = self {
            corrected.make_room(compiled, &mut memory.notes);
        }
        if !self.deals(separable) {
            memory.dealing.flows_changed();
        }
    }

    /// Whether unused bandwidth is redistributed in rounds.
    pub(super) fn deals(&self, separable: bool) -> bool {
        match self {
            Self::Plain => !separable,
            Self::Corrected(corrected) => corrected.deals(separable),
        }
    }

    /// Whether a change at one memory leaves the others unchanged.
    pub(super) fn memories_are_apart(&self, separable: bool) -> bool {
        match self {
            Self::Plain => separable,
            Self::Corrected(corrected) => separable && corrected.looks_at_one_memory(),
        }
    }

    /// Whether rounds would meet all demands; `false` if that is unknown without running them.
    pub(super) fn all_have_room(&self, compiled: &Compiled, threads: &[f64]) -> bool {
        match self {
            Self::Plain => baseline::all_have_room(compiled, Remote::PLAIN, threads),
            Self::Corrected(corrected) => corrected.all_have_room(compiled, threads),
        }
    }

    fn remote(&self) -> Remote {
        match self {
            Self::Plain => Remote::PLAIN,
            Self::Corrected(corrected) => corrected.remote(),
        }
    }

    /// Updates the flows; needed only if they change after [`Way::new`].
    pub(super) fn flows_changed(&mut self, compiled: &Compiled) {
        if let Self::Corrected(corrected) = self {
            corrected.flows_changed(compiled);
        }
    }

    /// Shares all resources: `shares.bandwidth` contains the demand of every thread before, and its bandwidth
    /// after.
    #[inline]
    pub(super) fn share(
        &self,
        compiled: &Compiled,
        separable: bool,
        threads: &[f64],
        shares: &mut Shares,
        memory: &mut Memory,
    ) {
        let Memory { dealing, notes } = memory;
        match self {
            Self::Plain if separable => {
                baseline::first_round(compiled, threads, shares);
            }
            Self::Plain if !compiled.has_common_limits() && begins_port_by_port(threads) => {
                let hungry = baseline::first_round(compiled, threads, shares);
                if hungry && !baseline::all_controllers_full(compiled, threads, shares) {
                    dealing.resume(compiled, threads, shares);
                }
            }
            // It does not pay to lay out groups that have just arrived.
            Self::Plain
                if !dealing.is_compiled() && baseline::all_have_room(compiled, Remote::PLAIN, threads) => {}
            Self::Plain => {
                let controllers = |m: usize, _asked: f64| compiled.memories[m].bandwidth;
                dealing.share(compiled, Remote::PLAIN, controllers, threads, shares);
            }
            Self::Corrected(corrected) => {
                corrected.share(compiled, separable, threads, shares, dealing, notes);
            }
        }
    }

    /// Shares only memory `m`, if [`Way::memories_are_apart`].
    #[inline]
    pub(super) fn share_one(
        &self,
        compiled: &Compiled,
        m: usize,
        threads: &[f64],
        shares: &mut Shares,
        memory: &mut Memory,
    ) {
        match self {
            Self::Plain => {
                baseline::first_round_of(compiled, m, threads, shares);
            }
            Self::Corrected(corrected) => {
                corrected.share_one(compiled, m, threads, shares, &mut memory.notes);
            }
        }
    }
}

/// Whether the first round, most often the only one, is faster port by port: with few groups there are as
/// many ports, and with many groups it takes long to lay them out for rounds after changes of flows.
fn begins_port_by_port(threads: &[f64]) -> bool {
    const FEW: usize = 32;
    const MANY: usize = 256;
    let takers = threads.iter().filter(|&&count| count > 0.0).count();
    !(FEW + 1..MANY).contains(&takers)
}

/// Additional data of such a model, next to the compiled flows.
#[derive(Clone, Debug)]
pub(super) struct Corrected {
    kind: ModelKind,
    parameters: Parameters,
    remote: Remote,
    /// For max-min: the resources that each group uses.
    paths: max_min::Paths,
    /// For ECM: the effect of each controller on a waiting line.
    queues: Vec<ecm::Queue>,
    /// For ECM, per memory: an earlier memory that has the same answer for the same threads; empty if flows
    /// come and go.
    twins: Vec<Option<usize>>,
}

/// Working memory of one evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// For max-min.
    filling: max_min::Filling,
    ecm: ecm::Notes,
    /// For request fraction, per pool: the fraction of its requests that a link lets through.
    parts: Vec<f64>,
    /// Per shared link: the bandwidth that it leaves each link. Per pool: its offer before that.
    caps: Vec<f64>,
    uncapped: Vec<f64>,
}

impl Corrected {
    /// Compiles the data that the model of `compiled` needs.
    pub(super) fn new(compiled: &Compiled, machine: &Machine) -> Self {
        let (kind, parameters) = (compiled.model.kind, compiled.model.parameters);
        let remote = Remote::new(&parameters);
        let mut paths = max_min::Paths::default();
        let (mut queues, mut twins) = (Vec::new(), Vec::new());
        match kind {
            ModelKind::MaxMin => paths = max_min::Paths::new(remote, compiled),
            ModelKind::Ecm => {
                queues = machine.nodes().iter().map(ecm::Queue::of_controller).collect();
                twins = ecm::twins(compiled, &queues);
            }
            _ => {}
        }
        Self { kind, parameters, remote, paths, queues, twins }
    }

    /// Whether the model uses rounds. `separable`: each thread reads one memory, and no limit is shared.
    pub(super) fn deals(&self, separable: bool) -> bool {
        self.kind == ModelKind::BaselineProportional && !separable
    }

    /// Whether rounds would meet all demands: a controller then has its full bandwidth, unless it has a knee.
    pub(super) fn all_have_room(&self, compiled: &Compiled, threads: &[f64]) -> bool {
        self.deals(false)
            && self.parameters.saturation_knee == 0.0
            && baseline::all_have_room(compiled, self.remote, threads)
    }

    /// Treatment of reads over links by the controllers.
    pub(super) fn remote(&self) -> Remote {
        self.remote
    }

    /// Whether the rules consider one memory at a time.
    pub(super) fn looks_at_one_memory(&self) -> bool {
        self.kind != ModelKind::MaxMin
    }

    /// Updates the flows.
    pub(super) fn flows_changed(&mut self, compiled: &Compiled) {
        self.twins.clear();
        if self.kind == ModelKind::MaxMin {
            self.paths.compile(self.remote, compiled);
        }
    }

    /// Makes room for the notes.
    pub(super) fn make_room(&self, compiled: &Compiled, notes: &mut Notes) {
        let of = |kind: ModelKind, count: usize| if self.kind == kind { count } else { 0 };
        self.paths.make_room(&mut notes.filling);
        if self.kind == ModelKind::Ecm {
            notes.ecm.make_room(compiled);
        }
        notes.parts.resize(of(ModelKind::RequestFraction, compiled.pools.len()), 0.0);
        notes.caps.resize(compiled.shared.len(), 0.0);
        notes.uncapped.resize(if compiled.shared.is_empty() { 0 } else { compiled.pools.len() }, 0.0);
    }

    /// Shares by the rules of the model; `shares.bandwidth` contains the demand of every thread before, and
    /// its bandwidth after.
    pub(super) fn share(
        &self,
        compiled: &Compiled,
        separable: bool,
        threads: &[f64],
        shares: &mut Shares,
        dealing: &mut Dealing,
        notes: &mut Notes,
    ) {
        if self.deals(separable) {
            let controllers =
                |m: usize, asked: f64| self.parameters.controller(compiled.memories[m].bandwidth, asked);
            dealing.share(compiled, self.remote, controllers, threads, shares);
            return;
        }
        for m in 0..compiled.memories.len() {
            offer(compiled, m, threads, shares);
        }
        self.cap_shared_links(compiled, shares, notes);
        let together = self.kind == ModelKind::Ecm && !separable && ecm::depends(compiled);
        for m in 0..compiled.memories.len() {
            self.look_at_controller(compiled, m, shares);
            if !together {
                self.share_offers(compiled, m, threads, shares, notes);
            }
        }
        if together {
            ecm::share_together(compiled, self.remote, &self.queues, threads, shares, &mut notes.ecm);
        }
        if self.kind == ModelKind::MaxMin {
            max_min::share(compiled, &self.paths, threads, shares, &mut notes.filling);
        }
    }

    /// Shares only memory `m`, if no limit is shared.
    pub(super) fn share_one(
        &self,
        compiled: &Compiled,
        m: usize,
        threads: &[f64],
        shares: &mut Shares,
        notes: &mut Notes,
    ) {
        offer(compiled, m, threads, shares);
        self.look_at_controller(compiled, m, shares);
        self.share_offers(compiled, m, threads, shares, notes);
    }

    /// Notes the bandwidth of the controller of memory `m` for the offers of the pools.
    fn look_at_controller(&self, compiled: &Compiled, m: usize, shares: &mut Shares) {
        let memory = &compiled.memories[m];
        let links = self.remote.cost * shares.offered[memory.links.clone()].iter().sum::<f64>();
        let asked = links + memory.own.map_or(0.0, |own| shares.offered[own]);
        shares.controllers[m] = self.parameters.controller(memory.bandwidth, asked);
    }

    /// The rules of the model for memory `m`, after pools have made their offers.
    fn share_offers(
        &self,
        compiled: &Compiled,
        m: usize,
        threads: &[f64],
        shares: &mut Shares,
        notes: &mut Notes,
    ) {
        let (remote, controller) = (self.remote, shares.controllers[m]);
        match self.kind {
            ModelKind::BaselineProportional => {
                baseline::fill(compiled, remote, m, controller, threads, shares);
            }
            ModelKind::RemoteFirst => {
                remote_first::share(compiled, remote, m, controller, threads, shares);
            }
            ModelKind::Proportional => proportional::share(compiled, remote, m, controller, shares),
            ModelKind::RequestFraction => {
                let parts = &mut notes.parts;
                request_fraction::share(compiled, remote, m, controller, threads, shares, parts);
            }
            ModelKind::Ecm => {
                let twin = self.twins.get(m).copied().flatten();
                ecm::share(compiled, remote, &self.queues, (m, twin), threads, shares, &mut notes.ecm);
            }
            ModelKind::MaxMin => {} // needs all controllers first
        }
    }

    /// Links that share a link offer no more than it carries: filled evenly, or, under `proportional`, each
    /// the same fraction of its own offer. Under ECM they are queues with the bandwidth that the others
    /// leave. `request-fraction` rejects machines with shared links.
    fn cap_shared_links(&self, compiled: &Compiled, shares: &mut Shares, notes: &mut Notes) {
        if compiled.shared.is_empty() || self.kind == ModelKind::MaxMin {
            return;
        }
        // All caps first: shared links do not see reductions by other shared links.
        for (cap, common) in notes.caps.iter_mut().zip(&compiled.shared) {
            let offers = common.users.iter().map(|&p| shares.offered[p as usize]);
            *cap = match self.kind {
                ModelKind::Proportional => (common.capacity / offers.sum::<f64>()).min(1.0),
                _ => shared_level(common.capacity, &offers),
            };
        }
        notes.uncapped.copy_from_slice(&shares.offered);
        if self.kind == ModelKind::Ecm {
            notes.ecm.leave(compiled, &notes.uncapped);
        }
        for (&cap, common) in notes.caps.iter().zip(&compiled.shared) {
            for p in common.users.iter().map(|&p| p as usize) {
                let capped = if self.kind == ModelKind::Proportional { notes.uncapped[p] * cap } else { cap };
                shares.offered[p] = shares.offered[p].min(capped);
            }
        }
    }
}

/// Notes the demand of each pool of memory `m`, and the part of it that reaches the controller.
fn offer(compiled: &Compiled, m: usize, threads: &[f64], shares: &mut Shares) {
    let memory = &compiled.memories[m];
    for p in memory.links.clone() {
        let wanted = compiled.wanted(p, threads);
        shares.wanted[p] = wanted;
        shares.offered[p] = wanted.min(compiled.pools[p].capacity);
    }
    if let Some(own) = memory.own {
        let wanted = compiled.wanted(own, threads);
        shares.wanted[own] = wanted;
        shares.offered[own] = wanted;
    }
}
