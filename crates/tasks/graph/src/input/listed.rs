//! Reads `[[task]]`: what is done, in the order in which it is created, and which blocks a task accesses, how much of them.

use super::blocks::{Blocks, report_twice};
use super::names::{LeftOut, core_node};
use super::tree::{Creators, TreeKeys};
use crate::keys::task;
use crate::values::{Access, AccessMode, NewTask, TaskGraphBuilder};
use numasim_study::keys::Key;
use numasim_study::reader::{Log, MachineReading, TableReader, Value};
use numasim_study::{Place, Problem, ProblemKind, names};
use std::collections::HashMap;

/// The tasks of all files.
pub(super) struct Tasks<'a> {
    pub(super) creators: Creators<'a>,
    /// Where each begins.
    pub(super) places: Vec<Place>,
    left_out: LeftOut,
    incomplete: bool,
}

impl Default for Tasks<'_> {
    fn default() -> Self {
        let left_out = LeftOut::new(&task::TABLE);
        Self { creators: Creators::default(), places: Vec::new(), left_out, incomplete: false }
    }
}

impl<'a> Tasks<'a> {
    pub(super) fn add(
        &mut self,
        mut table: TableReader<'a>,
        blocks: &Blocks<'a>,
        graph: &mut TaskGraphBuilder,
        machine: &MachineReading,
    ) {
        let place = table.place();
        if self.read(&mut table, blocks, graph, machine).is_none() {
            self.incomplete = true;
        }
        table.finish();
        self.places.push(place);
    }

    /// Notes the defaults, and reports creators that there are not before their tasks; whether all tasks could be read.
    pub(super) fn finish(&self, log: &Log) -> bool {
        self.creators.finish(log);
        self.left_out.note(self.places.len(), log);
        !self.incomplete
    }

    /// The value of a key, or its default.
    fn optional<T>(
        &mut self,
        table: &mut TableReader<'a>,
        key: &'static Key,
        default: T,
        read: impl Fn(&Value<'a>) -> Option<T>,
    ) -> Option<T> {
        let value = table.optional(key);
        if value.is_none() {
            self.left_out.count(key);
        }
        value.map_or(Some(default), |value| read(&value))
    }

    fn read(
        &mut self,
        table: &mut TableReader<'a>,
        blocks: &Blocks<'a>,
        graph: &mut TaskGraphBuilder,
        machine: &MachineReading,
    ) -> Option<()> {
        let (log, header) = (table.source.log, table.place());
        let name =
            self.optional(table, &task::NAME, None, |value| Some(Some((value.name()?, value.place()))));
        let called = match name.as_ref().and_then(Option::as_ref) {
            Some((name, _)) => names::shown(name),
            None => format!("task {}", self.places.len()),
        };
        let is_new = self.is_new(name.as_ref().and_then(Option::as_ref), log);
        let kind = self.optional(table, &task::TYPE, task::TYPE.default, Value::name);
        let gflop = self.optional(table, &task::GFLOP, 0.0, Value::number);
        let accesses = read_accesses(table, &called, blocks);
        let socket = self.optional(table, &task::SOCKET, None, |value| core_node(value, machine).map(Some));
        let taskwait = self.optional(table, &task::TASKWAIT, false, Value::flag);
        let own = name.as_ref().and_then(Option::as_ref).map(|(name, _)| *name);
        let waits = table.place_of(&task::TASKWAIT).filter(|_| taskwait == Some(true));
        let left_out = &mut self.left_out;
        let tree =
            TreeKeys::read(table, (own, waits), &mut self.creators, machine, |key| left_out.count(key));
        let (accesses, [declared, moved]) = accesses?;
        if !accesses.is_empty() {
            [(&task::DECLARED_BYTES, declared), (&task::MOVED_BYTES, moved)]
                .into_iter()
                .filter(|(_, given)| !given)
                .for_each(|(key, _)| self.left_out.count(key));
        }
        let (name, kind, gflop) = (name.filter(|_| is_new)?, kind?, gflop?);
        let name = name.map(|(name, _)| name);
        let (socket, taskwait) = (socket?, taskwait?);
        let kind = graph.kind(kind);
        let tree = tree?;
        let new = NewTask { kind, gflop, accesses: &accesses, socket, taskwait, name };
        let added = graph.tree_task(new, tree.task()).inspect_err(|error| {
            let message = format!("`{called}`: {error}");
            log.report(Problem::new(ProblemKind::Limit, message).at(header, "this task"));
        });
        self.creators.added(added.ok()?, name, tree);
        Some(())
    }

    /// Whether no other task has this name; a second one is reported.
    fn is_new(&mut self, name: Option<&(&'a str, Place)>, log: &Log) -> bool {
        let Some((name, place)) = name else { return true };
        let first = self.creators.first(name, place);
        first.map(|first| report_twice("task", name, place.clone(), first, log)).is_none()
    }
}

/// What a task accesses, by the name of the block.
#[derive(Default)]
struct Accesses<'a> {
    list: Vec<Access>,
    /// Number in the list, and where it stands.
    by_name: HashMap<&'a str, (Option<usize>, Place)>,
    /// Something could not be read.
    broken: bool,
}

/// Reads `in`, `inout`, `out`, `declared_bytes` and `moved_bytes`; `called` is the task. `None` if something makes no sense.
fn read_accesses<'a>(
    table: &mut TableReader<'a>,
    called: &str,
    blocks: &Blocks<'a>,
) -> Option<(Vec<Access>, [bool; 2])> {
    let mut accesses = Accesses::default();
    for mode in AccessMode::ALL {
        if let Some(value) = table.named(mode.as_str()) {
            accesses.add(&value, mode, called, blocks);
        }
    }
    let [declared, moved] = [&task::DECLARED_BYTES, &task::MOVED_BYTES].map(|key| table.optional(key));
    let given = [&declared, &moved].map(Option::is_some);
    if let Some(value) = declared {
        accesses.set(&value, called, blocks, |access, bytes| {
            (access.declared_bytes, access.moved_bytes) = (bytes, bytes);
        });
    }
    if let Some(value) = moved {
        accesses.set(&value, called, blocks, |access, bytes| access.moved_bytes = bytes);
    }
    (!accesses.broken).then_some((accesses.list, given))
}

impl<'a> Accesses<'a> {
    /// Adds the blocks of a list.
    fn add(&mut self, value: &Value<'a>, mode: AccessMode, called: &str, blocks: &Blocks<'a>) {
        let hint = format!("write the names of blocks, e.g. `{} = [\"X\"]`", mode.as_str());
        let Some(entries) = value.list("a list of blocks", hint) else {
            self.broken = true;
            return;
        };
        for entry in entries {
            let Some((name, known)) = blocks.find(&entry) else {
                self.broken = true;
                continue;
            };
            if let Some((_, first)) = self.by_name.get(name) {
                let message = format!("`{called}` accesses the block `{}` twice", names::shown(name));
                let problem = Problem::new(ProblemKind::DuplicateName, message)
                    .at(entry.place(), "a second time")
                    .related(first.clone(), "first here")
                    .hint("name each block once: `inout` reads and writes it");
                value.source.log.report(problem);
                self.broken = true;
                continue;
            }
            let number = known.block.map(|(block, bytes)| {
                self.list.push(Access { block, mode, declared_bytes: bytes, moved_bytes: bytes });
                self.list.len() - 1
            });
            self.broken |= number.is_none();
            self.by_name.insert(name, (number, entry.place()));
        }
    }

    /// Sets the bytes of some accesses.
    fn set(&mut self, value: &Value<'a>, called: &str, blocks: &Blocks<'a>, set: impl Fn(&mut Access, f64)) {
        let hint = format!("write the bytes of each block, e.g. `{} = {{ X = 1e6 }}`", value.name);
        let Some(entries) = value.entries("a table of blocks", hint) else {
            self.broken = true;
            return;
        };
        for (name, entry) in entries {
            let bytes = entry.number();
            self.broken |= bytes.is_none();
            let Some((number, _)) = self.by_name.get(name) else {
                report_not_accessed(name, &entry, called, blocks);
                self.broken = true;
                continue;
            };
            let access = number.and_then(|number| self.list.get_mut(number));
            if let Some((access, bytes)) = access.zip(bytes) {
                set(access, bytes);
            }
        }
    }
}

fn report_not_accessed(name: &str, entry: &Value<'_>, called: &str, blocks: &Blocks<'_>) {
    if !blocks.is_known(name) {
        blocks.report_unknown(name, entry.key_place(), entry.source.log);
        return;
    }
    let shown = names::shown(name);
    let message = format!("`{called}` does not access the block `{shown}`");
    let problem = Problem::new(ProblemKind::BadValue, message)
        .at(entry.key_place(), "not accessed")
        .hint(format!("name `{shown}` in `in`, `inout` or `out` of this task, or leave its bytes out"));
    entry.source.log.report(problem);
}
