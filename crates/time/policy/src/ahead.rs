//! Who is how far ahead of its consumers.
//!
//! Items of a channel are produced - finished: the iterations that are done at its two ends. An item more is of use to nobody while
//! the consumer has enough to go on with, and takes memory (paper 002, section II: the producer is kept "a small number of
//! iterations ahead").

use numasim_model::dynamics::Channel;
use numasim_model::{AppId, Study};

use crate::view::{Presence, View};

/// As many items let a consumer go on at once when it has finished one: the one that it works on, and the next \[decision\].
pub(crate) const ENOUGH: u64 = 2;
/// With as many items a producer pauses, although cores may be idle \[decision: twice enough, so that a consumer that is
/// slow for a while holds nobody up, and the data between the two stays bounded\].
pub(crate) const TOO_MANY: u64 = 2 * ENOUGH;

/// What counts while an end of a channel has not come yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToCome {
    /// It has finished nothing.
    FinishedNothing,
    /// The channel does not count: nobody knows when it comes, and cores would be idle until then.
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

    /// For each application of the view: the items of the fullest channel out of it, and who they are for. `None`: it has
    /// no channel that counts. While an end is gone after it was there, a channel does not count.
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

    /// For each application of the view: whether so many items or more lie on a channel out of it.
    pub(crate) fn hold(&self, view: &View, items: u64) -> Vec<bool> {
        let is_ahead = |fullest: Option<(u64, AppId)>| fullest.is_some_and(|(most, _)| most >= items);
        self.fullest(view).into_iter().map(is_ahead).collect()
    }
}

#[cfg(test)]
mod tests {
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
    fn the_slowest_consumer_counts_wherever_it_stands_in_the_view() {
        assert_eq!(fullest(ToCome::DoesNotCount, vec![at(0, 9), at(1, 8), at(2, 4)])[0], Some((5, AppId(2))));
        assert_eq!(fullest(ToCome::DoesNotCount, vec![at(2, 4), at(1, 8), at(0, 9)])[2], Some((5, AppId(2))));
    }

    #[test]
    fn an_end_that_has_not_come_counts_for_whom_it_shall() {
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
