//! From pages and threads of each node to the class of placement that describes them.
//!
//! A look at a run contains the share of its data on each node, s, and the share of its threads, t. A class
//! predicts s:
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
//! Shares follow by least squares over all looks, restricted to 0 to 1. The *residual* of a class is the
//! share of the data that is on another node than predicted, half the sum of |s - predicted|, as the mean
//! over the looks. Among the classes that explain all but [`EXPLAINED`], the one with the fewest open shares
//! is the answer; if two of these are equally good, the looks cannot distinguish them. One look with threads
//! on one node cannot distinguish local data from data with a home there; a second one with other threads can
//! (the two runs of D. Goodman, R. Haecki and T. Harris, "Modeling memory bandwidth patterns on NUMA machines
//! with performance counters", 2021, for pages instead of traffic).

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numasim_model::{NodeId, Placement};

use crate::formats::numa_maps::Pages;

/// A class explains a run if at most this share of its data is elsewhere.
pub const EXPLAINED: f64 = 0.05;
/// Residuals that differ by less are equal.
const SAME: f64 = 0.005;

/// Data and threads of each node while a program runs; both lists have an entry for each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The share of the data on each node; sum 1.
    pub data: Vec<f64>,
    /// The share of the threads on each node, sum 1; `None` if unknown.
    pub threads: Option<Vec<f64>>,
}

impl Look {
    /// Builds a look from amounts of data and numbers of threads on each node; `None` without data, or if the
    /// number of threads is 0.
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
    /// Number of open shares.
    pub open: usize,
}

/// The conclusion from the looks.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A class; `others` explain the data equally well with more open shares.
    Told {
        /// The simplest class that explains the data, or the closest one if none does.
        best: Candidate,
        /// Classes with an equally small residual, and more open shares.
        others: Vec<Candidate>,
    },
    /// These classes describe the looks equally well.
    Equal(Vec<Candidate>),
    /// The machine has one node: all classes are equal.
    OneNode,
}

/// The class of placement of these looks at one program; `None` without looks, or if they have different
/// nodes.
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
    // Without threads, data with one home may equally be local to threads that all run there, and data on all
    // nodes may be local to threads on all nodes.
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
    // The mean of shares is the least-squares answer, and on the simplex like the shares.
    let fractions: Vec<f64> = (0..nodes).map(|node| mean(looks, |look| look.data[node])).collect();
    all.push(fixed(looks, &fractions, Placement::Fractions(fractions.clone()), nodes - 1));
    // With a share of 0 or 1 it is one of the classes without a share.
    all.retain(|one| {
        one.open != 1
            || matches!(one.placement, Placement::PartHome { .. } | Placement::PartInterleave { .. })
    });
    all
}

/// A class with a prediction that does not depend on the threads.
fn fixed(looks: &[Look], shares: &[f64], placement: Placement, open: usize) -> Candidate {
    Candidate { placement, residual: mean(looks, |look| distance(&look.data, shares)), open }
}

/// The x that minimises the squares of s - t - x (c - t) over all looks, restricted to 0 to 1, and the
/// residual. `None` if the threads are distributed like `shares` in every look, so that x is meaningless.
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

/// The share that is elsewhere: half the sum of differences.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

fn mean(looks: &[Look], of: impl Fn(&Look) -> f64) -> f64 {
    looks.iter().map(of).sum::<f64>() / looks.len() as f64
}

// The signature of a run: the share of its data that follows its threads, and the shares that are on each
// node regardless of the threads.
//
// s = a t + f, with the local share a and the fixed shares f, all at least 0 and a + sum f = 1: least squares
// over that simplex. For a given a, the best f is the mean of s - a t, moved onto the simplex of mass 1 - a;
// the remaining function is convex in a. The part of f that is equal on all nodes is interleaved, the rest is
// static. (Goodman et al. 2021 also have *per thread*: data of each thread that others also read. Pages alone
// do not distinguish it from local data.)

/// Shares that sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Data local to the threads.
    pub local: f64,
    /// Data spread evenly over all nodes.
    pub interleaved: f64,
    /// Further data of each node.
    pub fixed: Vec<f64>,
    /// The share of the data that the signature does not explain.
    pub residual: f64,
}

/// The signature; `None` unless two looks have clearly different threads, because one look does not determine
/// it.
pub fn signature(looks: &[Look]) -> Option<Signature> {
    /// If the thread distributions are closer than this, they carry too little information: noise of pages
    /// would be divided by the difference.
    const APART: f64 = 0.1;
    let first = looks.first()?;
    let comparable = looks.iter().all(|look| look.threads.is_some() && look.data.len() == first.data.len());
    if !comparable || !looks.iter().any(|look| distance(threads(look), threads(first)) >= APART) {
        return None;
    }
    let squares = |local: f64| {
        let fixed = fixed_of(looks, local);
        let predicted = |look: &Look| predicted(look, local, &fixed);
        mean(looks, |look| predicted(look).iter().zip(&look.data).map(|(p, s)| (p - s).powi(2)).sum())
    };
    let local = least(squares);
    let fixed = fixed_of(looks, local);
    let residual = mean(looks, |look| distance(&predicted(look, local, &fixed), &look.data));
    let lowest = fixed.iter().copied().fold(f64::INFINITY, f64::min);
    let interleaved = lowest * fixed.len() as f64;
    Some(Signature {
        local,
        interleaved,
        fixed: fixed.iter().map(|share| share - lowest).collect(),
        residual,
    })
}

fn predicted(look: &Look, local: f64, fixed: &[f64]) -> Vec<f64> {
    threads(look).iter().zip(fixed).map(|(thread, fixed)| local * thread + fixed).collect()
}

/// The best fixed shares for this local share.
fn fixed_of(looks: &[Look], local: f64) -> Vec<f64> {
    let nodes = looks.first().map_or(0, |look| look.data.len());
    let rest: Vec<f64> =
        (0..nodes).map(|node| mean(looks, |look| look.data[node] - local * threads(look)[node])).collect();
    onto_simplex(&rest, 1.0 - local)
}

/// The nearest point with entries of at least 0 that sum to `mass` (Held, Wolfe and Crowder 1974): each entry
/// less the same amount, which the largest ones determine.
fn onto_simplex(point: &[f64], mass: f64) -> Vec<f64> {
    let mut sorted = point.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut less) = (0.0, 0.0);
    for (count, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - mass) / (count + 1) as f64;
        if *value > candidate {
            less = candidate;
        }
    }
    point.iter().map(|value| (value - less).max(0.0)).collect()
}

/// The position of the minimum of a convex function from 0 to 1, by golden-section search.
fn least(of: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(left) <= of(right) {
            high = right;
        } else {
            low = left;
        }
    }
    f64::midpoint(low, high)
}

/// A thread with a smaller fraction of the CPU time of the busiest one only waits: it starts others, or is
/// woken now and then.
const WORKS: f64 = 0.1;

/// The logical CPUs of the threads that work, given the logical CPU of each thread and its CPU time in any
/// unit. All threads if none has used any time.
pub fn working(threads: &[(u32, u64)]) -> Vec<u32> {
    let most = threads.iter().map(|thread| thread.1).max().unwrap_or(0) as f64;
    threads.iter().filter(|thread| thread.1 as f64 >= WORKS * most).map(|thread| thread.0).collect()
}

/// Pages and threads of each node; `os_nodes` contains the system's number of each node of the machine,
/// `threads` the number of threads on each of these nodes.
///
/// # Errors
/// A sentence: data is on a node that is not listed, or no thread is on a listed one.
pub fn look(pages: &Pages, os_nodes: &[u32], threads: Option<&BTreeMap<u32, u32>>) -> Result<Look, String> {
    let place = |os_node: &u32| os_nodes.iter().position(|known| known == os_node);
    if let Some(other) = pages.data.keys().find(|node| place(node).is_none()) {
        let listed: Vec<String> = os_nodes.iter().map(u32::to_string).collect();
        return Err(format!(
            "there is data on NUMA node {other}, and the nodes of the machine are {}",
            listed.join(", ")
        ));
    }
    let on = |amount: &dyn Fn(u32) -> f64| os_nodes.iter().map(|&node| amount(node)).collect::<Vec<f64>>();
    let data = on(&|node| pages.data.get(&node).copied().unwrap_or(0) as f64);
    let threads = threads.map(|threads| on(&|node| f64::from(threads.get(&node).copied().unwrap_or(0))));
    Look::of(&data, threads.as_deref()).ok_or_else(|| "no thread runs on a node of the machine".to_owned())
}

#[cfg(test)]
mod seen_tests {
    use super::*;

    #[test]
    fn waiting_threads_do_not_count() {
        assert_eq!(working(&[(0, 3), (4, 100), (5, 10), (6, 9)]), [4, 5]);
        assert_eq!(working(&[(0, 0), (1, 0)]), [0, 1]);
        assert_eq!(working(&[]), Vec::<u32>::new());
    }

    #[test]
    fn nodes_are_in_the_order_of_the_machine() {
        let pages = Pages { data: BTreeMap::from([(0, 300), (2, 100)]), ..Pages::default() };
        let threads = BTreeMap::from([(2, 4)]);
        let found = look(&pages, &[2, 0], Some(&threads)).expect("both nodes are listed");
        assert_eq!((found.data, found.threads), (vec![0.25, 0.75], Some(vec![1.0, 0.0])));
        assert_eq!(
            look(&pages, &[0, 1], None),
            Err("there is data on NUMA node 2, and the nodes of the machine are 0, 1".to_owned())
        );
        assert!(look(&pages, &[0, 2], Some(&BTreeMap::from([(7, 1)]))).is_err());
    }
}
