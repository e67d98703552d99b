//! The figures of what happens over time: `app.NAME.iterations`, `channel.FROM.TO.item_mb`, `policy.period_ms`. They stand in a
//! study apart from machine and applications ([`Dynamics`](numasim_model::dynamics::Dynamics)), so that they have a type of their own.

use super::find::{KeyError, instances, not_counted, unknown};
use super::kind::ValueRange;
use crate::keys::{At, Key, LEAD, Table, app, call, channel, lead_of, os, phase, policy};
use numasim_model::app::App;
use numasim_model::machine::MAX_CORES_PER_NODE;
use numasim_model::scenario::Study;

/// A number of the files that matters over time, or several that are changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeFigure {
    key: &'static Key,
    /// Where it is: instances of an application, channels or calls.
    places: Vec<At>,
    of_app: bool,
}

/// The keys of a table that are figures over time.
pub fn over_time(table: &'static Table) -> impl Iterator<Item = &'static Key> {
    table.keys.iter().copied().filter(|key| key.over_time.is_some())
}

/// The keys of `[policy]`, and the lead, which its name has.
pub fn of_policy() -> impl Iterator<Item = &'static Key> {
    over_time(&policy::TABLE).chain([&LEAD])
}

/// Whether a phase has this key of its own.
pub fn is_of_phase(key: &Key) -> bool {
    phase::TABLE.key(key.name).is_some()
}

fn known(keys: impl Iterator<Item = &'static Key>) -> Vec<&'static str> {
    keys.map(|key| key.name).collect()
}

impl TimeFigure {
    /// Finds what the parts of a key stand for: `["channel", "producer", "consumer", "capacity"]`, also by its number from 0:
    /// `["channel", "0", "capacity"]`.
    ///
    /// # Errors
    /// [`KeyError`] if there is no such figure.
    pub fn find(study: &Study, parts: &[&str]) -> Result<Self, KeyError> {
        let dynamics = &study.dynamics;
        let of = |noun: &'static str, table, key: &str, pairs: Vec<(usize, usize)>, ends: &[&str]| {
            let found = over_time(table).find(|found| found.name == key);
            let key = found.ok_or_else(|| unknown(noun, key, known(over_time(table))))?;
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
                of("channel", &channel::TABLE, key, pairs, ends)
            }
            ["call", ends @ .., key] if !ends.is_empty() => {
                let pairs = dynamics.calls.iter().map(|call| (call.from.0, call.to.0)).collect();
                of("call", &call::TABLE, key, pairs, ends)
            }
            ["policy", key] => match dynamics.policy.name.as_deref() {
                Some(name) if *key == LEAD.name && lead_of(name).is_none() => {
                    Err(KeyError::OtherPolicy(name.to_owned()))
                }
                _ => single("policy", key, of_policy().collect()),
            },
            ["os", key] => single("os", key, over_time(&os::TABLE).collect()),
            ["app" | "channel" | "call" | "policy" | "os", ..] | [] => Err(KeyError::Incomplete),
            [first, ..] => Err(KeyError::Table((*first).to_owned())),
        }
    }

    /// Gives everything that it stands for this value. Values outside of [`TimeFigure::range`] are the caller's fault.
    pub fn set(&self, study: &mut Study, value: f64) {
        for &at in &self.places {
            let done = self.key.over_time.and_then(|field| field.put(study, at, value));
            if let Some(course) = study.dynamics.courses.get(at.of).filter(|_| self.of_app && done.is_some())
                && let Some(app) = study.apps.get_mut(at.of)
            {
                app.work = course.total_work().filter(|work| work.value() > 0.0);
            }
        }
    }

    /// The unit of its values; empty for a plain number.
    pub fn unit(&self) -> &'static str {
        self.key.changed_in.unwrap_or_default()
    }

    /// The values that it may have.
    pub fn range(&self) -> ValueRange {
        // Files may give a node no threads; here they are those of every node.
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
    let found = |key: &str| over_time(&app::TABLE).find(|found| found.name == key);
    let (phase, key) = match rest {
        ["phase", number, key] => {
            let phase = number.parse().ok().filter(|&number: &usize| number < phases);
            let phase = phase.ok_or_else(|| KeyError::Phase((*number).to_owned()))?;
            let of_phase = || known(over_time(&app::TABLE).filter(|key| is_of_phase(key)));
            let found = found(key).filter(|key| is_of_phase(key));
            (phase, found.ok_or_else(|| unknown(&format!("app.{name}.phase"), key, of_phase()))?)
        }
        [key] => {
            let all = || known(over_time(&app::TABLE)).into_iter().chain(["phase.NUMBER.KEY"]).collect();
            (0, found(key).ok_or_else(|| unknown(&format!("app.{name}"), key, all()))?)
        }
        _ => return Err(KeyError::Incomplete),
    };
    if rest.len() == 1 && is_of_phase(key) && phases != 1 {
        return Err(KeyError::Phases(name.to_owned()));
    }
    if key == &app::ARITHMETIC_INTENSITY {
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

#[cfg(test)]
mod tests;
