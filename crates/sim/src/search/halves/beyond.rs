//! How far potentials can be beyond what is got, at the prices of what several nodes share.
//!
//! # What it rests on
//! Take the GFLOPS of an answer, but for some applications their potentials in its place. With these the bound at given prices is kept, but for
//! what they draw more of a resource than there is, at its price. Of a memory with B GB/s of which others draw `least` to `most` the own node's
//! potentials take at most B - least ([`crate::search::watch`]), and others take at most `most`: together at most `most - least` too much. The potentials of
//! others take at most `most` where all that they could take counts as read.

use super::question::Halves;
use crate::search::dual::{Drawn, Prices, Watched};

impl Halves<'_> {
    /// Per application, in units of the score: how much more than the gap potentials may be worth beyond the target. Infinite where that is
    /// not known.
    pub(super) fn beyond(&self, prices: &Prices) -> Vec<f64> {
        let relaxation = self.relaxation;
        // What options deal out is less than potentials at any price.
        let priced = |m: usize| {
            relaxation.shared_bandwidth[m].is_some() && (prices.lambda[m] > 0.0 || !relaxation.has_limit(m))
        };
        // Per class: the watched memory of its only node.
        let watched_own: Vec<Option<usize>> = relaxation
            .classes
            .iter()
            .map(|class| {
                relaxation.watched.iter().position(|w| w.drawn.is_some() && class.nodes == [w.memory])
            })
            .collect();
        let counts: Vec<bool> = (0..relaxation.watched.len()).map(|w| relaxation.counts_all(w)).collect();
        let too_much = |(class, own): (usize, &Option<usize>)| -> f64 {
            let Some(Watched { drawn: Some(Drawn { range: (least, most), .. }), bandwidth, .. }) =
                own.map(|w| relaxation.watched[w])
            else {
                return 0.0;
            };
            if priced(class) { prices.lambda[class] / bandwidth * (most - least) } else { 0.0 }
        };
        let together: f64 = watched_own.iter().enumerate().map(too_much).sum();
        let of_app = |a: usize| {
            let known = relaxation.classes.iter().enumerate().all(|(c, class)| {
                class.draw[a].iter().filter(|&&(m, draw)| draw > 0.0 && priced(m)).all(|&(m, _)| {
                    let of_outside = relaxation
                        .watched
                        .iter()
                        .position(|w| w.drawn.is_some_and(|drawn| drawn.resource == m));
                    match (of_outside, watched_own.get(m).copied().flatten()) {
                        (Some(w), _) => counts[w],
                        (None, Some(w)) => m == c || counts[w],
                        (None, None) => false,
                    }
                })
            });
            if known { together } else { f64::INFINITY }
        };
        (0..self.problem.apps.len()).map(of_app).collect()
    }
}
