//! Step 5 of the model for data on several nodes: the scarcest memory decides.

use numasim_draw::figures::{self, short};
use numasim_draw::grid::{Align, Grid};
use numasim_model::sharing::trace::FlowTrace;
use numasim_model::{AppId, NodeId};

use numasim_draw::Style;

use crate::ScenarioView;

/// The threads of one application on one node, and what they get from each memory.
struct Spread<'a> {
    app: AppId,
    from: NodeId,
    reads: Vec<(usize, &'a FlowTrace)>,
}

/// One block, or none where every thread reads one memory only.
pub(super) fn blocks(view: &ScenarioView, style: &Style) -> Vec<String> {
    let spreads = spreads(view);
    // Groups with the same figures, whatever the numbers of their nodes.
    let key = |spread: &Spread| {
        let mut figures: Vec<(u64, u64)> =
            spread.reads.iter().map(|(_, f)| (f.granted.to_bits(), f.cost().to_bits())).collect();
        figures.sort_unstable();
        (view.apps[spread.app.0].group.clone(), spread.reads[0].1.gflops.to_bits(), figures)
    };
    let mut classes: Vec<(_, &Spread, Vec<(AppId, usize)>)> = Vec::new();
    for spread in &spreads {
        let of = key(spread);
        match classes.iter_mut().find(|(other, _, _)| *other == of) {
            Some((_, _, members)) => members.push((spread.app, spread.from.0)),
            None => classes.push((of, spread, vec![(spread.app, spread.from.0)])),
        }
    }
    classes.iter().map(|(_, first, members)| block(view, first, members, style)).collect()
}

fn spreads<'a>(view: &ScenarioView<'a>) -> Vec<Spread<'a>> {
    let mut spreads: Vec<Spread> = Vec::new();
    for memory in &view.evaluation.trace {
        for pool in &memory.pools {
            for flow in pool.flows.iter().filter(|flow| flow.fraction < 1.0) {
                let read = (memory.memory.0, flow);
                match spreads.iter_mut().find(|s| s.app == flow.app && s.from == pool.from) {
                    Some(spread) => spread.reads.push(read),
                    None => spreads.push(Spread { app: flow.app, from: pool.from, reads: vec![read] }),
                }
            }
        }
    }
    spreads.sort_by_key(|spread| (spread.app, spread.from));
    spreads
}

fn block(view: &ScenarioView, first: &Spread, members: &[(AppId, usize)], style: &Style) -> String {
    let mut rows: Vec<(Vec<usize>, &FlowTrace)> = Vec::new();
    for &(memory, flow) in &first.reads {
        let same = |other: &FlowTrace| other.granted == flow.granted && other.cost() == flow.cost();
        match rows.iter_mut().find(|(_, other)| same(other)) {
            Some((memories, _)) => memories.push(memory),
            None => rows.push((vec![memory], flow)),
        }
    }
    let mut grid = Grid::new(&[
        ("memory of", Align::Left),
        ("allocated GB/s", Align::Right),
        ("fraction there", Align::Right),
        ("allows GB/s (allocated / fraction)", Align::Left),
    ]);
    for (memories, flow) in &rows {
        let (granted, fraction) = (short(flow.granted), short(flow.fraction));
        let allowed = short(flow.granted / flow.cost());
        let allows = if flow.occupied == 1.0 {
            format!("{granted}/{fraction} = {allowed}")
        } else {
            format!("{granted}/({fraction} * {}) = {allowed}", short(flow.occupied))
        };
        grid.row(vec![figures::nodes(memories), granted, fraction, allows]);
    }
    let allowed: Vec<String> = rows.iter().map(|(_, flow)| short(flow.granted / flow.cost())).collect();
    let flow = first.reads[0].1;
    let bandwidth = flow.drawn / flow.cost();
    let scarcest = if allowed.len() == 1 { String::new() } else { format!("min({}) = ", allowed.join(", ")) };
    let app = &view.apps[first.app.0];
    let intensity = app.arithmetic_intensity.value();
    let peak = view.machine.node(first.from).gflops_per_core.value();
    let heading = heading(view, first, members);
    format!(
        "{}\n{}Bandwidth of a thread: {scarcest}{} GB/s, as the scarcest memory allows.\n\
         GFLOPS of a thread: min({}, {} * {}) = {}; of {} threads: {}.\n",
        style.strong(&heading),
        grid.render(style),
        short(bandwidth),
        short(peak),
        short(bandwidth),
        short(intensity),
        short(flow.gflops),
        flow.threads,
        short(flow.gflops * f64::from(flow.threads)),
    )
}

fn heading(view: &ScenarioView, first: &Spread, members: &[(AppId, usize)]) -> String {
    let mut nodes: Vec<usize> = members.iter().map(|&(_, node)| node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut apps: Vec<AppId> = members.iter().map(|&(app, _)| app).collect();
    apps.dedup();
    let app = &view.apps[first.app.0];
    let name =
        if apps.len() == 1 { app.name.clone() } else { format!("each of {} {}", apps.len(), app.group) };
    let shown = if members.len() > 1 { format!(" (shown for {})", first.from) } else { String::new() };
    format!("Data on several nodes: {name}, threads of {}{shown}", figures::nodes(&nodes))
}
