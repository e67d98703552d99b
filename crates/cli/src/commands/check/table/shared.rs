//! Sockets, and links that several pairs of nodes use together: which nodes stand on which side.

use std::fmt::Write as _;

use numasim_graph::Reading;
use numasim_model::machine::SharedLink;

use super::grid::{self, Align};
use crate::view::Style;
use numasim_draw::grid::wrap;

/// Of more shared links a line says how many there are.
const MOST: usize = 20;

pub(super) fn write(text: &mut String, reading: &Reading, style: &Style) {
    let machine = &reading.study.machine;
    if let Some(sockets) = reading.sockets {
        let each = machine.node_count() / sockets.max(1);
        let of = |socket: usize| grid::range(&(socket * each..=((socket + 1) * each).saturating_sub(1)));
        let shown: Vec<String> =
            (0..sockets.min(MOST)).map(|socket| format!("{socket}: {}", of(socket))).collect();
        let more = if sockets > MOST { ", …" } else { "" };
        let words = format!("sockets and their nodes  {}{more}", shown.join(", "));
        text.push('\n');
        for line in wrap(&words, style.columns().saturating_sub(2)) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {line}");
        }
    }
    let links = machine.shared_links();
    if links.is_empty() {
        return;
    }
    let legend = "shared links, GB/s in each direction: cores on the left read memories on the right, and with <-> the reverse";
    text.push('\n');
    for line in wrap(legend, style.columns().saturating_sub(2)) {
        let _ = writeln!(text, "  {line}");
    }
    let row = |link: &SharedLink| {
        let arrow = if link.both_ways { "<->" } else { "-->" };
        let sides = format!("[{}] {arrow} [{}]", grid::ranges_of(&link.from), grid::ranges_of(&link.to));
        vec![link.name.clone(), grid::figure(link.bandwidth.value()), sides]
    };
    let rows: Vec<Vec<String>> = links.iter().take(MOST).map(row).collect();
    grid::write_untitled(text, &rows, &[Align::Left, Align::Right, Align::Left], style);
    if links.len() > MOST {
        let _ = writeln!(text, "  and {} more; --format csv lists them all", links.len() - MOST);
    }
}
