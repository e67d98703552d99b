//! Task Bench (Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance", SC 2020).
//!
//! Each task writes a separate block, and reads those of the tasks of the previous row on which it depends: so its edges are those of the
//! pattern and no others. Rows are divided among the sockets in equal contiguous parts.

use crate::generators::{Datum, GenerateError, Size, Weaver, at_least_one, index};
use crate::values::{Pattern, TaskBench};

pub(super) fn task_bench(weave: &mut Weaver<'_>, bench: &TaskBench) -> Result<(), GenerateError> {
    let width = at_least_one("width", bench.width)?;
    let steps = at_least_one("steps", bench.steps)?;
    let has_radix = matches!(bench.pattern, Pattern::Nearest | Pattern::Spread | Pattern::RandomNearest);
    if has_radix && bench.radix > bench.width {
        let (value, limit) = (bench.radix, bench.width);
        return Err(GenerateError::TooLarge { parameter: "radix", value, most: "width", limit });
    }
    // Rows have at least one task, so the number of rows to examine is at most the limit of tasks.
    let at_least = Size { blocks: steps, tasks: steps, accesses: steps };
    at_least.check()?;
    let full = |step| {
        let (start, end) = row_ends(bench, step);
        (end - start) as f64
    };
    let tasks = match bench.pattern {
        Pattern::Dom | Pattern::Tree => (0..bench.steps).map(full).sum(),
        _ => width * steps,
    };
    let first = full(0);
    weave.begin(Size { blocks: tasks, tasks, accesses: tasks + (tasks - first) * most(bench) })?;

    let kind = weave.kind(bench.pattern.as_str());
    let (flop, bytes) = (bench.flop as f64, bench.bytes as f64);
    let place = |point: u64, sockets: usize| {
        index(u64::try_from(u128::from(point) * sockets as u128 / u128::from(bench.width)).unwrap_or(0))
    };
    let mut before = Vec::new();
    let mut accesses = Vec::new();
    for step in 0..bench.steps {
        let (start, end) = row_ends(bench, step);
        let row = weave.blocks(index(end - start), bytes)?;
        for (point, own) in (start..end).zip(&row) {
            accesses.clear();
            if step > 0 {
                let (from, _) = row_ends(bench, step - 1);
                let reads = reads_of(bench, step, point).into_iter();
                accesses.extend(
                    reads
                        .filter_map(|other| before.get(index(other - from)))
                        .map(|datum: &Datum| datum.read()),
                );
            }
            accesses.push(own.write());
            weave.task(kind, flop, place(point, weave.sockets()), &accesses)?;
        }
        before = row;
    }
    Ok(())
}

// The tasks of the previous row on which a task of Task Bench depends (Slaughter et al., SC 2020, table I).
//
// The paper names the patterns. If it leaves the details to the authors' program (`core/core.cc` of StanfordLegion/task-bench), the same
// tasks are related here: an even radix reaches one further to the left, trees and domains have rows that are not full, and three sets of
// relations take turns if a pattern is spread or random.

/// Number of sets of relations that take turns in `spread` and `random_nearest`: the default of the authors' program.
const PERIOD: u64 = 3;
/// Fraction of the candidates of `random_nearest` that is taken, in addition to the task itself: the default of the authors' program.
const CONNECTED: f64 = 0.25;

/// The first point of a row and the one after the last. `width` and `steps` are not 0, `step` is less than `steps`.
pub(super) fn row_ends(bench: &TaskBench, step: u64) -> (u64, u64) {
    let TaskBench { width, steps, .. } = *bench;
    match bench.pattern {
        // A corner that a sweep reaches first, then the whole row, then the corner that it leaves last.
        Pattern::Dom => {
            let start = width.saturating_sub(steps - step);
            (start, start + width.min(step + 1).min(steps - step))
        }
        Pattern::Tree => (
            0,
            u32::try_from(step)
                .ok()
                .and_then(|step| 1_u64.checked_shl(step))
                .map_or(width, |full| full.min(width)),
        ),
        _ => (0, width),
    }
}

/// Maximum number of dependencies of a task.
pub(super) fn most(bench: &TaskBench) -> f64 {
    match bench.pattern {
        Pattern::Trivial => 0.0,
        Pattern::NoComm | Pattern::Tree => 1.0,
        Pattern::Dom => 2.0,
        Pattern::Stencil | Pattern::StencilPeriodic | Pattern::Fft => 3.0,
        Pattern::AllToAll => bench.width as f64,
        Pattern::Nearest | Pattern::Spread | Pattern::RandomNearest => bench.radix as f64,
    }
}

/// The points of the previous row on which `point` of row `step` (which is not 0) depends, ascending.
pub(super) fn reads_of(bench: &TaskBench, step: u64, point: u64) -> Vec<u64> {
    let TaskBench { width, radix, .. } = *bench;
    let mut points: Vec<u64> = match bench.pattern {
        Pattern::Trivial => Vec::new(),
        Pattern::NoComm => vec![point],
        Pattern::Stencil => (point.saturating_sub(1)..=point + 1).collect(),
        Pattern::StencilPeriodic => vec![(point + width - 1) % width, point, (point + 1) % width],
        Pattern::Dom => (point.saturating_sub(1)..=point).collect(),
        Pattern::Tree => vec![point / 2],
        Pattern::Fft => {
            // 1, 2, 4 ... below the width, and again.
            let distances = u64::from(u64::BITS - (width - 1).leading_zeros());
            let distance = (step - 1).checked_rem(distances).map_or(width, |set| 1 << set);
            point.checked_sub(distance).into_iter().chain([point, point + distance]).collect()
        }
        Pattern::AllToAll => (0..width).collect(),
        Pattern::Nearest => nearest(radix, point).collect(),
        Pattern::Spread => {
            // With more sets than this, one would reach the task itself.
            let turn = step % PERIOD.min(width.div_ceil(radix.max(1)));
            let spread = |i: u64| (point + i * width / radix + if i > 0 { turn } else { 0 }) % width;
            (0..radix).map(spread).collect()
        }
        Pattern::RandomNearest => {
            let turn = step % PERIOD;
            nearest(radix, point)
                .filter(|&other| other == point || drawn(&[radix, turn, other, point]) < CONNECTED)
                .collect()
        }
    };
    points.sort_unstable();
    points.dedup();
    let (start, end) = row_ends(bench, step - 1);
    points.retain(|point| (start..end).contains(point));
    points
}

/// The nearest `radix` points, possibly outside of the row to the right.
fn nearest(radix: u64, point: u64) -> impl Iterator<Item = u64> {
    let start = point.saturating_sub(radix / 2);
    let end = if radix == 0 { start } else { point + radix.div_ceil(2) };
    start..end
}

/// A number from 0 to 1 that depends on `key` alone: no generator, so that a relation is independent of the order of queries. The steps
/// are those of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
fn drawn(key: &[u64]) -> f64 {
    let mixed = key.iter().fold(0_u64, |state, &part| {
        let mut z = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}
