//! What came out of task graphs that ran on this host, beside what the simulation says: pure functions to a table, JSON and CSV.

mod json;
mod table;
#[cfg(test)]
mod tests;

use numasim_bench::execute::BlockPages;
use numasim_host::memory::Pages;
use numasim_kernels::Verdict;
use numasim_model::Machine;

pub(crate) use json::{csv, json};
pub(crate) use table::table;

use super::tasked::GraphFacts;

/// A run under a scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Executed {
    /// Of everything that was drawn, here and in the simulation.
    pub(crate) seed: u64,
    /// What the simulation says.
    pub(crate) simulated_s: f64,
    /// What it took.
    pub(crate) measured_s: f64,
    /// How long the master partitioned.
    pub(crate) partition_s: f64,
    /// Tasks that were stolen.
    pub(crate) steals: u64,
    /// Whether every bit of the result is that of the serial run.
    pub(crate) is_equal: bool,
    /// Where its blocks were at the end; `None` where the system does not tell.
    pub(crate) pages: Option<DataPages>,
}

/// The whole pages of the blocks of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DataPages {
    /// By node of the machine.
    pub(crate) on_node: Vec<u64>,
    /// Those that are not on the node of the worker that made the block.
    pub(crate) misplaced: u64,
}

impl DataPages {
    /// With the operating system's number of each node.
    pub(crate) fn of(pages: &BlockPages, numbers: &[Option<u32>]) -> Self {
        let made = || pages.0.iter().zip(numbers);
        let on = |number: &Option<u32>| {
            let pages = pages.0.iter().filter_map(|pages| pages.on_node.get(number.as_ref()?));
            pages.sum()
        };
        let misplaced = |(pages, number): (&Pages, &Option<u32>)| match number {
            Some(number) => pages.not_on(*number),
            None => pages.on_node.values().sum::<u64>() + pages.absent,
        };
        Self { on_node: numbers.iter().map(on).collect(), misplaced: made().map(misplaced).sum() }
    }
}

impl Executed {
    /// How far the simulation is from the truth, as a fraction of it.
    fn error(&self) -> f64 {
        self.simulated_s / self.measured_s - 1.0
    }
}

/// A serial run and one under each scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Repetition {
    /// Of the serial run.
    pub(crate) serial_s: f64,
    /// Per kind of task its mean seconds there, and how many there are.
    pub(crate) kinds: Vec<(f64, u32)>,
    /// In the order of the labels.
    pub(crate) runs: Vec<Executed>,
}

impl Repetition {
    /// What somebody who knows nothing of the graph would say: the serial time divided by the cores.
    fn divided_s(&self, cores: u64) -> f64 {
        self.serial_s / cores.max(1) as f64
    }
}

/// A kind of task.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: String,
    /// How many there are.
    pub(crate) tasks: u64,
    /// Mean seconds of a task in each serial run.
    pub(crate) seconds: Vec<f64>,
    /// Operations of all of them.
    pub(crate) flop: f64,
}

/// All that is shown.
pub(crate) struct ExecutedView<'a> {
    /// The machine, which is this host.
    pub(crate) machine: &'a Machine,
    /// The graph.
    pub(crate) graph: &'a GraphFacts,
    /// Schedulers, as people call them.
    pub(crate) labels: Vec<&'static str>,
    /// Kinds of tasks.
    pub(crate) kinds: &'a [Kind],
    /// Whether the serial result is right.
    pub(crate) verdict: Verdict,
    /// Bytes of all blocks.
    pub(crate) bytes: u64,
    /// At least one.
    pub(crate) repetitions: &'a [Repetition],
}

impl ExecutedView<'_> {
    /// A figure of each repetition of a scheduler.
    fn of(&self, scheduler: usize, figure: impl Fn(&Repetition, &Executed) -> f64) -> Vec<f64> {
        let runs = self.repetitions.iter().filter_map(|one| Some(figure(one, one.runs.get(scheduler)?)));
        runs.collect()
    }
}
