//! Reads the sources of tasks: `[graph]`, the name of the graph and its generator with its parameters, and `[program]`.

use std::collections::HashMap;

use numasim_study::keys::Table;
use numasim_study::reader::{Log, MachineReading, TableReader, Value};
use numasim_study::{Place, Problem, ProblemKind, names};

use crate::input::listed::{read_size, report_twice, report_unknown};
use crate::keys::{array, graph, program, program_loop};
use crate::values::{
    ArrayId, Generator, Indivisible, LoopShape, OfMachine, Parameter, Pattern, Program, ProgramArray,
    ProgramLoop,
};

/// The content of `[graph]`.
#[derive(Default)]
pub(super) struct GraphTable {
    pub(super) name: Option<String>,
    pub(super) generator: Option<Generator>,
}

/// The content of the table, `None` if it is invalid; and the place of the generator. `cores` are those of each node that has any, if
/// they are known.
pub(super) fn read_graph(
    table: Option<TableReader<'_>>,
    cores: Option<&[u32]>,
) -> (Option<GraphTable>, Option<Place>) {
    let Some(mut table) = table else { return (Some(GraphTable::default()), None) };
    let name = table.optional(&graph::NAME).map(|value| value.name());
    let word = table.optional(&graph::GENERATOR);
    let generator = match &word {
        Some(word) => read_generator(word, &mut table, cores).map(Some),
        None => no_generator(&mut table),
    };
    table.finish();
    let place = word.as_ref().map(Value::place);
    let read = || {
        let name = match name {
            Some(name) => Some(name?.to_owned()),
            None => None,
        };
        Some(GraphTable { name, generator: generator? })
    };
    (read(), place)
}

/// There is no generator; parameters without one are reported.
#[allow(clippy::option_option, reason = "not there, there, or there and wrong")]
fn no_generator(table: &mut TableReader<'_>) -> Option<Option<Generator>> {
    let Some(parameter) = parameters_there(table) else { return Some(None) };
    let message = format!("`{}` is a parameter of a generator, but there is no `generator`", parameter.name);
    let problem = Problem::new(ProblemKind::MissingKey, message)
        .at(parameter.key_place(), "of which generator?")
        .hint("add e.g. `generator = \"gauss-seidel\"`");
    table.missing_any(&[&graph::GENERATOR], problem);
    None
}

/// The generator of this name with its parameters; `None` if one of them is invalid. `cores` are those of each node that has any, if they
/// are known.
fn read_generator(name: &Value<'_>, table: &mut TableReader<'_>, cores: Option<&[u32]>) -> Option<Generator> {
    let Some(mut generator) = by_name(name) else {
        // The generator of the parameters is unknown.
        let _ = parameters_there(table);
        return None;
    };
    let log = table.source.log;
    let mut places: Vec<(&str, Place)> = Vec::new();
    let mut fits = true;
    for (key, value) in generator.parameters_mut() {
        let Some(key) = graph::TABLE.key(key) else { continue };
        match table.optional(key) {
            None => {
                let value = Parameter::find(key.name)
                    .map_or(*value as f64, |parameter| parameter.in_its_unit(*value));
                table.note(key, value.to_string());
            }
            Some(given) => {
                places.push((key.name, given.place()));
                match parameter(&given) {
                    Some(number) => *value = number,
                    None => fits = false,
                }
            }
        }
    }
    for OfMachine { key, otherwise, value } in generator.of_machine_mut() {
        let Some(key) = graph::TABLE.key(key) else { continue };
        match table.optional(key) {
            None => table.note(key, otherwise),
            Some(given) => {
                places.push((key.name, given.place()));
                *value = parameter(&given);
                fits &= value.is_some();
            }
        }
    }
    if let (true, Some(cores)) = (fits, cores) {
        generator.settle(cores);
    }
    if let Some(init) = generator.init_mut() {
        match table.optional(&graph::INIT) {
            None => table.note(&graph::INIT, init.to_string()),
            Some(given) => match given.flag() {
                Some(flag) => *init = flag,
                None => fits = false,
            },
        }
    }
    if let Generator::TaskBench(bench) = &mut generator {
        match table.optional(&graph::PATTERN) {
            None => table.note(&graph::PATTERN, bench.pattern.as_str()),
            Some(given) => match given.word(&Pattern::ALL, Pattern::as_str) {
                Some(pattern) => bench.pattern = pattern,
                None => fits = false,
            },
        }
    }
    if !fits || report_indivisible(&generator, &places, name, log) {
        return None;
    }
    Some(generator)
}

/// The first present key of some generator; from now on all of them count as known.
fn parameters_there<'a>(table: &mut TableReader<'a>) -> Option<Value<'a>> {
    let numbers = Parameter::ALL.iter().filter_map(|parameter| graph::TABLE.key(parameter.key));
    let keys = numbers.chain([&graph::INIT, &graph::PATTERN]);
    let there: Vec<Option<Value<'a>>> = keys.map(|key| table.optional(key)).collect();
    there.into_iter().flatten().min_by_key(|value| value.key_place().span.map_or(0, |span| span.start))
}

fn by_name(value: &Value<'_>) -> Option<Generator> {
    let word = value.string()?;
    let all = Generator::defaults();
    let known = || all.iter().map(Generator::as_str);
    let found = all.iter().find(|generator| generator.as_str() == word);
    if found.is_none() {
        let hint = match value.source.log.suggest(word, known()) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => format!("write {}", names::one_of_all(known())),
        };
        let message = format!("there is no generator {}", value.text());
        value.report(ProblemKind::BadValue, message, "unknown generator", hint);
    }
    found.cloned()
}

/// The value of a parameter: a whole number, or a size in bytes.
fn parameter(given: &Value<'_>) -> Option<u64> {
    let Parameter { key, what, example, most: max, unit, .. } = Parameter::find(given.of.name)?;
    if unit == 1 {
        return given.scientific_count();
    }
    let bytes = given.number()? * unit as f64;
    let whole = bytes.round();
    let hint = || format!("write {what}, e.g. `{key} = {example}`");
    if bytes > max as f64 {
        let message = format!("`{key}` must be at most {}, not {}", max / unit, given.text());
        given.report(ProblemKind::Limit, message, "too large", hint());
    } else if whole < 1.0 || (bytes - whole).abs() > 1e-9 * whole {
        let message = format!("`{key}` must be a whole number of bytes, not {}", given.text());
        given.report(ProblemKind::BadValue, message, "a part of a byte", hint());
    } else {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to `max`")]
        return Some(whole as u64);
    }
    None
}

/// Reports a parameter that must be a multiple of another one and is not.
fn report_indivisible(generator: &Generator, places: &[(&str, Place)], name: &Value<'_>, log: &Log) -> bool {
    let Some(Indivisible { whole, value: of, parts, count: by }) = generator.indivisible() else {
        return false;
    };
    let place = |key: &str| places.iter().find(|(own, _)| *own == key).map(|(_, place)| place.clone());
    let message = format!("`{}` cannot divide {of} `{whole}` into {by} `{parts}`", generator.as_str());
    // If neither is given, the machine determines the number of parts.
    let at = place(whole).or_else(|| place(parts)).unwrap_or_else(|| name.place());
    let multiple = of.div_ceil(by.max(1)).saturating_mul(by);
    let mut problem = Problem::new(ProblemKind::BadValue, message).at(at, "a remainder is left").hint(
        format!("write a multiple of {by}, e.g. `{whole} = {multiple}`, or another number of `{parts}`"),
    );
    if let (Some(_), Some(parts)) = (place(whole), place(parts)) {
        problem = problem.related(parts, format!("into {by}"));
    }
    log.report(problem);
    true
}

// Reads `[program]`, `[[program.array]]` and `[[program.loop]]`: loops over chunks of arrays instead of tasks.

/// The program; `None` if some value is invalid. The default of `chunks` follows from the machine.
pub(super) fn read_program(mut table: TableReader<'_>, machine: &MachineReading) -> Option<Program> {
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
    /// Number and place, including arrays with other invalid values.
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
        // Arrays after an invalid one keep their numbers.
        self.list.push(ProgramArray { name: name.to_owned(), bytes: bytes.unwrap_or(0.0) });
        bytes.map(|_| ())
    }

    /// The array that the text of a value names; a missing one is reported.
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

/// The arrays of a loop; the loop uses each in only one way.
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
