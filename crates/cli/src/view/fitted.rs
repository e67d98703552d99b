//! A fit: pure functions from its result to a table and CSV.

mod csv;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use csv::csv;
pub(crate) use table::table;
