//! Reads `[program]`, `[[program.array]]` and `[[program.loop]]`: loops over chunks of arrays in place of tasks.

use super::blocks::{read_size, report_twice};
use super::names::report_unknown;
use crate::keys::{array, program, program_loop};
use crate::values::{ArrayId, LoopShape, Program, ProgramArray, ProgramLoop};
use numasim_study::keys::Table;
use numasim_study::reader::{MachineReading, TableReader, Value};
use numasim_study::{Place, Problem, ProblemKind, names};
use std::collections::HashMap;

/// The program; `None` where some of it makes no sense. Without `chunks` these follow from the machine.
pub(super) fn read(mut table: TableReader<'_>, machine: &MachineReading) -> Option<Program> {
    let chunks = table.read_or(&program::CHUNKS, None, |value| value.scientific_count().map(Some));
    let repeat = table.read_or(&program::REPEAT, 1, Value::scientific_count);
    let mut list = |key, declared: &'static Table| {
        let hint = format!("write `{}`, with two brackets on each side, above each of them", declared.title);
        table.optional(key).map_or(Some(Vec::new()), |value| value.tables(declared, &hint))
    };
    let (array_tables, loop_tables) =
        (list(&program::ARRAY, &array::TABLE), list(&program::LOOP, &program_loop::TABLE));
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
    let mut read = Program { chunks, repeat, arrays: arrays.list, loops: loops.list };
    if let Some(cores) = machine.cores_of_sockets() {
        read.settle(&cores);
    }
    complete.then_some(read)
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
        let name = table.required(&array::NAME).and_then(|value| Some((value.name()?, value.place())));
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
        report_unknown("array", name, value.place(), &self.names, none, value.source.log);
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
        let name = table.required(&program_loop::NAME).and_then(|value| Some((value.name()?, value.place())));
        let called = name.as_ref().map_or_else(|| "this loop".to_owned(), |(name, _)| names::shown(name));
        table.name.clone_from(&called);
        let gflop = table.read_or(&program_loop::GFLOP, 0.0, Value::number);
        let mut uses = Uses { called: &called, arrays, used: HashMap::new() };
        let [inputs, whole, inout, out] =
            [&program_loop::IN, &program_loop::WHOLE, &program_loop::INOUT, &program_loop::OUT]
                .map(|key| uses.read(table.optional(key)));
        let shape =
            table.word_or(&program_loop::SHAPE, LoopShape::default(), &LoopShape::ALL, LoopShape::as_str);
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
