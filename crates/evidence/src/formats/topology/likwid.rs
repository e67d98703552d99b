//! `likwid-topology`, as printed or as CSV (`-O`): hardware threads, sockets, caches and NUMA domains.

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::cpus::{MAX_CPU, unequal_threads};
use numasim_study::Problem;

use super::{Cache, Core, Cores, Node, Topology, mebibytes, node_number, once, processors, whole_numbers};
use crate::formats::lines::{Line, lines, nothing};
use numasim_study::csv::shown;

const HINT: &str = "import the output of `likwid-topology`, with or without -c or -O";

/// A row of the table of hardware threads.
struct Thread {
    cpu: u32,
    /// Socket, die, core, and an index among equal ones: numbers repeat if there are several kinds of cores.
    core: (u32, u32, u32, usize),
    /// Its number among the hardware threads of the core.
    sibling: u32,
    available: bool,
}

/// Caches of a level.
#[derive(Default)]
struct Level {
    number: u8,
    size: String,
    /// Associativity, sets and bytes of a line, as printed by -c: their product is the exact size.
    parts: [Option<u64>; 3],
    groups: Vec<Vec<u32>>,
}

/// Reads the output of `likwid-topology`.
///
/// # Errors
/// The line with the error: a row of a table, a list of logical CPUs, or a domain without them.
pub fn read_likwid_topology(text: &str) -> Result<Topology, Problem> {
    let mut found = Topology::default();
    let mut threads: Vec<Thread> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut columns: Option<Vec<&str>> = None;
    let mut levels: Vec<Level> = Vec::new();
    let mut domains: Option<(Line<'_>, usize)> = None;
    let mut distances: Vec<(Vec<u64>, Line<'_>)> = Vec::new();
    for line in lines(text) {
        let cells: Vec<&str> = words(line.text).collect();
        if cells.first() == Some(&"HWThread") {
            columns = Some(cells);
            continue;
        }
        if let Some(names) = columns.as_ref() {
            if cells.first().is_some_and(|first| first.bytes().all(|byte| byte.is_ascii_digit())) {
                let mut thread = thread(&line, names, &cells)?;
                let (socket, die, core, _) = thread.core;
                let same = |known: &&Thread| {
                    (known.core.0, known.core.1, known.core.2) == (socket, die, core)
                        && known.sibling == thread.sibling
                };
                thread.core.3 = threads.iter().filter(same).count();
                if !seen.insert(thread.cpu) {
                    return Err(line.problem(format!("hardware thread {} appears twice", thread.cpu)));
                }
                threads.push(thread);
                continue;
            }
            columns = None;
        }
        let Some((key, value)) = line.text.split_once(':') else { continue };
        let value = value.trim_matches(|c: char| c.is_whitespace() || c == ',');
        match key.trim() {
            "CPU name" => found.processor = Some(value.to_owned()).filter(|name| !name.is_empty()),
            "NUMA domains" => {
                let count =
                    value.parse().map_err(|_| line.problem("this is not how many domains there are"))?;
                domains = Some((line, count));
            }
            "Level" => {
                let number = value.parse().map_err(|_| line.problem("this is not the level of a cache"))?;
                levels.push(Level { number, ..Level::default() });
            }
            "Domain" => {
                let number = node_number(&line, value)?;
                if found.nodes.iter().any(|node| node.number == number) {
                    return Err(line.problem(format!("domain {number} appears twice")));
                }
                found.nodes.push(Node { number, ..Node::default() });
            }
            "Processors" => {
                let list = processors(&line, value)?;
                once(&line, &list, &found.nodes)?;
                found.nodes.last_mut().into_iter().for_each(|node| node.processors.clone_from(&list));
            }
            "Distances" => distances.push((whole_numbers(&line, value)?, line)),
            "Total memory" => {
                let bytes = mebibytes(&line, value)?;
                found.nodes.last_mut().into_iter().for_each(|node| node.memory_bytes = Some(bytes));
            }
            key => {
                if let Some(level) = levels.last_mut() {
                    level.read(&line, key, value)?;
                }
            }
        }
    }
    if threads.is_empty() {
        return Err(nothing(text, "likwid-topology", HINT));
    }
    match domains {
        Some((line, count)) if count != found.nodes.len() => {
            let message = format!("there are {count} domains, and {} of them follow", found.nodes.len());
            return Err(line.problem(message).hint(HINT));
        }
        _ => {}
    }
    if found.nodes.is_empty() {
        let processors = threads.iter().map(|thread| thread.cpu).collect();
        found.nodes.push(Node { processors, ..Node::default() });
        found.notes.push("likwid shows no NUMA domains: all processors are taken as one node".to_owned());
    }
    found.distances = matrix(&distances, found.nodes.len())?;
    cores(&mut found, &threads, &levels);
    caches(&mut found, &levels, &threads);
    found.tidied().ok_or_else(|| nothing(text, "likwid-topology with processors", HINT))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

fn thread(line: &Line<'_>, names: &[&str], cells: &[&str]) -> Result<Thread, Problem> {
    let number = |name: &str| {
        let at = names.iter().position(|known| *known == name);
        let number = at.and_then(|at| cells.get(at)).and_then(|cell| cell.parse::<u32>().ok());
        number.ok_or_else(|| line.problem(format!("this row has no number of its column {name}")).hint(HINT))
    };
    let cpu = number("HWThread")?;
    if cpu > MAX_CPU {
        return Err(line.problem(format!("hardware threads are numbered 0 to {MAX_CPU}")));
    }
    let die = if names.contains(&"Die") { number("Die")? } else { 0 };
    let core = (number("Socket")?, die, number("Core")?, 0);
    let sibling = if names.contains(&"Thread") { number("Thread")? } else { 0 };
    Ok(Thread { cpu, core, sibling, available: cells.last() == Some(&"*") })
}

fn matrix(rows: &[(Vec<u64>, Line<'_>)], nodes: usize) -> Result<Option<Vec<Vec<u64>>>, Problem> {
    if rows.is_empty() {
        return Ok(None);
    }
    if let Some((row, line)) = rows.iter().find(|(row, _)| row.len() != nodes) {
        return Err(line.problem(format!("{} distances for {nodes} domains", row.len())));
    }
    Ok((rows.len() == nodes).then(|| rows.iter().map(|(row, _)| row.clone()).collect()))
}

/// Cores and sockets of each node, from the table of hardware threads; unavailable ones are omitted.
fn cores(found: &mut Topology, threads: &[Thread], levels: &[Level]) {
    let groups = levels.iter().filter(|level| level.number == 3).flat_map(|level| &level.groups);
    let l3: BTreeMap<u32, u32> =
        (0..).zip(groups).flat_map(|(number, group)| group.iter().map(move |&cpu| (cpu, number))).collect();
    let by_cpu: BTreeMap<u32, &Thread> = threads.iter().map(|thread| (thread.cpu, thread)).collect();
    for node in &mut found.nodes {
        let mut places: BTreeMap<_, usize> = BTreeMap::new();
        let mut sockets = BTreeSet::new();
        let mut cores: Vec<Core> = Vec::new();
        let gone = |cpu: &u32| by_cpu.get(cpu).is_some_and(|thread| !thread.available);
        found.unavailable.extend(node.processors.iter().copied().filter(gone));
        node.processors.retain(|cpu| !gone(cpu));
        node.processors.sort_unstable();
        for thread in node.processors.iter().filter_map(|cpu| by_cpu.get(cpu)) {
            sockets.insert(thread.core.0);
            let place = *places.entry(thread.core).or_insert(cores.len());
            match cores.get_mut(place) {
                Some(core) => core.cpus.push(thread.cpu),
                None => cores.push(Core { cpus: vec![thread.cpu], l3: l3.get(&thread.cpu).copied() }),
            }
        }
        let all = node.processors.iter().all(|cpu| by_cpu.contains_key(cpu));
        node.cores = (all && !cores.is_empty()).then_some(Cores::Known(cores));
        node.socket =
            Some(sockets).filter(|sockets| sockets.len() == 1).and_then(|sockets| sockets.first().copied());
    }
    found.unavailable.sort_unstable();
    let mut sizes: BTreeMap<_, usize> = BTreeMap::new();
    for thread in threads {
        *sizes.entry(thread.core).or_default() += 1;
    }
    found.notes.extend(unequal_threads(sizes.into_values()));
}

/// Caches with exactly known sizes; for the others likwid prints whole kB and MB, rounded down.
fn caches(found: &mut Topology, levels: &[Level], threads: &[Thread]) {
    let core: BTreeMap<u32, _> = threads.iter().map(|thread| (thread.cpu, thread.core)).collect();
    let mut rounded = Vec::new();
    for level in levels {
        let sharing =
            |group: &Vec<u32>| group.iter().filter_map(|cpu| core.get(cpu)).collect::<BTreeSet<_>>().len();
        let cores = level.groups.iter().map(sharing).max().unwrap_or_default();
        let bytes = match level.parts {
            [Some(ways), Some(sets), Some(line)] => {
                ways.checked_mul(sets).and_then(|lines| lines.checked_mul(line))
            }
            _ => None,
        };
        match (bytes.filter(|&bytes| bytes > 0), u32::try_from(cores), u32::try_from(level.groups.len())) {
            (Some(bytes), Ok(cores @ 1..), Ok(count @ 1..)) => {
                found.caches.push(Cache { level: level.number, bytes, cores, count });
            }
            _ => rounded.push(format!(
                "L{} {} in {} groups",
                level.number,
                shown(&level.size),
                level.groups.len()
            )),
        }
    }
    if !rounded.is_empty() {
        found.notes.push(format!(
            "caches as likwid prints them, rounded down: {}; likwid-topology -c has them to the byte",
            rounded.join(", ")
        ));
    }
}

impl Level {
    fn read(&mut self, line: &Line<'_>, key: &str, value: &str) -> Result<(), Problem> {
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| line.problem(format!("this is not a number: '{}'", shown(value))))
        };
        match key {
            "Size" if self.size.is_empty() => value.clone_into(&mut self.size),
            "Associativity" => self.parts[0] = Some(number()?),
            "Number of sets" => self.parts[1] = Some(number()?),
            "Cache line size" => self.parts[2] = Some(number()?),
            "Cache groups" => {
                // `( 0 36 ) ( 1 37 )`, or with -O `0 36,1 37`.
                let groups = value.split([')', ',']).map(|group| group.trim_matches(['(', ' ', '\t']));
                let groups = groups.filter(|group| !group.is_empty()).map(|group| processors(line, group));
                self.groups = groups.collect::<Result<_, _>>()?;
            }
            _ => {}
        }
        Ok(())
    }
}
