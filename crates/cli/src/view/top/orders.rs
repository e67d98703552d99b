//! The last orders, newest first.

use anstyle::Style;
use numasim_protocol::Order;

use super::{Line, Look, Seen};
use crate::view::figures;

/// More than this are not asked for.
const WANTED: usize = 8;

/// Rows of everything, with the empty one above and the heading.
pub(super) fn height(seen: &Seen) -> usize {
    if seen.orders.is_empty() { 0 } else { 2 + seen.orders.len().min(WANTED) }
}

pub(super) fn lines(seen: &Seen, look: Look, width: usize, rows: usize) -> Vec<Line> {
    if rows < 3 || seen.orders.is_empty() {
        return Vec::new();
    }
    let heading = Line::styled("last orders", look.strong());
    let line = |order: &super::seen::SeenOrder| {
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

/// As short as an order gets: `4`, `2 0`, `0-3`.
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
