//! Names in messages, and names of applications or single instances: what they stand for, and what was meant by those that stand for nothing.

use numasim_model::text::visible;

use crate::apps::{Apps, Named};
use crate::names;
use crate::problem::{Log, Place, Problem, ProblemKind};
use crate::reading::Group;
use crate::value::Value;

/// "a", "a and b", "a, b and c", each in back quotes; at most twelve, then "and 8 more".
pub fn list<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    up_to(SHOWN, words)
}

/// As [`list`], but never cut: for the keys of a table.
pub fn all<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    up_to(usize::MAX, words)
}

/// A choice: "one of a, b, or c", each in back quotes; at most twelve, then "or 8 more".
pub fn one_of<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    one_of_up_to(SHOWN, words)
}

/// As [`one_of`], but never cut: for the headers of a file.
pub fn one_of_all<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    one_of_up_to(usize::MAX, words)
}

fn one_of_up_to<'n>(most: usize, words: impl IntoIterator<Item = &'n str>) -> String {
    numasim_model::words::one_of(most, words.into_iter().map(|word| format!("`{word}`")))
}

fn up_to<'n>(most: usize, words: impl IntoIterator<Item = &'n str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let quoted: Vec<String> = words.iter().take(most).map(|word| format!("`{word}`")).collect();
    match (words.len().saturating_sub(most), quoted.as_slice()) {
        (0, []) => "none".to_owned(),
        (0, [only]) => only.clone(),
        (0, [start @ .., last]) => format!("{} and {last}", start.join(", ")),
        (more, shown) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Text of a file as it may be shown in one line of a message: short, and without control characters.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let short = text.char_indices().nth(LONGEST).map(|(end, _)| &text[..end]);
    short.map_or_else(|| visible(text).into_owned(), |short| format!("{}…", visible(short)))
}

/// "1 node", "2 nodes".
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut() {
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert!(list(many.iter().map(String::as_str)).ends_with("`11` and 8 more"));
        assert!(all(many.iter().map(String::as_str)).ends_with("`18` and `19`"));
        assert_eq!(one_of(["a", "b", "c"]), "one of `a`, `b`, or `c`");
        assert!(one_of(many.iter().map(String::as_str)).ends_with("`11`, or 8 more"));
        assert!(one_of_all(many.iter().map(String::as_str)).ends_with("`18`, or `19`"));
    }
}
