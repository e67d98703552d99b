//! Answers to questions: by the policy immediately or, if it computes, in a separate thread. Also the server's view of the adopted
//! programs.

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

/// Answers questions.
pub(super) enum Decider {
    /// Immediately.
    Here(Box<dyn Policy + Send>),
    /// Later, in a separate thread.
    Beside {
        questions: Sender<Question>,
        answers: Receiver<Answered>,
        /// Receives a byte for each answer.
        bell: UnixStream,
    },
}

impl Decider {
    /// # Errors
    /// The system has no thread or socket for it.
    pub(super) fn new(policy: Box<dyn Policy + Send>, beside: bool) -> io::Result<Self> {
        if !beside {
            return Ok(Self::Here(policy));
        }
        let (questions, asked) = channel();
        let (answered, answers) = channel();
        let (bell, rope) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        // It exits when the server no longer asks; nothing waits for a search.
        thread::Builder::new()
            .name("policy".to_owned())
            .spawn(move || answer(policy, &asked, &answered, rope))?;
        Ok(Self::Beside { questions, answers, bell })
    }

    /// Asks; returns the answer, if it is available immediately.
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

    /// Answers that have come from the separate thread.
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

    /// A descriptor that is readable when an answer has come.
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

// Programs that are moved without their knowledge, from the server's point of view: arrivals and ends.

/// Programs of this host that are moved without their knowledge, by their numbers.
pub trait Adopted {
    /// Whether there are no programs, now and later.
    fn is_empty(&self) -> bool;
    /// Descriptors that signal that a program may have ended; [`Adopted::look`] reports which one.
    fn watched(&self) -> Vec<Watch<'_>>;
    /// Binds every thread to these cores, which are counted through all nodes.
    ///
    /// # Errors
    /// Why this fails.
    fn bind(&mut self, number: usize, cores: &[u32]) -> Result<(), String>;
    /// Looks for new threads, which get the same cores, and for programs that have come or ended since. Before the first look, no program
    /// is present.
    fn look(&mut self) -> Vec<Change>;
    /// Restores the former cores of every thread; returns a line for each adopted program for which that fails.
    fn give_back(&mut self) -> Vec<String>;
}

/// A change of an adopted program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has come.
    Came {
        /// Its number.
        number: usize,
        /// Its name.
        name: String,
        /// Its process.
        peer: Peer,
    },
    /// It has ended.
    Ended {
        /// Its number.
        number: usize,
    },
    /// It cannot be moved, and is left alone.
    Failed {
        /// The reason, for people.
        why: String,
    },
}

/// No program is adopted.
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
    /// Looks at all adopted programs, and reports changes to the core.
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
