//! What came out of simulations: pure functions from runs to a table.

mod table;

pub(crate) use numasim_ask::simulate::Simulated;
pub(crate) use table::table;

use numasim_ask::simulate::mb;
