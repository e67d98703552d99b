//! Results as tables of text.

use numasim_draw::Style;
use numasim_draw::grid::{Align, Grid};

use crate::codes::Kind;
use crate::common::statistics::geometric;
use crate::rows::Row;
use crate::runs::SEEDS;
use crate::summary::{Judged, ranked};
use crate::ways::Way;

/// A column for each code.
const STYLE: Style = Style { color: false, unicode: true, width: Some(330), markdown: false };

/// The codes of the rows, in their order.
pub(crate) fn codes(rows: &[Row]) -> Vec<&'static str> {
    let mut codes: Vec<&'static str> = Vec::new();
    for row in rows {
        if !codes.contains(&row.code) {
            codes.push(row.code);
        }
    }
    codes
}

/// The cell of a code and a scheduler.
pub(crate) fn cell<'a>(rows: &'a [Row], code: &str, way: Way) -> Option<&'a Row> {
    rows.iter().find(|row| row.code == code && row.way == way)
}

fn table(rows: &[Row], show: impl Fn(&Row) -> String) -> String {
    let codes = codes(rows);
    let mut columns = vec![("knows", Align::Left), ("scheduler", Align::Left)];
    columns.extend(codes.iter().map(|code| (*code, Align::Right)));
    let mut grid = Grid::new(&columns);
    for way in Way::all() {
        let mut cells = vec![way.knows().word().to_owned(), way.name()];
        cells.extend(codes.iter().map(|code| cell(rows, code, way).map_or(String::new(), &show)));
        grid.row(cells);
    }
    grid.render(&STYLE)
}

/// The content of a cell of a table.
type Show = dyn Fn(&Row) -> String;

/// All tables of a machine.
pub(crate) fn machine(title: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "{title}\nMeans of {SEEDS} seeds. An empty cell: the scheduler has no meaning for the code.\n"
    );
    let parts: [(&str, &Show); 5] = [
        ("Makespan / lower bound", &|row| format!("{:.2}", row.over_bound)),
        ("Makespan / that of the best scheduler for the code", &|row| format!("{:.2}", row.over_best)),
        ("Speedup over fifo, and half of its 95 % interval", &|row| {
            format!("{:.2} ±{:.2}", row.over_fifo.mean, (row.over_fifo.high - row.over_fifo.low) / 2.0)
        }),
        ("Bytes from other nodes, of all bytes", &|row| format!("{:.0} %", 100.0 * row.remote())),
        ("Workers without a task, of all worker-seconds, and what they wait for most", &|row| {
            format!("{:.0} % {}", 100.0 * row.idle, row.waits_for().as_str())
        }),
    ];
    for (title, show) in parts {
        text += &["\n", title, "\n\n", &table(rows, show)].concat();
    }
    text += "\nWhat bounds the makespan from below\n\n";
    let columns =
        ["code", "bound s", "what takes as long", "fifo s", "best s", "best scheduler", "best / bound"];
    let mut grid = Grid::new(&columns.map(|title| {
        (title, if title.starts_with("code") || title.contains("sch") { Align::Left } else { Align::Right })
    }));
    for code in codes(rows) {
        let Some(fifo) = cell(rows, code, Way::FIFO) else { continue };
        let Some(best) = rows.iter().find(|row| row.code == code && row.over_best <= 1.0) else { continue };
        grid.row(vec![
            code.to_owned(),
            format!("{:.6}", fifo.bound_s),
            fifo.bound_by.to_owned(),
            format!("{:.6}", fifo.makespan_s.mean),
            format!("{:.6}", best.makespan_s.mean),
            best.way.name(),
            format!("{:.2}", best.over_bound),
        ]);
    }
    text + &grid.render(&STYLE)
}

/// Kinds of graphs and the quality of schedulers for them, over all machines.
pub(crate) fn summary(rows: &[Row]) -> String {
    let mut text = format!(
        "Which scheduler for which kind of graph: makespan / that of the best of all schedulers on the same machine for the same code.\n\
         mean: geometric, over codes and machines; worst: where it loses most; close: cells within 5 % of the best.\n\
         over fifo: geometric mean of the speedups; without NUMA: the same where near and far are alike (1 seed), so what is not gained by locality.\n\
         {} machines, {} codes, {} cells, {SEEDS} seeds each.\n",
        machines(rows),
        codes(rows).len(),
        rows.len(),
    );
    for kind in Kind::ALL {
        let of_kind: Vec<Row> = rows.iter().filter(|row| row.kind == kind).cloned().collect();
        text += &["\n", kind.word(), ": ", &codes(&of_kind).join(", "), "\n\n"].concat();
        let columns = [
            ("scheduler", Align::Left),
            ("knows", Align::Left),
            ("mean", Align::Right),
            ("worst", Align::Right),
            ("where", Align::Left),
            ("close", Align::Right),
            ("over fifo", Align::Right),
            ("without NUMA", Align::Right),
        ];
        let mut grid = Grid::new(&columns);
        for Judged { way, mean, worst, worst_at, close, cells, over_fifo, over_fifo_uniform } in
            ranked(rows, kind)
        {
            grid.row(vec![
                way.name(),
                way.knows().word().to_owned(),
                format!("{mean:.2}"),
                format!("{worst:.2}"),
                format!("{} on {}", worst_at.0, worst_at.1),
                format!("{close} of {cells}"),
                format!("{over_fifo:.2}"),
                format!("{over_fifo_uniform:.2}"),
            ]);
        }
        text += &grid.render(&STYLE);
    }
    text + &format!("\nGeometric mean of best / lower bound: {:.2}.\n", best_over_bound(rows))
}

fn machines(rows: &[Row]) -> usize {
    let mut names: Vec<&str> = rows.iter().map(|row| row.machine).collect();
    names.dedup();
    names.len()
}

fn best_over_bound(rows: &[Row]) -> f64 {
    geometric(rows.iter().filter(|row| row.over_best <= 1.0).map(|row| row.over_bound))
}
