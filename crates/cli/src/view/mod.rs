//! Output of an evaluated scenario for people and programs: pure functions from values to text.
//!
//! [`table::table`] is for the terminal, [`explain::explain`] shows the worked calculation, [`warning::facts`] lists the warnings about
//! the result.

#[cfg(target_os = "linux")]
pub(crate) mod agent;
pub(crate) mod answer;
pub(crate) mod bench;
pub(crate) mod beside;
pub(crate) mod cached;
pub(crate) mod compared;
pub(crate) mod executed;
pub(crate) mod fitted;
pub(crate) mod front;
pub(crate) mod machines;
mod picture;
pub(crate) mod planned;
pub(crate) mod plots;
#[cfg(target_os = "linux")]
pub(crate) mod ran;
pub(crate) mod saved;
pub(crate) mod side_by_side;
pub(crate) mod simulated;
pub(crate) mod table;
pub(crate) mod tasked;
#[cfg(test)]
mod tests;
#[cfg(target_os = "linux")]
pub(crate) mod top;

pub(crate) use numasim_ask::{
    ScenarioView, caution, data_words, explain, held_back, intervals, lettering, machine_title, node_ranges,
    numbers, resources, warning,
};

pub(crate) use numasim_draw::{Style, figures};

/// Remark on a scenario with static scheduling.
pub(crate) const STATIC_WORK: &str =
    "Static work: the slowest thread decides; GB/s are means until it is done.";
