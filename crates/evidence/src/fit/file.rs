//! A fitted machine as a machine file, with the origin of each figure.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use numasim_model::machine::{FigureKind, Provenance};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, Node, NodeId};
use numasim_study::writing::{cache_of_node, distances, limits_of_node, quoted, shared_links};

use super::{Estimate, Fit, Fitted};

/// The `[machine]` table of a fit. `original` is the machine of the files; `source` says in one line what was fitted.
///
/// Equal nodes are written as a uniform machine, others node by node with a matrix.
pub fn machine_file(original: &Machine, fit: &Fit, source: &str) -> String {
    let machine = &fit.machine;
    let mut file = format!("# {}\n", source.replace('\n', " "));
    let _ = writeln!(file, "# Errors of the fit: mean {}", percents(fit.errors.mean, fit.errors.worst));
    if let Some(errors) = fit.blind_errors {
        let _ = writeln!(
            file,
            "# Errors where each scenario is left out and predicted: mean {}",
            percents(errors.mean, errors.worst)
        );
    } else {
        file.push_str("# No scenario could be left out and predicted: nothing says what the fit is worth.\n");
    }
    let _ = write!(
        file,
        "\n[machine]\nname = {}\nsource = {}\n",
        quoted(&format!("{}, fitted", original.name())),
        quoted(source)
    );
    if let Some((node, link)) = uniform(original, machine) {
        let _ = write!(
            file,
            "nodes = {}\ncores_per_node = {}\ngflops_per_core = {}\nbandwidth_gbs = {}\n",
            machine.node_count(),
            node.cores,
            short(node.gflops_per_core.value()),
            short(node.bandwidth.value()),
        );
        if let Some(link) = link {
            let _ = writeln!(file, "link_gbs = {}", short(link));
        }
        if let Some(most) = node.core_bandwidth {
            let _ = writeln!(file, "core_bandwidth_gbs = {}", short(most.value()));
        }
        file.push_str(&limits_of_node(&node));
        file.push_str(&cache_of_node(machine, NodeId(0)));
        let cpus: Option<Vec<String>> = original
            .os_nodes()
            .iter()
            .map(|node| node.cpus.as_ref().map(|cpus| quoted(&cpus.to_string())))
            .collect();
        if let Some(cpus) = cpus.filter(|cpus| !cpus.is_empty()) {
            let _ = writeln!(file, "cpus = [{}]", cpus.join(", "));
        }
        latencies(&mut file, machine);
        file.push_str(&distances(machine));
        origins(&mut file, original, fit, false);
        sharing(&mut file, fit);
    } else {
        matrix(&mut file, machine);
        latencies(&mut file, machine);
        file.push_str(&distances(machine));
        origins(&mut file, original, fit, true);
        sharing(&mut file, fit);
        nodes(&mut file, original, machine);
    }
    file.push_str(&shared_links(machine));
    file
}

fn percents(mean: f64, worst: f64) -> String {
    format!("{:.1} %, worst {:.1} %", 100.0 * mean, 100.0 * worst)
}

/// The one kind of node and the one link bandwidth (`None` with one node) of a machine that has no other.
fn uniform(original: &Machine, machine: &Machine) -> Option<(Node, Option<f64>)> {
    let (first, rest) = machine.nodes().split_first()?;
    let numbered = (0..).zip(original.os_nodes()).all(|(place, node)| node.number == place);
    let cache = machine.cache(NodeId(0));
    let same_caches = machine.node_ids().all(|node| machine.cache(node) == cache);
    if first.cores == 0 || rest.iter().any(|node| node != first) || !numbered || !same_caches {
        return None;
    }
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let mut links = pairs.filter_map(|(from, to)| Some(machine.link(from, to)?.value()));
    let link = links.next();
    links.all(|other| Some(other) == link).then_some((*first, link))
}

fn matrix(file: &mut String, machine: &Machine) {
    file.push_str(
        "# row = node of the core that runs, column = node of the memory; diagonal: local bandwidth\n",
    );
    file.push_str("bandwidth_matrix_gbs = [\n");
    for from in machine.node_ids() {
        let cell = |to: NodeId| {
            let local = machine.node(from).bandwidth.value();
            // In the row of a node without cores only the diagonal counts.
            short(if to == from {
                local
            } else {
                machine.link(from, to).map_or(0.0, GigabytesPerSecond::value)
            })
        };
        let cells: Vec<String> = machine.node_ids().map(cell).collect();
        let _ = writeln!(file, "    [{}],", cells.join(", "));
    }
    file.push_str("]\n");
}

/// Without it a fitted `outstanding_lines` would mean nothing.
fn latencies(file: &mut String, machine: &Machine) {
    if !machine.has_latencies() {
        return;
    }
    file.push_str("latency_matrix_ns = [\n");
    for from in machine.node_ids() {
        let cell = |to: NodeId| short(machine.latency_ns(from, to).unwrap_or_default());
        let cells: Vec<String> = machine.node_ids().map(cell).collect();
        let _ = writeln!(file, "    [{}],", cells.join(", "));
    }
    file.push_str("]\n");
}

/// How the machine shares bandwidth, unless it is the default. Where its parameters come from is a comment:
/// `[machine.provenance]` has no word for them.
fn sharing(file: &mut String, fit: &Fit) {
    let model = fit.machine.sharing();
    if *model == numasim_model::Model::default() {
        return;
    }
    let _ = write!(file, "\n[machine.sharing]\nmodel = {}\n", quoted(model.name()));
    for fitted in fit.figures.iter().filter(|fitted| fitted.parameter.provenance_key().is_none()) {
        let _ = writeln!(file, "# numasim fit: {}", origin(fitted, fit.figures.len() > 1));
    }
    for (parameter, value) in model.parameters.in_use() {
        let _ = writeln!(file, "{} = {}", parameter.key(), short(value));
    }
}

fn nodes(file: &mut String, original: &Machine, machine: &Machine) {
    for (n, node) in machine.nodes().iter().enumerate() {
        let _ = write!(
            file,
            "\n[[machine.node]]\ncores = {}\ngflops_per_core = {}\n",
            node.cores,
            short(node.gflops_per_core.value())
        );
        if let Some(most) = node.core_bandwidth {
            let _ = writeln!(file, "core_bandwidth_gbs = {}", short(most.value()));
        }
        file.push_str(&limits_of_node(node));
        file.push_str(&cache_of_node(machine, NodeId(n)));
        let Some(known) = original.os_nodes().get(n) else { continue };
        if let Some(cpus) = &known.cpus {
            let _ = writeln!(file, "cpus = {}", quoted(&cpus.to_string()));
        }
        if usize::try_from(known.number) != Ok(n) {
            let _ = writeln!(file, "os_node = {}", known.number);
        }
    }
}

/// `[machine.provenance]`: what was fitted is estimated, the rest is what it was.
fn origins(file: &mut String, original: &Machine, fit: &Fit, matrix: bool) {
    let mut all: BTreeMap<&str, Provenance> = BTreeMap::new();
    let in_form = |key: &'static str| match key {
        "bandwidth_gbs" | "link_gbs" if matrix => "bandwidth_matrix_gbs",
        key => key,
    };
    for (key, provenance) in original.provenance() {
        let fits = match key.as_str() {
            "bandwidth_gbs" | "link_gbs" => !matrix,
            // Sockets are written as the matrix that they stand for.
            "socket_link_gbs" => false,
            "bandwidth_matrix_gbs" => matrix,
            _ => true,
        };
        if fits {
            all.insert(key, provenance.clone());
        }
    }
    let mut messages: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut reaches: BTreeMap<&str, f64> = BTreeMap::new();
    for fitted in fit.figures.iter().filter(|fitted| fitted.estimate != Estimate::NoInfluence) {
        let Some(key) = fitted.parameter.provenance_key() else { continue };
        messages.entry(in_form(key)).or_default().push(origin(fitted, fit.figures.len() > 1));
        if let Some(percent) = interval95_percent(&fitted.estimate) {
            let widest = reaches.entry(in_form(key)).or_insert(percent);
            *widest = widest.max(percent);
        }
    }
    for (key, messages) in messages {
        let source = Some(format!("numasim fit: {}", messages.join("; ")));
        // Of a matrix some figures are as they were.
        let before = all.get(key).and_then(|before| before.interval95_percent).filter(|_| matrix);
        let interval95_percent = reaches.get(key).copied().into_iter().chain(before).reduce(f64::max);
        let kind = FigureKind::Estimated;
        all.insert(key, Provenance { kind, source, uncertainty_percent: None, interval95_percent });
    }
    if all.is_empty() {
        return;
    }
    file.push_str("\n[machine.provenance]\n");
    for (key, Provenance { kind, source, uncertainty_percent, interval95_percent }) in all {
        let source = source.map_or(String::new(), |source| format!(", source = {}", quoted(&source)));
        let uncertainty =
            uncertainty_percent.map_or(String::new(), |percent| format!(", uncertainty_percent = {percent}"));
        let interval = interval95_percent
            .map_or(String::new(), |percent| format!(", interval95_percent = {}", short(percent)));
        let _ = writeln!(file, "{key} = {{ kind = \"{}\"{source}{uncertainty}{interval} }}", kind.as_str());
    }
}

/// Half-width of the interval, which has the same factor to both sides. One of a factor of 100 and more says that the
/// figure is not known.
fn interval95_percent(estimate: &Estimate) -> Option<f64> {
    match estimate {
        Estimate::Determined { interval: Some((low, high)), .. } if high / low <= 1e4 => {
            Some(100.0 * ((high / low).sqrt() - 1.0))
        }
        _ => None,
    }
}

/// Where the value comes from; with `others`, several figures were free.
fn origin(fitted: &Fitted, others: bool) -> String {
    let fixed = if others { ", with the other figures as fitted" } else { "" };
    let (key, unit) = (fitted.parameter.key(), fitted.parameter.unit());
    match &fitted.estimate {
        Estimate::Determined { value, interval: Some((low, high)), .. } if high / low > 1e4 => {
            format!("{key} {} {unit}, 95 % further than a factor of 100 to both sides", short(*value))
        }
        Estimate::Determined { value, interval: Some((low, high)), .. } => {
            format!("{key} {} {unit}, 95 % {} to {}", short(*value), short(*low), short(*high))
        }
        Estimate::Determined { value, interval: None, .. } => {
            format!("{key} {} {unit}, as many figures as measurements", short(*value))
        }
        Estimate::AtLeast(value) => format!("{key} at least {} {unit}{fixed}", short(*value)),
        Estimate::AtMost(value) => format!("{key} at most {} {unit}{fixed}", short(*value)),
        Estimate::AtEnd(value) => {
            format!("{key} {} {unit}, the end of the range that was searched", short(*value))
        }
        Estimate::NoInfluence => format!("{key} not determined"),
        Estimate::Inseparable(others) => format!("{key} only together with {}", others.join(", ")),
    }
}

/// Six significant digits at most, without trailing zeros, and always with a point, so that TOML reads a float.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0.0".into();
    }
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite number is small")]
    let before = value.abs().log10().floor() as i32 + 1;
    let decimals = usize::try_from(6 - before).unwrap_or(0).max(1);
    let text = format!("{value:.decimals$}");
    let text = text.trim_end_matches('0');
    if text.ends_with('.') { format!("{text}0") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use numasim_model::Study;
    use numasim_study::SourceFile;

    use super::*;
    use crate::fit::{Observed, Parameter, by_solver, fit};

    const APPS: &str = "[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n[[scenario]]\nname = \"all\"\nthreads = { a = 2 }\n";

    fn study(machine: &str) -> Study {
        let file = SourceFile { name: "m.toml".into(), text: format!("{machine}\n{APPS}") };
        numasim_study::read_study(&[file]).expect("in order").study
    }

    /// The file written for a fit of some keys to one measured total.
    fn written(machine: &str, gflops: f64, keys: &[&str]) -> (Fit, String) {
        let study = study(machine);
        let free: Vec<Parameter> =
            keys.iter().map(|key| Parameter::read(&study.machine, key).expect("a key")).collect();
        let observed = [Observed { scenario: 0, app: None, gflops }];
        let fit = fit(&study, &observed, &free, &by_solver(&study)).expect("a fit");
        let text = machine_file(&study.machine, &fit, "from \"x.csv\"");
        (fit, text)
    }

    #[test]
    fn equal_nodes_are_written_as_a_uniform_machine_that_can_be_read_again() {
        // Two threads of 0.5 FLOP/byte on each of two nodes share B each: 2 B / 2 = 12 GFLOPS, B = 12.
        let machine = "[machine]\nname = \"two\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 9.0\nbandwidth_gbs = 10.0\n\
                       link_gbs = 4.25\ncpus = [\"0-1\", \"2-3\"]\n[machine.provenance]\ncores = { kind = \"measured\" }\n\
                       bandwidth_gbs = { kind = \"assumed\" }\n";
        let (_, text) = written(machine, 12.0, &["bandwidth_gbs"]);
        let read = study(&text).machine;
        assert_eq!(read.nodes()[1].bandwidth.value(), 12.0);
        assert_eq!(read.link(NodeId(0), NodeId(1)).expect("a link").value(), 4.25);
        assert_eq!(read.os_nodes(), study(machine).machine.os_nodes());
        assert_eq!(read.name(), "two, fitted");
        assert_eq!(read.provenance()["bandwidth_gbs"].kind, FigureKind::Estimated);
        assert_eq!(read.provenance()["cores"].kind, FigureKind::Measured);
        assert!(text.contains("No scenario could be left out"), "{text}");
    }

    #[test]
    fn different_nodes_are_written_one_by_one() {
        // Node 1 has memory only; the threads of node 0 share its 10 GB/s: 5 GFLOPS.
        let machine = "[machine]\nname = \"mixed\"\nbandwidth_matrix_gbs = [[8.0, 3.0], [1.0, 6.0]]\n\
                       [machine.provenance]\nbandwidth_matrix_gbs = { kind = \"measured\" }\n\
                       [[machine.node]]\ncores = 2\ngflops_per_core = 9.0\ncpus = \"0-1\"\nos_node = 4\n\
                       [[machine.node]]\ncores = 0\ngflops_per_core = 0.0\nos_node = 9\n";
        let (fit, text) = written(machine, 5.0, &["node.0.bandwidth_gbs"]);
        let read = study(&text).machine;
        assert_eq!(read.nodes()[0].bandwidth.value(), 10.0);
        assert_eq!(read.nodes()[1], fit.machine.nodes()[1]);
        assert_eq!(read.link(NodeId(0), NodeId(1)).expect("a link").value(), 3.0);
        assert_eq!(read.os_nodes(), study(machine).machine.os_nodes());
        let origin = &read.provenance()["bandwidth_matrix_gbs"];
        assert_eq!(origin.kind, FigureKind::Estimated);
        assert!(
            origin.source.as_ref().is_some_and(|source| source.contains("node.0.bandwidth_gbs 10.0 GB/s"))
        );
    }

    #[test]
    fn shared_links_memory_and_what_a_node_reads_are_kept() {
        let machine = "[machine]\nname = \"two\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 9.0\nbandwidth_gbs = 10.0\n\
                       link_gbs = 4.25\nread_gbs = 11.0\ntriad_gbs = 7.5\nmemory_gib = 64.0\nllc_mb = 20.5\nllc_gbs = 30\ndistance_matrix = [[10, 21], [22, 10]]\nsockets = 2\nsocket_link_gbs = 4.0\nshared_link_gbs = 3.5\n\
                       [machine.provenance]\nshared_link = { kind = \"assumed\" }\n";
        let (_, text) = written(machine, 12.0, &["bandwidth_gbs"]);
        let (read, original) = (study(&text).machine, study(machine).machine);
        assert_eq!(read.shared_links(), original.shared_links());
        let kept = |machine: &Machine| {
            let node = machine.nodes()[1];
            let cache = machine.cache(NodeId(1)).copied();
            let distance = machine.distance(NodeId(1), NodeId(0));
            (
                node.read_bandwidth,
                node.memory,
                node.kernels,
                cache,
                distance,
                machine.provenance()["shared_link"].kind,
            )
        };
        assert_eq!(kept(&read), kept(&original));
    }

    #[test]
    fn parameters_of_the_sharing_model_are_written_with_it() {
        // One node, 2 threads of 0.5 FLOP/byte that want 18 GB/s each, B = 10: at 4 GFLOPS they get 8 GB/s together,
        // which a knee explains.
        let machine = "[machine]\nname = \"one\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 9.0\nbandwidth_gbs = 10.0\n\
                       [machine.sharing]\nmodel = \"max-min\"\nremote_loss = 0.25\n";
        let (fit, text) = written(machine, 4.0, &["sharing.saturation_knee"]);
        let read = study(&text).machine;
        assert!(
            (read.sharing().parameters.saturation_knee - fit.machine.sharing().parameters.saturation_knee)
                .abs()
                < 1e-4
        );
        assert!(read.sharing().parameters.saturation_knee > 0.1, "{text}");
        assert_eq!(read.sharing().parameters.remote_loss, 0.25);
        assert_eq!(read.sharing().name(), "max-min");
    }

    #[test]
    fn the_interval_of_a_fitted_figure_has_the_same_factor_to_both_sides() {
        // 8 to 12.5 around 10: a factor of 1.25.
        let of =
            |interval| interval95_percent(&Estimate::Determined { value: 10.0, interval, left_out: None });
        assert!((of(Some((8.0, 12.5))).expect("an interval") - 25.0).abs() < 1e-9);
        assert_eq!((of(None), of(Some((0.05, 2000.0)))), (None, None));
    }

    #[test]
    fn figures_have_six_digits_and_a_point() {
        assert_eq!(
            [100.0, 93.0133, 0.290_000_1, 1234.568, 1e7, 0.0].map(short),
            ["100.0", "93.0133", "0.29", "1234.57", "10000000.0", "0.0"]
        );
    }
}
