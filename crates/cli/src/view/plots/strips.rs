//! A simulation over time: cores of each application on each node, and items in channels below.

use numasim_draw::Heading;
use numasim_draw::strips::{Below, MOST_COLUMNS, Strip, StripPlot};
use numasim_dynamic::{Items, Strips};
use numasim_model::units::Seconds;
use numasim_model::{AppId, NodeId, Study};

use crate::view::simulated::Simulated;
use crate::view::{figures, machine_title};

/// More strips are thinner than their names: of more nodes, neighbours share one.
const MOST_STRIPS: usize = 32;
/// Of more applications not each has a colour.
const MOST_OWN_COLOURS: usize = 8;
/// More lines are a tangle: of more channels, those that hold most.
const MOST_LINES: usize = 6;

/// The picture of a simulation; `files` are those that it was read from, where the picture shall name them.
pub(crate) fn strips(study: &Study, simulated: &Simulated, strips: &Strips, files: &[String]) -> StripPlot {
    let (unit, per_second) = time_unit(strips.end);
    let channels = fullest(&strips.items);
    let bands = bands(study, MOST_OWN_COLOURS);
    let below = channels.iter().map(|&channel| below(study, channel, &strips.items[channel]));
    StripPlot {
        heading: heading(study, simulated, strips, files, channels.len()),
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

/// The unit in which the numbers on an axis up to `end` are short, and how many of it are a second.
pub(crate) fn time_unit(end: Seconds) -> (&'static str, f64) {
    match end.value() {
        end if end >= 1.0 || end <= 0.0 => ("s", 1.0),
        end if end >= 1e-3 => ("ms", 1e3),
        _ => ("µs", 1e6),
    }
}

/// The nodes that have cores, drawn together until there are at most `most` groups.
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
pub(super) struct Band {
    pub(super) name: String,
    pub(super) apps: Vec<usize>,
}

/// Each application; of more than `most`, the instances of each one together.
pub(super) fn bands(study: &Study, most: usize) -> Vec<Band> {
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

/// The machine; the policy and what came of it. What may be long stands last: a subtitle ends where the picture does.
fn heading(study: &Study, simulated: &Simulated, strips: &Strips, files: &[String], lines: usize) -> Heading {
    let mut parts = vec![
        format!("policy {}: {}", simulated.policy, simulated.outcome()),
        format!("model {}", study.machine.sharing().name()),
    ];
    if lines < strips.items.len() {
        parts.push(format!("the {lines} fullest of {} channels", strips.items.len()));
    }
    if !files.is_empty() {
        parts.push(files.join(", "));
    }
    Heading { title: machine_title(&study.machine), subtitle: parts.join("; ") }
}
