//! What a policy sees.

use std::time::Duration;

use numasim_model::dynamics::Course;
use numasim_model::units::{Gflop, Seconds};
use numasim_model::{AppId, Study};
use numasim_policy::{AppView, Presence, View};
use numasim_protocol::AppStatus;

use super::application::{Application, Place};
use super::{Core, words};

/// The applications of the files as long as they are not there.
pub(super) fn absent(study: &Study) -> Vec<AppView> {
    let nodes = study.machine.node_count();
    let of = |number: usize| {
        let course = study.dynamics.courses.get(number);
        AppView {
            entry: Some(AppId(number)),
            presence: Presence::Ahead,
            control: course.map(|course| course.control).unwrap_or_default(),
            threads: course.map_or_else(|| vec![0; nodes], |course| course.threads.clone()),
            running: vec![0; nodes],
            blocked: vec![0; nodes],
            progress: 0,
            waiting: None,
            queued: Some(0),
            phase: 0,
            left: course.and_then(Course::total_work),
        }
    };
    (0..study.apps.len()).map(of).collect()
}

impl Core {
    /// What a policy sees now, and for each application of it where it stands here, if it is there.
    pub(super) fn view(&self, now: Duration) -> (View, Vec<Option<Place>>) {
        let mut places = Vec::with_capacity(self.absent.len() + self.apps.len());
        let mut apps = Vec::with_capacity(places.capacity());
        for (number, absent) in self.absent.iter().enumerate() {
            let place = Place::Entry(number);
            let app = self.apps.get(&place).filter(|app| app.is_there());
            apps.push(app.map_or_else(|| self.not_there(number, absent), there));
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

    fn not_there(&self, number: usize, absent: &AppView) -> AppView {
        if !self.were_there.get(number).copied().unwrap_or_default() {
            return absent.clone();
        }
        // As the one who replays a record has it.
        let course = self.settings.study.dynamics.courses.get(number);
        AppView {
            presence: Presence::Gone,
            progress: course.map_or(0, |course| course.iterations),
            left: Some(Gflop::new(0.0)),
            ..absent.clone()
        }
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
