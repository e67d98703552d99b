//! Order without data: a block of 0 B for a task that others wait for, though no block of theirs shows it.

use crate::values::AccessMode;
use numasim_study::{Place, Problem, ProblemKind};

use super::draft::Draft;

/// Adds the blocks. Two tasks that access the same block, of which one writes it, are in order without one.
///
/// # Errors
/// There are too many blocks.
pub(super) fn add(draft: &mut Draft) -> Result<(), Box<Problem>> {
    let sorted: Vec<Vec<(u32, bool)>> = draft
        .tasks
        .iter()
        .map(|task| {
            let mut all: Vec<_> = task.accesses.iter().map(|access| (access.0, access.1.writes())).collect();
            all.sort_unstable();
            all
        })
        .collect();
    let is_shown = |parent: u32, child: usize| {
        let (Some(one), Some(other)) = (sorted.get(parent as usize), sorted.get(child)) else { return true };
        let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
        few.iter().any(|&(block, writes)| {
            let found = many.binary_search_by_key(&block, |access| access.0).ok();
            found.and_then(|place| many.get(place)).is_some_and(|access| writes || access.1)
        })
    };
    // For each child its parents without a block.
    let mut hidden: Vec<Vec<u32>> = Vec::with_capacity(draft.tasks.len());
    for (child, task) in draft.tasks.iter().enumerate() {
        let mut parents: Vec<u32> =
            task.parents.iter().copied().filter(|&parent| !is_shown(parent, child)).collect();
        parents.sort_unstable();
        parents.dedup();
        hidden.push(parents);
    }
    let mut blocks: Vec<Option<u32>> = vec![None; draft.tasks.len()];
    for (child, parents) in hidden.iter().enumerate() {
        for &parent in parents {
            let Some(place) = blocks.get_mut(parent as usize) else { continue };
            let block = place.or_else(|| draft.block(String::new(), 0.0)).ok_or_else(|| {
                let message = "there is more order without data than there may be blocks";
                Box::new(Problem::new(ProblemKind::Limit, message).at(Place::whole(0), ""))
            })?;
            *place = Some(block);
            if let Some(task) = draft.tasks.get_mut(child) {
                task.accesses.push((block, AccessMode::In, 0.0));
            }
        }
    }
    for (task, block) in draft.tasks.iter_mut().zip(blocks) {
        task.accesses.extend(block.map(|block| (block, AccessMode::Out, 0.0)));
    }
    Ok(())
}
