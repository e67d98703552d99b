//! The threads on the nodes, as in Figures 2 and 3 of the paper: a box per NUMA node, a circle per thread.

use numasim_ask::thread_map::domains;
use numasim_draw::grid;
use numasim_draw::threads::MapDomain;
use numasim_model::{NodeId, Placement, Smt};

use super::lettering::{Lettering, painted};
use super::{ScenarioView, Style, data_words, figures};

/// Up to this number of boxes, equal nodes are drawn separately; beyond it they share one box.
const FEW_NODES: usize = 4;
/// Circles in a line of a box.
const CIRCLES: usize = 18;
/// Minimum inner width of a box.
const NARROWEST: usize = 20;
const GAP: &str = " ";

/// A box: its contents, and the nodes that look like this.
struct Drawn {
    nodes: Vec<usize>,
    cores: Vec<String>,
    /// The title of the part below.
    controller: String,
    memory: Vec<String>,
}

/// The boxes, side by side as far as the width allows, and the legend.
pub(super) fn picture(view: &ScenarioView, letters: &Lettering, style: &Style) -> String {
    let mut drawn: Vec<Drawn> = Vec::new();
    for node in view.machine.node_ids() {
        let domains = domains(view, letters, node);
        let cores = if domains.is_empty() {
            core_lines(view, node, letters, style)
        } else {
            domain_lines(&domains, view.machine.node_count(), letters, style)
        };
        let gbs =
            view.machine.controller(node).map(|gbs| format!("memory {} GB/s", figures::short(gbs.value())));
        let controller = gbs.unwrap_or_else(|| "no memory".to_owned());
        let memory = memory_lines(view, node, letters, style);
        let together = view.machine.node_count() > FEW_NODES;
        let same =
            |other: &Drawn| other.cores == cores && other.controller == controller && other.memory == memory;
        match drawn.iter_mut().find(|other| together && same(other)) {
            Some(other) => other.nodes.push(node.0),
            None => drawn.push(Drawn { nodes: vec![node.0], cores, controller, memory }),
        }
    }
    let widths = |b: &Drawn| {
        let lines = b.cores.iter().chain(&b.memory).map(|line| grid::width(line)).max().unwrap_or(0);
        lines.max(grid::width(&title(b)) + 2).max(grid::width(&b.controller) + 2)
    };
    let inside = drawn.iter().map(widths).fold(NARROWEST, usize::max);
    let per_line = ((style.columns() + GAP.len()) / (inside + 4 + GAP.len())).max(1);
    // Lines with equal numbers of boxes: if three of four boxes would fit, there are two and two.
    let per_line = drawn.len().div_ceil(drawn.len().div_ceil(per_line).max(1)).max(1);
    let mut text = String::new();
    for side_by_side in drawn.chunks(per_line) {
        let height = side_by_side.iter().map(|b| b.cores.len()).max().unwrap_or(0);
        let depth = side_by_side.iter().map(|b| b.memory.len()).max().unwrap_or(0);
        let boxes: Vec<Vec<String>> =
            side_by_side.iter().map(|b| frame(b, inside, height, depth, style)).collect();
        for line in 0..height + depth + 3 {
            let across: Vec<&str> = boxes.iter().map(|lines| lines[line].as_str()).collect();
            text.push_str(&across.join(GAP));
            text.push('\n');
        }
    }
    text + &legend(view, letters, style)
}

/// The frame of one box: title, `height` lines of cores, a rule, `depth` lines of memory.
fn frame(drawn: &Drawn, inside: usize, height: usize, depth: usize, style: &Style) -> Vec<String> {
    let frame = style.frame();
    let rule = |ends: [&str; 2], title: &str| {
        let title = if title.is_empty() { String::new() } else { format!(" {} ", style.strong(title)) };
        let rest = (inside + 1).saturating_sub(grid::width(&title));
        format!(
            "{}{title}{}",
            style.faint(&format!("{}{}", ends[0], frame.across)),
            style.faint(&format!("{}{}", frame.across.repeat(rest), ends[1]))
        )
    };
    let side = style.faint(frame.down);
    let body = |lines: &[String], count: usize| -> Vec<String> {
        let line = |l: usize| lines.get(l).map_or("", String::as_str);
        (0..count).map(|l| format!("{side} {} {side}", grid::left(line(l), inside))).collect()
    };
    let mut lines = vec![rule(frame.top, &title(drawn))];
    lines.extend(body(&drawn.cores, height));
    lines.push(rule(frame.middle, &drawn.controller));
    lines.extend(body(&drawn.memory, depth));
    lines.push(rule(frame.bottom, ""));
    lines
}

fn title(drawn: &Drawn) -> String {
    let nodes = figures::nodes(&drawn.nodes);
    if drawn.nodes.len() > 1 { format!("{nodes}, each") } else { nodes }
}

/// Whether there are too many cores for a circle each.
fn is_large(cores: u32) -> bool {
    cores as usize > 2 * CIRCLES
}

/// A line for each application with threads on the node, and one for the idle cores.
fn core_lines(view: &ScenarioView, node: NodeId, letters: &Lettering, style: &Style) -> Vec<String> {
    let cores = view.machine.node(node).cores;
    if cores == 0 {
        return vec![style.faint("no cores")];
    }
    let mut threads = vec![0_u64; letters.count()];
    for app in view.app_ids() {
        threads[letters.of(app)] += u64::from(view.allocation.get(app, node));
    }
    let large = is_large(cores);
    let mut lines = Vec::new();
    for (letter, &count) in threads.iter().enumerate().filter(|&(_, &count)| count > 0) {
        let label = grid::left(&painted(letter, style), letters.width());
        let paint = |text: &str| style.in_colour_of(letter, text);
        lines.extend(circles(count, large.then_some(cores), &label, style.thread(), &paint, style));
    }
    let idle = u64::from(cores).saturating_sub(threads.iter().sum());
    if idle > 0 {
        let label = " ".repeat(letters.width());
        let paint = |text: &str| style.faint(text);
        lines.extend(circles(idle, large.then_some(cores), &label, style.idle(), &paint, style));
    }
    lines
}

/// Lines of a box for each L3 domain, with a letter for each thread. Domains are side by side so that the boxes of two nodes fit next to
/// each other.
fn domain_lines(domains: &[MapDomain], nodes: usize, letters: &Lettering, style: &Style) -> Vec<String> {
    let cores = domains.iter().map(|domain| domain.cores as usize).max().unwrap_or(1);
    let across = cores.div_ceil(cores.div_ceil(CIRCLES));
    let inside = across * letters.width();
    let room = (style.columns() + GAP.len()) / nodes.min(2) - GAP.len() - 4;
    let fitting = (room.saturating_sub(1) / (inside + 1)).clamp(1, domains.len());
    // As many lines as needed, all of the same length.
    let per_line = domains.len().div_ceil(domains.len().div_ceil(fitting));
    let cells: Vec<Vec<String>> = domains.iter().map(|domain| cell(domain, across, letters, style)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    let rows: Vec<&[Vec<String>]> = cells.chunks(per_line).collect();
    let count = |row: Option<usize>| row.and_then(|row| rows.get(row)).map_or(0, |row| row.len());
    // The rule between two rows: each corner has a line to every adjacent domain.
    let rule = |below: usize| {
        let (upper, lower) = (count(below.checked_sub(1)), count(Some(below)));
        let mut line = String::new();
        let last = upper.max(lower);
        for corner in 0..=last {
            let side = |domains: usize| domains > 0 && corner <= domains;
            line.push_str(style.joint([side(upper), side(lower), corner > 0, corner < last]));
            if corner < last {
                line.push_str(&style.frame().across.repeat(inside));
            }
        }
        style.faint(&line)
    };
    let side = style.faint(style.frame().down);
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        lines.push(rule(number));
        for l in 0..height {
            let line = row
                .iter()
                .map(|cell| format!("{}{side}", grid::left(cell.get(l).map_or("", String::as_str), inside)));
            lines.push(format!("{side}{}", line.collect::<String>()));
        }
    }
    lines.push(rule(rows.len()));
    lines
}

/// A letter for each thread of a domain and a sign for each idle core, `across` in a line.
fn cell(domain: &MapDomain, across: usize, letters: &Lettering, style: &Style) -> Vec<String> {
    let busy = domain.threads.iter().flat_map(|&(letter, count)| (0..count).map(move |_| Some(letter)));
    let cores: Vec<Option<usize>> = busy.chain(std::iter::repeat(None)).take(domain.cores as usize).collect();
    let sign = |core: &Option<usize>| match core {
        Some(letter) => grid::left(&painted(*letter, style), letters.width()),
        None => grid::left(&style.faint(style.idle()), letters.width()),
    };
    cores.chunks(across).map(|line| line.iter().map(sign).collect()).collect()
}

/// One circle per thread; on a node with many cores the count and a bar that is full for all `of` cores.
fn circles(
    count: u64,
    of: Option<u32>,
    label: &str,
    circle: &str,
    paint: &dyn Fn(&str) -> String,
    style: &Style,
) -> Vec<String> {
    const BAR: usize = 12;
    if let Some(cores) = of {
        let digits = cores.to_string().len();
        let share = count as f64 / f64::from(cores);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to BAR")]
        let cells = ((share * BAR as f64).round() as usize).clamp(1, BAR);
        let number = grid::left(&count.to_string(), digits);
        let bar = if circle == style.thread() { if style.unicode { "█" } else { "#" } } else { circle };
        return vec![format!("{label} {}{number} {}", style.times(), paint(&bar.repeat(cells)))];
    }
    let mut lines = Vec::new();
    let mut rest = usize::try_from(count).unwrap_or(usize::MAX);
    // Two equal lines are easier to count than a full one and a rest.
    let per_line = if rest > CIRCLES { rest.div_ceil(2) } else { CIRCLES };
    while rest > 0 {
        let here = rest.min(per_line);
        let label = if lines.is_empty() { label.to_owned() } else { " ".repeat(grid::width(label)) };
        lines.push(format!("{label} {}", paint(&circle.repeat(here))));
        rest -= here;
    }
    lines
}

/// The load of the memory, and the applications with data in it.
fn memory_lines(view: &ScenarioView, node: NodeId, letters: &Lettering, style: &Style) -> Vec<String> {
    const BAR: usize = 13;
    if !view.machine.has_memory(node) {
        return vec![format!("local data on {}", view.machine.local_memory(node))];
    }
    let used = &view.evaluation.nodes[node.0];
    let share = |part: f64| part / used.capacity.value();
    let (all, remote) = (share(used.occupied.value()), share(used.remote_occupied.value()));
    let bar = style.bar([all - remote, remote], BAR);
    let mut lines = vec![format!("{bar} {:>6}", figures::percent(all))];

    let mut all = Vec::new();
    let mut parts = Vec::new();
    for app in view.active_apps() {
        let letter = letters.of(app);
        let placement = &view.placements[app.0];
        let Some(part) = data_words::part_on(placement, view.machine, node) else { continue };
        let part = (letter, figures::percent(part));
        if matches!(placement, Placement::Home(_)) {
            if !all.contains(&letter) {
                all.push(letter);
            }
        } else if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if !all.is_empty() {
        let apps: Vec<_> = all.iter().map(|&letter| painted(letter, style)).collect();
        // If instances share a letter, others may have their data elsewhere.
        let what = if letters.shared() { "data of" } else { "all data of" };
        lines.extend(grid::wrap(&format!("{what} {}", apps.join(" ")), NARROWEST));
    }
    lines.extend(parts.iter().map(|(letter, part)| format!("{part} of data of {}", painted(*letter, style))));
    lines
}

/// The meaning of the letters and signs.
fn legend(view: &ScenarioView, letters: &Lettering, style: &Style) -> String {
    let mut entries: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    for app in view.active_apps() {
        let letter = letters.of(app);
        if seen.contains(&letter) {
            continue;
        }
        seen.push(letter);
        let placement = &view.placements[app.0];
        let spread = match placement {
            Placement::Interleave | Placement::PartInterleave { .. } => {
                format!(" ({})", data_words::phrase(placement))
            }
            _ => String::new(),
        };
        entries.push(format!("{} {}{spread}", painted(letter, style), letters.name(letter)));
    }
    if view.machine.has_domains() {
        entries.push(format!("{} L3 domain", style.frame().down.repeat(2)));
    } else if view.machine.nodes().iter().any(|node| node.cores > 0 && !is_large(node.cores)) {
        let both = view.active_apps().any(|app| view.apps[app.0].smt == Smt::Both);
        entries.push(format!("{} {}", style.thread(), if both { "core" } else { "thread" }));
    }
    let used: u64 = view.active_apps().map(|app| view.allocation.total(app)).sum();
    if used < view.machine.total_cores() {
        entries.push(format!("{} idle core", style.idle()));
    }
    let (own, remote) = if style.unicode { ("█", "▒") } else { ("#", "=") };
    let reads_remotely = view.evaluation.nodes.iter().any(|node| node.remote.value() > 0.0);
    if reads_remotely {
        entries.push(format!("memory read by {own} its own node {remote} other nodes"));
    }
    let mut lines = vec![String::new()];
    for entry in entries {
        let fits =
            lines.last().is_some_and(|line| grid::width(line) + 3 + grid::width(&entry) <= style.columns());
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(&entry),
            Some(line) if fits => {
                line.push_str("   ");
                line.push_str(&entry);
            }
            _ => lines.push(entry),
        }
    }
    lines.join("\n") + "\n"
}
