//! Graphs as CSV (RFC 4180): `blocks.csv` and `tasks.csv` in and out, `edges.csv` out.
//!
//! ```text
//! id,bytes,home,name[,created_by,hint]                  home: empty, a node, or `interleave`
//! id,type,gflop,accesses,socket,taskwait,name[,created_by,seq,affinity,submit,returns,replay][,priority]
//!                                                       socket: empty or a node; taskwait: empty or 1
//! from,to,kind,bytes                                    kind: raw, war, waw, raw+war, war+waw
//! ```
//!
//! Identifiers are 0, 1, 2 ... in the order of the rows; for tasks this is the creation order. Accesses are
//! `MODE:BLOCK[:DECLARED[:MOVED]]` joined by `;`. By default the declared bytes are those of the block, and the moved bytes are the
//! declared ones. Columns may come in any order; `home`, `type`, `socket`, `taskwait` and `name` may be absent. Columns in brackets
//! belong to tree programs, and are written if a block, or a task, uses any of them: creators are tasks (of a task an earlier one),
//! `affinity` and `hint` nodes, `submit` is `spawn`, `enqueue`, `detach` or empty, `returns` empty or 1. Numbers are written in the
//! shortest form that reads back to the same value, so that files that were written, read and written again do not change by a byte.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::fmt;
use std::fmt::Write;
use std::ops::Range;

use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_NODES;
use numasim_study::csv::{self, shown};
use numasim_study::{Place, Problem, ProblemKind};

use crate::Tracker;
use crate::problems::{self, NO_TASKS, Problems, amount, computable_priority};
use crate::values::{
    Access, AccessMode, Block, BlockHome, BlockId, GraphError, MAX_TASKS, MOST_URGENT, NewTask, Submit,
    TaskGraph, TaskGraphBuilder, TaskId, TreeTask,
};

#[cfg(test)]
mod tests;

/// The graph of the text of a `blocks.csv` and a `tasks.csv`.
///
/// # Errors
/// Problems with their places: file 0 is `blocks`, file 1 is `tasks`. If there are many, the first ones.
pub fn read(name: &str, blocks: &str, tasks: &str) -> Result<TaskGraph, Vec<Problem>> {
    read_on(name, blocks, tasks, None)
}

/// The same, for a machine with this number of cores on each of its nodes: affinities must be nodes with cores, hints must be existing
/// nodes.
///
/// # Errors
/// As [`read`].
pub fn read_on(
    name: &str,
    blocks: &str,
    tasks: &str,
    cores: Option<&[u32]>,
) -> Result<TaskGraph, Vec<Problem>> {
    let mut graph = TaskGraphBuilder::new(name);
    let mut problems = Problems::default();
    let of_blocks = read_blocks(blocks, cores.map(<[u32]>::len), &mut graph, &mut problems);
    read_tasks(tasks, (of_blocks.all_read, cores), &mut graph, &mut problems);
    if problems.is_empty() {
        add_creators(blocks, &of_blocks, &mut graph, &mut problems);
    }
    let graph = graph.finish();
    if problems.is_empty() && graph.task_count() == 0 {
        problems.add(Problem::new(ProblemKind::EmptyFile, NO_TASKS).at(Place::whole(1), ""));
    }
    if let (true, Some((task, error))) = (problems.is_empty(), graph.misplaced()) {
        report_misplaced(tasks, task, error, &mut problems);
    }
    problems.none(graph)
}

// Rows, and cells by the names of their columns.

/// The columns of a file.
struct Columns {
    /// Their names, in the order in which they are written.
    names: &'static [&'static str],
    /// Required columns.
    required: &'static [&'static str],
}

/// One row.
struct Row<'r> {
    cells: csv::Row<'r>,
    file: usize,
    /// Number of the row, from 0.
    number: usize,
}

/// Reads all rows of a file; `each` is called for those that have as many cells as the header. Stops when no further problem would be
/// listed.
///
/// Returns whether every row was read. If not, missing items are no mistakes of the file.
fn read_rows(
    (file, text): (usize, &str),
    known: &Columns,
    problems: &mut Problems,
    mut each: impl FnMut(&Row<'_>, &mut Problems),
) -> bool {
    let columns_are = || format!("the columns are {}", known.names.join(","));
    let Some(mut rows) = problems.take(csv::Rows::exact(file, text).map_err(|why| why.hint(columns_are())))
    else {
        return false;
    };
    let unknown = rows.headers().iter().enumerate().filter(|(_, name)| !known.names.contains(&name.as_str()));
    let unknown = unknown.map(|(at, name)| {
        rows.header_problem(at, format!("there is no column `{}`", shown(name))).hint(columns_are())
    });
    let missing = known.required.iter().filter(|name| rows.column(name).is_none());
    let missing = missing.map(|name| rows.header_lacks(format!("there is no column `{name}`")));
    let of_header: Vec<Problem> = unknown.chain(rows.repeated()).chain(missing).collect();
    if !of_header.is_empty() {
        for problem in of_header {
            problems.add(problem);
        }
        return false;
    }
    let mut number = 0;
    while let Some(cells) = rows.next() {
        match cells {
            Ok(cells) if number == MAX_TASKS => {
                let message =
                    format!("this file has more than {MAX_TASKS} rows, which is the most that is read");
                problems.add(cells.problem(0, ProblemKind::Limit, message));
                return false;
            }
            Ok(cells) => each(&Row { cells, file, number }, problems),
            Err(problem) => problems.add(problem),
        }
        if problems.is_full() {
            return false;
        }
        number += 1;
    }
    true
}

/// A problem of the row with a number. It reads all rows again.
fn problem_of(
    file: (usize, &str),
    known: &Columns,
    number: u32,
    problems: &mut Problems,
    problem: impl Fn(&Row<'_>) -> Problem,
) {
    read_rows(file, known, &mut Problems::default(), |row, _| {
        if row.number == number as usize {
            problems.add(problem(row));
        }
    });
}

impl<'r> Row<'r> {
    /// The text of a cell; empty for a column that the file does not have.
    fn text(&self, name: &str) -> &'r str {
        self.cells.text(self.cells.column(name))
    }

    /// A problem with a cell.
    fn problem(&self, name: &str, kind: ProblemKind, message: impl Into<String>) -> Problem {
        self.cells.problem(self.column(name), kind, message)
    }

    /// A problem with a part of a cell; the place is exact if nothing in the cell is quoted.
    fn problem_in(
        &self,
        name: &str,
        part: Range<usize>,
        kind: ProblemKind,
        message: impl Into<String>,
    ) -> Problem {
        let whole = self.cells.place(self.column(name)).span.unwrap_or_default();
        let plain = whole.len() == self.text(name).len();
        let span = if plain { whole.start + part.start..whole.start + part.end } else { whole };
        problems::at(kind, self.file, span, message)
    }

    /// Reads the identifier, which is the number of the row.
    fn id(&self, what: &str) -> Result<(), Problem> {
        let text = self.text("id");
        if text.parse() == Ok(self.number) {
            return Ok(());
        }
        let message = format!("`id` is '{}' where {} is expected", shown(text), self.number);
        let hint = format!("{what} have the numbers 0, 1, 2 ... in the order of the rows");
        Err(self.problem("id", ProblemKind::BadValue, message).hint(hint))
    }

    /// A finite number, zero or more.
    fn amount(&self, name: &str, what: &str) -> Result<f64, Problem> {
        amount(self.text(name)).map_err(|why| {
            let message = format!("`{name}` is {why}");
            self.problem(name, ProblemKind::BadValue, message).hint(format!("write {what}"))
        })
    }

    /// The number of a node; `also` describes the other allowed content of the cell.
    fn node(&self, name: &str, also: &str) -> Result<usize, Problem> {
        let text = self.text(name);
        text.parse().ok().filter(|&node| node < MAX_NODES).ok_or_else(|| {
            let message = format!("`{name}` is '{}', not a node", shown(text));
            let hint = format!("write the number of a node, below {MAX_NODES}, {also}");
            self.problem(name, ProblemKind::BadValue, message).hint(hint)
        })
    }

    /// The machine has only `nodes` nodes and not this one.
    fn no_such_node(&self, name: &str, nodes: usize) -> Problem {
        let message = format!("`{name}` is {}, but the machine has {nodes} nodes", shown(self.text(name)));
        let hint = format!("write a number from 0 to {}, or nothing", nodes.saturating_sub(1));
        self.problem(name, ProblemKind::BadValue, message).hint(hint)
    }

    /// A whole number from 0, or an empty cell.
    fn number(&self, name: &str, what: &str) -> Result<Option<u32>, Problem> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(None);
        }
        let number = text.parse().ok().filter(|&number| number as usize <= MAX_TASKS);
        number.map(Some).ok_or_else(|| {
            let message = format!("`{name}` is '{}'", shown(text));
            self.problem(name, ProblemKind::BadValue, message).hint(format!("write {what}, or nothing"))
        })
    }

    /// 1 for yes, empty for no.
    fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.text(name) {
            "" => Ok(false),
            "1" => Ok(true),
            other => {
                let message = format!("`{name}` is '{}'", shown(other));
                Err(self.problem(name, ProblemKind::BadValue, message).hint("write 1, or nothing"))
            }
        }
    }

    /// Text for people: it contains no hidden characters.
    fn word(&self, name: &str) -> Result<&'r str, Problem> {
        self.cells.column(name).map_or(Ok(""), |column| self.cells.name(column))
    }

    fn column(&self, name: &str) -> usize {
        self.cells.column(name).unwrap_or(0)
    }
}

// `blocks.csv`.

/// The word for a home on every node.
const INTERLEAVE: &str = "interleave";

/// The columns; the last ones are of tree programs.
const BLOCK_COLUMNS: Columns =
    Columns { names: &["id", "bytes", "home", "name", "created_by", "hint"], required: &["id", "bytes"] };
/// Number of columns without those of tree programs.
const PLAIN_BLOCK: usize = 4;

/// The blocks that were read.
struct BlocksReading {
    /// Whether none of them is missing.
    all_read: bool,
    /// Blocks with the tasks that create them, which come later.
    creators: Vec<(BlockId, TaskId)>,
}

/// Reads all blocks, for a machine with this number of nodes, if that is known.
fn read_blocks(
    text: &str,
    nodes: Option<usize>,
    graph: &mut TaskGraphBuilder,
    problems: &mut Problems,
) -> BlocksReading {
    let (mut all, mut creators) = (true, Vec::new());
    let no_row_missing = read_rows((0, text), &BLOCK_COLUMNS, problems, |row, problems| {
        let id = problems.take(row.id("blocks"));
        let bytes = problems.take(row.amount("bytes", "a number of bytes, such as 1e6"));
        let home = problems.take(home(row));
        let name = problems.take(row.word("name"));
        let creator = problems.take(row.number("created_by", "the number of a task"));
        let hint = problems.take(hint(row, nodes));
        let added = match (id, bytes, home, name) {
            (Some(()), Some(bytes), Some(home), Some(name)) => {
                let name = Some(name).filter(|name| !name.is_empty());
                let added = graph.block(Block { bytes, home }, name);
                let added = added.and_then(|block| match hint.flatten() {
                    Some(node) => graph.block_hint(block, node).map(|()| block),
                    None => Ok(block),
                });
                added
                    .map_err(|error| problems.add(row.problem("id", ProblemKind::Limit, error.to_string())))
                    .ok()
            }
            _ => None,
        };
        creators.extend(added.zip(creator.flatten().map(TaskId)));
        all &= added.is_some();
    });
    BlocksReading { all_read: no_row_missing && all, creators }
}

/// Sets the tasks that create blocks in the graph, after all tasks were added.
fn add_creators(text: &str, blocks: &BlocksReading, graph: &mut TaskGraphBuilder, problems: &mut Problems) {
    for &(block, creator) in &blocks.creators {
        if graph.block_created_by(block, creator).is_err() {
            let message = format!("there is no task {}", creator.0);
            problem_of((0, text), &BLOCK_COLUMNS, block.0, problems, |row| {
                row.problem("created_by", ProblemKind::UnknownName, &message)
            });
        }
        if problems.is_full() {
            return;
        }
    }
}

fn hint(row: &Row<'_>, nodes: Option<usize>) -> Result<Option<NodeId>, Problem> {
    if row.text("hint").is_empty() {
        return Ok(None);
    }
    let node = row.node("hint", "or nothing")?;
    match nodes {
        Some(nodes) if node >= nodes => Err(row.no_such_node("hint", nodes)),
        _ => Ok(Some(NodeId(node))),
    }
}

fn home(row: &Row<'_>) -> Result<BlockHome, Problem> {
    match row.text("home") {
        "" => Ok(BlockHome::Open),
        INTERLEAVE => Ok(BlockHome::Interleaved),
        _ => Ok(BlockHome::Node(NodeId(row.node("home", "`interleave`, or nothing")?))),
    }
}

// `tasks.csv`.

/// The columns; the last ones are of tree programs.
const TASK_COLUMNS: Columns = Columns {
    names: &[
        "id",
        "type",
        "gflop",
        "accesses",
        "socket",
        "taskwait",
        "name",
        "created_by",
        "seq",
        "affinity",
        "submit",
        "returns",
        "replay",
        PRIORITY,
    ],
    required: &["id", "gflop", "accesses"],
};
/// Number of columns without those of tree programs.
const PLAIN_TASK: usize = 7;
/// The last column, written if some task has a priority.
const PRIORITY: &str = "priority";

/// Reads all tasks, for a machine with this number of cores on each node, if that is known. Accesses are checked only if all blocks are
/// known.
fn read_tasks(
    text: &str,
    (blocks_are_known, cores): (bool, Option<&[u32]>),
    graph: &mut TaskGraphBuilder,
    problems: &mut Problems,
) {
    let mut found = Vec::new();
    let mut all_added = true;
    read_rows((1, text), &TASK_COLUMNS, problems, |row, problems| {
        let id = problems.take(row.id("tasks"));
        let kind = problems.take(row.word("type"));
        let gflop = problems.take(row.amount("gflop", "the work in 10^9 FLOP, such as 0.5"));
        let socket = problems.take(socket(row));
        let taskwait = problems.take(row.flag("taskwait"));
        let tree = read_tree(row, cores, problems);
        let priority = problems.take(priority(row));
        let name = problems.take(row.word("name"));
        let known = blocks_are_known && problems.take(read_accesses(row, graph, &mut found)).is_some();
        // After a mistake the graph will be discarded. It is still built, because it detects further mistakes. Only the numbers of
        // creators are then those of other tasks.
        let plain = (known, id, kind, gflop, socket, taskwait, name);
        if let (
            (true, Some(()), Some(kind), Some(gflop), Some(socket), Some(taskwait), Some(name)),
            Some(tree),
        ) = (plain, tree)
        {
            let kind = graph.kind(kind);
            let name = Some(name).filter(|name| !name.is_empty());
            let task = NewTask { kind, gflop, accesses: &found, socket, taskwait, name };
            let tree = if all_added { tree } else { TreeTask::default() };
            let added =
                graph.tree_task(task, tree).map_err(|error| problems.add(refused(row, &found, error)));
            all_added &= added.is_ok();
            if let (Ok(id), Some(priority)) = (added, priority) {
                graph.prioritise(id, priority);
            }
        } else {
            all_added = false;
        }
    });
}

/// The problem of a row that is no valid task.
fn refused(row: &Row<'_>, accesses: &[Access], error: GraphError) -> Problem {
    let (column, hint) = match error {
        GraphError::BlockTwice(block) => return twice(row, accesses, block),
        GraphError::TaskwaitOfChild(_) => ("taskwait", "leave it empty: only the master waits"),
        GraphError::SeqOfMaster => ("seq", "leave it empty, or write `created_by`"),
        _ => return row.problem("accesses", ProblemKind::Limit, error.to_string()),
    };
    row.problem(column, ProblemKind::BadValue, error.to_string()).hint(hint)
}

fn twice(row: &Row<'_>, accesses: &[Access], block: BlockId) -> Problem {
    let again = accesses.iter().rposition(|access| access.block == block).unwrap_or(0);
    let part = item(row.text("accesses"), again);
    row.problem_in("accesses", part, ProblemKind::BadValue, GraphError::BlockTwice(block).to_string())
}

/// Reports the first task whose place among those of its creator is wrong.
fn report_misplaced(text: &str, task: TaskId, error: GraphError, problems: &mut Problems) {
    let hint = "give all tasks of a creator a `seq`, which is then 0, 1, 2 ..., or none";
    problem_of((1, text), &TASK_COLUMNS, task.0, problems, |row| {
        row.problem("seq", ProblemKind::Conflict, error.to_string()).hint(hint)
    });
}

fn read_accesses(row: &Row<'_>, graph: &TaskGraphBuilder, found: &mut Vec<Access>) -> Result<(), Problem> {
    read_cell(row.text("accesses"), graph.graph().blocks(), found)
        .map_err(|(part, why)| row.problem_in("accesses", part, ProblemKind::BadValue, why))
}

fn priority(row: &Row<'_>) -> Result<f64, Problem> {
    let text = row.text(PRIORITY);
    if text.is_empty() {
        return Ok(0.0);
    }
    computable_priority(text).map_err(|why| {
        let message = format!("`{PRIORITY}` is {why}");
        let hint = format!("write a number from {} to {MOST_URGENT}, or nothing", -MOST_URGENT);
        row.problem(PRIORITY, ProblemKind::BadValue, message).hint(hint)
    })
}

fn socket(row: &Row<'_>) -> Result<Option<NodeId>, Problem> {
    if row.text("socket").is_empty() {
        return Ok(None);
    }
    row.node("socket", "or nothing").map(|node| Some(NodeId(node)))
}

// The cell `accesses`: `MODE:BLOCK[:DECLARED[:MOVED]]` joined by `;`.

/// A problem, and the bytes of the cell that it concerns.
type Wrong = (Range<usize>, String);

/// Reads a cell into `into`.
///
/// # Errors
/// The first problem.
fn read_cell(cell: &str, blocks: &[Block], into: &mut Vec<Access>) -> Result<(), Wrong> {
    into.clear();
    let mut start = 0;
    if cell.is_empty() {
        return Ok(());
    }
    for item in cell.split(';') {
        let end = start + item.len();
        into.push(access(item, blocks).map_err(|(part, why)| (start + part.start..start + part.end, why))?);
        start = end + 1;
    }
    Ok(())
}

/// The bytes of one access of a cell.
fn item(cell: &str, number: usize) -> Range<usize> {
    let start: usize = cell.split(';').take(number).map(|item| item.len() + 1).sum();
    start..start + cell.split(';').nth(number).map_or(0, str::len)
}

fn access(item: &str, blocks: &[Block]) -> Result<Access, Wrong> {
    let parts: Vec<&str> = item.splitn(5, ':').collect();
    let part = |number: usize| {
        let start: usize = parts.iter().take(number).map(|part| part.len() + 1).sum();
        start..start + parts.get(number).map_or(0, |part| part.len())
    };
    let (mode, block, sizes) = match parts.as_slice() {
        [mode, block, sizes @ ..] if sizes.len() <= 2 => (*mode, *block, sizes),
        _ => {
            let why = format!(
                "'{}' is no access: write MODE:BLOCK, MODE:BLOCK:DECLARED or MODE:BLOCK:DECLARED:MOVED",
                shown(item)
            );
            return Err((0..item.len(), why));
        }
    };
    let mode = AccessMode::from_word(mode);
    let mode = mode.ok_or_else(|| {
        (
            part(0),
            format!(
                "'{}' is no way to access a block: write in, inout or out",
                shown(parts.first().unwrap_or(&""))
            ),
        )
    })?;
    let id = block.parse::<u32>().ok();
    let known = id.and_then(|id| blocks.get(id as usize));
    let (Some(id), Some(known)) = (id, known) else {
        return Err((part(1), format!("there is no block '{}'", shown(block))));
    };
    let size = |number: usize, otherwise: f64| match sizes.get(number) {
        None => Ok(otherwise),
        Some(text) => amount(text).map_err(|why| (part(2 + number), format!("the number of bytes is {why}"))),
    };
    let declared_bytes = size(0, known.bytes)?;
    let moved_bytes = size(1, declared_bytes)?;
    Ok(Access { block: BlockId(id), mode, declared_bytes, moved_bytes })
}

/// Writes accesses in their shortest form.
fn write_cell(accesses: impl Iterator<Item = Access>, blocks: &[Block], cell: &mut String) -> fmt::Result {
    for (number, access) in accesses.enumerate() {
        let Access { block, mode, declared_bytes, moved_bytes } = access;
        let separator = if number > 0 { ";" } else { "" };
        write!(cell, "{separator}{}:{}", mode.as_str(), block.0)?;
        let is_whole = blocks.get(block.0 as usize).is_some_and(|block| block.bytes == declared_bytes);
        if !is_whole || moved_bytes != declared_bytes {
            write!(cell, ":{}", declared_bytes + 0.0)?;
        }
        if moved_bytes != declared_bytes {
            write!(cell, ":{}", moved_bytes + 0.0)?;
        }
    }
    Ok(())
}

// The columns of `tasks.csv` for tree programs.

/// The tree attributes of the row, for a machine with this number of cores on each node, if that is known; `None` if some of them are
/// invalid.
fn read_tree<'r>(row: &'r Row<'_>, cores: Option<&[u32]>, problems: &mut Problems) -> Option<TreeTask<'r>> {
    let created_by = problems.take(creator(row));
    let seq = problems.take(row.number("seq", "0, 1, 2 ..., the place among the tasks of its creator"));
    let affinity = problems.take(affinity(row, cores));
    let submit = problems.take(submit(row));
    let returns = problems.take(row.flag("returns"));
    let replay = problems.take(row.word("replay"));
    Some(TreeTask {
        created_by: created_by?,
        seq: seq?,
        affinity: affinity?,
        submit: submit?,
        returns: returns?,
        replay: replay.map(|key| Some(key).filter(|key| !key.is_empty()))?,
    })
}

fn creator(row: &Row<'_>) -> Result<Option<TaskId>, Problem> {
    let Some(creator) = row.number("created_by", "the number of an earlier task")? else { return Ok(None) };
    if (creator as usize) < row.number {
        return Ok(Some(TaskId(creator)));
    }
    let error = GraphError::CreatorNotEarlier(TaskId(creator));
    let hint = "write the number of a task above this one";
    Err(row.problem("created_by", ProblemKind::BadValue, error.to_string()).hint(hint))
}

fn affinity(row: &Row<'_>, cores: Option<&[u32]>) -> Result<Option<NodeId>, Problem> {
    if row.text("affinity").is_empty() {
        return Ok(None);
    }
    let node = row.node("affinity", "or nothing")?;
    let Some(cores) = cores else { return Ok(Some(NodeId(node))) };
    match cores.get(node) {
        None => Err(row.no_such_node("affinity", cores.len())),
        Some(0) => {
            let message = format!("`affinity` is node {node}, which has no cores");
            let hint = "write a node that can run the task, or nothing";
            Err(row.problem("affinity", ProblemKind::BadValue, message).hint(hint))
        }
        Some(_) => Ok(Some(NodeId(node))),
    }
}

fn submit(row: &Row<'_>) -> Result<Submit, Problem> {
    let text = row.text("submit");
    if text.is_empty() {
        return Ok(Submit::default());
    }
    Submit::from_word(text).ok_or_else(|| {
        let message = format!("`submit` is '{}'", shown(text));
        let hint = "write spawn, enqueue or detach, or nothing";
        row.problem("submit", ProblemKind::BadValue, message).hint(hint)
    })
}

// Writes a graph, a few rows at a time, so that a large one needs no memory for its text.

/// Rows that are buffered before they are passed on.
const KEPT: usize = 1024;

/// Rows of a file that are being written.
struct Rows<'w, W> {
    out: &'w mut W,
    kept: ::csv::Writer<Vec<u8>>,
    count: usize,
}

impl<'w, W: fmt::Write> Rows<'w, W> {
    fn new(out: &'w mut W) -> Self {
        Self { out, kept: ::csv::Writer::from_writer(Vec::new()), count: 0 }
    }

    fn row<const N: usize>(&mut self, cells: [&str; N]) -> fmt::Result {
        self.cells(cells.into_iter())
    }

    fn cells<'c>(&mut self, cells: impl Iterator<Item = &'c str>) -> fmt::Result {
        self.kept.write_record(cells).map_err(|_| fmt::Error)?;
        self.count += 1;
        if self.count == KEPT { self.hand_on() } else { Ok(()) }
    }

    fn hand_on(&mut self) -> fmt::Result {
        self.count = 0;
        let full = std::mem::replace(&mut self.kept, ::csv::Writer::from_writer(Vec::new()));
        let text = full.into_inner().map_err(|_| fmt::Error)?;
        self.out.write_str(&String::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}

/// A number in the shortest form that reads back to the same value; adding 0 removes the sign of -0.
fn number(value: f64) -> String {
    (value + 0.0).to_string()
}

/// Writes `blocks.csv`.
///
/// # Errors
/// Errors of `out`.
pub fn write_blocks(graph: &TaskGraph, out: &mut impl fmt::Write) -> fmt::Result {
    let mut rows = Rows::new(out);
    let blocks = || (0..).map(BlockId).take(graph.blocks().len());
    let is_tree = blocks().any(|block| graph.hint(block).is_some() || graph.block_creator(block).is_some());
    let width = if is_tree { usize::MAX } else { PLAIN_BLOCK };
    rows.cells(BLOCK_COLUMNS.names.iter().copied().take(width))?;
    for (id, block) in (0..).zip(graph.blocks()) {
        let home = match block.home {
            BlockHome::Open => String::new(),
            BlockHome::Node(node) => node.0.to_string(),
            BlockHome::Interleaved => INTERLEAVE.to_owned(),
        };
        let (number_of_block, id) = (id.to_string(), BlockId(id));
        let name = graph.block_name(id).unwrap_or_default();
        let creator = graph.block_creator(id).map_or(String::new(), |creator| creator.0.to_string());
        let hint = graph.hint(id).map_or(String::new(), |node| node.0.to_string());
        let all = [&number_of_block, &number(block.bytes), &home, name, &creator, &hint];
        rows.cells(all.into_iter().take(width))?;
    }
    rows.hand_on()
}

/// Writes `tasks.csv`.
///
/// # Errors
/// Errors of `out`.
pub fn write_tasks(graph: &TaskGraph, out: &mut impl fmt::Write) -> fmt::Result {
    let mut rows = Rows::new(out);
    let is_tree = graph.tasks().any(|task| says_tree(graph, task));
    let has_priorities = graph.tasks().any(|task| graph.priority(task) != 0.0);
    let is_written = |(number, name): &(usize, &&str)| match **name {
        PRIORITY => has_priorities,
        _ => is_tree || *number < PLAIN_TASK,
    };
    let names = TASK_COLUMNS.names.iter().enumerate().filter(is_written);
    rows.cells(names.map(|(_, name)| *name))?;
    let mut cell = String::new();
    for task in graph.tasks() {
        cell.clear();
        write_cell(graph.accesses(task), graph.blocks(), &mut cell)?;
        let socket = graph.socket(task).map_or(String::new(), |node| node.0.to_string());
        let taskwait = if graph.taskwait(task) { "1" } else { "" };
        let name = graph.task_name(task).unwrap_or_default();
        let (id, gflop) = (task.0.to_string(), number(graph.gflop(task)));
        let plain = [&id, graph.type_name(task), &gflop, &cell, &socket, taskwait, name];
        let priority = has_priorities.then(|| match graph.priority(task) {
            0.0 => String::new(),
            other => number(other),
        });
        if !is_tree {
            rows.cells(plain.into_iter().chain(priority.as_deref()))?;
            continue;
        }
        let creator = graph.created_by(task).map_or(String::new(), |creator| creator.0.to_string());
        let seq = graph.seq(task).filter(|_| graph.gives_seq(task));
        let seq = seq.map_or(String::new(), |seq| seq.to_string());
        let affinity = graph.affinity(task).map_or(String::new(), |node| node.0.to_string());
        let submit = graph.submit(task);
        let submit = if submit == Submit::default() { "" } else { submit.as_str() };
        let returns = if graph.returns(task) { "1" } else { "" };
        let replay = graph.replay(task).and_then(|key| graph.replays().get(key.0 as usize));
        let replay = replay.map_or("", |key| &**key);
        let tree: [&str; 6] = [&creator, &seq, &affinity, submit, returns, replay];
        rows.cells(plain.into_iter().chain(tree).chain(priority.as_deref()))?;
    }
    rows.hand_on()
}

/// Whether a task has any attribute of tree programs.
fn says_tree(graph: &TaskGraph, task: TaskId) -> bool {
    graph.created_by(task).is_some()
        || graph.affinity(task).is_some()
        || graph.submit(task) != Submit::default()
        || graph.returns(task)
        || graph.replay(task).is_some()
}

/// Writes `edges.csv`: by the later task, then by the earlier one.
///
/// # Errors
/// Errors of `out`.
pub fn write_edges(graph: &TaskGraph, out: &mut impl fmt::Write) -> fmt::Result {
    let mut rows = Rows::new(out);
    rows.row(["from", "to", "kind", "bytes"])?;
    let mut tracker = Tracker::new(graph.blocks().len());
    for task in graph.tasks() {
        for edge in tracker.add(graph, task) {
            let (from, to) = (edge.from.0.to_string(), edge.to.0.to_string());
            rows.row([&from, &to, edge.kind.as_str(), &number(edge.bytes)])?;
        }
    }
    rows.hand_on()
}
