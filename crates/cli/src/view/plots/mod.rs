//! The contents of plots of a machine and of an evaluated scenario: from the values of the model to plain plot data.

use numasim_ask::compare::Compared;
use numasim_ask::thread_map::conditions;
pub(crate) use numasim_ask::thread_map::{machine_map, thread_map};
use numasim_course::Study;
use numasim_draw::Heading;
use numasim_draw::bars::{BarPlot, Pair};
use numasim_draw::heat_map::{Matrix, MatrixRow};
use numasim_draw::roofline::{Roof, RoofApp, Roofline};
use numasim_draw::scatter::{Point, ScatterPlot, Series};
use numasim_draw::strips::{Below, MOST_COLUMNS, Strip, StripPlot};
use numasim_dynamic::{Items, Strips};
use numasim_evidence::compare::{self as evidence, Errors};
use numasim_model::problem::NEXT_TO_NOTHING;
use numasim_model::roofline::{self, RoofOf};
use numasim_model::units::Seconds;
use numasim_model::{Access, App, AppId, Machine, NodeId};
pub(crate) use timelines::{Course, CourseRecorder, Other, timelines};

use crate::view::lettering::{self, Lettering};
use crate::view::simulated::Simulated;
use crate::view::{ScenarioView, figures, machine_title};

// Prediction compared with measurement.

/// The total of each scenario that was measured.
pub(crate) fn bars(compared: &Compared) -> BarPlot {
    let totals = compared.comparison.scenarios.iter().filter_map(|scenario| {
        let gflops = scenario.total.as_ref()?.gflops;
        let measured = gflops.measured;
        Some(Pair {
            name: scenario.name.clone(),
            model: gflops.predicted,
            measured: measured.median,
            model_interval: gflops.interval.map(|(low, high)| [low, high]),
            range: (measured.repetitions > 1).then_some([measured.min, measured.max]),
            error_percent: gflops.error.map(|error| 100.0 * error),
        })
    });
    BarPlot {
        heading: compared_heading(compared, compared.comparison.totals.as_ref(), "scenarios"),
        label: "GFLOPS of all applications".to_owned(),
        pairs: totals.collect(),
    }
}

/// Totals and single applications.
pub(crate) fn scatter(compared: &Compared) -> ScatterPlot {
    let point = |name: String, compared: &evidence::Compared| Point {
        name,
        measured: compared.gflops.measured.median,
        predicted: compared.gflops.predicted,
        interval: compared.gflops.interval.map(|(low, high)| [low, high]),
    };
    let scenarios = || compared.comparison.scenarios.iter();
    let totals = scenarios()
        .filter_map(|scenario| Some(point(scenario.name.clone(), scenario.total.as_ref()?)))
        .collect();
    let apps = scenarios().flat_map(|scenario| {
        scenario.apps.iter().filter_map(|app| {
            Some(point(format!("{} in {}", app.name, scenario.name), app.compared.as_ref()?))
        })
    });
    let all = [
        Series { name: "whole scenarios".to_owned(), points: totals },
        Series { name: "single applications".to_owned(), points: apps.collect() },
    ];
    let series: Vec<Series> = all.into_iter().filter(|series| !series.points.is_empty()).collect();
    let apart = compared.comparison.apps.is_some();
    let (errors, what) = if apart {
        (compared.comparison.apps.as_ref(), "applications")
    } else {
        (compared.comparison.totals.as_ref(), "scenarios")
    };
    ScatterPlot { heading: compared_heading(compared, errors, what), unit: "GFLOPS".to_owned(), series }
}

/// The question; the difference between model and measurement, the model and the machine.
fn compared_heading(compared: &Compared, errors: Option<&Errors>, what: &str) -> Heading {
    let errors = errors.map_or(String::new(), |errors| {
        format!(
            "absolute error of {} {what}: mean {:.1} %, worst {:.1} %; ",
            errors.count,
            100.0 * errors.mean,
            100.0 * errors.worst
        )
    });
    let lines = if compared.has_intervals() { "; lines: 95 % interval of the model" } else { "" };
    Heading {
        title: "How close is the model to the measurement?".to_owned(),
        subtitle: format!(
            "{errors}model {}{lines}; {}",
            compared.model(),
            machine_title(&compared.study.machine)
        ),
    }
}

// The roofline and the bandwidth matrix of a machine.

/// The roofs of a machine with applications, and with the performance of each in `view`, if there is one.
pub(crate) fn roofline(machine: &Machine, apps: &[App], view: Option<&ScenarioView<'_>>) -> Roofline {
    let letters = Lettering::new(apps);
    let app = |letter: usize| {
        let instances: Vec<usize> = (0..apps.len()).filter(|&a| letters.of(AppId(a)) == letter).collect();
        let mut name = letters.name(letter).to_owned();
        if instances.len() > 1 {
            name = format!("{name} ({} instances)", instances.len());
        }
        RoofApp {
            letter: lettering::label(letter),
            name,
            intensity: (instances.first())
                .filter(|&&a| apps[a].rate_unit.is_none())
                .map_or(0.0, |&a| apps[a].arithmetic_intensity.value()),
            gflops: view.map(|view| instances.iter().map(|&a| view.evaluation.apps[a].gflops.value()).sum()),
        }
    };
    Roofline {
        heading: Heading {
            title: "What limits each application, compute or bandwidth?".to_owned(),
            subtitle: view.map_or_else(
                || format!("roofs: min(peak, bandwidth × arithmetic intensity); {}", machine_title(machine)),
                conditions,
            ),
        },
        roofs: roofs(machine, apps),
        apps: (0..letters.count()).map(app).filter(|app| computes(app.intensity)).collect(),
    }
}

/// Applications that only move data, or count something other than FLOP, have no position on the axis.
fn computes(intensity: f64) -> bool {
    intensity > NEXT_TO_NOTHING.value()
}

/// The roofs of the machine by name, with those of kernels that `apps` use.
fn roofs(machine: &Machine, apps: &[App]) -> Vec<Roof> {
    let named = |roof: &roofline::Roof| Roof {
        name: name(machine, roof.of),
        bandwidth_gbs: roof.bandwidth.value(),
        peak_gflops: roof.peak.value(),
    };
    let kernels: Vec<Access> = apps.iter().map(|app| app.kernel).collect();
    let all = [roofline::roofs(machine), roofline::roofs_of_kernels(machine, &kernels)].concat();
    all.iter().map(named).collect()
}

fn name(machine: &Machine, of: RoofOf) -> String {
    let node = |node: NodeId| {
        let alike = machine.compute_nodes().all(|other| machine.node(other) == machine.node(node));
        if alike { "one node".to_owned() } else { node.to_string() }
    };
    match of {
        RoofOf::AllNodes => "all nodes, own memories".to_owned(),
        RoofOf::Node(widest) => format!("{}, own memory", node(widest)),
        RoofOf::FastestLink { from, to } => format!("{from} reads {} (fastest link)", to.0),
        RoofOf::SlowestLink { from, to } => format!("{from} reads {} (slowest link)", to.0),
        RoofOf::AnyLink => "one node reads another".to_owned(),
        RoofOf::Thread(widest) => format!("one core of {}, own memory", node(widest)),
        RoofOf::Kernel(widest, kernel) => format!("{}, own memory, {}", node(widest), kernel.as_str()),
    }
}

/// Bandwidths from each node with cores to each memory.
pub(crate) fn matrix(machine: &Machine) -> Matrix {
    let row = |from: NodeId| MatrixRow {
        node: from.0,
        gbs: machine
            .node_ids()
            .map(|to| machine.link(from, to).unwrap_or(machine.node(from).bandwidth).value())
            .collect(),
    };
    let kind =
        ["bandwidth_matrix_gbs", "bandwidth_gbs"].iter().find_map(|key| machine.provenance().get(*key));
    let kind = kind.map_or(String::new(), |known| format!(", {}", known.kind.as_str()));
    Matrix {
        heading: Heading {
            title: "How much bandwidth does each node get from each memory?".to_owned(),
            subtitle: format!("{}{kind}; framed: own memory", machine_title(machine)),
        },
        label: "bandwidth (GB/s)".to_owned(),
        nodes: machine.node_count(),
        rows: machine.compute_nodes().map(row).collect(),
    }
}

// A simulation over time: cores of each application on each node, and items in channels below.

/// More strips would be thinner than their names: with more nodes, neighbours share one.
const MOST_STRIPS: usize = 32;
/// With more applications, several share a colour.
const MOST_OWN_COLOURS: usize = 8;
/// More lines would be unreadable: with more channels, only the fullest are drawn.
const MOST_LINES: usize = 6;

/// The picture of a simulation.
pub(crate) fn strips(study: &Study, simulated: &Simulated, strips: &Strips) -> StripPlot {
    let (unit, per_second) = time_unit(strips.end);
    let channels = fullest(&strips.items);
    let bands = bands(study, MOST_OWN_COLOURS);
    let below = channels.iter().map(|&channel| below(study, channel, &strips.items[channel]));
    StripPlot {
        heading: strips_heading(study, simulated, strips, channels.len()),
        x: format!("time ({unit})"),
        slot: strips.slot.value() * per_second,
        end: strips.end.value() * per_second,
        columns: MOST_COLUMNS,
        y: "cores".to_owned(),
        names: bands.iter().map(|band| band.name.clone()).collect(),
        strips: node_groups(study, MOST_STRIPS)
            .iter()
            .map(|nodes| strip(study, nodes, &bands, strips))
            .collect(),
        below_label: "items".to_owned(),
        below: below.collect(),
    }
}

/// The unit in which the numbers on an axis up to `end` are short, and the number of these units per second.
pub(crate) fn time_unit(end: Seconds) -> (&'static str, f64) {
    match end.value() {
        end if end >= 1.0 || end <= 0.0 => ("s", 1.0),
        end if end >= 1e-3 => ("ms", 1e3),
        _ => ("µs", 1e6),
    }
}

/// The nodes with cores, merged until there are at most `most` groups.
pub(crate) fn node_groups(study: &Study, most: usize) -> Vec<Vec<NodeId>> {
    let nodes: Vec<NodeId> = study.machine.compute_nodes().collect();
    nodes.chunks(nodes.len().div_ceil(most.max(1)).max(1)).map(<[NodeId]>::to_vec).collect()
}

/// For each slot: the sum over nodes.
pub(crate) fn summed<'a>(nodes: &[NodeId], slots: usize, of: impl Fn(NodeId) -> &'a Vec<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; slots];
    for &node in nodes {
        sums.iter_mut().zip(of(node)).for_each(|(sum, value)| *sum += value);
    }
    sums
}

/// Applications that share a colour.
struct Band {
    name: String,
    apps: Vec<usize>,
}

/// Each application; if there are more than `most`, the instances of each are merged.
fn bands(study: &Study, most: usize) -> Vec<Band> {
    let together = study.apps.len() > most;
    let all: Vec<usize> = (0..study.apps.len()).collect();
    let bands = all.chunk_by(|&a, &b| together && study.apps[a].group == study.apps[b].group);
    let band = |apps: &[usize]| {
        let name = match apps {
            [first, _, ..] => format!("{} ({} instances)", study.apps[*first].group, apps.len()),
            _ => apps.iter().map(|&app| study.apps[app].name.as_str()).collect(),
        };
        Band { name, apps: apps.to_vec() }
    };
    bands.map(band).collect()
}

fn strip(study: &Study, nodes: &[NodeId], bands: &[Band], strips: &Strips) -> Strip {
    let cores = nodes.iter().map(|&node| u64::from(study.machine.node(node).cores));
    let numbers: Vec<usize> = nodes.iter().map(|node| node.0).collect();
    let of_app = |app: usize| summed(nodes, strips.slots(), |node| &strips.busy[(AppId(app), node)]);
    let band = |band: &Band| {
        let mut sums = vec![0.0; strips.slots()];
        for &app in &band.apps {
            sums.iter_mut().zip(of_app(app)).for_each(|(sum, value)| *sum += value);
        }
        sums
    };
    Strip {
        name: figures::nodes(&numbers),
        capacity: cores.sum::<u64>() as f64,
        bands: bands.iter().map(band).collect(),
    }
}

/// The channels that are drawn, in file order.
fn fullest(items: &[Vec<Items>]) -> Vec<usize> {
    let held = |channel: usize| items[channel].iter().map(|items| items.mean).sum::<f64>();
    let mut by_items: Vec<(f64, usize)> = (0..items.len()).map(|channel| (held(channel), channel)).collect();
    by_items.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut channels: Vec<usize> =
        by_items.into_iter().take(MOST_LINES).map(|(_, channel)| channel).collect();
    channels.sort_unstable();
    channels
}

fn below(study: &Study, channel: usize, items: &[Items]) -> Below {
    let ends = &study.dynamics.channels[channel];
    Below {
        name: format!("{} → {}", study.apps[ends.from.0].name, study.apps[ends.to.0].name),
        mean: items.iter().map(|items| items.mean).collect(),
        most: items.iter().map(|items| items.max).collect(),
    }
}

/// The question; the policy and its result. Parts that may be long come last, because a subtitle is cut at the edge of the picture.
fn strips_heading(study: &Study, simulated: &Simulated, strips: &Strips, lines: usize) -> Heading {
    let mut parts = vec![
        format!("policy {}: {}", simulated.policy, simulated.outcome()),
        format!("model {}", study.machine.sharing().name()),
    ];
    if lines < strips.items.len() {
        parts.push(format!("the {lines} fullest of {} channels", strips.items.len()));
    }
    parts.push(machine_title(&study.machine));
    Heading {
        title: "Which application uses the cores of each node when?".to_owned(),
        subtitle: parts.join("; "),
    }
}

#[cfg(test)]
mod tests;
mod timelines;
