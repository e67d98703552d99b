//! Each rule of folder and socket, with threads and processes that race.

mod racing;
mod rules;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::*;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of this test, closed as one made by the agent.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        Self(tempfile::Builder::new().permissions(closed).tempdir().expect("a temporary folder"))
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(path).expect("there").mode() & 0o7777
}

fn message(outcome: Result<Socket, SocketError>, room: &Room) -> String {
    let why = outcome.expect_err("refused").to_string();
    why.replace(&room.0.path().display().to_string(), "ROOM")
}

/// This test program as another process, which performs `role` at `path` until its input ends.
fn process(role: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "socket::tests::as_another_process", "--ignored", "--nocapture", "-q"])
        .env("NUMASIM_TEST_ROLE", role)
        .env("NUMASIM_TEST_PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process")
}

/// The next line of a process, which is an answer.
fn answer(process: &mut Child) -> String {
    let mut lines = BufReader::new(process.stdout.as_mut().expect("piped")).lines();
    let mut answers = lines.by_ref().map_while(Result::ok);
    answers.find_map(|line| line.split_once("ANSWER ").map(|(_, text)| text.to_owned())).unwrap_or_default()
}

/// Not a test: the program of [`process`].
#[test]
#[ignore = "the other process of tests"]
fn as_another_process() {
    let (Ok(role), Some(path)) = (std::env::var("NUMASIM_TEST_ROLE"), std::env::var_os("NUMASIM_TEST_PATH"))
    else {
        return;
    };
    let path = PathBuf::from(path);
    let say = |text: &str| {
        let mut out = std::io::stdout();
        writeln!(out, "\nANSWER {text}").and_then(|()| out.flush()).expect("the parent listens");
    };
    let wait = || std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).map(drop).expect("input");
    match role.as_str() {
        "listen" => match Socket::listen(&path) {
            Ok(_socket) => {
                say("listening");
                wait();
            }
            Err(why) => say(&why.to_string()),
        },
        "open umask" | "tight umask" => {
            let umask = if role == "open umask" { 0 } else { 0o777 };
            rustix::process::umask(rustix::fs::Mode::from_raw_mode(umask));
            let socket = Socket::listen(&path).expect("listens");
            let modes = (mode(path.parent().expect("a folder")), mode(&path));
            say(&format!("{:o} {:o}", modes.0, modes.1));
            drop(socket);
        }
        "restless" => loop {
            drop(Socket::listen(&path));
        },
        other => panic!("no role {other}"),
    }
}
