//! A scenario for the terminal: picture, applications, memory controllers, links.

use std::fmt::Write as _;

use numasim_ask::table::{self, Of};
use numasim_draw::grid;
use numasim_model::{AppId, Smt};

use super::intervals::plus_minus;
use super::lettering::{Lettering, painted};
use super::{STATIC_WORK, ScenarioView, Style, data_words, figures, held_back, picture, resources};

/// The column of the threads on each node.
const THREADS: usize = 1;

/// Up to this number, the threads on each node have a separate place; on larger machines equal neighbours are drawn together.
const FEW_NODES: usize = 16;
/// Longer descriptions of a bottleneck are printed only once.
const LONG: usize = 34;
/// If there is less space for the bottleneck of an application, its threads get a separate table.
const ROOM_FOR_WORDS: usize = 24;

/// The complete view of one scenario, for people.
pub(crate) fn table(view: &ScenarioView, style: &Style) -> String {
    let letters = Lettering::new(view.apps);
    let note =
        if view.evaluation.static_work { format!("{}\n", style.faint(STATIC_WORK)) } else { String::new() };
    let parts = [
        if style.markdown { map(view, &letters, style) } else { picture::picture(view, &letters, style) },
        applications(view, &letters, style),
        note,
        resources::controllers(view, style),
        resources::links(view, style),
        resources::shared_links(view, style),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let text = format!("{}\n{}", heading(view, style), parts.join("\n"));
    if !text.contains(figures::LEFT_OUT) {
        return text;
    }
    let note = "Long lists of nodes are shortened, with their number in parentheses; JSON has all of them.";
    format!("{text}\n{}\n", style.faint(note))
}

/// `━━ even 2,2,2,2 ━━━━━━ 138.75 GFLOPS ━━`, or `138.75 GFLOPS, 1200.0 queries/s`
fn heading(view: &ScenarioView, style: &Style) -> String {
    let rule = if style.unicode { "━" } else { "=" };
    let (worth, unit) = view.worth();
    // In GB/s there is no interval of the total.
    let interval = view.intervals.filter(|_| unit == "GFLOPS");
    let off = interval.map(|found| format!(" {}", plus_minus(found.total_gflops, worth, style)));
    let mut total = format!("{}{} {unit}", figures::single(worth), off.unwrap_or_default());
    for (rate, of) in view.total_rates().into_iter().filter(|(rate, of)| *of != unit && *rate > 0.0) {
        // Writing to a String cannot fail.
        let _ = write!(total, ", {} {of}", figures::single(rate));
    }
    if style.markdown {
        return style.heading(2, &format!("{}: {total}", view.name));
    }
    let taken = grid::width(view.name) + grid::width(&total) + 8;
    let between = style.columns().min(100).saturating_sub(taken).max(2);
    format!(
        "{} {} {} {} {}\n",
        style.faint(&rule.repeat(2)),
        style.strong(view.name),
        style.faint(&rule.repeat(between)),
        style.strong(&total),
        style.faint(&rule.repeat(2))
    )
}

/// The picture as a table: threads of each application on each node, and the remaining cores. Empty on larger machines, where the table
/// of the applications lists them in words.
fn map(view: &ScenarioView, letters: &Lettering, style: &Style) -> String {
    type Row = (String, String, Vec<u64>);
    if view.machine.node_count() > FEW_NODES {
        return String::new();
    }
    let rows = lines(view, letters).into_iter().map(|line| {
        let app = line.apps[0];
        let threads: Vec<u64> = view.threads(app).into_iter().map(u64::from).collect();
        let named = format!("{} {}", painted(letters.of(app), style), name(view, &line));
        (named, data_words::brief(&view.placements[app.0]), threads)
    });
    let idle = |node| u64::from(view.machine.node(node).cores).saturating_sub(view.allocation.on_node(node));
    let idle: Vec<u64> = view.machine.node_ids().map(idle).collect();
    let rows: Vec<Row> = rows.chain([("idle cores".to_owned(), String::new(), idle)]).collect();
    let mut columns = vec![
        Of::text("threads of", |(name, ..): &Row| name.clone()),
        Of::text("data", |(_, data, _): &Row| data.clone()),
    ];
    columns.extend(
        view.machine.node_ids().map(|node| {
            Of::count("threads", move |(.., counts): &Row| counts[node.0]).titled(node.to_string())
        }),
    );
    columns.push(Of::count("all", |(.., counts): &Row| counts.iter().sum::<u64>()));
    table::grid(&columns, &rows).render(style)
}

/// Applications that share a line: equal instances of an `[[app]]`, when there are many.
struct Line {
    apps: Vec<AppId>,
}

fn applications(view: &ScenarioView, letters: &Lettering, style: &Style) -> String {
    let lines = lines(view, letters);
    let results = &view.evaluation.apps;
    let result = |line: &Line| &results[line.apps[0].0];
    let per_node = view.machine.node_count() <= FEW_NODES;
    let node_numbers: Vec<String> = view.machine.node_ids().map(|node| node.0.to_string()).collect();
    let counts = view.app_ids().flat_map(|app| view.threads(app));
    let cell_width = counts.map(|t| t.to_string().len()).max().unwrap_or(1);
    let cell_width = node_numbers.iter().map(String::len).fold(cell_width, usize::max);
    let in_cells = |cells: &[String]| {
        cells.iter().map(|cell| grid::right(cell, cell_width)).collect::<Vec<_>>().join(" ")
    };
    let threads_header = if per_node {
        format!("threads on node\n{}", in_cells(&node_numbers))
    } else {
        "threads\non nodes".to_owned()
    };
    let threads = |line: &Line| {
        let row = view.threads(line.apps[0]);
        let count = |&t: &u32| if t == 0 { style.idle().to_owned() } else { t.to_string() };
        if per_node { in_cells(&row.iter().map(count).collect::<Vec<_>>()) } else { runs(&row) }
    };
    let cores = |line: &Line| {
        let app = line.apps[0];
        format!("{} ({})", view.allocation.total(app), view.apps[app.0].smt.as_str())
    };
    let off = |line: &Line| {
        let interval = view.intervals.and_then(|found| found.gflops.get(line.apps[0].0));
        interval.map(|&found| plus_minus(found, result(line).gflops.value(), style))
    };
    let first = |line: &Line| {
        let letter = painted(letters.of(line.apps[0]), style);
        format!("{} {}", grid::left(&letter, letters.width()), name(view, line))
    };
    // Applications that only move data have no GFLOPS.
    let computed = |line: &Line, text: String| {
        let app = &view.apps[line.apps[0].0];
        match &app.rate_unit {
            Some(unit) => format!("{text} {unit}"),
            None if app.computes() => text,
            None => style.idle().to_owned(),
        }
    };
    let stressed = |line: &Line, text: String| computed(line, style.strong(&text));
    let per_thread = |line: &Line| result(line).gflops.value() / view.total_threads(line.apps[0]) as f64;
    let share = |line: &Line| result(line).gflops.value() / result(line).full_speed.value();
    // Long descriptions that were already printed are not repeated.
    let words: Vec<String> =
        lines.iter().map(|line| held_back::in_words(view, line.apps[0], style)).collect();
    let limits = |line: &Line| {
        let at = lines.iter().position(|other| std::ptr::eq(other, line)).unwrap_or_default();
        let known = words.iter().position(|other| *other == words[at]).unwrap_or(at);
        if known < at && words[at].len() > LONG && !letters.shared() {
            return format!("same as {}", painted(letters.of(lines[known].apps[0]), style));
        }
        words[at].clone()
    };
    let has_rates = view.apps.iter().any(|app| app.rate_unit.is_some());
    let speed = match (has_rates, view.apps.iter().all(|app| app.rate_unit.is_some())) {
        (false, _) => "GFLOPS",
        (true, false) => "GFLOPS\nor rate",
        (true, true) => "rate",
    };
    let has_speed = |line: &Line, text: String| {
        let app = &view.apps[line.apps[0].0];
        if app.computes() || app.rate_unit.is_some() { text } else { style.idle().to_owned() }
    };
    let columns = [
        Of::text("application", first),
        Of::text("threads", threads).titled(threads_header).right(),
        Of::text("cores", cores).right().only_if(view.apps.iter().any(|app| app.smt == Smt::Both)),
        Of::number("gflops", |line: &Line| result(line).gflops.value())
            .titled(speed)
            .rounded()
            .painted(stressed),
        Of::text("interval", off)
            .titled("\n95 %")
            .right()
            .painted(computed)
            .only_if(view.intervals.is_some()),
        Of::number("bandwidth_gbs", |line: &Line| result(line).bandwidth.value()).titled("GB/s").rounded(),
        Of::number("per_thread", per_thread)
            .titled(if has_rates { "per\nthread" } else { "GFLOPS per\nthread" })
            .rounded()
            .painted(computed),
        Of::number("share", share).titled("of full\nspeed").written(figures::percent).painted(has_speed),
        Of::text("limited by", limits),
    ];
    let table = table::grid(&columns, &lines);
    let text = if style.markdown && per_node {
        // The map already contains them.
        table.without(THREADS).render(style)
    } else if table.room(style) >= ROOM_FOR_WORDS {
        table.render(style)
    } else {
        // Too wide: the placement of the threads and their performance are printed in two tables.
        format!("{}\n{}", table.only_first(THREADS + 1).render(style), table.without(THREADS).render(style))
    };
    text + &without_threads(view, style)
}

fn without_threads(view: &ScenarioView, style: &Style) -> String {
    let without: Vec<&str> = view
        .app_ids()
        .filter(|&a| view.allocation.total(a) == 0)
        .map(|a| view.apps[a.0].name.as_str())
        .collect();
    if without.is_empty() {
        return String::new();
    }
    let names = grid::wrap(&format!("Without threads: {}", without.join(", ")), style.columns());
    style.faint(&names.join("\n")) + "\n"
}

/// The lines of the table: applications with threads.
fn lines(view: &ScenarioView, letters: &Lettering) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for app in view.active_apps() {
        let same = |line: &Line| {
            let other = line.apps[0];
            letters.of(app) == letters.of(other)
                && view.allocation.row(app) == view.allocation.row(other)
                && view.evaluation.apps[app.0] == view.evaluation.apps[other.0]
        };
        match lines.iter_mut().find(|line| letters.shared() && same(line)) {
            Some(line) => line.apps.push(app),
            None => lines.push(Line { apps: vec![app] }),
        }
    }
    lines
}

/// `mem-2`, or `mem-1 to mem-40, each`.
fn name(view: &ScenarioView, line: &Line) -> String {
    let first = &view.apps[line.apps[0].0].name;
    let last = line.apps.last().map_or(first, |app| &view.apps[app.0].name);
    let together = line.apps.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
    match line.apps.len() {
        1 => first.clone(),
        2 => format!("{first}, {last}, each"),
        _ if together => format!("{first} to {last}, each"),
        many => format!("{first} and {} like it, each", many - 1),
    }
}

/// Threads node by node, equal neighbours merged: `2 on 0-63; 5 on 64`.
fn runs(row: &[u32]) -> String {
    let mut counts: Vec<u32> = row.iter().copied().filter(|&t| t > 0).collect();
    counts.sort_unstable();
    counts.dedup();
    let on = |count: &u32| {
        let nodes: Vec<usize> = row.iter().enumerate().filter(|(_, t)| *t == count).map(|(n, _)| n).collect();
        format!("{count} on {}", figures::ranges(&nodes))
    };
    counts.iter().rev().map(on).collect::<Vec<_>>().join("; ")
}
