//! `lead:K`: a producer stays at most K items ahead of its consumers.
//!
//! As `fair-share`, but a producer with produced - finished >= K on some channel counts as waiting. Paper 002, section II, keeps the producer "a
//! small number of iterations ahead", so that few items are between them; K is 2 by default \[decision\]. An end of a channel that has not arrived
//! yet counts 0; if an end has left, the channel does not count.

use numasim_course::{Channel, Study};
use numasim_model::AppId;

use crate::dealing::{cores_of, deal, decided, room_of};
use crate::view::{Decision, Looks, Policy, PolicyError, Presence, View};

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

// Lead of producers over their consumers.
//
// Items of a channel are produced - finished: the difference between the iterations done at its two ends. If the consumer has
// enough items to continue, another one is useless and takes memory (paper 002, section II: the producer is kept "a small number
// of iterations ahead").

/// With this number of items a consumer continues without delay after it finishes one: the one in progress, and the next \[decision\].
pub(crate) const ENOUGH: u64 = 2;
/// With this number of items a producer pauses, although cores may be idle \[decision: twice enough, so that a
/// temporarily slow consumer delays no application, and the data between the two stays bounded\].
pub(crate) const TOO_MANY: u64 = 2 * ENOUGH;

/// The rule for an end of a channel that has not arrived yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToCome {
    /// It counts as having finished 0 iterations.
    FinishedNothing,
    /// The channel does not count: the arrival time is unknown, and cores would be idle until then.
    DoesNotCount,
}

/// The channels of a study.
#[derive(Clone, Debug)]
pub(crate) struct Channels {
    all: Vec<Channel>,
    apps: usize,
    to_come: ToCome,
}

impl Channels {
    pub(crate) fn new(study: &Study, to_come: ToCome) -> Self {
        Self { all: study.dynamics.channels.clone(), apps: study.apps.len(), to_come }
    }

    /// For each application of the view: the items of its fullest outgoing channel, and their consumer. `None`: no
    /// channel of it counts. If an end has left, a channel does not count.
    pub(crate) fn fullest(&self, view: &View) -> Vec<Option<(u64, AppId)>> {
        let mut fullest: Vec<Option<(u64, AppId)>> = vec![None; view.apps.len()];
        if self.all.is_empty() {
            return fullest;
        }
        let mut of_entry: Vec<Option<usize>> = vec![None; self.apps];
        for (at, app) in view.apps.iter().enumerate() {
            if let Some(place) = app.entry.and_then(|AppId(a)| of_entry.get_mut(a)) {
                *place = Some(at);
            }
        }
        let find = |app: AppId| of_entry.get(app.0).copied().flatten();
        let presence = |at: usize| view.apps.get(at).map_or(Presence::Ahead, |app| app.presence);
        let items = |at: usize| view.apps.get(at).map_or(0, |app| app.progress);
        for channel in &self.all {
            let (Some(from), to) = (find(channel.from), find(channel.to)) else { continue };
            let ends = [presence(from), to.map_or(Presence::Ahead, presence)];
            let is_to_come = ends.contains(&Presence::Ahead);
            if ends.contains(&Presence::Gone) || (is_to_come && self.to_come == ToCome::DoesNotCount) {
                continue;
            }
            let items = items(from).saturating_sub(to.map_or(0, items));
            if let Some(most) = fullest.get_mut(from)
                && most.is_none_or(|(most, _)| items > most)
            {
                *most = Some((items, channel.to));
            }
        }
        fullest
    }

    /// For each application of the view: whether an outgoing channel holds at least this number of items.
    pub(crate) fn hold(&self, view: &View, items: u64) -> Vec<bool> {
        let is_ahead = |fullest: Option<(u64, AppId)>| fullest.is_some_and(|(most, _)| most >= items);
        self.fullest(view).into_iter().map(is_ahead).collect()
    }
}

#[cfg(test)]
mod ahead_tests {
    use super::*;
    use crate::testing::{app, channel, machine, study, view};
    use crate::view::AppView;

    fn fullest(to_come: ToCome, apps: Vec<AppView>) -> Vec<Option<(u64, AppId)>> {
        let mut study = study(machine(&[8]), &[10.0, 10.0, 10.0]);
        study.dynamics.channels = vec![channel(0, 1), channel(0, 2)];
        Channels::new(&study, to_come).fullest(&view(apps))
    }

    fn at(entry: usize, progress: u64) -> AppView {
        AppView { progress, ..app(entry, &[8]) }
    }

    #[test]
    fn the_slowest_consumer_counts_at_any_place_in_the_view() {
        assert_eq!(fullest(ToCome::DoesNotCount, vec![at(0, 9), at(1, 8), at(2, 4)])[0], Some((5, AppId(2))));
        assert_eq!(fullest(ToCome::DoesNotCount, vec![at(2, 4), at(1, 8), at(0, 9)])[2], Some((5, AppId(2))));
    }

    #[test]
    fn an_end_that_has_not_arrived_counts_by_the_given_rule() {
        let to_come = AppView { presence: Presence::Ahead, ..at(2, 0) };
        let apps = || vec![at(0, 9), at(1, 8), to_come.clone()];
        assert_eq!(fullest(ToCome::FinishedNothing, apps())[0], Some((9, AppId(2))));
        assert_eq!(fullest(ToCome::DoesNotCount, apps())[0], Some((1, AppId(1))));
    }

    #[test]
    fn an_end_that_is_gone_does_not_count() {
        let gone = |entry| AppView { presence: Presence::Gone, ..at(entry, 1) };
        assert_eq!(fullest(ToCome::FinishedNothing, vec![at(0, 9), gone(1), gone(2)])[0], None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, channel, machine, rows, study, view};
    use crate::view::{AppView, Presence};
    use numasim_model::order::Waiting;

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
        let waits = |entry| AppView { waiting: Waiting::Input, ..at(entry, 0) };
        assert_eq!(threads(2, vec![at(0, 0), waits(1), waits(2)])[0], Some(vec![8]));
    }

    #[test]
    fn an_end_that_left_delays_no_application_and_a_future_one_has_finished_nothing() {
        let gone = |entry| AppView { presence: Presence::Gone, ..at(entry, 1) };
        assert_eq!(threads(2, vec![at(0, 9), gone(1), gone(2)])[0], Some(vec![8]));
        assert_eq!(threads(2, vec![at(0, 9), gone(1)])[0], Some(vec![0]));
    }
}
