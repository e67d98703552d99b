//! Evaluates measurements: measured rows, output of other tools, and comparisons with the model.
//!
//! The input is text or values, the output is values or problems: the crate opens no files and reads no clock
//! or host.

pub mod app_profile;
pub mod compare;
pub mod contended;
pub(crate) mod figures;
pub mod fit;
pub mod formats;
pub mod measured;
pub mod null_models;
pub mod running;
pub mod statistics;
pub mod timeline;
