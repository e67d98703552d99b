//! The files of the catalogue as tables: of machines what is known and how it is known, of the others what they are.

use std::fmt::Write as _;

use numasim_ask::table::{self, Of};
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::Machine;
use numasim_model::machine::{FigureKind, Provenance};
use serde_json::{Map, Value, json};

use super::Style;
use crate::catalog::{Entry, FOLDERS};

/// A file of the catalogue.
pub(crate) struct Listed {
    /// The file.
    pub(crate) entry: Entry,
    /// Its machine, where the file is that of a machine.
    pub(crate) machine: Option<Machine>,
}

/// What the kinds of the table are about: title, and the keys of `[machine.provenance]`, of which the first counts.
const SUBJECTS: [(&str, &[&str]); 3] = [
    ("peak", &["gflops_per_core"]),
    ("memory", &["bandwidth_gbs", "bandwidth_matrix_gbs"]),
    ("links", &["socket_link_gbs", "link_gbs", "bandwidth_matrix_gbs"]),
];

const LETTERS: &str = "m measured, t theoretical, e estimated, a assumed; the source of each figure: numasim check @NAME. GB/s: \
                       what the memories of all nodes deliver to reads.";

/// For people: a table for each folder.
pub(crate) fn table(listed: &[Listed], style: &Style) -> String {
    let mut text = String::new();
    for (folder, about) in FOLDERS {
        let files: Vec<&Listed> = listed.iter().filter(|file| file.entry.folder() == folder).collect();
        if files.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", style.heading(2, &format!("{folder}: {about}")));
        if files.iter().all(|file| file.machine.is_some()) {
            text.push_str(&machines(&files).render(style));
            text.push('\n');
            for line in wrap(LETTERS, style.columns()) {
                let _ = writeln!(text, "{line}");
            }
        } else {
            text.push_str(&others(&files).render(style));
        }
    }
    text
}

fn machines(files: &[&Listed]) -> Grid {
    let mut columns = vec![
        ("machine", Align::Left),
        ("nodes", Align::Right),
        ("cores", Align::Right),
        ("GB/s", Align::Right),
    ];
    columns.extend(SUBJECTS.iter().map(|(title, _)| (*title, Align::Left)));
    columns.push(("source", Align::Left));
    let mut grid = Grid::new(&columns);
    for file in files {
        let Some(machine) = &file.machine else { continue };
        let bandwidth: f64 = machine.nodes().iter().map(|node| node.bandwidth.value()).sum();
        let letter = |kind: Option<FigureKind>| kind.map_or("-", |kind| &kind.as_str()[..1]).to_owned();
        let mut row = vec![
            file.entry.shortest(),
            node_words(machine),
            machine.total_cores().to_string(),
            format!("{bandwidth:.0}"),
        ];
        row.extend(SUBJECTS.iter().map(|(title, keys)| letter(kind(machine, title, keys))));
        row.push(machine.source().unwrap_or("-").to_owned());
        grid.row(row);
    }
    grid
}

/// `4+1`: four nodes with cores, one of memory only.
fn node_words(machine: &Machine) -> String {
    let with_cores = machine.compute_nodes().count();
    match machine.node_count() - with_cores {
        0 => with_cores.to_string(),
        memory_only => format!("{with_cores}+{memory_only}"),
    }
}

/// How a figure of the machine came about; `None` where it has no such figure, or nobody says.
fn kind(machine: &Machine, title: &str, keys: &[&str]) -> Option<FigureKind> {
    if title == "links" && machine.node_count() == 1 {
        return None;
    }
    keys.iter().find_map(|key| machine.provenance().get(*key)).map(|found| found.kind)
}

fn others(files: &[&Listed]) -> Grid {
    let mut grid = Grid::new(&[("file", Align::Left), ("what", Align::Left)]);
    for file in files {
        grid.row(vec![file.entry.shortest(), file.entry.about()]);
    }
    grid
}

/// For programs: every file, and of machines every figure's kind and source.
pub(crate) fn json(listed: &[Listed]) -> Value {
    let file = |file: &Listed| {
        let entry = file.entry;
        let mut object = json!({
            "name": entry.shortest(), "path": format!("{}.toml", entry.path), "folder": entry.folder(), "about": entry.about(),
        });
        if let (Some(machine), Some(object)) = (&file.machine, object.as_object_mut()) {
            object.insert("machine".to_owned(), of_machine(machine));
        }
        object
    };
    json!({ "schema": 1, "command": "catalog", "files": listed.iter().map(file).collect::<Vec<_>>() })
}

fn of_machine(machine: &Machine) -> Value {
    let figures: Map<String, Value> = machine
        .provenance()
        .iter()
        .map(|(key, known)| (key.clone(), json!({ "kind": known.kind.as_str(), "source": known.source })))
        .collect();
    let nodes: Vec<Value> = machine
        .nodes()
        .iter()
        .map(|node| {
            json!({ "cores": node.cores, "gflops_per_core": node.gflops_per_core.value(),
                    "bandwidth_gbs": node.bandwidth.value() })
        })
        .collect();
    json!({ "name": machine.name(), "source": machine.source(), "nodes": nodes, "figures": figures })
}

/// For spreadsheets: a row for each value of a machine, one for every other file.
pub(crate) fn csv(listed: &[Listed]) -> String {
    type Row<'v> = (&'v Listed, Option<(&'v str, &'v Provenance)>);
    fn machine<'v>(row: &Row<'v>) -> Option<&'v Machine> {
        row.0.machine.as_ref()
    }
    let columns = [
        Of::text("name", |(listed, _): &Row| listed.entry.shortest()),
        Of::text("folder", |(listed, _): &Row| listed.entry.folder().to_owned()),
        Of::whole("nodes", |row: &Row| machine(row).map(Machine::node_count)),
        Of::whole("cores", |row: &Row| machine(row).map(Machine::total_cores)),
        Of::text("figure", |(_, known): &Row| known.map(|(key, _)| key.to_owned())),
        Of::text("kind", |(_, known): &Row| known.map(|(_, known)| known.kind.as_str())),
        Of::text("source", |(listed, known): &Row| match known {
            Some((_, known)) => known.source.clone(),
            None => Some(listed.entry.about()),
        }),
    ];
    let rows = listed.iter().flat_map(|one| {
        let known = one.machine.iter().flat_map(Machine::provenance);
        let known = known.map(move |(key, known)| (one, Some((key.as_str(), known))));
        one.machine.is_none().then_some((one, None)).into_iter().chain(known)
    });
    table::csv(&columns, rows)
}
