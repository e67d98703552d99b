//! What one round works with: the two halves and the options that may be part of a better answer.

use super::sums::{Rest, SINGLE, Sums};
use crate::search::dual::Relaxation;
use numasim_model::NodeId;

/// An option that may be part of a better answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) slack: f64,
    pub(super) option: u32,
}

/// A node with a choice, and the options it chooses from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) node: NodeId,
    pub(super) class: usize,
    /// Whether the place before has the same class: then options do not descend.
    pub(super) same_as_before: bool,
}

/// What one round works with.
pub(super) struct Round {
    /// Nodes with a single option, and their class: part of every answer.
    pub(super) forced: Vec<(NodeId, usize)>,
    /// What they give and take; counted with the left half.
    pub(super) base: Sums,
    pub(super) left: Vec<Place>,
    pub(super) right: Vec<Place>,
    /// Per class.
    pub(super) kept: Vec<Vec<Kept>>,
    /// The score t that is to be beaten.
    pub(super) target: f64,
    /// The bound at the prices of the round.
    pub(super) bound: f64,
    /// What slacks may sum to: the bound less the target, and something for rounding.
    pub(super) gap: f64,
    /// The lower end of the window of each application, GFLOPS: what P is measured in.
    pub(super) unit: Vec<f64>,
    /// Width of the window of P_a, which starts at 1.
    pub(super) windows: Vec<f64>,
    /// Per class and application: the range of P of the kept options.
    pub(super) reach: Vec<Vec<(f64, f64)>>,
    /// Per class and watched memory: the range of reads of the kept options.
    pub(super) reads: Vec<Vec<(f64, f64)>>,
    /// Most pairs of sums to look at below one first choice.
    pub(super) pairs: u64,
    /// What it cost to make it, in steps of the search.
    pub(super) work: u64,
}

impl Round {
    /// Whether at least half of the windows have an upper end: else nearly all sums are in reach of all others.
    pub(super) fn tells_apart(&self) -> bool {
        2 * self.windows.iter().filter(|window| window.is_finite()).count() >= self.windows.len()
    }

    /// Where the halves can be exchanged: the last application with its twins, and half of the most GFLOPS that they can get.
    ///
    /// Only in a full search: the lists of a sample are not searched completely anyway.
    pub(super) fn smaller_half(&self, twins: &[bool]) -> Option<(usize, f64)> {
        let class = |place: &Place| place.class;
        let same = self.left.iter().map(class).eq(self.right.iter().map(class));
        let first = (0..twins.len()).rfind(|&a| !twins[a])?;
        let most: f64 = self.gflops(first, self.windows.iter().map(|window| 1.0 + window + SINGLE));
        // The base stays with the left half when the halves are exchanged.
        let base: f64 = self.gflops(first, self.base.p.iter().copied());
        (same && self.pairs == u64::MAX && most.is_finite())
            .then_some((first, f64::midpoint(most, base) * (1.0 + SINGLE)))
    }

    /// What the applications from `first` on get together, GFLOPS, where P is `p`.
    pub(super) fn gflops(&self, first: usize, p: impl Iterator<Item = f64>) -> f64 {
        p.zip(&self.unit).skip(first).map(|(p, unit)| p * unit).sum()
    }

    /// Shortens the lists to the options with the least slack until no half has more than `most` sums. Which of
    /// equals stay is arbitrary, but the same each time.
    pub(super) fn thin_out(&mut self, most: f64) {
        let scatter = |option: u32| u64::from(option).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        for kept in &mut self.kept {
            kept.sort_unstable_by(|a, b| {
                a.slack.total_cmp(&b.slack).then(scatter(a.option).cmp(&scatter(b.option)))
            });
        }
        let mut length = self.kept.iter().map(Vec::len).max().unwrap_or(0);
        while length > 2 && self.combinations(&self.left).max(self.combinations(&self.right)) > most {
            length = length * 9 / 10;
            self.kept.iter_mut().for_each(|kept| kept.truncate(length));
        }
    }

    /// What the kept options of each class can reach.
    pub(super) fn measure(&mut self, relaxation: &Relaxation<'_>) {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), v| (least.min(v), most.max(v)))
        };
        for (class, kept) in relaxation.classes.iter().zip(&self.kept) {
            let options = || kept.iter().map(|kept| kept.option as usize);
            let p = |a: usize| range(&mut options().map(|o| class.table.potential(o)[a] / self.unit[a]));
            self.reach.push((0..self.unit.len()).map(p).collect());
            let reads = |w: usize| range(&mut options().map(|o| class.table.reads(o)[w]));
            self.reads.push((0..relaxation.watched.len()).map(reads).collect());
        }
    }

    /// The range of the sums of some places: P per application, reads per watched memory.
    pub(super) fn rest(&self, places: &[&[Place]]) -> Rest {
        let sum = |of: &[Vec<(f64, f64)>]| -> Vec<(f64, f64)> {
            let length = of.first().map_or(0, Vec::len);
            let add = |i: usize| {
                places
                    .iter()
                    .copied()
                    .flatten()
                    .map(|place| of[place.class][i])
                    .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
            };
            (0..length).map(add).collect()
        };
        Rest { p: sum(&self.reach), reads: sum(&self.reads) }
    }

    /// How many sums a half has, before slacks are added up.
    pub(super) fn combinations(&self, half: &[Place]) -> f64 {
        let mut copies = 1.0;
        half.iter().fold(1.0, |product, place| {
            copies = if place.same_as_before { copies + 1.0 } else { 1.0 };
            product * (self.kept[place.class].len() as f64 + copies - 1.0) / copies
        })
    }
}
