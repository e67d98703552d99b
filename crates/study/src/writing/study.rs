//! A study as an input file: every key of it, so that what is read again is the same, but for what its applications do
//! over time.

use std::fmt::Write as _;

use numasim_model::app::{App, Data};
use numasim_model::ids::{AppId, NodeId};
use numasim_model::machine::{Machine, Provenance};
use numasim_model::problem::{Cells, KernelProblem};
use numasim_model::scenario::{Scenario, Study};
use numasim_model::sharing::Model;
use numasim_model::units::GigabytesPerSecond;

use super::scenario::{home, placement, threads};
use super::{cache_of_node, float, kernel_variants, list, matrix, quoted, shared_links};
use crate::keys::{Shape, app, limits_of, machine, node, origin, problem, provenance, scenario, sharing};

/// The study as an input file.
pub fn study(study: &Study) -> String {
    let mut text = String::new();
    write_machine(&mut text, &study.machine);
    for app in &study.apps {
        write_app(&mut text, app);
    }
    for scenario in &study.scenarios {
        write_scenario(&mut text, study, scenario);
    }
    text
}

/// A line; writing to a `String` cannot fail.
macro_rules! line {
    ($text:expr, $key:expr, $value:expr) => {{
        let _ = writeln!($text, "{} = {}", $key.name, $value);
    }};
}

fn write_machine(text: &mut String, of: &Machine) {
    text.push_str("[machine]\n");
    line!(text, machine::NAME, quoted(of.name()));
    if let Some(source) = of.source() {
        line!(text, machine::SOURCE, quoted(source));
    }
    let pairs = |cell: &dyn Fn(NodeId, NodeId) -> f64| {
        let rows = of.node_ids().map(|from| of.node_ids().map(|to| cell(from, to)).collect());
        matrix(rows)
    };
    let bandwidth = |from, to| {
        if from == to {
            of.node(from).bandwidth.value()
        } else {
            of.link(from, to).map_or(0.0, GigabytesPerSecond::value)
        }
    };
    line!(text, machine::BANDWIDTH_MATRIX_GBS, pairs(&bandwidth));
    if of.has_latencies() {
        let latency = |from, to| of.latency_ns(from, to).unwrap_or_default();
        line!(text, machine::LATENCY_MATRIX_NS, pairs(&latency));
    }
    if of.has_distances() {
        let distance = |from, to| of.distance(from, to).unwrap_or_default();
        line!(text, machine::DISTANCE_MATRIX, pairs(&distance));
    }
    text.push_str(&kernel_variants(of.kernel_variants()));
    if *of.sharing() != Model::default() {
        text.push_str("\n[machine.sharing]\n");
        line!(text, sharing::MODEL, quoted(of.sharing().kind.name()));
        for (parameter, value) in of.sharing().parameters.in_use() {
            let _ = writeln!(text, "{} = {}", parameter.key(), float(value));
        }
    }
    write_provenance(text, of);
    for number in of.node_ids() {
        write_node(text, of, number);
    }
    text.push_str(&shared_links(of));
}

fn write_node(text: &mut String, of: &Machine, number: NodeId) {
    let own = of.node(number);
    text.push_str("\n[[machine.node]]\n");
    line!(text, node::CORES, own.cores);
    for (key, value) in limits_of(own) {
        if let Some(value) = value {
            line!(text, key, float(value));
        }
    }
    if own.cores > 0 {
        line!(text, node::GFLOPS_PER_CORE, float(own.gflops_per_core.value()));
    }
    let cache = cache_of_node(of, number);
    if cache.is_empty() && of.says_caches() {
        // Beside nodes with a cache it has none; of a machine without caches nothing is said.
        line!(text, node::LLC_MB, 0);
    }
    text.push_str(&cache);
    if let Some(os_node) = of.os_nodes().get(number.0) {
        if let Some(cpus) = &os_node.cpus {
            line!(text, node::CPUS, quoted(&cpus.to_string()));
        }
        line!(text, node::OS_NODE, os_node.number);
    }
}

/// Where the figures come from. Bandwidths are written as a matrix, so that what was said of `bandwidth_gbs` is said of the matrix.
fn write_provenance(text: &mut String, of: &Machine) {
    let origins = of.provenance();
    if origins.is_empty() {
        return;
    }
    text.push_str("\n[machine.provenance]\n");
    for key in provenance::TABLE.keys.iter().filter(|key| key.name != provenance::BANDWIDTH_GBS.name) {
        let of_matrix = key.name == provenance::BANDWIDTH_MATRIX_GBS.name;
        let flat = origins.get(provenance::BANDWIDTH_GBS.name).filter(|_| of_matrix);
        if let Some(found) = origins.get(key.name).or(flat) {
            line!(text, key, origin(found));
        }
    }
}

/// Where a figure comes from, as an inline table.
fn origin(of: &Provenance) -> String {
    let mut entries = vec![format!("{} = {}", origin::KIND.name, quoted(of.kind.as_str()))];
    entries.extend(of.source.as_ref().map(|source| format!("{} = {}", origin::SOURCE.name, quoted(source))));
    let percents = [
        (&origin::UNCERTAINTY_PERCENT, of.uncertainty_percent),
        (&origin::INTERVAL95_PERCENT, of.interval95_percent),
    ];
    let given = percents.into_iter().filter_map(|(key, percent)| Some((key, percent?)));
    entries.extend(given.map(|(key, percent)| format!("{} = {}", key.name, float(percent))));
    format!("{{ {} }}", entries.join(", "))
}

fn write_app(text: &mut String, of: &App) {
    text.push_str("\n[[app]]\n");
    line!(text, app::NAME, quoted(&of.name));
    line!(text, app::DATA, data(&of.data));
    if let Some(nodes) = &of.nodes {
        line!(text, app::NODES, list(nodes));
    }
    let kernel = of.problem.map_or(of.kernel.as_str(), |problem| problem.kernel().as_str());
    line!(text, app::KERNEL, quoted(kernel));
    for key in app::TABLE.keys {
        match key.app.and_then(|field| (field.get)(of)) {
            Some(value) if matches!(key.shape, Shape::Whole(..)) => line!(text, key, value),
            Some(value) => line!(text, key, float(value)),
            None => {}
        }
    }
    if let Some(problem) = &of.problem {
        text.push_str("\n[app.problem]\n");
        write_problem(text, problem);
    }
}

fn write_problem(text: &mut String, of: &KernelProblem) {
    let mut counts = |counts: &[(&crate::keys::Key, u64)]| {
        for (key, count) in counts {
            line!(text, key, count);
        }
    };
    match of {
        KernelProblem::BlackScholes(own) => {
            counts(&[(&problem::OPTIONS, own.options), (&problem::RUNS, own.runs)]);
        }
        KernelProblem::Dmv(own) => {
            counts(&[(&problem::ROWS, own.rows), (&problem::ITERATIONS, own.iterations)]);
        }
        KernelProblem::Stencil2d(own) => counts(&[
            (&problem::ROWS, own.rows),
            (&problem::COLUMNS, own.columns),
            (&problem::ITERATIONS, own.iterations),
        ]),
        KernelProblem::Seismic(own) => counts(&[
            (&problem::ROWS, own.rows),
            (&problem::COLUMNS, own.columns),
            (&problem::ITERATIONS, own.iterations),
        ]),
        KernelProblem::Chase(own) => counts(&[
            (&problem::SIZE_MIB, own.size_mib),
            (&problem::CHAINS, own.chains),
            (&problem::HOPS, own.hops),
        ]),
        KernelProblem::Spmv(own) => {
            let Cells(cells) = own.cells;
            counts(&[(&problem::ITERATIONS, own.iterations)]);
            line!(text, problem::CELLS, format!("{cells:?}"));
            line!(text, problem::ELEMENTS, quoted(own.elements.as_str()));
            line!(text, problem::PARTITION, quoted(own.partition.as_str()));
            line!(text, problem::STORAGE, quoted(own.storage.as_str()));
        }
        KernelProblem::Memcpy(own) => {
            counts(&[(&problem::SIZE_MIB, own.size_mib), (&problem::COPIES, own.copies)]);
            line!(text, problem::SOURCE, quoted(own.source.as_str()));
            line!(text, problem::FAULTS, quoted(own.faults.as_str()));
            line!(text, problem::HOW, quoted(own.how.as_str()));
        }
    }
}

fn write_scenario(text: &mut String, study: &Study, of: &Scenario) {
    text.push_str("\n[[scenario]]\n");
    line!(text, scenario::NAME, quoted(&of.name));
    if of.static_work {
        line!(text, scenario::STATIC, true);
    }
    line!(text, scenario::THREADS, threads(&study.apps, &of.allocation));
    let apps = study.apps.iter().zip(&of.data).enumerate();
    let elsewhere: Vec<String> = apps
        .filter(|(number, (app, own))| of.allocation.total(AppId(*number)) > 0 && app.data != **own)
        .map(|(_, (app, own))| format!("{} = {}", quoted(&app.name), data(own)))
        .collect();
    if !elsewhere.is_empty() {
        line!(text, scenario::DATA, format!("{{ {} }}", elsewhere.join(", ")));
    }
}

/// The value of `data`.
fn data(of: &Data) -> String {
    match of {
        Data::Placed(placed) => placement(placed),
        Data::OpenHome { share } => home("\"any\"", *share),
    }
}
