//! Reads a value that is one of a few words: `control = "per-node"`.

use super::names;
use super::problem::ProblemKind;
use super::value::Value;

/// The one of `all` whose word the value is.
pub(super) fn read<T: Copy>(value: &Value<'_>, all: &[T], word: fn(T) -> &'static str) -> Option<T> {
    let text = value.string()?;
    let found = all.iter().copied().find(|&one| word(one) == text);
    if found.is_none() {
        let words: Vec<&str> = all.iter().map(|&one| word(one)).collect();
        let hint = match value.source.log.suggest(text, words.iter().copied()) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => format!("write one of {}", names::list(words.iter().copied())),
        };
        let message = format!("`{}` must be one of {}, not {}", value.name, names::list(words), value.text());
        value.report(ProblemKind::BadValue, message, "unknown word", hint);
    }
    found
}
