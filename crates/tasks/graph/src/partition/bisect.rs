//! Two sides of a graph of any size: coarser and coarser graphs, a first guess, and back.

use super::coarsen::coarsen;
use super::random::Source;
use super::refine::{Sides, refine};
use super::start::start;

/// Small enough for first guesses.
const SMALL: usize = 60;

/// For each task whether it is on side 1. No side has more tasks than it has room for.
pub(super) fn bisect(sides: Sides, random: &mut Source) -> Vec<bool> {
    // No group so heavy that the sides cannot be evened out.
    let heaviest = (3 * sides.graph.total_weight() / (2 * SMALL as u64)).max(2);
    let mut levels = vec![(sides, Vec::new())];
    while let Some((fine, _)) = levels.last() {
        if fine.graph.task_count() <= SMALL {
            break;
        }
        let Some(coarse) = coarsen(fine, heaviest, random) else { break };
        levels.push((coarse.sides, coarse.of_fine));
    }
    let mut side: Vec<bool> = Vec::new();
    let mut of_fine: Option<Vec<u32>> = None;
    for (sides, next) in levels.into_iter().rev() {
        match of_fine.take() {
            None => side = start(&sides, random),
            Some(of_fine) => {
                side = of_fine.iter().map(|&coarse| side[coarse as usize]).collect();
                refine(&sides, &mut side, random);
            }
        }
        of_fine = Some(next);
    }
    side
}
