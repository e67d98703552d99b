//! The values for each code under each scheduler on each machine.

use numasim_graph::values::PagePlacement;
use numasim_tasks::{IdleReason, Run};

use crate::codes::Kind;
use crate::common::statistics::{Estimate, of_ratios};
use crate::runs::Case;
use crate::ways::Way;

/// A cell of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) machine: &'static str,
    pub(crate) code: &'static str,
    pub(crate) kind: Kind,
    pub(crate) way: Way,
    /// Seconds: the geometric mean over the seeds.
    pub(crate) makespan_s: Estimate,
    /// Makespan under `fifo` divided by this one, by pairs of equal seeds; and on the machine without NUMA.
    pub(crate) over_fifo: Estimate,
    pub(crate) over_fifo_uniform: f64,
    /// Makespan / lower bound, and the limit behind the bound (for the first seed).
    pub(crate) over_bound: f64,
    pub(crate) bound_s: f64,
    pub(crate) bound_by: &'static str,
    /// Bytes of a run.
    pub(crate) bytes: f64,
    /// Fractions of the bytes: local cache, remote caches, local memory, remote memories.
    pub(crate) parts: [f64; 4],
    /// Workers without a task, as a fraction of all worker-seconds; by reason.
    pub(crate) idle: f64,
    pub(crate) reasons: [f64; IdleReason::ALL.len()],
    /// Tasks of a run that were stolen, and tasks that ran on a node other than that of their affinity.
    pub(crate) stolen: f64,
    pub(crate) off_node: f64,
    pub(crate) placement: PagePlacement,
    /// Makespan / that of the best scheduler on this machine for this code.
    pub(crate) over_best: f64,
}

impl Row {
    /// The fraction of the bytes from remote nodes.
    pub(crate) fn remote(&self) -> f64 {
        self.parts[1] + self.parts[3]
    }

    /// The most frequent reason why workers are idle.
    pub(crate) fn waits_for(&self) -> IdleReason {
        let pairs = IdleReason::ALL.into_iter().zip(self.reasons);
        // The first of several equal ones.
        pairs.fold((IdleReason::End, 0.0), |most, one| if one.1 > most.1 { one } else { most }).0
    }
}

fn ratios(of: &[Run], to: &[Run]) -> Vec<f64> {
    of.iter().zip(to).map(|(of, to)| of.makespan.value() / to.makespan.value()).collect()
}

fn mean(runs: &[Run], value: impl Fn(&Run) -> f64) -> f64 {
    runs.iter().map(value).sum::<f64>() / runs.len() as f64
}

/// The rows of a machine, in the order of the codes, then of the schedulers.
pub(crate) fn rows(machine: &'static str, cases: &[Case]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(cases.len());
    for case in cases {
        let fifo = cases.iter().find(|other| other.code.name == case.code.name && other.way == Way::FIFO);
        let fifo = fifo.unwrap_or(case);
        let makespans: Vec<f64> = case.runs.iter().map(|run| run.makespan.value()).collect();
        let bounds: Vec<f64> = case.bounds.iter().map(|bound| bound.makespan.value()).collect();
        let above: Vec<f64> =
            makespans.iter().zip(&bounds).map(|(makespan, bound)| makespan / bound).collect();
        let bytes = mean(&case.runs, |run| run.traffic.total());
        let part = |value: fn(&Run) -> f64| if bytes > 0.0 { mean(&case.runs, value) / bytes } else { 0.0 };
        rows.push(Row {
            machine,
            code: case.code.name,
            kind: case.code.kind,
            way: case.way,
            makespan_s: of_ratios(&makespans),
            over_fifo: of_ratios(&ratios(&fifo.runs, &case.runs)),
            over_fifo_uniform: of_ratios(&ratios(&fifo.uniform, &case.uniform)).mean,
            over_bound: of_ratios(&above).mean,
            bound_s: of_ratios(&bounds).mean,
            bound_by: case.bounds.first().map_or("", |bound| bound.because_of.as_str()),
            bytes,
            parts: [
                part(|run| run.traffic.llc_local),
                part(|run| run.traffic.llc_remote),
                part(|run| run.traffic.dram_local),
                part(|run| run.traffic.dram_remote),
            ],
            idle: mean(&case.runs, |run| run.idle),
            reasons: IdleReason::ALL.map(|reason| mean(&case.runs, |run| run.idle_because(reason))),
            stolen: mean(&case.runs, |run| run.steals as f64),
            off_node: mean(&case.runs, |run| run.remote_tasks as f64),
            placement: case.way.placement(),
            over_best: f64::NAN,
        });
    }
    let best = |code: &str| {
        let of_code = rows.iter().filter(|row| row.code == code);
        of_code.map(|row| row.makespan_s.mean).fold(f64::INFINITY, f64::min)
    };
    let best: Vec<f64> = rows.iter().map(|row| best(row.code)).collect();
    for (row, best) in rows.iter_mut().zip(best) {
        row.over_best = row.makespan_s.mean / best;
    }
    rows
}

/// All values as CSV.
pub(crate) fn csv(rows: &[Row]) -> String {
    let mut text = "machine,code,kind,scheduler,knows,placement,makespan_s,makespan_low_s,makespan_high_s,over_fifo,over_fifo_low,over_fifo_high,\
                    over_fifo_without_numa,bound_s,bound_by,over_bound,over_best,bytes,remote,own_llc,other_llc,own_memory,other_memory,idle"
        .to_owned();
    for reason in IdleReason::ALL {
        text += &[",idle_", reason.as_str()].concat();
    }
    text += ",stolen,off_node\n";
    for row in rows {
        let words = [
            row.machine.to_owned(),
            row.code.to_owned(),
            row.kind.word().to_owned(),
            // A single cell.
            row.way.name().replace(", ", "+"),
            row.way.knows().word().to_owned(),
            row.placement.as_str().to_owned(),
        ];
        let seconds = [row.makespan_s.mean, row.makespan_s.low, row.makespan_s.high];
        let over_fifo = [row.over_fifo.mean, row.over_fifo.low, row.over_fifo.high, row.over_fifo_uniform];
        let mut cells = words.to_vec();
        cells.extend(seconds.map(|value| format!("{value:.6e}")));
        cells.extend(over_fifo.map(|value| format!("{value:.4}")));
        cells.push(format!("{:.6e}", row.bound_s));
        cells.push(row.bound_by.to_owned());
        cells.extend([row.over_bound, row.over_best].map(|value| format!("{value:.4}")));
        cells.push(format!("{:.4e}", row.bytes));
        cells.push(format!("{:.4}", row.remote()));
        cells
            .extend(row.parts.iter().chain([&row.idle]).chain(&row.reasons).map(|part| format!("{part:.4}")));
        cells.extend([row.stolen, row.off_node].map(|tasks| format!("{tasks:.1}")));
        text += &(cells.join(",") + "\n");
    }
    text
}
