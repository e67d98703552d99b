//! How far a prediction may be off because figures of the machine are uncertain.
//!
//! # What is done
//! Figures with `interval95_percent` in `[machine.provenance]` are drawn [`Draws::COUNT`] times, all of them at once, and
//! everything is evaluated again on each of these machines (a parametric bootstrap: Efron and Tibshirani, An Introduction
//! to the Bootstrap, 6.5). An interval goes from the 2.5 % to the 97.5 % quantile of what came out.
//!
//! The delta method (slopes at the point) would be cheaper, but the model is a minimum of limits: at the corner between
//! two of them it has two slopes, and the machines of interest are those near a corner.
//!
//! # Assumptions
//! - Each figure is lognormal around what the file has: a GB/s is a ratio of work to time, and never negative.
//! - Figures are independent of each other: nobody knows how they hang together. Equal values under one key are one figure,
//!   which the file has once, or a fit found once (`uncertain`).
//! - The model itself is right. Its own error is not in these intervals; measurements show it (`compare`).
//!
//! # Draws
//! A Latin hypercube (McKay, Beckman and Conover 1979): the draws of each figure are the quantiles at (i + 1/2) / n in random
//! order. So the interval of what follows a single figure is that figure's own interval, to rounding.

mod draws;
mod predict;
#[cfg(test)]
mod tests;

pub use draws::Draws;
pub use draws::Uncertain;
pub use predict::Interval;
pub use predict::Prediction;
pub use predict::{Rival, Rivals};
