//! The scenarios: threads of each application on each node.

use numasim_draw::Style;
use numasim_draw::grid::Align;
use numasim_graph::Reading;
use numasim_model::{AppId, Scenario};
use numasim_study::Group;

use super::listing;
use super::words::{self, DEFAULT};

/// With more nodes than this, threads are shown in ranges of nodes.
const MOST_NODES: usize = 16;

pub(super) fn write(text: &mut String, reading: &Reading, style: &Style) {
    for (scenario, named) in reading.study.scenarios.iter().zip(&reading.named) {
        let static_work = if scenario.static_work { " (static work)" } else { "" };
        let heading = format!("SCENARIO  {}{static_work}", scenario.name);
        listing::heading(text, &heading, style);
        let nodes = reading.study.machine.node_count();
        let wide = nodes > MOST_NODES;
        let mut head = vec!["threads on node".to_owned()];
        if wide {
            head.push("each of".to_owned());
        } else {
            head.extend((0..nodes).map(|node| node.to_string()));
            head.push("all".to_owned());
        }
        let mut rows = vec![head];
        for group in &reading.groups {
            for (first, last) in equal_instances(reading, scenario, named, group) {
                rows.push(row(reading, scenario, named, first..=last, wide));
            }
        }
        if !wide {
            rows.push(cores(reading, scenario));
        }
        let mut align = vec![Align::Left];
        align.resize(if wide { 2 } else { nodes + 2 }, if wide { Align::Left } else { Align::Right });
        align.push(Align::Left);
        listing::write(text, &rows, &align, style);
    }
}

/// Instances of a group with the same threads and data, as first and last.
fn equal_instances(
    reading: &Reading,
    scenario: &Scenario,
    named: &[bool],
    group: &Group,
) -> Vec<(usize, usize)> {
    let same = |a: usize, b: usize| {
        scenario.allocation.row(AppId(a)) == scenario.allocation.row(AppId(b))
            && scenario.data.get(a) == scenario.data.get(b)
            && named.get(a) == named.get(b)
    };
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for instance in group.first..(group.first + group.instances).min(reading.study.apps.len()) {
        match ranges.last_mut() {
            Some((first, last)) if same(*first, instance) => *last = instance,
            _ => ranges.push((instance, instance)),
        }
    }
    ranges
}

fn row(
    reading: &Reading,
    scenario: &Scenario,
    named: &[bool],
    instances: std::ops::RangeInclusive<usize>,
    wide: bool,
) -> Vec<String> {
    let (first, last) = (*instances.start(), *instances.end());
    let name = |index: usize| reading.study.apps.get(index).map_or("", |app| app.name.as_str());
    let threads = scenario.allocation.row(AppId(first));
    let mut row = vec![if first == last {
        name(first).to_owned()
    } else {
        format!("{} to {}, each", name(first), name(last))
    }];
    if wide {
        let runs = words::runs(threads);
        let one = |(nodes, threads): &(std::ops::RangeInclusive<usize>, &u32)| {
            format!("{threads} on {}", words::range(nodes))
        };
        row.push(runs.iter().map(one).collect::<Vec<_>>().join(", "));
    } else {
        row.extend(threads.iter().map(ToString::to_string));
        row.push(scenario.allocation.total(AppId(first)).to_string());
    }
    let own = scenario
        .data
        .get(first)
        .filter(|own| reading.study.apps.get(first).is_some_and(|app| app.data != **own));
    match own {
        Some(own) => row.push(format!("data here: {}", words::data(own))),
        None if named.get(first) == Some(&false) => row.push(DEFAULT.to_owned()),
        None => {}
    }
    row
}

/// "8/8" for each node: threads of all applications and cores.
fn cores(reading: &Reading, scenario: &Scenario) -> Vec<String> {
    let machine = &reading.study.machine;
    let used: Vec<u64> = machine.node_ids().map(|node| scenario.allocation.on_node(node)).collect();
    let mut row = vec!["of cores".to_owned()];
    row.extend(used.iter().zip(machine.nodes()).map(|(used, node)| format!("{used}/{}", node.cores)));
    row.push(format!("{}/{}", used.iter().sum::<u64>(), machine.total_cores()));
    row
}
