//! The thread map of a scenario.

use numasim_draw::Heading;
use numasim_draw::figures::{self, FULL};
use numasim_draw::threads::{MapApp, MapData, MapDomain, MapLink, MapNode, MapSharedLink, ThreadMap};
use numasim_model::machine::SharedDirection;
use numasim_model::{App, AppId, Machine, NodeId, Placement, Smt};

use crate::lettering::{self, Lettering};
use crate::{ScenarioView, data_words, machine_title, numbers};

/// Maximum number of nodes in a readable map.
pub const MOST_MAPPED_NODES: usize = 32;

/// The subtitle of a plot of a scenario: its name and result, the model and the machine.
pub fn conditions(view: &ScenarioView<'_>) -> String {
    let (total, unit) = view.total();
    format!(
        "scenario {}: {} {unit}, model {}; {}",
        view.name,
        figures::single(total),
        view.machine.sharing().name(),
        machine_title(view.machine)
    )
}

/// The map of a scenario: threads, data, and the load of memories and links.
pub fn thread_map(view: &ScenarioView<'_>) -> ThreadMap {
    let letters = Lettering::new(view.apps);
    let evaluation = view.evaluation;
    let nodes = view.machine.node_ids().map(|node| {
        let used = &evaluation.nodes[node.0];
        MapNode {
            cores: view.machine.node(node).cores,
            threads: threads(view, &letters, node),
            domains: domains(view, &letters, node),
            used_gbs: Some(used.occupied.value()),
            remote_gbs: used.remote_occupied.value(),
            capacity_gbs: used.capacity.value(),
            data: data(view, &letters, node),
        }
    });
    let links = evaluation.links.iter().map(|link| MapLink {
        from: link.from.0,
        to: link.to.0,
        used_gbs: Some(link.occupied.value()),
        capacity_gbs: link.capacity.value(),
    });
    ThreadMap {
        heading: Heading {
            title: "Where do the threads run, and which memories and links are full?".to_owned(),
            subtitle: conditions(view),
        },
        apps: (0..letters.count()).map(|letter| app(view, &letters, letter)).collect(),
        nodes: nodes.collect(),
        links: links.collect(),
        shared_links: shared_links(view.machine, Some(view)),
    }
}

/// Links shared by several pairs, with their load in a scenario.
fn shared_links(machine: &Machine, view: Option<&ScenarioView<'_>>) -> Vec<MapSharedLink> {
    let used = |direction: usize| Some(view?.evaluation.shared_links.get(direction)?.occupied.value());
    let one = |(i, direction): (usize, SharedDirection<'_>)| MapSharedLink {
        name: direction.link.name.clone(),
        from: numbers(direction.from),
        to: numbers(direction.to),
        used_gbs: used(i),
        capacity_gbs: direction.link.bandwidth.value(),
    };
    machine.shared_directions().enumerate().map(one).collect()
}

/// The machine alone: its cores, and the capacities of memories and links.
pub fn machine_map(machine: &Machine) -> ThreadMap {
    let nodes = machine.nodes().iter().map(|node| MapNode {
        cores: node.cores,
        threads: Vec::new(),
        domains: if machine.has_domains() && node.cores > 0 {
            let domain = MapDomain { cores: node.domain_cores(), threads: Vec::new(), is_full: false };
            vec![domain; node.domains()]
        } else {
            Vec::new()
        },
        used_gbs: None,
        remote_gbs: 0.0,
        capacity_gbs: node.bandwidth.value(),
        data: Vec::new(),
    });
    let pairs = machine.compute_nodes().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let links = pairs.filter_map(|(from, to)| {
        let capacity_gbs = machine.link(from, to)?.value();
        Some(MapLink { from: from.0, to: to.0, used_gbs: None, capacity_gbs })
    });
    ThreadMap {
        heading: Heading {
            title: "What can the memories and links deliver at most?".to_owned(),
            subtitle: machine_title(machine),
        },
        apps: Vec::new(),
        nodes: nodes.collect(),
        links: links.collect(),
        shared_links: shared_links(machine, None),
    }
}

/// Letters with threads on a node, and their number.
fn threads(view: &ScenarioView<'_>, letters: &Lettering, node: NodeId) -> Vec<(usize, u32)> {
    let mut counts = vec![0; letters.count()];
    for app in view.app_ids() {
        counts[letters.of(app)] += view.allocation.get(app, node);
    }
    counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect()
}

/// The L3 domains of a node with its letters and threads; empty if no node of the machine has several.
pub fn domains(view: &ScenarioView<'_>, letters: &Lettering, node: NodeId) -> Vec<MapDomain> {
    let own = view.machine.node(node);
    if !view.machine.has_domains() || own.cores == 0 {
        return Vec::new();
    }
    let per_l3 = view.allocation.per_l3(view.machine);
    let domain = |domain: usize| {
        let mut counts = vec![0; letters.count()];
        for app in view.app_ids() {
            counts[letters.of(app)] += per_l3[app.0][node.0][domain];
        }
        let threads = counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
        let uses = &view.evaluation.domains;
        let read = uses.iter().find(|read| (read.node, read.domain) == (node, domain));
        let is_full = read.is_some_and(|read| read.occupied.value() >= FULL * read.capacity.value());
        MapDomain { cores: own.domain_cores(), threads, is_full }
    };
    (0..own.domains()).map(domain).collect()
}

/// Data on this node apart from data that follows its threads.
fn data(view: &ScenarioView<'_>, letters: &Lettering, node: NodeId) -> Vec<MapData> {
    let mut found: Vec<(usize, Option<String>)> = Vec::new();
    for app in view.active_apps() {
        let placement = &view.placements[app.0];
        let Some(part) = data_words::part_on(placement, view.machine, node) else { continue };
        let all = matches!(placement, Placement::Home(_));
        let one = (letters.of(app), (!all).then(|| figures::percent(part)));
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found.into_iter().map(|(app, part)| MapData { app, part }).collect()
}

/// The meaning of a letter.
fn app(view: &ScenarioView<'_>, letters: &Lettering, letter: usize) -> MapApp {
    let instances: Vec<AppId> = view.app_ids().filter(|&app| letters.of(app) == letter).collect();
    let active: Vec<AppId> =
        instances.iter().copied().filter(|&app| view.allocation.total(app) > 0).collect();
    let mut name = letters.name(letter).to_owned();
    if instances.len() > 1 {
        name = format!("{name} ({} instances)", instances.len());
    }
    let first = instances.first().map(|app| &view.apps[app.0]);
    let intensity = first.filter(|app| app.rate_unit.is_none()).map(|app| app.arithmetic_intensity.value());
    let intensity = intensity.map(|intensity| format!("{} FLOP/byte", figures::intensity(intensity)));
    let result = if active.is_empty() {
        vec!["no threads".to_owned()]
    } else {
        let both = active.iter().filter(|app| view.apps[app.0].smt == Smt::Both).count();
        let smt = match both {
            0 => None,
            _ if both == active.len() => Some("both hardware threads".to_owned()),
            _ => Some("one or both hardware threads".to_owned()),
        };
        let speed: f64 = active.iter().map(|app| view.evaluation.apps[app.0].gflops.value()).sum();
        let unit = first.map_or("GFLOPS", App::unit);
        let rest = [data_word(view, &active), format!("{} {unit}", figures::single(speed))];
        smt.into_iter().chain(rest).collect()
    };
    let detail = intensity.into_iter().chain(result).collect::<Vec<_>>().join(", ");
    MapApp { letter: lettering::label(letter), name, detail }
}

/// Data placement of these applications, in a few words.
fn data_word(view: &ScenarioView<'_>, apps: &[AppId]) -> String {
    let mut words: Vec<String> = Vec::new();
    for app in apps {
        let word = data_words::phrase(&view.placements[app.0]);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words.as_slice() {
        [only] => only.clone(),
        _ => "data on several nodes".to_owned(),
    }
}
