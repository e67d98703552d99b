//! Reads `[[block]]`: the data that tasks read and write.

use super::names::{LeftOut, report_unknown};
use super::tree::Creators;
use crate::keys::block;
use crate::values::{Block, BlockHome, BlockId, TaskGraphBuilder};
use numasim_study::reader::{Log, MachineReading, TableReader, Value, node_with_memory};
use numasim_study::{Place, Problem, ProblemKind, names};
use std::collections::HashMap;

const SIZE_HINT: &str = "write e.g. `mb = 3.0` (10^6 bytes) or `bytes = 3e6`";

/// A block that a file names.
#[derive(Clone)]
pub(super) struct Known {
    /// `None` where the rest of it could not be read.
    pub(super) block: Option<(BlockId, f64)>,
    place: Place,
}

/// The blocks of all files.
pub(super) struct Blocks<'a> {
    known: HashMap<&'a str, Known>,
    /// In the order of the files.
    names: Vec<&'a str>,
    /// Blocks of which a file names the creator, and where.
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
            // It is there.
            self.incomplete |= graph.block_hint(block, node).is_err();
        }
        self.incomplete |= added.is_none() || creator.is_none() || hint.is_none();
        self.known.insert(name, Known { block: added, place });
        self.names.push(name);
    }

    /// Notes the defaults; whether all blocks could be read.
    pub(super) fn finish(&self, log: &Log) -> bool {
        self.left_out.note(self.names.len(), log);
        !self.incomplete
    }

    /// The block that the text of a value names; one that there is not is reported.
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

    /// Tells the graph which task creates which block, when all tasks are there; whether all could be told.
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

/// Reports a second thing of this name.
pub(super) fn report_twice(noun: &str, name: &str, place: Place, first: &Place, log: &Log) {
    let message = format!("two {noun}s are called `{}`", names::shown(name));
    let problem = Problem::new(ProblemKind::DuplicateName, message)
        .at(place, "named again here")
        .related(first.clone(), "first named here")
        .hint(format!("give each {noun} a name of its own"));
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
