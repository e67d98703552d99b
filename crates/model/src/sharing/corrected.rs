//! The way to every model but the plain default: offers, what each controller has, then the rules of the model.

use super::baseline;
use super::compiled::Compiled;
use super::ecm;
use super::fair_port;
use super::max_min;
use super::proportional;
use super::remote::Remote;
use super::request_fraction;
use super::shares::Shares;
use crate::machine::{Machine, Node};
use crate::sharing_model::{ModelKind, Parameters};

/// What such a model needs besides the compiled flows.
#[derive(Clone, Debug)]
pub(super) struct Corrected {
    kind: ModelKind,
    parameters: Parameters,
    remote: Remote,
    /// For max-min: which resources each group uses.
    paths: max_min::Paths,
    /// For ECM: what each controller does to a waiting line.
    queues: Vec<ecm::Queue>,
}

/// Working memory of one evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// For max-min.
    filling: max_min::Filling,
    /// For ECM: nanoseconds per byte of one thread of each flow.
    times: Vec<f64>,
    /// For request fraction, per pool: the part of its requests that a link lets through.
    parts: Vec<f64>,
}

impl Corrected {
    /// Compiles what the model of `compiled` needs.
    pub(super) fn new(compiled: &Compiled, machine: &Machine) -> Self {
        let (kind, parameters) = (compiled.model.kind, compiled.model.parameters);
        let remote = Remote::new(&parameters);
        let mut paths = max_min::Paths::default();
        let mut queues = Vec::new();
        match kind {
            ModelKind::MaxMin => paths = max_min::Paths::new(remote, compiled),
            ModelKind::Ecm => {
                let queue = |node: &Node| ecm::Queue::new(node, parameters.ecm_penalty);
                queues = machine.nodes().iter().map(queue).collect();
            }
            _ => {}
        }
        Self { kind, parameters, remote, paths, queues }
    }

    /// Room for the notes.
    pub(super) fn notes(&self, compiled: &Compiled) -> Notes {
        let of = |kind: ModelKind, count: usize| vec![0.0; if self.kind == kind { count } else { 0 }];
        Notes {
            filling: self.paths.filling(),
            times: of(ModelKind::Ecm, compiled.flows.len()),
            parts: of(ModelKind::RequestFraction, compiled.pools.len()),
        }
    }

    /// Shares by the rules of the model; `shares.bandwidth` has what every thread wants, and then what it gets.
    pub(super) fn share(&self, compiled: &Compiled, threads: &[u32], shares: &mut Shares, notes: &mut Notes) {
        let remote = self.remote;
        for m in 0..compiled.memories.len() {
            let controller = self.offer(compiled, m, threads, shares);
            shares.controllers[m] = controller;
            match self.kind {
                ModelKind::BaselineProportional => {
                    baseline::remote_first_corrected(compiled, remote, m, controller, threads, shares);
                }
                ModelKind::FairPort => fair_port::share(compiled, remote, m, controller, threads, shares),
                ModelKind::Proportional => proportional::share(compiled, remote, m, controller, shares),
                ModelKind::RequestFraction => {
                    let parts = &mut notes.parts;
                    request_fraction::share(compiled, remote, m, controller, threads, shares, parts);
                }
                ModelKind::Ecm => {
                    ecm::share(compiled, remote, &self.queues[m], m, threads, shares, &mut notes.times);
                }
                ModelKind::MaxMin => {} // needs all controllers first
            }
        }
        if self.kind == ModelKind::MaxMin {
            max_min::share(compiled, &self.paths, threads, shares, &mut notes.filling);
        }
    }

    /// Notes what each pool of memory `m` wants, and what of it reaches the controller; returns what the controller has for
    /// all of that.
    fn offer(&self, compiled: &Compiled, m: usize, threads: &[u32], shares: &mut Shares) -> f64 {
        let memory = &compiled.memories[m];
        let mut asked = 0.0;
        for p in memory.links.clone() {
            let wanted = compiled.wanted(p, threads);
            let offered = wanted.min(compiled.pools[p].capacity);
            shares.wanted[p] = wanted;
            shares.offered[p] = offered;
            asked += self.remote.cost * offered;
        }
        if let Some(own) = memory.own {
            let wanted = compiled.wanted(own, threads);
            shares.wanted[own] = wanted;
            shares.offered[own] = wanted;
            asked += wanted;
        }
        self.parameters.controller(memory.bandwidth, asked)
    }
}
