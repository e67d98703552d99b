//! A run on a host above its simulation, on one axis, and how far they are apart.

mod course;
#[cfg(test)]
mod tests;

use numasim_draw::Heading;
use numasim_draw::timelines::{Timeline, TimelinePlot};
use numasim_model::Study;
use numasim_model::dynamics::Course as Plan;
use numasim_model::units::Seconds;

use super::strips::{Band, time_unit};
use crate::view::beside::{self, Measured};
use crate::view::simulated::Simulated;
use crate::view::{figures, machine_title};
use course::Parts;
pub(crate) use course::{Course, CourseRecorder};

/// The run that a simulation is compared with.
pub(crate) struct Other<'a> {
    /// What it wrote of itself.
    pub(crate) measured: &'a Measured,
    /// Where it is.
    pub(crate) folder: &'a str,
    /// What it was like.
    pub(crate) course: &'a Course,
}

/// The picture of both; `files` are those that the simulation was read from.
pub(crate) fn timelines(
    study: &Study,
    simulated: &Simulated,
    course: &Course,
    other: &Other<'_>,
    files: &[String],
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
        heading: heading(study, simulated, other, files),
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

/// In what progress is counted.
struct Progress {
    label: String,
    whole: f64,
}

impl Progress {
    /// Iterations, if all applications have as many; else parts of the work.
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

    /// The work of all its applications; `None` where there is none to be counted.
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

/// The machine; the run, the policies and the model. What may be long stands last.
fn heading(study: &Study, simulated: &Simulated, other: &Other<'_>, files: &[String]) -> Heading {
    let mut parts = vec![format!("measured under policy {}", other.measured.policy)];
    if other.measured.machine != study.machine.name() {
        parts.push(format!("on {}", other.measured.machine));
    }
    parts.push(format!("simulated under {} with model {}", simulated.policy, study.machine.sharing().name()));
    parts.push(format!("run in {}", other.folder));
    if !files.is_empty() {
        parts.push(files.join(", "));
    }
    Heading { title: machine_title(&study.machine), subtitle: parts.join("; ") }
}
