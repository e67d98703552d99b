//! Several machines for people: the best placement on each, and the changes from one to the next.

use numasim_ask::machines::{Machines, Row};
use numasim_ask::table::{Of, grid};
use numasim_ask::verdict::restrictions;
use numasim_ask::wording::{gap, meaning};
use numasim_draw::grid::wrap;
use numasim_model::AppId;

use super::Style;
use super::answer::head;

/// The question, a row for each machine, and the fastest one; in Markdown the verdict comes before the rows.
pub(crate) fn table(machines: &Machines, style: &Style) -> String {
    let (rows, verdict) = (rows(machines, style), verdict(machines, style));
    let (first, second) = if style.markdown { (verdict, rows) } else { (rows, verdict) };
    [question(machines, style), first, second].join("\n")
}

fn question(machines: &Machines, style: &Style) -> String {
    let objective = machines.objective();
    let first = &machines.found[0];
    let lines = [
        ("Machines", format!("{}, compared", machines.found.len())),
        ("Objective", format!("{}: {}", objective.as_str(), meaning(objective, &first.study.apps))),
        ("Constraints", restrictions(&first.problem)),
    ];
    head(lines, style)
}

/// The fastest machine, by how much, and whether the gaps could reverse the result.
fn verdict(machines: &Machines, style: &Style) -> String {
    let name = |number: usize| machines.found[number].study.machine.name().to_owned();
    let fastest = machines.fastest();
    let times = machines.speed(fastest).unwrap_or(1.0);
    let answer = if fastest == 0 {
        format!("Fastest on {}, the first.", style.strong(&name(0)))
    } else {
        format!("Fastest on {}: {times:.3}x the speed on {}.", style.strong(&name(fastest)), name(0))
    };
    let open = machines.found.iter().filter(|found| found.unproven.is_some());
    let open: Vec<String> =
        open.map(|found| format!("{} (gap {})", found.study.machine.name(), gap(found.gap))).collect();
    let sure = match open.as_slice() {
        [] => "Each best is proven.".to_owned(),
        open => format!("Not proven (better placements may exist): {}.", open.join(", ")),
    };
    wrap(&format!("{answer} {sure}"), style.columns()).join("\n") + "\n"
}

fn rows(machines: &Machines, style: &Style) -> String {
    let apps = &machines.found[0].study.apps;
    let changes = |row: &Row| {
        let of = |(a, app): (usize, &numasim_model::App)| {
            let change = machines.change(row.number(), AppId(a))?;
            Some(format!("{} {:+.0} %", app.name, 100.0 * change))
        };
        apps.iter().enumerate().filter_map(of).collect::<Vec<_>>().join(", ")
    };
    let mut columns = machines.columns();
    columns.push(Of::text("changes", changes).titled("speed of each\nvs. the first"));
    let rows: Vec<Row> = machines.rows().collect();
    let mut text = grid(&columns, &rows).render(style);
    let note = "Percentages below the names of applications: fraction of stand-alone speed on that machine. Changes below 1 % are left out.";
    for line in wrap(note, style.columns()) {
        text += &style.faint(&line);
        text.push('\n');
    }
    text
}
