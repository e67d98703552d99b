//! Who answers questions: the policy at once, or, where it computes, in a thread beside the socket; and the adopted programs as the server
//! knows them.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use numasim_policy::{Decision, Policy, PolicyError};

use crate::adopt::Watch;
use crate::core::{Peer, Question};
use crate::server::Server;

/// A question and its answer.
pub(super) type Answered = (Question, Result<Decision, PolicyError>);

/// Who answers questions.
pub(super) enum Decider {
    /// At once.
    Here(Box<dyn Policy + Send>),
    /// Later.
    Beside {
        questions: Sender<Question>,
        answers: Receiver<Answered>,
        /// Has a byte for each answer.
        bell: UnixStream,
    },
}

impl Decider {
    /// # Errors
    /// Where the system has no thread or socket for it.
    pub(super) fn new(policy: Box<dyn Policy + Send>, beside: bool) -> io::Result<Self> {
        if !beside {
            return Ok(Self::Here(policy));
        }
        let (questions, asked) = channel();
        let (answered, answers) = channel();
        let (bell, rope) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        // It ends when nobody asks any more; a search is not waited for.
        thread::Builder::new()
            .name("policy".to_owned())
            .spawn(move || answer(policy, &asked, &answered, rope))?;
        Ok(Self::Beside { questions, answers, bell })
    }

    /// Asks; the answer, if there is one at once.
    pub(super) fn ask(&mut self, question: Question) -> Option<Answered> {
        match self {
            Self::Here(policy) => {
                let answer = policy.decide(&question.view);
                Some((question, answer))
            }
            Self::Beside { questions, .. } => match questions.send(question) {
                Ok(()) => None,
                Err(unsent) => Some((unsent.0, Err(PolicyError("its thread has ended".to_owned())))),
            },
        }
    }

    /// Answers that have come from beside.
    pub(super) fn answers(&mut self) -> Vec<Answered> {
        match self {
            Self::Here(_) => Vec::new(),
            Self::Beside { answers, bell, .. } => {
                let mut rung = [0; 16];
                while bell.read(&mut rung).is_ok_and(|bytes| bytes > 0) {}
                answers.try_iter().collect()
            }
        }
    }

    /// Readable when an answer has come.
    pub(super) fn bell(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Here(_) => None,
            Self::Beside { bell, .. } => Some(bell.as_fd()),
        }
    }
}

fn answer(
    mut policy: Box<dyn Policy + Send>,
    asked: &Receiver<Question>,
    answered: &Sender<Answered>,
    mut rope: UnixStream,
) {
    for question in asked {
        let answer = policy.decide(&question.view);
        if answered.send((question, answer)).is_err() || rope.write_all(&[1]).is_err() {
            return;
        }
    }
}

// Programs that are moved without their knowledge, as the server knows them: who has come, and who has ended.

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
