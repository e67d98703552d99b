//! Quality of the schedulers for each kind of graph: makespan relative to the best of all schedulers, over all codes and machines.

use crate::codes::Kind;
use crate::common::statistics::geometric;
use crate::rows::Row;
use crate::ways::Way;

/// A scheduler on a kind of graph.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) way: Way,
    /// The geometric mean of makespan / that of the best scheduler, over codes and machines.
    pub(crate) mean: f64,
    /// The largest, and its code and machine.
    pub(crate) worst: f64,
    pub(crate) worst_at: (&'static str, &'static str),
    /// Number of cells in which it is the best or within 5 % of it, and the total number.
    pub(crate) close: usize,
    pub(crate) cells: usize,
    /// Speedup over `fifo`, on the machines and on them without NUMA: geometric means.
    pub(crate) over_fifo: f64,
    pub(crate) over_fifo_uniform: f64,
}

/// Within this factor of the best, a scheduler counts as equally good.
const CLOSE: f64 = 1.05;

/// All rows of a scheduler and a kind of graph; `None` without any.
pub(crate) fn judged(rows: &[Row], way: Way, kind: Option<Kind>) -> Option<Judged> {
    let of: Vec<&Row> =
        rows.iter().filter(|row| row.way == way && kind.is_none_or(|kind| row.kind == kind)).collect();
    let worst = *of.iter().max_by(|a, b| a.over_best.total_cmp(&b.over_best))?;
    Some(Judged {
        way,
        mean: geometric(of.iter().map(|row| row.over_best)),
        worst: worst.over_best,
        worst_at: (worst.code, worst.machine),
        close: of.iter().filter(|row| row.over_best <= CLOSE).count(),
        cells: of.len(),
        over_fifo: geometric(of.iter().map(|row| row.over_fifo.mean)),
        over_fifo_uniform: geometric(of.iter().map(|row| row.over_fifo_uniform)),
    })
}

/// All schedulers for a kind, the best mean first; equal ones in their order.
pub(crate) fn ranked(rows: &[Row], kind: Kind) -> Vec<Judged> {
    let mut all: Vec<Judged> =
        Way::all().into_iter().filter_map(|way| judged(rows, way, Some(kind))).collect();
    all.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    all
}
