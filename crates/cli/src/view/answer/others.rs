//! Other allocations that tie or come close.

use numasim_ask::table::{Of, grid};
use numasim_ask::verdict::NO_BREAK;
use numasim_draw::grid::wrap;
use numasim_model::{AppId, NodeId};
use numasim_sim::Candidate;

use super::Answer;
use crate::view::lettering::{Lettering, painted};
use crate::view::{Style, figures};
use numasim_ask::explored::Rated;

/// On more nodes than this the changed ones are listed, not all.
pub(in crate::view) const MOST_NODES_IN_A_ROW: usize = 12;

impl Answer<'_> {
    /// The alternatives, each by what it does differently from the best.
    pub(super) fn others(&self, style: &Style) -> Option<String> {
        if self.alternatives.is_empty() {
            return None;
        }
        let letters = Lettering::new(&self.study.apps);
        let from_best = |rated: &&Rated| {
            let ties = self.ties(rated);
            let difference = match (rated.value - self.best.value) / self.best.value * 100.0 {
                _ if ties => "tie".to_owned(),
                percent if percent.is_finite() => format!("{} %", signed(percent)),
                _ => "-".to_owned(),
            };
            difference + self.blurred(rated)
        };
        let changed =
            |rated: &&Rated| self.differences(&rated.candidate, &self.best.candidate, &letters, style);
        let mut columns = self.value_columns(style);
        columns.push(Of::text("from best", from_best).right());
        columns.push(Of::text("threads", changed).titled("threads per node,\nwhere not as in the best"));
        let grid = grid(&columns, &self.alternatives.iter().collect::<Vec<_>>());
        let which = if self.alternatives_complete {
            "Other allocations, the next best first; those that only swap equal nodes or instances are left out."
        } else {
            "Other good allocations that were found; better ones between them are possible. Those that only swap equal \
             nodes or instances are left out."
        };
        let note = wrap(&format!("{which} --top K shows more."), style.columns());
        let note: Vec<String> = note.iter().map(|line| style.faint(line)).collect();
        Some(format!("{}{}\n", grid.render(style).replace(NO_BREAK, " "), note.join("\n")))
    }

    /// `D 7 7 7 8 (data on 3)`: the applications that are not as in `from`.
    pub(super) fn differences(
        &self,
        other: &Candidate,
        from: &Candidate,
        letters: &Lettering,
        style: &Style,
    ) -> String {
        let apps = (0..self.study.apps.len()).map(AppId);
        let words = apps.filter_map(|app| {
            let threads = changed_threads(other, from, app);
            let home = self.changed_home(other, from, app);
            if threads.is_none() && home.is_none() {
                return None;
            }
            let name = if letters.shared() {
                self.study.apps[app.0].name.clone()
            } else {
                painted(letters.of(app), style)
            };
            let words: Vec<String> = std::iter::once(name).chain(threads).chain(home).collect();
            Some(words.join(" ").replace(' ', NO_BREAK))
        });
        words.collect::<Vec<_>>().join(style.wide_gap())
    }

    fn changed_home(&self, other: &Candidate, from: &Candidate, app: AppId) -> Option<String> {
        let home = |candidate: &Candidate| -> Option<NodeId> { candidate.placements[app.0].home() };
        let open = self.study.apps[app.0].data.is_open();
        home(other).filter(|_| open && home(other) != home(from)).map(|home| format!("(data on {})", home.0))
    }
}

fn changed_threads(other: &Candidate, from: &Candidate, app: AppId) -> Option<String> {
    let (own, before) = (other.allocation.row(app), from.allocation.row(app));
    if own == before {
        return None;
    }
    if own.len() <= MOST_NODES_IN_A_ROW {
        return Some(own.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    }
    Some(changes(own, before))
}

/// `7 on nodes 0-3, 8 on node 5`: the nodes with other threads than in the best, by their new number.
pub(in crate::view) fn changes(own: &[u32], best: &[u32]) -> String {
    let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
    for (node, (&threads, _)) in own.iter().zip(best).enumerate().filter(|(_, (own, best))| own != best) {
        match groups.iter_mut().find(|(other, _)| *other == threads) {
            Some((_, nodes)) => nodes.push(node),
            None => groups.push((threads, vec![node])),
        }
    }
    let in_words = groups.iter().map(|(threads, nodes)| format!("{threads} on {}", figures::nodes(nodes)));
    in_words.collect::<Vec<_>>().join(", ")
}

/// A difference in percent with its sign: `-2.2`, `+0.05`.
fn signed(percent: f64) -> String {
    let digits = if percent.abs() < 0.1 { format!("{percent:+.4}") } else { format!("{percent:+.1}") };
    if digits.trim_start_matches(['+', '-']).parse().is_ok_and(|number: f64| number == 0.0) {
        "0".to_owned()
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_keep_their_digits() {
        assert_eq!([signed(-2.1875), signed(0.001), signed(0.0)], ["-2.2", "+0.0010", "0"]);
    }

    #[test]
    fn changed_nodes_are_listed_by_their_new_number_of_threads() {
        assert_eq!(changes(&[1, 2, 2, 2, 0], &[1, 1, 1, 1, 1]), "2 on nodes 1-3, 0 on node 4");
    }
}
