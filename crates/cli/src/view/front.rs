//! A front for people: the cost of one objective in terms of the other.

use numasim_ask::data_words;
use numasim_ask::pareto::{Front, Point, Row};
use numasim_ask::table::{Of, grid};
use numasim_ask::verdict::{allocations, restrictions};
use numasim_ask::wording::{NO_BREAK, meaning};
use numasim_draw::grid::wrap;

use super::answer::{MOST_NODES_IN_A_ROW, changed_apps, changes, head};
use super::lettering::{Lettering, painted};
use super::{Style, figures, machine_title};

/// The question, the points, the baselines, and how certain the answer is; in Markdown the latter comes before the tables.
pub(crate) fn table(front: &Front, style: &Style) -> String {
    let (question, tables) = (question(front, style), points(front, style) + "\n" + &compared(front, style));
    let verdict = front.verdict(style);
    let (first, second) = if style.markdown { (verdict, tables) } else { (tables, verdict) };
    format!("{question}\n{first}\n{second}")
}

fn question(front: &Front, style: &Style) -> String {
    let problem = &front.question.problems()[0];
    let [first, second] = front
        .objectives()
        .map(|objective| format!("{}: {}", objective.as_str(), meaning(objective, &front.study.apps)));
    let lines = [
        ("Machine", machine_title(&front.study.machine)),
        ("Model", front.study.machine.sharing().in_words()),
        ("Trade-off", first),
        ("against", second),
        ("Constraints", restrictions(problem)),
        ("Placements", allocations(problem)),
    ];
    head(lines, style)
}

/// The points, each with its differences from the previous one.
fn points(front: &Front, style: &Style) -> String {
    let letters = Lettering::new(&front.study.apps);
    let mut shown = front.shown.clone();
    shown.extend(front.knee.filter(|knee| !shown.contains(knee)));
    shown.sort_unstable();
    let rows: Vec<Row> = shown.iter().map(|&i| Row::Point(i, &front.points[i])).collect();
    let number = |row: &Row| if let Row::Point(i, _) = row { *i } else { 0 };
    let mark = |point: usize| match front.best_for(point).as_slice() {
        [] if front.knee == Some(point) => "knee".to_owned(),
        [] => String::new(),
        names => format!("best {}", names.join(" and ")),
    };
    let before = |row: &Row| {
        let at = shown.iter().position(|i| *i == number(row))?;
        Some(&front.points[shown[at.checked_sub(1)?]])
    };
    let stressed =
        |row: &Row, text: String| if mark(number(row)).is_empty() { text } else { style.strong(&text) };
    let mut columns = vec![Of::count("point", |row: &Row| number(row) + 1).painted(stressed)];
    columns.extend(front.value_columns());
    columns.push(Of::text("mark", |row: &Row| mark(number(row))).titled(""));
    let changed = |row: &Row| differences(front, row.point(), before(row), &letters, style);
    columns.push(Of::text("threads", changed).titled("threads per node,\nif not as above"));
    let mut text = grid(&columns, &rows).render(style).replace(NO_BREAK, " ");
    let mut notes = Vec::new();
    if !letters.shared() {
        let names = (0..letters.count()).map(|l| format!("{} {}", painted(l, style), letters.name(l)));
        notes.extend(wrap(&names.collect::<Vec<_>>().join(style.wide_gap()), style.columns()));
    }
    if rows.len() < front.points.len() {
        let note = format!(
            "{} of {} points, evenly spaced; --format csv and json contain all, --plot FILE.svg draws them.",
            rows.len(),
            front.points.len()
        );
        notes.extend(wrap(&note, style.columns()).iter().map(|line| style.faint(line)));
    }
    for note in notes {
        text += &note;
        text.push('\n');
    }
    text
}

/// `A 1 0 7 3   C 0 7 0 0 (data on 1)`: the applications that differ from `before`.
fn differences(
    front: &Front,
    shown: &Point,
    before: Option<&Point>,
    letters: &Lettering,
    style: &Style,
) -> String {
    changed_apps(&front.study.apps, letters, style, |app| {
        let row = shown.scenario.allocation.row(app);
        let lies = |point: &Point| {
            let open = front.study.apps[app.0].data.is_open();
            data_words::chosen(&point.scenario.placements[app.0]).filter(|_| open)
        };
        let home = lies(shown);
        let same_row = before.is_some_and(|before| before.scenario.allocation.row(app) == row);
        let same_home = before.is_some_and(|before| lies(before) == home) || home.is_none();
        let threads = (!same_row).then(|| match before {
            Some(before) if row.len() > MOST_NODES_IN_A_ROW => {
                changes(row, before.scenario.allocation.row(app))
            }
            _ => row.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
        });
        let home = home.filter(|_| !same_home).map(|lies| format!("({lies})"));
        threads.into_iter().chain(home).collect()
    })
}

/// Baselines that need no search, compared with the front.
fn compared(front: &Front, style: &Style) -> String {
    let rows: Vec<Row> = front.baselines.iter().map(Row::Baseline).collect();
    let place = |row: &Row| {
        let Row::Baseline(baseline) = row else { return String::new() };
        let numbers: Vec<usize> = baseline.beaten_by.iter().map(|i| i + 1).collect();
        let place = match (numbers.as_slice(), baseline.same_as) {
            ([], Some(point)) => format!("on the front, as point {}", point + 1),
            ([], None) => "no point dominates it".to_owned(),
            ([point], _) => format!("dominated by point {point}"),
            (points, _) => format!("dominated by points {}", figures::ranges(points)),
        };
        match &baseline.breaks {
            Some(why) => format!("{place} {}", style.faint(&format!("(breaks a constraint: {why})"))),
            None => place,
        }
    };
    let mut columns =
        vec![Of::text("allocation", |row: &Row| row.point().scenario.name.clone()).titled("placement")];
    columns.extend(front.value_columns());
    columns.push(Of::text("relation", place).titled("relation to the front"));
    grid(&columns, &rows).render(style)
}
