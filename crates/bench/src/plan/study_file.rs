//! What a plan runs, as a study that the models can evaluate: so that measured and predicted scenarios are the same.

use numasim_host::HostTopology;
use numasim_model::input::schema::{
    AnyWord, AppTable, DataValue, DataWord, FigureTable, FractionsTable, HomeTable, HomeValue,
    InterleaveTable, KernelWord, MachineTable, NodeTable, ProvenanceTable, ScenarioTable, SharingTable,
    StudyFile, ThreadsValue,
};
use numasim_model::sharing::{Model, Parameter};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{
    Access, Allocation, App, AppId, Data, Machine, Node, NodeId, Placement, Scenario, Study,
};

use super::{PlanError, Shape, fit};

/// The study of the scenarios that run. `host`: some of them were scaled to it, and all are told by its nodes.
pub(super) fn of_plan(
    study: &Study,
    ran: &[Shape],
    host: Option<&HostTopology>,
    host_machine: Option<&Machine>,
) -> Result<Study, PlanError> {
    let machine = match (host_machine, host) {
        (Some(machine), _) => machine.clone(),
        (None, Some(host)) => on_host(&study.machine, host)?,
        (None, None) => study.machine.clone(),
    };
    let nodes = machine.node_count();
    let apps =
        study.apps.iter().map(|app| App { data: default_data(app, &study.machine, &machine), ..app.clone() });
    let scenarios = ran.iter().map(|shape| {
        let rows: Vec<Vec<u32>> = shape
            .threads
            .iter()
            .map(|row| (0..nodes).map(|node| row.get(node).copied().unwrap_or(0)).collect())
            .collect();
        let allocation = Allocation::from_rows(&rows).unwrap_or_else(|| Allocation::empty(rows.len(), nodes));
        allocation
            .fits(&machine)
            .map_err(|why| PlanError::Study(format!("scenario '{}': {why}", shape.name)))?;
        let own = shape.threads.first().map_or(nodes, Vec::len);
        let data = shape.data.iter().map(|data| Data::Placed(on_nodes(data, own, nodes)));
        Ok(Scenario { name: shape.name.clone(), allocation, data: data.collect() })
    });
    Ok(Study { apps: apps.collect(), scenarios: scenarios.collect::<Result<_, _>>()?, machine })
}

/// The data that an application has where no scenario says otherwise.
fn default_data(app: &App, from: &Machine, to: &Machine) -> Data {
    let Data::Placed(placement) = &app.data else { return app.data.clone() };
    if from.node_count() == to.node_count() {
        return app.data.clone();
    }
    let cores = |machine: &Machine| machine.nodes().iter().map(|node| node.cores).collect::<Vec<_>>();
    Data::Placed(fit::folded(placement, &fit::fold(&cores(from), &cores(to)), to.node_count()))
}

/// The same places on a machine with another number of nodes; what is not there was not used.
fn on_nodes(data: &Placement, from: usize, nodes: usize) -> Placement {
    let shares = match data {
        Placement::Interleave if from != nodes => &vec![1.0 / from as f64; from],
        Placement::Fractions(shares) if from != nodes => shares,
        other => return other.clone(),
    };
    Placement::Fractions((0..nodes).map(|node| shares.get(node).copied().unwrap_or(0.0)).collect())
}

/// Nodes and cores of the host with the figures of the file: each node has those of the first node that is folded onto
/// it, and where none is, those of the node before it.
fn on_host(file: &Machine, host: &HostTopology) -> Result<Machine, PlanError> {
    let cores: Vec<u32> = file.nodes().iter().map(|node| node.cores).collect();
    let there: Vec<u32> = host.nodes.iter().map(|node| node.cores).collect();
    let map = fit::fold(&cores, &there);
    let mut of: Vec<NodeId> = Vec::new();
    for (node, &cores) in there.iter().enumerate() {
        let folded = map.iter().position(|to| to.0 == node).map(NodeId);
        let with_cores = file.compute_nodes().next().unwrap_or(NodeId(0));
        let before = of.last().copied().unwrap_or(with_cores);
        let stand_in = if cores > 0 && file.node(before).cores == 0 { with_cores } else { before };
        of.push(folded.unwrap_or(stand_in));
    }
    let nodes = of.iter().zip(&there).map(|(&node, &cores)| {
        let figures = file.node(node);
        let peak = if cores > 0 { figures.gflops_per_core } else { Gflops::new(0.0) };
        Node { cores, gflops_per_core: peak, ..*figures }
    });
    let mut links = Vec::new();
    for &from in &of {
        for &to in &of {
            // Two nodes with the figures of one have no link in the file: the widest link from there, or its memory.
            let beside = || {
                file.node_ids()
                    .filter_map(|other| file.link(from, other))
                    .max_by(|a, b| a.value().total_cmp(&b.value()))
            };
            links.push(file.link(from, to).or_else(beside).unwrap_or(file.node(from).bandwidth));
        }
    }
    let source = format!("nodes and cores of {}, figures of {}", host.name, file.name());
    let machine = Machine::new(format!("{} on {}", file.name(), host.name), nodes.collect(), links);
    machine
        .map_err(|why| PlanError::Study(why.to_string()))?
        .with_source(Some(source))
        .with_sharing(*file.sharing())
        .with_os_nodes(host.os_nodes())
        .map_err(|why| PlanError::Study(why.to_string()))
}

/// A study as an input file.
pub fn study_file(study: &Study) -> StudyFile {
    StudyFile {
        machine: Some(machine_table(&study.machine)),
        app: study.apps.iter().map(app_table).collect(),
        scenario: study.scenarios.iter().map(|scenario| scenario_table(study, scenario)).collect(),
    }
}

fn machine_table(machine: &Machine) -> MachineTable {
    let row = |from: NodeId| -> Vec<f64> {
        let link = |to: NodeId| machine.link(from, to).map_or(0.0, GigabytesPerSecond::value);
        let local = machine.node(from).bandwidth.value();
        machine.node_ids().map(|to| if to == from { local } else { link(to) }).collect()
    };
    let node = |id: NodeId| {
        let (node, os_node) = (machine.node(id), machine.os_nodes().get(id.0));
        NodeTable {
            cores: node.cores,
            gflops_per_core: (node.cores > 0).then_some(node.gflops_per_core.value()),
            core_bandwidth_gbs: node.core_bandwidth.map(GigabytesPerSecond::value),
            cpus: os_node.and_then(|os_node| os_node.cpus.as_ref()).map(ToString::to_string),
            os_node: os_node.map(|os_node| os_node.number),
        }
    };
    MachineTable {
        name: machine.name().to_owned(),
        source: machine.source().map(str::to_owned),
        bandwidth_matrix_gbs: Some(machine.node_ids().map(row).collect()),
        latency_matrix_ns: machine.has_latencies().then(|| {
            let latency = |from, to| machine.latency_ns(from, to).unwrap_or(0.0);
            let row = |from| machine.node_ids().map(|to| latency(from, to)).collect();
            machine.node_ids().map(row).collect()
        }),
        sharing: (*machine.sharing() != Model::default()).then(|| sharing_table(machine.sharing())),
        provenance: (!machine.provenance().is_empty()).then(|| provenance_table(machine)),
        node: machine.node_ids().map(node).collect(),
        ..MachineTable::default()
    }
}

fn sharing_table(sharing: &Model) -> SharingTable {
    let mut table = SharingTable { model: Some(sharing.kind), ..SharingTable::default() };
    for (parameter, value) in sharing.parameters.in_use() {
        let place = match parameter {
            Parameter::SaturationKnee => &mut table.saturation_knee,
            Parameter::OverloadLoss => &mut table.overload_loss,
            Parameter::CoreLocal => &mut table.core_local_gbs,
            Parameter::CoreRemote => &mut table.core_remote_gbs,
            Parameter::OutstandingLines => &mut table.outstanding_lines,
            Parameter::LinkEfficiency => &mut table.link_efficiency,
            Parameter::RemoteLoss => &mut table.remote_loss,
            Parameter::RemoteWeight => &mut table.remote_weight,
            Parameter::EcmPenalty => &mut table.ecm_penalty,
        };
        *place = Some(value);
    }
    table
}

/// Where the figures come from. Bandwidths are written as a matrix here, so that what was said of `bandwidth_gbs` is
/// said of the matrix.
fn provenance_table(machine: &Machine) -> ProvenanceTable {
    let of = |key: &str| {
        machine.provenance().get(key).map(|origin| FigureTable {
            kind: origin.kind,
            source: origin.source.clone(),
            uncertainty_percent: origin.uncertainty_percent,
        })
    };
    ProvenanceTable {
        cores: of("cores"),
        gflops_per_core: of("gflops_per_core"),
        core_bandwidth_gbs: of("core_bandwidth_gbs"),
        bandwidth_matrix_gbs: of("bandwidth_matrix_gbs").or_else(|| of("bandwidth_gbs")),
        link_gbs: of("link_gbs"),
        ..ProvenanceTable::default()
    }
}

fn app_table(app: &App) -> AppTable {
    AppTable {
        name: app.name.clone(),
        instances: None,
        arithmetic_intensity: app.arithmetic_intensity.value(),
        data: Some(data_value(&app.data)),
        kernel: Some(match app.kernel {
            Access::Read => KernelWord::Read,
            Access::Copy => KernelWord::Copy,
            Access::Triad => KernelWord::Triad,
            Access::Update => KernelWord::Update,
        }),
        min_threads: Some(app.min_threads),
        max_threads: app.max_threads,
        weight: Some(app.weight),
        work_gflop: app.work.map(numasim_model::units::Gflop::value),
    }
}

fn scenario_table(study: &Study, scenario: &Scenario) -> ScenarioTable {
    let rows = study.apps.iter().enumerate().map(|(app, own)| (own, scenario.allocation.row(AppId(app))));
    let threads = rows.filter(|(_, row)| row.iter().any(|&threads| threads > 0));
    let data = study.apps.iter().zip(&scenario.data).enumerate();
    let elsewhere =
        data.filter(|(app, (own, data))| scenario.allocation.total(AppId(*app)) > 0 && own.data != **data);
    let elsewhere: std::collections::BTreeMap<String, DataValue> =
        elsewhere.map(|(_, (app, data))| (app.name.clone(), data_value(data))).collect();
    ScenarioTable {
        name: scenario.name.clone(),
        threads: threads.map(|(app, row)| (app.name.clone(), ThreadsValue::PerNode(row.to_vec()))).collect(),
        data: (!elsewhere.is_empty()).then_some(elsewhere),
    }
}

fn data_value(data: &Data) -> DataValue {
    match data {
        Data::OpenHome { share } => at_home(HomeValue::Word(AnyWord::Any), *share),
        Data::Placed(Placement::Local) => DataValue::Word(DataWord::Local),
        Data::Placed(Placement::Interleave) => DataValue::Word(DataWord::Interleave),
        Data::Placed(Placement::Home(home)) => at_home(node_value(*home), 1.0),
        Data::Placed(Placement::PartHome { home, share }) => at_home(node_value(*home), *share),
        Data::Placed(Placement::PartInterleave { share }) => {
            DataValue::Interleave(InterleaveTable { interleave: *share })
        }
        Data::Placed(Placement::Fractions(shares)) => {
            DataValue::Fractions(FractionsTable { fractions: shares.clone() })
        }
    }
}

fn at_home(home: HomeValue, share: f64) -> DataValue {
    DataValue::Home(HomeTable { home, share: (share < 1.0).then_some(share) })
}

fn node_value(node: NodeId) -> HomeValue {
    HomeValue::Node(u32::try_from(node.0).unwrap_or(u32::MAX))
}
