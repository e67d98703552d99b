//! Reads `[[scenario]]`: threads of each application on each node, and data placements that differ from those
//! of the applications.

use std::collections::HashMap;

use numasim_model::allocation::{Allocation, OnNode, deal};
use numasim_model::app::{App, Data, Smt};
use numasim_model::machine::Machine;
use numasim_model::scenario::Scenario;

use super::app_keys;
use super::apps::{Apps, Named};
use super::apps::{by_instance, look_up};
use super::data;
use super::keys::{PACK, scenario};
use super::machine::MachineReading;
use super::names;
use super::problem::{Place, Problem, ProblemKind};
use super::reading::ScenarioPlaces;
use super::table::TableReader;
use super::threads::{ThreadRow, read_threads};
use super::value::Value;
use toml::de::DeValue;

/// Maximum number of thread counts of all scenarios together; 64 million take 256 MB.
const MAX_THREAD_COUNTS: usize = 64_000_000;

/// The readable part of one scenario.
pub(super) struct ScenarioReading {
    name: String,
    /// Threads on each node, for each row.
    rows: Vec<ThreadRow>,
    /// The row of each instance.
    row_of: Vec<Option<usize>>,
    data: Vec<(Named, Data)>,
    smt: Vec<Smt>,
    static_work: bool,
    /// Whether threads fill one L3 domain after the other.
    pack: bool,
}

/// All scenarios of all files.
#[derive(Default)]
pub(super) struct Scenarios {
    names: HashMap<String, Place>,
    read: Vec<Option<ScenarioReading>>,
    places: Vec<ScenarioPlaces>,
}

impl Scenarios {
    /// Reads one more table; `machine` contains the values that could be read.
    pub(super) fn add(&mut self, mut table: TableReader<'_>, apps: &Apps, machine: &MachineReading) {
        let (log, cores) = (table.source.log, machine.cores.as_deref());
        let name_value = table.required(&scenario::NAME);
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
        let threads = table.required(&scenario::THREADS);
        let data = table.optional(&scenario::DATA);
        let smt = table.optional(&scenario::SMT);
        // The default has always been the behaviour of a scenario, so it is not listed.
        let static_work = table.optional(&scenario::STATIC).map_or(Some(false), |value| value.flag());
        let l3 = table.optional(&scenario::L3);
        let pack = l3.map_or(Some(false), |value| value.word(&[PACK], |word| word).map(|_| true));
        let place = table.place();
        table.finish();
        self.places.push(ScenarioPlaces {
            name: name_value.map_or_else(|| place.clone(), |value| value.place()),
            data: data.as_ref().map(entry_places).unwrap_or_default(),
            threads: threads.as_ref().map(Value::place),
        });

        if (self.read.len() + 1) * apps.instance_count() * cores.map_or(1, <[u32]>::len) > MAX_THREAD_COUNTS {
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
        let data = data.map_or(Some(Vec::new()), |value| read_data(&value, apps, machine));
        let smt = read_smt(smt.as_ref(), apps, machine);
        let rows = threads.and_then(|value| {
            read_threads(&value, shown, apps, smt.as_deref()?, cores, machine.machine.as_ref())
        });
        let read = || {
            let (rows, row_of) = rows?;
            Some(ScenarioReading {
                name: name?,
                rows,
                row_of,
                data: data?,
                smt: smt?,
                static_work: static_work?,
                pack: pack?,
            })
        };
        self.read.push(read());
    }

    /// The place of each scenario in its file.
    pub(super) fn places(&self) -> Vec<ScenarioPlaces> {
        self.places.clone()
    }

    /// The scenarios, each with the applications that it names, if all could be read.
    pub(super) fn finish(
        self,
        apps: &[App],
        groups: &Apps,
        machine: &Machine,
    ) -> Option<(Vec<Scenario>, Vec<Vec<bool>>)> {
        let with_names = |read: Option<ScenarioReading>| {
            let read = read?;
            let named = read.row_of.iter().map(Option::is_some).collect();
            Some((read.scenario(apps, groups, machine), named))
        };
        self.read.into_iter().map(with_names).collect()
    }
}

impl ScenarioReading {
    fn scenario(self, apps: &[App], groups: &Apps, machine: &Machine) -> Scenario {
        let nodes = machine.node_count();
        // Cores; as long as `smt` is open, a scenario contains threads.
        let places: Vec<Vec<OnNode>> = (0..apps.len())
            .map(|instance| {
                let row = self.row_of.get(instance).copied().flatten().and_then(|row| self.rows.get(row));
                let Some(row) = row else { return vec![OnNode::Threads(0); nodes] };
                let both = self.smt.get(instance) == Some(&Smt::Both);
                if both {
                    row.iter().map(|on_node| on_node.map(|threads| Smt::Both.cores(threads))).collect()
                } else {
                    row.clone()
                }
            })
            .collect();
        let says_domains =
            self.pack || places.iter().flatten().any(|on_node| matches!(on_node, OnNode::Domains(_)));
        let rows: Vec<Vec<u32>> =
            places.iter().map(|row| row.iter().map(OnNode::threads).collect()).collect();
        // Otherwise they are dealt if L3 domains matter.
        let allocation = if machine.has_domains() && says_domains {
            Allocation::from_domains(deal(machine, &places, self.pack))
        } else {
            Allocation::from_rows(&rows)
        };
        let allocation = allocation.unwrap_or_else(|| Allocation::empty(apps.len(), nodes));
        let mut data: Vec<Data> = apps.iter().map(|app| app.data.clone()).collect();
        for (instance, own) in by_instance(&self.data, groups, |(named, _)| *named).into_iter().enumerate() {
            if let (Some(own), Some(slot)) = (own.and_then(|row| self.data.get(row)), data.get_mut(instance))
            {
                slot.clone_from(&own.1);
            }
        }
        Scenario { name: self.name, allocation, data, smt: self.smt, static_work: self.static_work }
    }
}

fn read_data(value: &Value<'_>, apps: &Apps, machine: &MachineReading) -> Option<Vec<(Named, Data)>> {
    let hint = "write e.g. `data = { bad = { home = 3 } }`";
    let entries = look_up(value, hint, apps)?;
    // All entries are read, so that every mistake is reported.
    let read: Vec<_> =
        entries.into_iter().map(|(named, value)| Some((named, data::read(&value, machine)?))).collect();
    read.into_iter().collect()
}

/// Hardware threads per core of each instance: the value of the scenario, or else that of the application.
fn read_smt(value: Option<&Value<'_>>, apps: &Apps, machine: &MachineReading) -> Option<Vec<Smt>> {
    let own = || apps.each_instance().map(|app| app.map_or(Smt::One, |app| app.smt));
    let Some(value) = value else { return Some(own().collect()) };
    let entries = look_up(value, "write e.g. `smt = { vm = \"both\" }`", apps)?;
    // All entries are read, so that every mistake is reported.
    let read: Vec<Option<(Named, Smt)>> = entries
        .iter()
        .map(|(named, value)| {
            let smt = app_keys::has_threads(value, value.word(&Smt::ALL, Smt::as_str)?, machine)?;
            Some((*named, smt))
        })
        .collect();
    let read: Vec<(Named, Smt)> = read.into_iter().collect::<Option<_>>()?;
    let said = by_instance(&read, apps, |(named, _)| *named);
    let mut of = Vec::with_capacity(said.len());
    let mut complete = true;
    for ((own, said), app) in own().zip(said).zip(apps.each_instance()) {
        let smt = said.and_then(|entry| Some(read.get(entry)?.1));
        of.push(smt.unwrap_or(own));
        let lacks =
            smt.is_some_and(|smt| smt != Smt::One) && app.is_some_and(|app| app.smt_speedup.is_none());
        if let (true, true, Some((_, value))) = (lacks, complete, said.and_then(|entry| entries.get(entry))) {
            value.source.log.report(app_keys::speedup_is_missing(value));
            complete = false;
        }
    }
    complete.then_some(of)
}

/// The place of each entry; empty if the value is not a table, which is reported elsewhere.
fn entry_places(value: &Value<'_>) -> Vec<(String, Place)> {
    let DeValue::Table(table) = value.get() else { return Vec::new() };
    let place = |span: std::ops::Range<usize>| value.source.place(&span);
    table.iter().map(|(name, value)| (name.get_ref().to_string(), place(value.span()))).collect()
}
