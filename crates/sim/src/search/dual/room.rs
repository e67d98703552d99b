//! What is left for one node where all others are sure to draw something: less than potentials say.
//!
//! Let every other node draw what its options draw at least ([`crate::search::options::OptionTable::least`]). Of a memory or link that is shared an
//! option on this node has at most what they leave, and an application of it at most what is left beside the least of all others in the option.
//! Prices know of mixtures of options only, in which one may draw more than there is if another one draws less.

use std::sync::Arc;

use super::relaxation::{Class, Relaxation};

impl Relaxation<'_> {
    /// The same with potentials that find no more room than others leave for sure.
    pub(super) fn with_room(&self) -> Self {
        let resources = self.shared_bandwidth.len();
        let drawn = |class: &Class| class.table.least_drawn(&class.draw, resources);
        let drawn: Vec<Vec<f64>> = self.classes.iter().map(drawn).collect();
        let all = |m: usize| -> f64 {
            let nodes = self.classes.iter().map(|class| class.nodes.len() as f64);
            nodes.zip(&drawn).map(|(nodes, drawn)| nodes * drawn[m]).sum()
        };
        let room: Vec<Option<f64>> =
            (0..resources).map(|m| Some(self.shared_bandwidth[m]? - all(m))).collect();
        let mut relaxation = self.clone();
        for (class, drawn) in relaxation.classes.iter_mut().zip(&drawn) {
            if class.table.has_least() {
                let room: Vec<f64> = room
                    .iter()
                    .zip(drawn)
                    .map(|(room, own)| room.map_or(f64::INFINITY, |room| (room + own) * (1.0 + 1e-9)))
                    .collect();
                class.table = Arc::new(class.table.with_room(&class.draw, &room));
            }
        }
        relaxation
    }
}
