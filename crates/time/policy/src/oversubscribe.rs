//! `oversubscribe:N`: more threads than cores for those who sleep in I/O.
//!
//! As `fair-share`; each application that does not wait and has `io_ms` anywhere gets N more per node, as far as it has threads there
//! (paper 002, section II: some over-subscription helps where tasks block, and the agent decides for whom; N is 1 where nobody
//! says otherwise \[decision\]).

use numasim_model::dynamics::Course;
use numasim_model::{AppId, Study};

use crate::dealing::{cores_of, deal_to, decided};
use crate::decision::{Decision, Policy, PolicyError};
use crate::view::{AppView, Looks, View};

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Oversubscribe {
    cores: Vec<u32>,
    more: u32,
    /// Of each application of the study: whether it sleeps anywhere.
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

#[cfg(test)]
mod tests {
    use numasim_model::units::Seconds;

    use super::*;
    use crate::testing::{app, machine, rows, study, view};
    use crate::view::Waiting;

    #[test]
    fn who_sleeps_in_io_gets_more_as_far_as_it_has_threads() {
        let mut study = study(machine(&[8, 4]), &[10.0, 10.0]);
        study.dynamics.courses[0].phases[0].io = Seconds::new(0.01);
        let mut policy = Oversubscribe::new(&study, 3);
        // Half of the cores each, 4 and 2; three more on node 0, one more on node 1, where it has 3 threads.
        let decision = policy.decide(&view(vec![app(0, &[16, 3]), app(1, &[16, 16])])).expect("a decision");
        assert_eq!(rows(&decision), [Some(vec![7, 3]), Some(vec![4, 2])]);
        let waits = AppView { waiting: Some(Waiting::Output), ..app(0, &[16, 3]) };
        let decision = policy.decide(&view(vec![waits, app(1, &[16, 16])])).expect("a decision");
        assert_eq!(rows(&decision), [Some(vec![0, 0]), Some(vec![8, 4])]);
    }
}
