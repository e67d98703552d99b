//! Predictions of null models, which do not model sharing: a sharing model that is no better than these has
//! shown nothing.
//!
//! # Problem
//! Small errors are meaningful only if a prediction without a sharing model would have been wrong.
//!
//! # Terminology
//! - **resource**: something that threads share: a memory controller, a link, a shared link, the reads of a
//!   node or an L3 domain ([`Resource`]).
//! - **no sharing**: every thread is as fast as alone on the machine: GB/s of a thread = the smallest of the
//!   bandwidth that its core can process (`gflops_per_core` / arithmetic intensity), the bandwidth of its
//!   core (`core_bandwidth_gbs`), and the full capacity of each resource that it uses.
//! - **equal parts**: every resource is divided by the number of threads that use it, regardless of demand,
//!   and unused bandwidth is not redistributed; no thread is faster than without sharing.
//! - **contention** of a scenario: the largest demand / capacity of its resources, where demand is the
//!   traffic of all threads without sharing ([`Contention`]).
//!
//! A thread with data on several memories is limited by the slowest of them. With static scheduling
//! ([`Scenario::static_work`]), the slowest thread of an application decides. Corrections of sharing models
//! are ignored.
//!
//! In the tool `published` the same two terms apply to data with less information (totals of links and
//! controllers); each module there describes how.

use std::collections::BTreeMap;

use numasim_model::demand::Undecided;
use numasim_model::units::Gflops;
use numasim_model::{AppId, Demand, Machine, NodeId, Scenario, Study};

/// Name of [`NullModel::NoSharing`].
pub const NO_SHARING: &str = "no-sharing";
/// Name of [`NullModel::EqualParts`].
pub const EQUAL_PARTS: &str = "equal-parts";
/// Name of [`interpolated`].
pub const INTERPOLATION: &str = "interpolation";

/// A model without sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NullModel {
    /// No thread takes bandwidth from another.
    NoSharing,
    /// All threads have an equal share of every resource.
    EqualParts,
}

impl NullModel {
    /// All null models.
    pub const ALL: [Self; 2] = [Self::NoSharing, Self::EqualParts];

    /// Its name in CSV and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoSharing => NO_SHARING,
            Self::EqualParts => EQUAL_PARTS,
        }
    }

    /// Its name for people.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::NoSharing => "no sharing",
            Self::EqualParts => "equal shares",
        }
    }
}

/// The predictions of null models for a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Nulls {
    /// GFLOPS of each application, in the order of the study, by [`NullModel::ALL`].
    gflops: [Vec<Gflops>; 2],
    /// The contention of the threads; `None` without threads.
    pub contention: Option<Contention>,
}

impl Nulls {
    /// GFLOPS of each application, in the order of the study.
    pub fn gflops(&self, null: NullModel) -> &[Gflops] {
        &self.gflops[null as usize]
    }

    /// GFLOPS of all applications.
    pub fn total(&self, null: NullModel) -> Gflops {
        Gflops::new(self.gflops(null).iter().map(|gflops| gflops.value()).sum())
    }
}

/// The predictions of null models for `scenario`.
///
/// # Errors
/// [`Undecided`] if an application with threads has an open property.
pub fn predict(study: &Study, scenario: &Scenario) -> Result<Nulls, Undecided> {
    let machine = &study.machine;
    let demands = study.demands(scenario)?;
    let (rows, allocation) = (machine.rows_per_app(), scenario.allocation.rows(machine));
    let groups: Vec<Group> = (0..demands.len() * rows)
        .flat_map(|row| {
            let threads = allocation.row(AppId(row)).iter().enumerate().filter(|(_, threads)| **threads > 0);
            threads.map(move |(node, &threads)| (AppId(row / rows), (NodeId(node), row % rows), threads))
        })
        .map(|(app, place, threads)| Group::new(machine, &demands[app.0], app, place, threads))
        .collect();
    let uses = Uses::new(&groups);
    let gflops = NullModel::ALL.map(|null| {
        // For each application: GFLOPS of all threads, GFLOPS of the slowest one, and the number of threads.
        let mut apps = vec![(0.0, f64::INFINITY, 0.0); demands.len()];
        for group in &groups {
            let gbs = match null {
                NullModel::NoSharing => group.alone_gbs(),
                NullModel::EqualParts => group.alone_gbs().min(uses.equal_part_gbs(group)),
            };
            let rate = group.gflops(gbs);
            let (sum, slowest, threads) = &mut apps[group.app.0];
            *sum += f64::from(group.threads) * rate;
            *slowest = slowest.min(rate);
            *threads += f64::from(group.threads);
        }
        let of_app = |(sum, slowest, threads): (f64, f64, f64)| {
            Gflops::new(if scenario.static_work && threads > 0.0 { slowest * threads } else { sum })
        };
        apps.into_iter().map(of_app).collect()
    });
    Ok(Nulls { gflops, contention: contention(&groups) })
}

/// A curve through known points without a sharing model, for curves over threads: the monotone cubic of F. N.
/// Fritsch and R. E. Carlson ("Monotone Piecewise Cubic Interpolation", 1980) with harmonic means as slopes,
/// like SciPy's `PchipInterpolator`. It has no bump that the points do not have. `known`: ascending, without
/// duplicate positions; beyond them the nearest value. NaN without points.
pub fn interpolated(known: &[(f64, f64)], at: f64) -> f64 {
    let Some(right) = known.iter().position(|point| point.0 >= at) else {
        return known.last().map_or(f64::NAN, |last| last.1);
    };
    let Some(left) = right.checked_sub(1) else { return known[right].1 };
    let width = |place: usize| known[place + 1].0 - known[place].0;
    let rise = |place: usize| (known[place + 1].1 - known[place].1) / width(place);
    let last = known.len() - 1;
    // At an end: the slope of the parabola through three points, limited to keep the curve monotone.
    let end = |near: usize, far: usize| {
        let (a, b) = (rise(near), rise(far));
        let slope = ((2.0 * width(near) + width(far)) * a - width(near) * b) / (width(near) + width(far));
        if slope * a <= 0.0 {
            0.0
        } else if a * b <= 0.0 && slope.abs() > 3.0 * a.abs() {
            3.0 * a
        } else {
            slope
        }
    };
    let slope = |place: usize| match place {
        _ if last == 1 => rise(0),
        0 => end(0, 1),
        _ if place == last => end(last - 1, last - 2),
        _ if rise(place - 1) * rise(place) <= 0.0 => 0.0,
        _ => {
            let (before, after) = (width(place - 1), width(place));
            let (first, second) = (2.0 * after + before, after + 2.0 * before);
            (first + second) / (first / rise(place - 1) + second / rise(place))
        }
    };
    let (h, t) = (width(left), (at - known[left].0) / width(left));
    let (from, to) = (known[left].1, known[right].1);
    from + t
        * (h * slope(left)
            + t * (3.0 * (to - from) - h * (2.0 * slope(left) + slope(right))
                + t * (h * (slope(left) + slope(right)) - 2.0 * (to - from))))
}

/// A resource that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The memory controller of a node.
    Controller(NodeId),
    /// The link from the memory of the second node to the cores of the first one.
    Link(NodeId, NodeId),
    /// A direction of a shared link, by its index in [`Machine::shared_directions`].
    SharedLink(usize),
    /// The read limit of all cores of a node together.
    NodeRead(NodeId),
    /// The read limit of all cores of an L3 domain, counted in its node, together.
    L3(NodeId, usize),
}

impl Resource {
    /// For people.
    pub fn in_words(self) -> String {
        match self {
            Self::Controller(node) => format!("controller of node {}", node.0),
            Self::Link(from, to) => format!("link from node {} to node {}", from.0, to.0),
            Self::SharedLink(place) => format!("direction {place} of the shared links"),
            Self::NodeRead(node) => format!("reads of node {}", node.0),
            Self::L3(node, domain) => format!("reads of L3 domain {domain} of node {}", node.0),
        }
    }
}

/// The largest ratio of demand to capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contention {
    /// Demand / capacity of the resource with the largest ratio: above 1 some thread must have less than
    /// without sharing.
    pub ratio: f64,
    /// That resource.
    pub resource: Resource,
}

/// The threads of one application in one L3 domain of a node, which are equal.
struct Group {
    app: AppId,
    threads: u32,
    /// GB/s that one of them can process and its core can consume.
    demand_gbs: f64,
    /// FLOP per byte.
    intensity: f64,
    /// GFLOPS of a core.
    peak: f64,
    /// Consumption of each resource per GB/s of a thread, GB/s, and the resource's capacity, GB/s.
    takes: Vec<(Resource, f64, f64)>,
}

impl Group {
    fn new(
        machine: &Machine,
        demand: &Demand,
        app: AppId,
        (from, domain): (NodeId, usize),
        threads: u32,
    ) -> Self {
        let node = machine.node(from);
        let mut takes = Vec::new();
        let mut read = 0.0;
        for memory in demand.used_from(machine, from) {
            let cost = demand.cost(machine, from, memory);
            read += cost;
            takes.push((Resource::Controller(memory), cost, machine.node(memory).bandwidth.value()));
            if let Some(link) = machine.link(from, memory) {
                takes.push((Resource::Link(from, memory), cost, link.value()));
            }
            for (place, direction) in machine.shared_directions().enumerate() {
                if direction.carries(from, memory) {
                    takes.push((Resource::SharedLink(place), cost, direction.link.bandwidth.value()));
                }
            }
        }
        if let Some(limit) = node.read_bandwidth {
            takes.push((Resource::NodeRead(from), read, limit.value()));
        }
        if let Some(limit) = node.l3_bandwidth {
            takes.push((Resource::L3(from, domain), read, limit.value()));
        }
        Self {
            app,
            threads,
            demand_gbs: demand.want(machine, from).value(),
            intensity: demand.arithmetic_intensity.value(),
            peak: demand.peak(node).value(),
            takes: summed(takes),
        }
    }

    /// GB/s of one thread with the machine to itself.
    fn alone_gbs(&self) -> f64 {
        let most = self.takes.iter().map(|&(_, cost, capacity)| capacity / cost);
        most.fold(self.demand_gbs, f64::min)
    }

    /// GFLOPS of one thread with a bandwidth of `gbs`.
    fn gflops(&self, gbs: f64) -> f64 {
        (gbs * self.intensity).min(self.peak)
    }
}

/// Merges duplicate resources: several memories behind one shared link are one use of it.
fn summed(takes: Vec<(Resource, f64, f64)>) -> Vec<(Resource, f64, f64)> {
    let mut sums: BTreeMap<Resource, (f64, f64)> = BTreeMap::new();
    for (resource, cost, capacity) in takes {
        sums.entry(resource).or_insert((0.0, capacity)).0 += cost;
    }
    sums.into_iter()
        .filter(|(_, (cost, _))| *cost > 0.0)
        .map(|(r, (cost, capacity))| (r, cost, capacity))
        .collect()
}

/// Number of threads that use each resource.
struct Uses {
    threads: BTreeMap<Resource, f64>,
}

impl Uses {
    fn new(groups: &[Group]) -> Self {
        let mut threads = BTreeMap::new();
        for group in groups {
            for &(resource, ..) in &group.takes {
                *threads.entry(resource).or_insert(0.0) += f64::from(group.threads);
            }
        }
        Self { threads }
    }

    /// GB/s of a thread of `group` with its share of each resource.
    fn equal_part_gbs(&self, group: &Group) -> f64 {
        let part = |&(resource, cost, capacity): &(Resource, f64, f64)| {
            capacity / self.threads.get(&resource).copied().unwrap_or(1.0) / cost
        };
        group.takes.iter().map(part).fold(f64::INFINITY, f64::min)
    }
}

/// The largest demand / capacity, the first of equal ones; `None` without threads.
fn contention(groups: &[Group]) -> Option<Contention> {
    let mut ratios: BTreeMap<Resource, f64> = BTreeMap::new();
    for group in groups {
        let wanted = f64::from(group.threads) * group.alone_gbs();
        for &(resource, cost, capacity) in &group.takes {
            *ratios.entry(resource).or_insert(0.0) += wanted * cost / capacity;
        }
    }
    let most = ratios.into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.map(|(resource, ratio)| Contention { ratio, resource })
}

#[cfg(test)]
mod tests {
    use numasim_study::{SourceFile, read_study};

    use super::*;

    #[test]
    fn a_curve_through_known_points_never_leaves_them() {
        // The formulas of the paper, implemented again in another program.
        let known = [(0.0, 0.0), (1.0, 12.0), (8.0, 80.0), (16.0, 82.0)];
        for (at, expected) in [
            (4.0, 49.199_981_612_130_19),
            (12.0, 81.497_965_825_874_7),
            (8.0, 80.0),
            (20.0, 82.0),
            (-1.0, 0.0),
        ] {
            let found = interpolated(&known, at);
            assert!((found - expected).abs() < 1e-9, "{at}: {found}, not {expected}");
        }
        let all: Vec<f64> = (0..=64).map(|step| interpolated(&known, f64::from(step) / 4.0)).collect();
        assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "{all:?}");
        assert!(interpolated(&[], 1.0).is_nan());
    }

    fn nulls(text: &str) -> Nulls {
        let study = read_study(&[SourceFile { name: "s.toml".into(), text: text.into() }]).expect("in order");
        predict(&study.study, &study.study.scenarios[0]).expect("homes are decided")
    }

    fn shown(nulls: &Nulls, null: NullModel) -> Vec<f64> {
        nulls.gflops(null).iter().map(|gflops| (gflops.value() * 1e6).round() / 1e6).collect()
    }

    const TWO_CORES: &str = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 117.6\nbandwidth_gbs = 40.88\n\
        core_bandwidth_gbs = 21.55\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.125\n[[app]]\nname = \"b\"\n\
        arithmetic_intensity = 16\n[[scenario]]\nname = \"s\"\nthreads = { a = [1], b = [1] }\n";

    #[test]
    fn two_threads_of_a_node_get_half_the_controller_each() {
        let nulls = nulls(TWO_CORES);
        // alone: 21.55 x 0.125 and the peak; shares of 20.44 GB/s: 2.555, and still the peak, which is 7.35
        // GB/s
        assert_eq!(shown(&nulls, NullModel::NoSharing), [2.693_75, 117.6]);
        assert_eq!(shown(&nulls, NullModel::EqualParts), [2.555, 117.6]);
        // 21.55 + 7.35 of 40.88
        let contention = nulls.contention.expect("there are threads");
        assert!((contention.ratio - 28.9 / 40.88).abs() < 1e-12);
        assert_eq!(contention.resource, Resource::Controller(NodeId(0)));
    }

    #[test]
    fn a_link_is_divided_among_its_readers() {
        // 4 threads on node 1 read node 0 over 10 GB/s, 2 on node 0 their local 60. Each would consume 12
        // GB/s at its peak, alone 10 over the link: 4 x 10 + 2 x 12 = 64 of 60 at the controller, 40 of 10 at
        // the link.
        let nulls = nulls(
            "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 12\nbandwidth_gbs = 60\nlink_gbs = 10\n\
             [[app]]\nname = \"own\"\narithmetic_intensity = 1\n\
             [[app]]\nname = \"far\"\narithmetic_intensity = 1\ndata = { home = 0 }\n\
             [[scenario]]\nname = \"s\"\nthreads = { own = [2, 0], far = [0, 4] }\n",
        );
        assert_eq!(shown(&nulls, NullModel::NoSharing), [24.0, 40.0]);
        // 60 / 6 = 10 at the controller, 10 / 4 = 2.5 over the link
        assert_eq!(shown(&nulls, NullModel::EqualParts), [20.0, 10.0]);
        assert_eq!(nulls.total(NullModel::EqualParts).value(), 30.0);
        let contention = nulls.contention.expect("there are threads");
        assert_eq!((contention.ratio, contention.resource), (4.0, Resource::Link(NodeId(1), NodeId(0))));
    }

    #[test]
    fn an_l3_domain_is_divided_among_its_threads() {
        // 30 GB/s of a core, 50 of a domain, 200 of the node: four threads of one domain get 12.5 each, two
        // in each of two 25.
        let machine = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 16\ngflops_per_core = 1000\nbandwidth_gbs = 200\n\
             core_bandwidth_gbs = 30\ncores_per_l3 = 8\nl3_read_gbs = 50\n[[app]]\nname = \"a\"\narithmetic_intensity = 1\n";
        for (threads, ratio, equal) in [("[4, 0]", 2.4, 50.0), ("[2, 2]", 1.2, 100.0)] {
            let nulls =
                nulls(&format!("{machine}[[scenario]]\nname = \"s\"\nthreads = {{ a = [{threads}] }}\n"));
            assert_eq!(shown(&nulls, NullModel::NoSharing), [120.0], "{threads}");
            assert_eq!(shown(&nulls, NullModel::EqualParts), [equal], "{threads}");
            let contention = nulls.contention.expect("there are threads");
            assert_eq!((contention.ratio, contention.resource), (ratio, Resource::L3(NodeId(0), 0)));
        }
    }

    #[test]
    fn with_static_scheduling_the_slowest_thread_decides() {
        // Node 1's threads get 1 GB/s of the link's 2 each; those of node 0 get 10 GB/s of 40 among 4
        // threads.
        let nulls = nulls(
            "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 20\nbandwidth_gbs = 40\nlink_gbs = 2\n\
             [[app]]\nname = \"a\"\narithmetic_intensity = 1\ndata = { home = 0 }\n\
             [[scenario]]\nname = \"s\"\nstatic = true\nthreads = { a = [2, 2] }\n",
        );
        assert_eq!(shown(&nulls, NullModel::EqualParts), [4.0]);
        assert_eq!(shown(&nulls, NullModel::NoSharing), [8.0]);
    }
}
