//! Prediction beside measurement: reads measured CSV files and compares them with what a model says.
//!
//! [`read_measured`] turns text into values.

mod names;
mod read;
#[cfg(test)]
mod tests;

pub use read::{LeftOut, Measured, Measurements, Repetition, read_measured};
