//! `marginal`: gives every core to the application and node at which it adds most.
//!
//! Applications with something to do first get `min_threads` each, one by one to the node with most free cores (ties: lowest). Then
//! each core goes to the application and node that raise the total GFLOPS of the sharing model most, until no core raises it; at most
//! `max_threads` (paper 002, section II: sub-linear applications leave cores to better ones; `growth` has the rule of a step).
//! Applications count in their present phases: intensity, data and scaling. An application that waits, or that is missing from the
//! files, gets 0.
//!
//! Work that no consumer can use in time counts nothing \[decision\]: a producer with [`ENOUGH`] items or more on a channel is served after all
//! others, from cores that these leave idle; with [`TOO_MANY`] it gets 0. A channel counts while both of its ends are present.
//!
//! An application with few tasks left to begin gets no more threads than run and can take one \[decision\]. Beyond
//! [`MOST_WITH_TASKS`] applications x nodes this rule is off, because each end of a task would be a new question.
//!
//! Answers are cached by the applications with something to do and their phases. With data on other nodes every gain is
//! recomputed for every core.

use numasim_course::Study;
use numasim_model::sharing::Network;

use crate::dealing::decided;
use crate::growth::{give_fewest, grow};
use crate::known::{Known, Member, has_nothing_to_do};
use crate::lead::{Channels, ENOUGH, TOO_MANY, ToCome};
use crate::memo::Memo;
use crate::speeds::Speeds;
use crate::view::{Decision, Policy, PolicyError};
use crate::view::{Looks, View};

/// Maximum of applications x nodes for which tasks are considered.
const MOST_WITH_TASKS: usize = 1024;

/// The members that get cores, and those of them that are served last.
type Question = (Vec<Member>, Vec<bool>);

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Marginal {
    known: Known,
    network: Network,
    channels: Channels,
    looks_at_tasks: bool,
    answers: Memo<Question, Vec<Vec<u32>>>,
}

impl Marginal {
    /// The sharing model must not refuse the machine.
    pub(crate) fn new(study: &Study) -> Self {
        let cells = study.apps.len() * study.machine.node_count();
        Self {
            known: Known::new(study),
            network: Network::new(&study.machine),
            channels: Channels::new(study, ToCome::DoesNotCount),
            looks_at_tasks: cells <= MOST_WITH_TASKS,
            answers: Memo::new(cells),
        }
    }

    /// Threads of each member on each node. The `last` members get the cores that the others leave.
    pub(crate) fn allocation(
        &mut self,
        members: &[Member],
        last: &[bool],
        stop: &dyn Fn() -> bool,
    ) -> Vec<Vec<u32>> {
        let question = (members.to_vec(), last.to_vec());
        if let Some(rows) = self.answers.get(&question) {
            return rows;
        }
        let mut speeds = Speeds::new(&self.network, &self.known, members);
        if last.contains(&true) {
            let mut first = members.to_vec();
            for (member, _) in first.iter_mut().zip(last).filter(|(_, last)| **last) {
                member.room.fill(0);
            }
            give_fewest(&mut speeds, &self.known, &first);
            grow(&mut speeds, &self.known, &first, stop);
        }
        give_fewest(&mut speeds, &self.known, members);
        grow(&mut speeds, &self.known, members, stop);
        let rows = speeds.rows();
        self.answers.put(question, rows.clone());
        rows
    }
}

impl Policy for Marginal {
    fn looks_at(&self) -> Looks {
        Looks { waiting: true, phase: true, progress: true, tasks: self.looks_at_tasks, work: false }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        self.decide_unless(view, &|| false)
    }

    fn decide_unless(&mut self, view: &View, stop: &dyn Fn() -> bool) -> Result<Decision, PolicyError> {
        let ahead = self.channels.hold(view, ENOUGH);
        let pauses = self.channels.hold(view, TOO_MANY);
        let mut members = self.known.members(view);
        members.retain(|member| !pauses[member.at]);
        if self.looks_at_tasks {
            members.retain(|member| !has_nothing_to_do(&view.apps[member.at]));
            for member in &mut members {
                member.room = self.known.useful(&view.apps[member.at], member);
            }
        }
        let last: Vec<bool> = members.iter().map(|member| ahead[member.at]).collect();
        let rows = self.allocation(&members, &last, stop);
        Ok(decided(view, self.known.rows(view, &members, &rows)))
    }
}

#[cfg(test)]
mod tests {
    use numasim_course::Scaling;
    use numasim_model::{Data, NodeId, Placement};

    use super::*;
    use crate::testing::{app, channel, machine, rows, study, view, with_running};
    use crate::view::{AppView, Presence};
    use numasim_model::order::Waiting;

    fn threads(study: &Study, apps: Vec<AppView>) -> Vec<Option<Vec<u32>>> {
        rows(&Marginal::new(study).decide(&view(apps)).expect("a decision"))
    }

    fn sublinear_and_linear() -> Study {
        let mut study = study(machine(&[8]), &[10.0, 10.0]);
        study.dynamics.courses[0].phases[0].scaling = Scaling::Serial { fraction: 0.1 };
        study
    }

    #[test]
    fn a_linear_application_gets_the_cores_of_a_sublinear_one() {
        // The second core is worth 8.2 GFLOPS to the first one and 10 to the other.
        let mut study = sublinear_and_linear();
        let both = || vec![app(0, &[8]), app(1, &[8])];
        assert_eq!(threads(&study, both()), [Some(vec![1]), Some(vec![7])]);
        study.apps[0].min_threads = 2;
        assert_eq!(threads(&study, both()), [Some(vec![2]), Some(vec![6])]);
        // Then 8.2 for the second core, 6.8 for the third, ...: still positive.
        study.apps[1].max_threads = Some(3);
        assert_eq!(threads(&study, both()), [Some(vec![5]), Some(vec![3])]);
    }

    #[test]
    fn fewest_threads_go_to_the_node_with_most_free_cores() {
        // Free cores are 3 and 4. a: node 1, of 3 and 3 the lower one, of 2 and 3 node 1. b: of 2 and 2 the lower one. Flat
        // tables: no core adds anything after that.
        let mut study = study(machine(&[3, 4]), &[10.0, 10.0]);
        for (a, fewest) in [(0, 3), (1, 1)] {
            study.apps[a].min_threads = fewest;
            study.dynamics.courses[a].phases[0].scaling = Scaling::Table(vec![(1, 1.0), (2, 1.0)]);
        }
        let dealt = threads(&study, vec![app(0, &[3, 4]), app(1, &[3, 4])]);
        assert_eq!(dealt, [Some(vec![1, 2]), Some(vec![1, 0])]);
    }

    #[test]
    fn ties_go_to_the_first_application_and_its_lowest_node() {
        // Both are compute-bound: each core is worth 10 GFLOPS to either. Each gets one first, then the first gets the rest.
        let study = study(machine(&[2, 2]), &[10.0, 10.0]);
        let dealt = threads(&study, vec![app(0, &[2, 2]), app(1, &[2, 2])]);
        assert_eq!(dealt, [Some(vec![2, 1]), Some(vec![0, 1])]);
    }

    #[test]
    fn a_core_that_adds_nothing_stays_idle() {
        // Intensity 0.5 demands 20 GB/s a thread: the second one has 12 of 32 left, a third one adds nothing.
        let study = study(machine(&[8]), &[0.5]);
        assert_eq!(threads(&study, vec![app(0, &[8])]), [Some(vec![2])]);
    }

    #[test]
    fn waiting_applications_get_nothing_and_missing_threads_are_not_given() {
        let study = study(machine(&[8]), &[10.0, 10.0]);
        let waits = AppView { waiting: Waiting::Input, ..app(0, &[8]) };
        assert_eq!(threads(&study, vec![waits, app(1, &[5])]), [Some(vec![0]), Some(vec![5])]);
    }

    #[test]
    fn remote_data_counts() {
        // All data of the application is on node 1: a thread of node 1 gets its 10 GB/s, all threads of node 0 together 10 over the link.
        // Intensity 1: node 1 has 32 GB/s for 3 threads; with one on node 0, 10 + 22.
        let mut study = study(machine(&[3, 3]), &[1.0]);
        study.dynamics.courses[0].phases[0].data = Data::Placed(Placement::Home(NodeId(1)));
        // 10 for each of the first threads on either node; node 0 is the lower one: 10 over the link. Then 10, 10 on node 1,
        // and 2 more for the third one there.
        assert_eq!(threads(&study, vec![app(0, &[3, 3])]), [Some(vec![1, 3])]);
    }

    /// A producer and a consumer, both compute-bound, with the given iterations done.
    fn pair(produced: u64, finished: u64) -> Vec<AppView> {
        let of = |entry, progress| AppView { progress, ..app(entry, &[8]) };
        vec![of(0, produced), of(1, finished)]
    }

    fn with_channel(intensities: [f64; 2]) -> Study {
        let mut study = study(machine(&[8]), &intensities);
        study.dynamics.channels = vec![channel(0, 1)];
        study
    }

    #[test]
    fn a_producer_that_is_ahead_gets_the_cores_its_consumer_leaves() {
        // Both are compute-bound: each core is worth 10 GFLOPS to either, and the first one wins ties.
        let study = with_channel([10.0, 10.0]);
        assert_eq!(threads(&study, pair(5, 4)), [Some(vec![7]), Some(vec![1])]);
        assert_eq!(threads(&study, pair(5, 3)), [Some(vec![0]), Some(vec![8])]);
        // A consumer of intensity 0.5 demands 20 of 32 GB/s for a thread: the third thread adds nothing, and six cores are left.
        let study = with_channel([10.0, 0.5]);
        assert_eq!(threads(&study, pair(5, 3)), [Some(vec![6]), Some(vec![2])]);
    }

    #[test]
    fn a_producer_that_is_far_ahead_pauses() {
        // 5 - 1 = 4 items: six idle cores are better than a fifth one.
        let study = with_channel([10.0, 0.5]);
        assert_eq!(threads(&study, pair(5, 1)), [Some(vec![0]), Some(vec![2])]);
    }

    #[test]
    fn a_consumer_that_has_not_arrived_delays_no_application() {
        let study = with_channel([10.0, 10.0]);
        let mut apps = pair(9, 0);
        apps[1].presence = Presence::Ahead;
        assert_eq!(threads(&study, apps), [Some(vec![8]), None]);
    }

    #[test]
    fn cores_without_a_task_go_to_other_applications() {
        // The first one has called a library: no task and no thread that runs. Then it ends its phase with 2 threads.
        let study = study(machine(&[8]), &[10.0, 10.0]);
        let called = AppView { queued: Some(0), ..app(0, &[8]) };
        assert_eq!(threads(&study, vec![called, app(1, &[8])]), [Some(vec![0]), Some(vec![8])]);
        let ends = AppView { queued: Some(0), ..with_running(app(0, &[8]), &[2]) };
        assert_eq!(threads(&study, vec![ends, app(1, &[8])]), [Some(vec![2]), Some(vec![6])]);
    }
}
