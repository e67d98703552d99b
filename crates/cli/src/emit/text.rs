//! Comments of emitted files: lines of one width, in the comment signs of each language.

use numasim_draw::grid::wrap;

use crate::emit::Target;

/// Width of the comments, in columns.
const WIDTH: usize = 98;

/// Words in lines; those after the first are indented below the text.
pub(super) fn lines(key: &str, words: &str) -> Vec<String> {
    let indent = " ".repeat(key.chars().count());
    let wrapped = wrap(words, WIDTH - 2 - indent.len());
    let line = |(index, line): (usize, &String)| format!("{}{line}", if index == 0 { key } else { &indent });
    wrapped.iter().enumerate().map(line).collect()
}

/// A comment in shell, YAML, rankfiles and units.
pub(super) fn comment(text: &mut String, key: &str, words: &str) {
    for line in lines(key, words) {
        text.push_str(format!("# {line}").trim_end());
        text.push('\n');
    }
}

/// The facts of the head, as lines.
pub(super) fn fact_lines(target: &Target<'_>) -> Vec<String> {
    let width = target.facts.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    target.facts.iter().flat_map(|(key, value)| lines(&format!("{key:width$}  "), value)).collect()
}

/// The facts of the head as comments.
pub(super) fn facts(target: &Target<'_>) -> String {
    let lines = fact_lines(target).into_iter().map(|line| format!("# {line}").trim_end().to_owned() + "\n");
    lines.collect()
}

/// The applications without threads.
pub(super) fn not_started(target: &Target<'_>) -> Option<String> {
    let names = target.idle.join(", ");
    (!names.is_empty()).then(|| format!("No thread in this placement, not started: {names}"))
}
