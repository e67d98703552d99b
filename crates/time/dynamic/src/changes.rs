//! What becomes of every application on every node over time, in rows: one wherever something changes.

use numasim_course::Study;
use numasim_model::AppId;

use crate::result::{Counts, Snapshot};

/// What an application does on a node, until the next row of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// From when on, in seconds.
    pub time_s: f64,
    /// The application.
    pub app: AppId,
    /// NUMA node, from 0.
    pub node: usize,
    /// What it does.
    pub state: State,
}

/// What an application does on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Its threads.
    pub counts: Counts,
    /// GFLOPS of its threads.
    pub gflops: f64,
    /// GB/s that they draw.
    pub gbs: f64,
    /// Items that are produced and not finished, over all channels out of the application.
    pub items: u64,
}

/// What was said last, for each application and node: nothing at first.
#[derive(Clone, Debug)]
pub struct Changes {
    apps: usize,
    nodes: usize,
    last: Vec<State>,
}

impl Changes {
    /// Of the applications of a study.
    pub fn of(study: &Study) -> Self {
        let (apps, nodes) = (study.apps.len(), study.machine.node_count());
        Self { apps, nodes, last: vec![State::default(); apps * nodes] }
    }

    /// Tells what is different now, by application and node.
    ///
    /// # Errors
    /// The first of `tell`.
    pub fn each<E>(
        &mut self,
        snapshot: &dyn Snapshot,
        mut tell: impl FnMut(&Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let time_s = snapshot.time().value();
        for app in (0..self.apps).map(AppId) {
            let items = snapshot.channels_out_of(app).iter().map(|&channel| snapshot.items(channel)).sum();
            for node in 0..self.nodes {
                let state = State {
                    counts: snapshot.counts(app, node),
                    gflops: snapshot.gflops(app, node),
                    gbs: snapshot.bandwidth_gbs(app, node),
                    items,
                };
                let last = &mut self.last[app.0 * self.nodes + node];
                if *last != state {
                    *last = state;
                    tell(&Row { time_s, app, node, state })?;
                }
            }
        }
        Ok(())
    }
}
