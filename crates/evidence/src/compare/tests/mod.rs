//! Reads and compares measured files; the expected values are calculated by hand.

mod comparing;
mod reading;
