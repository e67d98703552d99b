//! Reads the bandwidths of a machine: one figure for all controllers and one for all links, or a full matrix.

use super::names::plural;
use super::problem::{Problem, ProblemKind};
use super::table::TableReader;
use super::value::{BANDWIDTH, Quantity, Value};

const LINK: Quantity = Quantity { what: "the bandwidth of a link in GB/s", example: "10.0", zero: false };

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
) -> Option<Bandwidth> {
    let controller = table.optional("bandwidth_gbs");
    let link = table.optional("link_gbs");
    let matrix = table.optional("bandwidth_matrix_gbs");
    let log = table.source.log;
    match (controller.as_ref().or(link.as_ref()), &matrix) {
        (None, None) => {
            let hint = "give `bandwidth_gbs` and `link_gbs`, or `bandwidth_matrix_gbs`";
            let problem = Problem::new(ProblemKind::MissingKey, "the bandwidths of the machine are missing")
                .at(table.place(), "this machine has no bandwidth")
                .hint(hint);
            table.missing_any(&["bandwidth_gbs", "link_gbs", "bandwidth_matrix_gbs"], problem);
            None
        }
        (Some(_), None) => read_flat(table, controller.as_ref(), link.as_ref(), count),
        (None, Some(matrix)) => read_matrix(matrix, count, cores),
        (Some(first), Some(matrix)) => {
            let problem = Problem::new(ProblemKind::Conflict, "the bandwidths are given in two ways")
                .at(first.key_place(), format!("`{}` is for all nodes alike", first.name))
                .related(matrix.key_place(), "the matrix gives each pair of nodes")
                .hint("keep either `bandwidth_gbs` and `link_gbs`, or `bandwidth_matrix_gbs`");
            log.report(problem);
            for value in [&controller, &link].into_iter().flatten() {
                value.number(BANDWIDTH);
            }
            read_matrix(matrix, count, cores);
            None
        }
    }
}

fn read_flat(
    table: &mut TableReader<'_>,
    controller: Option<&Value<'_>>,
    link: Option<&Value<'_>>,
    count: Option<usize>,
) -> Option<Bandwidth> {
    if controller.is_none() {
        table.missing("bandwidth_gbs", "32.0");
    }
    if link.is_none()
        && let Some(nodes) = count.filter(|&nodes| nodes > 1)
    {
        let message = format!("`link_gbs` is missing; a machine with {nodes} nodes needs it");
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .at(table.place(), "this table needs `link_gbs`")
            .hint("add the bandwidth between two different nodes in GB/s, e.g. `link_gbs = 10.0`");
        table.missing_any(&["link_gbs"], problem);
    }
    let controller = controller.map(|value| value.number(BANDWIDTH));
    let link = link.map(|value| value.number(LINK));
    let (controller, nodes) = (controller??, count?);
    let link = match link {
        Some(link) => link?,
        None if nodes == 1 => controller,
        None => return None,
    };
    Some(Bandwidth { controllers: vec![controller; nodes], links: vec![link; nodes * nodes] })
}

const MATRIX_HINT: &str = "write one row for each node, e.g. `[[11.0, 5.7], [4.5, 11.3]]`: row = node of the core, column = node of the memory";

fn read_matrix(matrix: &Value<'_>, count: Option<usize>, cores: Option<&[u32]>) -> Option<Bandwidth> {
    let rows = matrix.list("a matrix", MATRIX_HINT)?;
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
            .hint(MATRIX_HINT);
        matrix.source.log.report(problem);
    }
    let mut links = Vec::new();
    for (from, row) in rows.iter().enumerate() {
        let Some(entries) = row.list("a row of numbers", MATRIX_HINT) else {
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
            let hint = format!("the matrix is square: write {} in each row", plural(nodes, "entry"));
            row.report(ProblemKind::WrongLength, message, &plural(entries.len(), "entry"), hint);
        }
        let shape_fits = entries.len() == nodes;
        for (to, entry) in entries.iter().enumerate() {
            // A node without cores reads nothing; the figures of its row are not used.
            let may_be_zero = from != to && cores.is_none_or(|cores| cores.get(from) == Some(&0));
            let what = if from == to {
                "the bandwidth of the memory controller of this node in GB/s"
            } else {
                "the bandwidth of this link in GB/s (only the row of a node without cores may have 0)"
            };
            match entry.number(Quantity { what, zero: may_be_zero, ..LINK }) {
                Some(value) => links.push(value),
                None => fits = false,
            }
        }
        fits &= shape_fits;
    }
    let complete = fits && count.is_some() && links.len() == nodes * nodes;
    complete.then(|| Bandwidth { controllers: links.iter().step_by(nodes + 1).copied().collect(), links })
}
