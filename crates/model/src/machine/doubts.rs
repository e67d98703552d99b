//! Figures of a machine that can be computed with, but that no machine has: slips of a unit, a point or a row.

use std::fmt;

use super::{Machine, SharedDirection};
use crate::app::Access;
use crate::ids::NodeId;
use crate::units::{Gflops, GigabytesPerSecond, Megabytes};

/// More than the memory of one NUMA node delivers: eight stacks of the fastest memory on one package (HBM3E) come to 8 TB/s.
const MOST_OF_A_CONTROLLER: f64 = 10_000.0;
/// More than one core computes: two 512-bit FMA units at 5 GHz are 160 GFLOPS in double and 320 in single precision.
const MOST_OF_A_CORE: f64 = 1_000.0;
/// A memory under a kernel that writes, as parts of what it has for reads: measured figures lie between two thirds and 1.05.
const LEAST_OF_A_KERNEL: f64 = 0.3;
const MOST_OF_A_KERNEL: f64 = 1.2;
/// How far what triad and copy move with write-allocate, triad x 4/3 and copy x 3/2, may be apart: on seven measured machines the first is
/// 0.92 to 1.14 times the second, with stores past the caches 0.89.
const MOST_APART: f64 = 1.25;
/// More than the last-level cache of one NUMA node holds, in MB: all stacked caches of one package (EPYC 9684X) come to 1.2 GB.
const MOST_OF_A_CACHE: f64 = 4_000.0;
/// What the firmware (ACPI SLIT) says of a node itself, and less than which nothing is.
const OWN_DISTANCE: f64 = 10.0;
/// Figures are rounded and measured apart from each other.
const TOLERANCE: f64 = 1.05;

/// A figure that is hardly what somebody meant.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// A memory controller of more than 10 TB/s.
    Controller {
        /// The first such node.
        node: NodeId,
        /// Its bandwidth.
        bandwidth: GigabytesPerSecond,
        /// How many more nodes there are.
        others: usize,
    },
    /// A core of more than 1 TFLOPS.
    Core {
        /// The first such node.
        node: NodeId,
        /// The peak of its cores.
        peak: Gflops,
        /// How many more nodes there are.
        others: usize,
    },
    /// A core that draws more than the memory of its node has.
    CoreWide {
        /// The first such node.
        node: NodeId,
        /// What one of its cores draws.
        core: GigabytesPerSecond,
        /// What its memory has.
        controller: GigabytesPerSecond,
        /// How many more nodes there are.
        others: usize,
    },
    /// A memory whose figures of triad and copy say very different things of the bytes that it moves.
    KernelsApart {
        /// The first such node.
        node: NodeId,
        /// What triad moves with the lines that are read before they are written.
        triad: GigabytesPerSecond,
        /// The same of copy.
        copy: GigabytesPerSecond,
        /// How many more nodes there are.
        others: usize,
    },
    /// A link that is wider than the memory at either end.
    Link {
        /// Where the cores are.
        from: NodeId,
        /// Where the memory is.
        to: NodeId,
        /// The link.
        bandwidth: GigabytesPerSecond,
        /// The wider of both controllers.
        controllers: GigabytesPerSecond,
        /// How many more links there are.
        others: usize,
    },
    /// A shared link that is wider than all that it joins, in each of its directions: it never limits anybody.
    SharedLinkWide {
        /// Its name.
        name: String,
        /// What it carries.
        bandwidth: GigabytesPerSecond,
        /// The links of its pairs together, or the controllers that are read.
        joined: GigabytesPerSecond,
    },
    /// A shared link that is narrower than a link of a single pair, which then never has its own figure.
    SharedLinkNarrow {
        /// Its name.
        name: String,
        /// What it carries.
        bandwidth: GigabytesPerSecond,
        /// The pair: node of the cores, node of the memory.
        pair: (NodeId, NodeId),
        /// The link of the pair.
        link: GigabytesPerSecond,
    },
    /// A node that may read more than its memory and its links deliver: the limit never holds.
    ReadWide {
        /// The first such node.
        node: NodeId,
        /// What it may read.
        read: GigabytesPerSecond,
        /// What reaches it.
        reachable: GigabytesPerSecond,
        /// How many more nodes there are.
        others: usize,
    },
    /// A node whose threads cannot read all of its own memory's bandwidth.
    ReadNarrow {
        /// The first such node.
        node: NodeId,
        /// What it may read.
        read: GigabytesPerSecond,
        /// Its own controller.
        controller: GigabytesPerSecond,
        /// How many more nodes there are.
        others: usize,
    },
    /// A memory that is much faster or much slower under a kernel that writes than under reads.
    Kernel {
        /// The first such node.
        node: NodeId,
        /// The kernel.
        kernel: Access,
        /// What the memory delivers to it.
        measured: GigabytesPerSecond,
        /// What it delivers to reads.
        reads: GigabytesPerSecond,
        /// How many more nodes there are.
        others: usize,
    },
    /// A last-level cache of more than 4 GB.
    Cache {
        /// The first such node.
        node: NodeId,
        /// What it holds.
        size: Megabytes,
        /// How many more nodes there are.
        others: usize,
    },
    /// A distance below 10, which is that of a node to itself.
    Distance {
        /// Where the cores are.
        from: NodeId,
        /// Where the memory is.
        to: NodeId,
        /// The distance.
        distance: f64,
        /// How many more pairs there are.
        others: usize,
    },
    /// Another node that is not farther away than the own one.
    Nearer {
        /// Where the cores are.
        from: NodeId,
        /// Where the memory is.
        to: NodeId,
        /// The distance.
        distance: f64,
        /// That of the own memory.
        own: f64,
        /// How many more pairs there are.
        others: usize,
    },
}

/// Every doubt about the figures of `machine`; nodes and links with the same doubt are one.
pub fn doubts(machine: &Machine) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let nodes =
        |wrong: &dyn Fn(NodeId) -> bool| first_and_others(machine.node_ids().filter(|&node| wrong(node)));
    if let Some((node, others)) = nodes(&|node| machine.node(node).bandwidth.value() > MOST_OF_A_CONTROLLER) {
        doubts.push(Doubt::Controller { node, bandwidth: machine.node(node).bandwidth, others });
    }
    if let Some((node, others)) = nodes(&|node| machine.node(node).gflops_per_core.value() > MOST_OF_A_CORE) {
        doubts.push(Doubt::Core { node, peak: machine.node(node).gflops_per_core, others });
    }
    cores(machine, &mut doubts);
    links(machine, &mut doubts);
    reads(machine, &mut doubts);
    kernels(machine, &mut doubts);
    let size = |node: NodeId| machine.cache(node).map_or(0.0, |cache| cache.size.value());
    if let Some((node, others)) = nodes(&|node| size(node) > MOST_OF_A_CACHE) {
        doubts.push(Doubt::Cache { node, size: Megabytes::new(size(node)), others });
    }
    distances(machine, &mut doubts);
    for link in machine.shared_links() {
        let wide = link.directions().all(|direction| is_above(link.bandwidth, joined(machine, direction)));
        if wide {
            let most = link.directions().map(|direction| joined(machine, direction));
            let joined = most.fold(GigabytesPerSecond::new(0.0), |a, b| if b > a { b } else { a });
            doubts.push(Doubt::SharedLinkWide { name: link.name.clone(), bandwidth: link.bandwidth, joined });
        }
        let widest = link
            .directions()
            .flat_map(|direction| pairs(machine, direction))
            .max_by(|a, b| a.1.value().total_cmp(&b.1.value()));
        if let Some((pair, single)) = widest
            && is_above(single, link.bandwidth)
        {
            let name = link.name.clone();
            doubts.push(Doubt::SharedLinkNarrow { name, bandwidth: link.bandwidth, pair, link: single });
        }
    }
    doubts
}

fn is_above(a: GigabytesPerSecond, b: GigabytesPerSecond) -> bool {
    a.value() > TOLERANCE * b.value()
}

/// The first, and how many more there are.
fn first_and_others<T>(mut all: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let first = all.next()?;
    Some((first, all.count()))
}

fn cores(machine: &Machine, doubts: &mut Vec<Doubt>) {
    let figures = machine.compute_nodes().filter_map(|node| Some((node, machine.node(node).core_bandwidth?)));
    // A memory of 0 GB/s is none: its cores read others.
    let wide = figures.filter(|&(node, core)| {
        let controller = machine.node(node).bandwidth;
        controller.value() > 0.0 && is_above(core, controller)
    });
    if let Some(((node, core), others)) = first_and_others(wide) {
        doubts.push(Doubt::CoreWide { node, core, controller: machine.node(node).bandwidth, others });
    }
}

fn links(machine: &Machine, doubts: &mut Vec<Doubt>) {
    let wider = |from: NodeId, to: NodeId| {
        let (a, b) = (machine.node(from).bandwidth, machine.node(to).bandwidth);
        if a > b { a } else { b }
    };
    let pairs = machine.compute_nodes().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let wrong = pairs.filter_map(|(from, to)| {
        let link = machine.link(from, to)?;
        is_above(link, wider(from, to)).then_some((from, to, link))
    });
    if let Some(((from, to, bandwidth), others)) = first_and_others(wrong) {
        doubts.push(Doubt::Link { from, to, bandwidth, controllers: wider(from, to), others });
    }
}

fn reads(machine: &Machine, doubts: &mut Vec<Doubt>) {
    let limits = || {
        let limit = |node| Some((node, machine.node(node).read_bandwidth?));
        machine.compute_nodes().filter_map(limit)
    };
    let reachable = |node: NodeId| {
        let links = machine.node_ids().filter_map(|to| machine.link(node, to));
        links.sum::<GigabytesPerSecond>() + machine.node(node).bandwidth
    };
    let wide = limits().filter(|&(node, read)| is_above(read, reachable(node)));
    if let Some(((node, read), others)) = first_and_others(wide) {
        doubts.push(Doubt::ReadWide { node, read, reachable: reachable(node), others });
    }
    let narrow = limits().filter(|&(node, read)| is_above(machine.node(node).bandwidth, read));
    if let Some(((node, read), others)) = first_and_others(narrow) {
        doubts.push(Doubt::ReadNarrow { node, read, controller: machine.node(node).bandwidth, others });
    }
}

fn kernels(machine: &Machine, doubts: &mut Vec<Doubt>) {
    for kernel in Access::WRITING {
        let reads = |node: NodeId| machine.node(node).bandwidth;
        let figures =
            || machine.node_ids().filter_map(|node| Some((node, machine.node(node).kernels.get(kernel)?)));
        let part = |&(node, measured): &(NodeId, GigabytesPerSecond)| measured.value() / reads(node).value();
        let fast = first_and_others(figures().filter(|figure| part(figure) > MOST_OF_A_KERNEL));
        let slow = first_and_others(figures().filter(|figure| part(figure) < LEAST_OF_A_KERNEL));
        for ((node, measured), others) in fast.into_iter().chain(slow) {
            doubts.push(Doubt::Kernel { node, kernel, measured, reads: reads(node), others });
        }
    }
    let moved = |node: NodeId| {
        let kernels = &machine.node(node).kernels;
        let [triad, copy] = [(Access::Triad, 4.0 / 3.0), (Access::Copy, 1.5)]
            .map(|(kernel, all)| Some(GigabytesPerSecond::new(all * kernels.get(kernel)?.value())));
        Some((node, triad?, copy?))
    };
    let apart = machine.node_ids().filter_map(moved).filter(|(_, triad, copy)| {
        let times = triad.value() / copy.value();
        times.max(1.0 / times) > MOST_APART
    });
    if let Some(((node, triad, copy), others)) = first_and_others(apart) {
        doubts.push(Doubt::KernelsApart { node, triad, copy, others });
    }
}

fn distances(machine: &Machine, doubts: &mut Vec<Doubt>) {
    let pairs = || {
        let all = machine.compute_nodes().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
        all.filter_map(|(from, to)| Some((from, to, machine.distance(from, to)?)))
    };
    let short = pairs().filter(|&(.., distance)| distance < OWN_DISTANCE);
    if let Some(((from, to, distance), others)) = first_and_others(short) {
        doubts.push(Doubt::Distance { from, to, distance, others });
    }
    let own = |from: NodeId| machine.distance(from, from).unwrap_or(OWN_DISTANCE);
    let near = pairs().filter(|&(from, to, distance)| from != to && distance <= own(from));
    if let Some(((from, to, distance), others)) = first_and_others(near) {
        doubts.push(Doubt::Nearer { from, to, distance, own: own(from), others });
    }
}

/// The links of the pairs that read over a direction of a shared link.
fn pairs<'a>(
    machine: &'a Machine,
    direction: SharedDirection<'a>,
) -> impl Iterator<Item = ((NodeId, NodeId), GigabytesPerSecond)> + 'a {
    let pairs = direction.from.iter().flat_map(move |&from| direction.to.iter().map(move |&to| (from, to)));
    pairs.filter_map(|(from, to)| Some(((from, to), machine.link(from, to)?)))
}

/// The most that can be read over a direction of a shared link if it had no limit of its own.
fn joined(machine: &Machine, direction: SharedDirection<'_>) -> GigabytesPerSecond {
    let links: GigabytesPerSecond = pairs(machine, direction).map(|(_, link)| link).sum();
    let memories: GigabytesPerSecond = direction.to.iter().map(|&to| machine.node(to).bandwidth).sum();
    links.min(memories)
}

/// In a sentence without a full stop.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = |others: &usize, noun: &str| match others {
            0 => String::new(),
            1 => format!(" (and 1 more {noun})"),
            others => format!(" (and {others} more {noun}s)"),
        };
        match self {
            Self::Controller { node, bandwidth, others } => write!(
                f,
                "the memory of {node} has {bandwidth}{}: no memory of one node delivers more than {MOST_OF_A_CONTROLLER} GB/s today",
                more(others, "node")
            ),
            Self::Core { node, peak, others } => write!(
                f,
                "a core of {node} computes {peak}{}: no core of a processor has more than {MOST_OF_A_CORE} GFLOPS today; is it the peak of the node?",
                more(others, "node")
            ),
            Self::CoreWide { node, core, controller, others } => write!(
                f,
                "one core of {node} draws {core}{}, more than its memory has ({controller})",
                more(others, "node")
            ),
            Self::KernelsApart { node, triad, copy, others } => write!(
                f,
                "with the lines that are read before they are written, triad moves {:.1} GB/s on the memory of {node} (triad_gbs x 4/3) and copy \
                 {:.1} (copy_gbs x 3/2){}: both are what it moves in all, so that one of them is wrong",
                triad.value(),
                copy.value(),
                more(others, "node")
            ),
            Self::Link { from, to, bandwidth, controllers, others } => write!(
                f,
                "the link on which {from} reads {to} has {bandwidth}{}, more than the memory at either end ({controllers})",
                more(others, "link")
            ),
            Self::SharedLinkWide { name, bandwidth, joined } => write!(
                f,
                "the shared link '{name}' has {bandwidth}, more than all that it joins ({joined}): it limits nothing"
            ),
            Self::SharedLinkNarrow { name, bandwidth, pair: (from, to), link } => write!(
                f,
                "the shared link '{name}' has {bandwidth}, less than the link on which {from} reads {to} alone ({link})"
            ),
            Self::ReadWide { node, read, reachable, others } => write!(
                f,
                "{node} can read {read}{}, more than its memory and its links deliver together ({reachable}): this limits nothing",
                more(others, "node")
            ),
            Self::ReadNarrow { node, read, controller, others } => write!(
                f,
                "{node} can read {read}{}, less than its own memory delivers ({controller})",
                more(others, "node")
            ),
            Self::Cache { node, size, others } => write!(
                f,
                "the last-level cache of {node} holds {size}{}: none holds more than {MOST_OF_A_CACHE} MB today; is it in MB (10^6 bytes)?",
                more(others, "node")
            ),
            Self::Distance { from, to, distance, others } => write!(
                f,
                "the distance from {from} to the memory of {to} is {distance}{}: firmware says {OWN_DISTANCE} of a node itself, and more of others",
                more(others, "pair")
            ),
            Self::Nearer { from, to, distance, own, others } => write!(
                f,
                "the distance from {from} to the memory of {to} is {distance}{}, no more than to its own ({own})",
                more(others, "pair")
            ),
            Self::Kernel { node, kernel, measured, reads, others } => {
                let (kernel, more) = (kernel.as_str(), more(others, "node"));
                let times = measured.value() / reads.value();
                let start = format!("the memory of {node} has {measured} under the kernel {kernel}{more}");
                if times > 1.0 {
                    write!(
                        f,
                        "{start}, {times:.1} times the {reads} of reads: writing rarely makes a memory faster"
                    )
                } else {
                    write!(
                        f,
                        "{start}, {:.0} % of the {reads} of reads: was it measured with all cores?",
                        100.0 * times
                    )
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{KernelBandwidths, LastLevelCache, Node, SharedLink};

    /// Four nodes with 40 GB/s each, links of 10 GB/s.
    fn machine(change: impl Fn(usize, &mut Node), link: f64) -> Machine {
        let node = |n| {
            let mut node = Node {
                cores: 4,
                gflops_per_core: Gflops::new(20.0),
                bandwidth: GigabytesPerSecond::new(40.0),
                core_bandwidth: None,
                read_bandwidth: None,
                memory: None,
                kernels: KernelBandwidths::NONE,
            };
            change(n, &mut node);
            node
        };
        let links = vec![GigabytesPerSecond::new(link); 16];
        Machine::new("m", (0..4).map(node).collect(), links).expect("a machine")
    }

    fn shared(gbs: f64) -> Vec<Doubt> {
        let link = SharedLink {
            name: "xGMI".to_owned(),
            bandwidth: GigabytesPerSecond::new(gbs),
            from: vec![NodeId(0), NodeId(1)],
            to: vec![NodeId(2), NodeId(3)],
            both_ways: true,
        };
        doubts(&machine(|_, _| {}, 10.0).with_shared_links(vec![link]).expect("a link"))
    }

    #[test]
    fn what_machines_have_is_not_doubted() {
        assert_eq!(doubts(&machine(|_, _| {}, 40.0)), []);
        assert_eq!(
            doubts(&machine(|_, node| node.read_bandwidth = Some(GigabytesPerSecond::new(50.0)), 10.0)),
            []
        );
        assert_eq!([shared(10.0), shared(40.0)], [[], []]);
    }

    #[test]
    fn slips_of_a_unit_are_found_once_for_all_nodes() {
        let found = doubts(&machine(
            |n, node| {
                if n > 0 {
                    node.bandwidth = GigabytesPerSecond::new(40_000.0);
                }
                if n == 2 {
                    node.gflops_per_core = Gflops::new(2_000.0);
                }
            },
            10.0,
        ));
        let words: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(words.len(), 2, "{words:?}");
        assert!(words[0].starts_with("the memory of node 1 has 40000 GB/s (and 2 more nodes)"), "{words:?}");
        assert!(words[1].starts_with("a core of node 2 computes 2000 GFLOPS:"), "{words:?}");
    }

    #[test]
    fn a_link_wider_than_both_memories_is_doubted() {
        let wide =
            doubts(&machine(|n, node| node.bandwidth = GigabytesPerSecond::new(40.0 + n as f64), 50.0));
        // All twelve links; the memories at either end of the first have 40 and 41 GB/s.
        let controllers = GigabytesPerSecond::new(41.0);
        let bandwidth = GigabytesPerSecond::new(50.0);
        assert_eq!(
            wide,
            [Doubt::Link { from: NodeId(0), to: NodeId(1), bandwidth, controllers, others: 11 }]
        );
    }

    #[test]
    fn shared_links_beyond_what_they_join_are_doubted() {
        // Four pairs of 10 GB/s in each direction, two memories of 40 GB/s.
        let bandwidth = GigabytesPerSecond::new(60.0);
        let joined = GigabytesPerSecond::new(40.0);
        assert_eq!(shared(60.0), [Doubt::SharedLinkWide { name: "xGMI".to_owned(), bandwidth, joined }]);
        assert!(matches!(shared(8.0)[..], [Doubt::SharedLinkNarrow { .. }]));
    }

    #[test]
    fn kernels_far_from_reads_are_doubted() {
        // Memories of 40 GB/s: from 12 to 48 nobody asks.
        let with = |gbs: f64| {
            let kernels =
                KernelBandwidths { triad: Some(GigabytesPerSecond::new(gbs)), ..KernelBandwidths::NONE };
            doubts(&machine(|n, node| node.kernels = if n > 0 { kernels } else { node.kernels }, 10.0))
        };
        assert_eq!([with(12.0), with(48.0)], [[], []]);
        let words = |gbs: f64| with(gbs).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            words(60.0),
            [
                "the memory of node 1 has 60 GB/s under the kernel triad (and 2 more nodes), 1.5 times the 40 GB/s of reads: \
              writing rarely makes a memory faster"
            ]
        );
        assert_eq!(
            words(4.0),
            [
                "the memory of node 1 has 4 GB/s under the kernel triad (and 2 more nodes), 10 % of the 40 GB/s of reads: \
              was it measured with all cores?"
            ]
        );
    }

    #[test]
    fn caches_beyond_all_packages_are_doubted() {
        let with = |mb: f64| {
            let cache = LastLevelCache { size: Megabytes::new(mb), core_bandwidth: None };
            let caches = vec![None, Some(cache), Some(cache), None];
            doubts(&machine(|_, _| {}, 10.0).with_caches(caches).expect("caches"))
        };
        assert_eq!(with(1152.0), []);
        // 100 GB, or bytes in place of MB.
        let words = with(100_000.0).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            words,
            [
                "the last-level cache of node 1 holds 100000 MB (and 1 more node): none holds more than 4000 MB today; \
                 is it in MB (10^6 bytes)?"
            ]
        );
    }

    #[test]
    fn figures_that_contradict_each_other_are_doubted() {
        let words = |change: &dyn Fn(usize, &mut Node)| {
            doubts(&machine(change, 10.0)).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let core = |gbs: f64| {
            move |n: usize, node: &mut Node| {
                node.core_bandwidth = (n > 1).then_some(GigabytesPerSecond::new(gbs));
            }
        };
        assert_eq!(words(&core(40.0)), [""; 0]);
        assert_eq!(
            words(&core(50.0)),
            ["one core of node 2 draws 50 GB/s (and 1 more node), more than its memory has (40 GB/s)"]
        );
        // 30 x 4/3 = 40; 26 x 3/2 = 39, 20 x 3/2 = 30 is a quarter less and more.
        let copy = |gbs: f64| {
            move |_: usize, node: &mut Node| {
                node.kernels.set(Access::Triad, GigabytesPerSecond::new(30.0));
                node.kernels.set(Access::Copy, GigabytesPerSecond::new(gbs));
            }
        };
        assert_eq!(words(&copy(26.0)), [""; 0]);
        assert_eq!(
            words(&copy(20.0)),
            [
                "with the lines that are read before they are written, triad moves 40.0 GB/s on the memory of node 0 (triad_gbs x \
                 4/3) and copy 30.0 (copy_gbs x 3/2) (and 3 more nodes): both are what it moves in all, so that one of them \
                 is wrong"
            ]
        );
    }

    #[test]
    fn distances_below_ten_or_nearer_than_the_own_memory_are_doubted() {
        let with = |own: f64, other: f64| {
            let distances = (0..16).map(|pair| if pair % 5 == 0 { own } else { other }).collect();
            let machine = machine(|_, _| {}, 10.0).with_distances(distances).expect("distances");
            doubts(&machine).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(with(10.0, 20.0), [""; 0]);
        assert_eq!(
            with(1.0, 2.0),
            [
                "the distance from node 0 to the memory of node 0 is 1 (and 15 more pairs): firmware says 10 of a node \
                 itself, and more of others"
            ]
        );
        // Equal ones are no order either.
        assert_eq!(
            with(20.0, 20.0),
            [
                "the distance from node 0 to the memory of node 1 is 20 (and 11 more pairs), no more than to its own (20)"
            ]
        );
    }

    #[test]
    fn what_a_node_reads_lies_between_its_memory_and_all_that_reaches_it() {
        let with = |gbs: f64| {
            doubts(&machine(|_, node| node.read_bandwidth = Some(GigabytesPerSecond::new(gbs)), 10.0))
        };
        // 40 GB/s of its own and three links of 10 GB/s.
        assert!(matches!(with(80.0)[..], [Doubt::ReadWide { others: 3, .. }]));
        assert!(matches!(with(30.0)[..], [Doubt::ReadNarrow { others: 3, .. }]));
        assert_eq!([with(40.0), with(70.0)], [[], []]);
    }
}
