//! What several readers got at once, and whether it limits them.

use numasim_model::ids::NodeId;

use super::Figure;

/// Where the line is: readers at once are limited by something of their own if they get less than this share of what the
/// file without it predicts.
///
/// The prediction rests on medians of other steps, each of which is uncertain by a few percent on a quiet host; a limit that
/// is nearer changes no answer, and may be none.
pub const CLEARLY_BELOW: f64 = 0.9;

/// What was read at once, and what the rest of the file predicts for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    /// The most that was read in any of the ways that were tried, GB/s.
    pub bandwidth: Figure,
    /// The most that the figures of nodes and links predict for any of them, GB/s.
    pub predicted_gbs: f64,
}

impl Together {
    /// Whether it is clearly below: the median by more than [`CLEARLY_BELOW`], and no round reached the prediction.
    pub fn limits(&self) -> bool {
        self.bandwidth.median < CLEARLY_BELOW * self.predicted_gbs && self.bandwidth.max < self.predicted_gbs
    }
}

/// What all nodes of a socket read from another one.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedFigure {
    /// Numbers of the sockets: of the cores, of the memories.
    pub sockets: (u32, u32),
    /// Nodes of the first.
    pub from: Vec<NodeId>,
    /// Nodes of the second.
    pub to: Vec<NodeId>,
    /// What they read.
    pub together: Together,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_tenth_below_and_no_round_reaches_the_prediction() {
        let figure = |median, max| Figure { median, min: median, max, samples: 3, reach95: None };
        let limits = |bandwidth| Together { bandwidth, predicted_gbs: 100.0 }.limits();
        assert!(limits(figure(89.0, 95.0)));
        assert!(!limits(figure(91.0, 91.0)));
        assert!(!limits(figure(89.0, 101.0)));
    }
}
