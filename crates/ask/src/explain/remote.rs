//! Steps 1 and 2 of the model: what the links ask of a memory, what they get, and what is left.

use numasim_draw::figures::{self, short};
use numasim_draw::grid::{Align, Grid};
use numasim_model::sharing::PoolKind;
use numasim_model::sharing::trace::PoolTrace;

use super::MemoryClass;
use numasim_draw::Style;

/// The block of a memory that other nodes read; `None` where only its own threads do.
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
