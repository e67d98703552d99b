//! The table of processors of `lscpu -e` and `lscpu -p`.

use std::collections::BTreeSet;

use numasim_model::cpus::MAX_CPU;
use numasim_model::input::Problem;

use super::super::node_number;
use super::HINT;
use crate::import::lines::Line;

/// A processor.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) cpu: u32,
    pub(super) core: Option<u32>,
    pub(super) socket: Option<u32>,
    /// 0 where the system has no NUMA nodes.
    pub(super) node: u32,
    pub(super) offline: bool,
    /// Level and number of each data or unified cache that it uses.
    caches: Vec<(u8, u32)>,
}

/// All processors.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    seen: BTreeSet<u32>,
}

impl Table {
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
        // `CPU family: 23` is a line of the summary.
        let cpu = names.first().is_some_and(|name| name == "cpu");
        if !cpu || names.iter().any(|name| name.ends_with(':')) || names.len() < 2 {
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
            node: cell("node").map_or(Ok(0), |cell| node_number(line, cell))?,
            // What is switched off has nothing but a number.
            offline: core.is_none() && cell("socket").is_none(),
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
