//! Steps 1 and 3 of the model: what the links request of a memory, what they get, and what is left.

use numasim_draw::figures::{self, short};
use numasim_draw::grid::{Align, Grid};
use numasim_model::sharing::PoolKind;
use numasim_model::sharing::trace::PoolTrace;

use super::MemoryClass;
use crate::view::Style;

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
        ("gets min(requests, link) GB/s", Align::Left),
    ];
    if scaled {
        columns.push(("scaled to fit GB/s", Align::Left));
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
        }
        grid.row(row);
    }
    let terms: Vec<String> =
        classes.iter().map(|(from, link)| format!("{} * {}", from.len(), short(link.offered))).collect();
    let (remote, capacity) = (short(trace.remote_before_scaling), short(trace.capacity));
    let memory = figures::nodes(&class.nodes);
    let alike = if class.nodes.len() > 1 {
        format!(" (shown for node {}; the others get the same from theirs)", trace.memory.0)
    } else {
        String::new()
    };
    let verdict = if scaled {
        format!(
            "more than the controller's {capacity}: all links are scaled by {capacity}/{remote} = {}",
            short(trace.scale)
        )
    } else {
        format!("within the controller's {capacity}: not scaled")
    };
    Some(format!(
        "{}\n{}All links together: {} = {remote} GB/s, {verdict}.\n\
         Left for the threads of {memory}: R = {capacity} - {} = {} GB/s.\n",
        style.strong(&format!("Remote first: requests of other nodes to the memory of {memory}{alike}")),
        grid.render(style),
        terms.join(" + "),
        if scaled { &capacity } else { &remote },
        short(trace.left_for_own),
    ))
}
