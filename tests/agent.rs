//! `numasim agent` as applications, users and signals see it. No test depends on its speed: limits are far above the time needed.

mod adopting;
mod ending;
mod failing;
mod graphs;
mod records;
mod refused;
mod replaying;
mod serving;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{PATIENCE, eventually, folder, numasim, stderr, stdout};

/// Two nodes of four cores.
const MACHINE: &str = "\
[machine]
name = \"M\"
nodes = 2
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 32.0
link_gbs = 10.0
";

const HELLO: &str = r#"{"type":"hello","version":1,"name":"a","control":"per-node","threads":[4,4]}"#;
const IDLE: &str = r#"{"type":"status","running":[0,0],"blocked":[4,4],"progress":0,"waiting":"none"}"#;

/// The program without an agent in its environment.
fn program() -> Command {
    let mut command = numasim();
    command.env_remove("NUMASIM_AGENT").env_remove("NUMASIM_APP");
    command
}

/// An agent that listens.
struct Agent {
    folder: tempfile::TempDir,
    child: Child,
    errors: BufReader<ChildStderr>,
}

impl Agent {
    /// On the machine above, with these further arguments.
    fn new(more: &[&str]) -> Self {
        Self::with(MACHINE, more)
    }

    /// With these tables.
    fn with(text: &str, more: &[&str]) -> Self {
        let folder = folder();
        std::fs::write(folder.path().join("study.toml"), text).expect("a file");
        Self::start(folder, more, &mut program())
    }

    /// In a folder with a `study.toml`.
    fn start(folder: tempfile::TempDir, more: &[&str], program: &mut Command) -> Self {
        let path = folder.path().join("own/agent.sock");
        let mut child = program
            .args(["agent", "study.toml", "--socket", "own/agent.sock"])
            .args(more)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut agent = Self { folder, child, errors };
        let listening = loop {
            let line = agent.says();
            if !["warning:", "note:"].iter().any(|kind| line.starts_with(kind)) {
                break line;
            }
        };
        assert_eq!(listening, "listening on own/agent.sock");
        assert!(path.exists());
        agent
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("own/agent.sock")
    }

    /// The next line on standard error.
    fn says(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("text");
        line.trim_end_matches('\n').to_owned()
    }

    fn connect(&self) -> Client {
        Client::new(&self.path())
    }

    /// An application that has sent its hello and one status.
    fn application(&self) -> Client {
        let mut client = self.connect();
        client.say(HELLO);
        client.say(IDLE);
        assert_eq!(client.hears()["type"], "welcome");
        client
    }

    fn ask(&self, more: &[&str]) -> Output {
        ask(&self.path(), more)
    }

    fn status(&self) -> Value {
        serde_json::from_str(&stdout(&self.ask(&["status", "--format", "json"]))).expect("JSON")
    }

    /// Stops it; what it printed on both streams.
    fn stop(mut self) -> (String, String) {
        assert_eq!(stdout(&self.ask(&["stop"])), "");
        assert!(!self.path().exists(), "stop returns when the socket is gone");
        self.end()
    }

    /// Waits for its exit, which must be clean; returns its output on both streams.
    fn end(&mut self) -> (String, String) {
        let (mut printed, mut said) = (String::new(), String::new());
        self.errors.read_to_string(&mut said).expect("text");
        self.child.stdout.take().expect("a pipe").read_to_string(&mut printed).expect("text");
        assert_eq!(self.child.wait().expect("an end").code(), Some(0), "{said}");
        assert!(!self.path().exists(), "the socket is removed");
        assert!(self.path().parent().expect("a folder").exists(), "its folder stays");
        (printed, said)
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `numasim agent ... --socket PATH`.
fn ask(path: &Path, more: &[&str]) -> Output {
    program().arg("agent").args(more).arg("--socket").arg(path).output().expect("the program starts")
}

/// A connected client.
struct Client {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
}

impl Client {
    fn new(path: &Path) -> Self {
        let stream = UnixStream::connect(path).expect("somebody listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let lines = BufReader::new(stream.try_clone().expect("a descriptor"));
        Self { stream, lines }
    }

    fn say(&mut self, line: &str) {
        self.stream.write_all(line.as_bytes()).and_then(|()| self.stream.write_all(b"\n")).expect("room");
    }

    /// The next message that is no ping; null at the end.
    fn hears(&mut self) -> Value {
        loop {
            let mut line = String::new();
            match self.lines.read_line(&mut line) {
                Ok(0) => return Value::Null,
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return Value::Null,
                Err(error) => panic!("{error}"),
            }
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["type"] != "ping" {
                return message;
            }
        }
    }
}

/// The message if the agent does not start, with exit code `code`.
#[track_caller]
fn refusal(output: &Output, code: i32) -> String {
    assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{}", stderr(output));
    stderr(output)
}
