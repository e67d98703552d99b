//! The plan: the node of each class of blocks and of each class of tasks.

use crate::blocks::{BlockClass, BlockClasses};
use crate::classes::{Class, ClassId, Classes};
use crate::measured::Measured;
use crate::pattern::Pattern;

/// Scores, and work, that differ by at most this part of the larger are equal.
const EQUAL: f64 = 1e-9;

/// What the plan says of a class of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedClass {
    /// The node, among those with cores; `None`: no opinion.
    pub node: Option<usize>,
    /// How much its tasks want to be near what they access, by slot, 0 to 1.
    pub affinity: Vec<f64>,
    /// Seconds of its tasks in the full run of the profile.
    pub work_s: f64,
}

/// What the plan says of a class of blocks.
pub type PlannedBlocks = BlockClass;

/// The plan.
#[derive(Clone, Debug)]
pub struct Plan {
    classes: Classes,
    planned: Vec<PlannedClass>,
    blocks: Vec<PlannedBlocks>,
    pattern: Pattern,
    nodes: usize,
}

impl Plan {
    /// Puts every class of tasks where most of what it wants to be near lies; what is equal goes where there is least work so far, then
    /// to the lowest number.
    pub fn of(classes: Classes, blocks: &BlockClasses, measured: &Measured) -> Self {
        let mut work_s = vec![0.0; blocks.nodes()];
        let planned = (0..).map(ClassId).zip(classes.all()).map(|(class, _)| {
            let known = measured.of(&classes, class);
            let node = best(&known.scores, &work_s);
            if let Some(work_s) = node.and_then(|node| work_s.get_mut(node)) {
                *work_s += known.work_s;
            }
            PlannedClass { node, affinity: known.affinity, work_s: known.work_s }
        });
        let planned = planned.collect();
        Self {
            classes,
            planned,
            blocks: blocks.all().to_vec(),
            pattern: blocks.pattern(),
            nodes: blocks.nodes(),
        }
    }

    /// The classes of tasks.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Each class by number, and what the plan says of it.
    pub fn planned(&self) -> impl ExactSizeIterator<Item = (ClassId, &Class, &PlannedClass)> {
        let planned = self.classes.all().iter().zip(&self.planned);
        let numbers = 0..u32::try_from(self.planned.len()).unwrap_or(u32::MAX);
        numbers.map(ClassId).zip(planned).map(|(number, (class, planned))| (number, class, planned))
    }

    /// The classes of blocks, by their first blocks.
    pub fn blocks(&self) -> &[PlannedBlocks] {
        &self.blocks
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> u64 {
        self.blocks.iter().map(|class| class.blocks).sum()
    }

    /// How blocks were dealt to nodes.
    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// How many nodes with cores it is for.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Classes of tasks that it has no opinion about.
    pub fn no_opinion(&self) -> usize {
        self.planned.iter().filter(|class| class.node.is_none()).count()
    }
}

/// The node with the greatest score; `None` if all are 0.
fn best(scores: &[f64], work_s: &[f64]) -> Option<usize> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let good = || {
        let all = scores.iter().zip(work_s).enumerate();
        all.filter(|(_, (score, _))| most - **score <= EQUAL * most).map(|(node, (_, work))| (node, *work))
    };
    let least = good().map(|(_, work)| work).fold(f64::INFINITY, f64::min);
    good().find(|(_, work)| work - least <= EQUAL * work).map(|(node, _)| node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_score_wins_whatever_the_work() {
        assert_eq!(best(&[0.9, 0.2], &[5.0, 0.0]), Some(0));
        assert_eq!(best(&[0.9, 0.9 * (1.0 + 1e-8)], &[0.0, 5.0]), Some(1));
    }

    #[test]
    fn equal_scores_go_to_the_least_work_then_to_the_lowest_number() {
        assert_eq!(best(&[1.0, 1.0 + 1e-10, 1.0], &[2.0, 1.0, 1.0 + 1e-10]), Some(1));
        assert_eq!(best(&[1.0, 1.0, 1.0], &[2.0, 1.0 + 1e-10, 1.0]), Some(1));
        assert_eq!(best(&[1.0, 1.0], &[0.0, 0.0]), Some(0));
    }

    #[test]
    fn without_any_score_there_is_no_opinion() {
        assert_eq!(best(&[0.0, 0.0], &[0.0, 0.0]), None);
    }
}
