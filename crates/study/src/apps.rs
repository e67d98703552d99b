//! Reads `[[app]]`: the applications, their instances and their names.

use std::collections::HashMap;

use numasim_model::app::{App, MAX_INSTANCES};
use numasim_model::ids::NodeId;

use super::Family;
use super::app_keys;
use super::keys::app;
use super::log::Log;
use super::machine::MachineReading;
use super::problem::{Place, Problem, ProblemKind};
use super::reading::AppPlaces;
use super::reading::Group;
use super::table::TableReader;
use super::value::Value;

/// One `[[app]]` table. Values that could not be read are `None`.
struct AppTable {
    name: Option<String>,
    places: AppPlaces,
    /// Number of instances; `None` if the number in the file is invalid.
    instances: Option<u32>,
    app: Option<App>,
}

/// The meaning of a name in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// All instances of a group, by its number.
    Group(usize),
    /// One instance.
    Instance(usize),
    /// Possibly an instance of a group with an unknown number of instances.
    Unclear,
    /// Neither a group nor an instance.
    Nothing,
}

/// All applications of all files.
#[derive(Default)]
pub struct Apps {
    tables: Vec<AppTable>,
    total: usize,
    /// The `[[app]]` tables in order.
    pub groups: Vec<Group>,
    names: HashMap<String, (Named, usize)>,
    /// Names of the groups with an invalid number of instances.
    uncounted: Vec<String>,
    /// Whether an application has no readable name.
    nameless: bool,
    /// Whether any application could not be read.
    incomplete: bool,
}

impl Apps {
    /// Reads one more table; `machine` contains the values that could be read. `family` reads further keys.
    pub(super) fn add(
        &mut self,
        mut table: TableReader<'_>,
        machine: &MachineReading,
        family: &mut impl Family,
    ) {
        let log = table.source.log;
        let header = table.place();
        let name_value = table.required(&app::NAME);
        let name = name_value.as_ref().and_then(Value::name).map(str::to_owned);
        let places = AppPlaces {
            name: name_value.map_or(header, |value| value.place()),
            data: table.place_of(&app::DATA),
            min_threads: table.place_of(&app::MIN_THREADS),
            nodes: table.place_of(&app::NODES),
            memory_gib: table.place_of(&app::MEMORY_GIB),
            smt: table.place_of(&app::SMT),
            ranks: table.place_of(&app::RANKS),
        };
        let instances_value = table.optional(&app::INSTANCES);
        let given = instances_value.as_ref().map(Value::count);
        let instances = given.unwrap_or(Some(1));
        let shown = name.as_deref().unwrap_or_default();
        shown.clone_into(&mut table.name);
        if given.is_none() {
            table.note(&app::INSTANCES, app::INSTANCES.default);
        }
        let count = instances.unwrap_or(1) as usize;
        let before = self.total;
        self.total += count;
        let fits = self.total <= MAX_INSTANCES;
        let may_lack_intensity = family.may_lack_intensity(&table);
        let (mut app, read) =
            app_keys::read(&mut table, &places.name, (count, fits), machine, may_lack_intensity);
        let work = family.app(&mut table, &read, machine);
        if let Some(app) = &mut app {
            // An application without work has nothing to finish.
            app.work = work.filter(|work| work.value() > 0.0);
        }
        table.finish();
        if before <= MAX_INSTANCES && !fits {
            let message = format!("there are more than {MAX_INSTANCES} application instances in all");
            let place = instances_value.map_or_else(|| places.name.clone(), |value| value.place());
            let problem = Problem::new(ProblemKind::Limit, message)
                .at(place, format!("{} up to here", self.total))
                .hint("describe equal applications by fewer instances");
            log.report(problem);
            self.incomplete = true;
        }
        if fits {
            self.groups.push(Group { name: shown.to_owned(), first: before, instances: count });
            self.tables.push(AppTable { name, places, instances, app });
        }
    }

    /// Gives every instance its name and reports duplicate names.
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

    /// The meaning of `name`.
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

    /// The only nodes that may hold threads of the application that a scenario names, with the place in the
    /// file; `None` allows all nodes.
    pub(super) fn nodes_of(&self, named: Named) -> Option<(&[NodeId], &Place)> {
        let group = match named {
            Named::Group(group) => group,
            Named::Instance(instance) => self.group_of(instance),
            Named::Unclear | Named::Nothing => return None,
        };
        let table = self.tables.get(group)?;
        table.app.as_ref()?.nodes.as_deref().zip(table.places.nodes.as_ref())
    }

    /// The application of each instance, if it could be read.
    pub(super) fn each_instance(&self) -> impl Iterator<Item = Option<&App>> {
        let tables = self.tables.iter().zip(&self.groups);
        tables.flat_map(|(table, group)| std::iter::repeat_n(table.app.as_ref(), group.instances))
    }

    /// Every name that a scenario may use.
    pub(super) fn known_names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// The place of each table in its file.
    pub(super) fn places(&self) -> Vec<AppPlaces> {
        self.tables.iter().map(|table| table.places.clone()).collect()
    }

    /// Number of instances.
    pub fn instance_count(&self) -> usize {
        self.total.min(MAX_INSTANCES)
    }

    /// The group of this instance.
    pub fn group_of(&self, instance: usize) -> usize {
        self.groups.partition_point(|group| group.first <= instance).saturating_sub(1)
    }

    /// The name of an instance.
    pub fn instance_name(&self, instance: usize) -> String {
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
        let mut apps = Vec::with_capacity(self.instance_count());
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

/// For each instance, the entry that applies to it: its own, or else that of its group.
pub(super) fn by_instance<T>(entries: &[T], apps: &Apps, named: impl Fn(&T) -> Named) -> Vec<Option<usize>> {
    let mut of = vec![None; apps.instance_count()];
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

/// Looks up the names and reports unknown ones.
pub(super) fn look_up<'a>(value: &Value<'a>, hint: &str, apps: &Apps) -> Option<Vec<(Named, Value<'a>)>> {
    let entries = value.entries("a table of apps", hint)?;
    let found = entries.into_iter().map(|(name, value)| {
        let named = apps.find(name);
        if named == Named::Nothing {
            report_unknown(name, value.key_place(), value.source.log, apps);
        }
        (named, value)
    });
    Some(found.collect())
}

/// The meaning of the text of a value; `None` for an unknown name, which is reported.
pub fn named(value: &Value<'_>, apps: &Apps) -> Option<Named> {
    let name = value.name()?;
    let named = apps.find(name);
    if named == Named::Nothing {
        report_unknown(name, value.place(), value.source.log, apps);
        return None;
    }
    Some(named)
}

/// The instance that a value names; `None` if it names none, or several. `single` is the reason that several
/// are not allowed.
pub fn instance(value: &Value<'_>, apps: &Apps, single: &str) -> Option<usize> {
    match named(value, apps)? {
        Named::Instance(instance) => Some(instance),
        Named::Group(group) => {
            let Group { name, instances, .. } = apps.groups.get(group)?;
            let name = super::names::shown(name);
            let message = format!("`{name}` has {instances} instances, and {single}");
            let hint = format!("name one of them: `{name}-1` to `{name}-{instances}`");
            value.report(ProblemKind::BadValue, message, "several", hint);
            None
        }
        Named::Unclear | Named::Nothing => None,
    }
}

fn report_unknown(name: &str, place: Place, log: &Log, apps: &Apps) {
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
        format!("the apps are {}", super::names::list(apps.groups.iter().map(|group| group.name.as_str())))
    };
    let message = format!("there is no app `{}`", super::names::shown(name));
    let problem = Problem::new(ProblemKind::UnknownName, message).at(place, "unknown app").hint(hint);
    log.report(problem);
}
