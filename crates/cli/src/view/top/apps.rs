//! The applications, one line each: the state of their threads on each node, their progress, and their last command.
//!
//! Each thread is shown as one sign if there is space for the widest application, otherwise as numbers for each node, otherwise as
//! numbers for all nodes together.

use anstyle::Style;
use numasim_protocol::{AppEntry, Order, State, Waiting};

use crate::view::figures;
use crate::view::top::{Line, Look, Seen};

/// Minimum width of a shortened name, in columns; names are shortened first.
const NAME: usize = 12;
/// Maximum width of a name.
const LONG_NAME: usize = 24;

/// A cell: its text and its meaning.
type Cell = (String, Meaning);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Plain,
    Faint,
    Good,
    Doubtful,
    Bad,
}

/// The heading of the table and as many applications as fit in `rows`, starting with `look.from`.
pub(super) fn lines(seen: &Seen, look: Look, width: usize, rows: usize) -> Vec<Line> {
    let apps = &seen.status.apps;
    if rows < 2 {
        return Vec::new();
    }
    if apps.is_empty() {
        return vec![Line::styled(look.fit("no application is connected", width), look.faint())];
    }
    let fits = apps.len() < rows;
    let shown = if fits { apps.len() } else { (rows - 2).max(1) };
    let from = if fits { 0 } else { look.from.min(apps.len() - shown) };
    let visible = apps.get(from..from + shown).unwrap_or_default();
    // Widths are those for all applications, so that columns do not move while the user scrolls.
    let columns = columns(seen, look, width);
    let mut lines = vec![heading(&columns, look)];
    lines.extend(visible.iter().map(|app| row(seen, look, &columns, app)));
    if !fits {
        let rest = format!("{} to {} of {} applications", from + 1, from + shown, apps.len());
        lines.push(Line::styled(look.fit(&rest, width), look.faint()));
    }
    lines
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Name,
    Threads(Detail),
    Progress,
    Rate,
    Waiting,
    Target,
    Orders,
    Bandwidth,
}

/// The detail with which threads are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// A sign for each thread.
    Signs,
    /// Numbers for each node.
    Nodes,
    /// Total numbers.
    All,
}

struct Column {
    kind: Kind,
    title: &'static str,
    width: usize,
}

/// The columns that fit, with their widths.
fn columns(seen: &Seen, look: Look, width: usize) -> Vec<Column> {
    let mut last = Vec::new();
    for detail in [Detail::Signs, Detail::Nodes, Detail::All] {
        for left_out in 0..=LESS_NEEDED.len() {
            let columns = with(seen, look, detail, LESS_NEEDED.get(..left_out).unwrap_or_default());
            let all: usize = columns.iter().map(|column| column.width + 2).sum::<usize>().saturating_sub(2);
            last = columns;
            if all <= width {
                return last;
            }
            let over = all - width;
            if let Some(name) = last.first_mut().filter(|name| name.width >= NAME + over) {
                name.width -= over;
                return last;
            }
            // The detail of the threads is reduced first, because a missing column is a greater loss.
            if detail != Detail::All {
                break;
            }
        }
    }
    last
}

/// The order in which columns are dropped if there is not enough space.
const LESS_NEEDED: [Kind; 3] = [Kind::Rate, Kind::Orders, Kind::Bandwidth];

fn with(seen: &Seen, look: Look, detail: Detail, without: &[Kind]) -> Vec<Column> {
    let threads = match detail {
        Detail::Signs => "#run .idle xblk",
        Detail::Nodes | Detail::All => "run/idle/blk",
    };
    let all = [
        (Kind::Name, "application"),
        (Kind::Threads(detail), threads),
        (Kind::Progress, "progress"),
        (Kind::Rate, "per s"),
        (Kind::Waiting, "waits for"),
        (Kind::Target, "order"),
        (Kind::Orders, "sent/ack"),
        (Kind::Bandwidth, "GB/s est."),
    ];
    let there = |kind: &Kind| match kind {
        Kind::Bandwidth => seen.estimates() && !without.contains(kind),
        kind => !without.contains(kind),
    };
    let column = |(kind, title): (Kind, &'static str)| {
        use unicode_width::UnicodeWidthStr as _;
        let widest = seen.status.apps.iter().map(|app| cell(seen, look, kind, app).0.width()).max();
        let width = widest.unwrap_or(0).max(title.len());
        Column { kind, title, width: if kind == Kind::Name { width.min(LONG_NAME) } else { width } }
    };
    all.into_iter().filter(|(kind, _)| there(kind)).map(column).collect()
}

fn heading(columns: &[Column], look: Look) -> Line {
    let mut text = String::new();
    for column in columns {
        text.push_str(&aligned(column.kind, column.title, column.width));
        text.push_str("  ");
    }
    Line::styled(text.trim_end().to_owned(), look.strong())
}

fn row(seen: &Seen, look: Look, columns: &[Column], app: &AppEntry) -> Line {
    let with = |line: Line, column: &Column| {
        let (text, meaning) = cell(seen, look, column.kind, app);
        let text = aligned(column.kind, &look.fit(&text, column.width), column.width) + "  ";
        let paint = match meaning {
            Meaning::Plain => Style::new(),
            Meaning::Faint => look.faint(),
            Meaning::Good => look.good(),
            Meaning::Doubtful => look.doubtful(),
            Meaning::Bad => look.bad(),
        };
        line.then(text, paint)
    };
    columns.iter().fold(Line::default(), with)
}

/// Aligns numbers at the right.
fn aligned(kind: Kind, text: &str, columns: usize) -> String {
    use unicode_width::UnicodeWidthStr as _;
    let spaces = " ".repeat(columns.saturating_sub(text.width()));
    match kind {
        Kind::Progress | Kind::Rate | Kind::Bandwidth => spaces + text,
        _ => text.to_owned() + &spaces,
    }
}

fn cell(seen: &Seen, look: Look, kind: Kind, app: &AppEntry) -> Cell {
    let not_known = || (if look.unicode { "–" } else { "-" }.to_owned(), Meaning::Faint);
    match kind {
        Kind::Name => {
            let meaning = match app.state {
                State::Ok | State::Adopted => Meaning::Plain,
                State::New => Meaning::Faint,
                State::Stale => Meaning::Doubtful,
            };
            let state = match app.state {
                State::Ok => "",
                other => other.as_str(),
            };
            let text = if state.is_empty() { app.name.clone() } else { format!("{} ({state})", app.name) };
            (text, meaning)
        }
        Kind::Threads(detail) => threads(app, detail).map_or_else(not_known, |text| (text, Meaning::Plain)),
        Kind::Progress => app.progress.map_or_else(not_known, |done| (done.to_string(), Meaning::Plain)),
        Kind::Rate => {
            let rate = seen.iterations_per_s(app);
            rate.map_or_else(not_known, |rate| (figures::short(rate), Meaning::Plain))
        }
        Kind::Waiting => match app.waiting {
            None | Some(Waiting::None) => not_known(),
            Some(Waiting::Input) => ("an item".to_owned(), Meaning::Doubtful),
            Some(Waiting::Output) => ("room".to_owned(), Meaning::Doubtful),
            Some(Waiting::Call) => ("a call".to_owned(), Meaning::Doubtful),
        },
        Kind::Target => match (&app.target, app.control) {
            (Some(target), _) => (short(target), Meaning::Plain),
            (None, numasim_protocol::Control::None) => ("not told".to_owned(), Meaning::Faint),
            (None, _) => not_known(),
        },
        Kind::Orders => match &app.refused {
            Some(_) => (format!("{} refused", app.seq), Meaning::Bad),
            None if app.seq == 0 => not_known(),
            None => {
                let meaning = if app.acked == app.seq { Meaning::Good } else { Meaning::Doubtful };
                (format!("{}/{}", app.seq, app.acked), meaning)
            }
        },
        Kind::Bandwidth => {
            seen.bandwidth_gbs(app).map_or_else(not_known, |gbs| (figures::single(gbs), Meaning::Plain))
        }
    }
}

/// The state of the threads; `None` before the first status.
fn threads(app: &AppEntry, detail: Detail) -> Option<String> {
    let (running, blocked) = (app.running.as_ref()?, app.blocked.as_ref()?);
    let on_nodes = app.threads.iter().zip(running).zip(blocked).map(|((&all, &running), &blocked)| {
        (running, all.saturating_sub(running).saturating_sub(blocked), blocked)
    });
    let numbers = |(running, idle, blocked): (u32, u32, u32)| format!("{running}/{idle}/{blocked}");
    Some(match detail {
        Detail::Signs => on_nodes.map(signs).collect::<Vec<_>>().join(" "),
        Detail::Nodes => on_nodes.map(numbers).collect::<Vec<_>>().join(" "),
        Detail::All => {
            numbers(on_nodes.fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2)))
        }
    })
}

/// `##..xx`: two threads run, two are idle, two are blocked.
fn signs((running, idle, blocked): (u32, u32, u32)) -> String {
    /// No terminal is wider.
    const MOST: u32 = 1000;
    let repeat = |sign: &str, times: u32| sign.repeat(times.min(MOST) as usize);
    repeat("#", running) + &repeat(".", idle) + &repeat("x", blocked)
}

// The last commands, newest first.

/// Maximum number that is requested.
const WANTED: usize = 8;

/// Number of rows with the empty one above and the heading.
pub(super) fn height(seen: &Seen) -> usize {
    if seen.orders.is_empty() { 0 } else { 2 + seen.orders.len().min(WANTED) }
}

pub(super) fn order_lines(seen: &Seen, look: Look, width: usize, rows: usize) -> Vec<Line> {
    if rows < 3 || seen.orders.is_empty() {
        return Vec::new();
    }
    let heading = Line::styled("last orders", look.strong());
    let line = |order: &crate::view::top::SeenOrder| {
        let at = format!("{:>9} s  ", figures::short(order.at_ms as f64 / 1e3));
        let text = format!("{} #{}: {}", order.app, order.seq, in_words(&order.order));
        let room = width.saturating_sub(at.len());
        Line::styled(at, look.faint()).then(look.fit(&text, room), Style::new())
    };
    [Line::default(), heading].into_iter().chain(seen.orders.iter().take(rows - 2).map(line)).collect()
}

/// `4 threads`, `2 and 0 threads per node`, `cores 0-3, 6`.
fn in_words(order: &Order) -> String {
    match order {
        Order::Total(threads) => format!("{} in all", figures::count((*threads).into(), "thread")),
        Order::PerNode(threads) => match threads.as_slice() {
            [only] => figures::count((*only).into(), "thread"),
            several => format!("{} threads on its nodes", joined(several)),
        },
        Order::Cores(cores) if cores.is_empty() => "no core".to_owned(),
        Order::Cores(cores) => {
            let cores: Vec<usize> = cores.iter().map(|&core| core as usize).collect();
            format!("cores {}", figures::ranges(&cores))
        }
    }
}

/// The shortest form of a command: `4`, `2 0`, `0-3`.
pub(super) fn short(order: &Order) -> String {
    match order {
        Order::Total(threads) => threads.to_string(),
        Order::PerNode(threads) => joined(threads),
        Order::Cores(cores) if cores.is_empty() => "none".to_owned(),
        Order::Cores(cores) => {
            let cores: Vec<usize> = cores.iter().map(|&core| core as usize).collect();
            figures::ranges(&cores)
        }
    }
}

pub(super) fn joined(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}
