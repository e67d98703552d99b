//! From an allocation to a better one: blocks of cores go from one application, or from idle ones, to another.

use super::outlook::{Outlook, Prediction, Rows};

/// Where a block of cores changes hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// On every node at once, a block on each.
    Everywhere,
    /// On one node.
    Node(usize),
}

/// Moves blocks as long as that is better, until so many allocations were looked at.
///
/// Larger blocks first; to whoever ends last first, then in file order; from idle cores first; on every node at once, and to whoever
/// ends last on single nodes as well. Each better one is taken at once.
pub(super) fn climb(
    outlook: &mut Outlook<'_>,
    cores: &[u32],
    start: (Rows, Prediction),
    predictions: usize,
) -> (Rows, Prediction) {
    let (mut best, members) = (start, outlook.members.len());
    let nodes = (0..cores.len()).filter(|&n| cores[n] > 0).map(Place::Node);
    let everywhere = (cores.len() > 1).then_some(Place::Everywhere);
    let places: Vec<Place> = everywhere.into_iter().chain(nodes).collect();
    let largest = cores.iter().copied().max().unwrap_or(0).checked_ilog2().unwrap_or(0);
    let mut looked_at = 0;
    loop {
        let mut is_better = false;
        for block in (0..=largest).rev().map(|power| 1_u32 << power) {
            let last = best.1.last;
            let receivers = last.into_iter().chain((0..members).filter(|m| Some(*m) != last));
            for to in receivers {
                for from in
                    std::iter::once(None).chain((0..members).map(Some)).filter(|&from| from != Some(to))
                {
                    let few = if Some(to) == last { places.len() } else { 1 };
                    for &place in &places[..few.min(places.len())] {
                        let Some(rows) = moved(outlook, cores, &best.0, (from, to), place, block) else {
                            continue;
                        };
                        if looked_at == predictions {
                            return best;
                        }
                        looked_at += 1;
                        let predicted = outlook.predict(&rows);
                        if predicted.beats(&best.1) {
                            best = (rows, predicted);
                            is_better = true;
                        }
                    }
                }
            }
        }
        if !is_better {
            return best;
        }
    }
}

/// `rows` with up to `block` cores of a node in other hands; `None` where nothing can move.
fn moved(
    outlook: &Outlook<'_>,
    cores: &[u32],
    rows: &Rows,
    (from, to): (Option<usize>, usize),
    place: Place,
    block: u32,
) -> Option<Rows> {
    let total = |m: usize| rows[m].iter().sum::<u32>();
    let mut may = outlook.most(to).saturating_sub(total(to));
    if let Some(from) = from {
        may = may.min(total(from).saturating_sub(outlook.fewest(from)));
    }
    let nodes = match place {
        Place::Everywhere => 0..cores.len(),
        Place::Node(n) => n..n + 1,
    };
    let mut changed: Option<Rows> = None;
    for n in nodes {
        let room = outlook.room[to][n].saturating_sub(rows[to][n]);
        let there = match from {
            Some(from) => rows[from][n],
            None => cores[n].saturating_sub(rows.iter().map(|row| row[n]).sum()),
        };
        let count = block.min(room).min(there).min(may);
        if count > 0 {
            may -= count;
            let changed = changed.get_or_insert_with(|| rows.clone());
            changed[to][n] += count;
            if let Some(from) = from {
                changed[from][n] -= count;
            }
        }
    }
    changed
}
