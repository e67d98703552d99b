//! What applications do over time: iterations, phases and tasks, who waits for whom, and what commands say.
//!
//! The static model asks for threads only. Here is the rest of a study, for simulated time and for an agent: values, as the
//! input files give them, without any behaviour in time. Terms follow paper 002, sections II, IV and V.

use std::ops::{Deref, DerefMut};

use numasim_model::app::{App, Data, Placement};
use numasim_model::demand::Demand;
use numasim_model::ids::AppId;
use numasim_model::order::{Control, Order};
use numasim_model::scaling::Scaling;
use numasim_model::units::{FlopPerByte, Gflop, Megabytes, Seconds};
use numasim_model::words;

/// All input files, united and checked, with what the applications do over time.
///
/// Whatever asks for machine, applications and scenarios alone takes it as a [`numasim_model::Study`].
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Machine, applications and scenarios.
    pub at_rest: numasim_model::Study,
    /// What the applications do over time.
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

/// The part of a study that is about time; the default is that of files that say nothing of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dynamics {
    /// What each application instance does; one entry for each application of the study.
    pub courses: Vec<Course>,
    /// `[[channel]]`, in the order of the files. With the calls they form no circle.
    pub channels: Vec<Channel>,
    /// `[[call]]`, in the order of the files.
    pub calls: Vec<Call>,
    /// `[[command]]`, in the order of the files; one entry for each instance that a command names.
    pub commands: Vec<Command>,
    /// `[policy]`.
    pub policy: PolicyChoice,
    /// `[os]`.
    pub os: Os,
    /// `[cluster]`, where there is one.
    pub cluster: Option<Cluster>,
}

/// A `[[command]]` of a file, for one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// When it is given.
    pub at: Seconds,
    /// To whom.
    pub app: AppId,
    /// What it says; of the kind that the application can follow, and no more threads than it has.
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
    /// Most items that are produced and not finished; at least 1, `None` is no limit.
    pub capacity: Option<u64>,
}

/// Every `every`-th iteration of an application ends with an iteration of another one, for which it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who calls.
    pub from: AppId,
    /// Who works.
    pub to: AppId,
    /// After each how many iterations; at least 1.
    pub every: u64,
}

impl Call {
    /// How often `iterations` iterations of the caller call.
    pub fn count(&self, iterations: u64) -> u64 {
        iterations.checked_div(self.every).unwrap_or(0)
    }
}

/// `[policy]`: who decides, how often, and how long a decision takes to arrive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyChoice {
    /// As in a file: `lead:2`; `None` where no file says it.
    pub name: Option<String>,
    /// Time between two decisions; 0 is whenever something happens.
    pub period: Seconds,
    /// From a decision to the threads that see it.
    pub command_delay: Seconds,
}

/// `[os]`: what it costs that more threads run than there are cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Os {
    /// How long a thread keeps its core.
    pub slice: Seconds,
    /// The change to another thread.
    pub switch: Seconds,
    /// Filling the private caches again.
    pub refill: Seconds,
}

impl Os {
    /// The part of its speed that is left to a thread that shares its core: slice / (slice + switch + refill).
    pub fn efficiency(&self) -> f64 {
        let slice = self.slice.value();
        let all = slice + self.switch.value() + self.refill.value();
        if all > 0.0 { slice / all } else { 1.0 }
    }
}

impl Default for Os {
    /// Assumed, as the order of magnitude of Linux: slices of 3 ms (EEVDF, CFS), 5 us for a switch, and 0.1 ms to fill a
    /// private cache of 1 MB at 10 GB/s.
    fn default() -> Self {
        Self { slice: Seconds::new(3e-3), switch: Seconds::new(5e-6), refill: Seconds::new(1e-4) }
    }
}

/// `[cluster]`: the machine stands for one of several equal nodes of a cluster (paper 002, section V).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// How many nodes of the cluster; at least 1.
    pub nodes: u64,
    /// How they wait for each other.
    pub sync: Synchronisation,
    /// On how many of them the policy decides; on the others it is `static-even`.
    pub policy_on: u64,
    /// Noise between the nodes: each iteration of a node takes 1 to 1 + `noise` times as long, drawn uniformly; 0 is none.
    pub noise: f64,
}

words! {
    /// How the nodes of a cluster wait for each other.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Synchronisation {
        /// After every iteration, for the slowest.
        #[default]
        Barrier = "barrier",
        /// Work is spread by speed.
        Loose = "loose",
    }
}

/// What one application instance does, from its arrival to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// How often it goes through its phases; at least 1.
    pub iterations: u64,
    /// The phases of one iteration, one after the other; at least one.
    pub phases: Vec<Phase>,
    /// When it arrives.
    pub arrives: Seconds,
    /// Threads on each node: one entry per node, 0 where there are no cores or where it may not run.
    pub threads: Vec<u32>,
    /// What a thread is bound to.
    pub binding: Binding,
    /// Which commands it can follow.
    pub control: Control,
    /// The order of its threads.
    pub pick: Pick,
    /// Coefficient of variation of the work of its tasks (lognormal, mean 1); 0 is none.
    pub task_spread: f64,
    /// Where it is a program of its own: its file and its arguments, at least the file. Work and phases say then what a
    /// simulation takes it for.
    pub command: Option<Vec<String>>,
}

/// A part of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// FLOP per byte moved to or from memory.
    pub arithmetic_intensity: FlopPerByte,
    /// Where the data lies.
    pub data: Data,
    /// Whether the file gives this phase `data` of its own. Otherwise its data is that of the application, and goes where a
    /// scenario or a sweep puts that.
    pub owns_data: bool,
    /// How fast several threads are together.
    pub scaling: Scaling,
    /// How long a thread sleeps after each task; 0 is not at all.
    pub io: Seconds,
    /// What there is to do in one iteration; `None` where no file says it.
    pub work: Option<Work>,
    /// Whether the file gives the work of all iterations together (`work_gflop`), of which an iteration has its part: with
    /// other iterations it has another part. What is given by task (`task_gflop`) stays as it is.
    pub total_given: bool,
}

/// The work of a phase in one iteration.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// One pool: every thread that may run works on it.
    Divisible(Gflop),
    /// Tasks, which stay on their thread from beginning to end.
    Tasks {
        /// How many.
        count: u64,
        /// Task k has entry k mod length; not empty.
        each: Vec<Gflop>,
    },
}

impl Work {
    /// The work of an iteration: so many equal tasks, or divisible.
    pub fn of_iteration(work: Gflop, tasks: Option<u64>) -> Self {
        match tasks {
            Some(count) => Self::Tasks { count, each: vec![Gflop::new(work.value() / count as f64)] },
            None => Self::Divisible(work),
        }
    }

    /// How many tasks; `None` for divisible work.
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

    /// The work of task `number` of an iteration, before any spread; nothing for divisible work.
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
    /// What it asks for as a phase of `app`, with its data at `placement`.
    pub fn demand(&self, app: &App, placement: Placement) -> Demand {
        Demand { arithmetic_intensity: self.arithmetic_intensity, ..app.demand(placement) }
    }

    /// Where its data lies when the data of the application lies at `of_app`, such as in a scenario; `None` is as in the files.
    /// Data that the file gives this phase stays where it is \[decision: the file says it of this phase alone, and so most exactly\].
    pub fn data_with<'d>(&'d self, of_app: Option<&'d Data>) -> &'d Data {
        of_app.filter(|_| !self.owns_data).unwrap_or(&self.data)
    }
}

impl Course {
    /// Gives it so many iterations: work that the file gives for all of them together stays, as do single tasks.
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

    /// The work of all iterations, before any spread; `None` where no file says what there is to do.
    pub fn total_work(&self) -> Option<Gflop> {
        let of_iteration: Option<Vec<Gflop>> =
            self.phases.iter().map(|phase| phase.work.as_ref().map(Work::total)).collect();
        Some(of_iteration?.into_iter().sum::<Gflop>() * self.iterations as f64)
    }

    /// Threads on all nodes.
    pub fn thread_count(&self) -> u32 {
        self.threads.iter().sum()
    }
}

words! {
    /// What a thread is bound to.
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
    /// How the threads of an application are numbered: the order in which they take tasks and are unblocked, and against
    /// which they block.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Pick {
        /// Round the nodes: the first of each, then the second of each.
        #[default]
        Spread = "spread",
        /// Node after node.
        Pack = "pack",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assumed_price_of_sharing_a_core() {
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
