//! Scenarios at many points: blocks of points on all workers, written in order.

use numasim_sim::sweep::{Contradiction, Evaluator};
use rayon::prelude::*;

use super::plan::Plan;
use super::rows::{Rows, quoted};
use crate::failure::Failure;
use crate::watch;
use numasim_ask::refusal::unsound;

/// Most points that one worker takes at a time.
const LARGEST_BLOCK: u64 = 2048;
/// Nodes x nodes x applications x points of a block: on large machines rows still come, and Ctrl-C is still heard, soon.
const BLOCK_EFFORT: u64 = 131_072;
/// Blocks that are in memory at once, for each worker.
const AHEAD: u64 = 4;

/// Of so many rows one is evaluated in full and checked; the first of a run is, too. A full evaluation takes up to 220 times
/// as long as a row (64 nodes, data local, only threads change), so that the samples take less than 2 % of a sweep.
const SAMPLE: u64 = 16_384;

/// Computes the rows of `points` and hands them on in order, block by block.
///
/// Ends early when the person asks for it, or when `done` wants no more. A row that contradicts the model is a fault.
pub(super) fn run(
    plan: &Plan,
    scenarios: &[usize],
    points: std::ops::Range<u64>,
    mut done: impl FnMut(Rows, u64) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let names: Vec<String> =
        scenarios.iter().map(|&s| quoted(&plan.sweep.study().scenarios[s].name)).collect();
    let study = plan.sweep.study();
    let (nodes, apps) = (study.machine.node_count() as u64, study.apps.len() as u64);
    let effort = nodes * nodes * apps.max(1) * scenarios.len().max(1) as u64;
    let block_size = (BLOCK_EFFORT / effort).clamp(1, LARGEST_BLOCK);
    let stride = block_size * AHEAD * rayon::current_num_threads() as u64;
    let of_point = scenarios.len() as u64;
    let is_sample = |point: u64, i: usize| {
        let row = point * of_point + i as u64;
        row == points.start * of_point || row.is_multiple_of(SAMPLE)
    };
    let mut next = points.start;
    while next < points.end {
        if watch::interrupted() {
            return Ok(());
        }
        let end = points.end.min(next + stride);
        let starts: Vec<u64> =
            (next..end).step_by(usize::try_from(block_size).unwrap_or(usize::MAX)).collect();
        let blocks: Vec<Rows> = starts
            .par_iter()
            .map(|&start| block(plan, scenarios, &names, start..end.min(start + block_size), is_sample))
            .collect::<Result<_, _>>()?;
        for (start, rows) in starts.iter().zip(blocks) {
            if !done(rows, block_size.min(end - start))? {
                return Ok(());
            }
        }
        next = end;
    }
    Ok(())
}

fn block(
    plan: &Plan,
    scenarios: &[usize],
    names: &[String],
    points: std::ops::Range<u64>,
    is_sample: impl Fn(u64, usize) -> bool,
) -> Result<Rows, Failure> {
    let mut evaluator = Evaluator::new(&plan.sweep, scenarios);
    let apps = plan.sweep.study().apps.len();
    let mut rows = Rows::default();
    for point in points {
        evaluator.go_to(point);
        let first_cells = rows.text.len();
        rows.keys(&plan.sweep, evaluator.indices());
        let cells = first_cells..rows.text.len();
        for (i, name) in names.iter().enumerate() {
            if i > 0 {
                // The values of the axes are the same in all rows of a point.
                rows.text.extend_from_within(cells.clone());
            }
            rows.text(name);
            match evaluator.gflops(i) {
                Ok(gflops) => {
                    rows.text("ok");
                    rows.number(gflops.iter().sum());
                    for &gflops in gflops {
                        rows.number(gflops);
                    }
                    rows.end(evaluator.starved(i), None);
                    if is_sample(point, i) {
                        let contradicted = |error: Contradiction| {
                            unsound(&format!("point {point} of the sweep, scenario {name}"), &error)
                        };
                        evaluator.check(i).map_err(contradicted)?;
                    }
                }
                Err(reason) => {
                    rows.text("infeasible");
                    rows.end_without(apps + 2, &reason, 0);
                }
            }
        }
    }
    Ok(rows)
}
