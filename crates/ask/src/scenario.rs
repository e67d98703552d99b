//! One evaluated scenario: the result, the view from which pictures and tables are made, and the object in the documents.

use std::borrow::Cow;
use std::sync::Arc;

use numasim_course::Study;
use numasim_model::demand::with_smt;
use numasim_model::evaluation::Warning;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Allocation, App, AppId, Evaluation, Machine, NodeId, Placement, Smt};
use numasim_sim::intervals::{Interval, Prediction};
use serde::Serialize;

use crate::document::{ends, plain, word, written_as};
use crate::warning;
use crate::wording::common_unit;

/// An evaluated scenario.
#[derive(Clone, Debug)]
pub struct EvaluatedScenario {
    /// The study that contains the scenario; its applications have the `smt` of the scenario.
    pub study: Arc<Study>,
    /// Its name.
    pub name: String,
    /// Threads of each application on each node.
    pub allocation: Allocation,
    /// Data placement of each application.
    pub placements: Vec<Placement>,
    /// GFLOPS, GB/s and bottlenecks of each application, and the load of each memory and link.
    pub evaluation: Evaluation,
    /// Uncertainty of the evaluation, if values of the machine are uncertain.
    pub intervals: Option<Prediction>,
    /// The worked calculation as text, if it was requested.
    pub explanation: Option<String>,
}

impl EvaluatedScenario {
    /// The view from which pictures and tables are made.
    pub fn view(&self) -> ScenarioView<'_> {
        ScenarioView {
            name: &self.name,
            machine: &self.study.machine,
            apps: &self.study.apps,
            allocation: &self.allocation,
            placements: &self.placements,
            evaluation: &self.evaluation,
            intervals: self.intervals.as_ref(),
        }
    }
}

/// One evaluated scenario with all its inputs.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioView<'a> {
    /// The name of the scenario.
    pub name: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// The applications, in the order of the files.
    pub apps: &'a [App],
    /// Threads of each application on each node.
    pub allocation: &'a Allocation,
    /// Data placement of each application in this scenario.
    pub placements: &'a [Placement],
    /// The result.
    pub evaluation: &'a Evaluation,
    /// Uncertainty of the result, if values of the machine are uncertain.
    pub intervals: Option<&'a Prediction>,
}

impl<'a> ScenarioView<'a> {
    /// Threads of an application on each node.
    pub fn threads(&self, app: AppId) -> Vec<u32> {
        self.apps[app.0].smt.threads(self.allocation.row(app))
    }

    /// Threads of an application over the whole machine.
    pub fn total_threads(&self, app: AppId) -> u64 {
        self.allocation.total(app) * u64::from(self.apps[app.0].smt.threads_per_core())
    }

    /// Hardware threads of a core that each application uses.
    pub fn smt(&self) -> Vec<Smt> {
        self.apps.iter().map(|app| app.smt).collect()
    }

    /// The applications as ids.
    pub fn app_ids(&self) -> impl Iterator<Item = AppId> + Clone + use<> {
        (0..self.apps.len()).map(AppId)
    }

    /// Total performance of all applications, with its unit. It is a rate if all applications with threads count the same unit. Otherwise
    /// it is the sum of the GFLOPS of the applications that count FLOP.
    pub fn total(&self) -> (f64, &'a str) {
        let active = || self.active_apps().map(|app| &self.apps[app.0]);
        let unit = if active().next().is_some() { common_unit(active()) } else { common_unit(self.apps) };
        let rate = unit.and_then(|unit| self.total_rates().into_iter().find(|(_, of)| *of == unit));
        rate.unwrap_or((self.evaluation.total.value(), "GFLOPS"))
    }

    /// Sums of the rates of all applications that count the same unit, one sum for each unit. Rates in different units are not added.
    pub fn total_rates(&self) -> Vec<(f64, &'a str)> {
        let mut totals: Vec<(f64, &str)> = Vec::new();
        for (app, found) in self.apps.iter().zip(&self.evaluation.apps) {
            let Some(unit) = app.rate_unit.as_deref() else { continue };
            match totals.iter_mut().find(|(_, of)| *of == unit) {
                Some((total, _)) => *total += found.gflops.value(),
                None => totals.push((found.gflops.value(), unit)),
            }
        }
        totals
    }

    /// Like [`Self::total`], but in GB/s if all applications with threads only move data.
    pub fn worth(&self) -> (f64, &'a str) {
        let own = self.total();
        let mut active = self.active_apps().peekable();
        if own.1 != "GFLOPS" || active.peek().is_none() || active.any(|app| self.apps[app.0].computes()) {
            return own;
        }
        let moved = self.evaluation.apps.iter().map(|app| app.bandwidth.value());
        (moved.fold(0.0, |sum, gbs| sum + gbs), "GB/s")
    }

    /// The applications with threads.
    pub fn active_apps(&self) -> impl Iterator<Item = AppId> + '_ {
        self.app_ids().filter(|&app| self.allocation.total(app) > 0)
    }
}

/// The study with this number of hardware threads per core: one entry for each application, or no entries to leave the applications
/// unchanged.
pub(crate) fn study_with(study: &Arc<Study>, smt: &[Smt]) -> Arc<Study> {
    match with_smt(&study.apps, smt) {
        Cow::Borrowed(_) => Arc::clone(study),
        Cow::Owned(apps) => {
            let mut own = Study::clone(study);
            own.at_rest.apps = apps;
            Arc::new(own)
        }
    }
}

written_as!(EvaluatedScenario => Explained);
written_as!(ScenarioView<'_> => ScenarioObject);

/// An evaluated scenario.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Explained<'a> {
    #[serde(flatten)]
    scenario: ScenarioObject<'a>,
    /// The worked calculation, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a str>,
}

impl<'a> From<&'a EvaluatedScenario> for Explained<'a> {
    fn from(one: &'a EvaluatedScenario) -> Self {
        Self { scenario: (&one.view()).into(), explanation: one.explanation.as_deref() }
    }
}

/// Results of each application, memory and link: the part that the scenarios of all documents have in common.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ScenarioObject<'a> {
    /// Its name.
    name: &'a str,
    /// Sum of the GFLOPS of all applications that count FLOP.
    total_gflops: f64,
    /// 95 % interval of the sum, in GFLOPS, if values of the machine are uncertain.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_gflops_interval: Option<[f64; 2]>,
    /// Sums of the rates of all applications that count the same unit, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    total_rates: Vec<TotalRate<'a>>,
    /// Work is scheduled statically: the slowest thread decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    static_work: Option<bool>,
    /// The applications, in the order of the files.
    apps: Vec<AppObject<'a>>,
    /// The memories.
    nodes: Vec<NodeObject>,
    /// L3 domains with a read limit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    l3: Vec<L3Object>,
    /// The links between nodes.
    links: Vec<LinkObject>,
    /// The links that several pairs of nodes share.
    shared_links: Vec<SharedLinkObject<'a>>,
    /// Warnings about the result.
    warnings: Vec<WarningObject>,
}

/// Total rate of the applications that count the same unit.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TotalRate<'a> {
    /// The sum, in `rate_unit`.
    rate: f64,
    /// The unit, e.g. queries/s.
    rate_unit: &'a str,
}

/// One application.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AppObject<'a> {
    /// Its name.
    name: &'a str,
    /// GFLOPS of all its threads; null if it counts something else.
    gflops: Option<f64>,
    /// 95 % interval of `gflops`, in GFLOPS.
    #[serde(skip_serializing_if = "Option::is_none")]
    gflops_interval: Option<[f64; 2]>,
    /// Rate of all its threads, in `rate_unit`, if it does not count FLOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    /// 95 % interval of `rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_interval: Option<[f64; 2]>,
    /// The unit of `rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_unit: Option<&'a str>,
    /// Bandwidth of all its threads, in GB/s (10^9 bytes).
    bandwidth_gbs: f64,
    /// 95 % interval of `bandwidth_gbs`, in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth_gbs_interval: Option<[f64; 2]>,
    /// Threads on each node.
    threads: Vec<u32>,
    /// Threads on each node in each of its L3 domains, if nodes of the machine have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_per_l3: Option<Vec<Vec<u32>>>,
    /// On a machine with `threads_per_core` 2: `one` or `both` hardware threads of each of its cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    smt: Option<&'static str>,
    /// Cores on each node, on a machine with `threads_per_core` 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<&'a [u32]>,
    /// GFLOPS of its threads on each node; null if it counts something else.
    gflops_per_node: Option<Vec<f64>>,
    /// Rate of its threads on each node, in `rate_unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_per_node: Option<Vec<f64>>,
    /// Home node of its data, if all its data is on one node.
    home: Option<usize>,
    /// Fractions of its data on each node, given or chosen, if the data is divided in this way.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<FractionsObject<'a>>,
    /// With static scheduling: the node of the slowest thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    slowest_node: Option<u64>,
    /// Bottleneck of its threads on each node; null for a node without its threads.
    bottleneck_per_node: Vec<Option<BottleneckWord>>,
}

/// Fractions of data on each node, as in the input files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FractionsObject<'a> {
    /// The fraction on each node.
    fractions: &'a [f64],
}

impl<'a> FractionsObject<'a> {
    /// Fractions of a placement; `None` if the data is placed in another way.
    pub(crate) fn of(placement: &'a Placement) -> Option<Self> {
        match placement {
            Placement::Fractions(fractions) => Some(Self { fractions }),
            _ => None,
        }
    }
}

word!(BottleneckWord, "Bottleneck", "What holds threads back.", numasim_model::Bottleneck::KINDS);

/// Memory of a node.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NodeObject {
    /// Its number, from 0.
    node: u64,
    /// Bandwidth that it can deliver, in GB/s.
    capacity_gbs: f64,
    /// Bandwidth to and from it, in GB/s.
    bandwidth_gbs: f64,
    /// Bandwidth used by cores of other nodes, in GB/s.
    remote_gbs: f64,
    /// Read-equivalent load, in GB/s, if it differs from the bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<f64>,
    /// Time for which the cores of the node wait for a line from this memory under the load of all reads, in ns. Present under `ecm` if a
    /// latency and the bandwidth of a core are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    loaded_latency_ns: Option<f64>,
}

/// Connection of an L3 domain to all memories.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct L3Object {
    /// The node.
    node: u64,
    /// Its number, from 0 on each node.
    domain: u64,
    /// Bandwidth that it can carry, in GB/s.
    capacity_gbs: f64,
    /// Bandwidth that it carries, in GB/s.
    bandwidth_gbs: f64,
    /// Read-equivalent load, in GB/s, if it differs from the bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<f64>,
}

/// A link.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LinkObject {
    /// The node of the cores.
    from: u64,
    /// The node of the memory.
    to: u64,
    /// Bandwidth that it can carry, in GB/s.
    capacity_gbs: f64,
    /// Bandwidth that it carries, in GB/s.
    bandwidth_gbs: f64,
    /// Read-equivalent load, in GB/s, if it differs from the bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<f64>,
}

/// One direction of a link that several pairs of nodes share.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SharedLinkObject<'a> {
    /// Its name.
    name: &'a str,
    /// The nodes of the cores and the nodes of the memories.
    direction: [Vec<u64>; 2],
    /// Bandwidth that it can carry, in GB/s.
    capacity_gbs: f64,
    /// Bandwidth that it carries, in GB/s.
    bandwidth_gbs: f64,
    /// Read-equivalent load, in GB/s, if it differs from the bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<f64>,
}

/// Reads by other nodes leave the node's own threads less than an equal share of its memory bandwidth.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WarningObject {
    /// `starved-by-remote`.
    kind: &'static str,
    /// The node.
    node: u64,
    /// Demand of its own threads, in GB/s.
    wanted_gbs: f64,
    /// Bandwidth left to them, in GB/s.
    left_gbs: f64,
    /// An equal share, in GB/s.
    equal_part_gbs: f64,
    /// Threads that read the memory.
    readers: u64,
    /// The warning as a sentence.
    message: String,
}

impl<'a> From<&ScenarioView<'a>> for ScenarioObject<'a> {
    fn from(view: &ScenarioView<'a>) -> Self {
        let evaluation = view.evaluation;
        let links = evaluation.links.iter().map(|link| LinkObject {
            from: link.from.0 as u64,
            to: link.to.0 as u64,
            capacity_gbs: gbs(link.capacity),
            bandwidth_gbs: gbs(link.bandwidth),
            occupied_gbs: occupied(link.bandwidth, link.occupied),
        });
        let nodes = evaluation.nodes.iter().map(|node| NodeObject {
            node: node.node.0 as u64,
            capacity_gbs: gbs(node.capacity),
            bandwidth_gbs: gbs(node.bandwidth),
            remote_gbs: gbs(node.remote),
            occupied_gbs: occupied(node.bandwidth, node.occupied),
            loaded_latency_ns: node.loaded_latency_ns.map(plain),
        });
        let l3 = evaluation.domains.iter().map(|used| L3Object {
            node: used.node.0 as u64,
            domain: used.domain as u64,
            capacity_gbs: gbs(used.capacity),
            bandwidth_gbs: gbs(used.bandwidth),
            occupied_gbs: occupied(used.bandwidth, used.occupied),
        });
        let per_l3 = view.machine.has_domains().then(|| view.allocation.per_l3(view.machine));
        let per_l3 = |app: AppId| per_l3.as_ref().and_then(|per_l3| per_l3.get(app.0).cloned());
        let ids = |nodes: &[NodeId]| nodes.iter().map(|node| node.0 as u64).collect();
        let shared_links = evaluation.shared_links.iter().map(|link| SharedLinkObject {
            name: &link.name,
            direction: [ids(&link.from), ids(&link.to)],
            capacity_gbs: gbs(link.capacity),
            bandwidth_gbs: gbs(link.bandwidth),
            occupied_gbs: occupied(link.bandwidth, link.occupied),
        });
        Self {
            name: view.name,
            total_gflops: plain(evaluation.total.value()),
            total_gflops_interval: view.intervals.map(|found| ends(found.total_gflops)),
            total_rates: view
                .total_rates()
                .into_iter()
                .map(|(rate, rate_unit)| TotalRate { rate: plain(rate), rate_unit })
                .collect(),
            static_work: evaluation.static_work.then_some(true),
            apps: view.app_ids().map(|app| AppObject::new(view, app, per_l3(app))).collect(),
            nodes: nodes.collect(),
            l3: l3.collect(),
            links: links.collect(),
            shared_links: shared_links.collect(),
            warnings: evaluation.warnings.iter().map(WarningObject::from).collect(),
        }
    }
}

impl<'a> AppObject<'a> {
    fn new(view: &ScenarioView<'a>, app: AppId, threads_per_l3: Option<Vec<Vec<u32>>>) -> Self {
        let result = &view.evaluation.apps[app.0];
        let interval =
            |of: fn(&Prediction) -> &Vec<Interval>| of(view.intervals?).get(app.0).copied().map(ends);
        let groups = || result.per_node.iter().map(Option::as_ref);
        let speed = plain(result.gflops.value());
        let speed_interval = interval(|found| &found.gflops);
        let speed_per_node =
            groups().map(|group| plain(group.map_or(0.0, |group| group.gflops.value()))).collect();
        let rate_unit = view.apps[app.0].rate_unit.as_deref();
        let is_rate = rate_unit.is_some();
        let two = view.machine.threads_per_core() > 1;
        let (gflops_per_node, rate_per_node) =
            if is_rate { (None, Some(speed_per_node)) } else { (Some(speed_per_node), None) };
        Self {
            name: &view.apps[app.0].name,
            gflops: (!is_rate).then_some(speed),
            gflops_interval: speed_interval.filter(|_| !is_rate),
            rate: is_rate.then_some(speed),
            rate_interval: speed_interval.filter(|_| is_rate),
            rate_unit,
            bandwidth_gbs: gbs(result.bandwidth),
            bandwidth_gbs_interval: interval(|found| &found.bandwidth_gbs),
            threads: view.threads(app),
            threads_per_l3: threads_per_l3
                .map(|nodes| nodes.iter().map(|cores| view.apps[app.0].smt.threads(cores)).collect()),
            smt: two.then(|| view.apps[app.0].smt.as_str()),
            cores: two.then(|| view.allocation.row(app)),
            gflops_per_node,
            rate_per_node,
            home: result.home.map(|home| home.0),
            data: FractionsObject::of(&view.placements[app.0]),
            slowest_node: result.slowest.map(|node| node.0 as u64),
            bottleneck_per_node: groups()
                .map(|group| group.map(|group| BottleneckWord(group.bottleneck.kind())))
                .collect(),
        }
    }
}

impl From<&Warning> for WarningObject {
    fn from(found: &Warning) -> Self {
        let Warning::StarvedByRemote { node, wanted, left, equal_part, readers } = found;
        Self {
            kind: "starved-by-remote",
            node: node.0 as u64,
            wanted_gbs: gbs(*wanted),
            left_gbs: gbs(*left),
            equal_part_gbs: gbs(*equal_part),
            readers: *readers as u64,
            message: warning::message(found),
        }
    }
}

fn gbs(value: GigabytesPerSecond) -> f64 {
    plain(value.value())
}

/// Read-equivalent load of a capacity, in GB/s, if it differs from the consumed bandwidth.
fn occupied(bandwidth: GigabytesPerSecond, occupied: GigabytesPerSecond) -> Option<f64> {
    (occupied != bandwidth).then(|| gbs(occupied))
}
