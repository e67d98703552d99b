//! Shared wires of node pairs, which a matrix cannot express.
//!
//! # Form
//! Two values for the machine:
//! - the traffic that enters a memory from all other nodes together is at most a fraction of its controller ([`Ports::ingress`]);
//! - if both nodes of another socket read it, they share one port, with a fraction of the wider one of their two links
//!   ([`Ports::socket`]). Below 1 they have less together than one of them alone. A `[[machine.shared_link]]` cannot express
//!   that, so runs with other sockets in use are predicted here on machines with other shared links.
//!
//! # Source
//! The form comes from an external recomputation, the two values from the runs of two nodes: those with the smallest mean absolute
//! error on a grid (`results/published-data/CHOICES.md`).

use std::collections::BTreeMap;

use numasim_model::machine::SharedLink;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};

use super::{PublishedError, Run, predict};

/// Nodes of a socket of the Opteron.
const NODES_PER_SOCKET: usize = 2;

/// Two values for a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ports {
    /// The total reads of all other nodes from a memory, as a fraction of its controller.
    pub(super) ingress: f64,
    /// The reads of the nodes of another socket from it, as a fraction of the wider one of their links.
    pub(super) socket: f64,
}

impl Ports {
    /// All tested values: ingress from 0.30 to 0.80, socket from 0.60 to 1.40.
    fn all() -> impl Iterator<Item = Self> {
        let sockets = || (12..=28).map(|step| f64::from(step) * 0.05);
        (15..=40).flat_map(move |step| {
            sockets().map(move |socket| Self { ingress: f64::from(step) * 0.02, socket })
        })
    }

    /// The machine with these ports, and those of some sockets.
    fn on(self, machine: &Machine, sockets: &[usize]) -> Result<Machine, PublishedError> {
        let mut shared = Vec::new();
        for memory in machine.node_ids() {
            let mut port = |name: String, bandwidth: GigabytesPerSecond, from: Vec<NodeId>| {
                shared.push(SharedLink { name, bandwidth, from, to: vec![memory], both_ways: false });
            };
            let others = machine.node_ids().filter(|&node| node != memory).collect();
            port(format!("into {}", memory.0), machine.node(memory).bandwidth * self.ingress, others);
            for &socket in sockets.iter().filter(|&&socket| socket != socket_of(memory.0)) {
                let first = socket * NODES_PER_SOCKET;
                let from: Vec<NodeId> = (first..first + NODES_PER_SOCKET).map(NodeId).collect();
                let links = from.iter().filter_map(|&node| machine.link(node, memory));
                let widest = links.map(GigabytesPerSecond::value).fold(0.0, f64::max);
                let bandwidth = GigabytesPerSecond::new(widest * self.socket);
                port(format!("socket {socket} into {}", memory.0), bandwidth, from);
            }
        }
        machine.clone().with_shared_links(shared).map_err(|error| PublishedError::Model(error.to_string()))
    }

    /// GB/s of each run.
    pub(super) fn predict(self, machine: &Machine, runs: &[Run]) -> Result<Vec<f64>, PublishedError> {
        let mut alike: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (place, run) in runs.iter().enumerate() {
            alike.entry(in_full(run)).or_default().push(place);
        }
        let mut predicted = vec![f64::NAN; runs.len()];
        for (sockets, places) in alike {
            let chosen: Vec<Run> = places.iter().filter_map(|&place| runs.get(place)).cloned().collect();
            let of_these = predict(&self.on(machine, &sockets)?, &chosen);
            for (place, gbs) in places.into_iter().zip(of_these) {
                predicted[place] = gbs;
            }
        }
        Ok(predicted)
    }

    /// The values that fit some runs best: by the mean absolute error, among equal ones the widest port first tried.
    pub(super) fn fitted(machine: &Machine, runs: &[Run]) -> Result<Self, PublishedError> {
        let mut best = (f64::INFINITY, Self { ingress: 1.0, socket: 1.0 });
        for ports in Self::all() {
            let predicted = ports.predict(machine, runs)?;
            let errors =
                runs.iter().zip(predicted).map(|(run, predicted)| ((predicted - run.gbs) / run.gbs).abs());
            let cost: f64 = errors.sum();
            if cost < best.0 {
                best = (cost, ports);
            }
        }
        Ok(best.1)
    }
}

fn socket_of(node: usize) -> usize {
    node / NODES_PER_SOCKET
}

/// The sockets whose nodes all read, in order.
fn in_full(run: &Run) -> Vec<usize> {
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for &source in &run.sources {
        *count.entry(socket_of(source)).or_default() += 1;
    }
    count.into_iter().filter(|&(_, nodes)| nodes == NODES_PER_SOCKET).map(|(socket, _)| socket).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::readers::machine;

    #[test]
    fn a_memory_has_one_port_for_all_and_one_for_each_socket_that_reads_in_full() {
        let machine = machine().expect("in order");
        let run = |sources: &[usize]| Run { sources: sources.to_vec(), target: 2, gbs: 1.0 };
        assert_eq!(in_full(&run(&[0, 1, 3, 6])), [0]);
        assert!(in_full(&run(&[1, 2, 4, 6])).is_empty());
        let ports = Ports { ingress: 0.5, socket: 0.8 };
        let with = ports.on(&machine, &[0, 1]).expect("a machine");
        let into = |memory: usize| {
            let into = with.shared_links().iter().filter(|link| link.to == [NodeId(memory)]);
            into.map(|link| (link.name.as_str(), link.bandwidth.value())).collect::<Vec<_>>()
        };
        // Half of 11.2548; 0.8 of the larger one of 4.5072 and 3.9987. Socket 1 is local.
        let [(all, into_all), (socket, of_socket)] = into(2)[..] else { panic!("{:?}", into(2)) };
        assert_eq!((all, socket), ("into 2", "socket 0 into 2"));
        assert!((into_all - 5.6274).abs() < 1e-9 && (of_socket - 3.60576).abs() < 1e-9, "{:?}", into(2));
        // Both threads of 0 and 1 have half of the port: 3.60576 in all, measured as 4.06.
        let judged = ports.predict(&machine, &[run(&[0, 1])]).expect("predicted");
        assert!((judged[0] - 3.60576).abs() < 1e-9, "{judged:?}");
    }
}
