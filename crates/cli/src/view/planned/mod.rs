//! What was planned: pure functions from a plan to a table, JSON and CSV.

pub(crate) mod of_graph;
mod table;

use numasim_ask::table::Of;
use numasim_plan::{Class, ClassId, Plan, PlannedClass};
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
pub(crate) fn csv(plan: &Plan) -> String {
    let templates = plan.classes().templates();
    let columns = [
        Of::whole("class", |(number, ..): &(ClassId, &Class, &PlannedClass)| number.0),
        Of::text("template", |(_, class, _): &(ClassId, &Class, &PlannedClass)| {
            templates.name(class.template)
        }),
        Of::whole("node", |(.., planned): &(ClassId, &Class, &PlannedClass)| planned.node),
        Of::whole("tasks", |(_, class, _): &(ClassId, &Class, &PlannedClass)| class.tasks),
        Of::number("work_s", |(.., planned): &(ClassId, &Class, &PlannedClass)| planned.work_s),
    ];
    numasim_ask::table::csv(&columns, plan.planned())
}

#[cfg(test)]
mod tests;
