//! The agent on a real socket, in this process. All limits are far above the times that a test needs.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use numasim_policy::PolicyName;
use numasim_protocol::{AgentStatus, AppStatus, Control, FromAgent, FromApp, Hello, Lines, Order};

use super::*;
use crate::core::testing::{MACHINE, app, study};

const PATIENCE: Duration = Duration::from_secs(60);

struct Told(std::sync::mpsc::Sender<String>);

impl Outside for Told {
    fn listening(&mut self) {
        let _ = self.0.send("listening".to_owned());
    }

    fn report(&mut self, line: &str) {
        let _ = self.0.send(line.to_owned());
    }

    fn decided(&mut self, _decided: &Decided) {}

    fn no_more_decisions(&mut self) {
        let _ = self.0.send("no more decisions".to_owned());
    }
}

/// An agent in a separate thread.
struct Running {
    _folder: tempfile::TempDir,
    path: PathBuf,
    told: Receiver<String>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
    /// Never written: the agents of these tests are asked to stop on the socket.
    _stop: UnixStream,
}

impl Running {
    fn new(text: &str, policy: &str, period_ms: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own/agent.sock");
        let (tell, told) = channel();
        let socket = Socket::listen(&path).expect("a socket");
        let study = study(text);
        let policy: PolicyName = policy.parse().expect("a policy");
        let made = policy.make(&study).expect("a policy");
        let period = Duration::from_millis(period_ms);
        let shown = path.display().to_string();
        let settings = Settings { study, policy, period, dry_run: false, pid: 1, socket: shown };
        let (stop, stopped) = UnixStream::pair().expect("a socket");
        let thread = std::thread::spawn(move || {
            let mut outside = Told(tell);
            let (adopted, stop) = (Box::new(Nobody), Box::new(stopped));
            serve(Agent { settings, policy: made, socket, host: None, stop, adopted, outside: &mut outside })
        });
        let running = Self { _folder: folder, path, told, thread: Some(thread), _stop: stop };
        assert_eq!(running.hears(), "listening");
        running
    }

    fn fair() -> Self {
        Self::new(MACHINE, "fair-share", 5)
    }

    fn hears(&self) -> String {
        self.told.recv_timeout(PATIENCE).expect("somebody reports")
    }

    fn connect(&self) -> Client {
        Client::new(&self.path)
    }

    fn hello(&self, name: &str) -> Client {
        let mut client = self.connect();
        client.say(&FromApp::Hello(Hello::new(name, Control::PerNode, vec![4, 4])));
        assert!(matches!(client.hears(), FromAgent::Welcome(_)));
        client
    }

    fn status(&self) -> AgentStatus {
        let mut client = self.connect();
        client.say(&FromApp::Query);
        AgentStatus::parse(client.line().expect("an answer").as_bytes()).expect("a status")
    }

    /// Stops it; returns the lines that were reported meanwhile.
    fn stop(mut self) -> Vec<String> {
        let mut client = self.connect();
        client.say(&FromApp::Stop);
        assert_eq!(client.line(), None, "closed");
        assert!(!self.path.exists(), "the socket is gone before that");
        self.thread.take().expect("a thread").join().expect("no panic").expect("a good end");
        self.told.try_iter().collect()
    }
}

/// A connected client.
struct Client {
    stream: UnixStream,
    lines: Lines,
}

impl Client {
    fn new(path: &Path) -> Self {
        let stream = UnixStream::connect(path).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a limit");
        Self { stream, lines: Lines::unlimited() }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("room");
    }

    fn say(&mut self, message: &FromApp) {
        self.write(message.line().as_bytes());
    }

    fn idle(&mut self, progress: u64) {
        self.say(&FromApp::Status(AppStatus { progress, ..AppStatus::idle(2) }));
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Option<String> {
        loop {
            if let Some(line) = self.lines.next_line().expect("no limit") {
                return Some(String::from_utf8(line.to_vec()).expect("text"));
            }
            let mut piece = [0; 4096];
            match self.stream.read(&mut piece) {
                Ok(0) => return None,
                Ok(bytes) => self.lines.push(&piece[..bytes]),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// The next message that is no ping.
    fn hears(&mut self) -> FromAgent {
        loop {
            let line = self.line().expect("a message");
            match FromAgent::parse(line.as_bytes()).expect("a message") {
                FromAgent::Ping => {}
                message => return message,
            }
        }
    }

    fn refusal(&mut self) -> String {
        let FromAgent::Refused { text } = self.hears() else { panic!("no refusal") };
        assert_eq!(self.line(), None, "and closed");
        text
    }
}

fn eventually(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_application_gets_orders_until_it_says_bye() {
    let agent = Running::fair();
    let mut client = agent.hello("a");
    client.idle(0);
    assert_eq!(client.hears(), FromAgent::Set { seq: 1, order: Order::PerNode(vec![4, 4]) });
    client.say(&FromApp::Ack { seq: 1 });
    eventually("the order is acknowledged", || agent.status().apps[0].acked == 1);
    client.say(&FromApp::Bye);
    while client.line().is_some() {}
    let status = agent.status();
    assert_eq!((status.closed.bye, status.closed.lost, status.apps.len()), (1, 0, 0));
    assert_eq!(agent.stop(), ["no more decisions"]);
}

#[test]
fn who_breaks_off_is_told_and_its_cores_go_to_the_others() {
    let agent = Running::fair();
    let (mut one, mut other) = (agent.hello("a"), agent.hello("b"));
    one.idle(0);
    other.idle(0);
    let half = Order::PerNode(vec![2, 2]);
    while !matches!(one.hears(), FromAgent::Set { order, .. } if order == half) {}
    drop(other);
    while !matches!(one.hears(), FromAgent::Set { order, .. } if order == Order::PerNode(vec![4, 4])) {}
    let pid = std::process::id();
    assert_eq!(agent.hears(), format!("lost: 'b' (pid {pid}): the connection ended without a bye"));
    agent.stop();
}

#[test]
fn what_came_before_the_end_is_obeyed_and_half_a_line_is_not() {
    let agent = Running::fair();
    let mut client = agent.connect();
    let hello = FromApp::Hello(Hello::new("a", Control::PerNode, vec![4, 4])).line();
    client.write((hello + &FromApp::Bye.line()).as_bytes());
    drop(client);
    eventually("the bye counts", || agent.status().closed.bye == 1);
    let mut client = agent.hello("b");
    client.write(FromApp::Bye.line().trim_end().as_bytes());
    drop(client);
    eventually("half a bye does not", || agent.status().closed.lost == 1);
    agent.stop();
}

#[test]
fn closing_either_direction_is_the_end() {
    let agent = Running::fair();
    for (name, how, lost) in [("w", std::net::Shutdown::Write, 1), ("r", std::net::Shutdown::Read, 2)] {
        let mut client = agent.hello(name);
        client.idle(0);
        client.stream.shutdown(how).expect("shut");
        eventually(name, || agent.status().closed.lost == lost);
    }
    agent.stop();
}

#[test]
fn a_bye_counts_even_if_the_application_was_not_reading_any_more() {
    let agent = Running::new(MACHINE, "fair-share", 0);
    for number in 0..50 {
        let mut client = agent.hello("a");
        // The status makes the agent send; the connection is closed by then.
        let status = FromApp::Status(AppStatus::idle(2)).line();
        client.write((status + &FromApp::Bye.line()).as_bytes());
        drop(client);
        eventually("the bye counts", || agent.status().closed.bye == number + 1);
    }
    assert_eq!(agent.status().closed.lost, 0);
    agent.stop();
}

#[test]
fn a_line_that_never_ends_is_refused() {
    let agent = Running::fair();
    let mut client = agent.hello("a");
    client.write(&vec![b' '; 65_536]);
    assert_eq!(client.refusal(), "a line of more than 65536 bytes");
    let mut client = agent.hello("a");
    client.write(&[&vec![b' '; 65_519][..], b"{\"type\":\"bye\"}\n\n"].concat());
    while client.line().is_some() {}
    assert_eq!(agent.status().closed.bye, 1, "one of 65536 bytes is read");
    agent.stop();
}

#[test]
fn who_sends_too_much_is_refused_and_the_others_go_on() {
    let agent = Running::fair();
    let mut other = agent.hello("other");
    let mut client = agent.hello("a");
    client.write(FromApp::Bye.line().replace("bye", "boo").repeat(1000).as_bytes());
    let refused =
        std::iter::repeat_with(|| client.hears()).find(|said| matches!(said, FromAgent::Refused { .. }));
    assert_eq!(refused, Some(FromAgent::Refused { text: "more than 100 lines a second".to_owned() }));
    other.idle(0);
    assert_eq!(other.hears(), FromAgent::Set { seq: 1, order: Order::PerNode(vec![4, 4]) });
    agent.stop();
}

#[test]
fn who_does_not_read_is_closed() {
    let agent = Running::fair();
    // Long names make a long answer.
    let apps: Vec<Client> = (0..100).map(|n| agent.hello(&format!("{n:0>128}"))).collect();
    let mut client = agent.connect();
    for _ in 0..100 {
        client.say(&FromApp::Query);
    }
    // 100 x 40 kB is more than 1 MiB plus the buffer of the socket; the second half comes at the rate of the permissions.
    let mut read = 0;
    eventually("the agent goes on", || agent.status().apps.len() == 100);
    std::thread::sleep(Duration::from_millis(100));
    while let Some(line) = client.line() {
        read += line.len();
    }
    assert!(read < 3_000_000, "{read} bytes were kept for it");
    drop(apps);
    agent.stop();
}

#[test]
fn long_answers_reach_who_reads() {
    let agent = Running::new(MACHINE, "none", 80);
    let _apps: Vec<Client> = (0..1000).map(|n| agent.hello(&format!("{n:0>128}"))).collect();
    let status = agent.status();
    assert_eq!(status.apps.len(), 1000);
    assert!(status.line().len() > 300_000);
    agent.stop();
}

#[test]
fn a_search_runs_beside_the_socket() {
    let agent = Running::new(&format!("{MACHINE}{}{}", app("a"), app("b")), "reexplore", 5);
    let (mut one, mut other) = (agent.hello("a"), agent.hello("b"));
    one.idle(0);
    other.idle(0);
    assert!(matches!(one.hears(), FromAgent::Set { seq: 1, .. }));
    assert!(matches!(other.hears(), FromAgent::Set { seq: 1, .. }));
    agent.stop();
}

#[test]
fn whoever_is_connected_sees_the_end() {
    let agent = Running::fair();
    let mut client = agent.hello("a");
    agent.stop();
    while client.line().is_some() {}
}
