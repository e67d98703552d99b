//! How much a class of tasks benefits from being near its data, slot by slot.
//!
//! A slot is the index of an access among those of a task. In each experiment one slot's block is near (or cached) and all others are
//! not. The faster the task is then, compared with the same experiment for other slots, the more this block matters:
//! 1 - (x - min) / (max - min). The weights of the three experiments are those of the runtime of paper 000 (OCR-Vx):
//! (0.1 cache + numa_fixed + numa_movable) / 2.1.

use std::collections::{HashMap, HashSet};

use crate::blocks::BlockClasses;
use crate::classes::{ClassId, Classes, Template};
use crate::fault::{At, Cells, Fault, File, Shown};

/// Slots whose means differ by at most this fraction of the largest mean count as equal.
const ALIKE: f64 = 0.01;
/// Tolerance for rounding in that comparison.
const ROUNDING: f64 = 1e-12;

numasim_model::words! {
    /// The experiments that compare one slot with the others.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum Experiment {
        Cache = "cache",
        NumaFixed = "numa_fixed",
        NumaMovable = "numa_movable",
    }
}

impl Experiment {
    const fn weight(self) -> f64 {
        match self {
            Self::Cache => 0.1,
            Self::NumaFixed | Self::NumaMovable => 1.0,
        }
    }
}

/// Sums and counts of the measurements of a slot, by experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    sum_s: [f64; 3],
    count: [u64; 3],
}

impl Sample {
    pub(crate) fn add(&mut self, experiment: Experiment, seconds: f64) {
        let at = experiment as usize;
        if let (Some(sum), Some(count)) = (self.sum_s.get_mut(at), self.count.get_mut(at)) {
            *sum += seconds;
            *count += 1;
        }
    }

    /// Mean seconds; `None` without any row.
    fn mean(&self, experiment: Experiment) -> Option<f64> {
        let at = experiment as usize;
        let count = self.count.get(at).copied().filter(|&count| count > 0)?;
        Some(self.sum_s.get(at)? / count as f64)
    }
}

/// The affinity of each slot, 0 to 1.
pub(crate) fn affinities(slots: &[Sample]) -> Vec<f64> {
    let mut together = vec![0.0; slots.len()];
    for experiment in Experiment::ALL {
        let means = || slots.iter().map(|slot| slot.mean(experiment));
        let (least, most) = means()
            .flatten()
            .fold((f64::INFINITY, 0.0_f64), |(least, most), mean| (least.min(mean), most.max(mean)));
        let spread = most - least;
        for (sum, mean) in together.iter_mut().zip(means()) {
            let affinity = match mean {
                None => 0.0,
                Some(_) if spread <= (ALIKE + ROUNDING) * most => 1.0,
                Some(mean) => 1.0 - (mean - least) / spread,
            };
            *sum += experiment.weight() * affinity;
        }
    }
    let weights: f64 = Experiment::ALL.into_iter().map(Experiment::weight).sum();
    for sum in &mut together {
        *sum /= weights;
    }
    together
}

// The data of a profile about classes: `ptrace-acc.csv` (accesses of tasks) and `ptrace-raw.csv` (seconds with data near and far).

/// Maximum number of slots of all classes together: that of a graph with the maximum number of accesses.
const MOST_SLOTS: u64 = numasim_graph::values::MAX_ACCESSES as u64;

/// A slot of a class.
#[derive(Clone, Debug, Default)]
struct Slot {
    sample: Sample,
    /// Per node: accesses to blocks of this node.
    accesses: Box<[u64]>,
}

/// Sums over the tasks of each class, collected line by line.
#[derive(Clone, Debug)]
pub struct Measured {
    nodes: usize,
    /// Only slots that occur in some line.
    slots: HashMap<(ClassId, u32), Slot>,
    /// Per class: its seconds in the full run.
    work_s: Vec<f64>,
    /// Rows that were read; each counts once.
    told: HashSet<Row>,
}

/// A row of a task, by its number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Row {
    Access { task: u64, slot: u32 },
    Experiment { task: u64, slot: u32, experiment: Experiment },
    Full { task: u64 },
    Normal { task: u64 },
}

/// The result for a class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfClass {
    /// By slot.
    pub(crate) affinity: Vec<f64>,
    /// By node: the sum of the affinities of all accesses to blocks there.
    pub(crate) scores: Vec<f64>,
    pub(crate) work_s: f64,
}

impl Measured {
    /// Before any line.
    ///
    /// # Errors
    /// Classes with more accesses than the limit.
    pub fn new(classes: &Classes, blocks: &BlockClasses) -> Result<Self, Fault> {
        let slots = classes.all().iter().map(|class| u64::from(classes.templates().accesses(class.template)));
        if slots.sum::<u64>() > MOST_SLOTS {
            let message = format!("the templates have more than {MOST_SLOTS} accesses together");
            return Err(Fault::new(File::Edt, 1, message));
        }
        let work_s = vec![0.0; classes.all().len()];
        Ok(Self { nodes: blocks.nodes(), slots: HashMap::new(), work_s, told: HashSet::new() })
    }

    /// A line of `ptrace-acc.csv`: `template;labels;task;slot;block name;block labels;block`.
    ///
    /// # Errors
    /// The problem with the line.
    pub fn access(
        &mut self,
        (classes, blocks): (&Classes, &BlockClasses),
        line: u64,
        text: &str,
    ) -> Result<(), Fault> {
        let names = ["template", "labels", "task", "slot", "block name", "block labels", "block"];
        let cells = At { file: File::Acc, line }.cells(text, names)?;
        let (class, template) = task(classes, &cells)?;
        let slot = slot(classes, &cells, 3, template)?;
        let node = blocks.of_cell(&cells, 6)?;
        let nodes = self.nodes;
        self.once(&cells, Row::Access { task: cells.number(2, "the task")?, slot }, "access")?;
        let slot = self.slots.entry((class, slot)).or_default();
        if slot.accesses.is_empty() {
            slot.accesses = vec![0; nodes].into();
        }
        if let Some(count) = slot.accesses.get_mut(node) {
            *count += 1;
        }
        Ok(())
    }

    /// A line of `ptrace-raw.csv`: `template;labels;task;experiment;slot;seconds`.
    ///
    /// # Errors
    /// The problem with the line.
    pub fn seconds(&mut self, classes: &Classes, line: u64, text: &str) -> Result<(), Fault> {
        let names = ["template", "labels", "task", "experiment", "slot", "seconds"];
        let cells = At { file: File::Raw, line }.cells(text, names)?;
        let (class, template) = task(classes, &cells)?;
        let seconds = cells.amount(5, "the time in seconds")?;
        let name = cells.text(3);
        let number = cells.number(2, "the task")?;
        if let Some(experiment) = Experiment::from_word(name) {
            let slot = slot(classes, &cells, 4, template)?;
            self.once(&cells, Row::Experiment { task: number, slot, experiment }, "experiment")?;
            self.slots.entry((class, slot)).or_default().sample.add(experiment, seconds);
            return Ok(());
        }
        if !matches!(name, "normal" | "full") {
            let message = format!("there is no experiment '{}'", Shown(name));
            let hint = "the experiments are normal, cache, numa_fixed, numa_movable and full";
            return Err(cells.fault(3, message).hint(hint));
        }
        if cells.text(4) != "-" {
            let message = format!("{name} is of the whole task, not of slot '{}'", Shown(cells.text(4)));
            return Err(cells.fault(4, message).hint("write -"));
        }
        let is_full = name == "full";
        let row = if is_full { Row::Full { task: number } } else { Row::Normal { task: number } };
        self.once(&cells, row, "experiment")?;
        if is_full && let Some(work_s) = self.work_s.get_mut(class.0 as usize) {
            *work_s += seconds;
        }
        Ok(())
    }

    /// Rejects a row that was read before: it would count twice.
    fn once<const N: usize>(&mut self, cells: &Cells<'_, N>, row: Row, what: &str) -> Result<(), Fault> {
        if self.told.insert(row) {
            return Ok(());
        }
        let message = format!("this {what} of task {} is there twice", cells.text(2));
        Err(cells.fault(3, message).hint("delete one of the two lines"))
    }

    /// The final result for a class.
    pub(crate) fn of(&self, classes: &Classes, class: ClassId) -> OfClass {
        let template = classes.get(class).map_or(Template(0), |class| class.template);
        let slots = 0..classes.templates().accesses(template);
        let none = Slot::default();
        let slots: Vec<&Slot> = slots.map(|slot| self.slots.get(&(class, slot)).unwrap_or(&none)).collect();
        let affinity = affinities(&slots.iter().map(|slot| slot.sample).collect::<Vec<_>>());
        let mut scores = vec![0.0; self.nodes];
        for (slot, affinity) in slots.iter().zip(&affinity) {
            for (score, &count) in scores.iter_mut().zip(&slot.accesses) {
                *score += affinity * count as f64;
            }
        }
        OfClass { affinity, scores, work_s: self.work_s.get(class.0 as usize).copied().unwrap_or(0.0) }
    }
}

/// The task of a line, whose template the first cell repeats.
fn task<const N: usize>(classes: &Classes, cells: &Cells<'_, N>) -> Result<(ClassId, Template), Fault> {
    let (class, template) = classes.of_cell(cells, 2)?;
    let name = classes.templates().name(template);
    if cells.text(0) == name {
        return Ok((class, template));
    }
    let message = format!(
        "task {} is made from '{}' here and from '{}' in {}",
        cells.text(2),
        Shown(cells.text(0)),
        Shown(name),
        File::Edt.as_str()
    );
    Err(cells.fault(0, message))
}

/// The slot that a cell names.
fn slot<const N: usize>(
    classes: &Classes,
    cells: &Cells<'_, N>,
    cell: usize,
    template: Template,
) -> Result<u32, Fault> {
    let slot = cells.number(cell, "the slot")?;
    let accesses = classes.templates().accesses(template);
    u32::try_from(slot).ok().filter(|&slot| slot < accesses).ok_or_else(|| {
        let plural = if accesses == 1 { "access" } else { "accesses" };
        let message = format!("there is no slot {slot}: the task has {accesses} {plural}");
        cells.fault(cell, message).hint("slots count from 0")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(seconds: &[[Option<f64>; 3]]) -> Vec<Sample> {
        let slot = |seconds: &[Option<f64>; 3]| {
            let mut sample = Sample::default();
            for (experiment, &seconds) in Experiment::ALL.into_iter().zip(seconds) {
                if let Some(seconds) = seconds {
                    sample.add(experiment, seconds);
                }
            }
            sample
        };
        seconds.iter().map(slot).collect()
    }

    fn alike(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}, {expected:?}");
    }

    #[test]
    fn the_fastest_slot_has_affinity_1_and_the_slowest_0() {
        // P-4: 1 - 0 / 1, 1 - 0.5 / 1, 1 - 1 / 1 in each experiment.
        let all = |seconds: f64| [Some(seconds); 3];
        alike(&affinities(&slots(&[all(1.0), all(1.5), all(2.0)])), &[1.0, 0.5, 0.0]);
    }

    #[test]
    fn slots_that_are_alike_all_have_affinity_1() {
        let all = |seconds: f64| [Some(seconds); 3];
        alike(&affinities(&slots(&[all(0.99), all(1.0)])), &[1.0, 1.0]);
        alike(&affinities(&slots(&[all(0.989), all(1.0)])), &[1.0, 0.0]);
        alike(&affinities(&slots(&[all(3.0)])), &[1.0]);
        alike(&affinities(&slots(&[all(0.0), all(0.0)])), &[1.0, 1.0]);
        alike(&affinities(&[]), &[]);
    }

    #[test]
    fn a_cache_counts_a_tenth_and_what_was_not_measured_nothing() {
        // Slot 0 never fitted in a cache: (0 + 1 + 1) / 2.1; slot 1 alone did, and so counts as equal: (0.1 + 0 + 0) / 2.1.
        let found = affinities(&slots(&[
            [None, Some(1.0), Some(1.0)],
            [Some(1.0), Some(2.0), Some(2.0)],
            [None, None, None],
        ]));
        alike(&found, &[2.0 / 2.1, 0.1 / 2.1, 0.0]);
    }

    #[test]
    fn the_mean_of_all_rows_counts() {
        let mut slots = slots(&[[None, Some(1.0), None], [None, Some(3.0), None], [None, Some(5.0), None]]);
        slots[1].add(Experiment::NumaFixed, 5.0);
        // Means 1, 4, 5: affinities 1, 0.25, 0, divided by 2.1.
        alike(&affinities(&slots), &[1.0 / 2.1, 0.25 / 2.1, 0.0]);
    }
}
