//! Reads `[[scenario]]`: threads of each application on each node, and data that lies elsewhere for once.

use std::collections::HashMap;

use crate::allocation::Allocation;
use crate::app::{App, Data};
use crate::ids::{AppId, NodeId};
use crate::scenario::Scenario;

use super::apps::{Apps, Named};
use super::data;
use super::names::{self, plural};
use super::places::ScenarioPlaces;
use super::problem::{Place, Problem, ProblemKind};
use super::reading::{Group, TableKind};
use super::table::TableReader;
use super::value::{Count, Value};
use toml::de::DeValue;

/// Thread counts of all scenarios together; 64 million take 256 MB.
const MAX_THREAD_COUNTS: usize = 64_000_000;

const THREADS: Count = Count { what: "a number of threads", example: "2", min: 0, max: u32::MAX as u64 };
const THREADS_HINT: &str =
    "write threads for each app: a number for every node, or a list, e.g. `{ mem = 1, compute = [5, 0] }`";

/// What a scenario says about one application, by group or by instance.
struct Row<'a> {
    value: Value<'a>,
    named: Named,
    threads: Vec<u32>,
}

/// One scenario as far as it could be read.
pub(super) struct ScenarioReading {
    name: String,
    /// For each instance the threads on each node; `None` where the scenario does not name it.
    rows: Vec<Vec<u32>>,
    /// The row of each instance.
    row_of: Vec<Option<usize>>,
    data: Vec<(Named, Data)>,
}

/// All scenarios of all files.
#[derive(Default)]
pub(super) struct Scenarios {
    names: HashMap<String, Place>,
    read: Vec<Option<ScenarioReading>>,
    places: Vec<ScenarioPlaces>,
}

impl Scenarios {
    /// Reads one more table. `cores` of each node, if the machine is known.
    pub(super) fn add(&mut self, mut table: TableReader<'_>, apps: &Apps, cores: Option<&[u32]>) {
        let log = table.source.log;
        let name_value = table.required("name", "\"even\"");
        let name = name_value.as_ref().and_then(Value::name).map(str::to_owned);
        if let (Some(value), Some(name)) = (&name_value, &name) {
            if let Some(first) = self.names.get(name) {
                let message = format!("two scenarios are named `{}`", names::shown(name));
                let problem = Problem::new(ProblemKind::DuplicateName, message)
                    .at(value.place(), "named again here")
                    .related(first.clone(), "first named here")
                    .hint("give each scenario its own name");
                log.report(problem);
            } else {
                self.names.insert(name.clone(), value.place());
            }
        }
        let threads = table.required("threads", "{ mem = 1, compute = 5 }");
        let data = table.optional("data");
        let place = table.place();
        table.finish();
        self.places.push(ScenarioPlaces {
            name: name_value.map_or_else(|| place.clone(), |value| value.place()),
            data: data.as_ref().map(data_places).unwrap_or_default(),
        });

        if (self.read.len() + 1) * apps.len() * cores.map_or(1, <[u32]>::len) > MAX_THREAD_COUNTS {
            let message = format!("the scenarios need more than {MAX_THREAD_COUNTS} thread counts");
            let hint =
                "a scenario has one count for each instance on each node; put fewer scenarios into one run";
            log.report(
                Problem::new(ProblemKind::Limit, message).at(place, "too much from here on").hint(hint),
            );
            self.read.push(None);
            return;
        }
        let shown = name.as_deref().unwrap_or_default();
        let data = data.map_or(Some(Vec::new()), |value| read_data(&value, apps, cores.map(<[u32]>::len)));
        let rows = threads.and_then(|value| read_threads(&value, shown, apps, cores));
        self.read.push(name.zip(rows).zip(data).map(|((name, (rows, row_of)), data)| ScenarioReading {
            name,
            rows,
            row_of,
            data,
        }));
    }

    /// Where each scenario stands in its file.
    pub(super) fn places(&self) -> Vec<ScenarioPlaces> {
        self.places.clone()
    }

    /// The scenarios, each with the applications that it names, if all could be read.
    pub(super) fn finish(
        self,
        apps: &[App],
        groups: &Apps,
        nodes: usize,
    ) -> Option<(Vec<Scenario>, Vec<Vec<bool>>)> {
        let with_names = |read: Option<ScenarioReading>| {
            let read = read?;
            let named = read.row_of.iter().map(Option::is_some).collect();
            Some((read.scenario(apps, groups, nodes), named))
        };
        self.read.into_iter().map(with_names).collect()
    }
}

impl ScenarioReading {
    fn scenario(self, apps: &[App], groups: &Apps, nodes: usize) -> Scenario {
        let mut allocation = Allocation::empty(apps.len(), nodes);
        for (instance, row) in self.row_of.iter().enumerate() {
            let threads = row.and_then(|row| self.rows.get(row));
            for (node, &threads) in threads.into_iter().flatten().enumerate() {
                allocation.set(AppId(instance), NodeId(node), threads);
            }
        }
        let mut data: Vec<Data> = apps.iter().map(|app| app.data.clone()).collect();
        for (instance, own) in by_instance(&self.data, groups, |(named, _)| *named).into_iter().enumerate() {
            if let (Some(own), Some(slot)) = (own.and_then(|row| self.data.get(row)), data.get_mut(instance))
            {
                slot.clone_from(&own.1);
            }
        }
        Scenario { name: self.name, allocation, data }
    }
}

/// For each instance the entry that speaks for it: its own, or else that of its group.
fn by_instance<T>(entries: &[T], apps: &Apps, named: impl Fn(&T) -> Named) -> Vec<Option<usize>> {
    let mut of = vec![None; apps.len()];
    for (row, entry) in entries.iter().enumerate() {
        if let Named::Group(group) = named(entry)
            && let Some(group) = apps.groups.get(group)
        {
            of.iter_mut().skip(group.first).take(group.instances).for_each(|slot| *slot = Some(row));
        }
    }
    for (row, entry) in entries.iter().enumerate() {
        if let Named::Instance(instance) = named(entry)
            && let Some(slot) = of.get_mut(instance)
        {
            *slot = Some(row);
        }
    }
    of
}

/// Looks the names up and reports those that no app has.
fn look_up<'a>(value: &Value<'a>, hint: &str, apps: &Apps) -> Option<Vec<(Named, Value<'a>)>> {
    let entries = value.entries("a table of apps", hint)?;
    let found = entries.into_iter().map(|(name, value)| {
        let named = apps.find(name);
        if named == Named::Nothing {
            report_unknown(name, &value, apps);
        }
        (named, value)
    });
    Some(found.collect())
}

fn report_unknown(name: &str, value: &Value<'_>, apps: &Apps) {
    let log = value.source.log;
    if log.is_full() {
        log.report(Problem::new(ProblemKind::UnknownName, name));
        return;
    }
    let group = name.rsplit_once('-').and_then(|(group, number)| {
        number.parse::<u64>().ok()?;
        apps.groups.iter().find(|known| known.name == group)
    });
    let mut known: Vec<&str> = apps.known_names().collect();
    known.sort_unstable();
    let hint = if let Some(group) = group {
        let Group { name, instances, .. } = group;
        if *instances == 1 {
            format!("`{name}` has one instance, which is called `{name}`")
        } else {
            format!("`{name}` has {instances} instances, `{name}-1` to `{name}-{instances}`")
        }
    } else if let Some(close) = log.suggest(name, known.iter().copied()) {
        format!("did you mean `{close}`?")
    } else if apps.groups.is_empty() {
        "no file has an `[[app]]` table".to_owned()
    } else {
        format!("the apps are {}", names::list(apps.groups.iter().map(|group| group.name.as_str())))
    };
    let message = format!("there is no app `{}`", names::shown(name));
    let problem =
        Problem::new(ProblemKind::UnknownName, message).at(value.key_place(), "unknown app").hint(hint);
    log.report(problem);
}

fn read_data(value: &Value<'_>, apps: &Apps, nodes: Option<usize>) -> Option<Vec<(Named, Data)>> {
    let hint = "write e.g. `data = { bad = { home = 3 } }`";
    let entries = look_up(value, hint, apps)?;
    // Every entry is read, so that every mistake is reported.
    let read: Vec<_> =
        entries.into_iter().map(|(named, value)| Some((named, data::read(&value, nodes)?))).collect();
    read.into_iter().collect()
}

/// The place of each entry; none where the value is no table, which is reported elsewhere.
fn data_places(value: &Value<'_>) -> Vec<(String, Place)> {
    let DeValue::Table(table) = value.get() else { return Vec::new() };
    let place = |span: std::ops::Range<usize>| value.source.place(&span);
    table.iter().map(|(name, value)| (name.get_ref().to_string(), place(value.span()))).collect()
}

type Rows = (Vec<Vec<u32>>, Vec<Option<usize>>);

fn read_threads(value: &Value<'_>, scenario: &str, apps: &Apps, cores: Option<&[u32]>) -> Option<Rows> {
    let entries = look_up(value, THREADS_HINT, apps)?;
    let rows: Vec<Option<Row<'_>>> = entries
        .into_iter()
        .map(|(named, value)| read_row(&value, cores).map(|threads| Row { value, named, threads }))
        .collect();
    let rows: Vec<Row<'_>> = rows.into_iter().collect::<Option<_>>()?;
    let row_of = by_instance(&rows, apps, |row| row.named);
    if let Some(cores) = cores {
        check_cores(&rows, &row_of, cores);
    }
    note_unnamed(value, scenario, apps, &row_of);
    Some((rows.into_iter().map(|row| row.threads).collect(), row_of))
}

/// Threads of one application on each node.
fn read_row(value: &Value<'_>, cores: Option<&[u32]>) -> Option<Vec<u32>> {
    if !matches!(value.get(), DeValue::Array(_)) {
        let hint = "write a number for every node, e.g. `2`, or one entry for each node, e.g. `[2, 0]`";
        if !matches!(value.get(), DeValue::Integer(_) | DeValue::Float(_) | DeValue::String(_)) {
            value.wrong_type("a whole number or a list", hint);
            return None;
        }
        let threads = value.count(THREADS)?;
        let on = |&cores: &u32| if cores == 0 { 0 } else { threads };
        return Some(cores.unwrap_or_default().iter().map(on).collect());
    }
    let entries = value.list("a list", THREADS_HINT)?;
    let threads: Vec<Option<u32>> = entries.iter().map(|entry| entry.count(THREADS)).collect();
    let nodes = cores.map_or(entries.len(), <[u32]>::len);
    if nodes != entries.len() {
        let message = format!(
            "`{}` has {}, but the machine has {}",
            value.name,
            plural(entries.len(), "entry"),
            plural(nodes, "node")
        );
        let hint = "write one entry for each node; 0 where the app has no threads";
        value.report(ProblemKind::WrongLength, message, &plural(entries.len(), "entry"), hint);
        return None;
    }
    let threads: Vec<u32> = threads.into_iter().collect::<Option<_>>()?;
    let mut fits = true;
    for (node, ((entry, &threads), &cores)) in
        entries.iter().zip(&threads).zip(cores.unwrap_or_default()).enumerate()
    {
        if cores == 0 && threads > 0 {
            let message =
                format!("node {node} has no cores, so it cannot run {}", plural(threads as usize, "thread"));
            let hint = "write 0 here; an app can still keep its data on this node";
            entry.report(ProblemKind::TooManyThreads, message, "node without cores", hint);
            fits = false;
        }
    }
    fits.then_some(threads)
}

/// At most one thread per core; the entry that goes over it first is the one that is shown.
fn check_cores(rows: &[Row<'_>], row_of: &[Option<usize>], cores: &[u32]) {
    let mut instances = vec![0_u64; rows.len()];
    for &row in row_of.iter().flatten() {
        if let Some(count) = instances.get_mut(row) {
            *count += 1;
        }
    }
    let mut sums = vec![0_u64; cores.len()];
    let mut culprit = None;
    for (row, &instances) in rows.iter().zip(&instances) {
        for (sum, &threads) in sums.iter_mut().zip(&row.threads) {
            *sum = sum.saturating_add(instances * u64::from(threads));
        }
        let over = |(sum, cores): (&u64, &u32)| *sum > u64::from(*cores);
        if culprit.is_none() && sums.iter().zip(cores).any(over) {
            culprit = Some(row);
        }
    }
    let full: Vec<(usize, u64, u32)> = sums
        .iter()
        .zip(cores)
        .enumerate()
        .filter(|&(_, (&sum, &cores))| sum > u64::from(cores))
        .map(|(node, (&sum, &cores))| (node, sum, cores))
        .collect();
    let (Some(culprit), Some(&(node, threads, cores))) = (culprit, full.first()) else { return };
    let others = match full.len() - 1 {
        0 => String::new(),
        more => format!(" (and too many on {})", plural(more, "other node")),
    };
    let message =
        format!("node {node} gets {threads} threads, but has {}{others}", plural(cores as usize, "core"));
    let label = format!("with these, there are more threads than cores on node {node}");
    let hint = format!(
        "let all apps together have at most {cores} on node {node}; each instance of a group gets the number that is written"
    );
    culprit.value.report(ProblemKind::TooManyThreads, message, &label, hint);
}

/// Notes the instances that a scenario does not name: a whole group by its name, others in ranges.
fn note_unnamed(value: &Value<'_>, scenario: &str, apps: &Apps, row_of: &[Option<usize>]) {
    let log = value.source.log;
    for group in &apps.groups {
        let range = group.first..group.first + group.instances;
        let Some(rows) = row_of.get(range.clone()) else { continue };
        if rows.iter().all(Option::is_none) {
            log.note_default(TableKind::Scenario, scenario, format!("threads.{}", group.name), "0");
            continue;
        }
        let mut open: Option<usize> = None;
        for (instance, row) in
            range.clone().zip(rows).map(|(i, row)| (i, row.is_none())).chain([(range.end, false)])
        {
            match (open, row) {
                (None, true) => open = Some(instance),
                (Some(start), false) => {
                    let first = apps.instance_name(start);
                    let key = if instance - start == 1 {
                        format!("threads.{first}")
                    } else {
                        format!("threads.{first} to {}", apps.instance_name(instance - 1))
                    };
                    log.note_default(TableKind::Scenario, scenario, key, "0");
                    open = None;
                }
                _ => {}
            }
        }
    }
}
