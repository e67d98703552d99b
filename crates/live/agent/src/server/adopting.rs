//! Programs that are moved without their knowledge, as the server knows them: who has come, and who has ended.

use super::Server;
use crate::adopt::Watch;
use crate::core::Peer;

/// Programs of this host that are moved without their knowledge, by their numbers.
pub trait Adopted {
    /// Whether there is anybody, now or later.
    fn is_empty(&self) -> bool;
    /// What tells at once that somebody may have ended; [`Adopted::look`] says who.
    fn watched(&self) -> Vec<Watch<'_>>;
    /// Every thread gets these cores, which are counted through all nodes.
    ///
    /// # Errors
    /// Why it does not.
    fn bind(&mut self, number: usize, cores: &[u32]) -> Result<(), String>;
    /// Looks for new threads, which get the same cores, and for who has come or ended since. Before the first look, nobody is there.
    fn look(&mut self) -> Vec<Change>;
    /// Gives every thread back what it had; a line for each of those adopted where that cannot be.
    fn give_back(&mut self) -> Vec<String>;
}

/// What has become of somebody adopted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is there.
    Came {
        /// Its number.
        number: usize,
        /// What to call it.
        name: String,
        /// Its process.
        peer: Peer,
    },
    /// It is gone for good.
    Ended {
        /// Its number.
        number: usize,
    },
    /// It cannot be moved, and is left alone.
    Failed {
        /// For a person.
        why: String,
    },
}

/// Nobody is adopted.
pub struct Nobody;

impl Adopted for Nobody {
    fn is_empty(&self) -> bool {
        true
    }

    fn watched(&self) -> Vec<Watch<'_>> {
        Vec::new()
    }

    fn bind(&mut self, _number: usize, _cores: &[u32]) -> Result<(), String> {
        Err("nobody is adopted".to_owned())
    }

    fn look(&mut self) -> Vec<Change> {
        Vec::new()
    }

    fn give_back(&mut self) -> Vec<String> {
        Vec::new()
    }
}

impl Server<'_> {
    /// Looks at everybody, and tells the core.
    pub(super) fn look_at_adopted(&mut self) {
        let now = self.now();
        for change in self.adopted.look() {
            match change {
                Change::Came { number, name, peer } => {
                    if let Err(why) = self.core.adopt(number, &name, peer, now) {
                        self.outside.report(&format!("'{name}' is not moved: {why}"));
                    }
                }
                Change::Ended { number } => self.core.adopted_ended(number, now),
                Change::Failed { why } => self.outside.report(&why),
            }
        }
        self.work();
    }
}
