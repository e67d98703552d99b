//! Values of machine and applications by the keys of the input files: `machine.link_gbs`,
//! `app.mem.arithmetic_intensity`. Sweeps, fits and sensitivity analyses use them to change values.
//!
//! A family has values of a separate type ([`Swept`]).
//!
//! [`Figure::find`] parses a key, [`Figure::values`] reads the values it refers to, [`Figures::set`] and
//! [`Figures::change`] write them, [`Figure::unit`] and [`Figure::range`] describe the numbers. The use of a
//! value (which numbers, how large a step, the message for a wrong key) is up to the caller.

mod find;
mod kind;

pub use find::{
    KeyError, Swept, absent, instances, is_of_demand, node_number, not_counted, of_apps, of_nodes, unknown,
};
pub use kind::Figures;
pub use kind::{Figure, ValueRange};

#[cfg(test)]
mod tests;
