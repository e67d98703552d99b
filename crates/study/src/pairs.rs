//! Reads a matrix with a figure for each pair of nodes: latencies, distances.

use numasim_model::ids::NodeId;

use super::names::plural;
use super::problem::ProblemKind;
use super::value::{Quantity, Value};

/// The figures row by row; `hint` says what to write; `None` where they make no sense. Rows of nodes without cores and unused columns may have zeros.
pub(super) fn read(
    matrix: &Value<'_>,
    hint: &'static str,
    count: Option<usize>,
    cores: Option<&[u32]>,
    unused_columns: &[NodeId],
) -> Option<Vec<f64>> {
    let rows = matrix.list("a matrix", hint)?;
    let nodes = count?;
    let length = |value: &Value<'_>, got: usize, noun: &str| {
        let (got, machine) = (plural(got, noun), plural(nodes, "node"));
        let message = format!("`{}` has {got}, but the machine has {machine}", value.name);
        value.report(ProblemKind::WrongLength, message, &got, hint);
    };
    if rows.len() != nodes {
        length(matrix, rows.len(), "row");
        return None;
    }
    let mut all = Vec::new();
    for (from, row) in rows.iter().enumerate() {
        let entries = row.list("a row of numbers", hint)?;
        if entries.len() != nodes {
            length(row, entries.len(), "entry");
            return None;
        }
        let unused_row = cores.is_some_and(|cores| cores.get(from) == Some(&0));
        let read = |(to, entry): (usize, &Value<'_>)| {
            let zero = unused_row || unused_columns.contains(&NodeId(to));
            entry.number_of(Quantity { zero, ..matrix.of.quantity() })
        };
        let values: Vec<Option<f64>> = entries.iter().enumerate().map(read).collect();
        all.extend(values.into_iter().collect::<Option<Vec<f64>>>()?);
    }
    Some(all)
}
