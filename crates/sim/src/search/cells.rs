//! Cells: parts of the space by what other nodes ask of a memory that is somebody's home.
//!
//! With data at home, nodes depend on each other through one number per home: how much of its bandwidth the links take
//! away, where they get all that they ask for. In a cell this number is between two values: threads on the home node find at
//! most what the smaller one leaves, threads elsewhere ask for at most the larger one. In a cell of one value the nodes
//! are independent, and the bound is as good as where all data is local.
//!
//! What a node asks is a sum over whole threads, cut off at the link, so that there are few values: each is met. What they draw where they may get
//! less than they ask can be anything between nothing and all: that is left to [`super::boxes`].

use super::dual::{Effort, Improved, Relaxation, Watched};
use crate::problem::{Evaluator, Problem};
use numasim_model::{Machine, ModelKind, NodeId, Placement};

/// Most values of one memory; beyond that neighbours share one.
const MAX_VALUES: usize = 256;
/// Most values of one node that are added to those of the others one by one.
const MOST_SINGLE: usize = 4096;
/// Work on the bound of a cell that will be cut again.
const PASSING: Effort = Effort { steps: 5, cuts: 10 };
/// Work on the bound of a single cell, on top of that of the cell it was cut from.
const SINGLE: Effort = Effort { steps: 10, cuts: 60 };

/// What all other nodes together may ask of a memory: a range of possible values, GB/s.
type Value = (f64, f64);

/// One set of decided homes, or the part of it where reads are in certain ranges, with its bound.
pub(super) struct Cell<'a> {
    pub(super) placements: Vec<Placement>,
    pub(super) relaxation: Relaxation<'a>,
    pub(super) improved: Improved,
    /// Per watched memory: the values that are possible at all.
    values: Vec<Vec<Value>>,
    /// Per watched memory: the first and last of the values in this cell.
    ranges: Vec<(usize, usize)>,
}

impl<'a> Cell<'a> {
    /// The cell of everything for these placements; `None` at a stop.
    pub(super) fn whole(
        placements: Vec<Placement>,
        relaxation: Relaxation<'a>,
        improved: Improved,
    ) -> Option<Self> {
        let values = (0..relaxation.watched.len()).map(|w| possible_values(&relaxation, w));
        let values: Vec<Vec<Value>> = values.collect::<Option<_>>()?;
        let ranges = values.iter().map(|values| (0, values.len() - 1)).collect();
        Some(Self { placements, relaxation, improved, values, ranges })
    }

    /// The same cell with a bound that knows the least that is read even here.
    pub(super) fn knowing_the_least(self, problem: &'a Problem, target: f64) -> Self {
        if self.values.iter().all(|values| values[0].0 <= 0.0) {
            return self;
        }
        self.part(problem, self.ranges.clone(), target).unwrap_or(self)
    }

    /// Works harder on the bound, and says what that cost: at the prices that would be right if these GFLOPS were the best, then by `effort`.
    pub(super) fn improve_more(&mut self, gflops: &[f64], target: f64, effort: Effort) -> u64 {
        let relaxation = &self.relaxation;
        let everything = relaxation.everything();
        if let Some(better) = relaxation.at_gradient(&self.improved, &self.placements, gflops, &everything)
            && better.bound < self.improved.bound
        {
            self.improved = better;
        }
        if self.improved.bound <= target {
            return 0;
        }
        let better = relaxation.improve(&self.improved, &everything, target, effort);
        let work = better.work;
        if better.bound < self.improved.bound {
            self.improved = better;
        }
        work
    }

    /// Whether what is read of every watched memory is known: nodes do not depend on each other then.
    pub(super) fn knows_all(&self) -> bool {
        self.is_single() && self.relaxation.watched.iter().all(|watched| watched.drawn.is_none())
    }

    /// Whether it cannot be cut: what is asked of every watched memory is known.
    pub(super) fn is_single(&self) -> bool {
        self.ranges.iter().all(|(first, last)| first == last)
    }

    /// Whether it was cut from a larger one.
    pub(super) fn is_part(&self) -> bool {
        self.ranges.iter().zip(&self.values).any(|(range, values)| *range != (0, values.len() - 1))
    }

    /// Two cells that cover this one, each with a bound of its own; `None` if it is single, or at a stop.
    pub(super) fn split(&self, problem: &'a Problem, target: f64) -> Option<[Self; 2]> {
        let relaxation = &self.relaxation;
        let width = |w: usize| {
            let (first, last) = self.ranges[w];
            (self.values[w][last].1 - self.values[w][first].0) / relaxation.watched[w].bandwidth
        };
        let open = (0..self.ranges.len()).filter(|&w| self.ranges[w].0 < self.ranges[w].1);
        let widest = open.max_by(|&v, &w| width(v).total_cmp(&width(w)))?;
        let (first, last) = self.ranges[widest];
        let values = &self.values[widest];
        let middle = f64::midpoint(values[first].0, values[last].0);
        let cut = (first..last).rfind(|&i| values[i].0 <= middle).unwrap_or(first);
        let part = |range: (usize, usize)| {
            let mut ranges = self.ranges.clone();
            ranges[widest] = range;
            self.part(problem, ranges, target)
        };
        Some([part((first, cut))?, part((cut + 1, last))?])
    }

    /// The part with these values, with a bound of its own; `None` at a stop.
    fn part(&self, problem: &'a Problem, ranges: Vec<(usize, usize)>, target: f64) -> Option<Self> {
        let relaxation = &self.relaxation;
        let evaluator = Evaluator::new(problem, self.placements.clone());
        let least: Vec<f64> = ranges.iter().zip(&self.values).map(|(r, values)| values[r.0].0).collect();
        let most = ranges.iter().zip(&self.values).map(|(r, values)| {
            let unlimited = r.1 + 1 == values.len();
            if unlimited { f64::INFINITY } else { values[r.1].1 }
        });
        let mut relaxation = relaxation.where_others_read(&evaluator, &least, &most.collect::<Vec<_>>())?;
        // Where reads are known and served in full, potentials say all there is to say about memories.
        let served = |(w, r): (usize, &(usize, usize))| {
            relaxation.watched[w].drawn.is_none()
                && r.0 == r.1
                && self.values[w][r.1].1 <= relaxation.watched[w].bandwidth
        };
        if self.placements.iter().all(reads_one_memory) && ranges.iter().enumerate().all(served) {
            relaxation.shared_bandwidth.fill(None);
        }
        let effort = if ranges.iter().all(|(first, last)| first == last) { SINGLE } else { PASSING };
        let mut improved = relaxation.improve(&self.improved, &relaxation.everything(), target, effort);
        improved.bound = improved.bound.min(self.improved.bound);
        Some(Self {
            placements: self.placements.clone(),
            relaxation,
            improved,
            values: self.values.clone(),
            ranges,
        })
    }
}

/// What all nodes together can ask of watched memory `w`, in ascending order; all that its controller cannot serve is
/// one value. `None` at a stop.
fn possible_values(relaxation: &Relaxation<'_>, w: usize) -> Option<Vec<Value>> {
    let Watched { bandwidth, drawn, .. } = relaxation.watched[w];
    if drawn.is_some() {
        return Some(vec![(0.0, f64::INFINITY)]);
    }
    let tolerance = 1e-9 * bandwidth;
    let mut sums: Vec<Value> = vec![(0.0, 0.0)];
    for class in &relaxation.classes {
        let mut single: Vec<f64> = (0..class.table.len()).map(|o| class.table.reads(o)[w]).collect();
        single.sort_unstable_by(f64::total_cmp);
        single.dedup_by(|a, b| *a - *b <= tolerance);
        let mut single: Vec<Value> = single.into_iter().map(|reads| (reads, reads)).collect();
        if single.len() > MOST_SINGLE {
            single = merged(single, tolerance, bandwidth);
        }
        for _ in &class.nodes {
            if relaxation.monitor.stop() {
                return None;
            }
            let longer = sums.iter().flat_map(|sum| single.iter().map(|add| (sum.0 + add.0, sum.1 + add.1)));
            sums = merged(longer.collect(), tolerance, bandwidth);
        }
    }
    // A node without any option: there is no allocation, and nothing to be split.
    Some(if sums.is_empty() { vec![(0.0, 0.0)] } else { sums })
}

/// Sorted, with equal values joined, what is above `bandwidth` joined, and at most [`MAX_VALUES`].
fn merged(mut values: Vec<Value>, tolerance: f64, bandwidth: f64) -> Vec<Value> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let join = |values: Vec<Value>, apart: &dyn Fn(Value, Value) -> bool| {
        let mut joined: Vec<Value> = Vec::new();
        for value in values {
            match joined.last_mut() {
                Some(last) if !apart(*last, value) => last.1 = last.1.max(value.1),
                _ => joined.push(value),
            }
        }
        joined
    };
    let mut joined = join(values, &|last, next| next.0 > last.0 + tolerance && last.0 < bandwidth);
    if joined.len() > MAX_VALUES {
        let reach = joined.last().map_or(0.0, |last| last.0.min(bandwidth));
        let step = reach / MAX_VALUES as f64;
        joined = join(joined, &|last, next| next.0 > last.0 + step && last.0 < bandwidth);
    }
    joined
}

// Which memories are watched: homes that threads on other nodes read, and how these readers are counted.
//
// # What cells by what is drawn rest on
// Let every thread read one memory. R: the GB/s that threads on other nodes draw from a memory with B GB/s, in the end. In a cell with
// least <= R <= most:
// - Threads of its own node share what is left, at most B - least.
// - All that others get of it is at most `most`.
// - Under the default its ports are filled evenly, and the local one gets what it asks for or B - R. So the level that every port may reach
//   is at least B - R >= B - most, and at least the equal part of all ports; what they ask up to there, they draw: together at most `most`.
// - On a link that several pairs of nodes share, each is sure of an equal part only: more of what it asks does not count.

/// Most memories whose readers are counted; each multiplies the number of cells.
const MAX_WATCHED: usize = 4;

/// A memory whose readers on other nodes are counted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Watch {
    pub(super) memory: NodeId,
    pub(super) count: Count,
    /// Per node: the GB/s that links shared by pairs of nodes are sure to let through to the memory; empty where there are none.
    pub(super) part: Vec<f64>,
}

/// How readers are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Count {
    /// By what they ask, which the links let through and the controller serves.
    Asked,
    /// By what they draw, where they may get less than they ask.
    Drawn(Level),
}

/// What a port is sure to get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Level {
    /// As much as any other, of so many with the local one.
    Even {
        /// Ports of the controller.
        ports: f64,
    },
    /// All that it asks for, while others do not draw all there is.
    First,
    /// Nothing that is known.
    Unknown,
}

impl Level {
    /// GB/s of what a port asks that it draws for sure where others draw at most `most` of `bandwidth`, GB/s.
    pub(super) fn sure(self, bandwidth: f64, most: f64) -> f64 {
        match self {
            Self::Even { ports } => (bandwidth - most).max(bandwidth / ports),
            Self::First if most < bandwidth * (1.0 - 1e-9) => f64::INFINITY,
            Self::First | Self::Unknown => 0.0,
        }
    }
}

/// The memories whose readers are counted: homes that threads elsewhere can read.
///
/// By what they ask where they get all that their links ask for: under `remote-first`, and under the default where no link is wider than
/// an equal part of the controller, if no pairs of nodes share a link. Elsewhere by what they draw, if every application reads one memory.
pub(super) fn watched(problem: &Problem, placements: &[Placement], never_help: bool) -> Vec<Watch> {
    let machine = &problem.machine;
    let sharing = machine.sharing();
    // A knee or a loss makes remote reads cost something else than what they ask.
    if sharing.parameters.saturation_knee != 0.0
        || sharing.parameters.overload_loss != 0.0
        || sharing.parameters.remote_loss != 0.0
    {
        return Vec::new();
    }
    let mut homes: Vec<NodeId> = placements.iter().filter_map(Placement::home).collect();
    homes.sort_unstable();
    homes.dedup();
    // All memories that somebody reads over links: homes, and those that hold the local data of nodes without memory.
    let is_read =
        |memory: &NodeId| placements.iter().any(|placement| placement.is_read_from_outside(machine, *memory));
    let read: Vec<NodeId> = machine.node_ids().filter(is_read).collect();
    let readers = |home: NodeId| machine.compute_nodes().filter(move |&node| node != home);
    let served_in_full = |home: NodeId| {
        let links = || readers(home).filter_map(|node| machine.link(node, home));
        let equal_part = machine.node(home).bandwidth.value() / (1.0 + links().count() as f64);
        match sharing.kind {
            ModelKind::RemoteFirst => true,
            ModelKind::BaselineProportional => links()
                .map(|link| link.value() * sharing.parameters.link_efficiency)
                .all(|link| link <= equal_part),
            _ => false,
        }
    };
    let one_memory = placements.iter().all(reads_one_memory);
    let limited_reads = machine.nodes().iter().any(|node| node.read_bandwidth.is_some());
    let level = |home: NodeId| match sharing.kind {
        ModelKind::BaselineProportional if sharing.parameters.remote_weight == 1.0 => {
            Some(Level::Even { ports: 1.0 + readers(home).count() as f64 })
        }
        ModelKind::RemoteFirst => Some(Level::First),
        ModelKind::MaxMin | ModelKind::Proportional => Some(Level::Unknown),
        _ => None,
    };
    let pairs_share = machine.shared_directions().next().is_some();
    let watch = |&home: &NodeId| {
        let count = if never_help && !pairs_share && served_in_full(home) {
            Count::Asked
        } else if one_memory && !limited_reads {
            Count::Drawn(level(home)?)
        } else {
            return None;
        };
        let part = if pairs_share { parts(problem, &read, home) } else { Vec::new() };
        readers(home).next().map(|_| Watch { memory: home, count, part })
    };
    let mut watched: Vec<Watch> = homes.iter().filter_map(watch).collect();
    watched.truncate(MAX_WATCHED);
    watched
}

/// Whether each thread reads one memory.
pub(super) fn reads_one_memory(placement: &Placement) -> bool {
    matches!(placement, Placement::Local | Placement::Home(_))
}

/// Whether threads on `node` read nothing but its own memory.
pub(super) fn reads_own(machine: &Machine, placement: &Placement, node: NodeId) -> bool {
    placement.read_from(machine, node) == [node]
}

/// Per node: the equal part of each shared link on its way to `home`, of all pairs that may use it.
fn parts(problem: &Problem, read: &[NodeId], home: NodeId) -> Vec<f64> {
    let machine = &problem.machine;
    let part = |node: NodeId| {
        let on_the_way = machine.shared_directions().filter(|direction| direction.carries(node, home));
        let equal = on_the_way.map(|direction| {
            let from = machine.compute_nodes();
            let pairs: usize =
                from.map(|from| read.iter().filter(|&&to| direction.carries(from, to)).count()).sum();
            direction.link.bandwidth.value() / pairs as f64
        });
        equal.fold(f64::INFINITY, f64::min)
    };
    machine.node_ids().map(part).collect()
}

#[cfg(test)]
mod tests {
    use numasim_model::NodeId;

    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::search::cells::watched;
    use crate::symmetry::node_classes;
    use crate::testing::{app, local_app, uniform_machine};

    #[test]
    fn splitting_ends_in_one_cell_for_each_value_that_others_can_ask() {
        // `far` has its data on node 0: from node 1, with 2 cores, it asks 0, 20 or, cut off by the link, 30 GB/s. The
        // controller has two ports, and a link of 30 is no wider than half of 62.
        let machine = uniform_machine(2, 2, 10.0, 62.0, 30.0);
        let far = app("far", 0.5, numasim_model::Data::Placed(Placement::Home(NodeId(0))));
        let problem = Problem::new(
            &machine,
            &[far, local_app("near", 0.5)],
            Objective::TotalGflops,
            Restrictions::default(),
        )
        .expect("a possible question");
        let placements = vec![Placement::Home(NodeId(0)), Placement::Local];
        let evaluator = Evaluator::new(&problem, placements.clone());
        let classes = node_classes(&machine, &problem.apps, &placements, false);
        let watched = watched(&problem, &placements, true);
        assert_eq!(watched.iter().map(|watch| watch.memory).collect::<Vec<_>>(), [NodeId(0)]);
        let relaxation = Relaxation::new(&problem, &evaluator, &classes, &watched, 100, 1, &Unattended)
            .expect("few options");
        let start = relaxation.start();
        let whole = Cell::whole(placements, relaxation, start).expect("no stop");
        let mut open = vec![whole];
        let mut single = Vec::new();
        while let Some(cell) = open.pop() {
            if cell.is_single() {
                single.push(cell.values[0][cell.ranges[0].0].0);
                assert!(cell.split(&problem, 0.0).is_none());
            } else {
                open.extend(cell.split(&problem, 0.0).expect("two parts"));
            }
        }
        single.sort_by(f64::total_cmp);
        assert_eq!(single, [0.0, 20.0, 30.0]);
    }

    #[test]
    fn values_are_joined_where_equal_and_above_the_controller() {
        // 0.1 + 0.2 and 0.3 differ by rounding; 30 and 40 are both more than the 25 there are
        let values = [0.3, 0.0, 0.1 + 0.2, 30.0, 40.0, 10.0].map(|v| (v, v)).to_vec();
        let joined = merged(values, 1e-9, 25.0);
        let firsts: Vec<f64> = joined.iter().map(|value| value.0).collect();
        assert_eq!(firsts, [0.0, 0.3, 10.0, 30.0]);
        assert_eq!(joined[3], (30.0, 40.0));
    }

    #[test]
    fn too_many_values_share() {
        let values = (0..10_000).map(|v| (f64::from(v), f64::from(v))).collect();
        let joined = merged(values, 1e-9, 1e6);
        assert!(joined.len() <= MAX_VALUES + 1, "{}", joined.len());
        assert!(joined.windows(2).all(|pair| pair[0].1 < pair[1].0), "every value is in one");
        assert_eq!(joined.last().map(|last| last.1), Some(9999.0));
    }
}

#[cfg(test)]
mod tests_of_watch {
    use super::*;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::testing::{app, uniform_machine};

    fn watched_at(link: f64, kind: ModelKind) -> Option<Count> {
        let machine = uniform_machine(2, 2, 10.0, 62.0, link).with_sharing(kind.into());
        let far = app("far", 0.5, numasim_model::Data::Placed(Placement::Home(NodeId(0))));
        let problem = Problem::new(&machine, &[far], Objective::TotalGflops, Restrictions::default());
        let found = watched(&problem.expect("a possible question"), &[Placement::Home(NodeId(0))], true);
        found.first().map(|watch| watch.count)
    }

    #[test]
    fn readers_that_get_what_they_ask_are_counted_by_that_and_others_by_what_they_draw() {
        // Two ports: an equal part of 62 GB/s is 31.
        let even = Count::Drawn(Level::Even { ports: 2.0 });
        assert_eq!(watched_at(31.0, ModelKind::BaselineProportional), Some(Count::Asked));
        assert_eq!(watched_at(31.5, ModelKind::BaselineProportional), Some(even));
        assert_eq!(watched_at(31.5, ModelKind::RemoteFirst), Some(Count::Asked));
        assert_eq!(watched_at(31.0, ModelKind::MaxMin), Some(Count::Drawn(Level::Unknown)));
        assert_eq!(watched_at(31.0, ModelKind::Ecm), None);
    }

    #[test]
    fn a_port_is_sure_of_what_others_leave_and_of_its_equal_part() {
        // Others draw at most 20 of 60 GB/s: the local port has 40 left, and so may every other. At most 50: the equal part of 3 ports, 20.
        let even = Level::Even { ports: 3.0 };
        assert!((even.sure(60.0, 20.0) - 40.0).abs() < 1e-12 && (even.sure(60.0, 50.0) - 20.0).abs() < 1e-12);
        assert_eq!((Level::First.sure(60.0, 50.0), Level::First.sure(60.0, 60.0)), (f64::INFINITY, 0.0));
        assert!(Level::Unknown.sure(60.0, 20.0) <= 0.0);
    }
}
