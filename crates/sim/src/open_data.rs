//! Data that explore places: its possible places, each once up to exchanges of equals, and the nearby ones.
//!
//! The data of an application has [`Data::STEPS`] parts. Open fractions distribute them over the nodes; an open home has all of them on one
//! node. So both are the same kind of choice: the number of parts on each node.

use rand::{Rng, RngExt as _};

use numasim_model::{App, Data, Machine, NodeId, Placement};

use crate::symmetry::{app_classes, node_classes};

/// Number of parts of the data of an application.
const ALL: u32 = Data::STEPS;
/// On a machine with more memories, open fractions are not listed.
const MOST_MEMORIES: usize = 64;

/// The decided part of the open data of a question: all data of the first applications, and the number of parts of the next one on the
/// first nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Decided {
    /// Per application, in the order of the open ones: parts on each node.
    whole: Vec<Vec<u32>>,
    /// Parts of the next application.
    begun: Vec<u32>,
}

/// Data that is only partly decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rest {
    /// The undecided share, which is on no node before `from`.
    pub(crate) share: f64,
    /// The first node that may hold it.
    pub(crate) from: NodeId,
}

/// The open data of a question.
pub(crate) struct OpenChoices<'p> {
    machine: &'p Machine,
    /// Which applications are open, and their data.
    open: Vec<(usize, &'p Data)>,
    /// Per open application: the last one before that is equal.
    twins: Vec<Option<usize>>,
    /// Per node: the last one before that is equal.
    equal_nodes: Vec<Option<usize>>,
}

impl<'p> OpenChoices<'p> {
    /// The choices of the applications on `machine`.
    pub(crate) fn new(machine: &'p Machine, apps: &'p [App]) -> Self {
        let fixed: Vec<Placement> = apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        let nodes = node_classes(machine, apps, &fixed, fixed.len() < apps.len());
        Self::of(machine, apps, &app_classes(machine, apps), &nodes)
    }

    fn of(machine: &'p Machine, apps: &'p [App], app_classes: &[usize], node_classes: &[usize]) -> Self {
        let open: Vec<(usize, &Data)> =
            apps.iter().map(|app| &app.data).enumerate().filter(|(_, data)| data.is_open()).collect();
        let twin =
            |at: usize| (0..at).rev().find(|&other| app_classes[open[other].0] == app_classes[open[at].0]);
        let twins = (0..open.len()).map(twin).collect();
        let equal = |node: usize| (0..node).rev().find(|&other| node_classes[other] == node_classes[node]);
        let equal_nodes = (0..node_classes.len()).map(equal).collect();
        Self { machine, open, twins, equal_nodes }
    }

    /// Whether any fractions are open. Choices that are too many to be listed are then searched part by part.
    pub(crate) fn has_fractions(&self) -> bool {
        self.open.iter().any(|(_, data)| **data == Data::OpenFractions)
            && self.machine.memory_count() <= MOST_MEMORIES
    }

    /// Whether everything is decided.
    pub(crate) fn is_complete(&self, decided: &Decided) -> bool {
        decided.whole.len() == self.open.len()
    }

    /// Every way to decide a little more: the home of the next application, or the number of its parts on the next node.
    ///
    /// Exchanges of equal nodes and of equal instances turn some choices into each other. Among these the largest one, compared application
    /// by application and node by node, always remains. The first of equal nodes has at least as much, and so has the first of equal
    /// instances.
    pub(crate) fn next(&self, decided: &Decided) -> Vec<Decided> {
        let Some(&(_, data)) = self.open.get(decided.whole.len()) else { return Vec::new() };
        let nodes = self.machine.node_count();
        if *data != Data::OpenFractions {
            let homes = self.machine.memory_nodes().filter(|home| {
                // Records that all nodes before it have nothing.
                let begun = vec![0; home.0];
                self.may_follow(decided, &begun, ALL)
            });
            return homes.map(|home| decided.with(only_on(home, nodes))).collect();
        }
        let node = decided.begun.len();
        let left = ALL - decided.begun.iter().sum::<u32>();
        let has_memory = |node: usize| self.machine.has_memory(NodeId(node));
        let is_last = !(node + 1..nodes).any(has_memory);
        let numbers = match (has_memory(node), is_last) {
            (false, _) => 0..=0,
            (true, true) => left..=left,
            (true, false) => 0..=left,
        };
        let numbers = numbers.rev().filter(|&parts| self.may_follow(decided, &decided.begun, parts));
        numbers.map(|parts| decided.and(parts, nodes)).collect()
    }

    /// Whether this number of parts of the next application may be on the node after those of `begun`.
    fn may_follow(&self, decided: &Decided, begun: &[u32], parts: u32) -> bool {
        let node = begun.len();
        let fits_node = self.equal_nodes[node].is_none_or(|equal| {
            decided.whole.iter().any(|app| app[equal] != app[node]) || parts <= begun[equal]
        });
        let fits_twin = self.twins[decided.whole.len()].is_none_or(|twin| {
            let twin = &decided.whole[twin];
            begun != &twin[..node] || parts <= twin[node]
        });
        fits_node && fits_twin
    }

    /// Every choice, one or a few from each set that exchanges of equals turn into each other: a placement for each open application.
    /// `None` if there are more than `limit`.
    pub(crate) fn all(&self, limit: usize) -> Option<Vec<Vec<Placement>>> {
        if self.machine.memory_count() > MOST_MEMORIES
            && self.open.iter().any(|(_, data)| **data == Data::OpenFractions)
        {
            return None;
        }
        let mut found = Vec::new();
        let mut open = vec![Decided::default()];
        while let Some(decided) = open.pop() {
            if self.is_complete(&decided) {
                found.push(self.placements(&decided));
                if found.len() > limit {
                    return None;
                }
            }
            open.extend(self.next(&decided).into_iter().rev());
        }
        Some(found)
    }

    /// A placement for each open application whose data is decided.
    pub(crate) fn placements(&self, decided: &Decided) -> Vec<Placement> {
        self.open.iter().zip(&decided.whole).map(|((_, data), parts)| data.placement_of(parts)).collect()
    }

    /// The known placement of all applications, in the order of the question, and the undecided rest. If fractions are only partly known,
    /// the known ones do not sum to 1.
    pub(crate) fn sure(&self, apps: &[App], decided: &Decided) -> (Vec<Placement>, Vec<Option<Rest>>) {
        let mut number = 0;
        let of = |app: &App| {
            let data = match &app.data {
                Data::Placed(placement) => return (placement.clone(), None),
                open => open,
            };
            let at = number;
            number += 1;
            if let Some(parts) = decided.whole.get(at) {
                return (data.placement_of(parts), None);
            }
            if let Data::OpenHome { share } = data {
                // No node is certain here, and the caller ignores this placement.
                return (first(data, self.machine), Some(Rest { share: *share, from: NodeId(0) }));
            }
            let mut parts = if at == decided.whole.len() { decided.begun.clone() } else { Vec::new() };
            let (from, known) = (NodeId(parts.len()), parts.iter().sum::<u32>());
            parts.resize(self.machine.node_count(), 0);
            let share = f64::from(ALL - known) / f64::from(ALL);
            (data.placement_of(&parts), Some(Rest { share, from }))
        };
        apps.iter().map(of).unzip()
    }
}

impl Decided {
    fn with(&self, parts: Vec<u32>) -> Self {
        Self { whole: self.whole.iter().cloned().chain([parts]).collect(), begun: Vec::new() }
    }

    fn and(&self, parts: u32, nodes: usize) -> Self {
        let mut begun = self.begun.clone();
        begun.push(parts);
        if begun.iter().sum::<u32>() == ALL {
            begun.resize(nodes, 0);
        }
        if begun.len() == nodes { self.with(begun) } else { Self { begun, ..self.clone() } }
    }
}

fn only_on(home: NodeId, nodes: usize) -> Vec<u32> {
    (0..nodes).map(|node| if node == home.0 { ALL } else { 0 }).collect()
}

/// The placement from which a climb starts: the first node with memory, or parts in proportion to the bandwidth of the memories.
pub(crate) fn first(data: &Data, machine: &Machine) -> Placement {
    if *data != Data::OpenFractions {
        let home = machine.memory_nodes().next().unwrap_or(NodeId(0));
        return data.placement_of(&only_on(home, machine.node_count()));
    }
    let delivers = |node: NodeId| {
        if machine.has_memory(node) { machine.node(node).bandwidth.value() } else { 0.0 }
    };
    let all: f64 = machine.node_ids().map(delivers).sum();
    let (mut sum, mut dealt) = (0.0, 0);
    let dealt_out = machine.node_ids().map(|node| {
        sum += delivers(node);
        // The rounded total up to this node; up to the last node it is the full amount.
        let own = if machine.has_memory(node) { parts(sum / all).saturating_sub(dealt) } else { 0 };
        dealt += own;
        own
    });
    data.placement_of(&dealt_out.collect::<Vec<_>>())
}

/// The start of a search for better places of open data, given `current`: fractions are changed from there, homes are all tried.
pub(crate) fn beginning(data: &Data, machine: &Machine, current: &Placement) -> Placement {
    if *data == Data::OpenFractions { current.clone() } else { first(data, machine) }
}

/// Number of choices for the data of one application.
pub(crate) fn number(data: &Data, machine: &Machine) -> f64 {
    let memories = machine.memory_count() as f64;
    match data {
        Data::Placed(_) => 1.0,
        Data::OpenHome { .. } => memories,
        // C(STEPS + memories - 1, STEPS)
        Data::OpenFractions => (1..=ALL).map(f64::from).fold(1.0, |c, k| c * (memories - 1.0 + k) / k),
    }
}

/// All choices of one application, including those that exchanges of equals turn into each other.
pub(crate) fn each(data: &Data, machine: &Machine) -> Vec<Placement> {
    let nodes = machine.node_count();
    let unlike: Vec<Option<usize>> = vec![None; nodes];
    let choices = OpenChoices { machine, open: vec![(0, data)], twins: vec![None], equal_nodes: unlike };
    choices.all(usize::MAX).unwrap_or_default().into_iter().flatten().collect()
}

/// The choices of one application near `current`: every other home, or some parts on another node.
pub(crate) fn others(data: &Data, machine: &Machine, current: &Placement) -> Vec<Placement> {
    let nodes = machine.node_count();
    match (data, current) {
        (Data::OpenFractions, Placement::Fractions(fractions)) => {
            let parts: Vec<u32> = fractions.iter().map(|&fraction| parts(fraction)).collect();
            let mut found = Vec::new();
            for from in (0..nodes).filter(|&from| parts[from] > 0) {
                for to in machine.memory_nodes().filter(|to| to.0 != from) {
                    let some = [1, 2, 4, 8].into_iter().filter(|&some| some < parts[from]);
                    for moved in some.chain([parts[from]]) {
                        let mut next = parts.clone();
                        next[from] -= moved;
                        next[to.0] += moved;
                        found.push(data.placement_of(&next));
                    }
                }
            }
            found
        }
        (Data::Placed(_), _) => Vec::new(),
        _ => {
            let other = machine.memory_nodes().filter(|&home| current.home() != Some(home));
            other.map(|home| data.placement_of(&only_on(home, nodes))).collect()
        }
    }
}

/// A random choice of one application.
pub(crate) fn any(data: &Data, machine: &Machine, random: &mut impl Rng) -> Placement {
    let memories: Vec<NodeId> = machine.memory_nodes().collect();
    let mut parts = vec![0; machine.node_count()];
    let mut left = ALL;
    while left > 0 {
        let node = memories[random.random_range(0..memories.len())];
        let some = if *data == Data::OpenFractions { random.random_range(1..=left) } else { left };
        parts[node.0] += some;
        left -= some;
    }
    data.placement_of(&parts)
}

/// The number of parts of open data on `node`, up to rounding. It distinguishes choices.
pub(crate) fn parts_on(placement: &Placement, node: NodeId) -> u32 {
    match placement {
        Placement::Fractions(fractions) => parts(fractions[node.0]),
        _ => u32::from(placement.home() == Some(node)),
    }
}

/// The number of parts of a fraction.
fn parts(fraction: f64) -> u32 {
    let parts = (fraction * f64::from(ALL)).round();
    (0..=ALL).find(|&whole| f64::from(whole) >= parts).unwrap_or(ALL)
}

/// An order of placements, so that the result does not depend on which is met first.
pub(crate) fn order(a: &Placement, b: &Placement) -> std::cmp::Ordering {
    match (a, b) {
        (Placement::Fractions(a), Placement::Fractions(b)) => {
            let different = a.iter().zip(b).map(|(a, b)| b.total_cmp(a)).find(|order| order.is_ne());
            different.unwrap_or(std::cmp::Ordering::Equal)
        }
        _ => a.home().cmp(&b.home()),
    }
}

/// [`order`] for several placements.
pub(crate) fn order_of_all(a: &[Placement], b: &[Placement]) -> std::cmp::Ordering {
    let different = a.iter().zip(b).map(|(a, b)| order(a, b)).find(|order| order.is_ne());
    different.unwrap_or_else(|| a.len().cmp(&b.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, uniform_machine, with_memory};

    const HOME: Data = Data::OpenHome { share: 1.0 };

    fn number_of(
        open: &[Data],
        machine: &Machine,
        apps: &[usize],
        nodes: &[usize],
        limit: usize,
    ) -> Option<usize> {
        let open: Vec<App> = open.iter().map(|data| app("a", 1.0, data.clone())).collect();
        OpenChoices::of(machine, &open, apps, nodes).all(limit).map(|all| all.len())
    }

    fn machine(nodes: usize) -> Machine {
        uniform_machine(nodes, 2, 10.0, 32.0, 10.0)
    }

    #[test]
    fn two_equal_open_homes_on_equal_nodes_are_one_or_two_nodes() {
        assert_eq!(number_of(&[HOME, HOME], &machine(4), &[0, 0], &[0; 4], 100), Some(2));
    }

    #[test]
    fn a_home_may_be_on_one_node_of_each_kind() {
        assert_eq!(number_of(&[HOME], &machine(4), &[0], &[0, 1, 0, 3], 100), Some(3));
    }

    #[test]
    fn open_homes_avoid_nodes_without_memory() {
        let machine = with_memory(&machine(5), &[None, Some(0.0), Some(0.0), Some(0.0), None]);
        assert_eq!(number_of(&[HOME], &machine, &[0], &[0, 1, 1, 1, 4], 100), Some(2));
        // 0 to 16 parts on the first of two memories.
        assert_eq!(number_of(&[Data::OpenFractions], &machine, &[0], &[0, 1, 1, 1, 4], 100), Some(17));
    }

    #[test]
    fn more_choices_than_the_limit_are_none() {
        // 4^3 = 64
        let homes = [HOME, HOME, HOME];
        assert_eq!(number_of(&homes, &machine(4), &[0, 1, 2], &[0, 1, 2, 3], 64), Some(64));
        assert_eq!(number_of(&homes, &machine(4), &[0, 1, 2], &[0, 1, 2, 3], 63), None);
    }

    #[test]
    fn without_open_data_there_is_one_empty_choice() {
        assert_eq!(number_of(&[], &machine(1), &[], &[0], 1), Some(1));
    }

    #[test]
    fn fractions_on_equal_nodes_are_partitions_of_sixteen() {
        let one = [Data::OpenFractions];
        // C(17, 1), C(19, 3); partitions of 16 into at most 2 and 4 parts: 9 and 64.
        assert_eq!(number_of(&one, &machine(2), &[0], &[0, 1], 1000), Some(17));
        assert_eq!(number_of(&one, &machine(4), &[0], &[0, 1, 2, 3], 1000), Some(969));
        assert_eq!(number_of(&one, &machine(2), &[0], &[0, 0], 1000), Some(9));
        assert_eq!(number_of(&one, &machine(4), &[0], &[0; 4], 1000), Some(64));
        assert!((number(&Data::OpenFractions, &machine(4)) - 969.0).abs() < 1e-9);
    }

    #[test]
    fn fractions_of_equal_instances_on_equal_nodes_are_listed_once_for_each_exchange() {
        // 17^2 pairs on two nodes. Exchanges of nodes and instances leave, by Burnside, (289 + 1 + 17 + 17) / 4 = 81: (8, 8) alone is the same
        // with nodes exchanged, 17 with instances, and 17 with both, (k, 16 - k).
        let two = [Data::OpenFractions, Data::OpenFractions];
        let listed = number_of(&two, &machine(2), &[0, 0], &[0, 0], 1000).expect("few");
        assert!((81..120).contains(&listed), "{listed}");
    }

    #[test]
    fn a_climb_starts_with_fractions_by_bandwidth() {
        assert_eq!(first(&Data::OpenFractions, &machine(3)), Data::OpenFractions.placement_of(&[5, 6, 5]));
        assert_eq!(first(&HOME, &machine(3)), Placement::Home(NodeId(0)));
    }

    #[test]
    fn nearby_choices_are_valid_and_different() {
        let machine = machine(3);
        let data = Data::OpenFractions;
        let from = data.placement_of(&[3, 0, 13]);
        let near = others(&data, &machine, &from);
        assert!(near.iter().all(|other| data.may_become(other) && *other != from));
        // From node 0: 1, 2 or 3 parts to two nodes; from node 2: 1, 2, 4, 8 or 13.
        assert_eq!(near.len(), 2 * 3 + 2 * 5);
    }
}
