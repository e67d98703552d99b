//! Plans for people: their size, the predicted gain, and the share of each node.

use std::fmt::Write as _;

use numasim_ask::table::{Of, grid};
use numasim_graph::values::BlockHome;
use numasim_model::{Machine, NodeId};
use numasim_plan::Plan;
use numasim_plan::plan::Promise;
use numasim_tasks::Advice;

use super::tasked::bound_in_words;
use super::{Style, figures, machine_title};

/// The share of one node.
#[derive(Debug, Default)]
struct Share {
    name: String,
    classes: u64,
    tasks: u64,
    work_s: f64,
    blocks: u64,
    bytes: f64,
}

/// Counts, then a row for each node.
pub(crate) fn table(plan: &Plan, style: &Style) -> String {
    let mut text = format!(
        "Profile: {} in {}; {} in {}\nPattern: {} on {}\n\n",
        figures::count(plan.classes().task_count() as u64, "task"),
        classes(plan.classes().all().len()),
        figures::count(plan.block_count(), "block"),
        classes(plan.blocks().len()),
        plan.pattern().as_str(),
        figures::count(plan.nodes() as u64, "node"),
    );
    let mut shares: Vec<Share> =
        (0..plan.nodes()).map(|node| Share { name: format!("node {node}"), ..Share::default() }).collect();
    let mut nowhere = Share { name: "no opinion".to_owned(), ..Share::default() };
    for (_, class, planned) in plan.planned() {
        let share = planned.node.and_then(|node| shares.get_mut(node)).unwrap_or(&mut nowhere);
        share.classes += 1;
        share.tasks += class.tasks;
        share.work_s += planned.work_s;
    }
    for class in plan.blocks() {
        let share = shares.get_mut(class.node).unwrap_or(&mut nowhere);
        share.blocks += class.blocks;
        share.bytes += class.bytes;
    }
    let without_opinion = nowhere.classes > 0;
    shares.extend(Some(nowhere).filter(|_| without_opinion));
    let columns = [
        Of::text("name", |share: &Share| share.name.clone()).titled(""),
        Of::count("classes", |share: &Share| share.classes),
        Of::count("tasks", |share: &Share| share.tasks),
        Of::number("work s", |share: &Share| share.work_s).rounded(),
        Of::count("blocks", |share: &Share| share.blocks),
        Of::number("MB", |share: &Share| share.bytes / 1e6).rounded(),
    ];
    text += &grid(&columns, &shares).render(style);
    if without_opinion {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "\nTasks of a class without opinion go by the affinity that the program gives them."
        );
    }
    text
}

fn classes(count: usize) -> String {
    format!("{count} class{}", if count == 1 { "" } else { "es" })
}

/// The plan for one graph: its predicted gain, and the number of tasks and blocks on each node.
pub(crate) fn of_graph(machine: &Machine, advice: &Advice, promise: &Promise<'_>, style: &Style) -> String {
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
    let tasks = |node: &NodeId| graph.tasks().filter(|task| graph.socket(*task) == Some(*node)).count();
    let on =
        |node: &NodeId| graph.blocks().iter().filter(|block| block.home == BlockHome::Node(*node)).count();
    let columns = [
        Of::text("node", |node: &NodeId| node.0.to_string()),
        Of::count("tasks", tasks),
        Of::count("blocks", on),
    ];
    text + &grid(&columns, &machine.node_ids().collect::<Vec<_>>()).render(style)
}

#[cfg(test)]
mod tests;
