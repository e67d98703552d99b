//! A run on a host above its simulation, on one axis, and the differences between them.

use numasim_course::Course as Plan;
use numasim_course::Study;
use numasim_draw::Heading;
use numasim_draw::timelines::{MOST_APPS, MOST_ROWS, Timeline, TimelinePlot};
use numasim_dynamic::{Observer, SlotRecorder, Slots, Snapshot};
use numasim_evidence::timeline::Step;
use numasim_model::order::Order;
use numasim_model::units::Seconds;
use numasim_model::{AppId, NodeId};
use numasim_policy::View;

use crate::view::beside::{self, Measured};
use crate::view::plots::{Band, bands, node_groups, time_unit};
use crate::view::simulated::Simulated;
use crate::view::{figures, machine_title};

// The state of applications over time, in slots: from an observed simulation, or from the rows of a run.

/// The grouping of the picture: applications in bands, nodes in groups.
struct Parts {
    bands: Vec<Band>,
    groups: Vec<Vec<NodeId>>,
}

impl Parts {
    /// A band for each application and a group for each node, as far as there is space; the remaining ones are merged into one.
    fn of(study: &Study) -> Self {
        let mut bands = bands(study, MOST_APPS);
        if bands.len() > MOST_APPS {
            let others = bands.split_off(MOST_APPS - 1);
            let apps: Vec<usize> = others.iter().flat_map(|band| band.apps.iter().copied()).collect();
            bands.push(Band { name: format!("{} others", apps.len()), apps });
        }
        Self { bands, groups: node_groups(study, MOST_ROWS) }
    }
}

/// The state of an application on a node.
#[derive(Clone, Copy, Debug, Default)]
struct Now {
    running: f64,
    busy: f64,
    blocked: f64,
    gflops: f64,
}

/// Records events in the order of time.
pub(crate) struct CourseRecorder {
    parts: Parts,
    nodes: usize,
    /// For each application on each node.
    now: Vec<Now>,
    /// For each application.
    items: Vec<f64>,
    /// Commands so far, for each band.
    orders: Vec<f64>,
    slots: SlotRecorder,
}

/// The recorded course, for each band.
pub(crate) struct Course {
    slots: Slots,
    bands: usize,
    groups: usize,
}

/// The recorded values of a band, stored after those of its cores on each group of nodes.
#[derive(Clone, Copy)]
enum Figure {
    Running,
    Blocked,
    Gflops,
    Items,
    Orders,
}

const FIGURES: usize = 5;

/// Index of a value of a band among all values.
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

    /// An application received a command.
    pub(crate) fn order(&mut self, at: Seconds, app: AppId) {
        let Some(band) = self.parts.bands.iter().position(|band| band.apps.contains(&app.0)) else { return };
        self.orders[band] += 1.0;
        self.slots.set(number(self.parts.groups.len(), band, Figure::Orders), at, self.orders[band]);
    }

    /// Records the state from this time on.
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

    /// The complete course until `end`.
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

    /// Cores in use, for each group of nodes and each band.
    fn cores(&self) -> Vec<Vec<Vec<f64>>> {
        let of = |band: usize, group: usize| self.slots.mean.get(band * (self.groups + FIGURES) + group);
        let group =
            |group: usize| (0..self.bands).map(|band| of(band, group).cloned().unwrap_or_default()).collect();
        (0..self.groups).map(group).collect()
    }

    fn running(&self) -> Vec<Vec<f64>> {
        (0..self.bands).map(|band| self.of(&self.slots.mean, band, Figure::Running)).collect()
    }

    fn blocked(&self) -> Vec<Vec<f64>> {
        (0..self.bands).map(|band| self.of(&self.slots.mean, band, Figure::Blocked)).collect()
    }

    /// Mean and maximum number of items of a band.
    fn items(&self, band: usize) -> (Vec<f64>, Vec<f64>) {
        (self.of(&self.slots.mean, band, Figure::Items), self.of(&self.slots.most, band, Figure::Items))
    }

    /// The fraction of `gflop` that a band has finished at the end of each slot.
    fn done(&self, band: usize, gflop: f64) -> Vec<f64> {
        let (slot, end) = (self.slots.slot.value(), self.slots.end.value());
        let mut done = 0.0;
        let rates = self.of(&self.slots.mean, band, Figure::Gflops);
        let sums = rates.iter().enumerate().map(|(number, rate)| {
            done += rate * (end - number as f64 * slot).min(slot);
            done / gflop
        });
        sums.collect()
    }

    /// The times of the commands to a band, to the precision of a slot.
    fn orders(&self, band: usize) -> Vec<f64> {
        let so_far = self.of(&self.slots.most, band, Figure::Orders);
        let before = std::iter::once(0.0).chain(so_far.iter().copied());
        let told = before.zip(&so_far).enumerate().filter(|(_, (before, now))| *now > before);
        told.map(|(number, _)| number as f64 * self.slots.slot.value()).collect()
    }
}

#[cfg(test)]
mod tests;

/// The run that a simulation is compared with.
pub(crate) struct Other<'a> {
    /// Its recorded result.
    pub(crate) measured: &'a Measured,
    /// Its course over time.
    pub(crate) course: &'a Course,
}

/// The picture of both.
pub(crate) fn timelines(
    study: &Study,
    simulated: &Simulated,
    course: &Course,
    other: &Other<'_>,
) -> TimelinePlot {
    let parts = Parts::of(study);
    let end = [course, other.course].map(|course| course.slots.end.value()).into_iter().fold(0.0, f64::max);
    let (unit, per_second) = time_unit(Seconds::new(end));
    let progress = Progress::of(study);
    let of = |name: &str, course: &Course, outcome: String, finished: Option<f64>| {
        let times = |times: Vec<f64>| times.into_iter().map(|time| time * per_second).collect();
        let items = |(number, band): (usize, &Band)| band.makes_items(study).then(|| course.items(number));
        let done = |(number, band): (usize, &Band)| match band.gflop(study) {
            Some(gflop) => {
                let done = course.done(number, gflop).into_iter();
                done.map(|part| part * progress.whole).collect()
            }
            None => Vec::new(),
        };
        let bands = || parts.bands.iter().enumerate();
        Timeline {
            name: name.to_owned(),
            outcome,
            finished: finished.map(|finished| finished * per_second),
            slot: course.slots.slot.value() * per_second,
            end: course.slots.end.value() * per_second,
            shares: course.cores(),
            running: course.running(),
            blocked: course.blocked(),
            items: bands().map(items).collect(),
            progress: bands().map(done).collect(),
            orders: bands().map(|(number, _)| times(course.orders(number))).collect(),
        }
    };
    let makespan = simulated.run.makespan.map(Seconds::value);
    let cores = |nodes: &[numasim_model::NodeId]| {
        nodes.iter().map(|&node| f64::from(study.machine.node(node).cores)).sum()
    };
    TimelinePlot {
        heading: heading(study, simulated, other),
        x: format!("time ({unit})"),
        names: parts.bands.iter().map(|band| band.name.clone()).collect(),
        threads: parts.bands.iter().map(|band| band.threads(study)).collect(),
        resources: parts.groups.iter().map(|nodes| (name_of(nodes), cores(nodes))).collect(),
        resource_label: "cores".to_owned(),
        progress_label: progress.label,
        progress_end: progress.whole,
        measured: of("measured", other.course, other.measured.outcome(), other.measured.makespan_s),
        simulated: of("simulated", course, simulated.outcome(), makespan),
        table_title: beside::TITLE.to_owned(),
        table: beside::rows(study, simulated, other.measured),
    }
}

/// The unit of progress.
struct Progress {
    label: String,
    whole: f64,
}

impl Progress {
    /// Iterations, if all applications have the same number; else fractions of the work.
    fn of(study: &Study) -> Self {
        let mut iterations = study.dynamics.courses.iter().map(|course| course.iterations);
        match iterations.next() {
            Some(first) if first > 1 && iterations.all(|other| other == first) => {
                Self { label: "iterations done".to_owned(), whole: first as f64 }
            }
            _ => Self { label: "work done (%)".to_owned(), whole: 100.0 },
        }
    }
}

impl Band {
    fn courses<'a>(&'a self, study: &'a Study) -> impl Iterator<Item = &'a Plan> {
        self.apps.iter().filter_map(|&app| study.dynamics.courses.get(app))
    }

    fn threads(&self, study: &Study) -> f64 {
        self.courses(study).map(|course| f64::from(course.thread_count())).sum()
    }

    /// The work of all its applications; `None` if there is no work to count.
    fn gflop(&self, study: &Study) -> Option<f64> {
        let work: Option<Vec<f64>> = self
            .courses(study)
            .map(|course| course.total_work().map(numasim_model::units::Gflop::value))
            .collect();
        Some(work?.into_iter().sum()).filter(|&sum: &f64| sum > 0.0)
    }

    fn makes_items(&self, study: &Study) -> bool {
        study.dynamics.channels.iter().any(|channel| self.apps.contains(&channel.from.0))
    }
}

fn name_of(nodes: &[numasim_model::NodeId]) -> String {
    figures::nodes(&crate::view::numbers(nodes))
}

/// The question; the run, the policies and the model. Parts that may be long come last.
fn heading(study: &Study, simulated: &Simulated, other: &Other<'_>) -> Heading {
    let mut parts = vec![format!("measured under policy {}", other.measured.policy)];
    if other.measured.machine != study.machine.name() {
        parts.push(format!("on {}", other.measured.machine));
    }
    parts.push(format!("simulated under {} with model {}", simulated.policy, study.machine.sharing().name()));
    parts.push(machine_title(&study.machine));
    Heading { title: "Does the simulation follow the measured run?".to_owned(), subtitle: parts.join("; ") }
}
