//! What a policy may know.

use numasim_course::{Course, Study};
use numasim_model::order::{Control, Order, Waiting};
use numasim_model::units::{Gflop, Seconds};
use numasim_model::{AppId, Machine};

/// The applications at one moment, in file order (first those of the files, then others as they came).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Since the beginning.
    pub time: Seconds,
    /// Every application that the host of the policy knows, there or not.
    pub apps: Vec<AppView>,
}

/// One application.
#[derive(Clone, Debug, PartialEq)]
pub struct AppView {
    /// Which application of the study it is; `None` where the files do not know it.
    pub entry: Option<AppId>,
    /// Whether it is there.
    pub presence: Presence,
    /// Which orders it can follow.
    pub control: Control,
    /// Threads on each node, blocked or not.
    pub threads: Vec<u32>,
    /// Threads in a task on each node, asleep in one or not.
    pub running: Vec<u32>,
    /// Threads on each node that may take no task.
    pub blocked: Vec<u32>,
    /// Iterations that are done.
    pub progress: u64,
    /// What it waits for, where it has no iteration under way or is in a call.
    pub waiting: Waiting,
    /// Tasks of the present phase that nobody has begun; of divisible work 1 while some is left. `None`: not told.
    pub queued: Option<u64>,
    /// The present phase of its iteration, from 0.
    pub phase: usize,
    /// The work that is left over all iterations. `None`: not told.
    pub left: Option<Gflop>,
}

impl AppView {
    /// An application of the study that has not come yet, or has gone: who has gone has done all its work.
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

    /// Whether it is there and has something to do.
    pub fn is_busy(&self) -> bool {
        self.presence == Presence::There && self.waiting == Waiting::None
    }

    /// Whether no task of its present phase is left to begin; unknown is no.
    pub fn has_no_task_left(&self) -> bool {
        self.queued == Some(0)
    }
}

/// Whether an application is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Not yet.
    #[default]
    Ahead,
    /// Arrived and not finished.
    There,
    /// Finished, or gone.
    Gone,
}

/// Which parts of a view a policy looks at: where none of them has changed, its decision is the same as before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Who waits.
    pub waiting: bool,
    /// How many iterations are done.
    pub progress: bool,
    /// Which threads run or are blocked, and which tasks are left to begin.
    pub tasks: bool,
    /// The present phases.
    pub phase: bool,
    /// The work that is left, and the time; they change all the time.
    pub work: bool,
}

impl Looks {
    /// At everything.
    pub const ALL: Self = Self { waiting: true, progress: true, tasks: true, phase: true, work: true };
}

/// A rule that decides. It depends on what it was made from and on the view alone: the same view, the same decision.
pub trait Policy {
    /// What of a view it looks at, beside who is there.
    fn looks_at(&self) -> Looks;

    /// Who may run how many threads.
    ///
    /// # Errors
    /// [`PolicyError`] where it cannot decide, such as for a machine whose sharing model refuses it.
    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError>;

    /// As [`Policy::decide`], for a host that may want to stop. Where `stop` says so, which is asked now and then, the decision comes early
    /// and is of no worth: it must not be used, nor the policy asked again.
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
    /// For each application of the view: threads on each node; `None` leaves it as it is.
    pub threads: Vec<Option<Vec<u32>>>,
    /// For each application of the view: why, where the policy says it; empty for a policy that never does.
    pub reasons: Vec<Option<String>>,
}

/// Why a policy cannot decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PolicyError(pub String);

/// What each application of the view is told of `decision`: by the kind of order that it can follow. `None`: nothing, as it is
/// not there, cannot be controlled, or nothing is decided for it.
///
/// Cores are given out from the lowest of each node, application after application, and again from the lowest when all
/// are given out. Every application that is there takes its turn, also one that is told a number of threads or nothing: its threads
/// need cores, too, and the first ones run on the lowest. The whole order is made anew each time, so that it depends on the decision alone.
pub fn orders(machine: &Machine, view: &View, decision: &Decision) -> Vec<Option<Order>> {
    let mut first = Vec::with_capacity(machine.node_count());
    let mut cores = 0;
    for node in machine.nodes() {
        first.push(cores);
        cores += node.cores;
    }
    // Per node: cores that are given out.
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
