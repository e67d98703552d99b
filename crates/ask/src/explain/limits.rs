//! The demand of one thread, limit by limit, and the loss of applications with threads on several nodes.

use std::fmt::Write as _;

use numasim_draw::Style;
use numasim_draw::figures::{self, short};
use numasim_draw::grid::{Align, Grid};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{AppId, NodeId, ThreadLimit};

use crate::ScenarioView;

/// The limits on one thread of `app` on `from`, each once, with the GB/s that it allows.
fn of_thread(view: &ScenarioView, app: AppId, from: NodeId) -> Vec<(ThreadLimit, GigabytesPerSecond)> {
    let demand = view.apps[app.0].demand(view.placements[app.0].clone());
    let mut limits: Vec<(ThreadLimit, GigabytesPerSecond)> = Vec::new();
    for (limit, allowed) in demand.thread_limits(view.machine, from) {
        match limits.iter_mut().find(|(other, _)| *other == limit) {
            Some((_, least)) => *least = least.min(allowed),
            None => limits.push((limit, allowed)),
        }
    }
    limits
}

/// `min(10/0.5, 12)`, in the order of [`formula`].
pub(super) fn figures(view: &ScenarioView, app: AppId, from: NodeId) -> String {
    let own = &view.apps[app.0];
    let intensity = || short(own.arithmetic_intensity.value());
    let terms = of_thread(view, app, from).into_iter().map(|(limit, allowed)| match limit {
        ThreadLimit::CorePeak => {
            format!("{}/{}", short(view.machine.node(from).gflops_per_core.value()), intensity())
        }
        ThreadLimit::ThreadPeak => {
            format!("{}/{}", short(own.thread_gflops.map_or(0.0, Gflops::value)), intensity())
        }
        _ => short(allowed.value()),
    });
    least_of(&terms.collect::<Vec<_>>())
}

/// `min(peak GFLOPS / AI, core)`: the limits of at least one of `threads`.
pub(super) fn formula(
    view: &ScenarioView,
    threads: &(impl Iterator<Item = (AppId, NodeId)> + Clone),
) -> String {
    let words = [
        (ThreadLimit::CorePeak, "peak GFLOPS / AI"),
        (ThreadLimit::ThreadPeak, "thread_gflops / AI"),
        (ThreadLimit::CoreBandwidth, "core"),
        (ThreadLimit::ThreadBandwidth, "thread_gbs"),
        (ThreadLimit::Latency, "lines * 64 byte / latency"),
    ];
    let has = |limit| {
        let mut threads = threads.clone();
        threads.any(|(app, from)| of_thread(view, app, from).iter().any(|(own, _)| *own == limit))
    };
    let terms = words.into_iter().filter(|(limit, _)| has(*limit)).map(|(_, word)| word.to_owned());
    least_of(&terms.collect::<Vec<_>>())
}

fn least_of(terms: &[String]) -> String {
    if let [only] = terms { only.clone() } else { format!("min({})", terms.join(", ")) }
}

/// The fraction of its GFLOPS that `app` keeps with its threads on several nodes, as a calculation; `None` if it keeps all.
pub(super) fn kept(view: &ScenarioView, app: AppId) -> Option<(String, f64)> {
    let overhead = view.apps[app.0].node_overhead;
    let nodes = view.allocation.row(app).iter().filter(|&&threads| threads > 0).count();
    (overhead > 0.0 && nodes > 1).then(|| {
        let kept = numasim_model::sharing::kept_on(nodes, overhead);
        (format!("1/(1 + {} * log2 {nodes})", short(overhead)), kept)
    })
}

/// The demand of threads with limits that a machine file alone does not show, and the loss on several nodes; empty without either.
pub(super) fn text(view: &ScenarioView, style: &Style) -> String {
    // Merges equal limits of an application on several nodes.
    let mut rows: Vec<(AppId, String, String, Vec<usize>)> = Vec::new();
    for app in view.active_apps() {
        for from in view.machine.compute_nodes().filter(|&node| view.allocation.get(app, node) > 0) {
            let limits = of_thread(view, app, from);
            let usual = |limit| matches!(limit, ThreadLimit::CorePeak | ThreadLimit::CoreBandwidth);
            if limits.iter().all(|(limit, _)| usual(*limit)) {
                continue;
            }
            let least = limits.iter().map(|(_, allowed)| allowed.value()).fold(f64::INFINITY, f64::min);
            let terms: Vec<String> = limits
                .iter()
                .map(|(limit, allowed)| {
                    format!("{} {}", limit.as_str().replace('-', " "), short(allowed.value()))
                })
                .collect();
            let (wants, terms) = (short(least), terms.join(", "));
            let same = |row: &&mut (AppId, String, String, Vec<usize>)| {
                (row.0, &row.1, &row.2) == (app, &wants, &terms)
            };
            match rows.iter_mut().find(same) {
                Some((_, _, _, nodes)) => nodes.push(from.0),
                None => rows.push((app, wants, terms, vec![from.0])),
            }
        }
    }
    let mut text = String::new();
    if !rows.is_empty() {
        let mut grid = Grid::new(&[
            ("application", Align::Left),
            ("on", Align::Left),
            ("wants", Align::Right),
            ("the least of, GB/s per thread", Align::Left),
        ]);
        for (app, wants, terms, nodes) in rows {
            grid.row(vec![view.apps[app.0].name.clone(), figures::nodes(&nodes), wants, terms]);
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}\n{}", style.strong("What one thread wants"), grid.render(style));
    }
    let kept: Vec<_> = view.active_apps().filter_map(|app| Some((app, kept(view, app)?))).collect();
    if !kept.is_empty() {
        let _ = writeln!(text, "{}", style.strong("Kept with threads on several nodes (node_overhead)"));
        for (app, (formula, share)) in kept {
            let _ = writeln!(text, "  {}: {formula} = {}", view.apps[app.0].name, short(share));
        }
        text.push('\n');
    }
    text
}
