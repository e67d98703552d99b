//! Reads `[[task]]`: what is done, in the order in which it is created.

use crate::values::{NewTask, TaskGraphBuilder};

use super::accesses;
use super::blocks::{Blocks, report_twice};
use super::core_nodes;
use super::left_out::LeftOut;
use super::tree::{Creators, TreeKeys};
use crate::keys::task;
use numasim_study::keys::Key;
use numasim_study::names;
use numasim_study::reader::Log;
use numasim_study::reader::MachineReading;
use numasim_study::reader::TableReader;
use numasim_study::reader::Value;
use numasim_study::{Place, Problem, ProblemKind};

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
        let accesses = accesses::read(table, &called, blocks);
        let socket =
            self.optional(table, &task::SOCKET, None, |value| core_nodes::read(value, machine).map(Some));
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
