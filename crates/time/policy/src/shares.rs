//! Policies that share the cores without computing speeds: `static-even`, `fair-share`, `oversubscribe`, `lend`, and the threads of a
//! scenario.

use numasim_course::{Course, Study};
use numasim_model::{AppId, Machine, NodeId, Scenario};

use crate::dealing::{cores_of, deal, deal_to, decided};
use crate::view::{AppView, Decision, Looks, Policy, PolicyError, Presence, View};

/// `static-even`: every present application gets a share, busy or not.
///
/// Distributes to all present applications (arrived, not finished). It decides again only when an application arrives or leaves
/// \[decision; the comparison that paper 002, section II, makes with applications that are started side by side\].
#[derive(Clone, Debug)]
pub(crate) struct StaticEven {
    cores: Vec<u32>,
}

impl StaticEven {
    pub(crate) fn new(machine: &Machine) -> Self {
        Self { cores: cores_of(machine) }
    }
}

impl Policy for StaticEven {
    fn looks_at(&self) -> Looks {
        Looks::default()
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        Ok(decided(view, deal_to(&self.cores, view, |app| app.presence == Presence::There)))
    }
}

/// `oversubscribe:N`: more threads than cores for applications that sleep in I/O.
///
/// `fair-share` is N = 0: the cores are distributed to the applications that do not wait; the others get 0. The sum of the threads is
/// the number of cores (paper 002, section II: the simple strategy of the agent).
///
/// In addition, each application that does not wait and has `io_ms` in any phase gets N more per node, as far as it has threads
/// there (paper 002, section II: some over-subscription helps if tasks block, and the agent decides for which applications; N is
/// 1 by default \[decision\]).
#[derive(Clone, Debug)]
pub(crate) struct Oversubscribe {
    cores: Vec<u32>,
    more: u32,
    /// For each application of the study: whether it sleeps in any phase.
    sleeps: Vec<bool>,
}

impl Oversubscribe {
    pub(crate) fn new(study: &Study, more: u32) -> Self {
        let sleeps = |course: &Course| course.phases.iter().any(|phase| phase.io.value() > 0.0);
        let sleeps = study.dynamics.courses.iter().map(sleeps).collect();
        Self { cores: cores_of(&study.machine), more, sleeps }
    }
}

impl Policy for Oversubscribe {
    fn looks_at(&self) -> Looks {
        Looks { waiting: true, ..Looks::default() }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let mut rows = deal_to(&self.cores, view, AppView::is_busy);
        for (app, row) in view.apps.iter().zip(&mut rows).filter(|(app, _)| app.is_busy()) {
            if app.entry.is_some_and(|AppId(a)| self.sleeps.get(a) == Some(&true)) {
                for (threads, own) in row.iter_mut().zip(&app.threads) {
                    *threads = threads.saturating_add(self.more).min(*own);
                }
            }
        }
        Ok(decided(view, rows))
    }
}

/// `lend`: each application owns a share, and lends its unneeded cores.
///
/// The distribution of `static-even` defines the owned cores. An application that waits keeps 0; one with no task left to start in its
/// phase keeps, on each node, min(owned, its threads that run there). The others keep their own, and the rest of each node is distributed
/// to them (paper 002, section II: cores go to the library that is called, and back; ownership as in DLB's LeWI \[decision\]).
#[derive(Clone, Debug)]
pub(crate) struct Lend {
    cores: Vec<u32>,
}

impl Lend {
    pub(crate) fn new(machine: &Machine) -> Self {
        Self { cores: cores_of(machine) }
    }
}

impl Policy for Lend {
    fn looks_at(&self) -> Looks {
        Looks { waiting: true, tasks: true, ..Looks::default() }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let mut kept = deal_to(&self.cores, view, |app| app.presence == Presence::There);
        let mut left = self.cores.clone();
        let mut room = Vec::with_capacity(kept.len());
        for (app, own) in view.apps.iter().zip(&mut kept) {
            let borrows = app.is_busy() && !app.has_no_task_left();
            if !app.is_busy() {
                own.fill(0);
            } else if !borrows {
                for (n, own) in own.iter_mut().enumerate() {
                    *own = (*own).min(app.running.get(n).copied().unwrap_or(0));
                }
            }
            for (left, own) in left.iter_mut().zip(own.iter()) {
                *left = left.saturating_sub(*own);
            }
            let more = |(threads, own): (&u32, &u32)| threads.saturating_sub(*own);
            room.push(if borrows {
                app.threads.iter().zip(own.iter()).map(more).collect()
            } else {
                Vec::new()
            });
        }
        for (own, lent) in kept.iter_mut().zip(deal(&left, &room)) {
            own.iter_mut().zip(lent).for_each(|(own, lent)| *own += lent);
        }
        Ok(decided(view, kept))
    }
}

/// `static:SCENARIO`: the threads of a scenario, from beginning to end.
///
/// Every present application has the threads that the scenario gives it \[decision: the one-time choice of paper 002, section III,
/// kept over time\]. The data of the scenario also applies. Policies do not place data, so the host of the policy does it.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    scenario: Scenario,
}

impl Fixed {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { scenario: scenario.clone() }
    }

    fn row(&self, app: &AppView) -> Vec<u32> {
        let allocation = &self.scenario.allocation;
        let known = app.entry.filter(|AppId(a)| *a < allocation.apps());
        known.map_or_else(|| vec![0; allocation.nodes()], |entry| allocation.row(entry).to_vec())
    }
}

/// More threads than an application has: the first node, the threads of the scenario there, and the available threads.
pub(crate) fn lacking(asked: &[u32], has: &[u32]) -> Option<(NodeId, u32, u32)> {
    let has = has.iter().copied().chain(std::iter::repeat(0));
    let mut nodes = asked.iter().zip(has).enumerate();
    nodes.find(|(_, (asked, has))| *asked > has).map(|(n, (asked, has))| (NodeId(n), *asked, has))
}

impl Policy for Fixed {
    fn looks_at(&self) -> Looks {
        Looks::default()
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let rows: Vec<Vec<u32>> = view.apps.iter().map(|app| self.row(app)).collect();
        for (at, (app, row)) in view.apps.iter().zip(&rows).enumerate() {
            if app.presence == Presence::There
                && let Some((node, asked, has)) = lacking(row, &app.threads)
            {
                let name = &self.scenario.name;
                return Err(PolicyError(format!(
                    "scenario '{name}' asks for {asked} threads of application {} on {node}, but it has {has}",
                    at + 1
                )));
            }
        }
        Ok(decided(view, rows))
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::units::Seconds;

    use super::*;
    use crate::testing::{app, machine, rows, scenario, study, view};
    use numasim_model::order::Waiting;

    #[test]
    fn waiting_applications_keep_their_share_and_departed_ones_have_none() {
        let waits = AppView { waiting: Waiting::Input, ..app(0, &[8]) };
        let gone = AppView { presence: Presence::Gone, ..app(1, &[8]) };
        let mut policy = StaticEven::new(&machine(&[8]));
        let decision = policy.decide(&view(vec![waits, gone, app(2, &[8])])).expect("a decision");
        assert_eq!(rows(&decision), [Some(vec![4]), None, Some(vec![4])]);
    }

    #[test]
    fn waiting_applications_leave_their_cores_to_the_others() {
        let waits = AppView { waiting: Waiting::Call, ..app(1, &[8]) };
        let mut policy = Oversubscribe::new(&study(machine(&[8]), &[10.0]), 0);
        let decision = policy.decide(&view(vec![app(0, &[8]), waits, app(2, &[3])])).expect("a decision");
        // a c a c a c a a
        assert_eq!(rows(&decision), [Some(vec![5]), Some(vec![0]), Some(vec![3])]);
    }

    #[test]
    fn applications_with_io_get_extra_threads_up_to_their_own() {
        let mut study = study(machine(&[8, 4]), &[10.0, 10.0]);
        study.dynamics.courses[0].phases[0].io = Seconds::new(0.01);
        let mut policy = Oversubscribe::new(&study, 3);
        // Half of the cores each, 4 and 2; three more on node 0, one more on node 1, because it has 3 threads there.
        let decision = policy.decide(&view(vec![app(0, &[16, 3]), app(1, &[16, 16])])).expect("a decision");
        assert_eq!(rows(&decision), [Some(vec![7, 3]), Some(vec![4, 2])]);
        let waits = AppView { waiting: Waiting::Output, ..app(0, &[16, 3]) };
        let decision = policy.decide(&view(vec![waits, app(1, &[16, 16])])).expect("a decision");
        assert_eq!(rows(&decision), [Some(vec![0, 0]), Some(vec![8, 4])]);
    }

    fn lent(cores: &[u32], apps: Vec<AppView>) -> Vec<Option<Vec<u32>>> {
        rows(&Lend::new(&machine(cores)).decide(&view(apps)).expect("a decision"))
    }

    #[test]
    fn waiting_applications_lend_all_their_cores() {
        let waits = AppView { waiting: Waiting::Call, ..app(0, &[8]) };
        assert_eq!(lent(&[8], vec![waits, app(1, &[8])]), [Some(vec![0]), Some(vec![8])]);
    }

    #[test]
    fn applications_without_tasks_left_keep_the_running_threads() {
        // Each owns 4 of 8 cores of both nodes. The first has 2 threads in a task on node 0 and 6 on node 1, of which 4 are owned.
        let ends = AppView { queued: Some(0), running: vec![2, 6], ..app(0, &[8, 8]) };
        assert_eq!(lent(&[8, 8], vec![ends, app(1, &[8, 8])]), [Some(vec![2, 4]), Some(vec![6, 4])]);
    }

    #[test]
    fn lent_cores_are_dealt_as_far_as_threads_reach() {
        // Each owns 3 of 9. The first waits: b has 4 threads and takes one more, c the other two.
        let waits = AppView { waiting: Waiting::Input, ..app(0, &[9]) };
        let lent = lent(&[9], vec![waits, app(1, &[4]), app(2, &[9])]);
        assert_eq!(lent, [Some(vec![0]), Some(vec![4]), Some(vec![5])]);
    }

    fn fixed() -> Fixed {
        let study = study(machine(&[8, 8]), &[0.5, 10.0]);
        Fixed::new(&scenario(&study, "uneven", &[vec![1, 2], vec![7, 6]]))
    }

    #[test]
    fn present_applications_have_the_threads_of_the_scenario_and_strangers_none() {
        let ahead = AppView { presence: Presence::Ahead, ..app(0, &[8, 8]) };
        let stranger = AppView { entry: None, ..app(0, &[8, 8]) };
        let decision = fixed().decide(&view(vec![ahead, app(1, &[8, 8]), stranger])).expect("a decision");
        assert_eq!(rows(&decision), [None, Some(vec![7, 6]), Some(vec![0, 0])]);
    }

    #[test]
    fn a_scenario_with_too_many_threads_is_an_error_with_both_numbers() {
        let error = fixed().decide(&view(vec![app(0, &[8, 8]), app(1, &[8, 5])])).expect_err("too many");
        let said = "scenario 'uneven' asks for 6 threads of application 2 on node 1, but it has 5";
        assert_eq!(error.to_string(), said);
    }
}
