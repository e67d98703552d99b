//! The information available to a policy.

use numasim_course::{Course, Study};
use numasim_model::order::{Control, Order, Waiting};
use numasim_model::units::{Gflop, Seconds};
use numasim_model::{AppId, Machine};

/// The applications at one moment, in file order (first those of the files, then others in order of arrival).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Time since the beginning.
    pub time: Seconds,
    /// Every application that the host of the policy knows, present or not.
    pub apps: Vec<AppView>,
}

/// One application.
#[derive(Clone, Debug, PartialEq)]
pub struct AppView {
    /// Its index in the study; `None` if it is missing from the files.
    pub entry: Option<AppId>,
    /// Whether it is present.
    pub presence: Presence,
    /// The kind of orders that it can follow.
    pub control: Control,
    /// Threads on each node, blocked or not.
    pub threads: Vec<u32>,
    /// Threads in a task on each node, asleep in one or not.
    pub running: Vec<u32>,
    /// Blocked threads on each node: they may take no task.
    pub blocked: Vec<u32>,
    /// Number of completed iterations.
    pub progress: u64,
    /// The reason for waiting, if no iteration is in progress or it is in a call.
    pub waiting: Waiting,
    /// Tasks of the present phase that have not begun; for divisible work 1 while some is left. `None`: not reported.
    pub queued: Option<u64>,
    /// The present phase of its iteration, from 0.
    pub phase: usize,
    /// The remaining work over all iterations. `None`: not reported.
    pub left: Option<Gflop>,
}

impl AppView {
    /// An application of the study that has not arrived yet, or has left: one that has left has done all its work.
    pub fn absent(study: &Study, app: AppId, is_gone: bool) -> Self {
        let nodes = study.machine.node_count();
        let course = study.dynamics.courses.get(app.0);
        Self {
            entry: Some(app),
            presence: if is_gone { Presence::Gone } else { Presence::Ahead },
            control: course.map(|course| course.control).unwrap_or_default(),
            threads: course.map_or_else(|| vec![0; nodes], |course| course.threads.clone()),
            running: vec![0; nodes],
            blocked: vec![0; nodes],
            progress: course.filter(|_| is_gone).map_or(0, |course| course.iterations),
            waiting: Waiting::None,
            queued: Some(0),
            phase: 0,
            left: if is_gone { Some(Gflop::new(0.0)) } else { course.and_then(Course::total_work) },
        }
    }

    /// Whether it is present and has something to do.
    pub fn is_busy(&self) -> bool {
        self.presence == Presence::There && self.waiting == Waiting::None
    }

    /// Whether all tasks of its present phase have begun; false if unknown.
    pub fn has_no_task_left(&self) -> bool {
        self.queued == Some(0)
    }
}

/// Whether an application is present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Not arrived yet.
    #[default]
    Ahead,
    /// Arrived and not finished.
    There,
    /// Finished, or disconnected.
    Gone,
}

/// The parts of a view that a policy reads: if none of them has changed, its decision is unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Which applications wait.
    pub waiting: bool,
    /// The number of completed iterations.
    pub progress: bool,
    /// Running and blocked threads, and tasks left to begin.
    pub tasks: bool,
    /// The present phases.
    pub phase: bool,
    /// The remaining work, and the time; they change continuously.
    pub work: bool,
}

impl Looks {
    /// Reads every part.
    pub const ALL: Self = Self { waiting: true, progress: true, tasks: true, phase: true, work: true };
}

/// A rule that decides. It depends only on its inputs at creation and on the view: the same view, the same decision.
pub trait Policy {
    /// The parts of a view that it reads, in addition to presence.
    fn looks_at(&self) -> Looks;

    /// Decides the threads of each application.
    ///
    /// # Errors
    /// [`PolicyError`] if it cannot decide, such as for a machine that the sharing model rejects.
    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError>;

    /// As [`Policy::decide`], for a host that may want to stop. `stop` is called now and then; once it returns true, the decision comes
    /// early and is invalid: do not use it, and do not call the policy again.
    ///
    /// # Errors
    /// As [`Policy::decide`].
    fn decide_unless(&mut self, view: &View, stop: &dyn Fn() -> bool) -> Result<Decision, PolicyError> {
        let _ = stop;
        self.decide(view)
    }
}

/// Threads for applications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// For each application of the view: threads on each node; `None` leaves it unchanged.
    pub threads: Vec<Option<Vec<u32>>>,
    /// For each application of the view: the reason, if the policy gives one; empty for a policy that never does.
    pub reasons: Vec<Option<String>>,
}

/// The reason why a policy cannot decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PolicyError(pub String);

/// The order for each application of the view under `decision`, of the kind that it can follow. `None`: no order, because it
/// is absent, cannot be controlled, or has no decision.
///
/// Cores are given out from the lowest of each node, application after application, and again from the lowest when all are given out. Every
/// present application takes its turn, including one that is ordered by thread count or gets no order: its threads also need cores, and the
/// first ones run on the lowest. Each order is computed from scratch, so that it depends only on the decision.
pub fn orders(machine: &Machine, view: &View, decision: &Decision) -> Vec<Option<Order>> {
    let mut first = Vec::with_capacity(machine.node_count());
    let mut cores = 0;
    for node in machine.nodes() {
        first.push(cores);
        cores += node.cores;
    }
    // Per node: cores already given out.
    let mut given = vec![0_u32; machine.node_count()];
    let of = |(app, threads): (&AppView, Option<&Vec<u32>>)| {
        let threads = threads.filter(|_| app.presence == Presence::There)?;
        let mut own: Vec<u32> = Vec::new();
        for (n, node) in machine.nodes().iter().enumerate().filter(|(_, node)| node.cores > 0) {
            let wanted = threads.get(n).copied().unwrap_or(0).min(node.cores);
            own.extend((0..wanted).map(|i| first[n] + (given[n] + i) % node.cores));
            given[n] = (given[n] + wanted) % node.cores;
        }
        match app.control {
            Control::None => None,
            Control::Total => Some(Order::Total(threads.iter().sum())),
            Control::PerNode => Some(Order::PerNode(threads.clone())),
            Control::Cores => {
                own.sort_unstable();
                Some(Order::Cores(own))
            }
        }
    };
    let decided = decision.threads.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    view.apps.iter().zip(decided).map(of).collect()
}
