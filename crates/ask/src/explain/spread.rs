//! Step 5 of the model for data on several nodes: the scarcest memory decides.

use numasim_draw::Style;
use numasim_draw::figures::{self, short};
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::sharing::trace::{FlowTrace, PoolTrace};
use numasim_model::sharing::{FlowView, PoolKind};
use numasim_model::{AppId, NodeId};

use crate::ScenarioView;
use crate::explain::{MemoryClass, limits};

/// The threads of one application on one node, and the bandwidth that they get from each memory.
struct Spread<'a> {
    app: AppId,
    from: NodeId,
    reads: Vec<(usize, &'a FlowTrace)>,
}

/// One block, or none if every thread reads only one memory.
pub(super) fn blocks(view: &ScenarioView, style: &Style) -> Vec<String> {
    let spreads = spreads(view);
    // Groups with the same values, regardless of the numbers of their nodes.
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
    let drawn = format!("{} * {}", short(bandwidth), short(app.arithmetic_intensity.value()));
    let peak = app.limits().peak(view.machine.node(first.from)).value();
    let speed = if peak.is_finite() { format!("min({}, {drawn})", short(peak)) } else { drawn };
    let kept = limits::kept(view, first.app).map_or_else(String::new, |(how, _)| format!(" * {how}"));
    format!(
        "{}\n{}Bandwidth of a thread: {scarcest}{} GB/s, as the scarcest memory allows.\n\
         {} of a thread: {speed}{kept} = {}; of {} threads: {}.\n",
        style.strong(&heading(view, first, members)),
        grid.render(style),
        short(bandwidth),
        app.unit(),
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

// The other models: their rules in short, and for each memory the requested and the allotted bandwidth.

/// The text before the rules if L3 domains are limited.
const DOMAINS: &str = "first each L3 domain splits l3_read_gbs among its threads, then each node read_gbs: no thread demands more than its share";

/// The rules, then a row for each application, node and memory.
pub(super) fn explain(view: &ScenarioView, style: &Style) -> String {
    let sharing = view.machine.sharing();
    let about = sharing.kind.about();
    let title = format!(
        "How {} shares bandwidth (see `numasim models {}`):",
        sharing.in_words(),
        about.kind.as_str()
    );
    let mut text = wrap(&title, style.columns()).join("\n");
    let domains = view.machine.has_limited_domains().then_some(DOMAINS);
    for formula in domains.iter().chain(about.formula) {
        text.extend(["\n  ", &wrap(formula, style.columns().saturating_sub(4)).join("\n    ")]);
    }
    text.push_str("\n\n");
    let mut grid = Grid::new(&[
        ("memory of", Align::Left),
        ("read over", Align::Left),
        ("application", Align::Left),
        ("threads", Align::Right),
        ("demand", Align::Right),
        ("is granted", Align::Right),
        ("draws, GB/s per thread", Align::Right),
    ]);
    let flows = &view.evaluation.flows;
    let column =
        |value: &dyn Fn(&FlowView) -> f64| figures::column(&flows.iter().map(value).collect::<Vec<_>>());
    let limited = view.machine.has_limited_domains();
    let drawn = |flow: &FlowView| {
        // For threads in several domains the mean is not meaningful.
        if limited && flow.fraction >= 1.0 {
            return flow.granted;
        }
        let group = view.evaluation.apps[flow.app.0].per_node[flow.from.0].as_ref();
        group.map_or(0.0, |group| group.bandwidth.value() / f64::from(group.threads.max(1)) * flow.cost())
    };
    let (demand_gbs, granted, drawn) =
        (column(&|flow| flow.demand_gbs), column(&|flow| flow.granted), column(&drawn));
    for (((flow, demand_gbs), granted), drawn) in flows.iter().zip(demand_gbs).zip(granted).zip(drawn) {
        let over = match flow.kind {
            PoolKind::Own => "its own controller".to_owned(),
            PoolKind::Link => format!("link {}{}{}", flow.from.0, style.arrow(), flow.memory.0),
        };
        grid.row(vec![
            flow.memory.to_string(),
            over,
            view.apps[flow.app.0].name.clone(),
            flow.threads.to_string(),
            demand_gbs,
            granted,
            drawn,
        ]);
    }
    text + &grid.render(style)
}

// Steps 1 and 2 of the model: the requests of the links to a memory, their bandwidth, and the remaining bandwidth.

/// The block of a memory that other nodes read; `None` if only its own threads read it.
pub(super) fn requests(class: &MemoryClass, style: &Style) -> Option<String> {
    let trace = class.trace;
    let links: Vec<&PoolTrace> = trace.pools.iter().filter(|pool| pool.kind == PoolKind::Link).collect();
    if links.is_empty() {
        return None;
    }
    let mut classes: Vec<(Vec<usize>, &PoolTrace)> = Vec::new();
    for &link in &links {
        let same = |other: &PoolTrace| other.wanted == link.wanted && other.capacity == link.capacity;
        match classes.iter_mut().find(|(_, other)| same(other)) {
            Some((from, _)) => from.push(link.from.0),
            None => classes.push((vec![link.from.0], link)),
        }
    }
    let scaled = trace.scale < 1.0;
    let mut columns = vec![
        ("link", Align::Left),
        ("requests GB/s", Align::Left),
        ("asks for min(requests, link) GB/s", Align::Left),
    ];
    let filled = trace.level.filter(|&level| links.iter().any(|link| link.offered > level));
    if scaled {
        columns.push(("scaled to fit GB/s", Align::Left));
    } else if filled.is_some() {
        columns.push(("its port has GB/s", Align::Left));
    }
    let mut grid = Grid::new(&columns);
    for (from, link) in &classes {
        let gets = link.offered;
        let each = if from.len() > 1 { ", each" } else { "" };
        let mut row = vec![
            format!("{} {} {}{each}", figures::ranges(from), style.arrow(), trace.memory.0),
            short(link.wanted),
            format!("min({}, {}) = {}", short(link.wanted), short(link.capacity), short(gets)),
        ];
        if scaled {
            row.push(format!("{} * {} = {}", short(gets), short(trace.scale), short(link.available)));
        } else if let Some(level) = filled {
            row.push(format!("min({}, {}) = {}", short(gets), short(level), short(link.available)));
        }
        grid.row(row);
    }
    let terms: Vec<String> =
        classes.iter().map(|(from, link)| format!("{} * {}", from.len(), short(link.offered))).collect();
    let (remote, capacity) = (short(trace.asked_by_links), short(trace.capacity));
    let memory = figures::nodes(&class.nodes);
    let alike = if class.nodes.len() > 1 {
        format!(" (shown for node {}; the others get the same from theirs)", trace.memory.0)
    } else {
        String::new()
    };
    let all = format!("All links together: {} = {remote} GB/s", terms.join(" + "));
    let own = trace.pools.iter().any(|pool| pool.kind == PoolKind::Own);
    let own_too = if own { ", and what the node's own threads want" } else { "" };
    let own_gets =
        if own { format!("; its own threads get {} GB/s", short(trace.left_for_own)) } else { String::new() };
    let (title, verdict) = match (trace.level, scaled) {
        (Some(level), _) => (
            "Ports: requests of other nodes to",
            format!(
                "{all}{own_too},\nmore than the controller's {capacity}.\n\
                 Its ports are filled evenly, up to {} GB/s{own_gets}.\n",
                short(level),
            ),
        ),
        (None, true) => (
            "Remote first: requests of other nodes to",
            format!(
                "{all}, more than the controller's {capacity}: all are scaled by {capacity}/{remote} = {}.\n\
                 Left for the threads of {memory}: R = {capacity} - {capacity} = {} GB/s.\n",
                short(trace.scale),
                short(trace.left_for_own),
            ),
        ),
        (None, false) => (
            "Requests of other nodes to",
            format!(
                "{all}, within the controller's {capacity}.\n\
                 Left for the threads of {memory}: R = {capacity} - {remote} = {} GB/s.\n",
                short(trace.left_for_own),
            ),
        ),
    };
    Some(format!(
        "{}\n{}{verdict}",
        style.strong(&format!("{title} the memory of {memory}{alike}")),
        grid.render(style),
    ))
}
