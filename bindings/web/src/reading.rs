//! The contents of the files, and the values that can be changed.

use numasim_ask::lettering::Lettering;
use numasim_ask::{data_words, document, lettering, machine_title};
use numasim_course::Study;
use numasim_draw::colour_of;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{App, AppId, Data, Machine, ModelKind, NodeId, OpenData, Placement};
use numasim_sim::baselines::{Baseline, even};
use numasim_sim::search::Unattended;
use numasim_sim::sweep::Task;
use numasim_sim::{Objective, Problem, Restrictions};
use serde::Serialize;

use crate::question::{Asked, Placed, Question, asked};

/// Everything that the page can show and change.
#[derive(Serialize)]
struct Contents<'a> {
    version: &'static str,
    machine: String,
    model: &'static str,
    /// Models that respect every property of the machine.
    models: Vec<&'static str>,
    /// The default of `objectives`.
    objective: &'static str,
    objectives: Vec<&'static str>,
    nodes: Vec<NodeContents>,
    /// Whether some node has several L3 domains.
    has_domains: bool,
    /// From the node of the cores (row) to that of the memory (column); null if there is no link.
    link_gbs: Vec<Vec<Option<f64>>>,
    shared_links: Vec<SharedLink<'a>>,
    apps: Vec<AppContents<'a>>,
    /// Initial placements: `even`, `one app per node` if possible, and the scenarios of the files.
    starts: Vec<Placed>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct SharedLink<'a> {
    name: &'a str,
    gbs: f64,
}

#[derive(Serialize)]
struct NodeContents {
    cores: u32,
    /// Its L3 domains, all with the same number of cores.
    domains: usize,
    /// Cores of each L3 domain.
    domain_cores: u32,
    /// The largest read bandwidth of each L3 domain; `None`: no limit.
    l3_read_gbs: Option<f64>,
    gflops_per_core: f64,
    /// `None` if it has no memory.
    bandwidth_gbs: Option<f64>,
    core_bandwidth_gbs: Option<f64>,
}

#[derive(Serialize)]
struct AppContents<'a> {
    name: &'a str,
    letter: String,
    colour: String,
    arithmetic_intensity: f64,
    /// Whether its intensity can be changed: the intensity of a real kernel is counted.
    is_counted: bool,
    /// The placement of its data, in words; null if it is open.
    data: Option<String>,
    /// Hardware threads of a core that it uses, as in the files.
    smt: &'static str,
    /// Whether it can use one or both hardware threads of a core.
    may_have_both: bool,
    /// Whether its data has a home that can be moved.
    has_home: bool,
    /// Whether the fractions of its data are open; they can be changed in steps of 1/16.
    has_parts: bool,
    /// The nodes that may hold its threads; null: all.
    nodes: Option<Vec<usize>>,
}

/// Reads the contents of the files.
///
/// # Errors
/// The message of the command line.
pub fn read(question: &str) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let Asked { input, warnings, .. } = asked(&question, Task::Evaluate)?;
    let study = &input.study;
    let machine = &study.machine;
    let letters = Lettering::new(&study.apps);
    let apps =
        study.apps.iter().enumerate().map(|(number, app)| of_app(app, letters.of(AppId(number)), machine));
    let able = |kind: &ModelKind| machine.clone().with_model(*kind).sharing_refusal().is_none();
    let contents = Contents {
        version: env!("CARGO_PKG_VERSION"),
        machine: machine_title(machine),
        model: machine.sharing().name(),
        models: ModelKind::ALL.into_iter().filter(able).map(ModelKind::as_str).collect(),
        objective: Objective::default().as_str(),
        objectives: Objective::ALL.map(Objective::as_str).to_vec(),
        nodes: machine.nodes().iter().map(of_node).collect(),
        has_domains: machine.has_domains(),
        link_gbs: links(machine),
        shared_links: machine
            .shared_links()
            .iter()
            .map(|link| SharedLink { name: &link.name, gbs: link.bandwidth.value() })
            .collect(),
        apps: apps.collect(),
        starts: starts(study),
        warnings,
    };
    Ok(document::text(&contents))
}

fn of_node(node: &numasim_model::Node) -> NodeContents {
    NodeContents {
        cores: node.cores,
        domains: node.domains(),
        domain_cores: node.domain_cores(),
        l3_read_gbs: node.l3_bandwidth.map(GigabytesPerSecond::value),
        gflops_per_core: node.gflops_per_core.value(),
        bandwidth_gbs: node.has_memory().then(|| node.bandwidth.value()),
        core_bandwidth_gbs: node.core_bandwidth.map(GigabytesPerSecond::value),
    }
}

fn links(machine: &Machine) -> Vec<Vec<Option<f64>>> {
    let nodes = || (0..machine.node_count()).map(NodeId);
    let of = |from, to| machine.link(from, to).map(GigabytesPerSecond::value);
    nodes().map(|from| nodes().map(|to| of(from, to)).collect()).collect()
}

fn of_app<'a>(app: &'a App, letter: usize, machine: &Machine) -> AppContents<'a> {
    let home = app.data.placement().map(Placement::home);
    AppContents {
        name: &app.name,
        letter: lettering::label(letter),
        colour: colour_of(letter),
        arithmetic_intensity: app.arithmetic_intensity.value(),
        is_counted: app.problem.is_some(),
        data: app.data.placement().map(data_words::brief),
        smt: app.smt.as_str(),
        may_have_both: app.smt_speedup.is_some() && machine.threads_per_core() > 1,
        has_home: app.data.open() == Some(OpenData::Home) || home.flatten().is_some(),
        has_parts: app.data.open() == Some(OpenData::Fractions),
        nodes: app.nodes.as_ref().map(|nodes| numasim_ask::numbers(nodes)),
    }
}

/// Initial placements; open data is placed best.
fn starts(study: &Study) -> Vec<Placed> {
    let problem = Problem::new(&study.machine, &study.apps, Objective::TotalGflops, Restrictions::default());
    if let Ok(problem) = problem {
        let all = problem.baselines(&study.scenarios, &Unattended).into_iter();
        return all
            .map(|Baseline { name, candidate, static_work, .. }| {
                Placed::of(&name, &study.apps, &candidate, static_work)
            })
            .collect();
    }
    // No allocation meets the limits of the files, but placements of the user may still be tried.
    let rows = even(&study.machine, &study.apps);
    let nodes = study.machine.node_count();
    let first = study.machine.memory_nodes().next().unwrap_or(NodeId(0));
    let on_first: Vec<u32> = (0..nodes).map(|node| if node == first.0 { Data::STEPS } else { 0 }).collect();
    let placements: Vec<Placement> = study.apps.iter().map(|app| app.data.placement_of(&on_first)).collect();
    vec![Placed::at("even", &study.apps, &rows, &placements, false)]
}
