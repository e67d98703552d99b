//! What a policy sees.

use std::time::Duration;

use numasim_model::AppId;
use numasim_model::units::Seconds;
use numasim_policy::{AppView, Presence, View};
use numasim_protocol::AppStatus;

use super::application::{Application, Place};
use super::{Core, words};

impl Core {
    /// What a policy sees now, and for each application of it where it stands here, if it is there.
    pub(super) fn view(&self, now: Duration) -> (View, Vec<Option<Place>>) {
        let study = &self.settings.study;
        let mut places = Vec::with_capacity(study.apps.len() + self.apps.len());
        let mut apps = Vec::with_capacity(places.capacity());
        for number in 0..study.apps.len() {
            let place = Place::Entry(number);
            let app = self.apps.get(&place).filter(|app| app.is_there());
            let was_there = self.were_there.get(number).copied().unwrap_or_default();
            apps.push(app.map_or_else(|| AppView::absent(study, AppId(number), was_there), there));
            places.push(app.map(|_| place));
        }
        for (&place, app) in &self.apps {
            if !matches!(place, Place::Entry(_)) && app.is_there() {
                apps.push(there(app));
                places.push(Some(place));
            }
        }
        (View { time: Seconds::new(now.as_secs_f64()), apps }, places)
    }
}

/// An application that is there: what it said last, or, adopted, a thread that runs on every core.
fn there(app: &Application) -> AppView {
    let adopted = || AppStatus { running: app.threads.clone(), ..AppStatus::idle(app.threads.len()) };
    let status = app.status.as_ref().map_or_else(adopted, |(status, _)| status.clone());
    AppView {
        entry: app.entry,
        presence: Presence::There,
        control: words::control(app.control),
        threads: app.threads.clone(),
        running: status.running,
        blocked: status.blocked,
        progress: status.progress,
        waiting: words::waiting(status.waiting),
        queued: status.queued,
        // Not larger than the number of phases, which is a `usize`.
        phase: usize::try_from(status.phase).unwrap_or(usize::MAX),
        left: None,
    }
}
