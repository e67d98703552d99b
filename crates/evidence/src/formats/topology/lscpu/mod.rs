//! `lscpu`, in each of its forms, also several in one text: the summary, as text or with `-J`; the table of
//! logical CPUs, with `-e`, `-e -J` or `-p`. Only the table shows which logical CPUs share a core, only the
//! summary the sizes of caches.

mod summary;

use std::collections::{BTreeMap, BTreeSet};

use numasim_study::Problem;
use serde_json::{Map, Value as Json};

use crate::formats::lines::{Line, lines, nothing};
use crate::formats::topology::lscpu::summary::{Columns, Row, Size, Summary, Table};
use crate::formats::topology::{Cache, Core, Cores, Node, Topology};

const HINT: &str = "import the output of `lscpu`, `lscpu -J`, `lscpu -e` or `lscpu -p`, with LC_ALL=C";

/// The hint for output in the language of the system.
const LANGUAGE: &str = "lscpu prints in the language of the system: import the output of `LC_ALL=C lscpu`";

/// The contents of one or several texts of `lscpu` about the same machine.
#[derive(Debug, Default)]
pub struct Lscpu {
    summary: Option<Summary>,
    table: Option<Table>,
}

impl Lscpu {
    /// Adds one more text.
    ///
    /// # Errors
    /// The line with the error; a second summary or table; a text that is neither.
    pub fn read(&mut self, text: &str) -> Result<(), Problem> {
        if text.trim_start().starts_with('{') {
            return read_json(text, self);
        }
        let mut open: Option<summary::Columns> = None;
        let mut summary = Summary::default();
        let mut known = false;
        for line in lines(text) {
            if let Some(columns) = summary::Columns::of(&line)? {
                if self.table.is_some() {
                    return Err(line
                        .problem("this is a second table of processors")
                        .hint("import one of them; cut the others off"));
                }
                self.table = Some(Table::default());
                open = Some(columns);
                known = true;
            } else if let Some(columns) = open.as_ref().filter(|_| summary::Columns::continues(&line)) {
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
    /// The reason that it is invalid, as a sentence: summary and table are of different machines, or no
    /// logical CPU is named.
    pub fn topology(self) -> Result<Topology, String> {
        let summary = self.summary.unwrap_or_default();
        let mut found = Topology { processor: summary.model.clone(), ..Topology::default() };
        found.unavailable.clone_from(&summary.offline);
        if let Some(why) = summary.lacks_nodes() {
            return Err(format!("{why}; {LANGUAGE}"));
        }
        found.nodes = summary.online_nodes(&mut found.notes);
        if let Some(table) = &self.table {
            let cores = table.cores(&summary)?;
            let told = summary.says_nodes().then_some(found.nodes.as_slice());
            let mut tabled = table.nodes(told, &cores)?;
            found.unavailable.extend(table.offline());
            found.unavailable.sort_unstable();
            found.unavailable.dedup();
            let processors = |nodes: &[Node]| -> BTreeMap<u32, BTreeSet<u32>> {
                let filled = nodes.iter().filter(|node| !node.processors.is_empty());
                filled.map(|node| (node.number, node.processors.iter().copied().collect())).collect()
            };
            if summary.says_nodes() && processors(&found.nodes) != processors(&tabled) {
                return Err("summary and table do not have the same processors on the same nodes: are both of the same machine?".to_owned());
            }
            // Only the summary names nodes without logical CPUs.
            tabled.extend(found.nodes.drain(..).filter(|node| node.processors.is_empty()));
            found.nodes = tabled;
            found.notes.extend(table.unequal());
            found.notes.extend(table.unequal_threads(&cores).filter(|_| summary.offline.is_empty()));
        } else {
            summary.count_cores(&mut found.nodes, &mut found.notes);
            summary.single_socket(&mut found.nodes);
        }
        found.notes.extend(summary.unequal());
        caches(&mut found, &summary, self.table.as_ref());
        found.tidied().ok_or_else(|| format!("it names no processors that are on-line; {LANGUAGE}"))
    }
}

/// Caches with exactly known sizes; the others are a note.
fn caches(found: &mut Topology, summary: &Summary, table: Option<&Table>) {
    let cores = found.cores();
    let mut open = Vec::new();
    for (level, size, printed) in &summary.caches {
        let count = table.and_then(|table| table.caches(*level)).or(size.instances());
        let known = count.zip(cores).and_then(|(count, cores)| {
            let bytes = match size {
                Size::One(bytes) => *bytes,
                // Sums are printed with one decimal: a value that is not a whole number of KiB was rounded.
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
    /// The nodes; those of the summary if the table has none.
    fn nodes(&self, told: Option<&[Node]>, cores: &BTreeMap<u32, u32>) -> Result<Vec<Node>, String> {
        let online = || self.rows.iter().filter(|row| !row.offline);
        let told = told.filter(|_| online().all(|row| row.node.is_none()));
        let node_of = |row: &Row| match told {
            Some(nodes) => nodes
                .iter()
                .find(|node| node.processors.contains(&row.cpu))
                .map(|node| node.number)
                .ok_or_else(|| format!("processor {} of the table is on no node of the summary", row.cpu)),
            None => Ok(row.node.unwrap_or(0)),
        };
        let mut rows: BTreeMap<u32, Vec<&Row>> = BTreeMap::new();
        for row in online() {
            rows.entry(node_of(row)?).or_default().push(row);
        }
        Ok(rows.into_iter().map(|(number, rows)| node(number, &rows, cores)).collect())
    }

    /// The first logical CPU of the core of each logical CPU.
    fn cores(&self, summary: &Summary) -> Result<BTreeMap<u32, u32>, String> {
        let online = || self.rows.iter().filter(|row| !row.offline);
        let most = summary.consistent_threads(u32::try_from(online().count()).unwrap_or(u32::MAX));
        summary::cores(online().filter(|row| row.core.is_some()), most)
    }

    fn offline(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.iter().filter(|row| row.offline).map(|row| row.cpu)
    }
}

/// `cores`: the first logical CPU of the core of each logical CPU.
fn node(number: u32, rows: &[&Row], cores: &BTreeMap<u32, u32>) -> Node {
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut found: Vec<Core> = Vec::new();
    // A core on two nodes counts on each.
    for row in rows {
        let place = *places.entry(cores.get(&row.cpu).copied().unwrap_or(row.cpu)).or_insert(found.len());
        match found.get_mut(place) {
            Some(core) => core.cpus.push(row.cpu),
            None => found.push(Core { cpus: vec![row.cpu], l3: row.cache(3) }),
        }
    }
    let sockets: BTreeSet<Option<u32>> = rows.iter().map(|row| row.socket).collect();
    Node {
        number,
        processors: rows.iter().map(|row| row.cpu).collect(),
        cores: rows.iter().all(|row| row.core.is_some()).then_some(Cores::Known(found)),
        memory_bytes: None,
        socket: if sockets.len() == 1 { sockets.first().copied().flatten() } else { None },
    }
}

fn read_json(text: &str, into: &mut Lscpu) -> Result<(), Problem> {
    let all: Vec<Line<'_>> = lines(text).collect();
    // In JSON the first line represents all, unless there is more information.
    let Some(first) = all.iter().find(|line| !line.text.trim().is_empty()) else { return Ok(()) };
    let whole: Json = serde_json::from_str(text).map_err(|error| {
        let line = all.get(error.line().saturating_sub(1)).unwrap_or(first);
        line.problem(format!("this is no JSON: {error}")).hint(HINT)
    })?;
    let list = |key: &str| whole.get(key).and_then(Json::as_array);
    match (list("lscpu"), list("cpus")) {
        (Some(entries), _) => {
            let mut summary = Summary::default();
            summarise(entries, &all, first, &mut summary)?;
            match into.summary.replace(summary) {
                Some(_) => Err(first.problem("this is a second summary").hint("import one of them")),
                None => Ok(()),
            }
        }
        (None, Some(rows)) => {
            if into.table.is_some() {
                return Err(first.problem("this is a second table of processors").hint("import one of them"));
            }
            let mut table = Table::default();
            for row in rows {
                let row = row
                    .as_object()
                    .ok_or_else(|| first.problem("a row of `cpus` is no object").hint(HINT))?;
                let (names, cells): (Vec<String>, Vec<String>) =
                    row.iter().map(|(name, value)| (name.to_ascii_lowercase(), cell(value))).unzip();
                let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                let row = Columns::of_keys(names, first)?.cells(&cells, first)?;
                table.add(row, first)?;
            }
            into.table = Some(table);
            Ok(())
        }
        (None, None) => Err(first.problem("this is not output of lscpu").hint(HINT)),
    }
}

fn cell(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Entries, and those of their sections. serde_json rejects a list that is nested too deeply for the stack.
fn summarise(
    entries: &[Json],
    all: &[Line<'_>],
    first: &Line<'_>,
    summary: &mut Summary,
) -> Result<(), Problem> {
    for entry in entries.iter().filter_map(Json::as_object) {
        let word =
            |entry: &Map<String, Json>, key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
        if let (Some(key), Some(value)) = (word(entry, "field"), word(entry, "data")) {
            summary.entry(first, key.trim_end_matches(':'), &value).map_err(|problem| {
                let line = all.iter().find(|line| line.text.contains(&format!("\"{key}\""))).unwrap_or(first);
                line.problem(problem.message)
            })?;
        }
        if let Some(children) = entry.get("children").and_then(Json::as_array) {
            summarise(children, all, first, summary)?;
        }
    }
    Ok(())
}
