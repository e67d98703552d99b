//! From pages and threads of each node to the class of placement that describes them.
//!
//! A look at a run has the share of its data on each node, s, and the share of its threads, t. A class predicts s:
//!
//! | class | prediction | open |
//! |---|---|---|
//! | `local` | t | nothing |
//! | `home = h` | all on h | nothing |
//! | `interleave` | 1/N on each of N nodes | nothing |
//! | `home = h, share = x` | x on h, (1 - x) t | x |
//! | `interleave = x` | x/N on each, (1 - x) t | x |
//! | `fractions` | the same on every look | N - 1 |
//!
//! Shares follow by least squares over all looks, kept between 0 and 1. The *residual* of a class is the share of the data
//! that lies on another node than it says, half the sum of |s - predicted|, in the mean over the looks. The class with the
//! fewest open shares among those that explain all but [`EXPLAINED`] is the answer; where two of these are equally good,
//! nobody can tell from these looks. One look with threads on one node cannot tell local data from data with a home there: a
//! second one with other threads does (the two runs of D. Goodman, R. Haecki and T. Harris, "Modeling memory bandwidth
//! patterns on NUMA machines with performance counters", 2021, for pages instead of traffic).

use numasim_model::{NodeId, Placement};

mod signature;
#[cfg(test)]
mod tests;

pub use signature::{Signature, signature};

/// A class explains a run if at most this share of its data lies elsewhere.
pub const EXPLAINED: f64 = 0.05;
/// Residuals that differ by less are the same.
const SAME: f64 = 0.005;

/// Data and threads of each node while a program runs; both lists have an entry for each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The share of the data on each node; sum 1.
    pub data: Vec<f64>,
    /// The share of the threads on each node, sum 1; `None` where nobody knows.
    pub threads: Option<Vec<f64>>,
}

impl Look {
    /// From amounts of data and numbers of threads on each node; `None` where there is no data, or threads are none.
    pub fn of(data: &[f64], threads: Option<&[f64]>) -> Option<Self> {
        let shares = |amounts: &[f64]| {
            let sum: f64 = amounts.iter().sum();
            let sound = sum > 0.0 && sum.is_finite() && amounts.iter().all(|&amount| amount >= 0.0);
            sound.then(|| amounts.iter().map(|amount| amount / sum).collect::<Vec<f64>>())
        };
        let threads = match threads {
            Some(threads) if threads.len() == data.len() => Some(shares(threads)?),
            Some(_) => return None,
            None => None,
        };
        Some(Self { data: shares(data)?, threads })
    }
}

/// A class with its best shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The class.
    pub placement: Placement,
    /// The share of the data that it does not explain, 0 to 1.
    pub residual: f64,
    /// Shares that were open.
    pub open: usize,
}

/// What the looks say.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A class; `others` explain as much with more open shares.
    Told {
        /// The simplest class that explains the data, or the nearest one where none does.
        best: Candidate,
        /// Classes with as small a residual, and more open shares.
        others: Vec<Candidate>,
    },
    /// These classes describe the looks equally well.
    Equal(Vec<Candidate>),
    /// The machine has one node: all classes are the same.
    OneNode,
}

/// The class of placement of these looks at one program; `None` without looks, or where they have different nodes.
pub fn classify(looks: &[Look]) -> Option<Verdict> {
    let nodes = looks.first()?.data.len();
    if nodes == 0 || looks.iter().any(|look| look.data.len() != nodes) {
        return None;
    }
    if nodes == 1 {
        return Some(Verdict::OneNode);
    }
    let mut all = candidates(looks, nodes);
    all.sort_by(|a, b| a.open.cmp(&b.open).then(a.residual.total_cmp(&b.residual)));
    let explained = all.iter().position(|one| one.residual <= EXPLAINED);
    let nearest = || (0..all.len()).min_by(|&a, &b| all[a].residual.total_cmp(&all[b].residual));
    let best = all[explained.or_else(nearest)?].clone();
    let as_good =
        |one: &&Candidate| (one.residual - best.residual).abs() < SAME && one.placement != best.placement;
    let equal: Vec<Candidate> =
        all.iter().filter(as_good).filter(|one| one.open == best.open).cloned().collect();
    // Without threads, data with one home may as well be where all threads run, and data everywhere where they are.
    let threads_known = looks.iter().all(|look| look.threads.is_some());
    if !equal.is_empty() || !threads_known {
        return Some(Verdict::Equal(std::iter::once(best).chain(equal).collect()));
    }
    let others = all.iter().filter(as_good).filter(|one| one.open > best.open).cloned().collect();
    Some(Verdict::Told { best, others })
}

fn candidates(looks: &[Look], nodes: usize) -> Vec<Candidate> {
    let even = vec![1.0 / nodes as f64; nodes];
    let at = |home: usize| (0..nodes).map(|node| f64::from(u8::from(node == home))).collect::<Vec<f64>>();
    let mut all = vec![fixed(looks, &even, Placement::Interleave, 0)];
    all.extend((0..nodes).map(|home| fixed(looks, &at(home), Placement::Home(NodeId(home)), 0)));
    if looks.iter().all(|look| look.threads.is_some()) {
        let residual = mean(looks, |look| distance(&look.data, threads(look)));
        all.push(Candidate { placement: Placement::Local, residual, open: 0 });
        all.extend(partly(looks, &even).map(|(share, residual)| Candidate {
            placement: Placement::interleaved(share),
            residual,
            open: 1,
        }));
        all.extend((0..nodes).filter_map(|home| {
            let (share, residual) = partly(looks, &at(home))?;
            Some(Candidate { placement: Placement::at_home(NodeId(home), share), residual, open: 1 })
        }));
    }
    // The mean of shares is the least-squares answer, and on the simplex as they are.
    let fractions: Vec<f64> = (0..nodes).map(|node| mean(looks, |look| look.data[node])).collect();
    all.push(fixed(looks, &fractions, Placement::Fractions(fractions.clone()), nodes - 1));
    // A share of 0 or 1 is one of the classes without a share.
    all.retain(|one| {
        one.open != 1
            || matches!(one.placement, Placement::PartHome { .. } | Placement::PartInterleave { .. })
    });
    all
}

/// A class that says the same whatever the threads do.
fn fixed(looks: &[Look], shares: &[f64], placement: Placement, open: usize) -> Candidate {
    Candidate { placement, residual: mean(looks, |look| distance(&look.data, shares)), open }
}

/// x that minimises the squares of s - t - x (c - t) over all looks, kept between 0 and 1, and the residual; `None` where the
/// threads lie as `shares` in every look, so that x means nothing.
fn partly(looks: &[Look], shares: &[f64]) -> Option<(f64, f64)> {
    let (mut along, mut length) = (0.0, 0.0);
    for look in looks {
        for ((data, thread), share) in look.data.iter().zip(threads(look)).zip(shares) {
            along += (data - thread) * (share - thread);
            length += (share - thread).powi(2);
        }
    }
    if length < 1e-12 {
        return None;
    }
    let share = (along / length).clamp(0.0, 1.0);
    let residual = mean(looks, |look| {
        let predicted: Vec<f64> =
            threads(look).iter().zip(shares).map(|(thread, one)| thread + share * (one - thread)).collect();
        distance(&look.data, &predicted)
    });
    Some((share, residual))
}

fn threads(look: &Look) -> &[f64] {
    look.threads.as_deref().unwrap_or_default()
}

/// The share that lies elsewhere: half the sum of differences.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

fn mean(looks: &[Look], of: impl Fn(&Look) -> f64) -> f64 {
    looks.iter().map(of).sum::<f64>() / looks.len() as f64
}
