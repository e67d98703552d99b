//! The rounds of the default model, if there are several: each request, the bandwidth that it gets, and the reason why it stops.

use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_model::AppId;
use numasim_model::sharing::dealt::{GroupInRound, PortInRound, Round, Stop};

use numasim_draw::{Style, figures};

use crate::ScenarioView;

/// Number of rounds that are shown; the others are summarised.
const SHOWN_ROUNDS: usize = 3;
/// Number of rows of a table that are shown; the others are summarised.
const SHOWN_ROWS: usize = 16;

/// The rounds, the first ones in full; empty if there are none.
pub(super) fn text(view: &ScenarioView, style: &Style) -> String {
    let rounds = &view.evaluation.rounds;
    if rounds.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for (number, round) in rounds.iter().take(SHOWN_ROUNDS).enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "\nRound {}: all threads together take {} GB/s",
            number + 1,
            figures::single(taken(round))
        );
        text.push_str(&ports(round, style));
        text.push('\n');
        text.push_str(&groups(view, round, style));
    }
    let more = &rounds[rounds.len().min(SHOWN_ROUNDS)..];
    if !more.is_empty() {
        let add: f64 = more.iter().map(taken).sum();
        let which = if more.len() == 1 { "which adds" } else { "which add" };
        let rounds = figures::count(more.len() as u64, "more round");
        let _ = writeln!(text, "\n... {rounds}, {which} {} GB/s in all", figures::single(add));
    }
    let all: f64 = rounds.iter().map(taken).sum();
    let sum = format!(
        "Sum of all rounds: {} GB/s. A thread draws what it takes in all of them, and computes that x its arithmetic \
         intensity.",
        figures::single(all)
    );
    text + "\n" + &wrap(&sum, style.columns()).join("\n") + "\n"
}

/// Bandwidth that all threads get in a round, in GB/s.
fn taken(round: &Round) -> f64 {
    round.groups.iter().map(|group| group.takes * f64::from(group.threads)).sum()
}

/// Merges rows that differ only by their nodes.
fn merged<T>(rows: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<(&T, Vec<&T>)> {
    let mut found: Vec<(&T, Vec<&T>)> = Vec::new();
    for row in rows {
        match found.iter_mut().find(|(first, _)| same(first, row)) {
            Some((_, members)) => members.push(row),
            None => found.push((row, vec![row])),
        }
    }
    found
}

fn ports(round: &Round, style: &Style) -> String {
    let same = |a: &PortInRound, b: &PortInRound| {
        let own = |port: &PortInRound| port.from == port.memory;
        a.memory == b.memory && own(a) == own(b) && a.asks == b.asks && a.granted == b.granted
    };
    let rows = merged(&round.ports, same);
    let shown = &rows[..rows.len().min(SHOWN_ROWS)];
    let column = |value: fn(&PortInRound) -> f64| {
        figures::column(&shown.iter().map(|(port, _)| value(port)).collect::<Vec<_>>())
    };
    let mut grid = Grid::new(&[
        ("port of the memory of", Align::Left),
        ("for", Align::Left),
        ("asks for, GB/s", Align::Right),
        ("is granted", Align::Right),
    ]);
    for (((port, members), asks), granted) in
        shown.iter().zip(column(|port| port.asks)).zip(column(|port| port.granted))
    {
        let nodes: Vec<usize> = members.iter().map(|port| port.from.0).collect();
        let each = if nodes.len() > 1 { "each of " } else { "" };
        let of = if port.from == port.memory {
            "its own threads".to_owned()
        } else {
            format!("{each}{}", figures::nodes(&nodes))
        };
        grid.row(vec![port.memory.to_string(), of, asks, granted]);
    }
    let rest: Vec<&PortInRound> =
        rows[shown.len()..].iter().flat_map(|(_, members)| members.iter().copied()).collect();
    let granted: f64 = rest.iter().map(|port| port.granted).sum();
    let more = figures::count(rest.len() as u64, "more port");
    grid.render(style)
        + &rest_line(
            &rest,
            &format!("{more}, which {} granted {} GB/s in all", is_are(rest.len()), figures::single(granted)),
        )
}

fn groups(view: &ScenarioView, round: &Round, style: &Style) -> String {
    let same = |a: &GroupInRound, b: &GroupInRound| {
        a.app == b.app && a.threads == b.threads && a.takes == b.takes && a.stops == b.stops
    };
    let rows = merged(&round.groups, same);
    let shown = &rows[..rows.len().min(SHOWN_ROWS)];
    let takes = figures::column(&shown.iter().map(|(group, _)| group.takes).collect::<Vec<_>>());
    let mut grid = Grid::new(&[
        ("threads", Align::Right),
        ("of", Align::Left),
        ("on", Align::Left),
        ("takes, GB/s each", Align::Right),
        ("then", Align::Left),
    ]);
    let name = |app: AppId| view.apps[app.0].name.clone();
    for ((group, members), takes) in shown.iter().zip(takes) {
        let nodes: Vec<usize> = members.iter().map(|group| group.from.0).collect();
        let each = if nodes.len() > 1 { "each of " } else { "" };
        grid.row(vec![
            group.threads.to_string(),
            name(group.app),
            format!("{each}{}", figures::nodes(&nodes)),
            takes,
            then(group.stops.as_ref(), style),
        ]);
    }
    let rest: Vec<&GroupInRound> =
        rows[shown.len()..].iter().flat_map(|(_, members)| members.iter().copied()).collect();
    let take: f64 = rest.iter().map(|group| group.takes * f64::from(group.threads)).sum();
    let more = figures::count(rest.len() as u64, "more group");
    grid.render(style) + &rest_line(&rest, &format!("{more}, taking {} GB/s in all", figures::single(take)))
}

fn rest_line<T>(rest: &[T], words: &str) -> String {
    if rest.is_empty() { String::new() } else { format!("... {words}\n") }
}

const fn is_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Whether a group continues, and the reason if it does not.
fn then(stops: Option<&Stop>, style: &Style) -> String {
    match stops {
        None => "goes on".to_owned(),
        Some(Stop::Satisfied) => "has all it wants".to_owned(),
        Some(Stop::Controller(memory)) => format!("stops: the controller of {memory} is used up"),
        Some(Stop::Link { from, memory }) => {
            format!("stops: link {}{}{} is used up", from.0, style.arrow(), memory.0)
        }
        Some(Stop::SharedLink(name)) => format!("stops: shared link {name} is used up"),
        Some(Stop::L3 { node, domain }) => format!("stops: L3 domain {domain} of {node} reads all it can"),
        Some(Stop::NodeRead(node)) => format!("stops: {node} reads all it can"),
    }
}
