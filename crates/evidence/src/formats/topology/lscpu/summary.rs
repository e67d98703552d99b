//! The summary of `lscpu`: `Key: value`, flat, or in sections if it was printed to a terminal.

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::cpus::{MAX_CPU, ranges, unequal_cores, unequal_threads};
use numasim_model::text::visible;
use numasim_study::Problem;

use crate::formats::lines::Line;
use crate::formats::topology::lscpu::{HINT, LANGUAGE};
use crate::formats::topology::{Cores, Node, node_number, once, processors};

/// The required parts of the summary.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) model: Option<String>,
    /// Level, size and printed text of data and unified caches.
    pub(super) caches: Vec<(u8, Size, String)>,
    pub(super) offline: Vec<u32>,
    online: Vec<u32>,
    nodes: Vec<Node>,
    /// `NUMA node(s)`.
    node_count: Option<u32>,
    /// One entry for each kind of core.
    kinds: Vec<Kind>,
}

/// Numbers of cores of a kind. `None`: not in the output. On s390 these are the largest possible numbers of
/// the machine.
#[derive(Debug, Default)]
struct Kind {
    model: Option<String>,
    threads_per_core: Option<u32>,
    /// Cores per socket, or per cluster if there are no sockets.
    cores: Option<u32>,
    /// Sockets, or clusters, and on s390 books and drawers.
    sockets: Option<u32>,
    books: Option<u32>,
    drawers: Option<u32>,
    /// Whether `sockets` are clusters.
    clusters: bool,
}

impl Kind {
    /// All cores of this kind.
    fn total(&self) -> Option<u32> {
        let more = |count: Option<u32>| count.unwrap_or(1);
        self.cores?.checked_mul(self.sockets?)?.checked_mul(more(self.books))?.checked_mul(more(self.drawers))
    }
}

/// Hardware threads per core, if the summary is consistent.
enum Threads {
    /// Each core has this number.
    Each(u32),
    /// The single node has this number of cores.
    InAll(u32),
    /// Unknown, with the reason.
    Open(String),
}

/// The size of the caches of a level. Before util-linux 2.33 it is that of one cache, from then on that of
/// all together.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// `8192K`.
    One(u64),
    /// `128 MiB (16 instances)`; 2.33 to 2.36 do not print the number.
    All { bytes: u64, instances: Option<u32> },
}

impl Size {
    pub(super) fn instances(&self) -> Option<u32> {
        match self {
            Self::One(_) => None,
            Self::All { instances, .. } => *instances,
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (size, instances) = match text.split_once('(') {
            Some((size, rest)) => {
                (size, Some(rest.split_whitespace().next()?.parse().ok().filter(|&count| count > 0)?))
            }
            None => (text, None),
        };
        let size = size.trim();
        let (number, unit) =
            size.split_at(size.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(size.len()));
        let number =
            number.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)?;
        let (factor, old) = match unit.trim() {
            "" | "B" => (1.0, false),
            "K" => (1024.0, true),
            "KiB" => (1024.0, false),
            "M" => (1_048_576.0, true),
            "MiB" => (1_048_576.0, false),
            "GiB" => (1_073_741_824.0, false),
            _ => return None,
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^63")]
        let bytes = (number * factor).round().min(9e18) as u64;
        Some(if old && instances.is_none() { Self::One(bytes) } else { Self::All { bytes, instances } })
    }
}

impl Summary {
    /// Reads a line of text; returns whether it is one that every `lscpu` prints.
    pub(super) fn line(&mut self, line: &Line<'_>) -> Result<bool, Problem> {
        match line.text.split_once(':') {
            Some((key, value)) => self.entry(line, key.trim(), value.trim()),
            None => Ok(false),
        }
    }

    /// Reads a key and its value.
    pub(super) fn entry(&mut self, line: &Line<'_>, key: &str, value: &str) -> Result<bool, Problem> {
        // With few logical CPUs for many cores `lscpu` divides to 0.
        let count = || match value {
            "-" => Ok(None),
            _ => match value.parse::<u32>() {
                Ok(number) => Ok(Some(number).filter(|&number| number > 0)),
                Err(_) => Err(line.problem(format!("'{}' is not a number", visible(value)))),
            },
        };
        if key.contains("NUMA") && !key.starts_with("NUMA node") && key != "NUMA" {
            return Err(line.problem("this is not the English output of lscpu").hint(LANGUAGE));
        }
        match key {
            "Model name" => {
                let model = Some(value.to_owned()).filter(|value| value != "-");
                self.model = self.model.take().or_else(|| model.clone());
                self.kind(|kind| kind.model.is_none()).model = Some(model.unwrap_or_default());
            }
            "Thread(s) per core" => {
                let threads = count()?;
                self.kind(|kind| kind.threads_per_core.is_none() && kind.cores.is_none()).threads_per_core =
                    threads;
            }
            "Core(s) per socket" => {
                let cores = count()?;
                self.kind(|kind| kind.cores.is_none()).cores = cores;
            }
            // Only for processors without sockets.
            "Core(s) per cluster" | "Cluster(s)" => {
                let (count, kind) = (count()?, self.kind(|_| true));
                if key == "Cluster(s)" && kind.sockets.is_none() {
                    (kind.sockets, kind.clusters) = (count, true);
                } else if key != "Cluster(s)" && kind.cores.is_none() {
                    kind.cores = count;
                }
            }
            "Socket(s)" | "Socket(s) per book" => {
                if let Some(sockets) = count()? {
                    self.kind(|kind| kind.sockets.is_none()).sockets = Some(sockets);
                }
            }
            "Book(s) per drawer" | "Book(s)" => {
                let books = count()?;
                self.kind(|_| true).books = books;
            }
            "Drawer(s)" => {
                let drawers = count()?;
                self.kind(|_| true).drawers = drawers;
            }
            "NUMA node(s)" => self.node_count = count()?,
            "On-line CPU(s) list" => self.online = processors(line, value)?,
            "Off-line CPU(s) list" => self.offline = processors(line, value)?,
            "Architecture" | "CPU(s)" => {}
            _ => {
                if let Some(number) =
                    key.strip_prefix("NUMA node").and_then(|rest| rest.strip_suffix(" CPU(s)"))
                {
                    let number = node_number(line, number)?;
                    if self.nodes.iter().any(|node| node.number == number) {
                        return Err(line.problem(format!("node {number} appears twice")));
                    }
                    let processors = if value == "-" { Vec::new() } else { processors(line, value)? };
                    once(line, &processors, &self.nodes)?;
                    self.nodes.push(Node { number, processors, ..Node::default() });
                } else if let Some(level) = level(key) {
                    let size =
                        Size::read(value).ok_or_else(|| line.problem("this is not the size of a cache"))?;
                    self.caches.push((level, size, visible(value).into_owned()));
                }
                return Ok(false);
            }
        }
        Ok(matches!(key, "On-line CPU(s) list" | "Architecture" | "CPU(s)"))
    }

    pub(super) fn says_something(&self) -> bool {
        !self.online.is_empty() || self.says_nodes() || self.model.is_some() || !self.caches.is_empty()
    }

    pub(super) fn says_nodes(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// The kind of core to which the following lines belong: the last one, or a new one if that already has
    /// the key.
    fn kind(&mut self, fits: impl FnOnce(&Kind) -> bool) -> &mut Kind {
        if !self.kinds.last().is_some_and(fits) {
            self.kinds.push(Kind::default());
        }
        let last = self.kinds.len().saturating_sub(1);
        &mut self.kinds[last]
    }

    /// A reason if there are fewer CPU lists than nodes: the output was cut, or is in another language.
    pub(super) fn lacks_nodes(&self) -> Option<String> {
        let count = self.node_count? as usize;
        (count > self.nodes.len()).then(|| {
            format!("there are {count} NUMA nodes, and lines `NUMA nodeN CPU(s)` of {}", self.nodes.len())
        })
    }

    /// The nodes with their online logical CPUs.
    pub(super) fn online_nodes(&self, notes: &mut Vec<String>) -> Vec<Node> {
        let mut nodes = self.nodes.clone();
        if nodes.is_empty() && !self.online.is_empty() {
            nodes.push(Node { processors: self.online.clone(), ..Node::default() });
            notes.push("lscpu shows no NUMA nodes: all processors are taken as one node".to_owned());
        }
        let online: BTreeSet<u32> = self.online.iter().copied().collect();
        for node in nodes.iter_mut().filter(|_| !online.is_empty()) {
            let (there, absent): (Vec<u32>, Vec<u32>) =
                node.processors.iter().partition(|cpu| online.contains(cpu));
            if !absent.is_empty() {
                notes.push(format!(
                    "not on-line, left out: processors {} of node {}",
                    ranges(&absent),
                    node.number
                ));
            }
            node.processors = there;
        }
        nodes
    }

    /// Fills in the number of cores of each node if it is certain.
    pub(super) fn count_cores(&self, nodes: &mut [Node], notes: &mut Vec<String>) {
        let processors: usize = nodes.iter().map(|node| node.processors.len()).sum();
        let processors = u32::try_from(processors).unwrap_or(u32::MAX);
        let several = nodes.iter().filter(|node| !node.processors.is_empty()).count() > 1;
        let mut threads = self.threads(processors);
        if several && matches!(threads, Threads::InAll(_)) {
            threads = Threads::Open("kinds of cores have different numbers of hardware threads".to_owned());
        }
        let divides = |node: &Node, each: u32| node.processors.len().is_multiple_of(each as usize);
        if let Threads::Each(each) = threads
            && let Some(node) = nodes.iter().find(|node| !divides(node, each))
        {
            threads = Threads::Open(format!(
                "{each} hardware threads per core do not divide the processors of node {}",
                node.number
            ));
        }
        for node in nodes.iter_mut().filter(|node| !node.processors.is_empty()) {
            node.cores = match &threads {
                Threads::Each(each) => Some(Cores::of(&node.processors, *each)),
                // The number of cores equals that of logical CPUs: each is one.
                Threads::InAll(cores) if *cores as usize == node.processors.len() => {
                    Some(Cores::of(&node.processors, 1))
                }
                Threads::InAll(cores) => Some(Cores::Counted(*cores)),
                Threads::Open(_) => continue,
            };
        }
        if let Threads::Open(why) = threads {
            notes.push(format!(
                "how many cores the processors are is open: {why}; lscpu -e says which share a core"
            ));
        }
    }

    /// Fills in the socket if there is only one.
    pub(super) fn single_socket(&self, nodes: &mut [Node]) {
        let one = |kind: &Kind| kind.sockets == Some(1) && kind.books.unwrap_or(1) == 1 && !kind.clusters;
        let one = !self.kinds.is_empty() && self.kinds.iter().all(one);
        nodes.iter_mut().filter(|_| one).for_each(|node| node.socket = Some(0));
    }

    /// Kinds of cores that differ, as a note.
    pub(super) fn unequal(&self) -> Option<String> {
        let kind = |kind: &Kind| {
            let model = kind.model.clone().unwrap_or_default();
            match (kind.total(), kind.threads_per_core) {
                (Some(cores), Some(threads)) => format!(
                    "{cores} of {model} with {threads} hardware thread{} each",
                    if threads == 1 { "" } else { "s" }
                ),
                _ => model,
            }
        };
        let kinds: Vec<String> = self.kinds.iter().map(kind).collect();
        (kinds.len() > 1).then(|| unequal_cores(&kinds.join(", ")))
    }

    /// Hardware threads per core, if this number and the number of cores match the number of logical CPUs.
    pub(super) fn consistent_threads(&self, processors: u32) -> Option<u32> {
        match self.threads(processors) {
            Threads::Each(each) => Some(each),
            Threads::InAll(_) | Threads::Open(_) => None,
        }
    }

    fn threads(&self, processors: u32) -> Threads {
        let sum = |of: &dyn Fn(&Kind) -> Option<u32>| self.kinds.iter().map(of).sum::<Option<u32>>();
        let cores = sum(&Kind::total).filter(|_| !self.kinds.is_empty());
        let threads =
            sum(&|kind| kind.total()?.checked_mul(kind.threads_per_core?)).filter(|_| cores.is_some());
        let each = self.kinds.first().and_then(|kind| kind.threads_per_core);
        let alike = self.kinds.iter().all(|kind| kind.threads_per_core == each);
        let most = self.kinds.iter().any(|kind| kind.books.is_some() || kind.drawers.is_some());
        match (each.filter(|_| alike), cores, threads) {
            (Some(each), _, Some(threads)) if threads == processors => Threads::Each(each),
            (None, Some(cores), Some(threads)) if threads == processors => Threads::InAll(cores),
            (None, _, _) if self.kinds.is_empty() || alike => {
                Threads::Open("`Thread(s) per core` is no number above 0".to_owned())
            }
            // Fewer than the machine may have (s390), or no information about sockets; but all threads of a
            // core are present.
            (Some(each), cores, _)
                if self.offline.is_empty()
                    && processors.is_multiple_of(each)
                    && cores.is_none_or(|cores| most && processors / each <= cores) =>
            {
                Threads::Each(each)
            }
            // One thread per core: the offline logical CPUs are cores.
            (Some(1), Some(cores), _) if processors <= cores => Threads::Each(1),
            (each, cores, _) => {
                let each = each.map_or_else(|| "different numbers of".to_owned(), |each| each.to_string());
                let cores =
                    cores.map_or_else(|| "an unknown number of".to_owned(), |cores| cores.to_string());
                Threads::Open(format!(
                    "lscpu counts {cores} cores with {each} hardware thread(s), and {processors} processors are on-line: some are off-line, or cores are unequal (hybrid)"
                ))
            }
        }
    }
}

/// The level in `L1d cache`, `L2`: data and unified caches.
fn level(key: &str) -> Option<u8> {
    let name = key.strip_suffix(" cache").unwrap_or(key);
    let levels = BTreeMap::from([("L1d", 1), ("L1", 1), ("L2", 2), ("L3", 3), ("L4", 4)]);
    levels.get(name).copied()
}

/// A logical CPU.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) cpu: u32,
    pub(super) core: Option<u32>,
    pub(super) socket: Option<u32>,
    /// `None`: the table has no nodes, or the system has none.
    pub(super) node: Option<u32>,
    pub(super) offline: bool,
    /// Drawer and book, on s390.
    around: (Option<u32>, Option<u32>),
    /// The maximum clock, as printed.
    clock: Option<String>,
    /// Level and number of each data or unified cache that it uses.
    caches: Vec<(u8, u32)>,
}

/// All logical CPUs.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
    seen: BTreeSet<u32>,
}

impl Row {
    /// The number of its data cache of a level.
    pub(super) fn cache(&self, level: u8) -> Option<u32> {
        self.caches.iter().find(|(of, _)| *of == level).map(|(_, number)| *number)
    }
}

/// The first logical CPU of the core of each row. `most`: hardware threads per core, if the summary contains
/// the number.
///
/// Numbers of cores repeat if there are several kinds of cores. Rows with the same number but different
/// first-level caches or clocks are then different cores.
///
/// # Errors
/// A sentence, if it is unclear which logical CPUs share a core.
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
            parts.entry((row.cache(1), row.clock.as_deref())).or_default().push(row.cpu);
        }
        let too_many = |cpus: usize| most.is_some_and(|most| cpus > most as usize);
        let sizes: BTreeSet<usize> = parts.values().map(Vec::len).collect();
        // All have separate caches, or some have; POWER has one for each half of a core.
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
    /// Cores with different numbers of hardware threads, as a note; if one is offline, the numbers carry no
    /// information. `cores`: the first logical CPU of the core of each logical CPU.
    pub(super) fn unequal_threads(&self, cores: &BTreeMap<u32, u32>) -> Option<String> {
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for first in cores.values() {
            *sizes.entry(*first).or_default() += 1;
        }
        unequal_threads(sizes.into_values()).filter(|_| self.rows.iter().all(|row| !row.offline))
    }

    /// Kinds of cores that differ, as a note.
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

    /// The number of caches of this level; `None` if the table does not contain it. Cache numbers may have
    /// gaps.
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
            // An offline logical CPU has only a number.
            offline: core.is_none() && cell("socket").is_none(),
            around: (number("drawer")?, number("book")?),
            clock: cell("maxmhz").map(str::to_owned),
            caches: self.caches(cells),
        })
    }

    /// Caches in separate columns `L1d`, `L2`, or in one column `L1d:L1i:L2:L3`.
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
