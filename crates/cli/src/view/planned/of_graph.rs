//! The plan for one graph: what it promises, and how many tasks and blocks each node has.

use std::fmt::Write as _;

use numasim_ask::table::{self, Of};
use numasim_draw::figures;
use numasim_draw::grid::{Align, Grid};
use numasim_graph::values::BlockHome;
use numasim_model::Machine;
use numasim_plan::graph_file::Promise;
use numasim_tasks::Advice;
use serde_json::{Value, json as document};

use super::super::json::number;
use super::super::tasked::bound_in_words;
use super::super::{Style, machine_title};

/// A few lines.
pub(crate) fn table(machine: &Machine, advice: &Advice, promise: &Promise<'_>, style: &Style) -> String {
    let graph = &advice.graph;
    let mut text = format!(
        "Machine: {}\nGraph:   {}: {}, {}\n\n",
        machine_title(machine),
        graph.name(),
        figures::count(graph.task_count() as u64, "task"),
        figures::count(graph.blocks().len() as u64, "block"),
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "Without a plan (fifo, first touch)  {} s", figures::single(promise.before_s));
    let _ = writeln!(
        text,
        "With it (sa)                        {} s, {:.3} times as fast; as {} places tasks, homes by {}",
        figures::single(promise.makespan_s),
        promise.gain(),
        promise.scheduler,
        promise.homes
    );
    let _ = writeln!(
        text,
        "No plan is faster than              {} s, {:.3} times as fast: {}\n",
        figures::single(promise.bound_s),
        promise.gain_at_most(),
        bound_in_words(advice.bound.because_of)
    );
    let mut grid = Grid::new(&[("node", Align::Left), ("tasks", Align::Right), ("blocks", Align::Right)]);
    for node in machine.node_ids() {
        let tasks = graph.tasks().filter(|task| graph.socket(*task) == Some(node)).count();
        let blocks = graph.blocks().iter().filter(|block| block.home == BlockHome::Node(node)).count();
        grid.row(vec![node.0.to_string(), tasks.to_string(), blocks.to_string()]);
    }
    text + &grid.render(style)
}

/// The document.
pub(crate) fn json(advice: &Advice, promise: &Promise<'_>) -> Value {
    document!({
        "schema": 1,
        "command": "plan",
        "graph": advice.graph.name(),
        "machine": promise.machine,
        "tasks": advice.graph.task_count(),
        "blocks": advice.graph.blocks().len(),
        "placed_by": promise.scheduler,
        "homes": promise.homes,
        "makespan_s": number(promise.makespan_s),
        "before_s": number(promise.before_s),
        "gain": number(promise.gain()),
        "bound_s": number(promise.bound_s),
        "bound_by": advice.bound.because_of.as_str(),
        "gain_at_most": number(promise.gain_at_most()),
    })
}

/// One row.
pub(crate) fn csv(promise: &Promise<'_>) -> String {
    let columns = [
        Of::text("placed_by", |promise: &&Promise| promise.scheduler.to_owned()),
        Of::text("homes", |promise: &&Promise| promise.homes.to_owned()),
        Of::number("makespan_s", |promise: &&Promise| promise.makespan_s),
        Of::number("before_s", |promise: &&Promise| promise.before_s),
        Of::number("gain", |promise: &&Promise| promise.gain()),
        Of::number("bound_s", |promise: &&Promise| promise.bound_s),
        Of::number("gain_at_most", |promise: &&Promise| promise.gain_at_most()),
    ];
    table::csv(&columns, [promise])
}
