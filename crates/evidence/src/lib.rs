//! What figures say: measured rows, tables of other tools, and the model beside them.
//!
//! Everything is text or values in, values or problems out: no file is opened, no clock or host is looked at.

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
