//! `[contender]`: other programs that want the workers of the machine, too (paper 003, section 5.3).

use numasim_model::units::Seconds;

/// Other programs: they compute in their caches, and have work as long as the run lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Work of one of their tasks, 10^9 FLOP; above 0.
    pub gflop: f64,
    /// How many such programs there are; at least 1.
    pub count: u32,
    /// When they want workers: from and to, ascending and apart; `None`: as long as the run lasts.
    pub phases: Option<Vec<(Seconds, Seconds)>>,
}
