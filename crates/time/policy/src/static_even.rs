//! `static-even`: everybody who is there gets a part, whether busy or not.
//!
//! Deal to all that are there (arrived, not finished). It decides anew only when somebody comes or goes \[decision; the comparison
//! that paper 002, section II, makes with applications that are started side by side\].

use numasim_model::Machine;

use crate::dealing::{cores_of, deal_to, decided};
use crate::decision::{Decision, Policy, PolicyError};
use crate::view::{Looks, Presence, View};

/// The policy.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, machine, rows, view};
    use crate::view::{AppView, Waiting};

    #[test]
    fn those_who_wait_keep_their_part_and_those_who_are_gone_have_none() {
        let waits = AppView { waiting: Some(Waiting::Input), ..app(0, &[8]) };
        let gone = AppView { presence: Presence::Gone, ..app(1, &[8]) };
        let mut policy = StaticEven::new(&machine(&[8]));
        let decision = policy.decide(&view(vec![waits, gone, app(2, &[8])])).expect("a decision");
        assert_eq!(rows(&decision), [Some(vec![4]), None, Some(vec![4])]);
    }
}
