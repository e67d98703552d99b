//! Tables of text.

use numasim_draw::Style;
use numasim_draw::grid::{Align, Grid};

use super::statements::{Statement, Verdict};

/// Wide enough for every table of the results.
pub(crate) const STYLE: Style = Style { color: false, unicode: true, width: Some(200), markdown: false };
/// Line width of a cause, in columns.
const LINE: usize = 110;

/// Every statement in a row.
fn statements(all: &[Statement]) -> String {
    let columns = ["", "statement", "printed", "ours", "verdict"].map(|title| (title, Align::Left));
    let mut table = Grid::new(&columns);
    for Statement { id, what, printed, ours, verdict, .. } in all {
        let cells = [id.clone(), what.clone(), printed.clone(), ours.clone(), verdict.word().to_owned()];
        table.row(cells.to_vec());
    }
    table.render(&STYLE)
}

/// Every statement below `title`, with the count of each of these verdicts; then likely causes with their statements, each separately
/// unless they are `joined`.
pub(crate) fn judged(all: &[Statement], title: &str, verdicts: &[Verdict], joined: bool) -> String {
    let count = |verdict: &Verdict| {
        let count = all.iter().filter(|one| one.verdict == *verdict).count();
        let note = if *verdict == Verdict::Fitted { " (the machine was calibrated on them)" } else { "" };
        format!("{count} {}{note}", verdict.word())
    };
    let counts: Vec<String> = verdicts.iter().map(count).collect();
    let table = statements(all);
    let mut text = format!("{title}\n{}.\n\n{table}\nLikely causes\n\n", counts.join(", "));
    let mut causes: Vec<(Vec<&str>, &'static str)> = Vec::new();
    for one in all {
        let Some(cause) = one.cause else { continue };
        match causes.iter_mut().find(|(_, its)| joined && *its == cause) {
            Some((ids, _)) => ids.push(&one.id),
            None => causes.push((vec![&one.id], cause)),
        }
    }
    let width = if joined { 12 } else { 4 };
    for (ids, cause) in causes {
        text += &(wrapped(cause, &format!("{:width$} ", ids.join(", "))) + "\n");
    }
    text
}

/// Appends words to others, in lines that are not much longer than [`LINE`] columns.
fn wrapped(words: &str, before: &str) -> String {
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
