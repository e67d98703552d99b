//! A fitted machine as a machine file, with the origin of each value.

use std::collections::BTreeMap;

use numasim_model::Machine;
use numasim_model::machine::{FigureKind, Provenance};
use numasim_study::keys::{machine as keys, sharing};
use numasim_study::writing::machine::{Style, is_short, machine};
use numasim_study::writing::{Lines, Notes, six_digits};

use super::{Estimate, Fit, Fitted};
use crate::statistics::WIDEST_REACH;

/// The `[machine]` table of a fit. `original` is the machine of the files; `source` describes the fitted data
/// in one line.
///
/// Equal nodes are written as a uniform machine, others node by node with a matrix.
pub fn machine_file(original: &Machine, fit: &Fit, source: &str) -> String {
    let fitted = fit.machine.clone().with_name(format!("{}, fitted", original.name()));
    let fitted = fitted.with_source(Some(source.to_owned())).with_provenance(origins(original, fit));
    // The origin of parameters of the sharing model is a comment, because `[machine.provenance]` cannot
    // express it.
    let mut notes = Notes::default();
    for one in fit.figures.iter().filter(|one| one.parameter.provenance_key().is_none()) {
        let origin = format!("numasim fit: {}", origin(one, fit.figures.len() > 1));
        notes.above((&sharing::TABLE, 0), &sharing::MODEL, origin);
    }
    let mut lines = Lines::noted(notes);
    lines.comment(source.replace('\n', " "));
    lines.comment(format_args!("Errors of the fit: mean {}", percents(fit.errors.mean, fit.errors.worst)));
    lines.comment(match fit.blind_errors {
        Some(errors) => format!(
            "Errors where each scenario is left out and predicted: mean {}",
            percents(errors.mean, errors.worst)
        ),
        None => "No scenario could be left out and predicted: nothing says what the fit is worth.".to_owned(),
    });
    machine(&mut lines, &fitted, Style { figure: six_digits, short: true });
    lines.text()
}

fn percents(mean: f64, worst: f64) -> String {
    format!("{:.1} %, worst {:.1} %", 100.0 * mean, 100.0 * worst)
}

/// `[machine.provenance]`: fitted values are estimated, the others keep their origin. For the values of a
/// matrix, the entry of the matrix describes the origin.
fn origins(original: &Machine, fit: &Fit) -> BTreeMap<String, Provenance> {
    let mut all = original.provenance().clone();
    let matrix = !is_short(&fit.machine);
    let in_form = |key: &'static str| {
        let flat = [keys::BANDWIDTH_GBS.name, keys::LINK_GBS.name].contains(&key);
        if matrix && flat { keys::BANDWIDTH_MATRIX_GBS.name } else { key }
    };
    let mut messages: BTreeMap<&str, (Vec<String>, Option<f64>)> = BTreeMap::new();
    for fitted in fit.figures.iter().filter(|fitted| fitted.estimate != Estimate::NoInfluence) {
        let Some(key) = fitted.parameter.provenance_key() else { continue };
        let (messages, reach) = messages.entry(in_form(key)).or_default();
        messages.push(origin(fitted, fit.figures.len() > 1));
        *reach = (*reach).into_iter().chain(interval95_percent(&fitted.estimate)).reduce(f64::max);
    }
    for (key, (messages, reach)) in messages {
        let source = Some(format!("numasim fit: {}", messages.join("; ")));
        // Some values of a matrix are unchanged.
        let before = all.get(key).and_then(|before| before.interval95_percent).filter(|_| matrix);
        let interval95_percent = reach.into_iter().chain(before).reduce(f64::max);
        let kind = FigureKind::Estimated;
        all.insert(
            key.to_owned(),
            Provenance { kind, source, uncertainty_percent: None, interval95_percent },
        );
    }
    all
}

/// Half-width of the interval, which has the same factor to both sides.
fn interval95_percent(estimate: &Estimate) -> Option<f64> {
    estimate.interval().map(|(low, high)| 100.0 * ((high / low).sqrt() - 1.0))
}

/// The origin of the value; with `others`, several values were free.
fn origin(fitted: &Fitted, others: bool) -> String {
    let fixed = if others { ", with the other figures as fitted" } else { "" };
    let (key, unit) = (fitted.parameter.key(), fitted.parameter.unit());
    match &fitted.estimate {
        Estimate::Determined { value, interval: Some(_), .. } if fitted.estimate.interval().is_none() => {
            let value = six_digits(*value);
            format!("{key} {value} {unit}, 95 % further than a factor of {WIDEST_REACH} to both sides")
        }
        Estimate::Determined { value, interval: Some((low, high)), .. } => {
            format!("{key} {} {unit}, 95 % {} to {}", six_digits(*value), six_digits(*low), six_digits(*high))
        }
        Estimate::Determined { value, interval: None, .. } => {
            format!("{key} {} {unit}, as many figures as measurements", six_digits(*value))
        }
        Estimate::AtLeast(value) => format!("{key} at least {} {unit}{fixed}", six_digits(*value)),
        Estimate::AtMost(value) => format!("{key} at most {} {unit}{fixed}", six_digits(*value)),
        Estimate::AtEnd(value) => {
            format!("{key} {} {unit}, the end of the range that was searched", six_digits(*value))
        }
        Estimate::NoInfluence => format!("{key} not determined"),
        Estimate::Inseparable(others) => format!("{key} only together with {}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::{NodeId, Study};
    use numasim_study::SourceFile;

    use super::*;
    use crate::fit::{Observed, Parameter, by_solver, fit};

    const APPS: &str = "[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\n[[scenario]]\nname = \"all\"\nthreads = { a = 2 }\n";

    fn study(machine: &str) -> Study {
        let file = SourceFile { name: "m.toml".into(), text: format!("{machine}\n{APPS}") };
        numasim_study::read_study(&[file]).expect("in order").study
    }

    /// The file for a fit of some keys to one measured total.
    fn written(machine: &str, gflops: f64, keys: &[&str]) -> (Fit, String) {
        let study = study(machine);
        let free: Vec<Parameter> =
            keys.iter().map(|key| Parameter::read(&study.machine, key).expect("a key")).collect();
        let observed = [Observed { scenario: 0, app: None, gflops }];
        let fit = fit(&study, &observed, &free, true, &by_solver(&study)).expect("a fit");
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
        // Node 1 is memory only; the threads of node 0 share its 10 GB/s: 5 GFLOPS.
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
    fn shared_links_memory_and_read_limits_are_unchanged() {
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
        // One node, 2 threads of 0.5 FLOP/byte that request 18 GB/s each, B = 10: at 4 GFLOPS they get 8 GB/s
        // together, which a knee explains.
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
    fn the_interval_of_a_fitted_value_has_the_same_factor_to_both_sides() {
        // 8 to 12.5 around 10: a factor of 1.25.
        let of =
            |interval| interval95_percent(&Estimate::Determined { value: 10.0, interval, left_out: None });
        assert!((of(Some((8.0, 12.5))).expect("an interval") - 25.0).abs() < 1e-9);
        assert_eq!((of(None), of(Some((0.05, 2000.0)))), (None, None));
    }
}
