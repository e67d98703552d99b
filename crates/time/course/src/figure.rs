//! The parameters over time: `app.NAME.iterations`, `channel.FROM.TO.item_mb`, `policy.period_ms`. A study stores them apart
//! from machine and applications ([`Dynamics`](crate::Dynamics)), so they have a separate type.

use numasim_model::app::{App, Data, IntensityFrom};
use numasim_model::ids::NodeId;
use numasim_model::machine::MAX_CORES_PER_NODE;
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond, Megabytes, Seconds};
use numasim_study::figure::{KeyError, Swept, ValueRange, absent, instances, not_counted, unknown};
use numasim_study::keys::{Key, app as at_rest};

use crate::keys::{LEAD, LEADING, app, call, channel, lead_of, os, phase, policy};
use crate::values::{Call, Channel, Course, Os, Phase, PolicyChoice, Study, Work};

/// The location of a parameter over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The application instance, channel or call; 0 for unique tables.
    pub of: usize,
    /// The phase of the application.
    pub phase: usize,
}

/// How a number over time is replaced by another one in its range: in the part of the study that [`At`] names.
#[derive(Clone, Copy, Debug)]
pub enum Put {
    /// In several parts.
    Study(fn(&mut Study, At, f64) -> Option<()>),
    /// In an application.
    Course(fn(&mut Course, f64)),
    /// In a phase of an application.
    Phase(fn(&mut Phase, f64)),
    /// In a channel.
    Channel(fn(&mut Channel, f64)),
    /// In a call.
    Call(fn(&mut Call, f64)),
    /// In `[policy]`.
    Policy(fn(&mut PolicyChoice, f64)),
    /// In `[os]`.
    Os(fn(&mut Os, f64)),
}

/// Keys whose numbers can be replaced, each with its setter.
pub type Changes = &'static [(&'static Key, Put)];

/// Those of `[[app]]` and its phases.
pub const OF_APPS: Changes = &[
    (&at_rest::ARITHMETIC_INTENSITY, Put::Study(put_intensity)),
    (&at_rest::THREAD_GFLOPS, Put::Study(put_thread_gflops)),
    (&at_rest::THREAD_GBS, Put::Study(put_thread_gbs)),
    (&at_rest::WORK_GFLOP, Put::Study(put_total_work)),
    (&app::TASK_GFLOP, Put::Phase(put_task_work)),
    (&app::TASKS, Put::Phase(put_tasks)),
    (&app::TASK_SPREAD, Put::Course(|course, spread| course.task_spread = spread)),
    (&app::TASK_JITTER, Put::Course(|course, jitter| course.task_jitter = jitter)),
    (&app::ITERATIONS, Put::Course(|course, iterations| course.set_iterations(counted(iterations)))),
    (&app::IO_MS, Put::Phase(|phase, ms| phase.io = Seconds::new(ms / 1e3))),
    (&app::ARRIVES_S, Put::Course(|course, s| course.arrives = Seconds::new(s))),
    (&app::THREADS, Put::Study(put_threads)),
];

/// Those of `[[channel]]`.
pub const OF_CHANNELS: Changes = &[
    (&channel::ITEM_MB, Put::Channel(|channel, mb| channel.item = Megabytes::new(mb))),
    (&channel::CAPACITY, Put::Channel(|channel, capacity| channel.capacity = Some(counted(capacity)))),
];

/// Those of `[[call]]`.
pub const OF_CALLS: Changes = &[(&call::EVERY, Put::Call(|call, every| call.every = counted(every)))];

/// Those of `[policy]`, and the lead, which is part of the policy name.
pub const OF_POLICY: Changes = &[
    (&policy::PERIOD_MS, Put::Policy(|policy, ms| policy.period = Seconds::new(ms / 1e3))),
    (&policy::COMMAND_MS, Put::Policy(|policy, ms| policy.command_delay = Seconds::new(ms / 1e3))),
    (&LEAD, Put::Policy(|policy, lead| policy.name = Some(format!("{LEADING}:{}", counted(lead))))),
];

/// Those of `[os]`.
pub const OF_OS: Changes = &[
    (&os::SLICE_MS, Put::Os(|os, ms| os.slice = Seconds::new(ms / 1e3))),
    (&os::SWITCH_US, Put::Os(|os, us| os.switch = Seconds::new(us / 1e6))),
    (&os::REFILL_MS, Put::Os(|os, ms| os.refill = Seconds::new(ms / 1e3))),
];

/// The keys of such a list.
pub fn keys(changes: Changes) -> impl Iterator<Item = &'static Key> {
    changes.iter().map(|(key, _)| *key)
}

/// The setter for the number of a key; no two of these keys have the same name.
fn put_of(key: &Key) -> Option<Put> {
    let all = [OF_APPS, OF_CHANNELS, OF_CALLS, OF_POLICY, OF_OS].into_iter().flatten();
    all.copied().find(|(own, _)| *own == key).map(|(_, put)| put)
}

impl Put {
    /// Stores the number; `None` if there is no such application, channel or call.
    fn put(self, study: &mut Study, at: At, value: f64) -> Option<()> {
        let dynamics = &mut study.dynamics;
        match self {
            Self::Study(put) => put(study, at, value)?,
            Self::Course(put) => put(dynamics.courses.get_mut(at.of)?, value),
            Self::Phase(put) => put(phase_mut(study, at)?, value),
            Self::Channel(put) => put(dynamics.channels.get_mut(at.of)?, value),
            Self::Call(put) => put(dynamics.calls.get_mut(at.of)?, value),
            Self::Policy(put) => put(&mut dynamics.policy, value),
            Self::Os(put) => put(&mut dynamics.os, value),
        }
        Some(())
    }
}

/// A count in its range as a number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the range of its key")]
const fn counted(value: f64) -> u64 {
    value as u64
}

fn phase_mut(study: &mut Study, at: At) -> Option<&mut Phase> {
    study.dynamics.courses.get_mut(at.of)?.phases.get_mut(at.phase)
}

/// The only phase of an application has the intensity of the application.
fn put_intensity(study: &mut Study, at: At, value: f64) -> Option<()> {
    let alone = study.dynamics.courses.get(at.of)?.phases.len() == 1;
    phase_mut(study, at)?.arithmetic_intensity = FlopPerByte::new(value);
    if alone {
        let app = study.at_rest.apps.get_mut(at.of)?;
        app.arithmetic_intensity = FlopPerByte::new(value);
        app.intensity_from = IntensityFrom::Given;
    }
    Some(())
}

/// If the intensity is the quotient of both, it is recomputed, also in the only phase.
fn put_of_thread(study: &mut Study, at: At, put: impl FnOnce(&mut App)) -> Option<()> {
    let app = study.at_rest.apps.get_mut(at.of)?;
    put(app);
    let (intensity, follows) = (app.arithmetic_intensity, app.intensity_from == IntensityFrom::Quotient);
    let phases = &mut study.dynamics.courses.get_mut(at.of)?.phases;
    if let ([phase], true) = (&mut phases[..], follows) {
        phase.arithmetic_intensity = intensity;
    }
    Some(())
}

fn put_thread_gflops(study: &mut Study, at: At, value: f64) -> Option<()> {
    put_of_thread(study, at, |app| app.set_thread_gflops(Gflops::new(value)))
}

fn put_thread_gbs(study: &mut Study, at: At, value: f64) -> Option<()> {
    put_of_thread(study, at, |app| app.set_thread_gbs(GigabytesPerSecond::new(value)))
}

/// Threads on every node that has cores and that the application may use.
fn put_threads(study: &mut Study, at: At, value: f64) -> Option<()> {
    let count = u32::try_from(counted(value)).unwrap_or(u32::MAX);
    let Study { at_rest, dynamics } = study;
    let (app, course) = (at_rest.apps.get(at.of)?, dynamics.courses.get_mut(at.of)?);
    for (node, (there, threads)) in at_rest.machine.nodes().iter().zip(&mut course.threads).enumerate() {
        let may = app.nodes.as_ref().is_none_or(|nodes| nodes.contains(&NodeId(node)));
        *threads = if may && there.cores > 0 { count } else { 0 };
    }
    Some(())
}

/// Replaces the work of tasks.
fn put_total_work(study: &mut Study, at: At, value: f64) -> Option<()> {
    let course = study.dynamics.courses.get_mut(at.of)?;
    let iterations = course.iterations as f64;
    let phase = course.phases.get_mut(at.phase)?;
    phase.work =
        Some(Work::of_iteration(Gflop::new(value / iterations), phase.work.as_ref().and_then(Work::tasks)));
    phase.total_given = true;
    Some(())
}

/// Replaces the work of all iterations.
fn put_task_work(phase: &mut Phase, value: f64) {
    let count = phase.work.as_ref().and_then(Work::tasks).unwrap_or(1);
    phase.work = Some(Work::Tasks { count, each: vec![Gflop::new(value)] });
    phase.total_given = false;
}

/// Divides work that is given for all tasks together by this number.
fn put_tasks(phase: &mut Phase, value: f64) {
    match &mut phase.work {
        Some(Work::Tasks { count, .. }) if !phase.total_given => *count = counted(value),
        Some(work) => *work = Work::of_iteration(work.total(), Some(counted(value))),
        None => {}
    }
}

/// A parameter that matters over time, or several that change together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeFigure {
    key: &'static Key,
    /// Its location: instances of an application, channels or calls.
    places: Vec<At>,
    of_app: bool,
}

/// Whether a phase sets this key itself.
pub fn is_of_phase(key: &Key) -> bool {
    phase::TABLE.key(key.name).is_some()
}

fn known(keys: impl Iterator<Item = &'static Key>) -> Vec<&'static str> {
    keys.map(|key| key.name).collect()
}

impl TimeFigure {
    /// Finds the parameters for the parts of a key: `["channel", "producer", "consumer", "capacity"]`, or by its number from
    /// 0: `["channel", "0", "capacity"]`.
    ///
    /// # Errors
    /// [`KeyError`] if there is no such parameter.
    pub fn find(study: &Study, parts: &[&str]) -> Result<Self, KeyError> {
        let dynamics = &study.dynamics;
        let of = |noun: &'static str, table, key: &str, pairs: Vec<(usize, usize)>, ends: &[&str]| {
            let found = keys(table).find(|found| found.name == key);
            let key = found.ok_or_else(|| unknown(noun, key, known(keys(table))))?;
            let places = joints(noun, &study.apps, &pairs, ends)?.into_iter();
            Ok(Self { key, places: places.map(|of| At { of, phase: 0 }).collect(), of_app: false })
        };
        let single = |table: &str, key: &str, keys: Vec<&'static Key>| {
            let found = keys.iter().find(|found| found.name == key).copied();
            let key = found.ok_or_else(|| unknown(table, key, known(keys.into_iter())))?;
            Ok(Self { key, places: vec![At::default()], of_app: false })
        };
        match parts {
            ["app", name, rest @ ..] if !rest.is_empty() => of_app(study, name, rest),
            ["channel", ends @ .., key] if !ends.is_empty() => {
                let pairs = dynamics.channels.iter().map(|channel| (channel.from.0, channel.to.0)).collect();
                of("channel", OF_CHANNELS, key, pairs, ends)
            }
            ["call", ends @ .., key] if !ends.is_empty() => {
                let pairs = dynamics.calls.iter().map(|call| (call.from.0, call.to.0)).collect();
                of("call", OF_CALLS, key, pairs, ends)
            }
            ["policy", key] => match dynamics.policy.name.as_deref() {
                Some(name) if *key == LEAD.name && lead_of(name).is_none() => {
                    let message = format!("the policy is {name}, which has no lead");
                    Err(absent(message, "write `name = \"lead\"` in [policy]"))
                }
                _ => single("policy", key, keys(OF_POLICY).collect()),
            },
            ["os", key] => single("os", key, keys(OF_OS).collect()),
            ["app" | "channel" | "call" | "policy" | "os", ..] | [] => Err(KeyError::Incomplete),
            [first, ..] => Err(KeyError::Table((*first).to_owned())),
        }
    }

    /// Sets all its parameters to this value. The caller must stay within [`TimeFigure::range`].
    pub fn set(&self, study: &mut Study, value: f64) {
        for &at in &self.places {
            let done = put_of(self.key).and_then(|put| put.put(study, at, value));
            let Study { at_rest, dynamics } = study;
            if let Some(course) = dynamics.courses.get(at.of).filter(|_| self.of_app && done.is_some())
                && let Some(app) = at_rest.apps.get_mut(at.of)
            {
                app.work = course.total_work().filter(|work| work.value() > 0.0);
            }
        }
    }

    /// The unit of its values; empty for a plain number.
    pub fn unit(&self) -> &'static str {
        self.key.changed_in.unwrap_or_default()
    }

    /// The range of its values.
    pub fn range(&self) -> ValueRange {
        // Files may give a node no threads; this key sets the threads of every node.
        if self.key == &app::THREADS {
            ValueRange::whole(1, MAX_CORES_PER_NODE)
        } else {
            ValueRange::of(self.key)
        }
    }
}

fn of_app(study: &Study, name: &str, rest: &[&str]) -> Result<TimeFigure, KeyError> {
    let apps = instances(&study.apps, name)?;
    let phases = study.dynamics.courses.get(apps.start).map_or(0, |course| course.phases.len());
    let found = |key: &str| keys(OF_APPS).find(|found| found.name == key);
    let (phase, key) = match rest {
        ["phase", number, key] => {
            let phase = number.parse().ok().filter(|&number: &usize| number < phases);
            let message = || format!("there is no phase {number}");
            let phase = phase
                .ok_or_else(|| absent(message(), "phases are numbered from 0 in the order of the file"))?;
            let of_phase = || known(keys(OF_APPS).filter(|key| is_of_phase(key)));
            let found = found(key).filter(|key| is_of_phase(key));
            (phase, found.ok_or_else(|| unknown(&format!("app.{name}.phase"), key, of_phase()))?)
        }
        [key] => {
            let all = || known(keys(OF_APPS)).into_iter().chain(["phase.NUMBER.KEY"]).collect();
            (0, found(key).ok_or_else(|| unknown(&format!("app.{name}"), key, all()))?)
        }
        _ => return Err(KeyError::Incomplete),
    };
    if rest.len() == 1 && is_of_phase(key) && phases != 1 {
        let message = format!("'{name}' has phases, each with figures of its own");
        return Err(absent(message, format!("take a key of one of them, such as app.{name}.phase.0.tasks")));
    }
    if key == &at_rest::ARITHMETIC_INTENSITY {
        not_counted(&study.apps, &apps, name)?;
    }
    Ok(TimeFigure { key, places: apps.map(|of| At { of, phase }).collect(), of_app: true })
}

/// The channels or calls that a key names: by a number from 0, or by both ends.
fn joints(
    noun: &'static str,
    apps: &[App],
    pairs: &[(usize, usize)],
    ends: &[&str],
) -> Result<Vec<usize>, KeyError> {
    let found: Vec<usize> = match ends {
        [number] => number.parse().ok().filter(|&number| number < pairs.len()).into_iter().collect(),
        [from, to] => {
            let (from, to) = (instances(apps, from)?, instances(apps, to)?);
            let joins = |(a, b): &(usize, usize)| from.contains(a) && to.contains(b);
            pairs.iter().enumerate().filter(|(_, pair)| joins(pair)).map(|(number, _)| number).collect()
        }
        _ => return Err(KeyError::Incomplete),
    };
    if found.is_empty() {
        let hint = format!(
            "`numasim check` shows each {noun}: write {noun}.FROM.TO.KEY, or {noun}.0.KEY for the first"
        );
        return Err(absent(format!("there is no {noun} '{}'", ends.join(".")), hint));
    }
    Ok(found)
}

impl Swept for Study {
    type Figure = TimeFigure;

    fn at_rest(&self) -> &numasim_model::Study {
        &self.at_rest
    }

    fn at_rest_mut(&mut self) -> &mut numasim_model::Study {
        &mut self.at_rest
    }

    fn find(&self, parts: &[&str]) -> Result<TimeFigure, KeyError> {
        TimeFigure::find(self, parts)
    }

    fn unit(figure: &TimeFigure) -> &'static str {
        figure.unit()
    }

    fn range(figure: &TimeFigure) -> ValueRange {
        figure.range()
    }

    fn set(&mut self, figure: &TimeFigure, value: f64) {
        figure.set(self, value);
    }

    fn move_data(&mut self, app: usize, data: &Data) {
        let phases =
            self.dynamics.courses.get_mut(app).map(|course| &mut course.phases).into_iter().flatten();
        phases.filter(|phase| !phase.owns_data).for_each(|phase| phase.data = data.clone());
    }
}

#[cfg(test)]
mod tests;
