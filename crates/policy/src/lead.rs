//! `lead:K`: a producer stays at most K items ahead of its consumers.
//!
//! As `fair-share`, and a producer with produced - finished >= K on some channel counts as waiting (paper 002, section II: the
//! producer is kept "a small number of iterations ahead", so that few items lie between them; K is 2 where nobody says
//! otherwise \[decision\]). An end of a channel that was never there counts 0; while an end is gone after it was there, the channel does not count.

use numasim_model::dynamics::Channel;
use numasim_model::{AppId, Study};

use crate::dealing::{cores_of, deal_to, decided};
use crate::decision::{Decision, Policy, PolicyError};
use crate::view::{AppView, Looks, Presence, View};

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Lead {
    cores: Vec<u32>,
    channels: Vec<Channel>,
    apps: usize,
    most: u64,
}

impl Lead {
    pub(crate) fn new(study: &Study, most: u64) -> Self {
        let (cores, channels) = (cores_of(&study.machine), study.dynamics.channels.clone());
        Self { cores, channels, apps: study.apps.len(), most }
    }

    /// Whether each application of the study is far enough ahead of a consumer.
    fn ahead(&self, view: &View) -> Vec<bool> {
        let mut of_entry: Vec<Option<&AppView>> = vec![None; self.apps];
        for app in &view.apps {
            if let Some(place) = app.entry.and_then(|AppId(a)| of_entry.get_mut(a)) {
                *place = Some(app);
            }
        }
        let find = |app: AppId| of_entry.get(app.0).copied().flatten();
        let is_gone = |app: AppId| find(app).is_some_and(|app| app.presence == Presence::Gone);
        let items = |app: AppId| find(app).map_or(0, |app| app.progress);
        let mut ahead = vec![false; self.apps];
        for channel in &self.channels {
            let counts = !is_gone(channel.from) && !is_gone(channel.to);
            if counts
                && items(channel.from).saturating_sub(items(channel.to)) >= self.most
                && let Some(ahead) = ahead.get_mut(channel.from.0)
            {
                *ahead = true;
            }
        }
        ahead
    }
}

impl Policy for Lead {
    fn looks_at(&self) -> Looks {
        Looks { waiting: true, progress: true, ..Looks::default() }
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let ahead = self.ahead(view);
        let is_ahead = |app: &AppView| app.entry.is_some_and(|AppId(a)| ahead.get(a) == Some(&true));
        let is_in = |app: &AppView| app.is_busy() && !is_ahead(app);
        Ok(decided(view, deal_to(&self.cores, view, is_in)))
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::units::Megabytes;

    use super::*;
    use crate::testing::{app, machine, rows, study, view};
    use crate::view::Waiting;

    fn policy(most: u64) -> Lead {
        let mut study = study(machine(&[8]), &[10.0, 10.0, 10.0]);
        let channel = |from: usize, to: usize| Channel {
            from: AppId(from),
            to: AppId(to),
            item: Megabytes::new(100.0),
            capacity: None,
        };
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
