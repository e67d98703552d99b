//! What was planned: pure functions from a plan to a table, JSON and CSV.

pub(crate) mod of_graph;
mod table;

use numasim_plan::Plan;
use serde_json::{Value, json as document};

pub(crate) use table::table;

/// The document.
pub(crate) fn json(plan: &Plan) -> Value {
    document!({
        "schema": 1,
        "command": "plan",
        "pattern": plan.pattern().as_str(),
        "nodes": plan.nodes(),
        "tasks": plan.classes().task_count(),
        "classes": plan.classes().all().len(),
        "no_opinion": plan.no_opinion(),
        "blocks": plan.block_count(),
        "block_classes": plan.blocks().len(),
    })
}

/// A row for each class of tasks; a class without opinion has no node.
///
/// # Errors
/// Only those of the writer; memory does not fail.
pub(crate) fn csv(plan: &Plan) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["class", "template", "node", "tasks", "work_s"])?;
    for (number, class, planned) in plan.planned() {
        writer.write_record([
            number.0.to_string(),
            plan.classes().templates().name(class.template).to_owned(),
            planned.node.map_or(String::new(), |node| node.to_string()),
            class.tasks.to_string(),
            planned.work_s.to_string(),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

#[cfg(test)]
mod tests;
