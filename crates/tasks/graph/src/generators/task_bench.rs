//! Task Bench (Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance", SC 2020).
//!
//! Each task writes a block of its own, and reads those of the tasks of the row before that it depends on: its edges are then those of
//! the pattern and no others. Rows are dealt among the sockets in equal stretches.

use crate::values::{Pattern, TaskBench};

use super::error::{GenerateError, at_least_one};
use super::patterns;
use super::size::{Size, index};
use super::weaver::{Datum, Weaver};

pub(super) fn weave(weave: &mut Weaver<'_>, bench: &TaskBench) -> Result<(), GenerateError> {
    let width = at_least_one("width", bench.width)?;
    let steps = at_least_one("steps", bench.steps)?;
    let has_radix = matches!(bench.pattern, Pattern::Nearest | Pattern::Spread | Pattern::RandomNearest);
    if has_radix && bench.radix > bench.width {
        let (value, limit) = (bench.radix, bench.width);
        return Err(GenerateError::TooLarge { parameter: "radix", value, most: "width", limit });
    }
    // Rows have at least one task, so that no more of them need to be looked at than there may be tasks.
    let at_least = Size { blocks: steps, tasks: steps, accesses: steps };
    at_least.check()?;
    let full = |step| {
        let (start, end) = patterns::row(bench, step);
        (end - start) as f64
    };
    let tasks = match bench.pattern {
        Pattern::Dom | Pattern::Tree => (0..bench.steps).map(full).sum(),
        _ => width * steps,
    };
    let first = full(0);
    weave.begin(Size { blocks: tasks, tasks, accesses: tasks + (tasks - first) * patterns::most(bench) })?;

    let kind = weave.kind(bench.pattern.as_str());
    let (flop, bytes) = (bench.flop as f64, bench.bytes as f64);
    let place = |point: u64, sockets: usize| {
        index(u64::try_from(u128::from(point) * sockets as u128 / u128::from(bench.width)).unwrap_or(0))
    };
    let mut before = Vec::new();
    let mut accesses = Vec::new();
    for step in 0..bench.steps {
        let (start, end) = patterns::row(bench, step);
        let row = weave.blocks(index(end - start), bytes)?;
        for (point, own) in (start..end).zip(&row) {
            accesses.clear();
            if step > 0 {
                let (from, _) = patterns::row(bench, step - 1);
                let reads = patterns::before(bench, step, point).into_iter();
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
