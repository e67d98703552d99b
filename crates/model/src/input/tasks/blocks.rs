//! Reads `[[block]]`: the data that tasks read and write.

use std::collections::HashMap;

use toml::de::DeValue;

use crate::graph::{Block, BlockHome, BlockId, TaskGraphBuilder};

use super::super::log::Log;
use super::super::machine::MachineReading;
use super::super::names;
use super::super::node_numbers;
use super::super::problem::{Place, Problem, ProblemKind};
use super::super::reading::TableKind;
use super::super::table::TableReader;
use super::super::value::{BYTES, Quantity, Value};
use super::left_out::LeftOut;

const MB: Quantity = Quantity { what: "a size in MB (10^6 bytes)", example: "3.0", zero: true };
const SIZE_HINT: &str = "write e.g. `mb = 3.0` (10^6 bytes) or `bytes = 3e6`";
/// Letters that are compared to find the block that was meant by an unknown name.
const MOST_COMPARED: usize = 200_000;

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
    left_out: LeftOut<1>,
    incomplete: bool,
}

impl Default for Blocks<'_> {
    fn default() -> Self {
        let left_out = LeftOut::new(TableKind::Block, [("home", "where it is touched first")]);
        Self { known: HashMap::new(), names: Vec::new(), left_out, incomplete: false }
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
        let name = table.required("name", "\"X\"").and_then(|value| Some((value.name()?, value.place())));
        let bytes = read_size(&mut table);
        let home = table.optional("home");
        if home.is_none() {
            self.left_out.count("home");
        }
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
        let block = bytes.zip(home).and_then(|(bytes, home)| {
            let added = graph.block(Block { bytes, home }, Some(name));
            let added = added.inspect_err(|error| {
                log.report(Problem::new(ProblemKind::Limit, error.to_string()).at(header, "this block"));
            });
            Some((added.ok()?, bytes))
        });
        self.incomplete |= block.is_none();
        self.known.insert(name, Known { block, place });
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
        let mut compared = 0;
        let few = self.names.iter().copied().take_while(|known| {
            compared += known.len().saturating_mul(name.len());
            compared <= MOST_COMPARED
        });
        let hint = if let Some(close) = log.suggest(name, few) {
            format!("did you mean `{}`?", names::shown(close))
        } else if self.names.is_empty() {
            "no file has a `[[block]]` table: write one for each block, with `name` and `mb`".to_owned()
        } else {
            let known: Vec<String> = self.names.iter().take(100).map(|known| names::shown(known)).collect();
            let more = self.names.len() - known.len();
            let more = if more > 0 { format!(" (and {more} others)") } else { String::new() };
            format!("the blocks are {}{more}", names::list(known.iter().map(String::as_str)))
        };
        let message = format!("there is no block `{}`", names::shown(name));
        log.report(Problem::new(ProblemKind::UnknownName, message).at(place, "unknown block").hint(hint));
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

/// Its size in bytes.
fn read_size(table: &mut TableReader<'_>) -> Option<f64> {
    match (table.optional("bytes"), table.optional("mb")) {
        (Some(bytes), None) => bytes.number(BYTES),
        (None, Some(mb)) => mb.number(MB).map(|mb| mb * 1e6),
        (Some(bytes), Some(mb)) => {
            let problem = Problem::new(ProblemKind::Conflict, "the size of the block is given in two ways")
                .at(mb.key_place(), "in MB")
                .related(bytes.key_place(), "in bytes")
                .hint("keep either `bytes` or `mb`");
            table.source.log.report(problem);
            None
        }
        (None, None) => {
            let problem = Problem::new(ProblemKind::MissingKey, "the size of a block is missing")
                .at(table.place(), "this table needs `bytes` or `mb`")
                .hint(SIZE_HINT);
            table.missing_any(&["bytes", "mb"], problem);
            None
        }
    }
}

fn read_home(value: &Value<'_>, machine: &MachineReading) -> Option<BlockHome> {
    let DeValue::String(word) = value.get() else {
        return node_numbers::read(value, machine.nodes()).map(BlockHome::Node);
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
