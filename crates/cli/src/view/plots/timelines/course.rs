//! What becomes of applications over time, in slots: of a simulation while somebody looks on, or of a run from its rows.

use numasim_dynamic::{Observer, SlotRecorder, Slots, Snapshot};
use numasim_evidence::timeline::Step;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_model::{AppId, NodeId, Study};
use numasim_policy::View;

use super::super::strips::{Band, bands, node_groups};
use numasim_draw::timelines::{MOST_APPS, MOST_ROWS};

/// What is drawn together: applications in bands, nodes in groups.
pub(super) struct Parts {
    pub(super) bands: Vec<Band>,
    pub(super) groups: Vec<Vec<NodeId>>,
}

impl Parts {
    /// Each application and node alone, as far as there is room; behind the first ones the others are one.
    pub(super) fn of(study: &Study) -> Self {
        let mut bands = bands(study, MOST_APPS);
        if bands.len() > MOST_APPS {
            let others = bands.split_off(MOST_APPS - 1);
            let apps: Vec<usize> = others.iter().flat_map(|band| band.apps.iter().copied()).collect();
            bands.push(Band { name: format!("{} others", apps.len()), apps });
        }
        Self { bands, groups: node_groups(study, MOST_ROWS) }
    }
}

/// Of an application on a node.
#[derive(Clone, Copy, Debug, Default)]
struct Now {
    running: f64,
    busy: f64,
    blocked: f64,
    gflops: f64,
}

/// Takes what happens, in the order of time.
pub(crate) struct CourseRecorder {
    parts: Parts,
    nodes: usize,
    /// Of each application on each node.
    now: Vec<Now>,
    /// Of each application.
    items: Vec<f64>,
    /// Of each band: how many so far.
    orders: Vec<f64>,
    slots: SlotRecorder,
}

/// What was taken, for each band.
pub(crate) struct Course {
    pub(super) slots: Slots,
    bands: usize,
    groups: usize,
}

/// The numbers of a band that are recorded, behind those of its cores on each group of nodes.
#[derive(Clone, Copy)]
enum Figure {
    Running,
    Blocked,
    Gflops,
    Items,
    Orders,
}

const FIGURES: usize = 5;

/// Where a figure of a band is among all numbers.
const fn number(groups: usize, band: usize, figure: Figure) -> usize {
    band * (groups + FIGURES) + groups + figure as usize
}

impl CourseRecorder {
    pub(crate) fn new(study: &Study) -> Self {
        let parts = Parts::of(study);
        let (apps, nodes) = (study.apps.len(), study.machine.node_count());
        let numbers = parts.bands.len() * (parts.groups.len() + FIGURES);
        Self {
            nodes,
            now: vec![Now::default(); apps * nodes],
            items: vec![0.0; apps],
            orders: vec![0.0; parts.bands.len()],
            slots: SlotRecorder::new(numbers),
            parts,
        }
    }

    /// The rows of a timeline.
    pub(crate) fn take(&mut self, steps: &[Step]) {
        for at_once in steps.chunk_by(|a, b| a.time == b.time) {
            for step in at_once {
                if let Some(now) = self.now.get_mut(step.app * self.nodes + step.node) {
                    let known = |value: Option<f64>| value.unwrap_or(0.0);
                    *now = Now {
                        running: known(step.running),
                        busy: known(step.busy),
                        blocked: known(step.blocked),
                        gflops: known(step.gflops),
                    };
                }
                if let Some(items) = self.items.get_mut(step.app) {
                    *items = step.items;
                }
            }
            if let Some(step) = at_once.first() {
                self.note(step.time);
            }
        }
    }

    /// An application was told something.
    pub(crate) fn order(&mut self, at: Seconds, app: AppId) {
        let Some(band) = self.parts.bands.iter().position(|band| band.apps.contains(&app.0)) else { return };
        self.orders[band] += 1.0;
        self.slots.set(number(self.parts.groups.len(), band, Figure::Orders), at, self.orders[band]);
    }

    /// From now on it is as it is.
    fn note(&mut self, time: Seconds) {
        let groups = self.parts.groups.len();
        for (b, band) in self.parts.bands.iter().enumerate() {
            let sum = |nodes: &mut dyn Iterator<Item = usize>, of: fn(&Now) -> f64| -> f64 {
                nodes
                    .flat_map(|node| band.apps.iter().map(move |app| (app, node)))
                    .filter_map(|(app, node)| self.now.get(app * self.nodes + node))
                    .map(of)
                    .sum()
            };
            for (group, nodes) in self.parts.groups.iter().enumerate() {
                let busy = sum(&mut nodes.iter().map(|node| node.0), |now| now.busy);
                self.slots.set(b * (groups + FIGURES) + group, time, busy);
            }
            let all = |of| sum(&mut (0..self.nodes), of);
            let items: f64 = band.apps.iter().filter_map(|&app| self.items.get(app)).sum();
            for (figure, value) in [
                (Figure::Running, all(|now| now.running)),
                (Figure::Blocked, all(|now| now.blocked)),
                (Figure::Gflops, all(|now| now.gflops)),
                (Figure::Items, items),
            ] {
                self.slots.set(number(groups, b, figure), time, value);
            }
        }
    }

    /// All until `end`.
    pub(crate) fn finish(self, end: Seconds) -> Course {
        let (bands, groups) = (self.parts.bands.len(), self.parts.groups.len());
        Course { slots: self.slots.finish(end), bands, groups }
    }
}

impl Observer for CourseRecorder {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        for (cell, now) in self.now.iter_mut().enumerate() {
            let (app, node) = (AppId(cell / self.nodes), cell % self.nodes);
            let counts = snapshot.counts(app, node);
            *now = Now {
                running: counts.running.into(),
                busy: counts.busy,
                blocked: counts.blocked.into(),
                gflops: snapshot.gflops(app, node),
            };
        }
        for (app, items) in self.items.iter_mut().enumerate() {
            let channels = snapshot.channels_out_of(AppId(app)).iter();
            *items = channels.map(|&channel| snapshot.items(channel) as f64).sum();
        }
        self.note(snapshot.time());
    }

    fn decision(&mut self, view: &View, orders: &[(AppId, Order, Option<String>)]) {
        for &(app, ..) in orders {
            self.order(view.time, app);
        }
    }
}

impl Course {
    fn of(&self, values: &[Vec<f64>], band: usize, figure: Figure) -> Vec<f64> {
        values.get(number(self.groups, band, figure)).cloned().unwrap_or_default()
    }

    /// Cores that are used, for each group of nodes and each band.
    pub(super) fn cores(&self) -> Vec<Vec<Vec<f64>>> {
        let of = |band: usize, group: usize| self.slots.mean.get(band * (self.groups + FIGURES) + group);
        let group =
            |group: usize| (0..self.bands).map(|band| of(band, group).cloned().unwrap_or_default()).collect();
        (0..self.groups).map(group).collect()
    }

    pub(super) fn running(&self) -> Vec<Vec<f64>> {
        (0..self.bands).map(|band| self.of(&self.slots.mean, band, Figure::Running)).collect()
    }

    pub(super) fn blocked(&self) -> Vec<Vec<f64>> {
        (0..self.bands).map(|band| self.of(&self.slots.mean, band, Figure::Blocked)).collect()
    }

    /// Items of a band, on average and at most.
    pub(super) fn items(&self, band: usize) -> (Vec<f64>, Vec<f64>) {
        (self.of(&self.slots.mean, band, Figure::Items), self.of(&self.slots.most, band, Figure::Items))
    }

    /// What part of `gflop` a band has done at the end of each slot.
    pub(super) fn done(&self, band: usize, gflop: f64) -> Vec<f64> {
        let (slot, end) = (self.slots.slot.value(), self.slots.end.value());
        let mut done = 0.0;
        let rates = self.of(&self.slots.mean, band, Figure::Gflops);
        let sums = rates.iter().enumerate().map(|(number, rate)| {
            done += rate * (end - number as f64 * slot).min(slot);
            done / gflop
        });
        sums.collect()
    }

    /// When a band was told something, to a slot.
    pub(super) fn orders(&self, band: usize) -> Vec<f64> {
        let so_far = self.of(&self.slots.most, band, Figure::Orders);
        let before = std::iter::once(0.0).chain(so_far.iter().copied());
        let told = before.zip(&so_far).enumerate().filter(|(_, (before, now))| *now > before);
        told.map(|(number, _)| number as f64 * self.slots.slot.value()).collect()
    }
}
