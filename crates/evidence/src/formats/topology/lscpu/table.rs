//! The table of processors of `lscpu -e` and `lscpu -p`.

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::cpus::{MAX_CPU, ranges, unequal_cores, unequal_threads};
use numasim_model::text::visible;
use numasim_study::Problem;

use super::super::node_number;
use super::HINT;
use crate::formats::lines::Line;

/// A processor.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) cpu: u32,
    pub(super) core: Option<u32>,
    pub(super) socket: Option<u32>,
    /// `None`: the table has no nodes, or the system none.
    pub(super) node: Option<u32>,
    pub(super) offline: bool,
    /// Drawer and book, of s390.
    around: (Option<u32>, Option<u32>),
    /// The highest clock, as it is printed.
    clock: Option<String>,
    /// Level and number of each data or unified cache that it uses.
    caches: Vec<(u8, u32)>,
}

/// All processors.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    seen: BTreeSet<u32>,
}

impl Row {
    /// The first-level data cache.
    fn l1(&self) -> Option<u32> {
        self.caches.iter().find(|(level, _)| *level == 1).map(|(_, number)| *number)
    }
}

/// The first processor of the core of each row. `most`: hardware threads of a core, if the summary says so.
///
/// Numbers of cores repeat where there are several kinds of cores: then what has the same number and not the same first-level cache,
/// or not the same clock, are different cores.
///
/// # Errors
/// A sentence, where it is not clear which processors share a core.
pub(super) fn cores<'r>(
    rows: impl Iterator<Item = &'r Row>,
    most: Option<u32>,
) -> Result<BTreeMap<u32, u32>, String> {
    let mut numbered: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        numbered.entry((row.around, row.socket, row.core)).or_default().push(row);
    }
    let mut found = BTreeMap::new();
    for rows in numbered.values() {
        let mut parts: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for row in rows {
            parts.entry((row.l1(), row.clock.as_deref())).or_default().push(row.cpu);
        }
        let too_many = |cpus: usize| most.is_some_and(|most| cpus > most as usize);
        let sizes: BTreeSet<usize> = parts.values().map(Vec::len).collect();
        // Each with a cache for itself, or some; POWER has one for each half of a core.
        let different = parts.len() > 1 && (sizes.len() > 1 || sizes.contains(&1));
        let split = different || (parts.len() > 1 && too_many(rows.len()));
        let cores: Vec<Vec<u32>> = if split {
            parts.into_values().collect()
        } else {
            vec![rows.iter().map(|row| row.cpu).collect()]
        };
        for core in cores {
            if too_many(core.len()) {
                return Err(format!(
                    "CORE numbers repeat: processors {} have the same, and a core has {} hardware threads in the summary",
                    ranges(&core),
                    most.unwrap_or_default()
                ));
            }
            let first = core.iter().copied().min().unwrap_or_default();
            found.extend(core.into_iter().map(|cpu| (cpu, first)));
        }
    }
    Ok(found)
}

impl Table {
    /// Cores with different numbers of hardware threads, as a note; where one is off-line the numbers say nothing. `cores`: the first
    /// processor of the core of each processor.
    pub(super) fn unequal_threads(&self, cores: &BTreeMap<u32, u32>) -> Option<String> {
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for first in cores.values() {
            *sizes.entry(*first).or_default() += 1;
        }
        unequal_threads(sizes.into_values()).filter(|_| self.rows.iter().all(|row| !row.offline))
    }

    /// Kinds of cores that are not alike, as a note.
    pub(super) fn unequal(&self) -> Option<String> {
        let mut kinds: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| !row.offline) {
            kinds.entry(row.clock.as_deref()?).or_default().push(row.cpu);
        }
        let kind = |(clock, cpus): (&&str, &Vec<u32>)| {
            let whole = clock.split_once('.').filter(|(_, rest)| rest.bytes().all(|digit| digit == b'0'));
            let clock = whole.map_or(*clock, |(whole, _)| whole);
            format!("processors {} with at most {} MHz", ranges(cpus), visible(clock))
        };
        (kinds.len() > 1).then(|| unequal_cores(&kinds.iter().map(kind).collect::<Vec<_>>().join(", ")))
    }

    pub(super) fn add(&mut self, row: Row, line: &Line<'_>) -> Result<(), Problem> {
        if !self.seen.insert(row.cpu) {
            return Err(line.problem(format!("processor {} appears twice", row.cpu)));
        }
        self.rows.push(row);
        Ok(())
    }

    /// How many caches of this level there are; `None` where the table does not say. Their numbers may have gaps.
    pub(super) fn caches(&self, level: u8) -> Option<u32> {
        let numbers = self.rows.iter().flat_map(|row| &row.caches).filter(|(of, _)| *of == level);
        let different: BTreeSet<u32> = numbers.map(|(_, number)| *number).collect();
        u32::try_from(different.len()).ok().filter(|&count| count > 0)
    }
}

/// The names of the columns, in lower case.
#[derive(Debug)]
pub(super) struct Columns {
    names: Vec<String>,
    /// `lscpu -p`: commas between columns.
    commas: bool,
}

impl Columns {
    /// The header of a table, if the line is one.
    pub(super) fn of(line: &Line<'_>) -> Result<Option<Self>, Problem> {
        let commas = line.after("#").filter(|header| header.to_ascii_lowercase().starts_with("cpu,"));
        let names: Vec<String> = match commas {
            Some(header) => header.split(',').map(|name| name.trim().to_ascii_lowercase()).collect(),
            None => line.text.split_whitespace().map(str::to_ascii_lowercase).collect(),
        };
        // `CPU family: 23` is a line of the summary, `CPU 运行模式：` one in another language.
        let cpu = names.first().is_some_and(|name| name == "cpu");
        let plain = |name: &String| name.is_ascii() && !name.ends_with(':');
        let columns = ["core", "node", "socket", "online", "l1d:l1i:l2:l3"];
        let known = names.iter().any(|name| columns.contains(&name.as_str()));
        if !cpu || !names.iter().all(plain) || !known {
            return Ok(None);
        }
        Self { names, commas: commas.is_some() }.checked(line).map(Some)
    }

    /// The same for the keys of an object.
    pub(super) fn of_keys(names: Vec<String>, line: &Line<'_>) -> Result<Self, Problem> {
        Self { names, commas: false }.checked(line)
    }

    fn checked(self, line: &Line<'_>) -> Result<Self, Problem> {
        if self.names.iter().any(|name| name == "core") {
            return Ok(self);
        }
        let problem =
            line.problem("this table has no column CORE: which processors share a core is not known");
        Err(problem.hint(
            "import `lscpu -e` or `lscpu -p` without a list of columns, or with CPU, NODE, SOCKET and CORE",
        ))
    }

    /// Whether the line may be a row.
    pub(super) fn continues(line: &Line<'_>) -> bool {
        line.text.trim_start().starts_with(|c: char| c.is_ascii_digit())
    }

    pub(super) fn row(&self, line: &Line<'_>) -> Result<Row, Problem> {
        let cells: Vec<&str> = if self.commas {
            line.text.split(',').map(str::trim).collect()
        } else {
            line.text.split_whitespace().collect()
        };
        self.cells(&cells, line)
    }

    /// A row from its cells.
    pub(super) fn cells(&self, cells: &[&str], line: &Line<'_>) -> Result<Row, Problem> {
        if cells.len() != self.names.len() {
            let message = format!("{} values in a table of {} columns", cells.len(), self.names.len());
            return Err(line.problem(message).hint(HINT));
        }
        let cell = |name: &str| {
            let at = self.names.iter().position(|known| known == name)?;
            cells.get(at).copied().filter(|cell| !matches!(*cell, "" | "-" | "null"))
        };
        let number = |name: &str| {
            let wrong = |_| {
                line.problem(format!("the value of column {} is not a number", name.to_ascii_uppercase()))
            };
            cell(name).map(|cell| cell.parse::<u32>().map_err(wrong)).transpose()
        };
        let cpu = number("cpu")?.filter(|&cpu| cpu <= MAX_CPU);
        let core = number("core")?;
        Ok(Row {
            cpu: cpu.ok_or_else(|| line.problem(format!("this row has no processor: 0 to {MAX_CPU}")))?,
            core,
            socket: number("socket")?,
            node: cell("node").map(|cell| node_number(line, cell)).transpose()?,
            // What is switched off has nothing but a number.
            offline: core.is_none() && cell("socket").is_none(),
            around: (number("drawer")?, number("book")?),
            clock: cell("maxmhz").map(str::to_owned),
            caches: self.caches(cells),
        })
    }

    /// Of `L1d`, `L2` in columns of their own, or `L1d:L1i:L2:L3` in one.
    fn caches(&self, cells: &[&str]) -> Vec<(u8, u32)> {
        let mut found = Vec::new();
        for (name, cell) in self.names.iter().zip(cells) {
            for (name, number) in name.split(':').zip(cell.split(':')) {
                let level = match name {
                    "l1d" | "l1" => 1,
                    "l2" => 2,
                    "l3" => 3,
                    "l4" => 4,
                    _ => continue,
                };
                found.extend(number.parse().ok().map(|number| (level, number)));
            }
        }
        found
    }
}
