//! The values that were read, as CSV: one line for each value, in the notation of the input files.

use crate::reading::Reading;
use numasim_model::AppId;
use numasim_study::keys::{self, Echo, app, limits_of};
use numasim_study::{Group, TableKind};

use super::{Checked, CourseEcho, Keys, app_keys, words};
use crate::document::ByName;
use crate::table::{self, Of};

/// The lines: table, name, key, value, default.
pub(super) fn csv(checked: &Checked<'_>) -> String {
    let columns = [
        Of::text("table", |row: &Row| row.table.as_str()),
        Of::text("name", |row: &Row| row.name.clone()),
        Of::text("key", |row: &Row| row.key.clone()),
        Of::text("value", |row: &Row| row.value.clone()),
        Of::text("default", |row: &Row| row.default),
    ];
    table::csv(&columns, rows(checked))
}

/// A value.
struct Row {
    table: TableKind,
    name: String,
    key: String,
    value: String,
    default: bool,
}

fn rows(checked: &Checked<'_>) -> Vec<Row> {
    let mut lines = Lines { rows: Vec::new(), reading: checked.reading };
    lines.machine(checked);
    for group in &checked.reading.groups {
        if let Some(app) = checked.apps.get(group.first) {
            lines.app(group, &app.over_time);
        }
    }
    lines.scenarios();
    for (table, list) in [
        (TableKind::Channel, &checked.channels),
        (TableKind::Call, &checked.calls),
        (TableKind::Command, &checked.commands),
    ] {
        for keys in list {
            lines.entry(table, keys);
        }
    }
    for (table, keys) in settings(checked) {
        for (key, value) in &keys.0 {
            lines.known(table, "", key, words::plain(value));
        }
    }
    lines.rows
}

/// Tables without names, if they contain values.
fn settings<'c>(checked: &'c Checked<'_>) -> impl Iterator<Item = (TableKind, &'c Keys)> {
    [
        (TableKind::Policy, Some(&checked.policy)),
        (TableKind::Os, Some(&checked.os)),
        (TableKind::Cluster, checked.cluster.as_ref()),
        (TableKind::Graph, checked.graph.as_ref()),
        (TableKind::Scheduler, checked.scheduler.as_ref()),
        (TableKind::Runtime, checked.runtime.as_ref()),
        (TableKind::Contender, checked.contender.as_ref()),
    ]
    .into_iter()
    .filter_map(|(table, keys)| Some((table, keys?)))
}

struct Lines<'r> {
    rows: Vec<Row>,
    reading: &'r Reading,
}

impl Lines<'_> {
    #[allow(clippy::needless_pass_by_value, reason = "numbers and texts alike, without an & at each")]
    fn put(&mut self, table: TableKind, name: &str, key: &str, value: impl ToString, default: bool) {
        let value = value.to_string();
        self.rows.push(Row { table, name: name.to_owned(), key: key.to_owned(), value, default });
    }

    /// A value that is a default exactly if the reading says so; empty without a value.
    fn known(&mut self, table: TableKind, name: &str, key: &str, value: impl ToString) {
        self.put(table, name, key, value, self.reading.is_default(table, name, key));
    }

    /// A value in a file.
    fn given(&mut self, table: TableKind, name: &str, key: &str, value: impl ToString) {
        self.put(table, name, key, value, false);
    }

    fn machine(&mut self, checked: &Checked<'_>) {
        const NODE: TableKind = TableKind::Node;
        let (echo, machine) = (&checked.machine, &self.reading.study.machine);
        let name = echo.name;
        self.known(TableKind::Machine, name, "source", echo.source.unwrap_or_default());
        for (node, of) in echo.nodes.iter().zip(machine.nodes()) {
            let index = node.node.to_string();
            self.given(NODE, &index, "cores", node.cores);
            self.given(NODE, &index, "gflops_per_core", node.gflops_per_core);
            self.given(NODE, &index, "bandwidth_gbs", node.bandwidth_gbs);
            for (key, value) in limits_of(of) {
                let mut tables = [(TableKind::Machine, name), (NODE, &index)].into_iter();
                let default = tables.any(|(table, name)| self.reading.is_default(table, name, key.name));
                if !key.noted_when_used || default || value.is_some() {
                    let value = value.map(|value| value.to_string()).unwrap_or_default();
                    self.put(NODE, &index, key.name, value, default);
                }
            }
        }
        for node in &echo.nodes {
            if let Some(memory) = node.local_memory {
                self.given(NODE, &node.node.to_string(), "local_memory", memory);
            }
        }
        for node in &echo.nodes {
            for (share, gbs) in node.mixed_gbs.iter().flatten() {
                self.given(NODE, &node.node.to_string(), &format!("mixed_gbs[{share}]"), gbs.to_string());
            }
            for (key, value) in [("llc_mb", node.llc_mb), ("llc_gbs", node.llc_gbs)] {
                if let Some(value) = value {
                    self.given(NODE, &node.node.to_string(), key, value);
                }
            }
        }
        for node in &echo.nodes {
            let index = node.node.to_string();
            if let Some(number) = node.os_node {
                self.known(NODE, &index, "os_node", number);
            }
            if let Some(cpus) = &node.cpus {
                self.given(NODE, &index, "cpus", cpus);
            }
        }
        self.links(checked);
        for link in &echo.shared_links {
            let arrow = if link.both_ways { "<->" } else { "->" };
            let side = |nodes: &[usize]| words::plain(&nodes.to_vec().into());
            let value = format!("{} {arrow} {}: {}", side(&link.from), side(&link.to), link.gbs);
            self.given(TableKind::Machine, name, &format!("shared_link.{}", link.name), value);
        }
        for (key, origin) in &echo.provenance.0 {
            let percent = |percent: Option<f64>| percent.map(|percent| percent.to_string());
            let values = [
                ("kind", Some(origin.kind.to_owned())),
                ("source", origin.source.map(str::to_owned)),
                ("uncertainty_percent", percent(origin.uncertainty_percent)),
                ("interval95_percent", percent(origin.interval95_percent)),
            ];
            for (word, value) in values {
                if let Some(value) = value {
                    self.given(TableKind::Machine, name, &format!("provenance.{key}.{word}"), value);
                }
            }
        }
    }

    /// For a large machine with equal links, one line covers all links.
    fn links(&mut self, checked: &Checked<'_>) {
        const MACHINE: TableKind = TableKind::Machine;
        let (echo, name) = (&checked.machine, checked.machine.name);
        if let Some(gbs) = echo.link_gbs {
            self.given(MACHINE, name, "link_gbs", gbs);
        }
        for link in &echo.links {
            let key = format!("link_gbs[{}][{}]", link.from, link.to);
            self.given(MACHINE, name, &key, link.bandwidth_gbs);
        }
        for (key, matrix) in [("link_gbs", &echo.link_matrix_gbs), ("distance_matrix", &echo.distance_matrix)]
        {
            for (from, row) in matrix.iter().flatten().enumerate() {
                for (to, value) in row.iter().enumerate() {
                    if let Some(value) = value {
                        self.given(MACHINE, name, &format!("{key}[{from}][{to}]"), value);
                    }
                }
            }
        }
    }

    fn app(&mut self, group: &Group, over_time: &CourseEcho) {
        const APP: TableKind = TableKind::App;
        let Some(of) = self.reading.study.apps.get(group.first) else { return };
        self.known(APP, &group.name, "instances", group.instances);
        let keys = app_keys(of);
        for (key, value) in keys.iter().filter(|(key, _)| *key != &app::PROBLEM) {
            // Numbers are written as in a file here, and as in JSON below.
            let value = match value {
                Echo::Number(number) => number.to_string(),
                other => words::plain(other),
            };
            self.known(APP, &group.name, key.name, value);
        }
        for (key, value) in of.problem.iter().flat_map(numasim_model::problem::KernelProblem::sizes) {
            self.known(APP, &group.name, &format!("problem.{key}"), value);
        }
        let has_phases = self.reading.further.over_time.has_phases(&self.reading.groups, group);
        for (key, value) in &over_time.keys.0 {
            self.known(APP, &group.name, key, words::plain(value));
        }
        for (number, ByName(keys)) in over_time.phases.iter().enumerate() {
            for (key, value) in keys {
                let of_phase = format!("phase.{number}.{key}");
                // An application without phases is itself the only phase.
                let own = if has_phases || number > 0 { &of_phase } else { key };
                let default = self.reading.is_default(APP, &group.name, own);
                self.put(APP, &group.name, &of_phase, words::plain(value), default);
            }
        }
    }

    /// An entry of a list: its name is its application, or both.
    fn entry(&mut self, table: TableKind, ByName(keys): &Keys) {
        let word = |name: &str| {
            keys.iter().find(|(key, _)| key == name).map(|(_, value)| words::plain(value)).unwrap_or_default()
        };
        let app = word("app");
        let name = if app.is_empty() { format!("{} -> {}", word("from"), word("to")) } else { app };
        for (key, value) in keys.iter().filter(|(key, _)| !["from", "to", "app"].contains(&key.as_str())) {
            self.known(table, &name, key, words::plain(value));
        }
    }

    fn scenarios(&mut self) {
        let study = &self.reading.study;
        for (scenario, named) in study.scenarios.iter().zip(&self.reading.named) {
            for (index, (app, &named)) in study.apps.iter().zip(named).enumerate() {
                let threads = scenario.threads(AppId(index));
                let key = format!("threads.{}", app.name);
                self.put(TableKind::Scenario, &scenario.name, &key, words::plain(&threads.into()), !named);
                if let Some(nodes) = scenario.threads_per_l3(AppId(index)) {
                    let value = words::plain(&Echo::List(nodes.into_iter().map(Echo::from).collect()));
                    self.given(
                        TableKind::Scenario,
                        &scenario.name,
                        &format!("threads_per_l3.{}", app.name),
                        value,
                    );
                }
                if scenario.smt[index] != app.smt {
                    let value = scenario.smt[index].as_str().to_owned();
                    self.given(TableKind::Scenario, &scenario.name, &format!("smt.{}", app.name), value);
                }
                if let Some(own) = scenario.data.get(index).filter(|own| **own != app.data) {
                    let value = words::plain(&keys::data_echo(own));
                    self.given(TableKind::Scenario, &scenario.name, &format!("data.{}", app.name), value);
                }
            }
        }
    }
}
