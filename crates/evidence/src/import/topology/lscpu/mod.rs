//! `lscpu`, in each of its forms, several in one text as well: the summary, as text or with `-J`; the table of processors, with
//! `-e`, `-e -J` or `-p`. The table alone says which processors share a core, the summary alone how large caches are.

mod json;
mod summary;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::input::Problem;

use self::summary::{Size, Summary};
use self::table::{Row, Table};
use super::{Cache, Cores, Node, Topology};
use crate::import::lines::{Line, lines, nothing};

const HINT: &str = "import the output of `lscpu`, `lscpu -J`, `lscpu -e` or `lscpu -p`, with LC_ALL=C";

/// What one or several texts of `lscpu` say of the same machine.
#[derive(Debug, Default)]
pub struct Lscpu {
    summary: Option<Summary>,
    table: Option<Table>,
}

impl Lscpu {
    /// Takes in one more text.
    ///
    /// # Errors
    /// The line that is wrong; a summary or a table where there was one before; a text that is none of them.
    pub fn read(&mut self, text: &str) -> Result<(), Problem> {
        if text.trim_start().starts_with('{') {
            return json::read(text, self);
        }
        let mut open: Option<table::Columns> = None;
        let mut summary = Summary::default();
        let mut known = false;
        for line in lines(text) {
            if let Some(columns) = table::Columns::of(&line)? {
                if self.table.is_some() {
                    return Err(line
                        .problem("this is a second table of processors")
                        .hint("import one of them; cut the others off"));
                }
                self.table = Some(Table::default());
                open = Some(columns);
                known = true;
            } else if let Some(columns) = open.as_ref().filter(|_| table::Columns::continues(&line)) {
                let row = columns.row(&line)?;
                if let Some(table) = self.table.as_mut() {
                    table.add(row, &line)?;
                }
            } else {
                open = None;
                known |= summary.line(&line)?;
            }
        }
        if !known {
            return Err(nothing(text, "lscpu", HINT));
        }
        if summary.says_something() && self.summary.replace(summary).is_some() {
            let first = lines(text).find(|line| !line.text.trim().is_empty());
            let second = |line: Line<'_>| line.problem("this is a second summary").hint("import one of them");
            return Err(first.map_or_else(|| nothing(text, "lscpu", HINT), second));
        }
        Ok(())
    }

    /// The machine.
    ///
    /// # Errors
    /// Why it is none, as a sentence: summary and table are of different machines, or nothing names a processor.
    pub fn topology(self) -> Result<Topology, String> {
        let summary = self.summary.unwrap_or_default();
        let mut found = Topology { processor: summary.model.clone(), ..Topology::default() };
        found.unavailable.clone_from(&summary.offline);
        let told = summary.nodes(&mut found.notes);
        match &self.table {
            Some(table) => {
                found.nodes = table.nodes();
                found.unavailable.extend(table.offline());
                found.unavailable.sort_unstable();
                found.unavailable.dedup();
                let processors = |nodes: &[Node]| -> BTreeMap<u32, BTreeSet<u32>> {
                    nodes
                        .iter()
                        .map(|node| (node.number, node.processors.iter().copied().collect()))
                        .collect()
                };
                if !told.is_empty() && summary.says_nodes() && processors(&told) != processors(&found.nodes) {
                    return Err("summary and table do not have the same processors on the same nodes: are both of the same machine?".to_owned());
                }
            }
            None => found.nodes = told,
        }
        caches(&mut found, &summary, self.table.as_ref());
        found.tidied().ok_or_else(|| "it names no processors".to_owned())
    }
}

/// Caches whose size is known to the byte; the others are a note.
fn caches(found: &mut Topology, summary: &Summary, table: Option<&Table>) {
    let cores = found.cores();
    let mut open = Vec::new();
    for (level, size, printed) in &summary.caches {
        let count = table.and_then(|table| table.caches(*level)).or(size.instances());
        let known = count.zip(cores).and_then(|(count, cores)| {
            let bytes = match size {
                Size::One(bytes) => *bytes,
                // Sums are printed with one digit behind the point: what is no whole number of KiB was rounded.
                Size::All { bytes, .. } => Some(bytes / u64::from(count))
                    .filter(|one| one % 1024 == 0 && one * u64::from(count) == *bytes)?,
            };
            let shared =
                (bytes > 0 && cores % count == 0).then(|| cores / count).filter(|&shared| shared > 0)?;
            Some(Cache { level: *level, bytes, cores: shared, count })
        });
        match known {
            Some(cache) => found.caches.push(cache),
            None => open.push(format!("L{level} {printed}")),
        }
    }
    if !open.is_empty() {
        found.notes.push(format!(
            "caches as lscpu prints them (lscpu -C and lscpu -e say more): {}",
            open.join(", ")
        ));
    }
}

impl Table {
    fn nodes(&self) -> Vec<Node> {
        let mut rows: BTreeMap<u32, Vec<&Row>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| !row.offline) {
            rows.entry(row.node).or_default().push(row);
        }
        rows.into_iter().map(|(number, rows)| node(number, &rows)).collect()
    }

    fn offline(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.iter().filter(|row| row.offline).map(|row| row.cpu)
    }
}

fn node(number: u32, rows: &[&Row]) -> Node {
    let mut seen = BTreeSet::new();
    let first =
        rows.iter().filter(|row| seen.insert((row.socket, row.core))).map(|row| row.cpu).collect::<Vec<_>>();
    let cores = rows.iter().all(|row| row.core.is_some()).then(|| u32::try_from(first.len()).ok()).flatten();
    let sockets: BTreeSet<Option<u32>> = rows.iter().map(|row| row.socket).collect();
    Node {
        number,
        processors: rows.iter().map(|row| row.cpu).collect(),
        cores: cores.map(|count| Cores { count, first: Some(first) }),
        memory_bytes: None,
        socket: if sockets.len() == 1 { sockets.first().copied().flatten() } else { None },
    }
}
