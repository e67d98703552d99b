//! Names of applications or of single instances: what they stand for, and what was meant by those that stand for nothing.

use super::apps::{Apps, Named};
use super::log::Log;
use super::names;
use super::problem::{Place, Problem, ProblemKind};
use super::reading::Group;
use super::value::Value;

/// For each instance the entry that speaks for it: its own, or else that of its group.
pub(super) fn by_instance<T>(entries: &[T], apps: &Apps, named: impl Fn(&T) -> Named) -> Vec<Option<usize>> {
    let mut of = vec![None; apps.len()];
    for (row, entry) in entries.iter().enumerate() {
        if let Named::Group(group) = named(entry)
            && let Some(group) = apps.groups.get(group)
        {
            of.iter_mut().skip(group.first).take(group.instances).for_each(|slot| *slot = Some(row));
        }
    }
    for (row, entry) in entries.iter().enumerate() {
        if let Named::Instance(instance) = named(entry)
            && let Some(slot) = of.get_mut(instance)
        {
            *slot = Some(row);
        }
    }
    of
}

/// Looks the names up and reports those that no app has.
pub(super) fn look_up<'a>(value: &Value<'a>, hint: &str, apps: &Apps) -> Option<Vec<(Named, Value<'a>)>> {
    let entries = value.entries("a table of apps", hint)?;
    let found = entries.into_iter().map(|(name, value)| {
        let named = apps.find(name);
        if named == Named::Nothing {
            report_unknown(name, value.key_place(), value.source.log, apps);
        }
        (named, value)
    });
    Some(found.collect())
}

/// What the text of a value stands for; `None` where that is nothing, which is reported.
pub(super) fn named(value: &Value<'_>, apps: &Apps) -> Option<Named> {
    let name = value.name()?;
    let named = apps.find(name);
    if named == Named::Nothing {
        report_unknown(name, value.place(), value.source.log, apps);
        return None;
    }
    Some(named)
}

/// The instance that a value names; `None` where it names none, or several: `single` says why that cannot be.
pub(super) fn instance(value: &Value<'_>, apps: &Apps, single: &str) -> Option<usize> {
    match named(value, apps)? {
        Named::Instance(instance) => Some(instance),
        Named::Group(group) => {
            let Group { name, instances, .. } = apps.groups.get(group)?;
            let name = names::shown(name);
            let message = format!("`{name}` has {instances} instances, and {single}");
            let hint = format!("name one of them: `{name}-1` to `{name}-{instances}`");
            value.report(ProblemKind::BadValue, message, "several", hint);
            None
        }
        Named::Unclear | Named::Nothing => None,
    }
}

fn report_unknown(name: &str, place: Place, log: &Log, apps: &Apps) {
    if log.is_full() {
        log.report(Problem::new(ProblemKind::UnknownName, name));
        return;
    }
    let group = name.rsplit_once('-').and_then(|(group, number)| {
        number.parse::<u64>().ok()?;
        apps.groups.iter().find(|known| known.name == group)
    });
    let mut known: Vec<&str> = apps.known_names().collect();
    known.sort_unstable();
    let hint = if let Some(group) = group {
        let Group { name, instances, .. } = group;
        if *instances == 1 {
            format!("`{name}` has one instance, which is called `{name}`")
        } else {
            format!("`{name}` has {instances} instances, `{name}-1` to `{name}-{instances}`")
        }
    } else if let Some(close) = log.suggest(name, known.iter().copied()) {
        format!("did you mean `{close}`?")
    } else if apps.groups.is_empty() {
        "no file has an `[[app]]` table".to_owned()
    } else {
        format!("the apps are {}", names::list(apps.groups.iter().map(|group| group.name.as_str())))
    };
    let message = format!("there is no app `{}`", names::shown(name));
    let problem = Problem::new(ProblemKind::UnknownName, message).at(place, "unknown app").hint(hint);
    log.report(problem);
}
