//! The thread that repeatedly looks for the agent, or serves when it is its turn. Each connection consists of hello, welcome and orders,
//! until it ends. Meanwhile statuses are sent at the interval that the agent requests, and immediately when something changes, but at
//! most 50 in any second.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

use numasim_agent::turns::{Turn, TurnError, Turns};
use numasim_host::os::fork::Closed;
use numasim_protocol::{Control, FromAgent, FromApp, Hello, Lines, Order, Welcome};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use crate::{Agent, Follower};

/// Delay from the loss of an agent to the first attempt; doubled until the last value.
const FIRST: Duration = Duration::from_millis(100);
const LAST: Duration = Duration::from_secs(5);
/// Delay between two attempts while the next application takes over.
const SOON: Duration = Duration::from_millis(2);

/// A program's connection to its agent. Dropping it sends goodbye and waits for its thread.
pub struct Link {
    state: Arc<State>,
    shared: Arc<dyn Follower>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Link {
    /// Tries once, so that the threads of a starting program are held before their first task; the thread makes all further attempts.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn start(agent: Agent, shared: Arc<dyn Follower>) -> io::Result<Self> {
        let state = Arc::new(State::default());
        let mut seeking = Seeking::new(&agent);
        let first = seeking.connected(&agent);
        if first.is_some() {
            hold(&agent, &*shared);
        }
        let (for_thread_state, for_thread) = (state.clone(), shared.clone());
        let life = move || live(&agent, &*for_thread, &for_thread_state, seeking, first);
        let thread = Builder::new().name("agent".into()).spawn(life)?;
        Ok(Self { state, shared, thread: Some(thread) })
    }

    /// In a child of fork: the thread does not exist there, and the connection belongs to the parent.
    pub fn forget(mut self) {
        self.thread = None;
        std::mem::forget(self);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Release);
        self.state.goodbye();
        self.shared.bell().ring();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it does not panic
        }
    }
}

/// From the connection to the agent's first message no thread runs.
fn hold(agent: &Agent, shared: &dyn Follower) {
    if agent.control != numasim_protocol::Control::None {
        let _ = shared.obey(Some(&Order::Total(0)), &[]); // an order for no core is always possible
    }
}

fn live(
    agent: &Agent,
    shared: &dyn Follower,
    state: &State,
    mut seeking: Seeking,
    first: Option<UnixStream>,
) {
    let mut next = first;
    let mut pause = FIRST;
    // Until then the last order stays in force, for the next application to take over.
    let mut kept: Option<Instant> = None;
    while !state.stop.load(Ordering::Acquire) {
        let stream = next.take().or_else(|| {
            let stream = seeking.connected(agent)?;
            if kept.is_none() {
                hold(agent, shared);
            }
            Some(stream)
        });
        if let Some(stream) = stream {
            let takes_turns = seeking.turns.is_some();
            match talk(agent, shared, state, stream, |welcomed| takes_turns && (welcomed || kept.is_some())) {
                End::Refused(why) => {
                    eprintln!(
                        "numasim: the agent at {} refuses {}: {why}",
                        agent.socket.display(),
                        agent.name
                    );
                    return;
                }
                End::Lost { welcomed, kept: now_kept } => {
                    if welcomed {
                        (pause, kept) = (FIRST, None);
                    }
                    if now_kept && kept.is_none() {
                        kept = Some(Instant::now() + SILENCE);
                        continue;
                    }
                }
            }
        }
        if let Some(until) = kept {
            if Instant::now() < until {
                shared.bell().pause(SOON, &state.stop);
                continue;
            }
            kept = None;
            let _ = shared.obey(None, &[]); // all threads are never too many
        }
        shared.bell().pause(pause, &state.stop);
        pause = (2 * pause).min(LAST);
    }
}

/// How a link finds an agent.
struct Seeking {
    /// Present if applications take turns.
    turns: Option<Turns>,
    /// Present while this application serves.
    turn: Option<Turn>,
}

impl Seeking {
    fn new(agent: &Agent) -> Self {
        let read = |path: &PathBuf| Turns::read(path).map_err(|why| cannot(&why)).ok();
        Self { turns: agent.record.as_ref().and_then(read), turn: None }
    }

    /// A connection to the agent. If there is none and applications take turns, this one serves.
    fn connected(&mut self, agent: &Agent) -> Option<UnixStream> {
        if let Ok(stream) = connected(&agent.socket) {
            return Some(stream);
        }
        let turns = self.turns.as_ref()?;
        if self.turn.as_ref().is_none_or(Turn::is_over) {
            match turns.begin(&agent.socket) {
                Ok(Some(turn)) => self.turn = Some(turn),
                Ok(None) => {}
                Err(why) => {
                    cannot(&why);
                    self.turns = None;
                }
            }
        }
        connected(&agent.socket).ok()
    }
}

fn cannot(why: &TurnError) {
    eprintln!("numasim: {why}; this application does not serve as the agent");
}

// Non-blocking connection to a socket.

/// Timeout of a write.
const WRITE: Duration = Duration::from_secs(1);

/// Connects. A listener whose queue is full counts as absent: a plain `connect` would wait for it.
fn connected(path: &Path) -> io::Result<UnixStream> {
    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &address)?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(WRITE))?;
    Ok(stream)
}

// One connection: hello, welcome, orders, until it ends.

/// An agent that is silent for this long is lost.
const SILENCE: Duration = Duration::from_secs(1);

/// How a connection ended.
pub(crate) enum End {
    /// The agent has disappeared.
    Lost {
        /// It had answered.
        welcomed: bool,
        /// The last order stays in force.
        kept: bool,
    },
    /// The agent refuses this application.
    Refused(String),
}

/// Sends hello and follows the agent until the connection ends. Then all threads run, with one exception: the agent closed the connection
/// and `keeps`, given whether it had answered, returns that the last order stays in force.
fn talk(
    agent: &Agent,
    shared: &dyn Follower,
    state: &State,
    stream: UnixStream,
    keeps: impl Fn(bool) -> bool,
) -> End {
    let stream = Arc::new(stream);
    let _closed = Closed::in_children(&stream); // dropped before the stream, whose number may be reused then
    state.set_stream(Some(stream.clone()));
    if state.stop.load(Ordering::Acquire) {
        return End::Lost { welcomed: false, kept: false }; // the stopping thread may have found no connection to close
    }
    let sender = Sender::new(&stream);
    let over = AtomicBool::new(false);
    sender.send(&FromApp::Hello(Hello::new(&agent.name, agent.control, shared.threads())));
    let end = std::thread::scope(|threads| {
        let mut welcome: Option<Welcome> = None;
        let mut lines = Lines::new();
        let end = loop {
            match next(&stream, &mut lines) {
                Ok(FromAgent::Welcome(new)) if welcome.is_none() => {
                    if !new.hold {
                        let _ = shared.obey(None, &[]); // all threads are never too many
                    }
                    let every = Duration::try_from_secs_f64(new.status_ms / 1e3).unwrap_or(SILENCE);
                    let (sender, over) = (&sender, &over);
                    threads.spawn(move || report(shared, sender, every, over));
                    welcome = Some(new);
                }
                Ok(FromAgent::Set { seq, order }) => {
                    sender.send(&answer(agent, shared, welcome.as_ref(), seq, &order));
                }
                // A status that came too late, or a repeated welcome, changes nothing.
                Ok(FromAgent::Ping | FromAgent::Error { .. } | FromAgent::Welcome(_)) => {}
                Ok(FromAgent::Refused { text }) => break End::Refused(text),
                Err(over) => {
                    let welcomed = welcome.is_some();
                    break End::Lost { welcomed, kept: over == Over::Closed && keeps(welcomed) };
                }
            }
        };
        let _ = stream.shutdown(Shutdown::Both);
        if !matches!(end, End::Lost { kept: true, .. }) {
            // Before the reporter has exited: it may still be writing.
            let _ = shared.obey(None, &[]);
        }
        over.store(true, Ordering::Release);
        shared.bell().ring();
        end
    });
    state.set_stream(None);
    end
}

/// Puts an order in force; returns the answer.
fn answer(
    agent: &Agent,
    shared: &dyn Follower,
    welcome: Option<&Welcome>,
    seq: u64,
    order: &Order,
) -> FromApp {
    let done = match order {
        order if order.control() != agent.control || agent.control == Control::None => Err(format!(
            "an order of the kind {} for control {}",
            order.control().as_str(),
            agent.control.as_str()
        )),
        order => shared.obey(Some(order), welcome.map_or(&[], |welcome| &welcome.cores)),
    };
    match done {
        Ok(()) => FromApp::Ack { seq },
        Err(text) => FromApp::Refused { seq, text },
    }
}

/// Why a connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// The agent closed it, or its process ended.
    Closed,
    /// The agent was silent for too long, or sent invalid data.
    Silent,
}

/// The next message, or why the connection is over. Lines of an unknown type are skipped: a later version may send more types.
fn next(mut stream: &UnixStream, lines: &mut Lines) -> Result<FromAgent, Over> {
    let end = Instant::now() + SILENCE;
    let mut bytes = [0; 4096];
    loop {
        while let Some(line) = lines.next_line().map_err(|_| Over::Silent)? {
            if let Ok(message) = FromAgent::parse(line) {
                return Ok(message);
            }
        }
        let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        stream.set_read_timeout(Some(left.ok_or(Over::Silent)?)).map_err(|_| Over::Closed)?;
        match stream.read(&mut bytes) {
            Ok(0) => return Err(Over::Closed),
            Ok(read) => lines.push(bytes.get(..read).unwrap_or_default()),
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::WouldBlock | ErrorKind::TimedOut => return Err(Over::Silent),
                _ => return Err(Over::Closed),
            },
        }
    }
}

// The connection as several threads share it: those that send and those that close it.

/// State that the thread of the agent and the pool share.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The pool shuts down.
    pub(crate) stop: AtomicBool,
    /// The connection, while there is one.
    pub(crate) stream: Mutex<Option<Arc<UnixStream>>>,
}

impl State {
    /// Sets the connection, or removes it.
    pub(crate) fn set_stream(&self, stream: Option<Arc<UnixStream>>) {
        *self.stream.lock().unwrap_or_else(PoisonError::into_inner) = stream;
    }

    /// Announces that the application exits normally, if there is a connection.
    pub(crate) fn goodbye(&self) {
        if let Some(stream) = &*self.stream.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = (&**stream).write_all(FromApp::Bye.line().as_bytes()); // the agent may have disappeared
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// The sending side: complete lines, one after the other.
pub(crate) struct Sender<'a> {
    stream: &'a UnixStream,
    turn: Mutex<()>,
}

impl<'a> Sender<'a> {
    pub(crate) fn new(stream: &'a UnixStream) -> Self {
        Self { stream, turn: Mutex::default() }
    }

    /// Sends a line. A failure closes the connection for both sides.
    pub(crate) fn send(&self, message: &FromApp) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stream = self.stream;
        if stream.write_all(message.line().as_bytes()).is_err() {
            let _ = self.stream.shutdown(Shutdown::Both); // the connection is over in any case
        }
    }
}

// Statuses: at the interval that the agent requests, and immediately when something changes, but at most 50 in any second.

/// Minimum time between two periodic statuses, and between two looks at state that rings no bell.
const LEAST: Duration = Duration::from_millis(20);

/// Sends statuses until the connection is over.
fn report(shared: &dyn Follower, sender: &Sender<'_>, every: Duration, over: &AtomicBool) {
    let every = every.max(LEAST);
    let mut allowance = Allowance::new(Instant::now());
    while !over.load(Ordering::Acquire) {
        let status = shared.status();
        sender.send(&FromApp::Status(status.clone()));
        let sent = Instant::now();
        let next = allowance.take(sent);
        // Further changes until then are part of the next status.
        while !over.load(Ordering::Acquire) && Instant::now() < next {
            shared.bell().listen(next);
        }
        while !over.load(Ordering::Acquire) && sent.elapsed() < every && !shared.is_news(&status) {
            // A worker that takes the last task and keeps running it rings no bell; a worker that finds none does.
            let look = if shared.rings() { every } else { LEAST };
            shared.bell().listen((sent + every).min(Instant::now() + look));
        }
    }
}

/// Number of statuses that may be sent, a few in a row: the end of an iteration and the next begin are several changes within a
/// millisecond, and a policy that learned of them later would leave cores idle meanwhile.
struct Allowance {
    left: u32,
    since: Instant,
}

impl Allowance {
    /// Number in a row; together with those that become available within a second, 50.
    const ROW: u32 = 10;
    /// Time in which one more becomes available: 40 a second.
    const AGAIN: Duration = Duration::from_millis(25);

    fn new(now: Instant) -> Self {
        Self { left: Self::ROW, since: now }
    }

    /// Counts a status that was sent; returns when the next one may be sent.
    fn take(&mut self, now: Instant) -> Instant {
        while self.left < Self::ROW && now.saturating_duration_since(self.since) >= Self::AGAIN {
            self.left += 1;
            self.since += Self::AGAIN;
        }
        if self.left == Self::ROW {
            self.since = now;
        }
        self.left = self.left.saturating_sub(1);
        if self.left > 0 { now } else { self.since + Self::AGAIN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_in_a_row_then_one_each_25_ms_are_fifty_in_the_fullest_second() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        let mut sent = vec![start];
        while sent.len() < 200 {
            let last = *sent.last().expect("one");
            sent.push(allowance.take(last));
        }
        let ms = |at: &Instant| (*at - start).as_millis();
        assert_eq!(
            sent.iter().take(13).map(ms).collect::<Vec<_>>(),
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 50, 75]
        );
        let fullest = sent.iter().map(|from| {
            let within = |at: &&Instant| **at >= *from && **at < *from + Duration::from_secs(1);
            sent.iter().filter(within).count()
        });
        // 10 at 0 ms, then at 25, 50, ... 975 ms.
        assert_eq!(fullest.max(), Some(49));
    }

    #[test]
    fn who_was_silent_for_a_second_has_all_again_and_no_more() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        (0..10).for_each(|_| {
            allowance.take(start);
        });
        let later = start + Duration::from_secs(1);
        let in_a_row = (0..20).take_while(|_| allowance.take(later) == later).count();
        // The tenth is still sent; the eleventh has to wait.
        assert_eq!(in_a_row, 9);
    }
}
