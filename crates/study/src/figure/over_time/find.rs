//! From a key to the figure that it stands for.

use super::super::find::{KeyError, instances, not_counted, unknown};
use super::{ChannelFigure, CourseFigure, OsFigure, PhaseFigure, PolicyFigure, TimeFigure, lead_of};
use numasim_model::app::App;
use numasim_model::scenario::Study;

/// Keys of `[[app]]` that matter over time.
const APP: [&str; 10] = [
    "iterations",
    "arrives_s",
    "task_spread",
    "threads",
    "arithmetic_intensity",
    "work_gflop",
    "task_gflop",
    "tasks",
    "io_ms",
    "phase.NUMBER.KEY",
];
/// Keys of `[[app.phase]]`.
const PHASE: [&str; 5] = ["arithmetic_intensity", "work_gflop", "task_gflop", "tasks", "io_ms"];
const CHANNEL: [&str; 2] = ["item_mb", "capacity"];
const CALL: [&str; 1] = ["every"];
const POLICY: [&str; 3] = ["period_ms", "command_ms", "lead"];
const OS: [&str; 3] = ["slice_ms", "switch_us", "refill_ms"];

impl TimeFigure {
    /// Finds what the parts of a key stand for: `["channel", "producer", "consumer", "capacity"]`, also by its number from 0:
    /// `["channel", "0", "capacity"]`.
    ///
    /// # Errors
    /// [`KeyError`] if there is no such figure.
    pub fn find(study: &Study, parts: &[&str]) -> Result<Self, KeyError> {
        let dynamics = &study.dynamics;
        match parts {
            ["app", name, rest @ ..] if !rest.is_empty() => of_app(study, name, rest),
            ["channel", ends @ .., key] if !ends.is_empty() => {
                let figure = match *key {
                    "item_mb" => ChannelFigure::Item,
                    "capacity" => ChannelFigure::Capacity,
                    _ => return Err(unknown("channel", key, CHANNEL.to_vec())),
                };
                let pairs = dynamics.channels.iter().map(|channel| (channel.from.0, channel.to.0));
                Ok(Self::Channel(figure, joints("channel", &study.apps, pairs, ends)?))
            }
            ["call", ends @ .., key] if !ends.is_empty() => {
                if *key != "every" {
                    return Err(unknown("call", key, CALL.to_vec()));
                }
                let pairs = dynamics.calls.iter().map(|call| (call.from.0, call.to.0));
                Ok(Self::CallEvery(joints("call", &study.apps, pairs, ends)?))
            }
            ["policy", "period_ms"] => Ok(Self::Policy(PolicyFigure::Period)),
            ["policy", "command_ms"] => Ok(Self::Policy(PolicyFigure::CommandDelay)),
            ["policy", "lead"] => match dynamics.policy.name.as_deref() {
                Some(name) if lead_of(name).is_none() => Err(KeyError::OtherPolicy(name.to_owned())),
                _ => Ok(Self::Policy(PolicyFigure::Lead)),
            },
            ["policy", key] => Err(unknown("policy", key, POLICY.to_vec())),
            ["os", "slice_ms"] => Ok(Self::Os(OsFigure::Slice)),
            ["os", "switch_us"] => Ok(Self::Os(OsFigure::Switch)),
            ["os", "refill_ms"] => Ok(Self::Os(OsFigure::Refill)),
            ["os", key] => Err(unknown("os", key, OS.to_vec())),
            ["app" | "channel" | "call" | "policy" | "os", ..] | [] => Err(KeyError::Incomplete),
            [first, ..] => Err(KeyError::Table((*first).to_owned())),
        }
    }
}

fn of_app(study: &Study, name: &str, rest: &[&str]) -> Result<TimeFigure, KeyError> {
    let apps = instances(&study.apps, name)?;
    let phases = study.dynamics.courses.get(apps.start).map_or(0, |course| course.phases.len());
    let of_course = |figure| Ok(TimeFigure::Course(figure, apps.clone()));
    let (number, key) = match rest {
        ["iterations"] => return of_course(CourseFigure::Iterations),
        ["arrives_s"] => return of_course(CourseFigure::Arrives),
        ["task_spread"] => return of_course(CourseFigure::TaskSpread),
        ["threads"] => return of_course(CourseFigure::Threads),
        ["phase", number, key] => {
            let found = number.parse().ok().filter(|&number: &usize| number < phases);
            (found.ok_or_else(|| KeyError::Phase((*number).to_owned()))?, *key)
        }
        [key] if PHASE.contains(key) && phases != 1 => return Err(KeyError::Phases(name.to_owned())),
        [key] => (0, *key),
        _ => return Err(KeyError::Incomplete),
    };
    let figure = match key {
        "arithmetic_intensity" => {
            not_counted(&study.apps, &apps, name)?;
            PhaseFigure::ArithmeticIntensity
        }
        "work_gflop" => PhaseFigure::Work,
        "task_gflop" => PhaseFigure::TaskWork,
        "tasks" => PhaseFigure::Tasks,
        "io_ms" => PhaseFigure::Io,
        _ if rest.len() > 1 => return Err(unknown(&format!("app.{name}.phase"), key, PHASE.to_vec())),
        _ => return Err(unknown(&format!("app.{name}"), key, APP.to_vec())),
    };
    Ok(TimeFigure::Phase(figure, apps, number))
}

/// The channels or calls that a key names: by a number from 0, or by both ends.
fn joints(
    noun: &'static str,
    apps: &[App],
    pairs: impl Iterator<Item = (usize, usize)>,
    ends: &[&str],
) -> Result<Vec<usize>, KeyError> {
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let absent = || KeyError::Joint { noun, name: ends.join(".") };
    let found: Vec<usize> = match ends {
        [number] => number.parse().ok().filter(|&number| number < pairs.len()).into_iter().collect(),
        [from, to] => {
            let (from, to) = (instances(apps, from)?, instances(apps, to)?);
            let joins = |(a, b): &(usize, usize)| from.contains(a) && to.contains(b);
            pairs.iter().enumerate().filter(|(_, pair)| joins(pair)).map(|(number, _)| number).collect()
        }
        _ => return Err(KeyError::Incomplete),
    };
    if found.is_empty() { Err(absent()) } else { Ok(found) }
}
