//! Reads `[[block]]` and `[[task]]`: the data, the tasks in creation order, the blocks that each task accesses, and the number of bytes.

pub(super) mod tree;

use std::collections::HashMap;

use numasim_model::ids::NodeId;
use numasim_study::keys::{Key, Table};
use numasim_study::names::plural;
use numasim_study::reader::{Log, MachineReading, TableReader, Value, node_number, node_with_memory};
use numasim_study::{Place, Problem, ProblemKind, names};

use crate::input::listed::tree::{Creators, TreeKeys};
use crate::keys::{block, task};
use crate::values::{Access, AccessMode, Block, BlockHome, BlockId, NewTask, TaskGraphBuilder};

/// The tasks of all files.
pub(super) struct Tasks<'a> {
    pub(super) creators: Creators<'a>,
    /// The place of each task.
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

    /// Notes the defaults, and reports creators that do not exist before their tasks; returns whether all tasks could be read.
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
        let priority = self.optional(table, &task::PRIORITY, 0.0, Value::signed_number);
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
        let (socket, taskwait, priority) = (socket?, taskwait?, priority?);
        let kind = graph.kind(kind);
        let tree = tree?;
        let new = NewTask { kind, gflop, accesses: &accesses, socket, taskwait, name };
        let added = graph.tree_task(new, tree.task()).inspect_err(|error| {
            let message = format!("`{called}`: {error}");
            log.report(Problem::new(ProblemKind::Limit, message).at(header, "this task"));
        });
        let id = added.ok()?;
        graph.prioritise(id, priority);
        self.creators.added(id, name, tree);
        Some(())
    }

    /// Whether no other task has this name; a second one is reported.
    fn is_new(&mut self, name: Option<&(&'a str, Place)>, log: &Log) -> bool {
        let Some((name, place)) = name else { return true };
        let first = self.creators.first(name, place);
        first.map(|first| report_twice("task", name, place.clone(), first, log)).is_none()
    }
}

/// The accesses of a task, by the name of the block.
#[derive(Default)]
struct Accesses<'a> {
    list: Vec<Access>,
    /// Index in the list, and its place.
    by_name: HashMap<&'a str, (Option<usize>, Place)>,
    /// Some value could not be read.
    broken: bool,
}

/// Reads `in`, `inout`, `out`, `declared_bytes` and `moved_bytes`; `called` is the task. `None` if a value is invalid.
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

// Reads `[[block]]`: the data that tasks read and write.

const SIZE_HINT: &str = "write e.g. `mb = 3.0` (10^6 bytes) or `bytes = 3e6`";

/// A block that a file names.
#[derive(Clone)]
pub(super) struct Known {
    /// `None` if the rest of it could not be read.
    pub(super) block: Option<(BlockId, f64)>,
    place: Place,
}

/// The blocks of all files.
pub(super) struct Blocks<'a> {
    known: HashMap<&'a str, Known>,
    /// In the order of the files.
    names: Vec<&'a str>,
    /// Blocks whose creator a file names, and the places.
    creators: Vec<(BlockId, &'a str, Place)>,
    left_out: LeftOut,
    incomplete: bool,
}

impl Default for Blocks<'_> {
    fn default() -> Self {
        let left_out = LeftOut::new(&block::TABLE);
        Self { known: HashMap::new(), names: Vec::new(), creators: Vec::new(), left_out, incomplete: false }
    }
}

impl<'a> Blocks<'a> {
    pub(super) fn add(
        &mut self,
        mut table: TableReader<'a>,
        graph: &mut TaskGraphBuilder,
        machine: &MachineReading,
    ) {
        let header = table.place();
        let name = table.required(&block::NAME).and_then(|value| Some((value.name()?, value.place())));
        let bytes = read_size(&mut table, "block");
        let [home, creator, hint] = [&block::HOME, &block::CREATED_BY, &block::HINT].map(|key| {
            let value = table.optional(key);
            if value.is_none() {
                self.left_out.count(key);
            }
            value
        });
        let creator =
            creator.map_or(Some(None), |value| value.name().map(|name| Some((name, value.place()))));
        let hint = hint.map_or(Some(None), |value| node_with_memory(&value, machine).map(Some));
        let home = home.map_or(Some(BlockHome::Open), |home| read_home(&home, machine));
        let log = table.source.log;
        table.finish();
        let Some((name, place)) = name else {
            self.incomplete = true;
            return;
        };
        if let Some(first) = self.known.get(name) {
            report_twice("block", name, place, &first.place, log);
            self.incomplete = true;
            return;
        }
        let added = bytes.zip(home).and_then(|(bytes, home)| {
            let block = graph.block(Block { bytes, home }, Some(name));
            let block = block.inspect_err(|error| {
                log.report(Problem::new(ProblemKind::Limit, error.to_string()).at(header, "this block"));
            });
            Some((block.ok()?, bytes))
        });
        if let (Some((block, _)), Some(Some((creator, place)))) = (added, &creator) {
            self.creators.push((block, creator, place.clone()));
        }
        if let (Some((block, _)), Some(Some(node))) = (added, hint) {
            // The block exists.
            self.incomplete |= graph.block_hint(block, node).is_err();
        }
        self.incomplete |= added.is_none() || creator.is_none() || hint.is_none();
        self.known.insert(name, Known { block: added, place });
        self.names.push(name);
    }

    /// Notes the defaults; returns whether all blocks could be read.
    pub(super) fn finish(&self, log: &Log) -> bool {
        self.left_out.note(self.names.len(), log);
        !self.incomplete
    }

    /// The block that the text of a value names; a missing one is reported.
    pub(super) fn find(&self, value: &Value<'a>) -> Option<(&'a str, &Known)> {
        let name = value.string()?;
        let found = self.known.get(name);
        if found.is_none() {
            self.report_unknown(name, value.place(), value.source.log);
        }
        Some((name, found?))
    }

    /// Whether some block has this name.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Reports a name that no block has.
    pub(super) fn report_unknown(&self, name: &str, place: Place, log: &Log) {
        let none = "no file has a `[[block]]` table: write one for each block, with `name` and `mb`";
        report_unknown("block", name, place, &self.names, none, log);
    }

    /// Sets the creators of blocks in the graph, after all tasks were added; returns whether all could be set.
    pub(super) fn created(&self, tasks: &Creators<'_>, graph: &mut TaskGraphBuilder, log: &Log) -> bool {
        let mut complete = true;
        for (block, name, place) in &self.creators {
            let told = tasks
                .anywhere(name, place, log)
                .is_some_and(|creator| graph.block_created_by(*block, creator).is_ok());
            complete &= told;
        }
        complete
    }
}

/// Reports a second item with this name.
pub(super) fn report_twice(noun: &str, name: &str, place: Place, first: &Place, log: &Log) {
    let message = format!("two {noun}s are called `{}`", names::shown(name));
    let problem = Problem::new(ProblemKind::DuplicateName, message)
        .at(place, "named again here")
        .related(first.clone(), "first named here")
        .hint(format!("give each {noun} a different name"));
    log.report(problem);
}

/// The size of a `noun` in bytes.
pub(super) fn read_size(table: &mut TableReader<'_>, noun: &str) -> Option<f64> {
    match (table.optional(&block::BYTES), table.optional(&block::MB)) {
        (Some(bytes), None) => bytes.number(),
        (None, Some(mb)) => mb.number().map(|mb| mb * 1e6),
        (Some(bytes), Some(mb)) => {
            let problem =
                Problem::new(ProblemKind::Conflict, format!("the size of the {noun} is given in two ways"))
                    .at(mb.key_place(), "in MB")
                    .related(bytes.key_place(), "in bytes")
                    .hint("keep either `bytes` or `mb`");
            table.source.log.report(problem);
            None
        }
        (None, None) => {
            let article = if noun.starts_with('a') { "an" } else { "a" };
            let problem =
                Problem::new(ProblemKind::MissingKey, format!("the size of {article} {noun} is missing"))
                    .at(table.place(), "this table needs `bytes` or `mb`")
                    .hint(SIZE_HINT);
            table.missing_any(&[&block::BYTES, &block::MB], problem);
            None
        }
    }
}

fn read_home(value: &Value<'_>, machine: &MachineReading) -> Option<BlockHome> {
    let Some(word) = value.as_text() else {
        return node_with_memory(value, machine).map(BlockHome::Node);
    };
    if word == "interleave" {
        return Some(BlockHome::Interleaved);
    }
    let hint = match value.source.log.suggest(word, ["interleave", "interleaved"]) {
        Some(_) => "did you mean `\"interleave\"`?",
        None => {
            "write e.g. `home = 0`, or `home = \"interleave\"` for the same part on every node; without `home` it lies where it is touched first"
        }
    };
    let message =
        format!("`{}` must be the number of a node or `\"interleave\"`, not {}", value.name, value.text());
    value.report(ProblemKind::BadValue, message, "not a node", hint);
    None
}

// Helpers for all tables of tasks: unknown names, nodes with cores, and the number of entries that omit a key.

/// Number of letters that are compared to find the intended name for an unknown one.
const MOST_COMPARED: usize = 200_000;

/// Reports that no `noun` is called `name`; `known` are the existing ones, and `none` is the advice if there are none.
pub(super) fn report_unknown(noun: &str, name: &str, place: Place, known: &[&str], none: &str, log: &Log) {
    let mut compared = 0;
    let few = known.iter().copied().take_while(|known| {
        compared += known.len().saturating_mul(name.len());
        compared <= MOST_COMPARED
    });
    let hint = if let Some(close) = log.suggest(name, few) {
        format!("did you mean `{}`?", names::shown(close))
    } else if known.is_empty() {
        none.to_owned()
    } else {
        let shown: Vec<String> = known.iter().take(100).map(|known| names::shown(known)).collect();
        let more = known.len() - shown.len();
        let more = if more > 0 { format!(" (and {more} others)") } else { String::new() };
        format!("the {noun}s are {}{more}", names::list(shown.iter().map(String::as_str)))
    };
    let message = format!("there is no {noun} `{}`", names::shown(name));
    log.report(
        Problem::new(ProblemKind::UnknownName, message).at(place, format!("unknown {noun}")).hint(hint),
    );
}

/// The number of a node with cores.
pub(super) fn core_node(value: &Value<'_>, machine: &MachineReading) -> Option<NodeId> {
    let node = node_number(value, machine.nodes())?;
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

/// The number of entries of a list of tables that omit each key with a default.
pub(super) struct LeftOut {
    table: &'static Table,
    counts: Vec<usize>,
}

impl LeftOut {
    pub(super) fn new(table: &'static Table) -> Self {
        Self { table, counts: vec![0; table.keys.len()] }
    }

    /// One more entry omits `key`.
    pub(super) fn count(&mut self, key: &Key) {
        for (own, count) in self.table.keys.iter().zip(&mut self.counts) {
            *count += usize::from(own.name == key.name);
        }
    }

    /// Notes the defaults that apply; `entries` is the number of entries.
    pub(super) fn note(&self, entries: usize, log: &Log) {
        let Some(kind) = self.table.kind else { return };
        for (key, &count) in self.table.keys.iter().zip(&self.counts).filter(|(_, count)| **count > 0) {
            let value = if count == entries {
                key.default.to_owned()
            } else {
                format!("{}, of {count} of {}", key.default, plural(entries, kind.as_str()))
            };
            log.note_default(kind, "", key.name, value);
        }
    }
}
