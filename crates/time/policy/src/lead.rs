//! `lead:K`: a producer stays at most K items ahead of its consumers.
//!
//! As `fair-share`, and a producer with produced - finished >= K on some channel counts as waiting (paper 002, section II: the
//! producer is kept "a small number of iterations ahead", so that few items lie between them; K is 2 where nobody says
//! otherwise \[decision\]). An end of a channel that was never there counts 0; while an end is gone after it was there, the channel does not count.

use numasim_model::Study;

use crate::ahead::{Channels, ToCome};
use crate::dealing::{cores_of, deal, decided, room_of};
use crate::decision::{Decision, Policy, PolicyError};
use crate::view::{Looks, View};

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Lead {
    cores: Vec<u32>,
    channels: Channels,
    most: u64,
}

impl Lead {
    pub(crate) fn new(study: &Study, most: u64) -> Self {
        let channels = Channels::new(study, ToCome::FinishedNothing);
        Self { cores: cores_of(&study.machine), channels, most }
    }
}

impl Policy for Lead {
    fn looks_at(&self) -> Looks {
        Looks { waiting: true, progress: true, ..Looks::default() }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let ahead = self.channels.hold(view, self.most);
        let room: Vec<&[u32]> = view
            .apps
            .iter()
            .zip(&ahead)
            .map(|(app, is_ahead)| room_of(app, app.is_busy() && !is_ahead))
            .collect();
        Ok(decided(view, deal(&self.cores, &room)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, channel, machine, rows, study, view};
    use crate::view::{AppView, Presence, Waiting};

    fn policy(most: u64) -> Lead {
        let mut study = study(machine(&[8]), &[10.0, 10.0, 10.0]);
        study.dynamics.channels = vec![channel(0, 1), channel(0, 2)];
        Lead::new(&study, most)
    }

    fn threads(most: u64, apps: Vec<AppView>) -> Vec<Option<Vec<u32>>> {
        rows(&policy(most).decide(&view(apps)).expect("a decision"))
    }

    fn at(entry: usize, progress: u64) -> AppView {
        AppView { progress, ..app(entry, &[8]) }
    }

    #[test]
    fn a_producer_two_items_ahead_of_one_consumer_pauses() {
        let [none, all] = [Some(vec![0]), Some(vec![4])];
        assert_eq!(threads(2, vec![at(0, 3), at(1, 3), at(2, 1)]), [none.clone(), all.clone(), all]);
        // 3 - 2 = 1 < 2: a b c a b c a b
        let shared = [Some(vec![3]), Some(vec![3]), Some(vec![2])];
        assert_eq!(threads(2, vec![at(0, 3), at(1, 3), at(2, 2)]), shared);
        assert_eq!(threads(1, vec![at(0, 3), at(1, 3), at(2, 2)])[0], none);
    }

    #[test]
    fn a_consumer_that_waits_gets_nothing() {
        let waits = |entry| AppView { waiting: Some(Waiting::Input), ..at(entry, 0) };
        assert_eq!(threads(2, vec![at(0, 0), waits(1), waits(2)])[0], Some(vec![8]));
    }

    #[test]
    fn an_end_that_is_gone_holds_nobody_back_and_one_to_come_has_finished_nothing() {
        let gone = |entry| AppView { presence: Presence::Gone, ..at(entry, 1) };
        assert_eq!(threads(2, vec![at(0, 9), gone(1), gone(2)])[0], Some(vec![8]));
        assert_eq!(threads(2, vec![at(0, 9), gone(1)])[0], Some(vec![0]));
    }
}
