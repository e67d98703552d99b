//! What was seen of an agent so far: its last status, how fast applications get on, and the orders that came by.

use std::collections::{HashMap, VecDeque};

use numasim_model::Study;
use numasim_model::dynamics::{Course, Work};
use numasim_protocol::{AgentStatus, AppEntry, Order};

/// Rates are means over this time, in seconds; the last digits of shorter ones are noise of the statuses.
const WINDOW_S: f64 = 5.0;
/// Less time than this between two looks gives no rate, in seconds.
const SHORTEST_S: f64 = 0.4;
/// So many orders are remembered.
const ORDERS: usize = 200;

/// An application, from its hello to its end; another connection with its name is another one.
type Key = (String, u64);

/// What was seen of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// As it was last.
    pub(crate) status: AgentStatus,
    /// Newest first.
    pub(crate) orders: VecDeque<SeenOrder>,
    samples: HashMap<Key, VecDeque<Sample>>,
    traffic: Traffic,
}

/// An order that was not there at the look before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenOrder {
    /// Uptime of the agent at the first look that saw it, in ms; it may have been given up to one interval before.
    pub(crate) at_ms: u64,
    pub(crate) app: String,
    pub(crate) seq: u64,
    pub(crate) order: Order,
}

/// How far an application was at a time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Uptime of the agent when the application said so, in s.
    at_s: f64,
    progress: u64,
    tasks: Option<u64>,
}

/// What files say about the traffic of applications, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic(HashMap<String, PerUnit>);

/// GB that are moved to or from memory.
#[derive(Clone, Copy, Debug)]
struct PerUnit {
    iteration: f64,
    /// Where an iteration consists of tasks that all move the same.
    task: Option<f64>,
}

impl Traffic {
    /// Of every application whose work stands in the files.
    pub(crate) fn of(study: &Study) -> Self {
        let of = |(app, course): (&numasim_model::App, &Course)| Some((app.name.clone(), per_unit(course)?));
        Self(study.apps.iter().zip(&study.dynamics.courses).filter_map(of).collect())
    }

    /// Whether there is nothing to estimate with.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Work / arithmetic intensity, phase by phase; `None` where the files say nothing of the work.
fn per_unit(course: &Course) -> Option<PerUnit> {
    let gb = |phase: &numasim_model::dynamics::Phase| {
        Some(phase.work.as_ref()?.total().value() / phase.arithmetic_intensity.value())
    };
    let phases: Option<Vec<f64>> = course.phases.iter().map(gb).collect();
    let iteration = phases?.into_iter().sum();
    let task = match course.phases.as_slice() {
        [only] => match &only.work {
            Some(Work::Tasks { count, each }) if each.len() == 1 && *count > 0 => {
                Some(iteration / *count as f64)
            }
            _ => None,
        },
        _ => None,
    };
    Some(PerUnit { iteration, task })
}

impl Seen {
    /// After the first look: orders that are in force already were not seen to come.
    pub(crate) fn first(status: AgentStatus, traffic: Traffic) -> Self {
        let mut seen = Self { status, orders: VecDeque::new(), samples: HashMap::new(), traffic };
        seen.sample();
        seen
    }

    /// After another look.
    pub(crate) fn again(&mut self, status: AgentStatus) {
        let before = std::mem::replace(&mut self.status, status);
        if before.pid != self.status.pid {
            // Another agent: what its predecessor counted means nothing.
            self.samples.clear();
        }
        let known: HashMap<(&str, u64), u64> =
            before.apps.iter().map(|app| ((app.name.as_str(), app.pid), app.seq)).collect();
        let at_ms = milliseconds(self.status.uptime_s);
        for app in &self.status.apps {
            let seq_before = known.get(&(app.name.as_str(), app.pid)).copied().unwrap_or(0);
            if app.seq > seq_before
                && let Some(order) = &app.target
            {
                let seen = SeenOrder { at_ms, app: app.name.clone(), seq: app.seq, order: order.clone() };
                self.orders.push_front(seen);
            }
        }
        self.orders.truncate(ORDERS);
        self.sample();
    }

    /// Remembers how far everybody is, and forgets who is gone.
    fn sample(&mut self) {
        let uptime_s = self.status.uptime_s;
        let mut samples = std::mem::take(&mut self.samples);
        for app in &self.status.apps {
            let mut own = samples.remove(&key(app)).unwrap_or_default();
            if let (Some(progress), Some(age_ms)) = (app.progress, app.status_age_ms) {
                let sample = Sample { at_s: uptime_s - age_ms / 1e3, progress, tasks: app.tasks };
                if own.back().is_some_and(|last| progress < last.progress || sample.tasks < last.tasks) {
                    own.clear(); // it began again
                }
                if own.back().is_none_or(|last| sample.at_s > last.at_s) {
                    own.push_back(sample);
                }
            }
            while own.len() > 2 && own.get(1).is_some_and(|second| second.at_s <= uptime_s - WINDOW_S) {
                own.pop_front();
            }
            self.samples.insert(key(app), own);
        }
    }

    /// Iterations per second over the last seconds; `None` until there are two looks far enough apart.
    pub(crate) fn iterations_per_s(&self, app: &AppEntry) -> Option<f64> {
        let (first, last) = self.ends(app)?;
        Some((last.progress - first.progress) as f64 / (last.at_s - first.at_s))
    }

    /// GB/s by what the files say an iteration or a task moves, and how many were done; `None` where one of the two is not
    /// known. Nothing is measured.
    pub(crate) fn bandwidth_gbs(&self, app: &AppEntry) -> Option<f64> {
        let per = self.traffic.0.get(&app.name)?;
        let (first, last) = self.ends(app)?;
        let gb = match (per.task, first.tasks, last.tasks) {
            (Some(gb), Some(before), Some(now)) => gb * now.saturating_sub(before) as f64,
            _ => per.iteration * (last.progress - first.progress) as f64,
        };
        Some(gb / (last.at_s - first.at_s))
    }

    /// Whether the files let any bandwidth be estimated.
    pub(crate) fn estimates(&self) -> bool {
        !self.traffic.is_empty()
    }

    fn ends(&self, app: &AppEntry) -> Option<(Sample, Sample)> {
        let own = self.samples.get(&key(app))?;
        let (first, last) = (*own.front()?, *own.back()?);
        (last.at_s - first.at_s >= SHORTEST_S).then_some((first, last))
    }
}

fn key(app: &AppEntry) -> Key {
    (app.name.clone(), app.pid)
}

fn milliseconds(seconds: f64) -> u64 {
    // A time since the start of a process: positive and small; the conversion of a float saturates.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let ms = (seconds * 1e3) as u64;
    ms
}
