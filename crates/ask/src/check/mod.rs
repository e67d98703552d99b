//! Check: the contents of input files, every value in the notation of the files, and the values that are missing in all files.
//!
//! Applications, their behaviour over time, and settings are the keys that `numasim_study::keys` declares. A key that is declared with
//! its value is echoed here, as JSON, as CSV, and for people.

mod csv;
#[cfg(feature = "schema")]
mod declared;
mod machine;
mod people;
#[cfg(test)]
mod tests;
mod words;

use crate::reading::Reading;
use numasim_course::keys::{self as keys_over_time, call, channel, cluster, command, os, phase, policy};
use numasim_course::{Command, Course, Phase, Study, Work};
use numasim_draw::Style;
use numasim_graph::keys::{contender, runtime, scheduler};
use numasim_graph::values::{Generator, GraphSource, Parameter, TaskStudy};
use numasim_model::evaluation::MOST_NODES_WITH_ALL_LINKS;
use numasim_model::machine::{SharedLink, doubts};
use numasim_model::order::Order;
use numasim_model::units::{Gflop, GigabytesPerSecond};
use numasim_model::{App, AppId, Machine, NodeId, Scenario, Smt};
use numasim_study::keys::{self, Echo, Key, Part, data_echo};
use serde::Serialize;

use crate::document::{ByName, Head};
use crate::{input, numbers, room};

/// Keys with their values.
type Keys = ByName<Echo>;

/// The values that were read. For a machine of more than 64 nodes, the list of links is replaced by `link_gbs` if all links are equal,
/// else by `link_matrix_gbs`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checked<'r> {
    #[serde(flatten)]
    head: Head,
    /// The files.
    files: &'r [String],
    /// The machine.
    machine: MachineEcho<'r>,
    /// The applications, each instance.
    apps: Vec<AppEcho<'r>>,
    /// The scenarios.
    scenarios: Vec<ScenarioEcho<'r>>,
    /// The channels.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::channels"))]
    channels: Vec<Keys>,
    /// The calls.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::calls"))]
    calls: Vec<Keys>,
    /// The commands.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::commands"))]
    commands: Vec<Keys>,
    /// The policy.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::policy"))]
    policy: Keys,
    /// The operating system.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::os"))]
    os: Keys,
    /// The cluster.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::cluster"))]
    cluster: Option<Keys>,
    /// The graph of tasks.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::graph"))]
    graph: Option<Keys>,
    /// The scheduler of tasks.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::scheduler"))]
    scheduler: Option<Keys>,
    /// The runtime of tasks.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::runtime"))]
    runtime: Option<Keys>,
    /// The co-runner of the tasks.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::contender"))]
    contender: Option<Keys>,
    /// Values that are missing in all files.
    defaults: Vec<DefaultEcho<'r>>,
    /// Warnings about the files: implausible values, and scenarios that cannot be evaluated.
    #[serde(skip)]
    pub warnings: Vec<String>,
    #[serde(skip)]
    reading: &'r Reading,
}

/// An application.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AppEcho<'r> {
    /// Its name.
    name: &'r str,
    /// The name in the files.
    group: &'r str,
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::app"))]
    #[serde(flatten)]
    keys: Keys,
    /// Its behaviour over time.
    over_time: CourseEcho,
}

/// Behaviour of an application over time.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CourseEcho {
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::app"))]
    #[serde(flatten)]
    keys: Keys,
    /// Its phases.
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::phases"))]
    phases: Vec<Keys>,
}

/// A scenario.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ScenarioEcho<'r> {
    /// Its name.
    name: &'r str,
    /// Whether work is scheduled statically.
    #[serde(rename = "static")]
    is_static: bool,
    /// Threads of each application on each node.
    threads: ByName<Vec<u32>>,
    /// Threads in each L3 domain of each node, if the scenario specifies them.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_per_l3: Option<ByName<Vec<Vec<u32>>>>,
    /// Hardware threads per core, for the applications that do not use one.
    #[serde(skip_serializing_if = "Option::is_none")]
    smt: Option<ByName<&'static str>>,
    /// Data placement of each application.
    #[cfg_attr(feature = "schema", schemars(with = "ByName<serde_json::Value>"))]
    data: Keys,
}

/// A value that is missing in all files.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct DefaultEcho<'r> {
    /// Its table.
    table: &'static str,
    /// The name of the object with the value.
    name: &'r str,
    /// Its key.
    key: &'r str,
    /// The value, as a file would contain it.
    value: &'r str,
}

/// The machine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MachineEcho<'r> {
    /// Its name.
    name: &'r str,
    /// The source of its values.
    source: Option<&'r str>,
    /// Its nodes.
    nodes: Vec<NodeEcho>,
    /// Its links; empty for a large machine.
    links: Vec<LinkEcho>,
    /// Latencies from the cores of a node (row) to the memory of a node (column), in ns.
    latency_matrix_ns: Option<Matrix>,
    /// Distances reported by the firmware.
    distance_matrix: Option<Matrix>,
    /// Its sockets.
    sockets: Option<usize>,
    /// Hardware threads of each core, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_per_core: Option<u32>,
    /// Links shared by several pairs of nodes.
    shared_links: Vec<SharedLinkEcho<'r>>,
    /// The bandwidth-sharing model.
    sharing: SharingEcho,
    /// Provenance of each value, by its key.
    provenance: ByName<OriginEcho<'r>>,
    /// Implausible values.
    doubts: Vec<String>,
    /// Bandwidth of the links of a large machine if they are equal, in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    link_gbs: Option<f64>,
    /// Bandwidth of the links of a large machine if they differ, in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    link_matrix_gbs: Option<Matrix>,
}

/// A value for each pair of nodes.
type Matrix = Vec<Vec<Option<f64>>>;

/// A node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NodeEcho {
    /// Its number.
    node: usize,
    /// Its cores.
    cores: u32,
    /// GFLOPS of a core.
    gflops_per_core: f64,
    /// GB/s of its memory.
    bandwidth_gbs: f64,
    #[cfg_attr(feature = "schema", schemars(schema_with = "declared::limits"))]
    #[serde(flatten)]
    limits: ByName<serde_json::Value>,
    /// Bandwidth of its memory for mixed reads and writes: shares of writes, each with GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    mixed_gbs: Option<Vec<(f64, f64)>>,
    /// Its last-level cache in MB.
    llc_mb: Option<f64>,
    /// Bandwidth of a core from the last-level cache, in GB/s.
    llc_gbs: Option<f64>,
    /// Its number in the operating system.
    os_node: Option<u32>,
    /// Its logical CPUs.
    cpus: Option<String>,
    /// The node with its local memory, if it has no memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_memory: Option<usize>,
}

/// A link.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LinkEcho {
    /// The node of the cores.
    from: usize,
    /// The node of the memory.
    to: usize,
    /// Its GB/s.
    bandwidth_gbs: f64,
}

/// A link shared by several pairs of nodes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SharedLinkEcho<'r> {
    /// Its name.
    name: &'r str,
    /// Its GB/s in each direction.
    gbs: f64,
    /// Nodes of the cores.
    from: Vec<usize>,
    /// Nodes of the memories.
    to: Vec<usize>,
    /// Whether it also carries the reverse direction.
    both_ways: bool,
}

/// The bandwidth-sharing model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SharingEcho {
    /// The sharing model.
    model: &'static str,
    /// Its parameters that differ from the defaults.
    parameters: ByName<f64>,
}

/// Provenance of a value.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OriginEcho<'r> {
    /// Whether it was measured, or its other origin.
    kind: &'static str,
    /// The source of the value.
    source: Option<&'r str>,
    /// Uncertainty in percent.
    uncertainty_percent: Option<f64>,
    /// Half the width of its 95 % interval, in percent.
    interval95_percent: Option<f64>,
}

/// Result of reading: the values in all files.
pub fn check(reading: &Reading) -> Checked<'_> {
    let study = &reading.study;
    let of = |app: AppId| study.apps.get(app.0).map_or("", |app| app.name.as_str());
    let ends =
        |from: AppId, to: AppId| vec![("from".to_owned(), of(from).into()), ("to".to_owned(), of(to).into())];
    let dynamics = &study.dynamics;
    let channels = dynamics
        .channels
        .iter()
        .map(|channel| with(ends(channel.from, channel.to), channel::TABLE.echo(&[Part::Further(channel)])));
    let calls = dynamics
        .calls
        .iter()
        .map(|call| with(ends(call.from, call.to), call::TABLE.echo(&[Part::Further(call)])));
    let commands = dynamics.commands.iter().map(|order| {
        let mut keys = with(Vec::new(), command::TABLE.echo(&[Part::Further(order)]));
        keys.0.extend(entries([("app", of(order.app).into()), order_echo(order)]));
        keys
    });
    let tasks = (reading.further.tasks != TaskStudy::default()).then_some(&reading.further.tasks);
    Checked {
        head: Head::of("check"),
        files: &reading.files,
        machine: machine(&study.machine, reading.sockets),
        apps: apps(study),
        scenarios: scenarios(study),
        channels: channels.collect(),
        calls: calls.collect(),
        commands: commands.collect(),
        policy: named(policy::TABLE.echo(&[Part::Further(&dynamics.policy)])),
        os: named(os::TABLE.echo(&[Part::Further(&dynamics.os)])),
        cluster: dynamics.cluster.as_ref().map(|own| named(cluster::TABLE.echo(&[Part::Further(own)]))),
        graph: graph(&reading.further.tasks.source),
        scheduler: tasks.map(|tasks| {
            const FIRST: [&str; 6] =
                ["name", "stride", "window", "initial_extra", "intersection", "partition_ns_per_vertex_edge"];
            named(ordered(&FIRST, scheduler::TABLE.echo(&[Part::Further(&tasks.scheduler)])))
        }),
        runtime: tasks.map(|tasks| named(runtime::TABLE.echo(&[Part::Further(&tasks.runtime)]))),
        contender: reading
            .further
            .tasks
            .contender
            .as_ref()
            .map(|own| named(contender::TABLE.echo(&[Part::Further(own)]))),
        defaults: reading
            .defaults
            .iter()
            .map(|of| DefaultEcho {
                table: of.table.as_str(),
                name: &of.name,
                key: &of.key,
                value: &of.value,
            })
            .collect(),
        warnings: warnings(study),
        reading,
    }
}

impl Checked<'_> {
    /// A line for each value: table, name, key, value, default.
    pub fn csv(&self) -> String {
        csv::csv(self)
    }

    /// Text for people, at the width of the terminal or 100 columns.
    pub fn text(&self, style: &Style) -> String {
        people::text(self, style)
    }
}

fn warnings(study: &Study) -> Vec<String> {
    let full = study.scenarios.iter().filter_map(|scenario| {
        let full = room::full(study, scenario, &scenario.placements().ok()?)?;
        Some(format!("scenario '{}' cannot be evaluated: {}", scenario.name, room::words(study, &full)))
    });
    let machine = input::implausible(&study.machine).into_iter();
    machine.chain(study.apps.iter().filter_map(|app| fast_thread(&study.machine, app))).chain(full).collect()
}

/// Reports a thread that alone consumes more than any memory delivers. Such a value is for the whole application or from another machine.
fn fast_thread(machine: &Machine, app: &App) -> Option<String> {
    let gbs = app.thread_gbs?.value();
    let most = machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
    (gbs > most).then(|| {
        format!(
            "application '{}': `thread_gbs` is {gbs} GB/s, more than any memory of the machine delivers ({most} GB/s); \
             it is the bandwidth of one thread",
            app.name
        )
    })
}

fn entries<'k>(entries: impl IntoIterator<Item = (&'k str, Echo)>) -> Vec<(String, Echo)> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn named(keys: Vec<(&'static Key, Echo)>) -> Keys {
    with(Vec::new(), keys)
}

/// The keys in `first`, followed by the others.
fn with(mut first: Vec<(String, Echo)>, keys: Vec<(&'static Key, Echo)>) -> Keys {
    first.extend(entries(keys.into_iter().map(|(key, value)| (key.name, value))));
    ByName(first)
}

/// The order of documents, which is older than that of the declarations: the keys in `first`, then all others.
fn ordered(first: &[&str], mut keys: Vec<(&'static Key, Echo)>) -> Vec<(&'static Key, Echo)> {
    keys.sort_by_key(|(key, _)| first.iter().position(|name| *name == key.name).unwrap_or(first.len()));
    keys
}

fn apps(study: &Study) -> Vec<AppEcho<'_>> {
    const FIRST: [&str; 4] = ["arithmetic_intensity", "data", "kernel", "problem"];
    let apps = study.apps.iter().zip(&study.dynamics.courses);
    let echo = apps.map(|(app, course)| AppEcho {
        name: &app.name,
        group: &app.group,
        keys: named(ordered(&FIRST, app_keys(app))),
        over_time: over_time(course),
    });
    echo.collect()
}

/// Keys that are rare in files appear only if a file contains them.
fn app_keys(of: &App) -> Vec<(&'static Key, Echo)> {
    said(keys::app::TABLE.echo(&[Part::App(of)]))
}

/// Without those that few files have and none gives here.
fn said(keys: Vec<(&'static Key, Echo)>) -> Vec<(&'static Key, Echo)> {
    keys.into_iter().filter(|(key, value)| !key.goes_without_saying(value)).collect()
}

/// Behaviour of an application over time; `threads` on each node.
fn over_time(course: &Course) -> CourseEcho {
    const FIRST: [&str; 8] =
        ["iterations", "arrives_s", "threads", "bind", "control", "pick", "task_spread", "command"];
    CourseEcho {
        keys: named(ordered(&FIRST, said(keys_over_time::app::TABLE.echo(&[Part::Further(course)])))),
        phases: course.phases.iter().map(phase_echo).collect(),
    }
}

/// Work of each iteration: `gflop` of divisible work, or `tasks` with the list `task_gflop`; neither if no file defines the work.
fn phase_echo(of: &Phase) -> Keys {
    let mut keys = named(phase::TABLE.echo(&[Part::Further(of)]));
    match &of.work {
        Some(Work::Divisible(work)) => keys.0.extend(entries([("gflop", work.value().into())])),
        Some(Work::Tasks { count, each }) => {
            let each: Vec<f64> = each.iter().copied().map(Gflop::value).collect();
            keys.0.extend(entries([("tasks", (*count).into()), ("task_gflop", each.into())]));
        }
        None => {}
    }
    keys
}

fn order_echo(command: &Command) -> (&'static str, Echo) {
    match &command.order {
        Order::Total(total) => ("total", (*total).into()),
        Order::PerNode(threads) => ("per_node", threads.clone().into()),
        Order::Cores(cores) => ("cores", cores.clone().into()),
    }
}

fn scenarios(study: &Study) -> Vec<ScenarioEcho<'_>> {
    let apps = || study.apps.iter().map(|app| app.name.clone()).enumerate();
    let echo = study.scenarios.iter().map(|scenario| {
        let data = |index: usize| scenario.data.get(index).map_or(Echo::None, data_echo);
        ScenarioEcho {
            name: &scenario.name,
            is_static: scenario.static_work,
            threads: ByName(apps().map(|(index, name)| (name, scenario.threads(AppId(index)))).collect()),
            threads_per_l3: scenario.allocation.own_domains().map(|_| {
                let of = |(index, name)| Some((name, scenario.threads_per_l3(AppId(index))?));
                ByName(apps().filter_map(of).collect())
            }),
            smt: smt(scenario, &study.apps),
            data: ByName(apps().map(|(index, name)| (name, data(index))).collect()),
        }
    });
    echo.collect()
}

/// Hardware threads of the applications that do not use one per core.
fn smt(scenario: &Scenario, apps: &[App]) -> Option<ByName<&'static str>> {
    let others = apps.iter().zip(&scenario.smt).filter(|(_, smt)| **smt != Smt::One);
    let words: Vec<_> = others.map(|(app, smt)| (app.name.clone(), smt.as_str())).collect();
    if words.is_empty() { None } else { Some(ByName(words)) }
}

/// The graph: counts for listed tasks, or the generator with its parameters.
fn graph(source: &GraphSource) -> Option<Keys> {
    Some(ByName(match source {
        GraphSource::None => return None,
        GraphSource::Given(graph) => entries([
            ("name", graph.name().into()),
            ("blocks", graph.blocks().len().into()),
            ("tasks", graph.task_count().into()),
            ("accesses", graph.access_count().into()),
            ("types", graph.types().to_vec().into()),
        ]),
        GraphSource::Generated { name, generator } => {
            let mut keys =
                entries([("name", name.as_str().into()), ("generator", generator.as_str().into())]);
            keys.extend(parameters(generator));
            keys
        }
        GraphSource::Program { name, program } => entries([
            ("name", name.as_str().into()),
            ("chunks", program.chunks.into()),
            ("repeat", program.repeat.into()),
            ("arrays", program.arrays.len().into()),
            ("loops", program.loops.len().into()),
        ]),
    }))
}

/// The parameters of a generator, as files contain them: integers, except for sizes with a fraction.
fn parameters(generator: &Generator) -> Vec<(String, Echo)> {
    let in_its_unit = |key: &str, number: u64| -> Echo {
        match Parameter::find(key) {
            Some(size) if !number.is_multiple_of(size.unit) => size.in_its_unit(number).into(),
            found => (number / found.map_or(1, |parameter| parameter.unit)).into(),
        }
    };
    let pattern = match generator {
        Generator::TaskBench(bench) => Some(("pattern", bench.pattern.as_str().into())),
        _ => None,
    };
    let numbers = generator.parameters().into_iter().map(|(key, number)| (key, in_its_unit(key, number)));
    let init = generator.init().map(|init| ("init", init.into()));
    entries(pattern.into_iter().chain(numbers).chain(init))
}

fn machine(machine: &Machine, sockets: Option<usize>) -> MachineEcho<'_> {
    // A large machine has a million links, so the short form in its file replaces their list.
    let is_large = machine.node_count() > MOST_NODES_WITH_ALL_LINKS;
    let matrix = |value: &dyn Fn(NodeId, NodeId) -> Option<f64>| -> Matrix {
        machine.node_ids().map(|from| machine.node_ids().map(|to| value(from, to)).collect()).collect()
    };
    let link = |from, to| machine.link(from, to).map(GigabytesPerSecond::value);
    let equal = is_large.then(|| equal_links(machine)).flatten().map(GigabytesPerSecond::value);
    let links = pairs(machine)
        .filter(|_| !is_large)
        .filter_map(|(from, to)| Some(LinkEcho { from: from.0, to: to.0, bandwidth_gbs: link(from, to)? }));
    let provenance = machine.provenance().iter().map(|(key, origin)| {
        let echo = OriginEcho {
            kind: origin.kind.as_str(),
            source: origin.source.as_deref(),
            uncertainty_percent: origin.uncertainty_percent,
            interval95_percent: origin.interval95_percent,
        };
        (key.clone(), echo)
    });
    let sharing = machine.sharing();
    let parameters =
        sharing.parameters.in_use().map(|(parameter, value)| (parameter.as_str().to_owned(), value));
    MachineEcho {
        name: machine.name(),
        source: machine.source(),
        nodes: machine.node_ids().map(|node| node_echo(machine, node)).collect(),
        links: links.collect(),
        latency_matrix_ns: machine.has_latencies().then(|| matrix(&|from, to| machine.latency_ns(from, to))),
        distance_matrix: machine.has_distances().then(|| matrix(&|from, to| machine.distance(from, to))),
        sockets,
        threads_per_core: Some(machine.threads_per_core()).filter(|&threads| threads > 1),
        shared_links: machine.shared_links().iter().map(SharedLinkEcho::from).collect(),
        sharing: SharingEcho { model: sharing.name(), parameters: ByName(parameters.collect()) },
        provenance: ByName(provenance.collect()),
        doubts: doubts(machine),
        link_gbs: equal,
        link_matrix_gbs: (is_large && equal.is_none()).then(|| matrix(&link)),
    }
}

impl<'r> From<&'r SharedLink> for SharedLinkEcho<'r> {
    fn from(link: &'r SharedLink) -> Self {
        Self {
            name: &link.name,
            gbs: link.bandwidth.value(),
            from: numbers(&link.from),
            to: numbers(&link.to),
            both_ways: link.both_ways,
        }
    }
}

fn node_echo(machine: &Machine, id: NodeId) -> NodeEcho {
    let node = machine.node(id);
    let (cache, os_node) = (machine.cache(id), machine.os_nodes().get(id.0));
    // L3 domains are omitted for a machine without them.
    let limits = keys::limits_of(node)
        .filter(|(key, value)| value.is_some() || key.of_memory || !key.noted_when_used)
        .map(|(key, value)| {
            let count = node.cores_per_l3.filter(|_| *key == keys::node::CORES_PER_L3);
            (key.name.to_owned(), count.map_or_else(|| value.into(), Into::into))
        });
    NodeEcho {
        node: id.0,
        cores: node.cores,
        gflops_per_core: node.gflops_per_core.value(),
        bandwidth_gbs: node.bandwidth.value(),
        limits: ByName(limits.collect()),
        mixed_gbs: node.kernels.mixed.map(|mixed| mixed.points().to_vec()),
        llc_mb: cache.map(|cache| cache.size.value()),
        llc_gbs: cache.and_then(|cache| cache.core_bandwidth).map(GigabytesPerSecond::value),
        os_node: os_node.map(|os| os.number),
        cpus: os_node.and_then(|os| os.cpus.as_ref()).map(ToString::to_string),
        local_memory: (!machine.has_memory(id)).then(|| machine.local_memory(id).0),
    }
}

fn pairs(machine: &Machine) -> impl Iterator<Item = (NodeId, NodeId)> {
    machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)))
}

/// The common bandwidth of all links, if they are equal.
fn equal_links(machine: &Machine) -> Option<GigabytesPerSecond> {
    let mut links = pairs(machine).filter_map(|(from, to)| machine.link(from, to));
    let first = links.next()?;
    links.all(|link| link == first).then_some(first)
}
