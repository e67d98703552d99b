//! Reads the keys of a task of a tree program (`created_by`, `seq`, `affinity`, `submit`, `returns`, `replay`), and checks those of all
//! tasks together.

use std::collections::HashMap;

use numasim_model::ids::NodeId;
use numasim_study::keys::Key;
use numasim_study::reader::{Log, MachineReading, TableReader, Value};
use numasim_study::{Place, Problem, ProblemKind, names};

use crate::input::listed::{core_node, report_unknown};
use crate::keys::task;
use crate::values::{GraphError, Submit, TaskGraph, TaskId, TreeTask};

/// Advice if no task has a name.
const NAMELESS: &str = "give the task that creates this one a `name`";

/// A task with a name in a file.
pub(in crate::input) struct Named {
    pub(in crate::input) place: Place,
    /// `None` if it could not be read.
    task: Option<TaskId>,
}

/// A reference to a task that comes later or does not exist.
struct Waiting<'a> {
    name: &'a str,
    place: Place,
}

/// Tasks by name, and the references to them.
#[derive(Default)]
pub(in crate::input) struct Creators<'a> {
    known: HashMap<&'a str, Named>,
    names: Vec<&'a str>,
    waiting: Vec<Waiting<'a>>,
    /// Places of `seq` in the files, in the order of the tasks.
    seqs: Vec<(TaskId, Place)>,
}

/// The keys of a task of a tree program, as in the file.
pub(in crate::input) struct TreeKeys<'a> {
    created_by: Option<TaskId>,
    seq: Option<(u32, Place)>,
    affinity: Option<NodeId>,
    submit: Submit,
    returns: bool,
    replay: Option<&'a str>,
}

impl<'a> TreeKeys<'a> {
    /// Reads the keys. `own` is the name of the task, `waits` the place of its request that the master waits before it, and `left_out`
    /// is called for absent keys. `None` if a value is invalid.
    pub(in crate::input) fn read(
        table: &mut TableReader<'a>,
        (own, waits): (Option<&'a str>, Option<Place>),
        creators: &mut Creators<'a>,
        machine: &MachineReading,
        mut left_out: impl FnMut(&'static Key),
    ) -> Option<Self> {
        let mut given = |key: &'static Key| {
            let value = table.optional(key);
            if value.is_none() {
                left_out(key);
            }
            value
        };
        let creator = given(&task::CREATED_BY);
        let affinity =
            given(&task::AFFINITY).map_or(Some(None), |value| core_node(&value, machine).map(Some));
        let submit = given(&task::SUBMIT)
            .map_or(Some(Submit::default()), |value| value.word(&Submit::ALL, Submit::as_str));
        let returns = given(&task::RETURNS).map_or(Some(false), |value| value.flag());
        let replay = given(&task::REPLAY).map_or(Some(None), |value| value.name().map(Some));
        let seq = table.optional(&task::SEQ);
        if seq.is_none() && creator.is_some() {
            left_out(&task::SEQ);
        }
        let seq = seq.map_or(Some(None), |value| read_seq(&value, creator.is_some()).map(Some));
        let created_by = creator.as_ref().map_or(Some(None), |value| creators.find(value, own).map(Some));
        if let (Some(place), Some(_)) = (waits, &creator) {
            let problem = Problem::new(
                ProblemKind::Conflict,
                "only the master waits, and this task is created by a task",
            )
            .at(place, "who waits?")
            .hint("leave out `taskwait`, or `created_by`");
            table.source.log.report(problem);
            return None;
        }
        let (created_by, seq, affinity) = (created_by?, seq?, affinity?);
        Some(Self { created_by, seq, affinity, submit: submit?, returns: returns?, replay: replay? })
    }

    /// In the form for adding it to a graph.
    pub(in crate::input) fn task(&self) -> TreeTask<'a> {
        TreeTask {
            created_by: self.created_by,
            seq: self.seq.as_ref().map(|(seq, _)| *seq),
            affinity: self.affinity,
            submit: self.submit,
            returns: self.returns,
            replay: self.replay,
        }
    }
}

/// A `seq` among the tasks of a task, not of the master.
fn read_seq(value: &Value<'_>, has_creator: bool) -> Option<(u32, Place)> {
    let seq = value.count()?;
    if !has_creator {
        let message = "`seq` is the place among the tasks of a task, and the master creates this one";
        let hint = "leave it out: tasks of the master come in the order of the files; or write `created_by`";
        value.report(ProblemKind::Conflict, message.to_owned(), "among whose tasks?", hint);
        return None;
    }
    Some((seq, value.place()))
}

impl<'a> Creators<'a> {
    /// The place of an earlier task with this name, if there is one; from now on there is.
    pub(in crate::input) fn first(&mut self, name: &'a str, place: &Place) -> Option<&Place> {
        if self.known.contains_key(name) {
            return self.known.get(name).map(|named| &named.place);
        }
        self.names.push(name);
        self.known.insert(name, Named { place: place.clone(), task: None });
        None
    }

    /// The task was added to the graph.
    pub(in crate::input) fn added(&mut self, task: TaskId, name: Option<&'a str>, keys: TreeKeys<'a>) {
        if let Some(named) = name.and_then(|name| self.known.get_mut(name)) {
            named.task = Some(task);
        }
        self.seqs.extend(keys.seq.map(|(_, place)| (task, place)));
    }

    /// The task that a value of `created_by` names; `None` if it does not exist so far, which is reported later.
    fn find(&mut self, value: &Value<'a>, own: Option<&str>) -> Option<TaskId> {
        let name = value.name()?;
        if own == Some(name) {
            let message = format!("`{}` cannot create itself", names::shown(name));
            value.report(ProblemKind::BadValue, message, "the task itself", "name an earlier task");
            return None;
        }
        if let Some(named) = self.known.get(name) {
            return named.task;
        }
        self.waiting.push(Waiting { name, place: value.place() });
        None
    }

    /// The task with this name, anywhere in the files; a missing one is reported.
    pub(in crate::input) fn anywhere(&self, name: &str, place: &Place, log: &Log) -> Option<TaskId> {
        if let Some(named) = self.known.get(name) {
            return named.task;
        }
        report_unknown("task", name, place.clone(), &self.names, NAMELESS, log);
        None
    }

    /// Reports creators that come later, and those that do not exist.
    pub(in crate::input) fn finish(&self, log: &Log) {
        for Waiting { name, place } in &self.waiting {
            let Some(named) = self.known.get(name) else {
                report_unknown("task", name, place.clone(), &self.names, NAMELESS, log);
                continue;
            };
            let message = format!("`{}` comes later than a task that it should create", names::shown(name));
            let problem = Problem::new(ProblemKind::BadValue, message)
                .at(place.clone(), "not there yet")
                .related(named.place.clone(), "the later task")
                .hint("write the task that creates others above them");
            log.report(problem);
        }
    }

    /// Whether the places of the tasks of each creator are 0, 1, 2 ..., or none are given; if not, this is reported. `places` are those
    /// of all tasks.
    pub(in crate::input) fn has_places(&self, graph: &TaskGraph, places: &[Place], log: &Log) -> bool {
        let Some((task, error)) = graph.misplaced() else { return true };
        let called = |task: TaskId| match graph.task_name(task) {
            Some(name) => format!("`{}`", names::shown(name)),
            None => format!("task {}", task.0),
        };
        let seq_of = |task: TaskId| {
            let at = self.seqs.binary_search_by_key(&task, |(task, _)| *task).ok()?;
            self.seqs.get(at).map(|(_, place)| place.clone())
        };
        let header = |task: TaskId| places.get(task.0 as usize).cloned();
        let creator = graph.created_by(task).map_or_else(|| "the master".to_owned(), called);
        let all = "give all tasks of a creator a `seq`, which is then 0, 1, 2 ..., or none: then they come in the order of the files";
        let (message, place, label) = match error {
            GraphError::SeqRepeated { seq, .. } => {
                (format!("two tasks of {creator} have the `seq` {seq}"), seq_of(task), "a second time")
            }
            GraphError::SeqMissing { seq, .. } => (
                format!("no task of {creator} has the `seq` {seq}, but {} has a larger one", called(task)),
                seq_of(task),
                "what comes before?",
            ),
            _ => (
                format!("{} has no `seq`, but other tasks of {creator} have one", called(task)),
                header(task),
                "at which place?",
            ),
        };
        let mut problem = Problem::new(ProblemKind::Conflict, message).hint(all);
        if let Some(place) = place {
            problem = problem.at(place, label);
        }
        log.report(problem);
        false
    }
}
