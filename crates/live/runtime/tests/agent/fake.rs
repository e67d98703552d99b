//! An agent whose messages a test determines.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numasim_protocol::{AppStatus, FromAgent, FromApp, Lines, Version, Welcome};

/// Generous: a slow machine is no failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a condition that must become true.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// A socket on which agents listen, or will listen.
pub(crate) struct Agents {
    socket: PathBuf,
    listener: Option<UnixListener>,
    /// Removed together with the agents.
    _folder: Option<tempfile::TempDir>,
}

impl Agents {
    /// No agent listens yet.
    pub(crate) fn later() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { socket: folder.path().join("agent.sock"), listener: None, _folder: Some(folder) }
    }

    pub(crate) fn listen() -> Self {
        Self::later().come()
    }

    /// On this socket, whose folder exists.
    pub(crate) fn at(socket: &Path) -> Self {
        Self { socket: socket.to_owned(), listener: None, _folder: None }.come()
    }

    pub(crate) fn come(self) -> Self {
        let listener = UnixListener::bind(&self.socket).expect("a socket");
        Self { listener: Some(listener), ..self }
    }

    /// Path of the socket.
    pub(crate) fn path(&self) -> String {
        self.socket.to_str().expect("a path of letters").to_owned()
    }

    pub(crate) fn accept(&self) -> Connection {
        let (stream, _) = self.listener.as_ref().expect("a listener").accept().expect("an application");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Connection { stream, lines: Lines::new(), pings: Arc::default() }
    }

    /// Whether no application connects for this time.
    pub(crate) fn nobody_for(&self, time: Duration) -> bool {
        let listener = self.listener.as_ref().expect("a listener");
        listener.set_nonblocking(true).expect("a flag");
        let start = Instant::now();
        while start.elapsed() < time {
            match listener.accept() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                _ => return false,
            }
        }
        true
    }
}

/// An application as the agent sees it.
pub(crate) struct Connection {
    stream: UnixStream,
    lines: Lines,
    /// Whether it receives pings.
    pings: Arc<AtomicBool>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.be_silent();
        let _ = self.stream.shutdown(Shutdown::Both); // it may be closed already
    }
}

impl Connection {
    /// Its next message.
    pub(crate) fn hear(&mut self) -> FromApp {
        let mut bytes = [0; 4096];
        loop {
            if let Some(line) = self.lines.next_line().expect("short lines") {
                return FromApp::parse(line).expect("a message");
            }
            let read = self.stream.read(&mut bytes).expect("bytes");
            assert!(read > 0, "the application closed the connection");
            self.lines.push(&bytes[..read]);
        }
    }

    /// Its next status.
    pub(crate) fn status(&mut self) -> AppStatus {
        loop {
            if let FromApp::Status(status) = self.hear() {
                return status;
            }
        }
    }

    /// Its next message that is no status.
    pub(crate) fn answer(&mut self) -> FromApp {
        loop {
            match self.hear() {
                FromApp::Status(_) => {}
                answer => return answer,
            }
        }
    }

    pub(crate) fn say(&mut self, message: &FromAgent) {
        self.stream.write_all(message.line().as_bytes()).expect("the application listens");
    }

    pub(crate) fn welcome(&mut self, hold: bool, status_ms: f64) {
        self.welcome_to(&[8, 8], hold, status_ms);
    }

    pub(crate) fn welcome_to(&mut self, cores: &[u32], hold: bool, status_ms: f64) {
        let (version, pid, cores, period_ms) = (Version, 1, cores.to_vec(), 80.0);
        self.say(&FromAgent::Welcome(Welcome { version, pid, cores, hold, period_ms, status_ms }));
        self.pings.store(true, Ordering::Release);
        let (pings, mut stream) = (self.pings.clone(), self.stream.try_clone().expect("a stream"));
        std::thread::spawn(move || {
            while pings.load(Ordering::Acquire) && stream.write_all(FromAgent::Ping.line().as_bytes()).is_ok()
            {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
    }

    /// No more pings.
    pub(crate) fn be_silent(&mut self) {
        self.pings.store(false, Ordering::Release);
    }

    /// Whether the application has closed; statuses before that are skipped.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.stream.set_nonblocking(true).expect("a flag");
        match self.stream.read(&mut [0; 4096]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }
}
