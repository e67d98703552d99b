//! Waves in an elastic medium on strips of rows (paper 000, section IV): stress from velocity, velocity from stress.
//!
//! `main` creates all blocks and the first `strip` of each strip of rows; a `strip` creates the next one, and the two sweeps of its iteration. Sweeps read a
//! row of the strips beside them.

use crate::values::{Access, TaskId, TreeTask, TypeId};
use numasim_model::ids::NodeId;

use super::error::{GenerateError, at_least_one, dealt, settled};
use super::size::{Size, index};
use super::weaver::{Datum, Weaver, work};

/// FLOP per point of each of the two sweeps.
const FLOP: f64 = 10.0;
/// Bytes per point: five numbers of 4 B, and two.
const STRESS: f64 = 20.0;
const VELOCITY: f64 = 8.0;

/// The data of a strip, and where it should lie.
struct Strip {
    stress: Datum,
    velocity: Datum,
    node: Option<NodeId>,
}

pub(super) fn weave(
    weave: &mut Weaver<'_>,
    n: u64,
    (blocks, strips): (Option<u64>, Option<u64>),
    iterations: u64,
) -> Result<(), GenerateError> {
    let columns = at_least_one("n", n)?;
    let count = settled("blocks", blocks)? * settled("strips", strips)?;
    let (blocks, strips) = (blocks.unwrap_or(1), strips.unwrap_or(1));
    let rows = dealt(("n", n), ("strips", blocks.saturating_mul(strips)))?;
    let repeated = iterations as f64;
    // Each sweep reads up to three blocks and changes one; the first strip and the last one have no neighbour on one side.
    weave.begin(Size {
        blocks: 2.0 * count,
        tasks: 1.0 + 3.0 * count * repeated,
        accesses: repeated * 2.0 * (4.0 * count - 2.0),
    })?;
    let points = rows * columns;
    let mut all = Vec::with_capacity(index(blocks * strips));
    for block in 0..blocks {
        let node = weave.node_of(block, blocks);
        for _ in 0..strips {
            let stress = weave.hinted(STRESS * points, None, node)?;
            all.push(Strip { stress, velocity: weave.hinted(VELOCITY * points, None, node)?, node });
        }
    }
    let kinds = ["main", "strip", "stress", "velocity"].map(|name| weave.kind(name));
    let [main, kind, stress, velocity] = kinds;
    let main = weave.tree_task(work(main, 0.0, &[]), TreeTask::default())?;
    for strip in &all {
        weave.creates(main, strip.stress)?;
        weave.creates(main, strip.velocity)?;
    }
    let sweeps = Sweeps { strips: &all, gflop: FLOP * points / 1e9, row: columns };
    let mut creators = vec![main; all.len()];
    for iteration in 0..iterations {
        // The first tasks of a creator, if it creates the next strips, too.
        let first = u32::from(iteration + 1 < iterations);
        for (creator, strip) in creators.iter_mut().zip(&all) {
            let seq = (iteration > 0).then_some(0);
            let tree =
                TreeTask { created_by: Some(*creator), seq, affinity: strip.node, ..TreeTask::default() };
            *creator = weave.tree_task(work(kind, 0.0, &[]), tree)?;
        }
        sweeps.one(weave, stress, (&creators, first), true)?;
        sweeps.one(weave, velocity, (&creators, first + 1), false)?;
    }
    Ok(())
}

/// What all sweeps have in common.
struct Sweeps<'a> {
    strips: &'a [Strip],
    gflop: f64,
    /// Points of a row.
    row: f64,
}

impl Sweeps<'_> {
    /// One sweep over all strips: stress from velocity or the other way round.
    fn one(
        &self,
        weave: &mut Weaver<'_>,
        kind: TypeId,
        (creators, seq): (&[TaskId], u32),
        changes_stress: bool,
    ) -> Result<(), GenerateError> {
        let of = |strip: &Strip| {
            if changes_stress { (strip.velocity, strip.stress) } else { (strip.stress, strip.velocity) }
        };
        let per_point = if changes_stress { VELOCITY } else { STRESS };
        let mut accesses: Vec<Access> = Vec::new();
        for (number, (strip, &creator)) in self.strips.iter().zip(creators).enumerate() {
            let (read, changed) = of(strip);
            let beside = |number: Option<usize>| {
                let strip = self.strips.get(number?)?;
                Some(of(strip).0.read_part(per_point * self.row))
            };
            accesses.clear();
            accesses.extend(beside(number.checked_sub(1)));
            accesses.push(read.read());
            accesses.extend(beside(number.checked_add(1)));
            accesses.push(changed.update());
            let tree = TreeTask {
                created_by: Some(creator),
                seq: Some(seq),
                affinity: strip.node,
                ..TreeTask::default()
            };
            weave.tree_task(work(kind, self.gflop, &accesses), tree)?;
        }
        Ok(())
    }
}
