//! Reads `[graph]`: the name of the graph, and the generator that makes it, with its parameters.

use crate::keys::graph;
use crate::values::{Generator, Indivisible, OfMachine, Parameter, Pattern};
use numasim_study::reader::{Log, TableReader, Value};
use numasim_study::{Place, Problem, ProblemKind, names};

/// What `[graph]` says.
#[derive(Default)]
pub(super) struct GraphTable {
    pub(super) name: Option<String>,
    pub(super) generator: Option<Generator>,
}

/// What the table says, `None` where that makes no sense; and where the generator stands. `cores` are those of each node that has any, if that
/// is clear.
pub(super) fn read(
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

/// Nothing is made; parameters without a generator are reported.
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

/// The generator of this name with its parameters; `None` where one of them makes no sense. `cores` are those of each node that has any, if
/// that is clear.
fn read_generator(name: &Value<'_>, table: &mut TableReader<'_>, cores: Option<&[u32]>) -> Option<Generator> {
    let Some(mut generator) = by_name(name) else {
        // Parameters of which generator?
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

/// The first key of some generator that is there; from now on all of them are known.
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
    // Where neither is given, the machine says into how many parts.
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
