//! Implausible values of a machine. They can be computed with, but no real machine has them: slips of a unit,
//! a decimal point or a row.

use super::{Machine, SharedDirection};
use crate::app::Access;
use crate::ids::NodeId;
use crate::units::{GigabytesPerSecond, Megabytes};

/// Upper bound for the memory of one NUMA node: eight stacks of the fastest memory on one package (HBM3E)
/// reach 8 TB/s.
const MOST_OF_A_CONTROLLER: f64 = 10_000.0;
/// Upper bound for one core: two 512-bit FMA units at 5 GHz are 160 GFLOPS in double and 320 in single
/// precision.
const MOST_OF_A_CORE: f64 = 1_000.0;
/// Lower bound for a memory's bandwidth under a write kernel relative to its bandwidth for reads: measured
/// values are between two thirds and 1.05.
const LEAST_OF_A_KERNEL: f64 = 0.3;
const MOST_OF_A_KERNEL: f64 = 1.2;
/// Largest ratio between the traffic of triad and copy with write-allocate, triad x 4/3 and copy x 3/2. On
/// seven measured machines the first is 0.92 to 1.14 times the second; with non-temporal stores, 0.89.
const MOST_APART: f64 = 1.25;
/// Upper bound for the last-level cache of one NUMA node, in MB: all stacked caches of one package (EPYC
/// 9684X) total 1.2 GB.
const MOST_OF_A_CACHE: f64 = 4_000.0;
/// The firmware's distance of a node to itself (ACPI SLIT); no distance is smaller.
const OWN_DISTANCE: f64 = 10.0;
/// Values are rounded and measured separately.
const TOLERANCE: f64 = 1.05;

/// Every value of `machine` that is probably a mistake, each in a sentence without a full stop; nodes and
/// links with the same warning share one.
pub fn doubts(machine: &Machine) -> Vec<String> {
    let mut doubts = Vec::new();
    let nodes =
        |wrong: &dyn Fn(NodeId) -> bool| first(machine.node_ids().filter(|&node| wrong(node)), "node");
    if let Some((node, more)) = nodes(&|node| machine.node(node).bandwidth.value() > MOST_OF_A_CONTROLLER) {
        doubts.push(format!(
            "the memory of {node} has {}{more}: no memory of one node delivers more than {MOST_OF_A_CONTROLLER} GB/s today",
            machine.node(node).bandwidth
        ));
    }
    if let Some((node, more)) = nodes(&|node| machine.node(node).gflops_per_core.value() > MOST_OF_A_CORE) {
        doubts.push(format!(
            "a core of {node} computes {}{more}: no core of a processor has more than {MOST_OF_A_CORE} GFLOPS today; is it the peak of the node?",
            machine.node(node).gflops_per_core
        ));
    }
    cores(machine, &mut doubts);
    links(machine, &mut doubts);
    reads(machine, &mut doubts);
    kernels(machine, &mut doubts);
    let size = |node: NodeId| machine.cache(node).map_or(0.0, |cache| cache.size.value());
    if let Some((node, more)) = nodes(&|node| size(node) > MOST_OF_A_CACHE) {
        doubts.push(format!(
            "the last-level cache of {node} holds {}{more}: none holds more than {MOST_OF_A_CACHE} MB today; is it in MB (10^6 bytes)?",
            Megabytes::new(size(node))
        ));
    }
    distances(machine, &mut doubts);
    for link in machine.shared_links() {
        let (name, bandwidth) = (&link.name, link.bandwidth);
        // In each direction: the link never limits any thread.
        if link.directions().all(|direction| is_above(bandwidth, joined(machine, direction))) {
            let most = link.directions().map(|direction| joined(machine, direction));
            let joined = most.fold(GigabytesPerSecond::new(0.0), |a, b| if b > a { b } else { a });
            doubts.push(format!(
                "the shared link '{name}' has {bandwidth}, more than all that it joins ({joined}): it limits nothing"
            ));
        }
        let widest = link
            .directions()
            .flat_map(|direction| pairs(machine, direction))
            .max_by(|a, b| a.1.value().total_cmp(&b.1.value()));
        // That link never reaches its own bandwidth.
        if let Some(((from, to), single)) = widest
            && is_above(single, bandwidth)
        {
            doubts.push(format!(
                "the shared link '{name}' has {bandwidth}, less than the link on which {from} reads {to} alone ({single})"
            ));
        }
    }
    doubts
}

fn is_above(a: GigabytesPerSecond, b: GigabytesPerSecond) -> bool {
    a.value() > TOLERANCE * b.value()
}

/// The first, and " (and 2 more nodes)".
fn first<T>(mut all: impl Iterator<Item = T>, noun: &str) -> Option<(T, String)> {
    let first = all.next()?;
    let more = match all.count() {
        0 => String::new(),
        1 => format!(" (and 1 more {noun})"),
        others => format!(" (and {others} more {noun}s)"),
    };
    Some((first, more))
}

fn cores(machine: &Machine, doubts: &mut Vec<String>) {
    let figures = machine.compute_nodes().filter_map(|node| Some((node, machine.node(node).core_bandwidth?)));
    // A memory of 0 GB/s is not a memory: its cores read other nodes.
    let wide = figures.filter(|&(node, core)| {
        let controller = machine.node(node).bandwidth;
        controller.value() > 0.0 && is_above(core, controller)
    });
    if let Some(((node, core), more)) = first(wide, "node") {
        let controller = machine.node(node).bandwidth;
        doubts
            .push(format!("one core of {node} draws {core}{more}, more than its memory has ({controller})"));
    }
}

fn links(machine: &Machine, doubts: &mut Vec<String>) {
    let wider = |from: NodeId, to: NodeId| {
        let (a, b) = (machine.node(from).bandwidth, machine.node(to).bandwidth);
        if a > b { a } else { b }
    };
    let pairs = machine.compute_nodes().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let wrong = pairs.filter_map(|(from, to)| {
        let link = machine.link(from, to)?;
        is_above(link, wider(from, to)).then_some((from, to, link))
    });
    if let Some(((from, to, link), more)) = first(wrong, "link") {
        let controllers = wider(from, to);
        doubts.push(format!(
            "the link on which {from} reads {to} has {link}{more}, more than the memory at either end ({controllers})"
        ));
    }
}

fn reads(machine: &Machine, doubts: &mut Vec<String>) {
    let limits = || {
        let limit = |node| Some((node, machine.node(node).read_bandwidth?));
        machine.compute_nodes().filter_map(limit)
    };
    let reachable = |node: NodeId| {
        let links = machine.node_ids().filter_map(|to| machine.link(node, to));
        links.sum::<GigabytesPerSecond>() + machine.node(node).bandwidth
    };
    let wide = limits().filter(|&(node, read)| is_above(read, reachable(node)));
    if let Some(((node, read), more)) = first(wide, "node") {
        let reachable = reachable(node);
        doubts.push(format!(
            "{node} can read {read}{more}, more than its memory and its links deliver together ({reachable}): this limits nothing"
        ));
    }
    let narrow = limits().filter(|&(node, read)| is_above(machine.node(node).bandwidth, read));
    if let Some(((node, read), more)) = first(narrow, "node") {
        let own = machine.node(node).bandwidth;
        doubts.push(format!("{node} can read {read}{more}, less than its own memory delivers ({own})"));
    }
}

fn kernels(machine: &Machine, doubts: &mut Vec<String>) {
    for kernel in Access::WRITING {
        let reads = |node: NodeId| machine.node(node).bandwidth;
        let figures =
            || machine.node_ids().filter_map(|node| Some((node, machine.node(node).kernels.get(kernel)?)));
        let part = |&(node, measured): &(NodeId, GigabytesPerSecond)| measured.value() / reads(node).value();
        let start = |node, measured, more| {
            format!("the memory of {node} has {measured} under the kernel {}{more}", kernel.as_str())
        };
        let fast = figures().filter(|figure| part(figure) > MOST_OF_A_KERNEL);
        if let Some((figure @ (node, measured), more)) = first(fast, "node") {
            doubts.push(format!(
                "{}, {:.1} times the {} of reads: writing rarely makes a memory faster",
                start(node, measured, more),
                part(&figure),
                reads(node)
            ));
        }
        let slow = figures().filter(|figure| part(figure) < LEAST_OF_A_KERNEL);
        if let Some((figure @ (node, measured), more)) = first(slow, "node") {
            doubts.push(format!(
                "{}, {:.0} % of the {} of reads: was it measured with all cores?",
                start(node, measured, more),
                100.0 * part(&figure),
                reads(node)
            ));
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
    if let Some(((node, triad, copy), more)) = first(apart, "node") {
        doubts.push(format!(
            "with the lines that are read before they are written, triad moves {:.1} GB/s on the memory of {node} (triad_gbs x 4/3) and copy \
             {:.1} (copy_gbs x 3/2){more}: both are what it moves in all, so that one of them is wrong",
            triad.value(),
            copy.value(),
        ));
    }
}

fn distances(machine: &Machine, doubts: &mut Vec<String>) {
    let pairs = || {
        let all = machine.compute_nodes().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
        all.filter_map(|(from, to)| Some((from, to, machine.distance(from, to)?)))
    };
    let short = pairs().filter(|&(.., distance)| distance < OWN_DISTANCE);
    if let Some(((from, to, distance), more)) = first(short, "pair") {
        doubts.push(format!(
            "the distance from {from} to the memory of {to} is {distance}{more}: firmware says {OWN_DISTANCE} of a node itself, and more of others"
        ));
    }
    let own = |from: NodeId| machine.distance(from, from).unwrap_or(OWN_DISTANCE);
    let near = pairs().filter(|&(from, to, distance)| from != to && distance <= own(from));
    if let Some(((from, to, distance), more)) = first(near, "pair") {
        let own = own(from);
        doubts.push(format!(
            "the distance from {from} to the memory of {to} is {distance}{more}, no more than to its own ({own})"
        ));
    }
}

/// The pairs of nodes that read over a direction of a shared link, with their links.
fn pairs<'a>(
    machine: &'a Machine,
    direction: SharedDirection<'a>,
) -> impl Iterator<Item = ((NodeId, NodeId), GigabytesPerSecond)> + 'a {
    let pairs = direction.from.iter().flat_map(move |&from| direction.to.iter().map(move |&to| (from, to)));
    pairs.filter_map(|(from, to)| Some(((from, to), machine.link(from, to)?)))
}

/// The highest traffic over a direction of a shared link if it had no limit.
fn joined(machine: &Machine, direction: SharedDirection<'_>) -> GigabytesPerSecond {
    let links: GigabytesPerSecond = pairs(machine, direction).map(|(_, link)| link).sum();
    let memories: GigabytesPerSecond = direction.to.iter().map(|&to| machine.node(to).bandwidth).sum();
    links.min(memories)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{KernelBandwidths, LastLevelCache, Node, SharedLink};
    use crate::units::Gflops;

    /// Four nodes with 40 GB/s each, links of 10 GB/s.
    fn machine(change: impl Fn(usize, &mut Node), link: f64) -> Machine {
        let node = |n| {
            let mut node = Node {
                cores: 4,
                gflops_per_core: Gflops::new(20.0),
                bandwidth: GigabytesPerSecond::new(40.0),
                ..Node::default()
            };
            change(n, &mut node);
            node
        };
        let links = vec![GigabytesPerSecond::new(link); 16];
        Machine::new("m", (0..4).map(node).collect(), links).expect("a machine")
    }

    fn shared(gbs: f64) -> Vec<String> {
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
    fn plausible_values_give_no_warning() {
        assert_eq!(doubts(&machine(|_, _| {}, 40.0)), [""; 0]);
        assert_eq!(
            doubts(&machine(|_, node| node.read_bandwidth = Some(GigabytesPerSecond::new(50.0)), 10.0)),
            [""; 0]
        );
        assert_eq!([shared(10.0), shared(40.0)], [[""; 0]; 2]);
    }

    #[test]
    fn slips_of_a_unit_give_one_warning_for_all_nodes() {
        let words = doubts(&machine(
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
        assert_eq!(words.len(), 2, "{words:?}");
        assert!(words[0].starts_with("the memory of node 1 has 40000 GB/s (and 2 more nodes)"), "{words:?}");
        assert!(words[1].starts_with("a core of node 2 computes 2000 GFLOPS:"), "{words:?}");
    }

    #[test]
    fn a_link_faster_than_both_memories_gives_a_warning() {
        let wide =
            doubts(&machine(|n, node| node.bandwidth = GigabytesPerSecond::new(40.0 + n as f64), 50.0));
        // All twelve links; the memories at either end of the first have 40 and 41 GB/s.
        assert_eq!(
            wide,
            [
                "the link on which node 0 reads node 1 has 50 GB/s (and 11 more links), more than the memory at either end \
                 (41 GB/s)"
            ]
        );
    }

    #[test]
    fn shared_links_faster_than_everything_they_join_give_a_warning() {
        // Four pairs of 10 GB/s in each direction, two memories of 40 GB/s.
        assert_eq!(
            shared(60.0),
            ["the shared link 'xGMI' has 60 GB/s, more than all that it joins (40 GB/s): it limits nothing"]
        );
        let narrow = shared(8.0);
        assert_eq!(narrow.len(), 1, "{narrow:?}");
        assert!(
            narrow[0].starts_with("the shared link 'xGMI' has 8 GB/s, less than the link on which"),
            "{narrow:?}"
        );
    }

    #[test]
    fn kernel_bandwidths_far_from_reads_give_a_warning() {
        // Memories of 40 GB/s: values from 12 to 48 give no warning.
        let with = |gbs: f64| {
            let kernels =
                KernelBandwidths { triad: Some(GigabytesPerSecond::new(gbs)), ..KernelBandwidths::NONE };
            doubts(&machine(|n, node| node.kernels = if n > 0 { kernels } else { node.kernels }, 10.0))
        };
        assert_eq!([with(12.0), with(48.0)], [[""; 0]; 2]);
        assert_eq!(
            with(60.0),
            [
                "the memory of node 1 has 60 GB/s under the kernel triad (and 2 more nodes), 1.5 times the 40 GB/s of reads: \
              writing rarely makes a memory faster"
            ]
        );
        assert_eq!(
            with(4.0),
            [
                "the memory of node 1 has 4 GB/s under the kernel triad (and 2 more nodes), 10 % of the 40 GB/s of reads: \
              was it measured with all cores?"
            ]
        );
    }

    #[test]
    fn caches_larger_than_any_package_give_a_warning() {
        let with = |mb: f64| {
            let cache = LastLevelCache { size: Megabytes::new(mb), core_bandwidth: None };
            let caches = vec![None, Some(cache), Some(cache), None];
            doubts(&machine(|_, _| {}, 10.0).with_caches(caches).expect("caches"))
        };
        assert_eq!(with(1152.0), [""; 0]);
        // 100 GB, or bytes instead of MB.
        assert_eq!(
            with(100_000.0),
            [
                "the last-level cache of node 1 holds 100000 MB (and 1 more node): none holds more than 4000 MB today; \
                 is it in MB (10^6 bytes)?"
            ]
        );
    }

    #[test]
    fn values_that_contradict_each_other_give_a_warning() {
        let words = |change: &dyn Fn(usize, &mut Node)| doubts(&machine(change, 10.0));
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
        // 30 x 4/3 = 40. 26 x 3/2 = 39 is close to it; 20 x 3/2 = 30 is more than a factor of 1.25 below it.
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
    fn distances_below_ten_or_below_the_local_distance_give_a_warning() {
        let with = |own: f64, other: f64| {
            let distances = (0..16).map(|pair| if pair % 5 == 0 { own } else { other }).collect();
            let machine = machine(|_, _| {}, 10.0).with_distances(distances).expect("distances");
            doubts(&machine)
        };
        assert_eq!(with(10.0, 20.0), [""; 0]);
        assert_eq!(
            with(1.0, 2.0),
            [
                "the distance from node 0 to the memory of node 0 is 1 (and 15 more pairs): firmware says 10 of a node \
                 itself, and more of others"
            ]
        );
        // Equal distances also give no order.
        assert_eq!(
            with(20.0, 20.0),
            [
                "the distance from node 0 to the memory of node 1 is 20 (and 11 more pairs), no more than to its own (20)"
            ]
        );
    }

    #[test]
    fn read_limits_below_the_memory_or_above_all_incoming_bandwidth_give_a_warning() {
        let with = |gbs: f64| {
            doubts(&machine(|_, node| node.read_bandwidth = Some(GigabytesPerSecond::new(gbs)), 10.0))
        };
        // 40 GB/s of local memory and three links of 10 GB/s.
        assert_eq!(
            with(80.0),
            [
                "node 0 can read 80 GB/s (and 3 more nodes), more than its memory and its links deliver together (70 GB/s): this \
                 limits nothing"
            ]
        );
        assert_eq!(
            with(30.0),
            ["node 0 can read 30 GB/s (and 3 more nodes), less than its own memory delivers (40 GB/s)"]
        );
        assert_eq!([with(40.0), with(70.0)], [[""; 0]; 2]);
    }
}
