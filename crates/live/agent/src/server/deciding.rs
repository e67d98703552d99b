//! Who answers questions: the policy at once, or, where it computes, in a thread beside the socket.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use numasim_policy::{Decision, Policy, PolicyError};

use crate::core::Question;

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
