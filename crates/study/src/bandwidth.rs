//! Reads the bandwidths of `[machine]`: of controllers and links, flat or as a matrix, of sockets, and of shared links.

use std::collections::HashMap;

use numasim_model::ids::NodeId;
use numasim_model::machine::SharedLink;
use numasim_model::units::GigabytesPerSecond;

use super::keys::{machine, shared_link};
use super::names::{plural, shown};
use super::nodes::node_list;
use super::problem::{Place, Problem, ProblemKind};
use super::table::TableReader;
use super::value::{Quantity, Value};

/// Bandwidths in GB/s.
pub(super) struct Bandwidth {
    /// Bandwidth of each memory controller.
    pub(super) controllers: Vec<f64>,
    /// Row by row: row = node of the core, column = node of the memory. The diagonal is unused.
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
    // The number of nodes that `link_gbs` joins: those of the machine, or of each socket.
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

/// The syntax of a matrix; explains the row of a memory-only node if the machine has one.
fn matrix_hint(cores: Option<&[u32]>) -> String {
    let memory_only = cores.and_then(|cores| cores.iter().position(|&cores| cores == 0));
    memory_only
        .map_or_else(|| MATRIX_HINT.to_owned(), |node| format!("{MATRIX_HINT}; {}", memory_only_row(node)))
}

/// A node without cores reads no memory, but its memory is read.
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
            // A node without cores reads no memory; the values of its row are unused.
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

/// The nodes of sockets.
#[derive(Clone, Copy)]
pub(super) struct Sockets {
    /// Number of sockets.
    pub(super) count: usize,
    /// Number of nodes on each socket.
    pub(super) nodes_each: usize,
    /// GB/s between each ordered pair of nodes on different sockets; `None` on one socket.
    pub(super) link: Option<f64>,
    /// Bandwidth between two sockets for all nodes of one socket together, GB/s.
    shared: Option<f64>,
}

/// The sockets of a machine file.
pub(super) enum SocketsReading {
    /// No sockets.
    Absent,
    /// Invalid values, which were reported.
    Broken,
    /// Valid sockets.
    Read(Sockets),
}

impl Sockets {
    /// Whether two nodes are on the same socket.
    pub(super) const fn together(&self, a: usize, b: usize) -> bool {
        a / self.nodes_each == b / self.nodes_each
    }

    /// A shared link for each pair of sockets.
    pub(super) fn shared_links(&self) -> Vec<SharedLink> {
        let Some(shared) = self.shared else { return Vec::new() };
        let nodes = |socket: usize| (socket * self.nodes_each..(socket + 1) * self.nodes_each).map(NodeId);
        let pairs = (0..self.count).flat_map(|a| (a + 1..self.count).map(move |b| (a, b)));
        let link = |(a, b)| SharedLink {
            name: format!("socket {a} - socket {b}"),
            bandwidth: GigabytesPerSecond::new(shared),
            from: nodes(a).collect(),
            to: nodes(b).collect(),
            both_ways: true,
        };
        pairs.map(link).collect()
    }
}

/// `nodes` is the number of nodes, if known.
pub(super) fn read_sockets(table: &mut TableReader<'_>, nodes: Option<usize>) -> SocketsReading {
    let log = table.source.log;
    let matrix = table.place_of(&machine::BANDWIDTH_MATRIX_GBS);
    let sockets = table.optional(&machine::SOCKETS);
    let link = table.optional(&machine::SOCKET_LINK_GBS);
    let shared = table.optional(&machine::SHARED_LINK_GBS);
    let link_gbs = link.as_ref().map(Value::number);
    let shared_gbs = shared.as_ref().map(Value::number);
    let Some(first) = sockets.as_ref().or(link.as_ref()).or(shared.as_ref()) else {
        return SocketsReading::Absent;
    };
    if let Some(matrix) = matrix {
        let problem = Problem::new(ProblemKind::Conflict, "the bandwidths are given in two ways")
            .at(first.key_place(), format!("`{}` stands for a matrix", first.name))
            .related(matrix, "the matrix gives each pair of nodes")
            .hint("keep the matrix, and write `[[machine.shared_link]]` for what a pair of sockets shares; or keep `sockets`, with `bandwidth_gbs`, `link_gbs` and `socket_link_gbs`");
        log.report(problem);
        return SocketsReading::Broken;
    }
    let Some(sockets) = sockets else {
        let message = format!("`{}` says nothing without `sockets`", first.name);
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .at(first.key_place(), "between which sockets?")
            .hint("add the number of sockets, e.g. `sockets = 2`; nodes are numbered socket by socket");
        table.missing_any(&[&machine::SOCKETS], problem);
        return SocketsReading::Broken;
    };
    let (Some(count), Some(nodes)) = (sockets.count().map(|count| count as usize), nodes) else {
        return SocketsReading::Broken;
    };
    if !nodes.is_multiple_of(count) {
        let (on, nodes) = (plural(count, "socket"), plural(nodes, "node"));
        let message = format!("`sockets` is {count}, but {nodes} cannot be divided evenly among {on}");
        let hint = "each socket has the same number of nodes; for others write `bandwidth_matrix_gbs` and `[[machine.shared_link]]`";
        sockets.report(ProblemKind::BadValue, message, "does not divide the nodes", hint);
        return SocketsReading::Broken;
    }
    if let (1, Some(value)) = (count, link.as_ref().or(shared.as_ref())) {
        let problem = Problem::new(ProblemKind::Conflict, format!("`{}` needs two sockets", value.name))
            .at(value.key_place(), "to which other socket?")
            .related(sockets.place(), "there is one only")
            .hint("leave it out, or write `sockets = 2`");
        log.report(problem);
        return SocketsReading::Broken;
    }
    if count > 1 && link.is_none() {
        let message = format!("`socket_link_gbs` is missing; a machine with {count} sockets needs it");
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .at(sockets.place(), "sockets need a link between their nodes")
            .hint("add the bandwidth between two nodes on different sockets in GB/s, e.g. `socket_link_gbs = 10.0`");
        table.missing_any(&[&machine::SOCKET_LINK_GBS], problem);
        return SocketsReading::Broken;
    }
    match (link_gbs, shared_gbs) {
        (Some(None), _) | (_, Some(None)) => SocketsReading::Broken,
        (link, shared) => SocketsReading::Read(Sockets {
            count,
            nodes_each: nodes / count,
            link: link.flatten(),
            shared: shared.flatten(),
        }),
    }
}

/// Maximum number of shared links of a machine: more than the pairs of 64 sockets.
const MAX_SHARED_LINKS: usize = 4096;

const BETWEEN: &str = "write two groups of nodes, e.g. `between = [[0, 1], [2, 3]]`";

/// The links of the file; `None` if any of them is invalid.
pub(super) fn read_shared_links(
    table: &mut TableReader<'_>,
    nodes: Option<usize>,
) -> Option<Vec<SharedLink>> {
    let Some(list) = table.optional(&machine::SHARED_LINK) else { return Some(Vec::new()) };
    let hint = "write `[[machine.shared_link]]`, with two brackets on each side, above each of them";
    let entries = list.list("a list of shared links", hint)?;
    if entries.len() > MAX_SHARED_LINKS {
        let message =
            format!("the machine has {} shared links; at most {MAX_SHARED_LINKS} are read", entries.len());
        let problem = Problem::new(ProblemKind::Limit, message).at(list.key_place(), "the shared links");
        list.source.log.report(problem.hint("let one shared link stand for several that are alike"));
        return None;
    }
    let mut names = HashMap::new();
    let links: Vec<Option<SharedLink>> =
        entries.iter().map(|entry| read_link(entry, nodes, &mut names)).collect();
    links.into_iter().collect()
}

fn read_link(
    entry: &Value<'_>,
    nodes: Option<usize>,
    names: &mut HashMap<String, Place>,
) -> Option<SharedLink> {
    let hint = "write a table, e.g. `{ name = \"xGMI\", gbs = 60.0, between = [[0, 1], [2, 3]] }`";
    let mut table = entry.table(&shared_link::TABLE, "a table", hint)?;
    let name_value = table.required(&shared_link::NAME);
    let mut name = name_value.as_ref().and_then(Value::name);
    if let (Some(value), Some(own)) = (&name_value, name) {
        if let Some(first) = names.get(own) {
            let message = format!("two shared links are named `{}`", shown(own));
            let problem = Problem::new(ProblemKind::DuplicateName, message)
                .at(value.place(), "named again here")
                .related(first.clone(), "first named here")
                .hint("give each shared link its own name");
            table.source.log.report(problem);
            name = None;
        } else {
            names.insert(own.to_owned(), value.place());
        }
    }
    let gbs = table.required(&shared_link::GBS).and_then(|value| value.number());
    let groups = read_groups(&mut table, nodes);
    table.finish();
    let (from, to, both_ways) = groups?;
    Some(SharedLink { name: name?.to_owned(), bandwidth: GigabytesPerSecond::new(gbs?), from, to, both_ways })
}

type Groups = (Vec<NodeId>, Vec<NodeId>, bool);

fn read_groups(table: &mut TableReader<'_>, nodes: Option<usize>) -> Option<Groups> {
    let between = table.optional(&shared_link::BETWEEN);
    let (from, to) = (table.optional(&shared_link::FROM), table.optional(&shared_link::TO));
    match (&between, from.as_ref().or(to.as_ref())) {
        (Some(between), Some(one_way)) => {
            let message = "the shared link says in two ways which nodes it joins";
            let problem = Problem::new(ProblemKind::Conflict, message)
                .at(one_way.key_place(), "one direction")
                .related(between.key_place(), "both directions")
                .hint("keep `between`, or `from` and `to` for a link that carries one direction only");
            table.source.log.report(problem);
            None
        }
        (Some(between), None) => {
            let (from, to) = read_between(between, nodes)?;
            Some((from, to, true))
        }
        (None, Some(_)) => {
            for (key, value) in [(&shared_link::FROM, &from), (&shared_link::TO, &to)] {
                if value.is_none() {
                    table.missing(key);
                }
            }
            let read = |value: Option<&Value<'_>>| value.map(|value| node_list(value, nodes));
            let (from_nodes, to_nodes) = (read(from.as_ref()), read(to.as_ref()));
            let (from_nodes, to_nodes) = (from_nodes??, to_nodes??);
            do_not_overlap(&from_nodes, &to_nodes, to.as_ref()?, from.as_ref()?)?;
            Some((from_nodes, to_nodes, false))
        }
        (None, None) => {
            let problem =
                Problem::new(ProblemKind::MissingKey, "the shared link does not say which nodes it joins")
                    .at(table.place(), "this table needs `between`")
                    .hint(format!("{BETWEEN}, or `from` and `to` for one direction only"));
            table.missing_any(&[&shared_link::BETWEEN, &shared_link::FROM, &shared_link::TO], problem);
            None
        }
    }
}

fn read_between(value: &Value<'_>, nodes: Option<usize>) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
    let groups = value.list("two groups of nodes", BETWEEN)?;
    let [first, second] = groups.as_slice() else {
        let found = plural(groups.len(), "group");
        let message = format!("`between` has {found}, but a shared link joins two groups");
        let hint =
            "write exactly two groups; links between three sockets are three shared links, one for each pair";
        value.report(ProblemKind::WrongLength, message, &found, hint);
        return None;
    };
    let (a, b) = (node_list(first, nodes), node_list(second, nodes));
    let (a, b) = (a?, b?);
    do_not_overlap(&a, &b, second, first)?;
    Some((a, b))
}

/// Returns `None` and reports a node that is in both groups. `here` is the place of `b`, `there` that of `a`.
fn do_not_overlap(a: &[NodeId], b: &[NodeId], here: &Value<'_>, there: &Value<'_>) -> Option<()> {
    let Some(node) = b.iter().find(|node| a.contains(node)) else { return Some(()) };
    let problem = Problem::new(ProblemKind::BadValue, format!("{node} is in both groups of the shared link"))
        .at(here.place(), "here")
        .related(there.place(), "and here")
        .hint("what a node reads from itself goes over no link: name each node in one group");
    here.source.log.report(problem);
    None
}
