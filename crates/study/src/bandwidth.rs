//! Reads the bandwidths of a machine: one figure for all controllers and one for all links, or a full matrix.

use numasim_model::ids::NodeId;

use super::keys::machine;
use super::names::plural;
use super::problem::{Problem, ProblemKind};
use super::sockets::SocketsReading;
use super::table::TableReader;
use super::value::{Quantity, Value};

/// Bandwidths in GB/s.
pub(super) struct Bandwidth {
    /// Of each memory controller.
    pub(super) controllers: Vec<f64>,
    /// Row by row: row = node of the core, column = node of the memory. The diagonal is not used.
    pub(super) links: Vec<f64>,
}

pub(super) fn read(
    table: &mut TableReader<'_>,
    count: Option<usize>,
    cores: Option<&[u32]>,
    without_memory: &[NodeId],
    sockets: &SocketsReading,
) -> Option<Bandwidth> {
    let controller = table.optional(&machine::BANDWIDTH_GBS);
    let link = table.optional(&machine::LINK_GBS);
    let matrix = table.optional(&machine::BANDWIDTH_MATRIX_GBS);
    let log = table.source.log;
    match (controller.as_ref().or(link.as_ref()), &matrix) {
        (None, None) => {
            let hint = "give `bandwidth_gbs` and `link_gbs`, or `bandwidth_matrix_gbs`";
            let problem = Problem::new(ProblemKind::MissingKey, "the bandwidths of the machine are missing")
                .at(table.place(), "this machine has no bandwidth")
                .hint(hint);
            table.missing_any(
                &[&machine::BANDWIDTH_GBS, &machine::LINK_GBS, &machine::BANDWIDTH_MATRIX_GBS],
                problem,
            );
            None
        }
        (Some(_), None) => read_flat(table, controller.as_ref(), link.as_ref(), count, sockets),
        (None, Some(matrix)) => read_matrix(matrix, count, cores, without_memory),
        (Some(first), Some(matrix)) => {
            let problem = Problem::new(ProblemKind::Conflict, "the bandwidths are given in two ways")
                .at(first.key_place(), format!("`{}` is for all nodes alike", first.name))
                .related(matrix.key_place(), "the matrix gives each pair of nodes")
                .hint("keep either `bandwidth_gbs` and `link_gbs`, or `bandwidth_matrix_gbs`");
            log.report(problem);
            for value in [&controller, &link].into_iter().flatten() {
                value.number();
            }
            read_matrix(matrix, count, cores, without_memory);
            None
        }
    }
}

fn read_flat(
    table: &mut TableReader<'_>,
    controller: Option<&Value<'_>>,
    link: Option<&Value<'_>>,
    count: Option<usize>,
    sockets: &SocketsReading,
) -> Option<Bandwidth> {
    if controller.is_none() {
        table.missing(&machine::BANDWIDTH_GBS);
    }
    // How many nodes `link_gbs` joins: those of the machine, or of each socket.
    let (joined, whose) = match sockets {
        SocketsReading::Absent => (count, "a machine"),
        SocketsReading::Read(sockets) => (Some(sockets.nodes_each), "a socket"),
        SocketsReading::Broken => (None, ""),
    };
    if link.is_none()
        && let Some(nodes) = joined.filter(|&nodes| nodes > 1)
    {
        let message = format!("`link_gbs` is missing; {whose} with {nodes} nodes needs it");
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .at(table.place(), "this table needs `link_gbs`")
            .hint("add the bandwidth between two different nodes in GB/s, e.g. `link_gbs = 10.0`");
        table.missing_any(&[&machine::LINK_GBS], problem);
    }
    let controller = controller.map(Value::number);
    let link = link.map(Value::number);
    let (controller, nodes, joined) = (controller??, count?, joined?);
    let link = match link {
        Some(link) => link?,
        None if joined == 1 => controller,
        None => return None,
    };
    let mut links = vec![link; nodes * nodes];
    if let SocketsReading::Read(sockets) = sockets
        && let Some(other_socket) = sockets.link
    {
        for (pair, link) in links.iter_mut().enumerate() {
            if !sockets.together(pair / nodes, pair % nodes) {
                *link = other_socket;
            }
        }
    }
    Some(Bandwidth { controllers: vec![controller; nodes], links })
}

/// An entry in the column of a node without memory, which is 0.
fn read_without_memory(entry: &Value<'_>, node: usize) -> Option<f64> {
    let value =
        entry.number_of(Quantity { what: "0 (this node has no memory)", example: "0", zero: true })?;
    if value > 0.0 {
        let message = format!("`{}` is a bandwidth of the memory of node {node}, which has none", entry.name);
        let hint =
            format!("write 0 in column {node}, or leave `memory_gib = 0` out if node {node} has memory");
        entry.report(ProblemKind::Conflict, message, "bandwidth of no memory", hint);
        return None;
    }
    Some(value)
}

const MATRIX_HINT: &str = "write one row for each node, e.g. `[[11.0, 5.7], [4.5, 11.3]]`: row = node of the core, column = node of the memory";

/// What to write into a matrix; says what the row of a memory-only node is, if the machine has one.
fn matrix_hint(cores: Option<&[u32]>) -> String {
    let memory_only = cores.and_then(|cores| cores.iter().position(|&cores| cores == 0));
    memory_only
        .map_or_else(|| MATRIX_HINT.to_owned(), |node| format!("{MATRIX_HINT}; {}", memory_only_row(node)))
}

/// A node without cores reads nothing, but its memory is read.
fn memory_only_row(node: usize) -> String {
    format!(
        "node {node} has no cores (memory only, e.g. CXL), but has a row, too: on the diagonal the bandwidth of its memory, elsewhere 0"
    )
}

fn read_matrix(
    matrix: &Value<'_>,
    count: Option<usize>,
    cores: Option<&[u32]>,
    without_memory: &[NodeId],
) -> Option<Bandwidth> {
    let hint = matrix_hint(cores);
    let rows = matrix.list("a matrix", hint.as_str())?;
    let nodes = count.unwrap_or(rows.len());
    let rows_fit = rows.len() == nodes && !rows.is_empty();
    let mut fits = rows_fit;
    if !rows_fit {
        let message = format!(
            "`{}` has {}, but the machine has {}",
            matrix.name,
            plural(rows.len(), "row"),
            plural(nodes, "node")
        );
        let problem = Problem::new(ProblemKind::WrongLength, message)
            .at(matrix.key_place(), plural(rows.len(), "row"))
            .hint(hint.as_str());
        matrix.source.log.report(problem);
    }
    let mut links = Vec::new();
    for (from, row) in rows.iter().enumerate() {
        let Some(entries) = row.list("a row of numbers", hint.as_str()) else {
            fits = false;
            continue;
        };
        if entries.len() != nodes && rows_fit {
            let message = format!(
                "row {from} of `{}` has {}, but the machine has {}",
                matrix.name,
                plural(entries.len(), "entry"),
                plural(nodes, "node")
            );
            let square = format!("the matrix is square: write {} in each row", plural(nodes, "entry"));
            let hint = match cores {
                Some(cores) if cores.get(from) == Some(&0) => format!("{square}; {}", memory_only_row(from)),
                _ => square,
            };
            row.report(ProblemKind::WrongLength, message, &plural(entries.len(), "entry"), hint);
        }
        let shape_fits = entries.len() == nodes;
        for (to, entry) in entries.iter().enumerate() {
            // A node without cores reads nothing; the figures of its row are not used.
            let may_be_zero = from != to && cores.is_none_or(|cores| cores.get(from) == Some(&0));
            let memory_only = cores.is_some_and(|cores| cores.get(from) == Some(&0));
            if !memory_only && without_memory.contains(&NodeId(to)) {
                match read_without_memory(entry, to) {
                    Some(zero) => links.push(zero),
                    None => fits = false,
                }
                continue;
            }
            let what = if from == to && memory_only {
                "the bandwidth of this node's memory in GB/s, which other nodes read: a node without cores (e.g. CXL) has it on the diagonal and 0 elsewhere"
            } else if from == to {
                "the bandwidth of the memory controller of this node in GB/s (0 only for a node without memory, which says `memory_gib = 0`)"
            } else {
                "the bandwidth of this link in GB/s (0 only in the row of a node without cores, e.g. CXL memory, or in the column of a node without memory, which says `memory_gib = 0`)"
            };
            match entry.number_of(Quantity { what, zero: may_be_zero, ..machine::LINK_GBS.quantity() }) {
                Some(value) => links.push(value),
                None => fits = false,
            }
        }
        fits &= shape_fits;
    }
    let complete = fits && count.is_some() && links.len() == nodes * nodes;
    complete.then(|| Bandwidth { controllers: links.iter().step_by(nodes + 1).copied().collect(), links })
}
