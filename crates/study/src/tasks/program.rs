//! Reads `[program]`, `[[program.array]]` and `[[program.loop]]`: loops over chunks of arrays in place of tasks.

use std::collections::HashMap;

use numasim_model::graph::{ArrayId, LoopShape, Program, ProgramArray, ProgramLoop};

use super::super::machine::MachineReading;
use super::super::names;
use super::super::problem::{Place, Problem, ProblemKind};
use super::super::reading::TableKind;
use super::super::table::TableReader;
use super::super::value::{Count, Quantity, Value};
use super::super::words;
use super::blocks::{read_size, report_twice};
use super::unknown;

const ARRAY: &str = "[[program.array]]";
const LOOP: &str = "[[program.loop]]";
const CHUNKS: Count = Count {
    what: "into how many chunks arrays and loops are dealt",
    example: "256",
    min: 1,
    max: u32::MAX as u64,
};
const REPEAT: Count =
    Count { what: "how often all loops are run", example: "25", min: 0, max: u32::MAX as u64 };
const GFLOP: Quantity =
    Quantity { what: "the work of all pieces of the loop in GFLOP (10^9 FLOP)", example: "1.0", zero: true };

/// The program; `None` where some of it makes no sense. Without `chunks` these follow from the machine.
pub(super) fn read(mut table: TableReader<'_>, machine: &MachineReading) -> Option<Program> {
    let log = table.source.log;
    let chunks = table.optional("chunks");
    if chunks.is_none() {
        log.note_default(TableKind::Program, "", "chunks", "8 for each worker");
    }
    let chunks = chunks.map_or(Some(None), |value| value.scientific_count(CHUNKS).map(Some));
    let repeat = table.optional("repeat");
    if repeat.is_none() {
        log.note_default(TableKind::Program, "", "repeat", "1");
    }
    let repeat = repeat.map_or(Some(1), |value| value.scientific_count(REPEAT));
    let mut list = |key, title: &'static str| {
        let hint = format!("write `{title}`, with two brackets on each side, above each of them");
        table.optional(key).map_or(Some(Vec::new()), |value| value.tables(title, &hint))
    };
    let (array_tables, loop_tables) = (list("array", ARRAY), list("loop", LOOP));
    table.finish();
    let mut arrays = Arrays::default();
    let mut complete = array_tables.is_some();
    for table in array_tables.into_iter().flatten() {
        complete &= arrays.add(table).is_some();
    }
    let mut loops = Loops::default();
    complete &= loop_tables.is_some();
    for table in loop_tables.into_iter().flatten() {
        complete &= loops.add(table, &arrays).is_some();
    }
    let (chunks, repeat) = (chunks?, repeat?);
    let mut program = Program { chunks, repeat, arrays: arrays.list, loops: loops.list };
    if let Some(cores) = machine.cores_of_sockets() {
        program.settle(&cores);
    }
    complete.then_some(program)
}

#[derive(Default)]
struct Arrays<'a> {
    list: Vec<ProgramArray>,
    /// Number and place; also those of which the rest makes no sense.
    known: HashMap<&'a str, (ArrayId, Place)>,
    names: Vec<&'a str>,
}

impl<'a> Arrays<'a> {
    fn add(&mut self, mut table: TableReader<'a>) -> Option<()> {
        let name = table.required("name", "\"p\"").and_then(|value| Some((value.name()?, value.place())));
        let bytes = read_size(&mut table, "array");
        let log = table.source.log;
        table.finish();
        let (name, place) = name?;
        if let Some((_, first)) = self.known.get(name) {
            report_twice("array", name, place, first, log);
            return None;
        }
        let number = u32::try_from(self.list.len()).ok()?;
        self.known.insert(name, (ArrayId(number), place));
        self.names.push(name);
        // Later arrays keep their numbers behind one that is broken.
        self.list.push(ProgramArray { name: name.to_owned(), bytes: bytes.unwrap_or(0.0) });
        bytes.map(|_| ())
    }

    /// The array that the text of a value names; one that there is not is reported.
    fn find(&self, value: &Value<'a>) -> Option<(&'a str, ArrayId)> {
        let name = value.string()?;
        if let Some((array, _)) = self.known.get(name) {
            return Some((name, *array));
        }
        let none = "write a `[[program.array]]` for each array, with `name` and `mb`";
        unknown::report("array", name, value.place(), &self.names, none, value.source.log);
        None
    }
}

#[derive(Default)]
struct Loops<'a> {
    list: Vec<ProgramLoop>,
    names: HashMap<&'a str, Place>,
}

impl<'a> Loops<'a> {
    fn add(&mut self, mut table: TableReader<'a>, arrays: &Arrays<'a>) -> Option<()> {
        let log = table.source.log;
        let name = table.required("name", "\"spmv\"").and_then(|value| Some((value.name()?, value.place())));
        let called = name.as_ref().map_or_else(|| "this loop".to_owned(), |(name, _)| names::shown(name));
        let gflop = table.optional("gflop");
        if gflop.is_none() {
            log.note_default(TableKind::Loop, called.as_str(), "gflop", "0");
        }
        let gflop = gflop.map_or(Some(0.0), |value| value.number(GFLOP));
        let mut uses = Uses { called: &called, arrays, used: HashMap::new() };
        let [inputs, whole, inout, out] =
            ["in", "whole", "inout", "out"].map(|key| uses.read(table.optional(key)));
        let shape = table.optional("shape");
        if shape.is_none() {
            log.note_default(TableKind::Loop, called.as_str(), "shape", LoopShape::default().as_str());
        }
        let shape = shape.map_or(Some(LoopShape::default()), |value| {
            words::read(&value, &LoopShape::ALL, LoopShape::as_str)
        });
        table.finish();
        let (name, place) = name?;
        if let Some(first) = self.names.get(name) {
            report_twice("loop", name, place, first, log);
            return None;
        }
        self.names.insert(name, place);
        let (inputs, whole, inout, out) = (inputs?, whole?, inout?, out?);
        let (name, gflop, shape) = (name.to_owned(), gflop?, shape?);
        self.list.push(ProgramLoop { name, gflop, inputs, whole, inout, out, shape });
        Some(())
    }
}

/// The arrays of a loop, each of which it uses in one way.
struct Uses<'u, 'a> {
    called: &'u str,
    arrays: &'u Arrays<'a>,
    used: HashMap<&'a str, Place>,
}

impl<'a> Uses<'_, 'a> {
    fn read(&mut self, value: Option<Value<'a>>) -> Option<Vec<ArrayId>> {
        let Some(value) = value else { return Some(Vec::new()) };
        let hint = format!("write the names of arrays, e.g. `{} = [\"p\"]`", value.name);
        let entries = value.list("a list of arrays", hint)?;
        let found: Vec<Option<ArrayId>> = entries.iter().map(|entry| self.one(entry)).collect();
        found.into_iter().collect()
    }

    fn one(&mut self, entry: &Value<'a>) -> Option<ArrayId> {
        let (name, array) = self.arrays.find(entry)?;
        if let Some(first) = self.used.get(name) {
            let message = format!("`{}` uses the array `{}` twice", self.called, names::shown(name));
            let problem = Problem::new(ProblemKind::DuplicateName, message)
                .at(entry.place(), "a second time")
                .related(first.clone(), "first here")
                .hint("name each array once: `inout` reads and writes a chunk, `whole` reads all of them");
            entry.source.log.report(problem);
            return None;
        }
        self.used.insert(name, entry.place());
        Some(array)
    }
}
