//! Reads `[[scenario]]`: threads of each application on each node, and data that lies elsewhere for once.

use std::collections::HashMap;

use numasim_model::allocation::{Allocation, OnNode, deal};
use numasim_model::app::{App, Data};
use numasim_model::ids::{AppId, NodeId};
use numasim_model::machine::Machine;
use numasim_model::scenario::Scenario;

use super::apps::{Apps, Named};
use super::apps::{by_instance, look_up};
use super::data;
use super::keys::scenario;
use super::machine::MachineReading;
use super::names;
use super::problem::{Place, Problem, ProblemKind};
use super::reading::ScenarioPlaces;
use super::table::TableReader;
use super::threads::{ThreadRow, read_threads};
use super::value::Value;
use toml::de::DeValue;

/// Thread counts of all scenarios together; 64 million take 256 MB.
const MAX_THREAD_COUNTS: usize = 64_000_000;

/// One scenario as far as it could be read.
pub(super) struct ScenarioReading {
    name: String,
    /// For each instance the threads on each node; `None` where the scenario does not name it.
    rows: Vec<ThreadRow>,
    /// The row of each instance.
    row_of: Vec<Option<usize>>,
    data: Vec<(Named, Data)>,
    static_work: bool,
    /// Whether numbers of threads fill L3 domain after domain.
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
    /// Reads one more table; `machine` as far as it could be read.
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
        // Its default is what a scenario has always been: it is not listed.
        let static_work = table.optional(&scenario::STATIC).map_or(Some(false), |value| value.flag());
        let pack = table.optional(&scenario::L3).map_or(Some(false), |value| {
            let word = |(): ()| "pack";
            value.word(&[()], word).map(|()| true)
        });
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
        let rows =
            threads.and_then(|value| read_threads(&value, shown, apps, cores, machine.machine.as_ref()));
        self.read.push(name.zip(rows).zip(data.zip(static_work).zip(pack)).map(
            |((name, (rows, row_of)), ((data, static_work), pack))| ScenarioReading {
                name,
                rows,
                row_of,
                data,
                static_work,
                pack,
            },
        ));
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
        let mut allocation = Allocation::empty(apps.len(), nodes);
        for (instance, row) in self.row_of.iter().enumerate() {
            let threads = row.and_then(|row| self.rows.get(row));
            for (node, &threads) in threads.iter().flat_map(|row| &row.threads).enumerate() {
                allocation.set(AppId(instance), NodeId(node), threads);
            }
        }
        // Else they are dealt where L3 domains matter.
        if machine.has_domains() && (self.pack || self.rows.iter().any(|row| row.places.is_some())) {
            let places = |row: Option<usize>| match row.and_then(|row| self.rows.get(row)) {
                Some(ThreadRow { places: Some(places), .. }) => places.clone(),
                Some(row) => row.threads.iter().copied().map(OnNode::Threads).collect(),
                None => vec![OnNode::Threads(0); nodes],
            };
            let places: Vec<_> = self.row_of.iter().map(|&row| places(row)).collect();
            allocation = Allocation::from_domains(deal(machine, &places, self.pack)).unwrap_or(allocation);
        }
        let mut data: Vec<Data> = apps.iter().map(|app| app.data.clone()).collect();
        for (instance, own) in by_instance(&self.data, groups, |(named, _)| *named).into_iter().enumerate() {
            if let (Some(own), Some(slot)) = (own.and_then(|row| self.data.get(row)), data.get_mut(instance))
            {
                slot.clone_from(&own.1);
            }
        }
        Scenario { name: self.name, allocation, data, static_work: self.static_work }
    }
}

fn read_data(value: &Value<'_>, apps: &Apps, machine: &MachineReading) -> Option<Vec<(Named, Data)>> {
    let hint = "write e.g. `data = { bad = { home = 3 } }`";
    let entries = look_up(value, hint, apps)?;
    // Every entry is read, so that every mistake is reported.
    let read: Vec<_> =
        entries.into_iter().map(|(named, value)| Some((named, data::read(&value, machine)?))).collect();
    read.into_iter().collect()
}

/// The place of each entry; none where the value is no table, which is reported elsewhere.
fn entry_places(value: &Value<'_>) -> Vec<(String, Place)> {
    let DeValue::Table(table) = value.get() else { return Vec::new() };
    let place = |span: std::ops::Range<usize>| value.source.place(&span);
    table.iter().map(|(name, value)| (name.get_ref().to_string(), place(value.span()))).collect()
}
