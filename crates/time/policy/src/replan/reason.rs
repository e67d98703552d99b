//! Why: a move in words, with what it brings and what it costs.

use numasim_model::AppId;

use super::outlook::{Outlook, Rows, unblocked};
use crate::ahead::ENOUGH;
use crate::known::Known;
use crate::reexplore::count;
use crate::rounding::is_less;
use crate::view::{Presence, View};

/// Names that are listed.
const SHOWN: usize = 3;

/// For each application of `view` whose threads change: why.
pub(super) fn reasons(outlook: &mut Outlook<'_>, view: &View, rows: &Rows) -> Vec<Option<String>> {
    let mut said = vec![None; view.apps.len()];
    let now = outlook.present_of_controlled();
    if *rows != now {
        let text = of_move(outlook, rows, &now);
        for (m, member) in outlook.members.iter().enumerate() {
            if rows[m] != now[m] {
                said[member.at] = Some(text.clone());
            }
        }
    }
    for (said, app) in said.iter_mut().zip(&view.apps) {
        if app.presence == Presence::There
            && let Some(waiting) = app.waiting
        {
            let threads: u32 = unblocked(app, app.threads.len()).iter().sum();
            if threads > 0 {
                *said = Some(format!("waits for {}: {} free", waiting.as_str(), count(threads, "core")));
            }
        }
    }
    said
}

/// Says of producers that have run ahead (`ahead`: items, and for whom), and whose threads change, why.
pub(super) fn of_those_ahead(
    said: &mut [Option<String>],
    known: &Known,
    view: &View,
    ahead: &[Option<(u64, AppId)>],
    rows: &[Vec<u32>],
) {
    for (((said, app), ahead), row) in said.iter_mut().zip(&view.apps).zip(ahead).zip(rows) {
        let Some((items, consumer)) = ahead.filter(|(items, _)| *items >= ENOUGH) else { continue };
        if app.is_busy() && *row != unblocked(app, row.len()) {
            let for_whom = known.name(consumer);
            let cores = count(row.iter().sum::<u32>(), "core");
            *said = Some(format!("{items} items ahead of {for_whom}: {cores} that nobody else has use for"));
        }
    }
}

fn of_move(outlook: &mut Outlook<'_>, rows: &Rows, now: &Rows) -> String {
    let predicted = outlook.predict(rows);
    let stay = outlook.predict(now);
    let gflops = predicted.gflops - outlook.present_gflops();
    let total = |rows: &Rows, m: usize| rows[m].iter().sum::<u32>();
    let members = 0..outlook.members.len();
    let name = |m: usize| outlook.known.app(&outlook.members[m]).name.as_str();
    let gain: Vec<usize> = members.clone().filter(|&m| total(rows, m) > total(now, m)).collect();
    let lose: Vec<usize> = members.filter(|&m| total(rows, m) < total(now, m)).collect();
    let names = |of: &[usize]| list(&of.iter().map(|&m| name(m)).collect::<Vec<_>>());
    let more: u32 = gain.iter().map(|&m| total(rows, m) - total(now, m)).sum();
    let less: u32 = lose.iter().map(|&m| total(now, m) - total(rows, m)).sum();
    let what = match (gain.as_slice(), lose.as_slice()) {
        ([], []) => format!("{} to other nodes", count(predicted.moved, "thread")),
        (gain, []) => format!("{} to {}", count(more, "core"), names(gain)),
        ([], lose) => format!("{} less for {}", count(less, "core"), names(lose)),
        (gain, lose) => format!("{} from {} to {}", count(more.max(less), "core"), names(lose), names(gain)),
    };
    let change = if gflops.abs() < 0.005 {
        "as many GFLOPS".to_owned()
    } else {
        format!("{} GFLOPS {}", number(gflops.abs()), if gflops > 0.0 { "more" } else { "less" })
    };
    let holds = if predicted.holds.is_finite() {
        format!(" for {}", seconds(predicted.holds))
    } else {
        String::new()
    };
    let price = predicted.wait + outlook.known.os.refill.value();
    let cost = if predicted.moved > 0 {
        format!(", costs {} of {}", seconds(price), count(predicted.moved, "thread"))
    } else {
        String::new()
    };
    let end = match stay.finish - predicted.finish {
        earlier if earlier.is_finite() && is_less(predicted.finish, stay.finish) => {
            format!("; all is done {} earlier", seconds(earlier))
        }
        _ => String::new(),
    };
    format!("{what}: {change}{holds}{cost}{end}")
}

/// "a", "a and b", "a, b, c and 4 more".
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [start @ .., last] if names.len() <= SHOWN => format!("{} and {last}", start.join(", ")),
        _ => format!("{} and {} more", names[..SHOWN].join(", "), names.len() - SHOWN),
    }
}

/// Three digits.
fn number(value: f64) -> String {
    let text = if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// In s, ms or us.
fn seconds(value: f64) -> String {
    if value >= 0.1 || value <= 0.0 {
        format!("{} s", number(value))
    } else if value >= 1e-4 {
        format!("{} ms", number(value * 1e3))
    } else {
        format!("{} us", number(value * 1e6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!([0.0, 12.345, 254.4, 3.0].map(number), ["0", "12.3", "254", "3"]);
        assert_eq!([0.0, 3.2, 0.0201, 5e-6].map(seconds), ["0 s", "3.2 s", "20.1 ms", "5 us"]);
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
    }
}
