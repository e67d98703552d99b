//! A simulation as strips over time: cores and GFLOPS of each application on each node, and items of each channel, in slots of
//! equal length.

use numasim_model::units::Seconds;
use numasim_model::{AppId, NodeId, Study, Table};

use crate::observer::{Observer, Snapshot};
use crate::slots::SlotRecorder;

/// Cores, GFLOPS and items over time. Slot i is the time from i x `slot` to (i + 1) x `slot`; the last one ends with `end`.
#[derive(Clone, Debug, PartialEq)]
pub struct Strips {
    /// Length of a slot.
    pub slot: Seconds,
    /// Length of all slots together: when the simulation ended.
    pub end: Seconds,
    /// For each application and node: the cores that its threads use, on average over each slot.
    pub busy: Table<Vec<f64>>,
    /// For each application and node: its GFLOPS, on average over each slot.
    pub gflops: Table<Vec<f64>>,
    /// For each channel, in file order: its items in each slot.
    pub items: Vec<Vec<Items>>,
}

/// Items that are produced and not finished in a channel, over one slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Items {
    /// On average.
    pub mean: f64,
    /// The most at the end of an instant.
    pub max: f64,
}

impl Strips {
    /// How many slots there are.
    pub fn slots(&self) -> usize {
        let busy = self.busy.as_slice().first().map(Vec::len);
        busy.or_else(|| self.items.first().map(Vec::len)).unwrap_or(0)
    }

    /// When slot `number` begins.
    pub fn begins(&self, number: usize) -> Seconds {
        self.slot * number as f64
    }
}

/// Looks on at a simulation and makes strips of it.
#[derive(Clone, Debug)]
pub struct StripRecorder {
    apps: usize,
    nodes: usize,
    channels: usize,
    /// Cores of each application and node, then their GFLOPS, then the items of each channel.
    slots: SlotRecorder,
}

impl StripRecorder {
    /// For the applications, nodes and channels of a study.
    pub fn new(study: &Study) -> Self {
        let (apps, nodes) = (study.apps.len(), study.machine.node_count());
        let channels = study.dynamics.channels.len();
        Self { apps, nodes, channels, slots: SlotRecorder::new(2 * apps * nodes + channels) }
    }

    /// The strips of a simulation that ended at `end`.
    pub fn finish(self, end: Seconds) -> Strips {
        let slots = self.slots.finish(end);
        let cells = self.apps * self.nodes;
        let mut means = slots.mean.into_iter();
        let mut table =
            || Table::from_fn(self.apps, self.nodes, |_: AppId, _: NodeId| means.next().unwrap_or_default());
        let (busy, gflops) = (table(), table());
        let items = means.zip(slots.most.into_iter().skip(2 * cells));
        let items = items.map(|(mean, most)| {
            mean.into_iter().zip(most).map(|(mean, max)| Items { mean, max }).collect::<Vec<_>>()
        });
        Strips { slot: slots.slot, end, busy, gflops, items: items.collect() }
    }
}

impl Observer for StripRecorder {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        let now = snapshot.time();
        let cells = self.apps * self.nodes;
        for cell in 0..cells {
            let (app, node) = (AppId(cell / self.nodes), cell % self.nodes);
            self.slots.set(cell, now, snapshot.counts(app, node).busy);
            self.slots.set(cells + cell, now, snapshot.gflops(app, node));
        }
        for channel in 0..self.channels {
            self.slots.set(2 * cells + channel, now, snapshot.items(channel) as f64);
        }
    }
}
