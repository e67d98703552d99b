//! Who decides: every scheduler, what it has to know beforehand, and for which codes it has a meaning.

use numasim_graph::values::{PagePlacement, SchedulerKind};
use numasim_plan::Pattern;

use crate::codes::{Kind, OnMachine};

/// What a scheduler knows of data and nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knows {
    /// Nothing.
    Nothing,
    /// What each task accesses, as the runtime sees it when the task is created or ready.
    Accesses,
    /// What the programmer says of nodes.
    Programmer,
    /// What a smaller run before has shown.
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

/// What makes a scheduler another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum With {
    Nothing,
    /// Idle workers take from other sockets.
    Stealing,
    /// TBB's affinity partitioner.
    AffinityPartitioner,
    /// The plan that was made from a profile with this pattern.
    Plan(Pattern),
    /// The sockets and homes that `numasim plan` finds for the graph.
    Advice,
}

/// A scheduler as it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub(crate) kind: SchedulerKind,
    pub(crate) with: With,
}

impl Way {
    pub(crate) const FIFO: Self = Self { kind: SchedulerKind::Fifo, with: With::Nothing };

    /// All, by what they know.
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

    /// Where pages lie that no file gives a home: where they are touched first, or, of a plan, where it wants them.
    pub(crate) const fn placement(self) -> PagePlacement {
        match self.with {
            With::Plan(_) => PagePlacement::Numa,
            _ => PagePlacement::FirstTouch,
        }
    }

    /// Whether it has a meaning for a code.
    ///
    /// Windows of a graph are partitioned as the master creates it, and it does not create what tasks create. Static schedules are about loops,
    /// the affinity partitioner about ranges that are halved. A profile is of a program that begins with one task.
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
