//! `fair-share`: those who have something to do share the machine.
//!
//! Deal to those that do not wait; the others get 0. The sum of the threads is the number of cores (paper 002, section II: the
//! simple strategy of the agent).

use numasim_model::Machine;

use crate::dealing::{cores_of, deal_to, decided};
use crate::decision::{Decision, Policy, PolicyError};
use crate::view::{AppView, Looks, View};

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct FairShare {
    cores: Vec<u32>,
}

impl FairShare {
    pub(crate) fn new(machine: &Machine) -> Self {
        Self { cores: cores_of(machine) }
    }
}

impl Policy for FairShare {
    fn looks_at(&self) -> Looks {
        Looks { waiting: true, ..Looks::default() }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        Ok(decided(view, deal_to(&self.cores, view, AppView::is_busy)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, machine, rows, view};
    use crate::view::Waiting;

    #[test]
    fn who_waits_leaves_its_cores_to_the_others() {
        let waits = AppView { waiting: Some(Waiting::Call), ..app(1, &[8]) };
        let mut policy = FairShare::new(&machine(&[8]));
        let decision = policy.decide(&view(vec![app(0, &[8]), waits, app(2, &[3])])).expect("a decision");
        // a c a c a c a a
        assert_eq!(rows(&decision), [Some(vec![5]), Some(vec![0]), Some(vec![3])]);
    }
}
