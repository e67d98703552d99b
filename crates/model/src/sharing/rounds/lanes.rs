//! Figures of [`LANES`] memories side by side, so that one instruction computes several of them.

/// Memories side by side.
pub(super) const LANES: usize = 4;

/// One figure for each of [`LANES`] memories.
pub(super) type Lanes = [f64; LANES];

/// One figure for each memory.
#[inline]
pub(super) fn lanes(figure: impl FnMut(usize) -> f64) -> Lanes {
    std::array::from_fn(figure)
}

/// The smaller one; `b` where one is not a number.
#[inline]
pub(super) fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger one; `b` where one is not a number.
#[inline]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Adds `factor` times the figures.
#[inline]
pub(super) fn add(sum: &mut Lanes, factor: f64, figures: &Lanes) {
    for lane in 0..LANES {
        sum[lane] += factor * figures[lane];
    }
}

/// The smallest figure.
#[inline]
pub(super) fn smallest(figures: &Lanes) -> f64 {
    smaller(smaller(figures[0], figures[1]), smaller(figures[2], figures[3]))
}
