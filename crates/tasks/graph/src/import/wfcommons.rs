//! Workflows in the format of WfCommons: WfFormat 1.5 and 1.6 (`wfcommons-schema.json` of github.com/wfcommons/WfFormat).
//!
//! Files are blocks. The work of a task is its `runtimeInSeconds` x `avgCPU` / 100 x the GFLOPS of a core of the measured machine, which
//! the file does not contain. `parents` and `children` define the order of tasks; so does a file that only one task writes.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;

use numasim_study::{Place, Problem, ProblemKind};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::import::{Draft, DraftTask, Imported, Noted, Warning, assemble};
use crate::problems::{Problems, amount, at, computable_priority, shown};
use crate::values::AccessMode;

/// How to convert files of older versions to these.
const MIGRATION: &str =
    "migrate it first, with tools/wfcommons-migrate-instance.py of github.com/wfcommons/WfFormat";

/// Reads an instance. `name` is the graph's name if the file has none; `reference_gflops` are those of a core of the measured machine.
///
/// # Errors
/// Problems with their places: no JSON, other versions, tasks or files that do not exist, negative sizes, a cycle of tasks.
pub fn read(text: &str, name: &str, reference_gflops: f64) -> Result<Imported, Vec<Problem>> {
    super::check_room(text, [super::count(text, b'{'), 600], 4)?;
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
    // A task that could not be read would be reported here a second time.
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

/// Rejects versions whose format differs, and files whose content contradicts their version.
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
    let priority = measured.priority(&id);
    Ok((DraftTask { name: id, kind, gflop, priority, accesses, parents: Vec::new(), place }, object))
}

/// Adds the parents and children of a task.
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

// `workflow.execution`: the duration of each task.

/// The measurements of each task, and notes about it.
#[derive(Default)]
struct Measured {
    tasks: HashMap<String, Figures>,
    cores: Noted,
    cpu: Noted,
    idle: Noted,
    /// Whether some could not be read: they exist all the same.
    lacks: bool,
}

struct Figures {
    runtime_s: f64,
    /// Percent of a core.
    cpu: Option<f64>,
    cores: f64,
    priority: f64,
    place: Place,
    used: bool,
}

fn figures(task: Json<'_>) -> Result<(String, Figures), Problem> {
    let object = task.object("a task")?;
    let id = object.need("id")?.string("id")?;
    let amount = |key: &str| object.get(key).map(|value| value.amount(key)).transpose();
    let runtime_s = object.need("runtimeInSeconds")?.amount("runtimeInSeconds")?;
    let (cpu, cores) = (amount("avgCPU")?, amount("coreCount")?.unwrap_or(1.0));
    let priority = object.get("priority").map_or(Ok(0.0), Json::priority)?;
    let place = Place::at(0, task.first_line());
    Ok((id, Figures { runtime_s, cpu, cores, priority, place, used: false }))
}

impl Measured {
    /// The values of all tasks.
    fn read(executed: &[Json<'_>], problems: &mut Problems) -> Self {
        let before = problems.len();
        let mut measured = Self::default();
        for &task in executed {
            if problems.is_full() {
                break;
            }
            let Some((id, figures)) = problems.take(figures(task)) else { continue };
            if measured.tasks.contains_key(&id) {
                let message = format!("the task `{}` was executed twice", shown(&id));
                problems.add(task.problem(ProblemKind::DuplicateName, message));
            }
            measured.tasks.insert(id, figures);
        }
        measured.lacks = problems.len() > before;
        measured
    }

    /// The work of a task, 10^9 FLOP: runtime x avgCPU / 100 x GFLOPS of a core. `None` if it was not executed.
    fn gflop(&mut self, id: &str, reference_gflops: f64) -> Option<f64> {
        let Some(figures) = self.tasks.get_mut(id) else { return self.lacks.then_some(0.0) };
        figures.used = true;
        if figures.cores > 1.0 {
            self.cores.at(id, &figures.place);
        }
        if figures.cpu.is_none() {
            self.cpu.at(id, &figures.place);
        }
        if figures.cpu == Some(0.0) && figures.runtime_s > 0.0 {
            self.idle.at(id, &figures.place);
        }
        Some(figures.runtime_s * figures.cpu.unwrap_or(100.0) / 100.0 * reference_gflops)
    }

    /// Priority of a task.
    fn priority(&self, id: &str) -> f64 {
        self.tasks.get(id).map_or(0.0, |figures| figures.priority)
    }

    /// Reports executed items that are no tasks.
    fn check_unused(&self, problems: &mut Problems) {
        let mut unused: Vec<_> = self.tasks.iter().filter(|(_, figures)| !figures.used).collect();
        unused.sort_by_key(|(_, figures)| figures.place.span.as_ref().map_or(0, |span| span.start));
        for (id, figures) in unused {
            let message = format!("`{}` was executed, but is no task of the specification", shown(id));
            problems.add(Problem::new(ProblemKind::UnknownName, message).at(figures.place.clone(), "here"));
        }
    }

    fn warnings(self) -> Vec<Warning> {
        let tasks = ["the task", "tasks"];
        let cores =
            "asked for several cores (`coreCount`): each becomes one task on one core, with all of the work";
        let cpu = "without `avgCPU`: 100 % is assumed";
        let idle = "with `avgCPU` 0: no work, whatever their time";
        let warnings =
            [self.cores.warning(tasks, cores), self.cpu.warning(tasks, cpu), self.idle.warning(tasks, idle)];
        warnings.into_iter().flatten().collect()
    }
}

// `workflow.specification.files`: blocks, and the order that follows from their writers.

/// Files by their identifiers.
#[derive(Default)]
struct Files {
    numbers: HashMap<String, (u32, f64)>,
    places: Vec<Place>,
    /// Whether some could not be read: they exist all the same.
    lacks: bool,
}

impl Files {
    /// The files of an instance, as blocks of `draft`.
    fn read(files: &[Json<'_>], draft: &mut Draft, problems: &mut Problems) -> Self {
        let mut known = Self::default();
        for &file in files {
            if problems.is_full() {
                break;
            }
            let Some((id, bytes)) = problems.take(id_and_size(file)) else { continue };
            let Some(block) = draft.block(id.clone(), bytes) else {
                let message = "there are more files than a graph may have blocks";
                problems.add(file.problem(ProblemKind::Limit, message));
                break;
            };
            if known.numbers.contains_key(&id) {
                let message = format!("the file `{}` is there twice", shown(&id));
                problems.add(file.problem(ProblemKind::DuplicateName, message));
            }
            known.numbers.insert(id, (block, bytes));
            known.places.push(Place::at(0, file.first_line()));
        }
        known.lacks = !problems.is_empty();
        known
    }

    /// The block of a file that a task names, and its bytes.
    fn find(&self, file: Json<'_>, key: &str) -> Result<(u32, f64), Problem> {
        let id = file.string(key)?;
        let unread = self.lacks.then_some((0, 0.0));
        self.numbers.get(&id).copied().or(unread).ok_or_else(|| {
            let message =
                format!("`{key}` names `{}`, which is not in `workflow.specification.files`", shown(&id));
            file.problem(ProblemKind::UnknownName, message)
        })
    }

    /// A task that reads a file written by only one task comes after that task. If several tasks write it, only `parents` determine the
    /// order.
    fn order(&self, draft: &mut Draft) -> Option<Warning> {
        let mut writers: Vec<Vec<u32>> = vec![Vec::new(); draft.blocks.len()];
        for (number, task) in (0_u32..).zip(&draft.tasks) {
            for (block, ..) in task.accesses.iter().filter(|access| access.1.writes()) {
                if let Some(writers) = writers.get_mut(*block as usize) {
                    writers.push(number);
                }
            }
        }
        for (number, task) in (0_u32..).zip(&mut draft.tasks) {
            let of = |block: u32| match writers.get(block as usize).map(Vec::as_slice) {
                Some(&[writer]) if writer != number => Some(writer),
                _ => None,
            };
            let parents: Vec<u32> = task.accesses.iter().filter_map(|&(block, ..)| of(block)).collect();
            task.parents.extend(parents);
        }
        let mut several = Noted::default();
        for ((writers, (name, _)), place) in writers.iter().zip(&draft.blocks).zip(&self.places) {
            if writers.len() > 1 {
                several.at(name, place);
            }
        }
        several.warning(
            ["the file", "files"],
            "with several writers: where `parents` do not say who comes first, the order of the file does",
        )
    }
}

fn id_and_size(file: Json<'_>) -> Result<(String, f64), Problem> {
    let object = file.object("a file")?;
    Ok((object.need("id")?.string("id")?, object.need("sizeInBytes")?.amount("sizeInBytes")?))
}

// JSON with the place of every value: `serde_json` parses it, and leaves the text of a value in place.

/// A value and its place.
#[derive(Clone, Copy, Debug)]
struct Json<'t> {
    raw: &'t str,
    /// Byte of the file where it begins.
    start: usize,
}

/// The members of an object.
#[derive(Clone, Debug)]
struct Object<'t> {
    members: BTreeMap<String, Json<'t>>,
    whole: Range<usize>,
}

/// The members of an object in their order, including those with the same key.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = map.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

impl<'t> Json<'t> {
    /// The only value of a text.
    fn of(text: &'t str) -> Result<Self, Problem> {
        let all = Self { raw: text, start: 0 };
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| all.syntax(&error))?;
        Ok(all.inside(raw))
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// A problem with this value.
    fn problem(&self, kind: ProblemKind, message: impl Into<String>) -> Problem {
        at(kind, 0, self.first_line(), message)
    }

    /// Its place in messages: a large value is shown by its first line.
    fn first_line(&self) -> Range<usize> {
        self.start..self.start + self.raw.find('\n').unwrap_or(self.raw.len())
    }

    /// The members, if it is an object.
    fn object(self, what: &str) -> Result<Object<'t>, Problem> {
        if !self.raw.starts_with('{') {
            return Err(self.wrong(what, "an object: { ... }"));
        }
        let Members(all) = self.read()?;
        let mut members = BTreeMap::new();
        for (key, raw) in all {
            let value = self.inside(raw);
            let again = format!("this object has `{}` twice", shown(&key));
            if members.insert(key, value).is_some() {
                return Err(value.problem(ProblemKind::DuplicateKey, again));
            }
        }
        Ok(Object { members, whole: self.span() })
    }

    /// The elements, if it is a list.
    fn list(self, what: &str) -> Result<Vec<Self>, Problem> {
        if !self.raw.starts_with('[') {
            return Err(self.wrong(what, "a list: [ ... ]"));
        }
        let elements: Vec<&RawValue> = self.read()?;
        Ok(elements.into_iter().map(|raw| self.inside(raw)).collect())
    }

    /// Its text, if it is a string.
    fn string(self, what: &str) -> Result<String, Problem> {
        if !self.raw.starts_with('"') {
            return Err(self.wrong(what, "text in double quotes"));
        }
        self.read()
    }

    /// A number, zero or more.
    fn amount(self, what: &str) -> Result<f64, Problem> {
        if !self.raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return Err(self.wrong(what, "a number"));
        }
        amount(self.raw).map_err(|why| self.problem(ProblemKind::BadValue, format!("`{what}` is {why}")))
    }

    fn priority(self) -> Result<f64, Problem> {
        computable_priority(self.raw)
            .map_err(|why| self.problem(ProblemKind::BadValue, format!("`priority` is {why}")))
    }

    fn wrong(&self, what: &str, expected: &str) -> Problem {
        let message = format!("`{what}` is {}, but must be {expected}", shown(self.raw));
        self.problem(ProblemKind::WrongType, message)
    }

    fn read<T: serde::Deserialize<'t>>(&self) -> Result<T, Problem> {
        serde_json::from_str(self.raw).map_err(|error| self.syntax(&error))
    }

    /// A value that was found in this one: a part of the same text.
    fn inside(&self, raw: &'t RawValue) -> Self {
        let offset = raw.get().as_ptr().addr().saturating_sub(self.raw.as_ptr().addr());
        Self { raw: raw.get(), start: self.start + offset }
    }

    /// The place where `serde_json`, which counts lines and bytes, stopped.
    fn syntax(&self, error: &serde_json::Error) -> Problem {
        let before: usize =
            self.raw.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let mut from = (before + error.column().saturating_sub(1)).min(self.raw.len());
        while !self.raw.is_char_boundary(from) {
            from -= 1;
        }
        let length = self.raw.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let start = self.start + from;
        at(ProblemKind::Syntax, 0, start..start + length, format!("this is not JSON: {message}"))
    }
}

impl<'t> Object<'t> {
    /// A member, if it is present and not `null`.
    fn get(&self, key: &str) -> Option<Json<'t>> {
        self.members.get(key).copied().filter(|value| value.raw != "null")
    }

    /// A required member.
    fn need(&self, key: &str) -> Result<Json<'t>, Problem> {
        self.get(key).ok_or_else(|| {
            let begin = self.whole.start..self.whole.start + 1;
            at(ProblemKind::MissingKey, 0, begin, format!("this object has no `{key}`"))
        })
    }

    /// The elements of a list; empty if it is absent.
    fn elements(&self, key: &str) -> Result<Vec<Json<'t>>, Problem> {
        self.get(key).map_or(Ok(Vec::new()), |list| list.list(key))
    }
}
