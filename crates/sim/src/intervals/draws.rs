//! Machines whose uncertain figures are drawn.

use numasim_model::Machine;
use numasim_model::evaluation::MOST_NODES_WITH_ALL_LINKS;
use numasim_study::figure::Figures;
use rand::RngExt as _;

use super::normal::quantile;
use super::uncertain::{Uncertain, uncertain};
use crate::search::generator;

/// Streams of random numbers from here on are those of figures; restarts of the search count from 0.
const FIRST_STREAM: u64 = 1 << 40;

/// A machine, and what its uncertain figures are multiplied by in each draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    base: Machine,
    uncertain: Vec<Uncertain>,
    /// For each of `uncertain` a factor for each draw.
    factors: Vec<Vec<f64>>,
}

impl Draws {
    /// How many machines are drawn. The ends of an interval are then off by some 5 % of its half-width where several
    /// figures matter, by nothing where one does.
    pub const COUNT: usize = 400;

    /// The same draws for the same machine and seed. `None` where no figure of the machine has an interval above 0, and
    /// beyond 64 nodes, whose links would take too long to draw.
    pub fn of(machine: &Machine, seed: u64) -> Option<Self> {
        if machine.node_count() > MOST_NODES_WITH_ALL_LINKS {
            return None;
        }
        let uncertain = uncertain(machine);
        if uncertain.is_empty() {
            return None;
        }
        let factors = (FIRST_STREAM..).zip(&uncertain).map(|(stream, figure)| {
            // ln(1 + p) is 1.96 standard deviations.
            let deviation = libm::log1p(figure.percent / 100.0) / quantile(0.975);
            let mut factors: Vec<f64> = (0..Self::COUNT)
                .map(|draw| libm::exp(deviation * quantile((draw as f64 + 0.5) / Self::COUNT as f64)))
                .collect();
            let mut random = generator(seed, stream);
            for last in (1..factors.len()).rev() {
                factors.swap(last, random.random_range(0..=last));
            }
            factors
        });
        let factors = factors.collect();
        Some(Self { base: machine.clone(), uncertain, factors })
    }

    /// The figures that are drawn.
    pub fn uncertain(&self) -> &[Uncertain] {
        &self.uncertain
    }

    /// The machines, one after the other: nobody has room for all.
    pub fn machines(&self) -> impl Iterator<Item = Machine> + '_ {
        let plain = Figures::of(&self.base, &[]);
        (0..Self::COUNT).filter_map(move |draw| {
            let mut figures = plain.clone();
            for (uncertain, factors) in self.uncertain.iter().zip(&self.factors) {
                let factor = factors.get(draw).copied().unwrap_or(1.0);
                for figure in &uncertain.figures {
                    figures.change(figure, |value| value * factor);
                }
            }
            // All stay positive and finite, so that there is such a machine.
            figures.machine(&self.base).ok()
        })
    }
}
