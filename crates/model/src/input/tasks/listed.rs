//! Reads `[[task]]`: what is done, in the order in which it is created.

use std::collections::HashMap;

use crate::graph::{NewTask, TaskGraphBuilder};
use crate::ids::NodeId;

use super::super::log::Log;
use super::super::machine::MachineReading;
use super::super::names;
use super::super::node_numbers;
use super::super::problem::{Place, Problem, ProblemKind};
use super::super::reading::TableKind;
use super::super::table::TableReader;
use super::super::value::{Quantity, Value};
use super::accesses;
use super::blocks::{Blocks, report_twice};
use super::left_out::LeftOut;

const GFLOP: Quantity =
    Quantity { what: "the work of the task in GFLOP (10^9 FLOP)", example: "1.0", zero: true };
/// The type of a task that has none.
const PLAIN: &str = "task";
/// Keys that a task need not have, and what stands for them.
const OPTIONAL: [(&str, &str); 7] = [
    ("name", "its number"),
    ("type", PLAIN),
    ("gflop", "0"),
    ("declared_bytes", "the size of each block"),
    ("moved_bytes", "declared_bytes"),
    ("socket", "none"),
    ("taskwait", "false"),
];

/// The tasks of all files.
pub(super) struct Tasks<'a> {
    names: HashMap<&'a str, Place>,
    /// Where each begins.
    pub(super) places: Vec<Place>,
    left_out: LeftOut<{ OPTIONAL.len() }>,
    incomplete: bool,
}

impl Default for Tasks<'_> {
    fn default() -> Self {
        let left_out = LeftOut::new(TableKind::Task, OPTIONAL);
        Self { names: HashMap::new(), places: Vec::new(), left_out, incomplete: false }
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

    /// Notes the defaults; whether all tasks could be read.
    pub(super) fn finish(&self, log: &Log) -> bool {
        self.left_out.note(self.places.len(), log);
        !self.incomplete
    }

    /// The value of a key, or its default.
    fn optional<T>(
        &mut self,
        table: &mut TableReader<'a>,
        key: &'static str,
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
        let name = self.optional(table, "name", None, |value| Some(Some((value.name()?, value.place()))));
        let called = match name.as_ref().and_then(Option::as_ref) {
            Some((name, _)) => names::shown(name),
            None => format!("task {}", self.places.len()),
        };
        let is_new = self.is_new(name.as_ref().and_then(Option::as_ref), log);
        let kind = self.optional(table, "type", PLAIN, Value::name);
        let gflop = self.optional(table, "gflop", 0.0, |value| value.number(GFLOP));
        let accesses = accesses::read(table, &called, blocks);
        let socket = self.optional(table, "socket", None, |value| read_socket(value, machine).map(Some));
        let taskwait = self.optional(table, "taskwait", false, Value::flag);
        let (accesses, [declared, moved]) = accesses?;
        if !accesses.is_empty() {
            [("declared_bytes", declared), ("moved_bytes", moved)]
                .into_iter()
                .filter(|(_, given)| !given)
                .for_each(|(key, _)| self.left_out.count(key));
        }
        let (name, kind, gflop) = (name.filter(|_| is_new)?, kind?, gflop?);
        let name = name.map(|(name, _)| name);
        let (socket, taskwait) = (socket?, taskwait?);
        let kind = graph.kind(kind);
        let task = NewTask { kind, gflop, accesses: &accesses, socket, taskwait, name };
        let added = graph.task(task).inspect_err(|error| {
            let message = format!("`{called}`: {error}");
            log.report(Problem::new(ProblemKind::Limit, message).at(header, "this task"));
        });
        added.ok().map(|_| ())
    }

    /// Whether no other task has this name; a second one is reported.
    fn is_new(&mut self, name: Option<&(&'a str, Place)>, log: &Log) -> bool {
        let Some((name, place)) = name else { return true };
        if let Some(first) = self.names.get(name) {
            report_twice("task", name, place.clone(), first, log);
            return false;
        }
        self.names.insert(name, place.clone());
        true
    }
}

/// A node with cores.
fn read_socket(value: &Value<'_>, machine: &MachineReading) -> Option<NodeId> {
    let node = node_numbers::read(value, machine.nodes())?;
    let cores = machine.cores.as_deref().unwrap_or_default();
    if cores.get(node.0) == Some(&0) {
        let message = format!("`{}` is node {}, which has no cores", value.name, node.0);
        let with_cores = cores.iter().enumerate().filter(|(_, cores)| **cores > 0);
        let with_cores: Vec<String> = with_cores.map(|(node, _)| node.to_string()).collect();
        let list = names::list(with_cores.iter().map(String::as_str));
        let hint = format!("write a node that can run the task: {list}");
        value.report(ProblemKind::BadValue, message, "memory only", hint);
        return None;
    }
    Some(node)
}
