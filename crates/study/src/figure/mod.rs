//! The figures of machine and applications by the keys of the input files: `machine.link_gbs`,
//! `app.mem.arithmetic_intensity`. For whoever changes figures: sweeps, fits, analyses of sensitivity.
//!
//! A family has figures of a type of its own ([`Swept`]).
//!
//! [`Figure::find`] parses a key, [`Figure::values`] reads what it stands for, [`Figures::set`] and [`Figures::change`]
//! write it, [`Figure::unit`] and [`Figure::range`] say what its numbers are. What to do with a figure (which values, how
//! large a step, what to say of a wrong key) is the caller's own.

mod find;
mod kind;

pub use find::{
    KeyError, Swept, absent, instances, is_of_demand, node_number, not_counted, of_apps, of_nodes, unknown,
};
pub use kind::Figures;
pub use kind::{Figure, ValueRange};

#[cfg(test)]
mod tests;
