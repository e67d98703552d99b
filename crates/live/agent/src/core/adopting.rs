//! Processes of the host that know nothing of the agent.

use std::time::Duration;

use numasim_protocol::{Control, Hello};

use super::Core;
use super::application::Peer;
use super::application::{Place, Reached};

impl Core {
    /// A process of the host is taken in that knows nothing of the agent: the `number`-th of those, with a thread on each core.
    ///
    /// # Errors
    /// Where a connected one would be refused.
    pub fn adopt(&mut self, number: usize, name: &str, peer: Peer, now: Duration) -> Result<(), String> {
        let hello = Hello::new(name, Control::Cores, self.settings.cores());
        self.check(&hello)?;
        let place = self.place(name, Place::Adopted);
        self.add(place, hello, peer, Reached::Adopted(number));
        if let Place::Entry(entry) = place
            && let Some(was_there) = self.were_there.get_mut(entry)
        {
            *was_there = true;
        }
        self.view_changed(now);
        Ok(())
    }

    /// An adopted process has ended.
    pub fn adopted_ended(&mut self, number: usize, now: Duration) {
        if let Some(place) = self.place_of_adopted(number) {
            self.forget(place, now);
        }
    }

    /// What came of `Effect::Bind`.
    pub fn bound(&mut self, number: usize, seq: u64, done: Result<(), String>) {
        let place = self.place_of_adopted(number);
        let Some(app) = place.and_then(|place| self.apps.get_mut(&place)) else { return };
        match done {
            Ok(()) => app.acked = app.acked.max(seq),
            Err(why) if app.sent == seq => app.refused = Some(why),
            Err(_) => {}
        }
    }

    fn place_of_adopted(&self, number: usize) -> Option<Place> {
        let found = self.apps.iter().find(|(_, app)| app.reached == Reached::Adopted(number));
        found.map(|(&place, _)| place)
    }
}
