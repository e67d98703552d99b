//! The way to every model but the plain default: offers, what each controller has, then the rules of the model.

use super::ecm;
use super::fair_port;
use super::fast::{Solver, Workspace};
use super::max_min;
use super::proportional;
use super::request_fraction;
use super::{Model, ModelKind, Parameters};
use crate::machine::Machine;

/// What such a model needs besides the compiled flows.
#[derive(Clone, Debug)]
pub(super) struct Other {
    kind: ModelKind,
    parameters: Parameters,
    /// GB/s of the controller that one GB/s over a link takes.
    pub(super) remote_cost: f64,
    /// The right of remote traffic at a controller, where local traffic has 1.
    pub(super) remote_weight: f64,
    /// For max-min: which resources each group uses.
    paths: max_min::Paths,
    /// For ECM: what each controller does to a waiting line.
    queues: Vec<ecm::Queue>,
}

/// Notes of one evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Per memory: GB/s that the controller has for what is asked of it.
    pub(super) controllers: Vec<f64>,
    /// For max-min.
    pub(super) filling: max_min::Filling,
    /// For ECM: nanoseconds per byte of one thread of each flow.
    pub(super) times: Vec<f64>,
}

impl Other {
    /// Compiles what `model` needs; `solver` has its flows.
    pub(super) fn new(model: &Model, solver: &Solver, machine: &Machine) -> Self {
        let (kind, parameters) = (model.kind, model.parameters);
        let mut other = Self {
            kind,
            parameters,
            remote_cost: 1.0 + parameters.remote_loss,
            remote_weight: parameters.remote_weight,
            paths: max_min::Paths::default(),
            queues: Vec::new(),
        };
        match kind {
            ModelKind::MaxMin => other.paths = max_min::Paths::new(&other, solver),
            ModelKind::Ecm => {
                let queue = |node: &crate::Node| ecm::Queue::new(node, parameters.ecm_penalty);
                other.queues = machine.nodes().iter().map(queue).collect();
            }
            _ => {}
        }
        other
    }

    /// Room for the notes.
    pub(super) fn scratch(&self, solver: &Solver) -> Scratch {
        let flows = if self.kind == ModelKind::Ecm { solver.flows.len() } else { 0 };
        Scratch {
            controllers: vec![0.0; solver.memories.len()],
            filling: self.paths.filling(),
            times: vec![0.0; flows],
        }
    }
}

impl Solver {
    /// Shares by the rules of another model: fills `granted`, `wanted` and `available`, and lowers `bandwidth`, which
    /// has what every thread wants.
    pub(super) fn share_otherwise(&self, other: &Other, threads: &[u32], workspace: &mut Workspace) {
        for m in 0..self.memories.len() {
            let controller = self.offer(other, m, threads, workspace);
            workspace.scratch.controllers[m] = controller;
            match other.kind {
                ModelKind::BaselineProportional => {
                    self.remote_first_corrected(other, m, controller, threads, workspace);
                }
                ModelKind::FairPort => fair_port::share(self, other, m, controller, threads, workspace),
                ModelKind::Proportional => proportional::share(self, other, m, controller, workspace),
                ModelKind::RequestFraction => {
                    request_fraction::share(self, other, m, controller, threads, workspace);
                }
                ModelKind::Ecm => ecm::share(self, other, &other.queues[m], m, threads, workspace),
                ModelKind::MaxMin => {} // needs all controllers first
            }
        }
        if other.kind == ModelKind::MaxMin {
            max_min::share(self, &other.paths, threads, workspace);
        }
    }

    /// Notes what each pool of memory `m` wants, and what its link lets through, as `available`; returns what the
    /// controller has for all of that.
    fn offer(&self, other: &Other, m: usize, threads: &[u32], workspace: &mut Workspace) -> f64 {
        let memory = &self.memories[m];
        let mut asked = 0.0;
        for p in memory.links.clone() {
            let wanted = self.wanted(p, threads);
            let offered = wanted.min(self.pools[p].capacity);
            workspace.wanted[p] = wanted;
            workspace.available[p] = offered;
            asked += other.remote_cost * offered;
        }
        if let Some(own) = memory.own {
            let wanted = self.wanted(own, threads);
            workspace.wanted[own] = wanted;
            workspace.available[own] = wanted;
            asked += wanted;
        }
        other.parameters.controller(memory.bandwidth, asked)
    }

    /// The paper's steps 1 to 5 with corrections.
    fn remote_first_corrected(
        &self,
        other: &Other,
        m: usize,
        controller: f64,
        threads: &[u32],
        workspace: &mut Workspace,
    ) {
        let memory = &self.memories[m];
        let remote = other.remote_cost * workspace.available[memory.links.clone()].iter().sum::<f64>();
        let scale = if remote > controller { controller / remote } else { 1.0 };
        workspace.scale[m] = scale;
        for p in memory.links.clone() {
            workspace.available[p] *= scale;
            self.share(p, threads, workspace);
        }
        if let Some(own) = memory.own {
            workspace.available[own] = (controller - remote).max(0.0);
            self.share(own, threads, workspace);
        }
    }

    /// Grants every thread of a pool this part of what it wants.
    #[inline]
    pub(super) fn grant_part(&self, pool: usize, part: f64, workspace: &mut Workspace) {
        for f in self.pools[pool].flows.clone() {
            self.grant(f, self.flows[f].wants * part, workspace);
        }
    }

    /// Grants one thread of a flow so much; step 5: each group keeps its scarcest memory.
    #[inline]
    pub(super) fn grant(&self, flow: usize, granted: f64, workspace: &mut Workspace) {
        let flows = &self.flows[flow];
        workspace.granted[flow] = granted;
        if granted < flows.wants {
            let bandwidth = &mut workspace.bandwidth[flows.group as usize];
            *bandwidth = bandwidth.min(granted * flows.inverse_fraction);
        }
    }
}
