//! The figures of what happens over time: `app.NAME.iterations`, `channel.FROM.TO.item_mb`, `policy.period_ms`. They stand in a
//! study apart from machine and applications ([`Dynamics`](numasim_model::dynamics::Dynamics)), so that they have a type of their own.

mod find;

use std::ops::Range;

use super::range::ValueRange;
use numasim_model::bounds::{MOST_EXACT, MOST_REPEATED};
use numasim_model::dynamics::{Channel, Course, Phase, Work};
use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_CORES_PER_NODE;
use numasim_model::scenario::Study;
use numasim_model::units::{FlopPerByte, Gflop, Megabytes, Seconds};

/// A number of the files that matters over time, or several that are changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeFigure {
    /// Of these application instances.
    Course(CourseFigure, Range<usize>),
    /// Of a phase of these application instances, by its place in an iteration.
    Phase(PhaseFigure, Range<usize>, usize),
    /// Of these channels, by their places in the study.
    Channel(ChannelFigure, Vec<usize>),
    /// After each how many iterations these calls are made, by their places in the study.
    CallEvery(Vec<usize>),
    /// Of the policy.
    Policy(PolicyFigure),
    /// Of the operating system.
    Os(OsFigure),
}

/// A number of what an application does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CourseFigure {
    /// Iterations; work that is given for all of them together stays, so that one has another part.
    Iterations,
    /// When it arrives, s.
    Arrives,
    /// Coefficient of variation of the work of tasks.
    TaskSpread,
    /// Threads on every node that has cores and that it may use.
    Threads,
}

/// A number of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseFigure {
    /// FLOP per byte.
    ArithmeticIntensity,
    /// Work of all iterations together, GFLOP; takes the place of the work of tasks.
    Work,
    /// Work of each task, GFLOP; takes the place of the work of all iterations.
    TaskWork,
    /// Tasks in an iteration; work that is given for all of them together is cut into so many.
    Tasks,
    /// Sleep after each task, ms.
    Io,
}

/// A number of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelFigure {
    /// Size of an item, MB.
    Item,
    /// Most items that are produced and not finished.
    Capacity,
}

/// A number of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyFigure {
    /// Time between two decisions, ms.
    Period,
    /// From a decision to the threads, ms.
    CommandDelay,
    /// How many iterations producers may be ahead: K of the policy `lead:K`.
    Lead,
}

/// A number of the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OsFigure {
    /// How long a thread keeps its core, ms.
    Slice,
    /// The change to another thread, us.
    Switch,
    /// Filling the private caches again, ms.
    Refill,
}

/// The policy that has a lead.
const LEAD: &str = "lead";
/// K of `lead` without an argument.
const DEFAULT_LEAD: f64 = 2.0;

impl TimeFigure {
    /// The values in the study, one for each instance or channel that it stands for and that has one.
    pub fn values(&self, study: &Study) -> Vec<f64> {
        let dynamics = &study.dynamics;
        match self {
            Self::Course(figure, apps) => {
                let courses = dynamics.courses.get(apps.clone()).into_iter().flatten();
                courses.filter_map(|course| figure.of(course)).collect()
            }
            Self::Phase(figure, apps, number) => {
                let courses = dynamics.courses.get(apps.clone()).into_iter().flatten();
                let phases =
                    courses.filter_map(|course| Some((course.phases.get(*number)?, course.iterations)));
                phases.filter_map(|(phase, iterations)| figure.of(phase, iterations)).collect()
            }
            Self::Channel(figure, numbers) => {
                let channels = numbers.iter().filter_map(|&number| dynamics.channels.get(number));
                channels.filter_map(|channel| figure.of(channel)).collect()
            }
            Self::CallEvery(numbers) => {
                let calls = numbers.iter().filter_map(|&number| dynamics.calls.get(number));
                calls.map(|call| call.every as f64).collect()
            }
            Self::Policy(PolicyFigure::Period) => vec![dynamics.policy.period.value() * 1e3],
            Self::Policy(PolicyFigure::CommandDelay) => vec![dynamics.policy.command_delay.value() * 1e3],
            Self::Policy(PolicyFigure::Lead) => {
                dynamics.policy.name.as_deref().and_then(lead_of).into_iter().collect()
            }
            Self::Os(OsFigure::Slice) => vec![dynamics.os.slice.value() * 1e3],
            Self::Os(OsFigure::Switch) => vec![dynamics.os.switch.value() * 1e6],
            Self::Os(OsFigure::Refill) => vec![dynamics.os.refill.value() * 1e3],
        }
    }

    /// Gives everything that it stands for this value. Values outside of [`TimeFigure::range`] are the caller's fault.
    pub fn set(&self, study: &mut Study, value: f64) {
        let dynamics = &mut study.dynamics;
        match self {
            Self::Course(figure, apps) => {
                for app in apps.clone() {
                    let Some((app, course)) = study.apps.get_mut(app).zip(dynamics.courses.get_mut(app))
                    else {
                        continue;
                    };
                    match figure {
                        CourseFigure::Iterations => course.set_iterations(whole(value)),
                        CourseFigure::Arrives => course.arrives = Seconds::new(value),
                        CourseFigure::TaskSpread => course.task_spread = value,
                        CourseFigure::Threads => {
                            let nodes = study.machine.nodes().iter().zip(&mut course.threads).enumerate();
                            for (node, (there, threads)) in nodes {
                                let may =
                                    app.nodes.as_ref().is_none_or(|nodes| nodes.contains(&NodeId(node)));
                                let count = u32::try_from(whole(value)).unwrap_or(u32::MAX);
                                *threads = if may && there.cores > 0 { count } else { 0 };
                            }
                        }
                    }
                    app.work = course.total_work().filter(|work| work.value() > 0.0);
                }
            }
            Self::Phase(figure, apps, number) => {
                for app in apps.clone() {
                    let Some((app, course)) = study.apps.get_mut(app).zip(dynamics.courses.get_mut(app))
                    else {
                        continue;
                    };
                    let alone = course.phases.len() == 1;
                    let Some(phase) = course.phases.get_mut(*number) else { continue };
                    figure.put(phase, course.iterations, value);
                    if alone {
                        app.arithmetic_intensity = phase.arithmetic_intensity;
                    }
                    app.work = course.total_work().filter(|work| work.value() > 0.0);
                }
            }
            Self::Channel(figure, numbers) => {
                for &number in numbers {
                    let Some(channel) = dynamics.channels.get_mut(number) else { continue };
                    match figure {
                        ChannelFigure::Item => channel.item = Megabytes::new(value),
                        ChannelFigure::Capacity => channel.capacity = Some(whole(value)),
                    }
                }
            }
            Self::CallEvery(numbers) => {
                for &number in numbers {
                    if let Some(call) = dynamics.calls.get_mut(number) {
                        call.every = whole(value);
                    }
                }
            }
            Self::Policy(PolicyFigure::Period) => dynamics.policy.period = Seconds::new(value / 1e3),
            Self::Policy(PolicyFigure::CommandDelay) => {
                dynamics.policy.command_delay = Seconds::new(value / 1e3);
            }
            Self::Policy(PolicyFigure::Lead) => {
                dynamics.policy.name = Some(format!("{LEAD}:{}", whole(value)));
            }
            Self::Os(OsFigure::Slice) => dynamics.os.slice = Seconds::new(value / 1e3),
            Self::Os(OsFigure::Switch) => dynamics.os.switch = Seconds::new(value / 1e6),
            Self::Os(OsFigure::Refill) => dynamics.os.refill = Seconds::new(value / 1e3),
        }
    }

    /// The unit of its values; empty for a plain number.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Course(CourseFigure::Arrives, _) => "s",
            Self::Phase(PhaseFigure::ArithmeticIntensity, ..) => "FLOP/byte",
            Self::Phase(PhaseFigure::Work | PhaseFigure::TaskWork, ..) => "GFLOP",
            Self::Channel(ChannelFigure::Item, _) => "MB",
            Self::Phase(PhaseFigure::Io, ..)
            | Self::Policy(PolicyFigure::Period | PolicyFigure::CommandDelay)
            | Self::Os(OsFigure::Slice | OsFigure::Refill) => "ms",
            Self::Os(OsFigure::Switch) => "us",
            Self::Course(..)
            | Self::Phase(PhaseFigure::Tasks, ..)
            | Self::Channel(ChannelFigure::Capacity, _)
            | Self::CallEvery(_)
            | Self::Policy(PolicyFigure::Lead) => "",
        }
    }

    /// The values that it may have.
    pub const fn range(&self) -> ValueRange {
        match self {
            Self::Course(CourseFigure::Iterations, _) | Self::Phase(PhaseFigure::Tasks, ..) => {
                ValueRange::Whole { least: 1, most: MOST_REPEATED }
            }
            Self::Course(CourseFigure::Threads, _) => ValueRange::whole(1, MAX_CORES_PER_NODE),
            Self::Channel(ChannelFigure::Capacity, _)
            | Self::CallEvery(_)
            | Self::Policy(PolicyFigure::Lead) => ValueRange::Whole { least: 1, most: MOST_EXACT },
            // Files take no work at all only of tasks, which then sleep; `task_gflop` says that as well.
            Self::Phase(PhaseFigure::ArithmeticIntensity | PhaseFigure::Work, ..)
            | Self::Os(OsFigure::Slice) => ValueRange::Positive,
            Self::Course(..)
            | Self::Phase(..)
            | Self::Channel(..)
            | Self::Policy(_)
            | Self::Os(OsFigure::Switch | OsFigure::Refill) => ValueRange::NotNegative,
        }
    }
}

/// K of `lead:K`; `None` for another policy.
fn lead_of(name: &str) -> Option<f64> {
    let rest = name.strip_prefix(LEAD)?;
    match rest.strip_prefix(':') {
        Some(lead) => lead.parse::<u64>().ok().map(|lead| lead as f64),
        None => rest.is_empty().then_some(DEFAULT_LEAD),
    }
}

impl CourseFigure {
    fn of(self, course: &Course) -> Option<f64> {
        match self {
            Self::Iterations => Some(course.iterations as f64),
            Self::Arrives => Some(course.arrives.value()),
            Self::TaskSpread => Some(course.task_spread),
            Self::Threads => course.threads.iter().copied().max().map(f64::from),
        }
    }
}

impl PhaseFigure {
    fn of(self, phase: &Phase, iterations: u64) -> Option<f64> {
        let total = || phase.work.as_ref().map(|work| work.total().value() * iterations as f64);
        match (self, &phase.work) {
            (Self::ArithmeticIntensity, _) => Some(phase.arithmetic_intensity.value()),
            (Self::Io, _) => Some(phase.io.value() * 1e3),
            (Self::Work, _) => total().filter(|_| phase.total_given),
            (Self::TaskWork, Some(Work::Tasks { each, .. })) => {
                each.first().filter(|_| !phase.total_given).map(|work| work.value())
            }
            (Self::Tasks, Some(Work::Tasks { count, .. })) => Some(*count as f64),
            (Self::TaskWork | Self::Tasks, _) => None,
        }
    }

    fn put(self, phase: &mut Phase, iterations: u64, value: f64) {
        let count = match &phase.work {
            Some(Work::Tasks { count, .. }) => Some(*count),
            Some(Work::Divisible(_)) | None => None,
        };
        match self {
            Self::ArithmeticIntensity => phase.arithmetic_intensity = FlopPerByte::new(value),
            Self::Io => phase.io = Seconds::new(value / 1e3),
            Self::Work => {
                phase.work = Some(Work::of_iteration(Gflop::new(value / iterations as f64), count));
                phase.total_given = true;
            }
            Self::TaskWork => {
                phase.work = Some(Work::Tasks { count: count.unwrap_or(1), each: vec![Gflop::new(value)] });
                phase.total_given = false;
            }
            Self::Tasks => match &mut phase.work {
                Some(Work::Tasks { count, .. }) if !phase.total_given => *count = whole(value),
                Some(work) => *work = Work::of_iteration(work.total(), Some(whole(value))),
                None => {}
            },
        }
    }
}

impl ChannelFigure {
    fn of(self, channel: &Channel) -> Option<f64> {
        match self {
            Self::Item => Some(channel.item.value()),
            Self::Capacity => channel.capacity.map(|capacity| capacity as f64),
        }
    }
}

/// A count in its range as a number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in ValueRange::Whole")]
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests;
