//! One connection: hello, welcome, orders, until it ends.

use std::io::{ErrorKind, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numasim_protocol::{Control, FromAgent, FromApp, Hello, Lines, Welcome};

use super::fork::Closed;
use super::wire::{Sender, State};
use super::{Agent, report};
use crate::order::Order;
use crate::shared::Shared;

/// An agent that says nothing for so long is lost.
const SILENCE: Duration = Duration::from_secs(1);

/// How a connection ended.
pub(super) enum End {
    /// The agent is gone.
    Lost {
        /// It had answered.
        welcomed: bool,
    },
    /// The agent does not want us.
    Refused(String),
}

/// Says hello and does what the agent says until the connection ends. The caller lifts the last order then.
pub(super) fn run(agent: &Agent, shared: &Arc<Shared>, state: &State, stream: UnixStream) -> End {
    let stream = Arc::new(stream);
    let _closed = Closed::in_children(&stream); // ends before the stream, whose number may have another meaning then
    state.set_stream(Some(stream.clone()));
    if state.stop.load(Ordering::Acquire) {
        return End::Lost { welcomed: false }; // who stopped us may have seen no connection to close
    }
    let sender = Sender::new(&stream);
    let over = AtomicBool::new(false);
    let threads = shared.layout.workers().into_iter().map(|n| u32::try_from(n).unwrap_or(u32::MAX)).collect();
    sender.send(&FromApp::Hello(Hello::new(&agent.name, agent.control, threads)));
    let end = std::thread::scope(|threads| {
        let mut welcome: Option<Welcome> = None;
        let mut lines = Lines::new();
        let end = loop {
            match next(&stream, &mut lines) {
                Some(FromAgent::Welcome(new)) if welcome.is_none() => {
                    if !new.hold {
                        let _ = shared.order(&Order::All); // nobody is too many
                    }
                    let every = Duration::try_from_secs_f64(new.status_ms / 1e3).unwrap_or(SILENCE);
                    let (sender, over) = (&sender, &over);
                    threads.spawn(move || report::run(shared, sender, every, over));
                    welcome = Some(new);
                }
                Some(FromAgent::Set { seq, order }) => {
                    sender.send(&answer(agent, shared, welcome.as_ref(), seq, &order));
                }
                // A status that came too late, or a welcome again, changes nothing.
                Some(FromAgent::Ping | FromAgent::Error { .. } | FromAgent::Welcome(_)) => {}
                Some(FromAgent::Refused { text }) => break End::Refused(text),
                None => break End::Lost { welcomed: welcome.is_some() },
            }
        };
        let _ = stream.shutdown(Shutdown::Both);
        // Before the reporter has ended: it may be writing.
        let _ = shared.order(&Order::All);
        over.store(true, Ordering::Release);
        shared.said.ring();
        end
    });
    state.set_stream(None);
    end
}

/// Puts an order in force, and what to say then.
fn answer(
    agent: &Agent,
    shared: &Shared,
    welcome: Option<&Welcome>,
    seq: u64,
    order: &numasim_protocol::Order,
) -> FromApp {
    let number = |number: &u32| *number as usize;
    let done = match order {
        order if order.control() != agent.control || agent.control == Control::None => Err(format!(
            "an order of the kind {} for control {}",
            order.control().as_str(),
            agent.control.as_str()
        )),
        numasim_protocol::Order::Total(total) => {
            shared.order(&Order::Total(number(total))).map_err(|error| error.to_string())
        }
        numasim_protocol::Order::PerNode(list) => shared
            .order(&Order::PerNode(list.iter().map(number).collect()))
            .map_err(|error| error.to_string()),
        // The agent counts the cores of its machine.
        numasim_protocol::Order::Cores(cores) => {
            let cores_of = welcome.map(|welcome| welcome.cores.iter().map(number).collect::<Vec<_>>());
            let cores: Vec<usize> = cores.iter().map(number).collect();
            shared.order_cores(&cores_of.unwrap_or_default(), &cores).map_err(|error| error.to_string())
        }
    };
    match done {
        Ok(()) => FromApp::Ack { seq },
        Err(text) => FromApp::Refused { seq, text },
    }
}

/// The next message; `None` when the connection is over, or silent for too long. Lines that nobody understands are
/// skipped: a later version may say more.
fn next(mut stream: &UnixStream, lines: &mut Lines) -> Option<FromAgent> {
    let end = Instant::now() + SILENCE;
    let mut bytes = [0; 4096];
    loop {
        while let Some(line) = lines.next_line().ok()? {
            if let Ok(message) = FromAgent::parse(line) {
                return Some(message);
            }
        }
        let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        stream.set_read_timeout(Some(left)).ok()?;
        match stream.read(&mut bytes) {
            Ok(0) => return None,
            Ok(read) => lines.push(bytes.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
