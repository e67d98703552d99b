//! The display of `numasim top`: the status of an agent as a frame of a terminal, a pure function of the observed data.
//!
//! ```text
//! heading     the agent, its policy, connections that are over
//! nodes       busy part of the cores of each node
//! apps        threads per node, progress, what is waited for, the order in force
//! orders      the last ones, newest first
//! ```

use std::collections::{HashMap, VecDeque};

use anstyle::{AnsiColor, Style};
use numasim_course::{Course, Study, Work};
use numasim_protocol::{AgentStatus, AppEntry, Order};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::view::figures;

mod apps;

/// Display options of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// With colours, bold and faint text.
    pub(crate) color: bool,
    /// With characters beyond ASCII.
    pub(crate) unicode: bool,
    /// Index of the first application that is shown.
    pub(crate) from: usize,
    /// The last line: the keys, or the problem.
    pub(crate) foot: Foot,
}

/// The last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foot {
    /// There is no keyboard.
    None,
    /// The available keys.
    Keys,
    /// The agent is gone; the frame shows its last state.
    Gone,
}

impl Look {
    fn paint(self, style: Style) -> Style {
        if self.color { style } else { Style::new() }
    }

    fn strong(self) -> Style {
        self.paint(Style::new().bold())
    }

    fn faint(self) -> Style {
        self.paint(Style::new().dimmed())
    }

    fn good(self) -> Style {
        self.paint(AnsiColor::Green.on_default())
    }

    fn doubtful(self) -> Style {
        self.paint(AnsiColor::Yellow.on_default())
    }

    fn bad(self) -> Style {
        self.paint(AnsiColor::Red.on_default())
    }

    /// The marker of truncated text.
    fn cut(self) -> &'static str {
        if self.unicode { "…" } else { "~" }
    }

    /// `text` truncated to `columns`.
    fn fit(self, text: &str, columns: usize) -> String {
        // Names come from untrusted programs.
        let text = numasim_model::text::visible(text);
        if text.width() <= columns {
            return text.into_owned();
        }
        let mut short = String::new();
        for character in text.chars() {
            let longer = format!("{short}{character}{}", self.cut());
            if longer.width() > columns {
                break;
            }
            short.push(character);
        }
        if columns > 0 { short + self.cut() } else { short }
    }
}

/// Number of rows for the complete display, if there is space.
pub(crate) fn height(seen: &Seen, look: Look) -> usize {
    let foot = usize::from(look.foot != Foot::None);
    lines(seen, look, 80).len() + 2 + seen.status.apps.len().max(1) + apps::height(seen) + foot
}

/// A line of a frame: pieces of text, each with its style.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<(String, Style)>);

impl Line {
    fn styled(text: impl Into<String>, style: Style) -> Self {
        Self(vec![(text.into(), style)])
    }

    fn plain(text: impl Into<String>) -> Self {
        Self::styled(text, Style::new())
    }

    /// Appends another piece.
    fn then(mut self, text: impl Into<String>, style: Style) -> Self {
        self.0.push((text.into(), style));
        self
    }

    /// Truncates the line to this number of columns.
    fn cut(&mut self, columns: usize) {
        let mut left = columns;
        for (text, _) in &mut self.0 {
            let past = text.char_indices().find_map(|(at, character)| {
                let width = character.width().unwrap_or(0);
                if width > left {
                    left = 0;
                    return Some(at);
                }
                left -= width;
                None
            });
            text.truncate(past.unwrap_or(text.len()));
        }
    }

    /// The line with terminal escape codes.
    pub(crate) fn painted(&self) -> String {
        use std::fmt::Write as _;
        let mut painted = String::new();
        for (text, style) in &self.0 {
            // Writing to a string does not fail.
            let _ = write!(painted, "{style}{text}{style:#}");
        }
        painted
    }

    /// The text alone.
    fn text(&self) -> String {
        self.0.iter().map(|(text, _)| text.as_str()).collect()
    }
}

/// The lines of a frame of this size: at most `height` lines, none wider than `width`.
pub(crate) fn draw(seen: &Seen, look: Look, width: usize, height: usize) -> Vec<Line> {
    let foot = usize::from(look.foot != Foot::None).min(height);
    let mut lines = lines(seen, look, width);
    lines.truncate(height - foot);
    let left = height - foot - lines.len();
    // Commands get the rows that applications leave, and at least three.
    let wanted = 2 + seen.status.apps.len().max(1);
    let for_orders = apps::height(seen).min(left.saturating_sub(wanted).max(4.min(left / 3)));
    let table = apps::lines(seen, look, width, left - for_orders);
    lines.extend(table);
    lines.extend(apps::order_lines(seen, look, width, for_orders));
    lines.truncate(height - foot);
    if foot > 0 {
        lines.resize(height - 1, Line::default());
        lines.push(foot_line(seen, look, width));
    }
    for line in &mut lines {
        line.cut(width);
    }
    lines
}

/// Everything as plain text with this number of columns, each line terminated.
pub(crate) fn text(seen: &Seen, look: Look, columns: usize) -> String {
    let mut text = String::new();
    for line in draw(seen, look, columns, height(seen, look)) {
        text.push_str(line.text().trim_end());
        text.push('\n');
    }
    while text.ends_with("\n\n") {
        text.pop();
    }
    text
}

fn foot_line(seen: &Seen, look: Look, width: usize) -> Line {
    let (text, style) = match look.foot {
        Foot::Gone => (
            format!("no agent listens at {} any more: this is its last state; q quits", seen.status.socket),
            look.bad(),
        ),
        Foot::Keys | Foot::None => ("q ends   up, down: more applications".to_owned(), look.faint()),
    };
    Line::styled(look.fit(&text, width), style)
}

// The observations of an agent so far: its last status, the speed of applications, and the observed commands.

/// Rates are means over this time, in seconds. Over shorter times the last digits are noise of the statuses.
const WINDOW_S: f64 = 5.0;
/// Minimum time between two observations for a rate, in seconds.
const SHORTEST_S: f64 = 0.4;
/// Maximum number of remembered commands.
const ORDERS: usize = 200;

/// An application, from its hello to its end; another connection with the same name is a different application.
type Key = (String, u64);

/// The observations of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Its last status.
    pub(crate) status: AgentStatus,
    /// Newest first.
    pub(crate) orders: VecDeque<SeenOrder>,
    samples: HashMap<Key, VecDeque<Sample>>,
    traffic: Traffic,
}

/// A command that was not present in the previous observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenOrder {
    /// Uptime of the agent at the first observation with this command, in ms; it may have been given up to one interval before.
    pub(crate) at_ms: u64,
    pub(crate) app: String,
    pub(crate) seq: u64,
    pub(crate) order: Order,
}

/// The progress of an application at a time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Uptime of the agent when the application reported its progress, in s.
    at_s: f64,
    progress: u64,
    tasks: Option<u64>,
}

/// The traffic of applications according to the files, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic(HashMap<String, PerUnit>);

/// GB moved to or from memory.
#[derive(Clone, Copy, Debug)]
struct PerUnit {
    iteration: f64,
    /// Present if an iteration consists of tasks with equal traffic.
    task: Option<f64>,
}

impl Traffic {
    /// The traffic of every application whose work is in the files.
    pub(crate) fn of(study: &Study) -> Self {
        let of = |(app, course): (&numasim_model::App, &Course)| Some((app.name.clone(), per_unit(course)?));
        Self(study.apps.iter().zip(&study.dynamics.courses).filter_map(of).collect())
    }

    /// Whether there is no data for estimates.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Work / arithmetic intensity, phase by phase; `None` if the files do not define the work.
fn per_unit(course: &Course) -> Option<PerUnit> {
    let gb = |phase: &numasim_course::Phase| {
        Some(phase.work.as_ref()?.total().value() / phase.arithmetic_intensity.value())
    };
    let phases: Option<Vec<f64>> = course.phases.iter().map(gb).collect();
    let iteration = phases?.into_iter().sum();
    let task = match course.phases.as_slice() {
        [only] => match &only.work {
            Some(Work::Tasks { count, each }) if each.len() == 1 && *count > 0 => {
                Some(iteration / *count as f64)
            }
            _ => None,
        },
        _ => None,
    };
    Some(PerUnit { iteration, task })
}

impl Seen {
    /// After the first observation: commands already in force were not observed when they were sent.
    pub(crate) fn first(status: AgentStatus, traffic: Traffic) -> Self {
        let mut seen = Self { status, orders: VecDeque::new(), samples: HashMap::new(), traffic };
        seen.sample();
        seen
    }

    /// After another observation.
    pub(crate) fn again(&mut self, status: AgentStatus) {
        let before = std::mem::replace(&mut self.status, status);
        if before.pid != self.status.pid {
            // This is a different agent, so the counts of its predecessor are meaningless.
            self.samples.clear();
        }
        let known: HashMap<(&str, u64), u64> =
            before.apps.iter().map(|app| ((app.name.as_str(), app.pid), app.seq)).collect();
        let at_ms = milliseconds(self.status.uptime_s);
        for app in &self.status.apps {
            let seq_before = known.get(&(app.name.as_str(), app.pid)).copied().unwrap_or(0);
            if app.seq > seq_before
                && let Some(order) = &app.target
            {
                let seen = SeenOrder { at_ms, app: app.name.clone(), seq: app.seq, order: order.clone() };
                self.orders.push_front(seen);
            }
        }
        self.orders.truncate(ORDERS);
        self.sample();
    }

    /// Remembers the progress of each application, and forgets those that are gone.
    fn sample(&mut self) {
        let uptime_s = self.status.uptime_s;
        let mut samples = std::mem::take(&mut self.samples);
        for app in &self.status.apps {
            let mut own = samples.remove(&key(app)).unwrap_or_default();
            if let (Some(progress), Some(age_ms)) = (app.progress, app.status_age_ms) {
                let sample = Sample { at_s: uptime_s - age_ms / 1e3, progress, tasks: app.tasks };
                if own.back().is_some_and(|last| progress < last.progress || sample.tasks < last.tasks) {
                    own.clear(); // it began again
                }
                if own.back().is_none_or(|last| sample.at_s > last.at_s) {
                    own.push_back(sample);
                }
            }
            while own.len() > 2 && own.get(1).is_some_and(|second| second.at_s <= uptime_s - WINDOW_S) {
                own.pop_front();
            }
            self.samples.insert(key(app), own);
        }
    }

    /// Iterations per second over the last seconds; `None` until there are two observations with enough distance.
    pub(crate) fn iterations_per_s(&self, app: &AppEntry) -> Option<f64> {
        let (first, last) = self.ends(app)?;
        Some((last.progress - first.progress) as f64 / (last.at_s - first.at_s))
    }

    /// GB/s from the traffic of an iteration or a task according to the files, and the number of those done; `None` if one of the two is
    /// unknown. Nothing is measured.
    pub(crate) fn bandwidth_gbs(&self, app: &AppEntry) -> Option<f64> {
        let per = self.traffic.0.get(&app.name)?;
        let (first, last) = self.ends(app)?;
        let gb = match (per.task, first.tasks, last.tasks) {
            (Some(gb), Some(before), Some(now)) => gb * now.saturating_sub(before) as f64,
            _ => per.iteration * (last.progress - first.progress) as f64,
        };
        Some(gb / (last.at_s - first.at_s))
    }

    /// Whether the files allow any estimate of bandwidth.
    pub(crate) fn estimates(&self) -> bool {
        !self.traffic.is_empty()
    }

    fn ends(&self, app: &AppEntry) -> Option<(Sample, Sample)> {
        let own = self.samples.get(&key(app))?;
        let (first, last) = (*own.front()?, *own.back()?);
        (last.at_s - first.at_s >= SHORTEST_S).then_some((first, last))
    }
}

fn key(app: &AppEntry) -> Key {
    (app.name.clone(), app.pid)
}

fn milliseconds(seconds: f64) -> u64 {
    // A time since the start of a process: positive and small; the conversion of a float saturates.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let ms = (seconds * 1e3) as u64;
    ms
}

// The agent itself, and the nodes of its machine.

/// Columns of a bar.
const BAR: usize = 20;
/// With more nodes, they share one line.
const MOST_NODES: usize = 8;

/// The lines of the heading and of the nodes, with an empty one below.
fn lines(seen: &Seen, look: Look, width: usize) -> Vec<Line> {
    let status = &seen.status;
    let every = if status.period_ms > 0.0 {
        format!("every {} ms", figures::short(status.period_ms))
    } else {
        "whenever something changes".to_owned()
    };
    let dry = if status.dry_run { ", dry run: nothing is sent" } else { "" };
    let first = format!(
        "numasim agent {}   policy {}, {every}{dry}   up {}",
        status.pid,
        status.policy,
        up(status.uptime_s)
    );
    let ended = &status.closed;
    let second = format!(
        "{}   connections: {} open, {} ended, {} lost, {} refused",
        status.machine,
        status.apps.iter().filter(|app| app.state != numasim_protocol::State::Adopted).count(),
        ended.bye,
        ended.lost,
        ended.refused
    );
    let mut lines = vec![
        Line::styled(look.fit(&first, width), look.strong()),
        Line::styled(look.fit(&second, width), look.faint()),
        Line::default(),
    ];
    lines.extend(nodes(seen, look, width));
    lines.push(Line::default());
    lines
}

fn nodes(seen: &Seen, look: Look, width: usize) -> Vec<Line> {
    let status = &seen.status;
    let of = |node: usize| status.load.as_ref().and_then(|load| load.get(node)).copied();
    if status.cores.len() > MOST_NODES {
        // A table of 64 nodes would leave no space for applications.
        let cores: u64 = status.cores.iter().map(|&cores| u64::from(cores)).sum();
        let busy = status.load.as_ref().map_or("load not known".to_owned(), |load| {
            let busy: f64 =
                load.iter().zip(&status.cores).map(|(part, &cores)| part * f64::from(cores)).sum();
            let part = if cores > 0 { busy / cores as f64 } else { 0.0 };
            format!("{:.0} % busy", part * 100.0)
        });
        let text = format!("{} nodes, {}, {busy}", status.cores.len(), figures::count(cores, "core"));
        return vec![Line::plain(look.fit(&text, width))];
    }
    let line = |(node, &cores): (usize, &u32)| {
        let name = format!("node {node}  {:<9}", figures::count(cores.into(), "core"));
        let Some(load) = of(node).filter(|_| cores > 0) else {
            let why = if cores == 0 { "memory only" } else { "load not known: this machine is not the host" };
            return Line::plain(look.fit(&name, width))
                .then(look.fit(&format!("  {why}"), width.saturating_sub(name.len())), look.faint());
        };
        // At most `BAR`: the fraction is clamped between 0 and 1.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let full = (load.clamp(0.0, 1.0) * BAR as f64).round() as usize;
        let (on, off) = if look.unicode { ("█", "·") } else { ("#", ".") };
        Line::plain(name + "  ")
            .then(on.repeat(full), look.good())
            .then(off.repeat(BAR - full), look.faint())
            .then(format!(" {:>3.0} % busy", load * 100.0), Style::new())
    };
    status.cores.iter().enumerate().map(line).collect()
}

/// `4.2 s`, `3:07`, `2:03:07`.
fn up(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    // Positive, and an agent does not run for 10^11 years.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = seconds as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod heading_tests {
    use super::up;

    #[test]
    fn times_are_as_long_as_they_need_to_be() {
        assert_eq!([up(4.2), up(187.9), up(7387.0)], ["4.2 s", "3:07", "2:03:07"]);
    }
}

#[cfg(test)]
mod tests;
