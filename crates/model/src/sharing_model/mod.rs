//! Which sharing model a machine has: its kind, the values of its corrections, and both in words.
//!
//! Values only, part of a [`crate::Machine`]; what the models do with them is in [`crate::sharing`].

pub mod about;
mod kind;
mod model;
mod parameter;
mod parameters;

pub use kind::ModelKind;
pub use model::{Model, Refusal};
pub use parameter::Parameter;
pub use parameters::{ParameterError, Parameters};
