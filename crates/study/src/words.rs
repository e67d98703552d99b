//! Reads a value that is one of a few words: `control = "per-node"`.

use toml::de::DeValue;

use super::names;
use super::problem::ProblemKind;
use super::value::Value;

/// The one of `all` whose word the value is.
pub(super) fn read<T: Copy>(value: &Value<'_>, all: &[T], word: fn(T) -> &'static str) -> Option<T> {
    let words = || all.iter().map(|&one| word(one));
    let all_words = || {
        let quoted: Vec<String> = words().map(|word| format!("\"{word}\"")).collect();
        format!("write {}", names::one_of(quoted.iter().map(String::as_str)))
    };
    let DeValue::String(text) = value.get() else {
        value.wrong_type("a word", all_words());
        return None;
    };
    let found = all.iter().copied().find(|&one| word(one) == text);
    if found.is_none() {
        let hint = match value.source.log.suggest(text, words()) {
            Some(close) => format!("did you mean `\"{close}\"`?"),
            None => all_words(),
        };
        let message = format!("`{}` must be {}, not {}", value.name, names::one_of(words()), value.text());
        value.report(ProblemKind::BadValue, message, "unknown word", hint);
    }
    found
}
