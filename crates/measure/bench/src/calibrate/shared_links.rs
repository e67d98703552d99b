//! `[[machine.shared_link]]` of a calibration, and what is said where nothing limits.

use numasim_model::machine::SharedLink;
use numasim_study::keys::shared_link;
use numasim_study::writing::Notes;

use super::predicted::gbs;
use super::steps::ranges_of;
use super::text::{range, short};
use super::{Calibration, SharedFigure, Together};

/// Both directions of a link are one figure where they differ by less than this share of the smaller one.
const ALIKE: f64 = 0.05;

/// The links that limit, with a note on each, and what is to be said of the others.
pub(super) fn found(calibration: &Calibration, notes: &mut Notes) -> (Vec<SharedLink>, Vec<String>) {
    let (mut limits, mut others) = (Vec::new(), Vec::new());
    let all = &calibration.shared_links;
    for (n, link) in all.iter().enumerate() {
        let back = |other: &&SharedFigure| other.sockets == (link.sockets.1, link.sockets.0);
        let back = all.iter().enumerate().find(|(_, other)| back(other) && alike(link, other));
        // Once for both.
        if back.is_some_and(|(m, _)| m < n) {
            continue;
        }
        let slower =
            |a: &SharedFigure, b: &SharedFigure| b.together.bandwidth.median < a.together.bandwidth.median;
        let (a, b) = link.sockets;
        let (name, slowest, meant) = match back {
            Some((_, back)) => {
                let slowest = if slower(link, back) { back } else { link };
                (format!("sockets {a} and {b}"), slowest, ", the slower direction")
            }
            None => (format!("socket {a} reads socket {b}"), link, ""),
        };
        let figure = slowest.together.bandwidth;
        let (is_limit, why) = judged(&slowest.together);
        if !is_limit {
            let nodes = format!("nodes {} and {}", ranges_of(&link.from), ranges_of(&link.to));
            others.push(format!("No shared link for {name} ({nodes}): all nodes at once: {why}"));
            continue;
        }
        let at = (&shared_link::TABLE, limits.len());
        notes.behind(at, &shared_link::GBS, format!("all nodes at once{meant}, {}; {why}", range(figure)));
        let (from, to) = (link.from.clone(), link.to.clone());
        limits.push(SharedLink { name, bandwidth: gbs(figure), from, to, both_ways: back.is_some() });
    }
    (limits, others)
}

fn alike(link: &SharedFigure, back: &SharedFigure) -> bool {
    let (a, b) = (link.together.bandwidth.median, back.together.bandwidth.median);
    link.together.limits() == back.together.limits() && (a - b).abs() <= ALIKE * a.min(b)
}

/// Whether it limits, and by which comparison.
pub(super) fn judged(found: &Together) -> (bool, String) {
    let predicted = short(found.predicted_gbs);
    if found.limits() {
        return (true, format!("without this line the file predicts {predicted}"));
    }
    let share = 100.0 * found.bandwidth.median / found.predicted_gbs;
    let median = short(found.bandwidth.median);
    (false, format!("{median} GB/s, {share:.0} % of the {predicted} that the file predicts"))
}
