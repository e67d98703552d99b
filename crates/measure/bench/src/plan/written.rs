//! A study as an input file: every key of it, so that what is read again is the same, but for what its applications do
//! over time, which no benchmark runs.

use numasim_model::machine::{KernelVariants, SharedLink};
use numasim_model::sharing::{Model, Parameter};
use numasim_model::units::{Gibibytes, GigabytesPerSecond};
use numasim_model::{Access, App, AppId, Data, Machine, NodeId, Placement, Scenario, Study};
use numasim_study::schema::{
    AnyWord, AppTable, DataValue, DataWord, FigureTable, FractionsTable, HomeTable, HomeValue,
    InterleaveTable, IsaWord, KernelWord, KernelsTable, MachineTable, NodeTable, ProblemTable,
    ProvenanceTable, ScenarioTable, SharedLinkTable, SharingTable, StoresWord, StudyFile, ThreadsValue,
    VariantTable,
};

/// A study as an input file.
pub fn study_file(study: &Study) -> StudyFile {
    StudyFile {
        machine: Some(machine_table(&study.machine)),
        app: study.apps.iter().map(app_table).collect(),
        scenario: study.scenarios.iter().map(|scenario| scenario_table(study, scenario)).collect(),
        ..StudyFile::default()
    }
}

fn machine_table(machine: &Machine) -> MachineTable {
    let row = |from: NodeId| -> Vec<f64> {
        let link = |to: NodeId| machine.link(from, to).map_or(0.0, GigabytesPerSecond::value);
        let local = machine.node(from).bandwidth.value();
        machine.node_ids().map(|to| if to == from { local } else { link(to) }).collect()
    };
    let cache = |id| machine.cache(id);
    let node = |id: NodeId| {
        let (node, os_node) = (machine.node(id), machine.os_nodes().get(id.0));
        NodeTable {
            cores: node.cores,
            gflops_per_core: (node.cores > 0).then_some(node.gflops_per_core.value()),
            core_bandwidth_gbs: node.core_bandwidth.map(GigabytesPerSecond::value),
            read_gbs: node.read_bandwidth.map(GigabytesPerSecond::value),
            copy_gbs: node.kernels.copy.map(GigabytesPerSecond::value),
            triad_gbs: node.kernels.triad.map(GigabytesPerSecond::value),
            update_gbs: node.kernels.update.map(GigabytesPerSecond::value),
            memory_gib: node.memory.map(Gibibytes::value),
            // Of a machine without caches nothing is said; a node without one beside others says so.
            llc_mb: machine.says_caches().then(|| cache(id).map_or(0.0, |cache| cache.size.value())),
            llc_gbs: cache(id).and_then(|cache| cache.core_bandwidth).map(GigabytesPerSecond::value),
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
        distance_matrix: machine.has_distances().then(|| {
            let distance = |from, to| machine.distance(from, to).unwrap_or(0.0);
            let row = |from| machine.node_ids().map(|to| distance(from, to)).collect();
            machine.node_ids().map(row).collect()
        }),
        kernels: kernels_table(machine.kernel_variants()),
        sharing: (*machine.sharing() != Model::default()).then(|| sharing_table(machine.sharing())),
        provenance: (!machine.provenance().is_empty()).then(|| provenance_table(machine)),
        node: machine.node_ids().map(node).collect(),
        shared_link: machine.shared_links().iter().map(shared_link_table).collect(),
        ..MachineTable::default()
    }
}

fn kernels_table(variants: &KernelVariants) -> Option<KernelsTable> {
    let table = |access| {
        let said = variants.of(access)?;
        Some(VariantTable {
            isa: IsaWord::ALL.into_iter().find(|word| word.as_str() == said.isa)?,
            streams: said.streams,
            prefetch_bytes: said.prefetch_bytes,
            stores: (!said.streaming_stores).then_some(StoresWord::Cached),
        })
    };
    variants.iter().next()?;
    Some(KernelsTable {
        processor: variants.processor().map(str::to_owned),
        read: table(Access::Read),
        copy: table(Access::Copy),
        triad: table(Access::Triad),
        update: table(Access::Update),
    })
}

fn shared_link_table(link: &SharedLink) -> SharedLinkTable {
    let (from, to) = (node_numbers(&link.from), node_numbers(&link.to));
    SharedLinkTable {
        name: link.name.clone(),
        gbs: link.bandwidth.value(),
        between: link.both_ways.then(|| vec![from.clone(), to.clone()]),
        from: (!link.both_ways).then_some(from),
        to: (!link.both_ways).then_some(to),
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
            interval95_percent: origin.interval95_percent,
        })
    };
    ProvenanceTable {
        cores: of("cores"),
        gflops_per_core: of("gflops_per_core"),
        core_bandwidth_gbs: of("core_bandwidth_gbs"),
        bandwidth_matrix_gbs: of("bandwidth_matrix_gbs").or_else(|| of("bandwidth_gbs")),
        link_gbs: of("link_gbs"),
        shared_link: of("shared_link"),
        read_gbs: of("read_gbs"),
        copy_gbs: of("copy_gbs"),
        triad_gbs: of("triad_gbs"),
        update_gbs: of("update_gbs"),
        memory_gib: of("memory_gib"),
        llc_mb: of("llc_mb"),
        llc_gbs: of("llc_gbs"),
        distance_matrix: of("distance_matrix"),
        ..ProvenanceTable::default()
    }
}

fn app_table(app: &App) -> AppTable {
    AppTable {
        name: app.name.clone(),
        instances: None,
        arithmetic_intensity: Some(app.arithmetic_intensity.value()),
        data: Some(data_value(&app.data)),
        nodes: app.nodes.as_deref().map(node_numbers),
        memory_gib: app.memory.map(Gibibytes::value),
        kernel: Some(KernelWord::from(app)),
        problem: app.problem.as_ref().map(ProblemTable::from),
        min_threads: Some(app.min_threads),
        max_threads: app.max_threads,
        weight: Some(app.weight),
        work_gflop: app.work.map(numasim_model::units::Gflop::value),
        ..AppTable::default()
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
        static_work: scenario.static_work.then_some(true),
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
    HomeValue::Node(number(node))
}

fn node_numbers(nodes: &[NodeId]) -> Vec<u32> {
    nodes.iter().copied().map(number).collect()
}

fn number(node: NodeId) -> u32 {
    u32::try_from(node.0).unwrap_or(u32::MAX)
}
