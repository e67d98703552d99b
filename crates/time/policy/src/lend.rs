//! `lend`: each owns a part, and lends what it does not need.
//!
//! Deal as `static-even`: this is what each owns. One that waits keeps 0; one with no task left to start in its phase keeps, on each
//! node, min(owned, its threads that run there); the others keep what they own, and what is left on each node is dealt to them
//! (paper 002, section II: cores go to the library that is called, and back; ownership as in DLB's LeWI \[decision\]).

use numasim_model::Machine;

use crate::dealing::{cores_of, deal, deal_to, decided};
use crate::decision::{Decision, Policy, PolicyError};
use crate::view::{Looks, Presence, View};

/// The policy.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, machine, rows, view};
    use crate::view::{AppView, Waiting};

    fn threads(cores: &[u32], apps: Vec<AppView>) -> Vec<Option<Vec<u32>>> {
        rows(&Lend::new(&machine(cores)).decide(&view(apps)).expect("a decision"))
    }

    #[test]
    fn who_waits_lends_all_it_owns() {
        let waits = AppView { waiting: Some(Waiting::Call), ..app(0, &[8]) };
        assert_eq!(threads(&[8], vec![waits, app(1, &[8])]), [Some(vec![0]), Some(vec![8])]);
    }

    #[test]
    fn who_has_no_task_left_keeps_the_threads_that_run() {
        // Each owns 4 of 8 cores of both nodes. The first has 2 threads in a task on node 0 and 6 on node 1, of which 4 are owned.
        let ends = AppView { queued: Some(0), running: vec![2, 6], ..app(0, &[8, 8]) };
        assert_eq!(threads(&[8, 8], vec![ends, app(1, &[8, 8])]), [Some(vec![2, 4]), Some(vec![6, 4])]);
    }

    #[test]
    fn what_is_lent_is_dealt_as_far_as_threads_reach() {
        // Each owns 3 of 9. The first waits: b has 4 threads and takes one more, c the other two.
        let waits = AppView { waiting: Some(Waiting::Input), ..app(0, &[9]) };
        let lent = threads(&[9], vec![waits, app(1, &[4]), app(2, &[9])]);
        assert_eq!(lent, [Some(vec![0]), Some(vec![4]), Some(vec![5])]);
    }
}
