//! Facts from the files about the applications of a view, for policies that compute.

use numasim_course::{Channel, Course, Os, Phase, Scaling, Study, Work};
use numasim_model::units::Seconds;
use numasim_model::{App, AppId, Demand, Machine};

use crate::dealing::TOLERANCE;
use crate::view::{AppView, View};

/// The part of a study that such policies need.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) machine: Machine,
    pub(crate) os: Os,
    pub(crate) command_delay: Seconds,
    pub(crate) channels: Vec<Channel>,
    apps: Vec<App>,
    courses: Vec<Course>,
}

/// An application that does not wait.
///
/// Equal members mean equal results of the sharing model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    /// Its index in the view.
    pub(crate) at: usize,
    /// Its index in the study.
    pub(crate) entry: AppId,
    /// Its present phase.
    pub(crate) phase: usize,
    /// Threads that it can have on each node: its threads there, at most one for each core.
    pub(crate) room: Vec<u32>,
}

impl Member {
    /// Threads that it can have in total.
    pub(crate) fn most(&self) -> u32 {
        self.room.iter().fold(0, |sum, threads| sum.saturating_add(*threads))
    }
}

/// Whether no thread could have anything to do: the application waits, or its last tasks have begun and no thread runs
/// one.
pub(crate) fn has_nothing_to_do(app: &AppView) -> bool {
    !app.is_busy() || (app.has_no_task_left() && app.running.iter().all(|&running| running == 0))
}

/// The threads of `room` that could have something to do. If fewer tasks are left to begin than threads could take, these are the
/// running threads and one for each such task, round-robin over the nodes from the first.
///
/// `is_divided`: its work is in tasks. Any other work occupies every thread until it is done.
fn useful(app: &AppView, room: &[u32], is_divided: bool) -> Vec<u32> {
    let Some(mut queued) = app.queued.filter(|&queued| queued == 0 || is_divided) else {
        return room.to_vec();
    };
    let running = app.running.iter().copied().chain(std::iter::repeat(0));
    let mut useful: Vec<u32> = room.iter().zip(running).map(|(room, running)| running.min(*room)).collect();
    let more: u64 = room.iter().zip(&useful).map(|(room, useful)| u64::from(*room - *useful)).sum();
    if queued >= more {
        return room.to_vec();
    }
    while queued > 0 {
        for (useful, _) in useful.iter_mut().zip(room).filter(|(useful, room)| **useful < **room) {
            if queued > 0 {
                *useful += 1;
                queued -= 1;
            }
        }
    }
    useful
}

impl Known {
    pub(crate) fn new(study: &Study) -> Self {
        Self {
            machine: study.machine.clone(),
            os: study.dynamics.os,
            command_delay: study.dynamics.policy.command_delay,
            channels: study.dynamics.channels.clone(),
            apps: study.apps.clone(),
            courses: study.dynamics.courses.clone(),
        }
    }

    /// The members that do not wait, in file order. An application missing from the files is left out because nothing can
    /// be computed for it.
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

    /// The name of an application of the study.
    pub(crate) fn name(&self, app: AppId) -> &str {
        self.apps.get(app.0).map_or("", |app| app.name.as_str())
    }

    pub(crate) fn phase(&self, member: &Member) -> Option<&Phase> {
        self.courses.get(member.entry.0)?.phases.get(member.phase)
    }

    /// Its demand in its present phase.
    pub(crate) fn demand(&self, member: &Member) -> Demand {
        let app = self.app(member);
        match self.phase(member) {
            Some(phase) => phase.demand(app, phase.data.placement_or_local()),
            None => app.demand(app.data.placement_or_local()),
        }
    }

    /// The part of the threads it can have that could have something to do.
    pub(crate) fn useful(&self, app: &AppView, member: &Member) -> Vec<u32> {
        let work = self.phase(member).and_then(|phase| phase.work.as_ref());
        useful(app, &member.room, matches!(work, Some(Work::Tasks { .. })))
    }

    /// The work of one of its iterations, in all its phases; `None` if no file defines it.
    pub(crate) fn gflop_of_iteration(&self, member: &Member) -> Option<f64> {
        let course = self.courses.get(member.entry.0)?;
        Some(course.total_work()?.value() / course.iterations as f64)
    }

    /// GFLOP that are left of a member, if reported; a rest within rounding of its total work counts as 0.
    pub(crate) fn left(&self, app: &AppView, member: &Member) -> Option<f64> {
        let total = self.courses.get(member.entry.0).and_then(Course::total_work);
        let is_nothing = |left: f64| total.is_some_and(|total| left <= TOLERANCE * total.value());
        app.left.map(|left| if is_nothing(left.value()) { 0.0 } else { left.value() })
    }

    pub(crate) fn scaling(&self, member: &Member) -> Scaling {
        self.phase(member).map_or(Scaling::Linear, |phase| phase.scaling.clone())
    }

    /// The minimum of threads: `min_threads`, as far as it has threads.
    pub(crate) fn fewest(&self, member: &Member) -> u32 {
        self.app(member).min_threads.min(member.most())
    }

    /// The maximum of threads: `max_threads`, as far as it has threads.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, with_running};

    #[test]
    fn threads_without_a_task_to_take_are_useless() {
        let at_work = |queued| AppView { queued, ..with_running(app(0, &[4, 4]), &[2, 0]) };
        let of = |queued, is_divided| useful(&at_work(queued), &[4, 4], is_divided);
        // Two run. Three more tasks: one on node 0, one on node 1, one on node 0.
        assert_eq!(of(Some(3), true), [4, 1]);
        assert_eq!(of(Some(0), true), [2, 0]);
        assert_eq!((of(Some(6), true), of(None, true)), (vec![4, 4], vec![4, 4]));
        // A pool of work: all threads can work on the rest.
        assert_eq!((of(Some(1), false), of(Some(0), false)), (vec![4, 4], vec![2, 0]));
    }
}
