//! One evaluated scenario: the result, the view that pictures and tables are made from, and the object of the documents.

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
    /// What it belongs to; its applications have the `smt` of the scenario.
    pub study: Arc<Study>,
    /// Its name.
    pub name: String,
    /// Threads of each application on each node.
    pub allocation: Allocation,
    /// Where the data of each application lies.
    pub placements: Vec<Placement>,
    /// GFLOPS, GB/s and bottlenecks of each application, and the use of each memory and link.
    pub evaluation: Evaluation,
    /// How far off that may be, if figures of the machine are uncertain.
    pub intervals: Option<Prediction>,
    /// The worked calculation as text, if it was asked for.
    pub explanation: Option<String>,
}

impl EvaluatedScenario {
    /// What pictures and tables are made from.
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

/// One evaluated scenario with everything that went into it.
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
    /// Where the data of each application lies in this scenario.
    pub placements: &'a [Placement],
    /// The result.
    pub evaluation: &'a Evaluation,
    /// How far off it may be, where figures of the machine are uncertain.
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

    /// The sum of what applications achieve, with its unit: a rate if all that have threads count that, else GFLOPS of those that compute.
    pub fn total(&self) -> (f64, &'a str) {
        let active = || self.active_apps().map(|app| &self.apps[app.0]);
        let unit = if active().next().is_some() { common_unit(active()) } else { common_unit(self.apps) };
        let rate = unit.and_then(|unit| self.total_rates().into_iter().find(|(_, of)| *of == unit));
        rate.unwrap_or((self.evaluation.total.value(), "GFLOPS"))
    }

    /// The sum of the rates of all applications that count the same, for each unit. Different units have no sum.
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

    /// The same, but GB/s if all that have threads only move data.
    pub fn worth(&self) -> (f64, &'a str) {
        let own = self.total();
        let mut active = self.active_apps().peekable();
        if own.1 != "GFLOPS" || active.peek().is_none() || active.any(|app| self.apps[app.0].computes()) {
            return own;
        }
        let moved = self.evaluation.apps.iter().map(|app| app.bandwidth.value());
        (moved.fold(0.0, |sum, gbs| sum + gbs), "GB/s")
    }

    /// The applications that have threads.
    pub fn active_apps(&self) -> impl Iterator<Item = AppId> + '_ {
        self.app_ids().filter(|&app| self.allocation.total(app) > 0)
    }
}

/// The study whose applications use so many hardware threads of a core: one entry for each, or none where they stay as they are.
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

/// What becomes of each application, memory and link: the part that the scenarios of all documents have in common.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ScenarioObject<'a> {
    /// Its name.
    name: &'a str,
    /// Sum of the GFLOPS of all applications that count FLOP.
    total_gflops: f64,
    /// 95 % interval of the sum, in GFLOPS, where figures of the machine are uncertain.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_gflops_interval: Option<[f64; 2]>,
    /// Sums of the rates of all applications that count the same, where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    total_rates: Vec<TotalRate<'a>>,
    /// Work is divided beforehand: the slowest thread decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    static_work: Option<bool>,
    /// The applications, in the order of the files.
    apps: Vec<AppObject<'a>>,
    /// The memories.
    nodes: Vec<NodeObject>,
    /// L3 domains that can only read so much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    l3: Vec<L3Object>,
    /// The links between nodes.
    links: Vec<LinkObject>,
    /// The links that several pairs of nodes share.
    shared_links: Vec<SharedLinkObject<'a>>,
    /// What to know before trusting the result.
    warnings: Vec<WarningObject>,
}

/// What applications that count the same achieve together.
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
    /// GFLOPS of all its threads; null where it counts something else.
    gflops: Option<f64>,
    /// 95 % interval of `gflops`, in GFLOPS.
    #[serde(skip_serializing_if = "Option::is_none")]
    gflops_interval: Option<[f64; 2]>,
    /// What all its threads achieve, in `rate_unit`, where it does not count FLOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    /// 95 % interval of `rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_interval: Option<[f64; 2]>,
    /// The unit of `rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_unit: Option<&'a str>,
    /// What all its threads move, in GB/s (10^9 bytes).
    bandwidth_gbs: f64,
    /// 95 % interval of `bandwidth_gbs`, in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth_gbs_interval: Option<[f64; 2]>,
    /// Threads on each node.
    threads: Vec<u32>,
    /// Threads on each node in each of its L3 domains, where the machine has several on a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_per_l3: Option<Vec<Vec<u32>>>,
    /// On a machine with `threads_per_core` 2: `one` or `both` hardware threads of each of its cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    smt: Option<&'static str>,
    /// Cores on each node, on a machine with `threads_per_core` 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<&'a [u32]>,
    /// GFLOPS of its threads on each node; null where it counts something else.
    gflops_per_node: Option<Vec<f64>>,
    /// What its threads on each node achieve, in `rate_unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_per_node: Option<Vec<f64>>,
    /// The node of its data, where all of it is on one.
    home: Option<usize>,
    /// Its data, where that lies in fractions on the nodes, given or chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<FractionsObject<'a>>,
    /// Of static work: the node of the slowest thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    slowest_node: Option<u64>,
    /// What holds its threads on each node back; null where it has none.
    bottleneck_per_node: Vec<Option<BottleneckWord>>,
}

/// Data in fractions on the nodes, as the files have it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FractionsObject<'a> {
    /// The fraction on each node.
    fractions: &'a [f64],
}

impl<'a> FractionsObject<'a> {
    /// Of a placement; `None` of data that lies otherwise.
    pub(crate) fn of(placement: &'a Placement) -> Option<Self> {
        match placement {
            Placement::Fractions(fractions) => Some(Self { fractions }),
            _ => None,
        }
    }
}

word!(BottleneckWord, "Bottleneck", "What holds threads back.", numasim_model::Bottleneck::KINDS);

/// The memory of a node.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NodeObject {
    /// Its number, from 0.
    node: u64,
    /// What it can deliver, in GB/s.
    capacity_gbs: f64,
    /// What is moved to and from it, in GB/s.
    bandwidth_gbs: f64,
    /// The part of it by cores of other nodes, in GB/s.
    remote_gbs: f64,
    /// What that occupies, in GB/s of reads, where it is another figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<f64>,
    /// How long the cores of the node wait for a line of it beside all that is read, in ns: under `ecm`, where a latency and the bandwidth of a core
    /// are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    loaded_latency_ns: Option<f64>,
}

/// The way of an L3 domain to all memories.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct L3Object {
    /// Its node.
    node: u64,
    /// Its number, from 0 on each node.
    domain: u64,
    /// What it can carry, in GB/s.
    capacity_gbs: f64,
    /// What it carries, in GB/s.
    bandwidth_gbs: f64,
    /// What that occupies, in GB/s of reads, where it is another figure.
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
    /// What it can carry, in GB/s.
    capacity_gbs: f64,
    /// What it carries, in GB/s.
    bandwidth_gbs: f64,
    /// What that occupies, in GB/s of reads, where it is another figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<f64>,
}

/// One direction of a link that several pairs of nodes share.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SharedLinkObject<'a> {
    /// Its name.
    name: &'a str,
    /// The nodes of the cores, and those of the memories.
    direction: [Vec<u64>; 2],
    /// What it can carry, in GB/s.
    capacity_gbs: f64,
    /// What it carries, in GB/s.
    bandwidth_gbs: f64,
    /// What that occupies, in GB/s of reads, where it is another figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied_gbs: Option<f64>,
}

/// Reads of other nodes leave less of a memory than an equal part to the node's own threads.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WarningObject {
    /// `starved-by-remote`.
    kind: &'static str,
    /// The node.
    node: u64,
    /// What its own threads want, in GB/s.
    wanted_gbs: f64,
    /// What is left to them, in GB/s.
    left_gbs: f64,
    /// What an equal part would be, in GB/s.
    equal_part_gbs: f64,
    /// Threads that read the memory.
    readers: u64,
    /// The same in words.
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

/// What of a capacity is occupied, in GB/s of reads, where that is not what is drawn.
fn occupied(bandwidth: GigabytesPerSecond, occupied: GigabytesPerSecond) -> Option<f64> {
    (occupied != bandwidth).then(|| gbs(occupied))
}
