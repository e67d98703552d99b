//! What came out of simulations: pure functions from runs to a table and CSV.

mod csv;
mod table;

pub(crate) use csv::csv;
pub(crate) use numasim_ask::simulate::Simulated;
pub(crate) use table::table;

use numasim_ask::simulate::{mb, mean_gflops};
