//! Behaviour of applications over time: iterations, phases and tasks, dependences, and commands.
//!
//! The static model needs only threads. This module holds the rest of a study, for simulated time and for an agent: values
//! as in the input files, without any behaviour in time. Terms follow paper 002, sections II, IV and V.

use std::ops::{Deref, DerefMut};

use numasim_model::app::{App, Data, Placement};
use numasim_model::demand::Demand;
use numasim_model::ids::AppId;
use numasim_model::order::{Control, Order};
use numasim_model::scaling::Scaling;
use numasim_model::units::{FlopPerByte, Gflop, Megabytes, Seconds};
use numasim_model::words;

/// All input files, united and checked, with the behaviour of the applications over time.
///
/// Code that needs only machine, applications and scenarios uses it as a [`numasim_model::Study`].
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Machine, applications and scenarios.
    pub at_rest: numasim_model::Study,
    /// The behaviour of the applications over time.
    pub dynamics: Dynamics,
}

impl Deref for Study {
    type Target = numasim_model::Study;

    fn deref(&self) -> &Self::Target {
        &self.at_rest
    }
}

impl DerefMut for Study {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.at_rest
    }
}

/// The part of a study that is about time; the default is that of files without any key about time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dynamics {
    /// The course of each application instance; one entry for each application of the study.
    pub courses: Vec<Course>,
    /// `[[channel]]`, in file order. Together with the calls they form no cycle.
    pub channels: Vec<Channel>,
    /// `[[call]]`, in file order.
    pub calls: Vec<Call>,
    /// `[[command]]`, in file order; one entry for each instance that a command names.
    pub commands: Vec<Command>,
    /// `[policy]`.
    pub policy: PolicyChoice,
    /// `[os]`.
    pub os: Os,
    /// `[cluster]`, if present.
    pub cluster: Option<Cluster>,
}

/// A `[[command]]` of a file, for one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The time of the command.
    pub at: Seconds,
    /// Its target.
    pub app: AppId,
    /// The order: of the kind that the application can follow, for no more threads than it has.
    pub order: Order,
}

/// A producer hands one item for each of its iterations to a consumer.
///
/// The producer's iteration i may begin while produced - finished < capacity; the consumer's when i items are produced.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// The producer.
    pub from: AppId,
    /// The consumer.
    pub to: AppId,
    /// The size of an item.
    pub item: Megabytes,
    /// Maximum number of items that are produced and not finished; at least 1, `None` is no limit.
    pub capacity: Option<u64>,
}

/// Every `every`-th iteration of an application ends by waiting for one iteration of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The caller.
    pub from: AppId,
    /// The called application.
    pub to: AppId,
    /// The number of iterations between calls; at least 1.
    pub every: u64,
}

impl Call {
    /// The number of calls in `iterations` iterations of the caller.
    pub fn count(&self, iterations: u64) -> u64 {
        iterations.checked_div(self.every).unwrap_or(0)
    }
}

/// `[policy]`: the policy, its period, and the delay until a decision arrives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyChoice {
    /// As in a file: `lead:2`; `None` if no file gives it.
    pub name: Option<String>,
    /// Time between two decisions; 0 means after every event.
    pub period: Seconds,
    /// Delay from a decision to the threads that see it.
    pub command_delay: Seconds,
}

/// `[os]`: the cost of running more threads than cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Os {
    /// Time slice of a thread on its core.
    pub slice: Seconds,
    /// Cost of a switch to another thread.
    pub switch: Seconds,
    /// Cost of refilling the private caches.
    pub refill: Seconds,
}

impl Os {
    /// The fraction of speed that remains for a thread that shares its core: slice / (slice + switch + refill).
    pub fn efficiency(&self) -> f64 {
        let slice = self.slice.value();
        let all = slice + self.switch.value() + self.refill.value();
        if all > 0.0 { slice / all } else { 1.0 }
    }
}

impl Default for Os {
    /// Assumed, in the order of magnitude of Linux: slices of 3 ms (EEVDF, CFS), 5 us for a switch, and 0.1 ms to fill a
    /// private cache of 1 MB at 10 GB/s.
    fn default() -> Self {
        Self { slice: Seconds::new(3e-3), switch: Seconds::new(5e-6), refill: Seconds::new(1e-4) }
    }
}

/// `[cluster]`: the machine stands for one of several equal nodes of a cluster (paper 002, section V).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// The number of nodes of the cluster; at least 1.
    pub nodes: u64,
    /// Their synchronisation.
    pub sync: Synchronisation,
    /// The number of nodes on which the policy decides; the others use `static-even`.
    pub policy_on: u64,
    /// Noise between the nodes: each iteration of a node takes 1 to 1 + `noise` times as long, drawn uniformly; 0 is none.
    pub noise: f64,
}

words! {
    /// The synchronisation of the nodes of a cluster.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Synchronisation {
        /// After every iteration, for the slowest.
        #[default]
        Barrier = "barrier",
        /// Work is spread by speed.
        Loose = "loose",
    }
}

/// The course of one application instance, from its arrival to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The number of passes through its phases; at least 1.
    pub iterations: u64,
    /// The phases of one iteration, in sequence; at least one.
    pub phases: Vec<Phase>,
    /// Time of arrival.
    pub arrives: Seconds,
    /// Threads on each node: one entry per node, 0 if the node has no cores or the application may not run there.
    pub threads: Vec<u32>,
    /// The binding of a thread.
    pub binding: Binding,
    /// The kind of commands that it can follow.
    pub control: Control,
    /// The order of its threads.
    pub pick: Pick,
    /// Coefficient of variation of the work of its tasks (lognormal, mean 1); 0 is none.
    pub task_spread: f64,
    /// Coefficient of variation of the time that a task of equal work computes (lognormal, mean 1); 0 is none.
    pub task_jitter: f64,
    /// The blocked threads that wake first.
    pub wake: Wake,
    /// File and arguments of an external program, at least the file. Work and phases then describe the program for a
    /// simulation.
    pub command: Option<Vec<String>>,
}

/// A part of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// FLOP per byte moved to or from memory.
    pub arithmetic_intensity: FlopPerByte,
    /// The data placement.
    pub data: Data,
    /// Whether the file gives this phase separate `data`. Otherwise it uses the data of the application, and follows the
    /// placement in a scenario or a sweep.
    pub owns_data: bool,
    /// The speed of several threads together.
    pub scaling: Scaling,
    /// Sleep of a thread after each task; 0 is none.
    pub io: Seconds,
    /// The work of one iteration; `None` if no file defines it.
    pub work: Option<Work>,
    /// Whether the file gives the work of all iterations together (`work_gflop`), divided equally among them: a different
    /// number of iterations changes the share of each. Work given by task (`task_gflop`) does not change.
    pub total_given: bool,
}

/// The work of a phase in one iteration.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// One pool: every unblocked thread works on it.
    Divisible(Gflop),
    /// Tasks, each of which stays on its thread from beginning to end.
    Tasks {
        /// The number of tasks.
        count: u64,
        /// Task k has entry k mod length; not empty.
        each: Vec<Gflop>,
    },
}

impl Work {
    /// The work of an iteration: equal tasks, or divisible.
    pub fn of_iteration(work: Gflop, tasks: Option<u64>) -> Self {
        match tasks {
            Some(count) => Self::Tasks { count, each: vec![Gflop::new(work.value() / count as f64)] },
            None => Self::Divisible(work),
        }
    }

    /// The number of tasks; `None` for divisible work.
    pub const fn tasks(&self) -> Option<u64> {
        match self {
            Self::Tasks { count, .. } => Some(*count),
            Self::Divisible(_) => None,
        }
    }

    /// The work of all tasks together, before any spread.
    pub fn total(&self) -> Gflop {
        match self {
            Self::Divisible(work) => *work,
            Self::Tasks { count, each } => {
                let length = each.len() as u64;
                let (Some(rounds), Some(rest)) = (count.checked_div(length), count.checked_rem(length))
                else {
                    return Gflop::new(0.0);
                };
                let whole: Gflop = each.iter().copied().sum();
                let part: Gflop =
                    each.iter().copied().take(usize::try_from(rest).unwrap_or(usize::MAX)).sum();
                whole * rounds as f64 + part
            }
        }
    }

    /// The work of task `number` of an iteration, before any spread; 0 for divisible work.
    pub fn of_task(&self, number: u64) -> Gflop {
        match self {
            Self::Tasks { each, .. } if !each.is_empty() => {
                each[usize::try_from(number % each.len() as u64).unwrap_or(0)]
            }
            Self::Tasks { .. } | Self::Divisible(_) => Gflop::new(0.0),
        }
    }
}

impl Phase {
    /// Its demand as a phase of `app`, with its data at `placement`.
    pub fn demand(&self, app: &App, placement: Placement) -> Demand {
        Demand { arithmetic_intensity: self.arithmetic_intensity, ..app.demand(placement) }
    }

    /// Its data placement if the data of the application is placed at `of_app`, such as in a scenario; `None` is as in the files.
    /// Data that the file gives this phase does not move \[decision: the file gives it for this phase alone, and so most exactly\].
    pub fn data_with<'d>(&'d self, of_app: Option<&'d Data>) -> &'d Data {
        of_app.filter(|_| !self.owns_data).unwrap_or(&self.data)
    }
}

impl Course {
    /// Sets the number of iterations. Work that the file gives for all of them together is preserved, and so are single
    /// tasks.
    pub fn set_iterations(&mut self, iterations: u64) {
        let factor = self.iterations as f64 / iterations as f64;
        for phase in self.phases.iter_mut().filter(|phase| phase.total_given) {
            match &mut phase.work {
                Some(Work::Divisible(work)) => *work = *work * factor,
                Some(Work::Tasks { each, .. }) => each.iter_mut().for_each(|work| *work = *work * factor),
                None => {}
            }
        }
        self.iterations = iterations;
    }

    /// The work of all iterations, before any spread; `None` if no file defines it.
    pub fn total_work(&self) -> Option<Gflop> {
        let of_iteration: Option<Vec<Gflop>> =
            self.phases.iter().map(|phase| phase.work.as_ref().map(Work::total)).collect();
        Some(of_iteration?.into_iter().sum::<Gflop>() * self.iterations as f64)
    }

    /// Whether each of its tasks has a drawn factor, so that no two of them take the same time.
    pub fn draws_tasks(&self) -> bool {
        self.task_spread > 0.0 || self.task_jitter > 0.0
    }

    /// Threads on all nodes.
    pub fn thread_count(&self) -> u32 {
        self.threads.iter().sum()
    }
}

words! {
    /// The binding of a thread.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Binding {
        /// Any core of a node.
        #[default]
        Node = "node",
        /// One core.
        /// Thread i of a node: core i mod cores of the node.
        Core = "core",
    }
}

words! {
    /// The numbering of the threads of an application: the order in which they take tasks and are unblocked; they block
    /// in reverse.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Pick {
        /// Round the nodes: the first of each, then the second of each.
        #[default]
        Spread = "spread",
        /// Node after node.
        Pack = "pack",
    }
}

words! {
    /// The blocked threads that an order unblocks, if it unblocks some of them and not all.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Wake {
        /// Those with the lowest numbers.
        #[default]
        InOrder = "in-order",
        /// Any of them with the same probability (paper 002, section II, options 1 and 3).
        Random = "random",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assumed_cost_of_sharing_a_core() {
        // 3 / (3 + 0.005 + 0.1) = 0.966184
        assert!((Os::default().efficiency() - 0.966_184).abs() < 1e-6);
    }

    #[test]
    fn tasks_repeat_their_list() {
        // 3 + 4 + 3 + 4 + 3 GFLOP
        let work = Work::Tasks { count: 5, each: vec![Gflop::new(3.0), Gflop::new(4.0)] };
        assert_eq!(work.total(), Gflop::new(17.0));
        assert_eq!(work.of_task(4), Gflop::new(3.0));
    }
}
