//! The figures of machine and applications by the keys of the input files: `machine.link_gbs`,
//! `app.mem.arithmetic_intensity`. For whoever changes figures: sweeps, fits, analyses of sensitivity.
//!
//! What happens over time has figures of a type of its own, [`TimeFigure`], with the same functions on a study.
//!
//! [`Figure::find`] parses a key, [`Figure::values`] reads what it stands for, [`Figures::set`] and [`Figures::change`]
//! write it, [`Figure::unit`] and [`Figure::range`] say what its numbers are. What to do with a figure (which values, how
//! large a step, what to say of a wrong key) is the caller's own.

mod find;
mod kind;
mod over_time;

pub use find::{KeyError, instances, node_number, of_apps, of_nodes};
pub use kind::Figures;
pub use kind::{Figure, ValueRange};
pub use over_time::{TimeFigure, is_of_phase, of_policy, over_time};

#[cfg(test)]
mod tests;
