//! The schedulers: the information that each needs in advance, and the codes that it supports.

use numasim_graph::values::{PagePlacement, SchedulerKind};
use numasim_plan::Pattern;

use crate::codes::{Kind, OnMachine};

/// Information about data and nodes that a scheduler uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knows {
    /// None.
    Nothing,
    /// The accesses of each task, as the runtime sees them when the task is created or ready.
    Accesses,
    /// The programmer's annotations about nodes.
    Programmer,
    /// The profile of a smaller, earlier run.
    Profile,
    /// The whole graph and the work of each task, before anything runs.
    Everything,
}

impl Knows {
    pub(crate) const ALL: [Self; 5] =
        [Self::Nothing, Self::Accesses, Self::Programmer, Self::Profile, Self::Everything];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Accesses => "accesses",
            Self::Programmer => "programmer",
            Self::Profile => "profile",
            Self::Everything => "everything",
        }
    }
}

/// A variant of a scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum With {
    Nothing,
    /// Idle workers steal from other sockets.
    Stealing,
    /// TBB's affinity partitioner.
    AffinityPartitioner,
    /// The plan from a profile with this pattern.
    Plan(Pattern),
    /// The sockets and homes that `numasim plan` finds for the graph.
    Advice,
}

/// A scheduler in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub(crate) kind: SchedulerKind,
    pub(crate) with: With,
}

impl Way {
    pub(crate) const FIFO: Self = Self { kind: SchedulerKind::Fifo, with: With::Nothing };

    /// All schedulers, ordered by their information.
    pub(crate) fn all() -> Vec<Self> {
        use SchedulerKind::{
            ArenaPerNode, Dep, Fifo, Heft, Hint, Plan, RandomSteal, RipDep, RipMw, RipSp, Sa, Static,
            TaskloopAffinity, Tbb, TbbNuma, Tracked,
        };
        let plain = |kind| Self { kind, with: With::Nothing };
        let stealing = |kind| Self { kind, with: With::Stealing };
        let plan = |pattern| Self { kind: Plan, with: With::Plan(pattern) };
        vec![
            plain(Fifo),
            plain(RandomSteal),
            plain(Tbb),
            Self { kind: Tbb, with: With::AffinityPartitioner },
            plain(Static),
            plain(Dep),
            stealing(Dep),
            plain(Tracked),
            plain(TaskloopAffinity),
            plain(RipDep),
            stealing(RipDep),
            plain(RipSp),
            stealing(RipSp),
            plain(RipMw),
            stealing(RipMw),
            plain(Sa),
            stealing(Sa),
            plain(Hint),
            plain(TbbNuma),
            plain(ArenaPerNode),
            plan(Pattern::Hints),
            plan(Pattern::Block),
            plan(Pattern::Cyclic),
            plain(Heft),
            Self { kind: Sa, with: With::Advice },
        ]
    }

    pub(crate) const fn knows(self) -> Knows {
        use SchedulerKind::{
            ArenaPerNode, Dep, Fifo, Heft, Hint, Plan, RandomSteal, RipDep, RipMw, RipSp, Sa, Static,
            TaskloopAffinity, Tbb, TbbNuma, Tracked,
        };
        match (self.kind, self.with) {
            (_, With::Advice) | (Heft, _) => Knows::Everything,
            (Fifo | RandomSteal | Tbb | Static, _) => Knows::Nothing,
            (Dep | Tracked | TaskloopAffinity | RipDep | RipSp | RipMw, _) => Knows::Accesses,
            (Sa | Hint | TbbNuma | ArenaPerNode, _) => Knows::Programmer,
            (Plan, _) => Knows::Profile,
        }
    }

    /// `rip-dep, stealing`
    pub(crate) fn name(self) -> String {
        match self.with {
            With::Nothing => self.kind.as_str().to_owned(),
            With::Stealing => format!("{}, stealing", self.kind.as_str()),
            With::AffinityPartitioner => format!("{}, affinity", self.kind.as_str()),
            With::Plan(pattern) => format!("{}, {}", self.kind.as_str(), pattern.as_str()),
            With::Advice => "advice".to_owned(),
        }
    }

    /// Placement of pages without a home in a file: on first touch, or, for a plan, as the plan defines.
    pub(crate) const fn placement(self) -> PagePlacement {
        match self.with {
            With::Plan(_) => PagePlacement::Numa,
            _ => PagePlacement::FirstTouch,
        }
    }

    /// Whether it is applicable to a code.
    ///
    /// Windows of a graph are partitioned as the master creates it, and the master does not create the tasks that other tasks create.
    /// Static schedules apply to loops, the affinity partitioner to ranges that are halved. A profile needs a program that begins with
    /// one task.
    pub(crate) fn suits(self, code: &OnMachine) -> bool {
        match (self.kind, self.with) {
            (SchedulerKind::RipDep | SchedulerKind::RipSp | SchedulerKind::RipMw, _) => {
                code.windows.is_some()
            }
            (SchedulerKind::Static, _) => code.code.kind == Kind::Loops,
            (_, With::AffinityPartitioner) => code.has_ranges(),
            (_, With::Plan(_)) => code.profiled().is_some(),
            _ => true,
        }
    }
}
