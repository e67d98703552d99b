//! The agent itself, and the nodes of its machine.

use anstyle::Style;

use super::{Line, Look, Seen};
use crate::view::figures;

/// Columns of a bar.
const BAR: usize = 20;
/// More nodes than this stand together in one line.
const MOST_NODES: usize = 8;

/// The lines of the heading and of the nodes, with an empty one below.
pub(super) fn lines(seen: &Seen, look: Look, width: usize) -> Vec<Line> {
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
        // A table of 64 nodes would leave no room for applications.
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
        // At most BAR: the part is held between 0 and 1.
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
mod tests {
    use super::up;

    #[test]
    fn times_are_as_long_as_they_need_to_be() {
        assert_eq!([up(4.2), up(187.9), up(7387.0)], ["4.2 s", "3:07", "2:03:07"]);
    }
}
