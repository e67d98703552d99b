//! Tables of text.

use numasim_draw::Style;
use numasim_draw::grid::{Align, Grid};

use super::statements::{Statement, Verdict};

/// Wide enough for every table of the results.
pub(crate) const STYLE: Style = Style { color: false, unicode: true, width: Some(200), markdown: false };
/// Of a cause, in columns.
const LINE: usize = 110;

/// How many statements have a verdict.
pub(crate) fn count(all: &[Statement], verdict: Verdict) -> usize {
    all.iter().filter(|one| one.verdict == verdict).count()
}

/// Every statement in a row.
pub(crate) fn statements(all: &[Statement]) -> String {
    let columns = ["", "statement", "printed", "ours", "verdict"].map(|title| (title, Align::Left));
    let mut table = Grid::new(&columns);
    for Statement { id, what, printed, ours, verdict, .. } in all {
        let cells = [id.clone(), what.clone(), printed.clone(), ours.clone(), verdict.word().to_owned()];
        table.row(cells.to_vec());
    }
    table.render(&STYLE)
}

/// Words behind others, in lines that are not much longer than [`LINE`] columns.
pub(crate) fn wrapped(words: &str, before: &str) -> String {
    let mut lines = vec![before.to_owned()];
    for word in words.split(' ') {
        if let Some(line) = lines.last_mut().filter(|line| line.chars().count() + word.len() < LINE) {
            if !line.ends_with(' ') {
                line.push(' ');
            }
            line.push_str(word);
        } else {
            lines.push(format!("{}{word}", " ".repeat(before.chars().count())));
        }
    }
    lines.join("\n")
}
