//! Reads `[[app]]`: the applications, their instances and their names.

use std::collections::HashMap;

use toml::de::DeValue;

use crate::app::{Access, App, Data, MAX_INSTANCES, Placement};
use crate::units::{FlopPerByte, Gflop};

use super::data;
use super::log::Log;
use super::places::AppPlaces;
use super::problem::{Problem, ProblemKind};
use super::reading::{Group, TableKind};
use super::table::TableReader;
use super::value::{Count, Quantity, Value};

const INSTANCES: Count =
    Count { what: "a number of instances", example: "3", min: 1, max: MAX_INSTANCES as u64 };
const THREADS: Count = Count { what: "a number of threads", example: "8", min: 0, max: u32::MAX as u64 };
const INTENSITY: Quantity =
    Quantity { what: "an arithmetic intensity in FLOP per byte", example: "0.5", zero: false };
const WEIGHT: Quantity = Quantity { what: "a weight; 0 does not count", example: "1.0", zero: true };
const WORK: Quantity = Quantity { what: "an amount of work in GFLOP", example: "1000.0", zero: false };

/// One `[[app]]` table. What could not be read is `None`.
struct AppTable {
    name: Option<String>,
    places: AppPlaces,
    /// How many; `None` if the file gives a number that makes no sense.
    instances: Option<u32>,
    app: Option<App>,
}

/// What a name in a scenario stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// All instances of a group, by its number.
    Group(usize),
    /// One instance.
    Instance(usize),
    /// Perhaps an instance of a group whose number of instances is not known.
    Unclear,
    /// Nothing.
    Nothing,
}

/// All applications of all files.
#[derive(Default)]
pub(super) struct Apps {
    tables: Vec<AppTable>,
    total: usize,
    pub(super) groups: Vec<Group>,
    names: HashMap<String, (Named, usize)>,
    /// Names of the groups whose number of instances makes no sense.
    uncounted: Vec<String>,
    /// Whether an application has no name that could be read.
    nameless: bool,
    /// Whether some application could not be read.
    incomplete: bool,
}

impl Apps {
    /// Reads one more table. `nodes` and `cores` describe the machine, if it is known.
    pub(super) fn add(&mut self, mut table: TableReader<'_>, nodes: Option<usize>, cores: Option<u64>) {
        let log = table.source.log;
        let header = table.place();
        let name_value = table.required("name", "\"mem\"");
        let name = name_value.as_ref().and_then(Value::name).map(str::to_owned);
        let places = AppPlaces {
            name: name_value.map_or(header, |value| value.place()),
            data: table.place_of("data"),
            min_threads: table.place_of("min_threads"),
        };
        let instances_value = table.optional("instances");
        let given = instances_value.as_ref().map(|value| value.count(INSTANCES));
        let instances = given.unwrap_or(Some(1));
        let shown = name.as_deref().unwrap_or_default();
        if given.is_none() {
            log.note_default(TableKind::App, shown, "instances", "1");
        }
        let app = read_app(&mut table, shown, nodes, cores);
        table.finish();

        let count = instances.unwrap_or(1) as usize;
        if self.total <= MAX_INSTANCES && self.total + count > MAX_INSTANCES {
            let message = format!("there are more than {MAX_INSTANCES} application instances in all");
            let place = instances_value.map_or_else(|| places.name.clone(), |value| value.place());
            let problem = Problem::new(ProblemKind::Limit, message)
                .at(place, format!("{} up to here", self.total + count))
                .hint("describe equal applications by fewer instances");
            log.report(problem);
            self.incomplete = true;
        }
        self.total += count;
        if self.total <= MAX_INSTANCES {
            let first = self.total - count;
            self.groups.push(Group { name: shown.to_owned(), first, instances: count });
            self.tables.push(AppTable { name, places, instances, app });
        }
    }

    /// Gives every instance its name and reports names that are taken.
    pub(super) fn name_instances(&mut self, log: &Log) {
        let mut names: HashMap<String, (Named, usize)> = HashMap::new();
        for (index, (table, group)) in self.tables.iter().zip(&self.groups).enumerate() {
            let Some(name) = &table.name else {
                self.nameless = true;
                continue;
            };
            if table.instances.is_none() {
                self.uncounted.push(name.clone());
            }
            let several = group.instances > 1;
            let own = if several { Named::Group(index) } else { Named::Instance(group.first) };
            let instances = (0..if several { group.instances } else { 0 })
                .map(|i| (format!("{name}-{}", i + 1), Named::Instance(group.first + i)));
            for (taken, named) in std::iter::once((name.clone(), own)).chain(instances) {
                if let Some(&(_, other)) = names.get(&taken) {
                    self.report_clash(log, &taken, other, index);
                    self.incomplete = true;
                    break;
                }
                names.insert(taken, (named, index));
            }
        }
        self.names = names;
    }

    fn report_clash(&self, log: &Log, name: &str, first: usize, second: usize) {
        let (Some(first), Some(second)) = (self.tables.get(first), self.tables.get(second)) else { return };
        let shown = super::names::shown(name);
        let (message, hint) = if first.name == second.name {
            (
                format!("two apps are named `{shown}`"),
                "give each app its own name; use `instances = 2` for equal ones",
            )
        } else {
            let message =
                format!("the name `{shown}` is taken twice: by an app and by an instance of another");
            (message, "an app with several instances names them `mem-1`, `mem-2`, …; choose another name")
        };
        let label = |table: &AppTable, again: &str| match (&table.name, table.instances) {
            (Some(own), Some(count)) if own != name => format!("its {count} instances include `{shown}`"),
            _ => format!("{again} `{shown}`"),
        };
        let problem = Problem::new(ProblemKind::DuplicateName, message)
            .at(second.places.name.clone(), label(second, "named"))
            .related(first.places.name.clone(), label(first, "first named"))
            .hint(hint);
        log.report(problem);
    }

    /// What `name` stands for.
    pub(super) fn find(&self, name: &str) -> Named {
        if let Some(&(named, _)) = self.names.get(name) {
            return named;
        }
        let may_be_instance = |own: &String| {
            let number = name.strip_prefix(own.as_str()).and_then(|rest| rest.strip_prefix('-'));
            matches!(number.map(str::parse::<u32>), Some(Ok(_)))
        };
        let unclear =
            self.nameless || self.total > MAX_INSTANCES || self.uncounted.iter().any(may_be_instance);
        if unclear { Named::Unclear } else { Named::Nothing }
    }

    /// Every name that a scenario may use.
    pub(super) fn known_names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Where each table stands in its file.
    pub(super) fn places(&self) -> Vec<AppPlaces> {
        self.tables.iter().map(|table| table.places.clone()).collect()
    }

    /// Number of instances.
    pub(super) fn len(&self) -> usize {
        self.total.min(MAX_INSTANCES)
    }

    /// The group that makes this instance.
    pub(super) fn group_of(&self, instance: usize) -> usize {
        self.groups.partition_point(|group| group.first <= instance).saturating_sub(1)
    }

    /// The name of an instance.
    pub(super) fn instance_name(&self, instance: usize) -> String {
        self.groups.get(self.group_of(instance)).map_or_else(String::new, |group| {
            if group.instances == 1 {
                group.name.clone()
            } else {
                format!("{}-{}", group.name, instance - group.first + 1)
            }
        })
    }

    /// All instances, if every application could be read.
    pub(super) fn instances(&self) -> Option<Vec<App>> {
        if self.incomplete {
            return None;
        }
        let mut apps = Vec::with_capacity(self.len());
        for (table, group) in self.tables.iter().zip(&self.groups) {
            let app = table.app.as_ref()?;
            table.name.as_ref()?;
            table.instances?;
            for instance in group.first..group.first + group.instances {
                apps.push(App {
                    name: self.instance_name(instance),
                    group: group.name.clone(),
                    ..app.clone()
                });
            }
        }
        Some(apps)
    }
}

/// The keys that describe one instance; its names are filled in later.
fn read_app(
    table: &mut TableReader<'_>,
    name: &str,
    nodes: Option<usize>,
    total_cores: Option<u64>,
) -> Option<App> {
    let log = table.source.log;
    let intensity = table.required("arithmetic_intensity", "0.5").and_then(|value| value.number(INTENSITY));
    // Each falls back to its default, which is noted, only where the key is not there at all.
    let data = table.optional("data").map_or_else(
        || {
            log.note_default(TableKind::App, name, "data", "local");
            Some(Data::Placed(Placement::Local))
        },
        |value| data::read(&value, nodes),
    );
    let kernel = table.optional("kernel").map_or_else(
        || {
            log.note_default(TableKind::App, name, "kernel", Access::default().as_str());
            Some(Access::default())
        },
        |value| read_kernel(&value),
    );
    let limits = read_limits(table, name, total_cores);
    let weight = table.optional("weight").map_or_else(
        || {
            log.note_default(TableKind::App, name, "weight", "1");
            Some(1.0)
        },
        |value| value.number(WEIGHT),
    );
    let work = table.optional("work_gflop");
    if work.is_none() {
        log.note_default(TableKind::App, name, "work_gflop", "not given");
    }
    let (work_given, work) = (work.is_some(), work.and_then(|value| value.number(WORK)));
    if work_given && work.is_none() {
        return None;
    }
    let limits = limits?;
    Some(App {
        name: String::new(),
        group: String::new(),
        arithmetic_intensity: FlopPerByte::new(intensity?),
        data: data?,
        kernel: kernel?,
        min_threads: limits.min,
        max_threads: limits.max,
        weight: weight?,
        work: work.map(Gflop::new),
        nodes: None,
        memory: None,
    })
}

/// The word for how the benchmark's kernel uses memory.
fn read_kernel(value: &Value<'_>) -> Option<Access> {
    const HINT: &str = "write `\"read\"`, `\"copy\"`, `\"triad\"` or `\"update\"`";
    let DeValue::String(word) = value.get() else {
        value.wrong_type("the name of a kernel", HINT);
        return None;
    };
    let found = Access::ALL.into_iter().find(|access| access.as_str() == word);
    if found.is_none() {
        let hint = match value.source.log.suggest(word, Access::ALL.map(Access::as_str)) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => HINT.to_owned(),
        };
        let message = format!("`{}` must be the name of a kernel, not {}", value.name, value.text());
        value.report(ProblemKind::BadValue, message, "unknown kernel", hint);
    }
    found
}

/// Fewest and most threads of an application.
struct Limits {
    min: u32,
    max: Option<u32>,
}

fn read_limits(table: &mut TableReader<'_>, name: &str, total_cores: Option<u64>) -> Option<Limits> {
    let log = table.source.log;
    let min_value = table.optional("min_threads");
    let max_value = table.optional("max_threads");
    if min_value.is_none() {
        log.note_default(TableKind::App, name, "min_threads", "1");
    }
    if max_value.is_none() {
        log.note_default(TableKind::App, name, "max_threads", "no limit");
    }
    let min = min_value.as_ref().map_or(Some(1), |value| value.count(THREADS));
    let max = max_value.as_ref().and_then(|value| value.count(THREADS));
    if let (Some(min), Some(cores), Some(value)) = (min, total_cores, &min_value)
        && u64::from(min) > cores
    {
        let message = format!("`min_threads` is {min}, but the whole machine has {cores} cores");
        let hint = format!("each thread needs a core of its own: write at most {cores}");
        value.report(ProblemKind::Infeasible, message, "more threads than cores", hint);
    }
    if max_value.is_some() && max.is_none() {
        return None;
    }
    let min = min?;
    if let (Some(max), Some(max_value)) = (max, &max_value)
        && min > max
    {
        let kind = ProblemKind::BadValue;
        let problem = if let Some(min_value) = &min_value {
            Problem::new(kind, format!("`min_threads` {min} is above `max_threads` {max}"))
                .at(min_value.place(), "the least")
                .related(max_value.place(), "the most")
                .hint(format!("write `min_threads` of at most {max}, or raise `max_threads`"))
        } else {
            Problem::new(kind, "`max_threads` 0 is below `min_threads`, which is 1 by default")
                .at(max_value.place(), "the most")
                .hint("add `min_threads = 0`, or write `max_threads` of at least 1")
        };
        log.report(problem);
        return None;
    }
    Some(Limits { min, max })
}
