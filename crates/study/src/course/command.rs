//! Reads `command`: an application that is a program of its own, with its arguments.

use super::super::keys::app;
use super::super::problem::ProblemKind;
use super::super::table::TableReader;
use super::super::value::Value;

/// What to write.
const ADVICE: &str =
    "write the program and its arguments, e.g. `command = [\"./a.out\", \"--size\", \"100\"]`";

/// The program and its arguments; `Some(None)` where there is none.
pub(super) fn read(table: &mut TableReader<'_>) -> Option<Option<Vec<String>>> {
    let Some(value) = table.given(&app::COMMAND) else { return Some(None) };
    let words = value.list("a list of texts", ADVICE)?;
    if words.is_empty() {
        let message = format!("`{}` is empty, so there is nothing to start", value.name);
        value.report(ProblemKind::BadValue, message, "no program", ADVICE);
        return None;
    }
    // Every word is looked at, so that every mistake is told.
    let read: Vec<Option<String>> = words.iter().enumerate().map(|(number, one)| word(number, one)).collect();
    read.into_iter().collect::<Option<_>>().map(Some)
}

/// The program, which has a name, or an argument, which may be empty; no system starts anything with a zero byte in it.
fn word(number: usize, value: &Value<'_>) -> Option<String> {
    let word = value.string()?;
    if number == 0 && word.is_empty() {
        value.report(ProblemKind::BadValue, format!("`{}` is empty", value.name), "no program", ADVICE);
        return None;
    }
    if word.contains('\0') {
        let message = format!("`{}` contains a zero byte", value.name);
        value.report(ProblemKind::BadValue, message, "not an argument", "leave the zero byte out");
        return None;
    }
    Some(word.to_owned())
}
