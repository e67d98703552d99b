//! The state and the decisions of an agent, for people: a pure function of its status.

use std::fmt::Write as _;

use numasim_ask::table::{Of, grid};
use numasim_draw::grid::wrap;
use numasim_model::text::visible;
use numasim_protocol::{AgentStatus, AppEntry, Control, Order, State, Waiting};

use super::{Style, figures};

/// The text for an unknown value.
const UNKNOWN: &str = "-";
/// With more nodes, only the sum is shown.
const MOST_NODES: usize = 8;

/// The agent, then a row for each application: threads on each node, and `done`, the iterations.
pub(crate) fn table(status: &AgentStatus, style: &Style) -> String {
    let cores: u64 = status.cores.iter().copied().map(u64::from).sum();
    let mut text = format!(
        "Agent:   pid {}, for {}, on {}\nMachine: {} ({}, {})\nPolicy:  {}\n",
        status.pid,
        duration(status.uptime_s),
        visible(&status.socket),
        visible(&status.machine),
        figures::count(status.cores.len() as u64, "NUMA node"),
        figures::count(cores, "core"),
        policy(status),
    );
    if let Some(load) = &status.load {
        let _ = writeln!(text, "Load:    {} (busy part of the cores of each node, last second)", loads(load));
    }
    let closed = status.closed;
    let _ = writeln!(
        text,
        "Closed:  {} with a bye, {} lost, {} refused\n",
        closed.bye, closed.lost, closed.refused
    );
    if status.apps.is_empty() {
        return text + "No application is connected.\n";
    }
    text += &apps(&status.apps, style);
    let notes: Vec<String> = status.apps.iter().filter_map(note).collect();
    if !notes.is_empty() {
        text.push('\n');
    }
    for note in notes {
        text += &wrap(&note, style.columns()).join("\n  ");
        text.push('\n');
    }
    text
}

/// `lead:2, asked every 80 ms; no order is sent`
fn policy(status: &AgentStatus) -> String {
    let asked = match (status.policy.as_str(), status.period_ms) {
        ("none", _) => String::new(),
        (_, 0.0) => ", asked whenever something changes".to_owned(),
        (_, ms) => format!(", asked every {} ms", figures::short(ms)),
    };
    let dry = if status.dry_run { "; dry run: no order is sent" } else { "" };
    format!("{}{asked}{dry}", visible(&status.policy))
}

fn loads(load: &[f64]) -> String {
    if load.len() > MOST_NODES {
        let mean = load.iter().sum::<f64>() / load.len() as f64;
        return format!("{} on average", figures::percent(mean));
    }
    load.iter().map(|&load| figures::percent(load)).collect::<Vec<_>>().join(", ")
}

/// `0.5 s`, `12 min`, `3.5 h`
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{} s", figures::rounded(s)),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Threads on each node: `4 4`; with many nodes their sum.
fn on_nodes(threads: &[u32]) -> String {
    if threads.len() > MOST_NODES {
        return threads.iter().copied().map(u64::from).sum::<u64>().to_string();
    }
    threads.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

fn apps(apps: &[AppEntry], style: &Style) -> String {
    let known = |threads: &Option<Vec<u32>>| threads.as_deref().map_or_else(|| UNKNOWN.to_owned(), on_nodes);
    let columns = [
        Of::text("name", |app: &AppEntry| visible(&app.name).into_owned()),
        Of::text("pid", |app: &AppEntry| if app.pid == 0 { UNKNOWN.to_owned() } else { app.pid.to_string() })
            .right(),
        Of::text("state", |app: &AppEntry| app.state.as_str()),
        Of::text("done", |app: &AppEntry| {
            app.progress.map_or_else(|| UNKNOWN.to_owned(), |progress| progress.to_string())
        })
        .right(),
        Of::text("waits\nfor", |app: &AppEntry| waits_for(app.waiting)),
        Of::text("threads", |app: &AppEntry| on_nodes(&app.threads)).right(),
        Of::text("running", move |app: &AppEntry| known(&app.running)).right(),
        Of::text("blocked", move |app: &AppEntry| known(&app.blocked)).right(),
        Of::text("may run", target),
    ];
    grid(&columns, apps).render(style)
}

fn waits_for(waiting: Option<Waiting>) -> &'static str {
    match waiting {
        None => UNKNOWN,
        Some(Waiting::None) => "no",
        Some(Waiting::Input) => "input",
        Some(Waiting::Output) => "room",
        Some(Waiting::Call) => "a call",
    }
}

/// The last decision, in the form that the application supports.
fn target(app: &AppEntry) -> String {
    match &app.target {
        None if app.control == Control::None => "all".to_owned(),
        None => UNKNOWN.to_owned(),
        Some(Order::PerNode(threads)) => on_nodes(threads),
        Some(Order::Total(threads)) => format!("{threads} in all"),
        Some(Order::Cores(cores)) if cores.is_empty() => "no core".to_owned(),
        Some(Order::Cores(cores)) => {
            let cores: Vec<usize> = cores.iter().filter_map(|&core| core.try_into().ok()).collect();
            format!("cores {}", figures::ranges(&cores))
        }
    }
}

/// A problem that needs attention, if there is one.
fn note(app: &AppEntry) -> Option<String> {
    let name = visible(&app.name);
    if let Some(why) = &app.refused {
        return Some(format!("'{name}' refused order {}: {}", app.seq, visible(why)));
    }
    if app.state == State::Stale {
        let age = app.status_age_ms.map_or_else(|| UNKNOWN.to_owned(), |ms| duration(ms / 1e3));
        return Some(format!("'{name}' has said nothing for {age}: it keeps what it has"));
    }
    let waits = app.seq.saturating_sub(app.acked);
    (waits > 0).then(|| format!("'{name}' has not acknowledged order {} yet", app.seq))
}

#[cfg(test)]
mod tests;
