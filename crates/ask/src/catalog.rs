//! Catalogue: input files that a front end contains. For machines it lists the known values and their provenance, for other files a
//! description.

use std::fmt::Write as _;

use numasim_draw::Style;
use numasim_draw::grid::{Grid, wrap};
use numasim_model::Machine;
use numasim_model::machine::FigureKind;
use serde::Serialize;

use crate::document::{ByName, Head};
use crate::table::{self, Of};

/// The subjects in the table: title, and the keys of `[machine.provenance]`, of which the first one present counts.
const SUBJECTS: [(&str, &[&str]); 3] = [
    ("peak", &["gflops_per_core"]),
    ("memory", &["bandwidth_gbs", "bandwidth_matrix_gbs"]),
    ("links", &["socket_link_gbs", "link_gbs", "bandwidth_matrix_gbs"]),
];

const LETTERS: &str = "m measured, t theoretical, e estimated, a assumed; the source of each value: numasim check @NAME. GB/s: read bandwidth of the memories of all nodes together.";

/// Files of a catalogue.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Catalog {
    #[serde(flatten)]
    head: Head,
    /// The files.
    files: Vec<Listed>,
}

/// A file of the catalogue.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// The name that refers to it, with @.
    name: String,
    /// Its path in the catalogue.
    path: String,
    /// The folder.
    folder: String,
    /// A description of the file.
    about: String,
    /// For a file with a machine alone: what is known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<MachineEntry>,
    #[serde(skip)]
    node_words: String,
}

/// A machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MachineEntry {
    /// Its name.
    name: String,
    /// The source of its values.
    source: Option<String>,
    /// Its nodes.
    nodes: Vec<NodeEntry>,
    /// Provenance of each value, by its key.
    figures: ByName<OriginEntry>,
}

/// A node.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NodeEntry {
    /// Its cores.
    cores: u32,
    /// GFLOPS of a core.
    gflops_per_core: f64,
    /// GB/s of its memory.
    bandwidth_gbs: f64,
}

/// Provenance of a value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OriginEntry {
    /// Whether it was measured, or its other origin.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    kind: FigureKind,
    /// The source of the value.
    source: Option<String>,
}

impl Listed {
    /// The file at `path` in the catalogue, without its extension, with the name that refers to it; `machine` is given if the file
    /// contains a machine alone.
    pub fn new(name: String, path: &str, about: String, machine: Option<&Machine>) -> Self {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let node_words = machine.map(node_words).unwrap_or_default();
        let machine = machine.map(MachineEntry::from);
        Self { name, path: format!("{path}.toml"), folder, about, machine, node_words }
    }
}

impl From<&Machine> for MachineEntry {
    fn from(machine: &Machine) -> Self {
        let nodes = machine.nodes().iter().map(|node| NodeEntry {
            cores: node.cores,
            gflops_per_core: node.gflops_per_core.value(),
            bandwidth_gbs: node.bandwidth.value(),
        });
        let figures = machine.provenance().iter().map(|(key, known)| {
            (key.clone(), OriginEntry { kind: known.kind, source: known.source.clone() })
        });
        Self {
            name: machine.name().to_owned(),
            source: machine.source().map(str::to_owned),
            nodes: nodes.collect(),
            figures: ByName(figures.collect()),
        }
    }
}

impl MachineEntry {
    fn cores(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.cores)).sum()
    }

    /// Provenance of a value, by the first letter of its kind; `-` if there is no such value or its provenance is unknown.
    fn letter(&self, subject: &str, keys: &[&str]) -> &'static str {
        let is_there = subject != "links" || self.nodes.len() > 1;
        let found = |key: &&str| self.figures.0.iter().find(|(known, _)| known == key);
        let kind = keys.iter().find_map(found).filter(|_| is_there).map(|(_, known)| known.kind);
        kind.map_or("-", |kind| &kind.as_str()[..1])
    }
}

/// `4+1`: four nodes with cores, one of memory only.
fn node_words(machine: &Machine) -> String {
    let with_cores = machine.compute_nodes().count();
    match machine.node_count() - with_cores {
        0 => with_cores.to_string(),
        memory_only => format!("{with_cores}+{memory_only}"),
    }
}

/// Descriptions of these files.
pub fn catalog(files: Vec<Listed>) -> Catalog {
    Catalog { head: Head::of("catalog"), files }
}

impl Catalog {
    /// For spreadsheets: a row for each value of a machine, one for every other file.
    pub fn csv(&self) -> String {
        type Row<'v> = (&'v Listed, Option<&'v (String, OriginEntry)>);
        let columns = [
            Of::text("name", |(file, _): &Row| file.name.clone()),
            Of::text("folder", |(file, _): &Row| file.folder.clone()),
            Of::whole("nodes", |(file, _): &Row| file.machine.as_ref().map(|machine| machine.nodes.len())),
            Of::whole("cores", |(file, _): &Row| file.machine.as_ref().map(MachineEntry::cores)),
            Of::text("figure", |(_, known): &Row| known.map(|(key, _)| key.clone())),
            Of::text("kind", |(_, known): &Row| known.map(|(_, known)| known.kind.as_str())),
            Of::text("source", |(file, known): &Row| match known {
                Some((_, known)) => known.source.clone(),
                None => Some(file.about.clone()),
            }),
        ];
        let rows = self.files.iter().flat_map(|file| {
            let known = file.machine.iter().flat_map(|machine| &machine.figures.0);
            let known = known.map(move |known| (file, Some(known)));
            file.machine.is_none().then_some((file, None)).into_iter().chain(known)
        });
        table::csv(&columns, rows)
    }

    /// For people: a table for each folder, in the order of `folders`, each with a name and a description.
    pub fn text(&self, folders: &[(&str, &str)], style: &Style) -> String {
        let mut text = String::new();
        for (folder, about) in folders {
            let files: Vec<&Listed> = self.files.iter().filter(|file| file.folder == *folder).collect();
            if files.is_empty() {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}", style.heading(2, &format!("{folder}: {about}")));
            let of_machines: Vec<_> =
                files.iter().filter_map(|file| Some((*file, file.machine.as_ref()?))).collect();
            if of_machines.len() == files.len() {
                let letters = wrap(LETTERS, style.columns()).join("\n");
                let _ = write!(text, "{}\n{letters}\n", machines(of_machines).render(style));
            } else {
                let columns = [
                    Of::text("file", |file: &&Listed| file.name.as_str()),
                    Of::text("what", |file: &&Listed| file.about.as_str()),
                ];
                text.push_str(&table::grid_of(&columns, files).render(style));
            }
        }
        text
    }
}

fn machines(files: Vec<(&Listed, &MachineEntry)>) -> Grid {
    type Row<'v> = (&'v Listed, &'v MachineEntry);
    let bandwidth = |machine: &MachineEntry| machine.nodes.iter().map(|node| node.bandwidth_gbs).sum::<f64>();
    let mut columns = vec![
        Of::text("machine", |(file, _): &Row| file.name.clone()),
        Of::whole("nodes", |(file, _): &Row| file.node_words.clone()),
        Of::whole("cores", |(_, machine): &Row| machine.cores()),
        Of::whole("GB/s", move |(_, machine): &Row| format!("{:.0}", bandwidth(machine))),
    ];
    columns.extend(
        SUBJECTS.map(|(title, keys)| Of::text(title, move |(_, machine): &Row| machine.letter(title, keys))),
    );
    columns.push(Of::text("source", |(_, machine): &Row| machine.source.clone().unwrap_or("-".to_owned())));
    table::grid_of(&columns, files)
}
