//! Finds the nodes and application instances that can be exchanged without any effect.

use numasim_model::table::Table;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{App, Machine, ModelKind, Node, NodeId, Placement};

use crate::restrictions::may_hold;

/// Splits `0..count` into classes of mutually exchangeable items; `classes[i]` is the smallest member of i's class.
///
/// Exchangeability by transpositions is an equivalence: (i j)(j k)(i j) = (i k).
fn classes(count: usize, mut exchangeable: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut class: Vec<usize> = (0..count).collect();
    for i in 0..count {
        if let Some(j) = (0..i).find(|&j| class[j] == j && exchangeable(j, i)) {
            class[i] = j;
        }
    }
    class
}

/// For each node, the smallest node it can be exchanged with: same cores, peaks and bandwidths, same links if a thread reads over them,
/// threads of the same applications, and equivalent placements after the exchange.
///
/// `placements` of applications whose data is still open are left out; `data_open` then means that any link may be used.
pub(crate) fn node_classes(
    machine: &Machine,
    apps: &[App],
    placements: &[Placement],
    data_open: bool,
) -> Vec<usize> {
    let nodes = machine.node_count();
    // Over links, a node is read from everywhere or from nowhere; unused links have no effect.
    let copied = |app: &App| app.data.placement().is_some_and(|placement| app.writes_copies(placement));
    let mut read = vec![data_open || apps.iter().any(copied); nodes];
    for to in machine.node_ids() {
        read[to.0] |= placements.iter().any(|placement| placement.is_read_from_outside(machine, to));
    }
    let used = |from: NodeId, to: NodeId| from == to || read[to.0];
    let links: Table<Option<f64>, NodeId> = Table::from_fn(nodes, nodes, |from, to| {
        machine.link(from, to).filter(|_| used(from, to)).map(GigabytesPerSecond::value)
    });
    // Latencies count if they limit a thread.
    let timed = machine.sharing().parameters.outstanding_lines.is_some()
        || machine.sharing().kind == ModelKind::Ecm
        || apps.iter().any(|app| app.outstanding_lines.is_some());
    let latency = |from: usize, to: usize| {
        let (from, to) = (NodeId(from), NodeId(to));
        machine.latency_ns(from, to).filter(|_| timed && (from == to || used(from, to)))
    };
    let link = |from: usize, to: usize| (links[(NodeId(from), NodeId(to))], latency(from, to));
    let sums = LinkSums::new(nodes, link);
    let limited: Vec<&App> = apps.iter().filter(|app| app.nodes.is_some()).collect();
    // The memory of a node matters for data of known size.
    let sized = apps.iter().any(|app| app.memory.is_some());
    let same_node = |i: usize, j: usize| {
        let (a, b) = (machine.nodes()[i], machine.nodes()[j]);
        a == Node { memory: if sized { b.memory } else { a.memory }, ..b }
    };
    classes(nodes, |i, j| {
        same_node(i, j)
            && has_same_memory(machine, NodeId(i), NodeId(j))
            && limited.iter().all(|app| may_hold(app, NodeId(i)) == may_hold(app, NodeId(j)))
            && link(i, i) == link(j, j)
            && machine.shared_directions().all(|direction| {
                let side =
                    |node| (direction.from.contains(&NodeId(node)), direction.to.contains(&NodeId(node)));
                side(i) == side(j)
            })
            && link(i, j) == link(j, i)
            && sums.may_be_equal(i, j)
            && (0..nodes)
                .filter(|&k| k != i && k != j)
                .all(|k| link(i, k) == link(j, k) && link(k, i) == link(k, j))
            && placements.iter().all(|placement| match placement {
                Placement::Local
                | Placement::Interleave
                | Placement::PartInterleave { .. }
                | Placement::Replicated => true,
                Placement::Home(home) | Placement::PartHome { home, .. } => home.0 != i && home.0 != j,
                Placement::Fractions(fractions) => fractions[i] == fractions[j],
            })
    })
}

/// Whether local data of every node has an equivalent place after the exchange of `i` and `j`: both have memory that no other node uses, or
/// both have none and use the same one.
fn has_same_memory(machine: &Machine, i: NodeId, j: NodeId) -> bool {
    if machine.has_memory(i) && machine.has_memory(j) {
        !machine.lends(i) && !machine.lends(j)
    } else {
        machine.local_memory(i) == machine.local_memory(j) && machine.has_memory(i) == machine.has_memory(j)
    }
}

/// GB/s and ns of a link.
type Link = (Option<f64>, Option<f64>);

/// For each node, a number computed from its links to and from every other node. Nodes that can be exchanged have the same links to every
/// third one, so their numbers without each other are equal. This distinguishes a million pairs of nodes without a comparison of a thousand
/// links each.
struct LinkSums<F> {
    link: F,
    /// Empty on small machines.
    sums: Vec<u64>,
}

impl<F: Fn(usize, usize) -> Link> LinkSums<F> {
    fn new(nodes: usize, link: F) -> Self {
        /// Up to this number of nodes, all links are compared.
        const FEW: usize = 64;
        let mut sums = Self { link, sums: Vec::new() };
        if nodes > FEW {
            let of_node = |i: usize| {
                (0..nodes).filter(|&k| k != i).fold(0_u64, |sum, k| sum.wrapping_add(sums.part(i, k)))
            };
            sums.sums = (0..nodes).map(of_node).collect();
        }
        sums
    }

    /// False only for nodes whose links to a third one differ.
    fn may_be_equal(&self, i: usize, j: usize) -> bool {
        self.sums.is_empty()
            || self.sums[i].wrapping_sub(self.part(i, j)) == self.sums[j].wrapping_sub(self.part(j, i))
    }

    /// The contribution of the links between node `i` and node `k` to the number of `i`.
    fn part(&self, i: usize, k: usize) -> u64 {
        let bits = |value: Option<f64>| value.map_or(1, |value| (value + 0.0).to_bits());
        let (to, from) = ((self.link)(i, k), (self.link)(k, i));
        let all = [k as u64, bits(to.0), bits(to.1), bits(from.0), bits(from.1)];
        // The constant of Knuth's multiplicative hashing.
        all.into_iter().fold(0_u64, |mixed, next| {
            let mixed = (mixed ^ next).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed ^ (mixed >> 32)
        })
    }
}

/// For each application the smallest one that differs from it by name only (and by the kernel or the share of writes, if that is one to `machine`).
pub(crate) fn app_classes(machine: &Machine, apps: &[App]) -> Vec<usize> {
    classes(apps.len(), |i, j| {
        let (a, b) = (&apps[i], &apps[j]);
        a.asks_like(b, machine)
            && a.min_threads == b.min_threads
            && a.max_threads == b.max_threads
            && a.placing == b.placing
            && a.weight == b.weight
            && a.work == b.work
            && a.nodes == b.nodes
            && a.memory == b.memory
    })
}

#[cfg(test)]
mod tests {
    use numasim_model::{Access, Data};

    use super::*;
    use crate::testing::{uniform_machine, with_memory};

    #[test]
    fn nodes_without_memory_are_exchangeable_if_their_data_is_on_the_same_node() {
        // All links are equal: nodes 1, 2 and 3 take the memory of node 0, which is then unlike node 4.
        let gib = [None, Some(0.0), Some(0.0), Some(0.0), None];
        let machine = with_memory(&uniform_machine(5, 4, 10.0, 32.0, 8.0), &gib);
        assert_eq!(node_classes(&machine, &[], &[Placement::Local], false), [0, 1, 1, 1, 4]);
        // By distances node 3 takes that of node 4.
        let mut distances = vec![16.0; 25];
        distances[3 * 5 + 4] = 12.0;
        let nearer = machine.clone().with_distances(distances).expect("distances");
        assert_eq!(node_classes(&nearer, &[], &[Placement::Local], false), [0, 1, 1, 3, 4]);
    }

    #[test]
    fn unused_links_do_not_distinguish_nodes() {
        let link = |pair: usize| GigabytesPerSecond::new(if pair == 1 { 5.0 } else { 10.0 });
        let node = crate::testing::uniform_machine(1, 8, 10.0, 32.0, 10.0).nodes()[0];
        let machine = Machine::new("one slow link", vec![node; 3], (0..9).map(link).collect()).unwrap();
        assert_eq!(node_classes(&machine, &[], &[Placement::Local], false), [0, 0, 0]);
        assert_eq!(node_classes(&machine, &[], &[Placement::Local], true), [0, 1, 2]);
        // Links to node 1 are read: from node 0 it is slow, so 0 and 2 differ; to node 2 all are equal.
        assert_eq!(node_classes(&machine, &[], &[Placement::Home(NodeId(1))], false), [0, 1, 2]);
        assert_eq!(node_classes(&machine, &[], &[Placement::Home(NodeId(2))], false), [0, 0, 2]);
    }

    #[test]
    fn different_applications_or_memory_distinguish_nodes() {
        let machine = crate::testing::uniform_machine(3, 8, 10.0, 32.0, 10.0);
        let machine = crate::testing::with_memory(&machine, &[Some(8.0), Some(8.0), Some(9.0)]);
        let mut app = crate::testing::local_app("a", 1.0);
        let classes =
            |app: &App| node_classes(&machine, std::slice::from_ref(app), &[Placement::Local], false);
        assert_eq!(classes(&app), [0, 0, 0], "nobody has data of known size");
        app.nodes = Some(vec![NodeId(1), NodeId(2)]);
        assert_eq!(classes(&app), [0, 1, 1]);
        app.memory = Some(numasim_model::units::Gibibytes::new(1.0));
        assert_eq!(classes(&app), [0, 1, 2]);
    }

    #[test]
    fn kernel_bandwidths_distinguish_nodes_and_applications() {
        let machine = crate::testing::uniform_machine(3, 8, 10.0, 32.0, 10.0);
        let apps = [Access::Read, Access::Triad, Access::Triad, Access::Copy]
            .map(|kernel| App { kernel, ..crate::testing::local_app("a", 1.0) });
        assert_eq!(app_classes(&machine, &apps), [0; 4], "one to a machine without figures");
        let with = |gbs: [f64; 3]| {
            crate::testing::with_nodes(&machine, |number, mut node| {
                node.kernels.set(Access::Triad, GigabytesPerSecond::new(gbs[number]));
                node
            })
        };
        let measured = with([24.0, 20.0, 24.0]);
        assert_eq!(app_classes(&measured, &apps), [0, 1, 1, 0]);
        assert_eq!(node_classes(&measured, &apps, &[Placement::Local], false), [0, 1, 0]);
    }

    #[test]
    fn writes_to_copies_distinguish_applications() {
        // A thread of copy writes 1 of 2 bytes to the other copy, one of triad 1 of 3, update 1 of 2.
        let machine = crate::testing::uniform_machine(2, 8, 10.0, 32.0, 10.0);
        let apps = |data: Data| {
            [Access::Copy, Access::Triad, Access::Update]
                .map(|kernel| App { kernel, ..crate::testing::app("a", 1.0, data.clone()) })
        };
        assert_eq!(app_classes(&machine, &apps(Data::Placed(Placement::Replicated))), [0, 1, 0]);
        assert_eq!(app_classes(&machine, &apps(Data::Placed(Placement::Local))), [0; 3]);
    }

    #[test]
    fn nodes_are_distinguished_alike_on_large_and_small_machines() {
        // Pairs of nodes with a fast link between them, and links to the last node that differ between two halves.
        for count in [10, 66] {
            let speed = |from: usize, to: usize| match (from, to) {
                _ if to == count - 1 && from < count / 2 => 5.0,
                _ if from / 2 == to / 2 => 20.0,
                _ => 10.0,
            };
            let node = crate::testing::uniform_machine(1, 8, 10.0, 32.0, 10.0).nodes()[0];
            let links =
                (0..count * count).map(|pair| GigabytesPerSecond::new(speed(pair / count, pair % count)));
            let machine = Machine::new("pairs", vec![node; count], links.collect()).expect("a machine");
            // Both of a pair are equal; the last node has different links.
            let mut expected: Vec<usize> = (0..count).map(|n| n / 2 * 2).collect();
            expected[count - 1] = count - 1;
            // Half of 10 and of 66 is odd: of the pair in the middle only the first is slow.
            if count / 2 % 2 == 1 {
                expected[count / 2] = count / 2;
            }
            assert_eq!(node_classes(&machine, &[], &[], true), expected, "{count}");
        }
    }
}
