//! What the files say of the applications of a view, for policies that compute.

use numasim_model::dynamics::{Course, Os, Phase, Scaling};
use numasim_model::units::Seconds;
use numasim_model::{App, AppId, Demand, Machine, Study};

use crate::view::View;

/// The part of a study that such policies need.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) machine: Machine,
    pub(crate) os: Os,
    pub(crate) command_delay: Seconds,
    apps: Vec<App>,
    courses: Vec<Course>,
}

/// An application that does not wait.
///
/// Where it and all others are the same, so is what the sharing model says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    /// Its place in the view.
    pub(crate) at: usize,
    /// Which one of the study it is.
    pub(crate) entry: AppId,
    /// Its present phase.
    pub(crate) phase: usize,
    /// Threads that it can have on each node: its own, at most one for each core.
    pub(crate) room: Vec<u32>,
}

impl Member {
    /// Threads that it can have in all.
    pub(crate) fn most(&self) -> u32 {
        self.room.iter().fold(0, |sum, threads| sum.saturating_add(*threads))
    }
}

impl Known {
    pub(crate) fn new(study: &Study) -> Self {
        Self {
            machine: study.machine.clone(),
            os: study.dynamics.os,
            command_delay: study.dynamics.policy.command_delay,
            apps: study.apps.clone(),
            courses: study.dynamics.courses.clone(),
        }
    }

    /// Those that do not wait, in file order. One that the files do not know is left out: nothing can be computed for it.
    pub(crate) fn members(&self, view: &View) -> Vec<Member> {
        let busy = view.apps.iter().enumerate().filter(|(_, app)| app.is_busy());
        let known = busy.filter_map(|(at, app)| {
            let entry = app.entry.filter(|AppId(a)| *a < self.apps.len())?;
            let threads = app.threads.iter().copied().chain(std::iter::repeat(0));
            let room = self.machine.nodes().iter().zip(threads).map(|(node, own)| node.cores.min(own));
            Some(Member { at, entry, phase: app.phase, room: room.collect() })
        });
        known.collect()
    }

    pub(crate) fn app(&self, member: &Member) -> &App {
        &self.apps[member.entry.0]
    }

    pub(crate) fn phase(&self, member: &Member) -> Option<&Phase> {
        self.courses.get(member.entry.0)?.phases.get(member.phase)
    }

    /// What it asks for in its present phase.
    pub(crate) fn demand(&self, member: &Member) -> Demand {
        let app = self.app(member);
        match self.phase(member) {
            Some(phase) => phase.demand(app, phase.data.placement_or_local()),
            None => app.demand(app.data.placement_or_local()),
        }
    }

    pub(crate) fn scaling(&self, member: &Member) -> Scaling {
        self.phase(member).map_or(Scaling::Linear, |phase| phase.scaling.clone())
    }

    /// The fewest threads that it should have: `min_threads`, as far as it has threads.
    pub(crate) fn fewest(&self, member: &Member) -> u32 {
        self.app(member).min_threads.min(member.most())
    }

    /// The most threads that it should have: `max_threads`, as far as it has threads.
    pub(crate) fn most(&self, member: &Member) -> u32 {
        self.app(member).max_threads.unwrap_or(u32::MAX).min(member.most())
    }

    /// The rows of members as rows of the applications of `view`; the others get 0.
    pub(crate) fn rows(&self, view: &View, members: &[Member], of_members: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let mut rows = vec![vec![0; self.machine.node_count()]; view.apps.len()];
        for (member, row) in members.iter().zip(of_members) {
            if let Some(place) = rows.get_mut(member.at) {
                place.clone_from(row);
            }
        }
        rows
    }
}
