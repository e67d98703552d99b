//! The thread that looks for the agent, again and again.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use std::{fmt, io};

use super::session::{self, End};
use super::wire::State;
use super::{Agent, connect};
use crate::order::Order;
use crate::shared::Shared;

/// From the loss of an agent to the first attempt; doubled until the last.
const FIRST: Duration = Duration::from_millis(100);
const LAST: Duration = Duration::from_secs(5);

/// A pool's way to the agent. Dropping it says goodbye.
pub(crate) struct Link {
    state: Arc<State>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Link {
    /// Tries once, so that workers of a pool that begins are held before their first task, and leaves the rest to the thread.
    pub(crate) fn start(agent: Agent, shared: Arc<Shared>) -> io::Result<Self> {
        let state = Arc::new(State::default());
        let first = connect::connected(&agent.socket).ok();
        if first.is_some() {
            hold(&agent, &shared);
        }
        let (of_thread, for_thread) = (state.clone(), shared.clone());
        let life = move || live(&agent, &for_thread, &of_thread, first);
        let thread = Builder::new().name("agent".into()).spawn(life)?;
        Ok(Self { state, shared, thread: Some(thread) })
    }

    /// In a child of fork: there is no thread, and the connection is not ours.
    pub(crate) fn forget(mut self) {
        self.thread = None;
        std::mem::forget(self);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Release);
        self.state.goodbye();
        self.shared.said.ring();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it does not panic
        }
    }
}

/// From the connection to the agent's first word nobody runs.
fn hold(agent: &Agent, shared: &Shared) {
    if agent.control != numasim_protocol::Control::None {
        let _ = shared.order(&Order::Total(0)); // no order is easier to follow
    }
}

fn live(agent: &Agent, shared: &Arc<Shared>, state: &State, first: Option<UnixStream>) {
    let mut next = first;
    let mut pause = FIRST;
    while !state.stop.load(Ordering::Acquire) {
        let stream = next.take().or_else(|| {
            let stream = connect::connected(&agent.socket).ok()?;
            hold(agent, shared);
            Some(stream)
        });
        if let Some(stream) = stream {
            let end = session::run(agent, shared, state, stream);
            let _ = shared.order(&Order::All); // nobody is too many
            match end {
                End::Refused(why) => {
                    eprintln!(
                        "numasim: the agent at {} refuses {}: {why}",
                        agent.socket.display(),
                        agent.name
                    );
                    return;
                }
                End::Lost { welcomed: true } => pause = FIRST,
                End::Lost { welcomed: false } => {}
            }
        }
        shared.said.pause(pause, &state.stop);
        pause = (2 * pause).min(LAST);
    }
}
