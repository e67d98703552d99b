//! What a policy may know.

use numasim_model::dynamics::{Control, Course};
use numasim_model::units::{Gflop, Seconds};
use numasim_model::{AppId, Study};

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
    pub waiting: Option<Waiting>,
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
            waiting: None,
            queued: Some(0),
            phase: 0,
            left: if is_gone { Some(Gflop::new(0.0)) } else { course.and_then(Course::total_work) },
        }
    }

    /// Whether it is there and has something to do.
    pub fn is_busy(&self) -> bool {
        self.presence == Presence::There && self.waiting.is_none()
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

/// What an application without an iteration under way waits for, or one that is in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// An item of a channel.
    Input,
    /// Room in a channel.
    Output,
    /// To be called, or the return of its own call.
    Call,
}

impl Waiting {
    /// The word for it in traces and in the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Call => "call",
        }
    }
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
