//! Workflows as WfCommons has them: WfFormat 1.5 and 1.6 (`wfcommons-schema.json` of github.com/wfcommons/WfFormat).
//!
//! Files are blocks. The work of a task is its `runtimeInSeconds` x `avgCPU` / 100 x the GFLOPS of a core that it was measured on, which
//! the file does not have. `parents` and `children` say what comes before what, and so does a file that one task alone writes.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

mod execution;
mod files;
mod json;

use std::collections::HashMap;

use crate::values::AccessMode;
use numasim_study::{Place, Problem, ProblemKind};

use super::assemble::assemble;
use super::draft::{Draft, DraftTask};
use super::{Imported, room};
use crate::problems::{Problems, shown};
use execution::Measured;
use files::Files;
use json::{Json, Object};

/// What makes files of these versions of older ones.
const MIGRATION: &str =
    "migrate it first, with tools/wfcommons-migrate-instance.py of github.com/wfcommons/WfFormat";

/// Reads an instance. `name` is that of the graph where the file has none; `reference_gflops` are those of a core that it was measured on.
///
/// # Errors
/// Problems with their places: no JSON, other versions, tasks or files that are not there, sizes below 0, a circle of tasks.
pub fn read(text: &str, name: &str, reference_gflops: f64) -> Result<Imported, Vec<Problem>> {
    room::check(text, [room::count(text, b'{'), 600], 4)?;
    let parts = Parts::find(text).map_err(|problem| vec![problem])?;
    let mut problems = Problems::default();
    let mut draft = Draft::default();
    let files = Files::read(&parts.files, &mut draft, &mut problems);
    let mut measured = Measured::read(&parts.executed, &mut problems);
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut relatives = Vec::with_capacity(parts.tasks.len());
    for &task in &parts.tasks {
        if problems.is_full() {
            break;
        }
        let read = one(task, &files, &mut measured, reference_gflops).and_then(|(task, object)| {
            let id = task.name.clone();
            Ok((draft.task(task).map_err(|problem| *problem)?, id, object))
        });
        let Some((number, id, object)) = problems.take(read) else { continue };
        if numbers.contains_key(&id) {
            let message = format!("the task `{}` is there twice", shown(&id));
            problems.add(task.problem(ProblemKind::DuplicateName, message));
        }
        numbers.insert(id, number);
        relatives.push((number, object));
    }
    // A task that could not be read would be missed here once more.
    if problems.is_empty() {
        measured.check_unused(&mut problems);
        for (number, object) in &relatives {
            relate(*number, object, &numbers, &mut draft, &mut problems);
        }
    }
    problems.none(())?;
    let mut warnings = measured.warnings();
    warnings.extend(files.order(&mut draft));
    let graph = assemble(draft, parts.name.as_deref().unwrap_or(name))?;
    Ok(Imported { graph, warnings })
}

/// The lists of an instance.
struct Parts<'t> {
    name: Option<String>,
    tasks: Vec<Json<'t>>,
    files: Vec<Json<'t>>,
    executed: Vec<Json<'t>>,
}

impl<'t> Parts<'t> {
    fn find(text: &'t str) -> Result<Self, Problem> {
        let root = Json::of(text)?.object("the instance")?;
        let workflow = root.need("workflow")?.object("workflow")?;
        check_version(&root, &workflow)?;
        let specification = workflow.need("specification")?.object("specification")?;
        let execution =
            workflow.need("execution").map_err(|problem| problem.hint("without it no task has any work"))?;
        Ok(Self {
            name: root.get("name").map(|name| name.string("name")).transpose()?,
            tasks: specification.need("tasks")?.list("tasks")?,
            files: specification.elements("files")?,
            executed: execution.object("execution")?.need("tasks")?.list("tasks")?,
        })
    }
}

/// Versions whose files are read differently, and files that say one and are another.
fn check_version(root: &Object<'_>, workflow: &Object<'_>) -> Result<(), Problem> {
    let value = root.need("schemaVersion")?;
    let version = value.string("schemaVersion")?;
    match version.as_str() {
        "1.5" | "1.6" => match workflow.get("tasks") {
            Some(tasks) if workflow.get("specification").is_none() => {
                let message = format!(
                    "`workflow.tasks` is that of versions before 1.5, but `schemaVersion` is {version}"
                );
                Err(tasks.problem(ProblemKind::Conflict, message).hint(MIGRATION))
            }
            _ => Ok(()),
        },
        _ => {
            let message = format!("`schemaVersion` is '{}'; 1.5 and 1.6 are read", shown(&version));
            let problem = value.problem(ProblemKind::BadValue, message);
            let is_older = ["1.0", "1.1", "1.2", "1.3", "1.4"].contains(&version.as_str());
            Err(if is_older { problem.hint(MIGRATION) } else { problem })
        }
    }
}

/// A task without its relatives, and the object that names them.
fn one<'t>(
    task: Json<'t>,
    files: &Files,
    measured: &mut Measured,
    reference_gflops: f64,
) -> Result<(DraftTask, Object<'t>), Problem> {
    let object = task.object("a task")?;
    let id = object.need("id")?;
    let (place, id) = (Place::at(0, id.first_line()), id.string("id")?);
    let gflop = measured.gflop(&id, reference_gflops).ok_or_else(|| {
        let message = format!("the task `{}` is not in `workflow.execution.tasks`", shown(&id));
        Problem::new(ProblemKind::MissingKey, message).at(place.clone(), "here")
    })?;
    let mut accesses = Vec::new();
    for (key, mode) in [("inputFiles", AccessMode::In), ("outputFiles", AccessMode::Out)] {
        for file in object.elements(key)? {
            let (block, bytes) = files.find(file, key)?;
            accesses.push((block, mode, bytes));
        }
    }
    let kind = object.need("name")?.string("name")?;
    Ok((DraftTask { name: id, kind, gflop, accesses, parents: Vec::new(), place }, object))
}

/// Adds the parents and children that a task names.
fn relate(
    number: u32,
    object: &Object<'_>,
    numbers: &HashMap<String, u32>,
    draft: &mut Draft,
    problems: &mut Problems,
) {
    for (key, is_parent) in [("parents", true), ("children", false)] {
        for relative in problems.take(object.elements(key)).into_iter().flatten() {
            let Some(id) = problems.take(relative.string(key)) else { continue };
            let Some(&other) = numbers.get(&id) else {
                let message = format!("`{key}` names `{}`, but there is no such task", shown(&id));
                problems.add(relative.problem(ProblemKind::UnknownName, message));
                continue;
            };
            let (parent, child) = if is_parent { (other, number) } else { (number, other) };
            if let Some(task) = draft.tasks.get_mut(child as usize) {
                task.parents.push(parent);
            }
        }
    }
}
