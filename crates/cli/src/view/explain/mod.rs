//! The worked calculation behind a scenario: the rows of the paper's Tables I and II, with the numbers put in.
//!
//! Memory by memory: first what other nodes request and what is left ("remote first"), then how each link and each
//! node's own part is split. Nodes with the same calculation are shown once. Then data on several nodes, and the sum.

mod pools;
mod remote;
mod sheet;
mod spread;
mod total;

use numasim_model::NodeId;
use numasim_model::sharing::trace::MemoryTrace;

use super::{ScenarioView, Style};
use sheet::Sheet;

/// Everything about how the model comes to the figures of this scenario.
pub(crate) fn explain(view: &ScenarioView, style: &Style) -> String {
    let classes = memory_classes(view);
    let mut blocks: Vec<Block> = Vec::new();
    for class in &classes {
        blocks.extend(remote::requests(class, style).map(Block::Text));
        blocks.extend(pools::sheets(view, class, style).into_iter().map(Block::Sheet));
    }
    blocks.extend(spread::blocks(view, style).into_iter().map(Block::Text));
    let totals = total::node_classes(view);
    match blocks.as_mut_slice() {
        // One table tells it all, as in the paper.
        [Block::Sheet(only)] if totals.len() == 1 => total::rows(&totals, only),
        _ => {
            let mut sum = Sheet::new("Sum over all nodes".to_owned(), Vec::new());
            total::rows(&totals, &mut sum);
            blocks.push(Block::Sheet(sum));
        }
    }
    let one_line = blocks.iter().all(|block| match block {
        Block::Sheet(sheet) => sheet.fits(style.calculation_columns()),
        Block::Text(_) => true,
    });
    let rendered = blocks.into_iter().map(|block| match block {
        Block::Sheet(sheet) => sheet.render(one_line, style),
        Block::Text(text) => text,
    });
    rendered.collect::<Vec<_>>().join("\n")
}

/// A part of the calculation, in the order of reading.
enum Block {
    Sheet(Sheet),
    Text(String),
}

/// Memories with the same calculation.
pub(super) struct MemoryClass<'a> {
    nodes: Vec<usize>,
    trace: &'a MemoryTrace,
}

fn memory_classes<'a>(view: &ScenarioView<'a>) -> Vec<MemoryClass<'a>> {
    let mut classes: Vec<(MemoryTrace, Vec<(u64, u64)>, MemoryClass)> = Vec::new();
    for trace in &view.evaluation.trace {
        // The calculation is the same if it differs in nothing but the numbers of the nodes.
        let mut anonymous = trace.clone();
        anonymous.memory = NodeId(0);
        let mut cores = Vec::new();
        for pool in &mut anonymous.pools {
            let core = view.machine.node(pool.from);
            let ceiling = core.core_bandwidth.map_or(f64::INFINITY, |ceiling| ceiling.value());
            cores.push((core.gflops_per_core.value().to_bits(), ceiling.to_bits()));
            pool.from = NodeId(0);
        }
        match classes.iter_mut().find(|(other, on, _)| *other == anonymous && *on == cores) {
            Some((_, _, class)) => class.nodes.push(trace.memory.0),
            None => classes.push((anonymous, cores, MemoryClass { nodes: vec![trace.memory.0], trace })),
        }
    }
    classes.into_iter().map(|(_, _, class)| class).collect()
}
