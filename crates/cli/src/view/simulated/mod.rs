//! What came out of simulations: pure functions from runs to a table and CSV; JSON is that of every front end.

mod csv;
mod table;

pub(crate) use csv::csv;
pub(crate) use numasim_ask::simulated::{Simulated, json};
pub(crate) use table::table;

use numasim_ask::simulated::{mb, mean_gflops};
