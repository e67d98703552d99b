//! The values of a study by the keys of its files, in the units of the keys: how `check` echoes them, and how `sweep` replaces those
//! that matter over time.

use std::any::Any;

use numasim_model::app::{App, Data, Placement};
use numasim_model::dynamics::{Call, Channel, Cluster, Command, Course, Os, Phase, PolicyChoice, Work};
use numasim_model::ids::NodeId;
use numasim_model::scenario::Study;
use numasim_model::units::{FlopPerByte, Gflop, Seconds};
use serde::{Serialize, Serializer};

use super::{Key, Shape, Table};

/// A value in the form of the input files. It is serialised as JSON has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Echo {
    /// There is none.
    None,
    /// A number.
    Number(f64),
    /// A count, or the number of something.
    Whole(u64),
    /// True or false.
    Flag(bool),
    /// A word, or text.
    Text(String),
    /// A list.
    List(Vec<Echo>),
    /// A table.
    #[serde(serialize_with = "as_map")]
    Table(Vec<(String, Echo)>),
}

fn as_map<S: Serializer>(entries: &[(String, Echo)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
}

/// The parts of a study, each described by a table, and where the value of a key is in its part.
macro_rules! parts {
    ($($(#[doc = $doc:literal])* $name:ident = $type:ty,)*) => {
        /// A part of a study.
        #[derive(Clone, Copy, Debug)]
        pub enum Part<'a> {
            $($(#[doc = $doc])* $name(&'a $type),)*
        }

        /// Where the value of a key is.
        #[derive(Clone, Copy, Debug)]
        pub enum ValueIn {
            /// In no part of its own.
            Nothing,
            $($(#[doc = $doc])* $name(fn(&$type) -> Echo),)*
        }

        impl ValueIn {
            fn get(self, part: Part<'_>) -> Option<Echo> {
                match (self, part) {
                    $((Self::$name(get), Part::$name(part)) => Some(get(part)),)*
                    _ => None,
                }
            }
        }
    };
}

parts! {
    /// `[[app]]`.
    App = App,
    /// `[[app]]` over time.
    Course = Course,
    /// `[[app.phase]]`, or an application that is the one phase.
    Phase = Phase,
    /// `[[channel]]`.
    Channel = Channel,
    /// `[[call]]`.
    Call = Call,
    /// `[[command]]`.
    Command = Command,
    /// `[policy]`.
    Policy = PolicyChoice,
    /// `[os]`.
    Os = Os,
    /// `[cluster]`.
    Cluster = Cluster,
    /// Of a family that this crate does not know.
    Further = dyn Any,
}

impl Echo {
    /// A table with these entries.
    pub fn table<'k>(entries: impl IntoIterator<Item = (&'k str, Echo)>) -> Self {
        Self::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }
}

impl Key {
    /// The same key with the place of its value.
    #[must_use]
    pub const fn value_in(self, value: ValueIn) -> Self {
        Self { value, ..self }
    }

    /// Its value in a part of a study; `None` if the part has none for this key.
    fn echo(&self, part: Part<'_>) -> Option<Echo> {
        match (self.app, part) {
            (Some(field), Part::App(app)) => Some(self.number((field.get)(app))),
            _ => self.value.get(part),
        }
    }

    /// A number of the model in the form of the key.
    pub fn number(&self, value: Option<f64>) -> Echo {
        match value {
            None => Echo::None,
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in its range")]
            Some(value) if matches!(self.shape, Shape::Whole(..)) => Echo::Whole(value as u64),
            Some(value) => Echo::Number(value),
        }
    }

    /// The unit of its number, as people see it; empty for a plain one.
    pub fn unit(&self) -> &'static str {
        const BY_ENDING: [(&str, &str); 8] = [
            ("_gflop", "GFLOP"),
            ("_gbs", "GB/s"),
            ("_gib", "GiB"),
            ("_mb", "MB"),
            ("_ms", "ms"),
            ("_us", "us"),
            ("_ns", "ns"),
            ("_s", "s"),
        ];
        let by_ending = || BY_ENDING.iter().find(|(ending, _)| self.name.ends_with(ending));
        let unit = self.changed_in.filter(|unit| !unit.is_empty());
        unit.or_else(|| by_ending().map(|(_, unit)| *unit)).unwrap_or_default()
    }
}

impl Table {
    /// Every key that has its value in one of `parts`, in the order of declaration: a new key needs no line elsewhere to be echoed.
    pub fn echo(&self, parts: &[Part<'_>]) -> Vec<(&'static Key, Echo)> {
        let of = |key: &'static Key| parts.iter().find_map(|part| Some((key, key.echo(*part)?)));
        self.keys.iter().copied().filter_map(of).collect()
    }
}

/// Where data lies.
pub fn data_echo(data: &Data) -> Echo {
    match data {
        Data::OpenHome { share } if *share < 1.0 => {
            Echo::table([("home", "any".into()), ("share", (*share).into())])
        }
        Data::OpenHome { .. } => Echo::table([("home", "any".into())]),
        Data::Placed(Placement::PartHome { home, share }) => {
            Echo::table([("home", home.0.into()), ("share", (*share).into())])
        }
        Data::Placed(Placement::PartInterleave { share }) => Echo::table([("interleave", (*share).into())]),
        Data::Placed(Placement::Local) => "local".into(),
        Data::Placed(Placement::Interleave) => "interleave".into(),
        Data::Placed(Placement::Home(home)) => Echo::table([("home", home.0.into())]),
        Data::Placed(Placement::Fractions(fractions)) => {
            Echo::table([("fractions", fractions.clone().into())])
        }
    }
}

/// A time in a unit of which a second has so many, without the rounding of 0.08 x 1000.
pub fn time(time: Seconds, per_second: f64) -> Echo {
    let value = time.value() * per_second;
    let rounded = (value * 1e9).round() / 1e9;
    let is_rounding = (rounded - value).abs() <= value.abs() * 1e-12;
    Echo::Number(if is_rounding { rounded } else { value })
}

macro_rules! echo_of {
    ($($type:ty: |$value:ident| $echo:expr;)*) => {
        $(impl From<$type> for Echo {
            fn from($value: $type) -> Self {
                $echo
            }
        })*
    };
}

echo_of! {
    f64: |number| Self::Number(number);
    u64: |number| Self::Whole(number);
    u32: |number| Self::Whole(number.into());
    usize: |number| Self::Whole(number as u64);
    NodeId: |node| node.0.into();
    bool: |flag| Self::Flag(flag);
    &str: |text| Self::Text(text.to_owned());
    String: |text| Self::Text(text);
}

impl<T: Into<Echo>> From<Option<T>> for Echo {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, T::into)
    }
}

impl<T: Into<Echo>> From<Vec<T>> for Echo {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(T::into).collect())
    }
}

/// The key of a time, in parts of a second.
macro_rules! time_in {
    ($part:ident, $field:ident, $name:literal, $shape:expr, $parts:literal, $unit:literal) => {
        key($name, $shape)
            .over_time(Put::$part(|of, value| of.$field = Seconds::new(value / $parts)))
            .changed_in($unit)
            .value_in(ValueIn::$part(|of| time(of.$field, $parts)))
    };
}
pub(super) use time_in;

/// Where a number over time is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The application instance, channel or call; 0 for what there is one of.
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

impl Put {
    /// Puts it there; `None` where there is no such application, channel or call.
    pub(crate) fn put(self, study: &mut Study, at: At, value: f64) -> Option<()> {
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
pub(super) const fn counted(value: f64) -> u64 {
    value as u64
}

fn phase_mut(study: &mut Study, at: At) -> Option<&mut Phase> {
    study.dynamics.courses.get_mut(at.of)?.phases.get_mut(at.phase)
}

/// The only phase of an application has its intensity.
pub(super) fn put_intensity(study: &mut Study, at: At, value: f64) -> Option<()> {
    let alone = study.dynamics.courses.get(at.of)?.phases.len() == 1;
    phase_mut(study, at)?.arithmetic_intensity = FlopPerByte::new(value);
    if alone {
        study.apps.get_mut(at.of)?.arithmetic_intensity = FlopPerByte::new(value);
    }
    Some(())
}

/// Threads on every node that has cores and that the application may use.
pub(super) fn put_threads(study: &mut Study, at: At, value: f64) -> Option<()> {
    let count = u32::try_from(counted(value)).unwrap_or(u32::MAX);
    let (app, course) = (study.apps.get(at.of)?, study.dynamics.courses.get_mut(at.of)?);
    for (node, (there, threads)) in study.machine.nodes().iter().zip(&mut course.threads).enumerate() {
        let may = app.nodes.as_ref().is_none_or(|nodes| nodes.contains(&NodeId(node)));
        *threads = if may && there.cores > 0 { count } else { 0 };
    }
    Some(())
}

/// Takes the place of the work of tasks.
pub(super) fn put_total_work(study: &mut Study, at: At, value: f64) -> Option<()> {
    let course = study.dynamics.courses.get_mut(at.of)?;
    let iterations = course.iterations as f64;
    let phase = course.phases.get_mut(at.phase)?;
    phase.work =
        Some(Work::of_iteration(Gflop::new(value / iterations), phase.work.as_ref().and_then(Work::tasks)));
    phase.total_given = true;
    Some(())
}

/// Takes the place of the work of all iterations.
pub(super) fn put_task_work(phase: &mut Phase, value: f64) {
    let count = phase.work.as_ref().and_then(Work::tasks).unwrap_or(1);
    phase.work = Some(Work::Tasks { count, each: vec![Gflop::new(value)] });
    phase.total_given = false;
}

/// Work that is given for all tasks together is cut into so many.
pub(super) fn put_tasks(phase: &mut Phase, value: f64) {
    match &mut phase.work {
        Some(Work::Tasks { count, .. }) if !phase.total_given => *count = counted(value),
        Some(work) => *work = Work::of_iteration(work.total(), Some(counted(value))),
        None => {}
    }
}
