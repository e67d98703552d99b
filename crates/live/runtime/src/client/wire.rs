//! The connection as several threads hold it: who sends, and who ends it.

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use numasim_protocol::FromApp;

/// What the thread of the agent and the pool share.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The pool ends.
    pub(super) stop: AtomicBool,
    /// The connection, while there is one.
    pub(super) stream: Mutex<Option<Arc<UnixStream>>>,
}

impl State {
    /// There is a connection, or none any more.
    pub(super) fn set_stream(&self, stream: Option<Arc<UnixStream>>) {
        *self.stream.lock().unwrap_or_else(PoisonError::into_inner) = stream;
    }

    /// Says that the application ends by itself, if somebody listens.
    pub(super) fn goodbye(&self) {
        if let Some(stream) = &*self.stream.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = (&**stream).write_all(FromApp::Bye.line().as_bytes()); // nobody may be there
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// The sending side: whole lines, one after the other.
pub(super) struct Sender<'a> {
    stream: &'a UnixStream,
    turn: Mutex<()>,
}

impl<'a> Sender<'a> {
    pub(super) fn new(stream: &'a UnixStream) -> Self {
        Self { stream, turn: Mutex::default() }
    }

    /// Sends a line. What fails ends the connection for both sides.
    pub(super) fn send(&self, message: &FromApp) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stream = self.stream;
        if stream.write_all(message.line().as_bytes()).is_err() {
            let _ = self.stream.shutdown(Shutdown::Both); // it is over either way
        }
    }
}
