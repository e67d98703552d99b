//! What was read, as CSV: one line for each value, in the words of the input files.

use numasim_ask::table::{Cell, line};
use numasim_graph::Reading;
use numasim_model::evaluation::MOST_NODES_WITH_ALL_LINKS;
use numasim_model::units::{Gflop, Gibibytes};
use numasim_model::{App, AppId, Data, Machine};
use numasim_study::{Group, TableKind, keys};
use serde_json::Value;

use super::{json, over_time, tasks, values};

/// The lines of `check --format csv`: table, name, key, value, default.
pub(crate) fn csv(reading: &Reading) -> String {
    let mut lines = Lines { text: "table,name,key,value,default\n".to_owned(), reading };
    lines.machine(&reading.study.machine);
    for group in &reading.groups {
        if let Some(app) = reading.study.apps.get(group.first) {
            lines.app(group, app);
        }
    }
    lines.scenarios();
    lines.over_time();
    lines.text
}

struct Lines<'a> {
    text: String,
    reading: &'a Reading,
}

impl Lines<'_> {
    fn put(&mut self, table: TableKind, name: &str, key: &str, value: &str, default: bool) {
        let cells: [Cell; 5] = [table.as_str().into(), name.into(), key.into(), value.into(), default.into()];
        line(&mut self.text, cells);
    }

    /// A value that is a default exactly where the reading says so; empty where there is none.
    fn known(&mut self, table: TableKind, name: &str, key: &str, value: Option<String>) {
        let default = self.reading.is_default(table, name, key);
        self.put(table, name, key, &value.unwrap_or_default(), default);
    }

    fn machine(&mut self, machine: &Machine) {
        let name = machine.name();
        self.known(TableKind::Machine, name, "source", machine.source().map(str::to_owned));
        for (index, node) in machine.nodes().iter().enumerate() {
            let (index, table) = (index.to_string(), TableKind::Node);
            self.put(table, &index, "cores", &node.cores.to_string(), false);
            self.put(table, &index, "gflops_per_core", &node.gflops_per_core.value().to_string(), false);
            self.put(table, &index, "bandwidth_gbs", &node.bandwidth.value().to_string(), false);
            for (key, value) in keys::limits_of(node) {
                let mut tables = [(TableKind::Machine, name), (table, &index)].into_iter();
                let default = tables.any(|(table, name)| self.reading.is_default(table, name, key.name));
                if !key.noted_when_used || default || value.is_some() {
                    let value = value.map(|value| value.to_string()).unwrap_or_default();
                    self.put(table, &index, key.name, &value, default);
                }
            }
        }
        for node in machine.node_ids().filter(|&node| !machine.has_memory(node)) {
            let memory = machine.local_memory(node).0.to_string();
            self.put(TableKind::Node, &node.0.to_string(), "local_memory", &memory, false);
        }
        for node in machine.node_ids() {
            let Some(cache) = machine.cache(node) else { continue };
            let index = node.0.to_string();
            self.put(TableKind::Node, &index, "llc_mb", &cache.size.value().to_string(), false);
            if let Some(gbs) = cache.core_bandwidth {
                self.put(TableKind::Node, &index, "llc_gbs", &gbs.value().to_string(), false);
            }
        }
        for (index, os_node) in machine.os_nodes().iter().enumerate() {
            let (index, table) = (index.to_string(), TableKind::Node);
            self.known(table, &index, "os_node", Some(os_node.number.to_string()));
            if let Some(cpus) = &os_node.cpus {
                self.put(table, &index, "cpus", &cpus.to_string(), false);
            }
        }
        let pairs = || machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
        // Of a large machine with equal links one line says it all.
        let is_large = machine.node_count() > MOST_NODES_WITH_ALL_LINKS;
        let one = is_large.then(|| json::equal(pairs().filter_map(|(from, to)| machine.link(from, to))));
        let one = one.flatten();
        if let Some(link) = one {
            self.put(TableKind::Machine, name, "link_gbs", &link.value().to_string(), false);
        }
        for (from, to) in pairs().filter(|_| one.is_none()) {
            if let Some(link) = machine.link(from, to) {
                let key = format!("link_gbs[{}][{}]", from.0, to.0);
                self.put(TableKind::Machine, name, &key, &link.value().to_string(), false);
            }
        }
        for (from, to) in pairs() {
            if let Some(distance) = machine.distance(from, to) {
                let key = format!("distance_matrix[{}][{}]", from.0, to.0);
                self.put(TableKind::Machine, name, &key, &distance.to_string(), false);
            }
        }
        for link in machine.shared_links() {
            let to = if link.both_ways { "<->" } else { "->" };
            let value = format!(
                "{} {to} {}: {}",
                json::numbers_in_words(&link.from),
                json::numbers_in_words(&link.to),
                link.bandwidth.value()
            );
            self.put(TableKind::Machine, name, &format!("shared_link.{}", link.name), &value, false);
        }
        for (key, provenance) in machine.provenance() {
            let prefix = format!("provenance.{key}");
            self.put(TableKind::Machine, name, &format!("{prefix}.kind"), provenance.kind.as_str(), false);
            if let Some(source) = &provenance.source {
                self.put(TableKind::Machine, name, &format!("{prefix}.source"), source, false);
            }
            let percents = [
                ("uncertainty_percent", provenance.uncertainty_percent),
                ("interval95_percent", provenance.interval95_percent),
            ];
            for (word, percent) in percents {
                let Some(percent) = percent else { continue };
                let key = format!("{prefix}.{word}");
                self.put(TableKind::Machine, name, &key, &percent.to_string(), false);
            }
        }
    }

    fn app(&mut self, group: &Group, app: &App) {
        let values = [
            ("instances", Some(group.instances.to_string())),
            ("arithmetic_intensity", Some(app.arithmetic_intensity.value().to_string())),
            ("data", Some(data(&app.data))),
            ("nodes", app.nodes.as_deref().map(json::numbers_in_words)),
            ("memory_gib", app.memory.map(Gibibytes::value).map(|gib| gib.to_string())),
            ("kernel", Some(app.kernel_word().to_owned())),
            ("min_threads", Some(app.min_threads.to_string())),
            ("max_threads", app.max_threads.map(|max| max.to_string())),
            ("weight", Some(app.weight.to_string())),
            ("work_gflop", app.work.map(Gflop::value).map(|work| work.to_string())),
        ];
        for (key, value) in values {
            self.known(TableKind::App, &group.name, key, value);
        }
        for (key, value) in app.problem.iter().flat_map(numasim_model::problem::KernelProblem::sizes) {
            self.known(TableKind::App, &group.name, &format!("problem.{key}"), Some(value));
        }
        let course = self.reading.study.dynamics.courses.get(group.first).map(over_time::course);
        let places = self
            .reading
            .groups
            .iter()
            .zip(&self.reading.places.apps)
            .find(|(own, _)| own.first == group.first);
        let has_phases = places.is_some_and(|(_, places)| !places.phases.is_empty());
        for (key, value) in course.iter().flat_map(over_time::pairs) {
            // Without phases of its own an application is the one phase.
            let own = key.strip_prefix("phase.0.").filter(|_| !has_phases).unwrap_or(&key);
            let default = self.reading.is_default(TableKind::App, &group.name, own);
            self.put(TableKind::App, &group.name, &key, &value, default);
        }
    }

    /// Who waits for whom, who gives commands, and what surrounds the applications.
    fn over_time(&mut self) {
        let study = &self.reading.study;
        let name_of = |value: &Value| {
            let word = |key: &str| value[key].as_str().unwrap_or_default();
            if value["app"].is_string() {
                word("app").to_owned()
            } else {
                format!("{} -> {}", word("from"), word("to"))
            }
        };
        let lists = [
            (TableKind::Channel, over_time::channels(study)),
            (TableKind::Call, over_time::calls(study)),
            (TableKind::Command, over_time::commands(study)),
        ];
        for (table, list) in &lists {
            for entry in list.as_array().into_iter().flatten() {
                let name = name_of(entry);
                for (key, value) in over_time::pairs(entry) {
                    if !matches!(key.as_str(), "from" | "to" | "app") {
                        self.known(*table, &name, &key, Some(value));
                    }
                }
            }
        }
        let singles = [
            (TableKind::Policy, over_time::policy(study)),
            (TableKind::Os, over_time::os(study)),
            (TableKind::Cluster, over_time::cluster(study)),
            (TableKind::Graph, tasks::graph(&self.reading.tasks)),
            (TableKind::Scheduler, tasks::scheduler(&self.reading.tasks)),
            (TableKind::Runtime, tasks::runtime(&self.reading.tasks)),
            (TableKind::Contender, tasks::contender(&self.reading.tasks)),
        ];
        for (table, value) in &singles {
            for (key, value) in over_time::pairs(value) {
                self.known(*table, "", &key, Some(value));
            }
        }
    }

    fn scenarios(&mut self) {
        let study = &self.reading.study;
        for (scenario, named) in study.scenarios.iter().zip(&self.reading.named) {
            for (index, (app, &named)) in study.apps.iter().zip(named).enumerate() {
                let row = scenario.allocation.row(AppId(index));
                let threads = row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                let key = format!("threads.{}", app.name);
                self.put(TableKind::Scenario, &scenario.name, &key, &threads, !named);
                if let Some(own) = scenario.data.get(index).filter(|own| **own != app.data) {
                    let key = format!("data.{}", app.name);
                    self.put(TableKind::Scenario, &scenario.name, &key, &data(own), false);
                }
            }
        }
    }
}

/// A word as it is, a table in the form of JSON.
fn data(data: &Data) -> String {
    let value = values::data(data);
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
