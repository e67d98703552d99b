//! The signature of a run: how much of its data goes with its threads, and how much lies on each node whatever they do.
//!
//! s = a t + f, with a the local share and f what is fixed, all at least 0 and a + sum f = 1: least squares over that simplex.
//! For a given a, the best f is the mean of s - a t, moved onto the simplex of mass 1 - a; what remains is convex in a. Of f,
//! as much as every node has is interleaved, the rest static. (Goodman et al. 2021 have *per thread* beside these: data of
//! each thread that others read, too. Pages alone do not tell it from local data.)

use super::{Look, distance, mean, threads};

/// Shares that sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Data that lies where the threads run.
    pub local: f64,
    /// Data that lies evenly on all nodes.
    pub interleaved: f64,
    /// Data of each node beyond that.
    pub fixed: Vec<f64>,
    /// The share of the data that this does not explain.
    pub residual: f64,
}

/// The signature; `None` unless two looks have clearly different threads: one look leaves it open.
pub fn signature(looks: &[Look]) -> Option<Signature> {
    /// Threads that lie nearer to each other say too little: noise of pages would be divided by it.
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

/// The nearest point with entries of at least 0 that sum to `mass` (Held, Wolfe and Crowder 1974): each entry less the same
/// amount, which the largest ones decide.
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

/// Where a convex function of 0 to 1 is least, by golden-section search.
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
