//! Applications that take turns as the agent: real processes, of which the test kills the serving one.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use numasim_agent::record::Line;
use numasim_client::{Agent, Bell, Follower, Link};
use numasim_protocol::{AgentStatus, AppStatus, Control, FromApp, Lines, Order, State};

/// The start of a record on a host of 6 cores: three applications of 4 threads have 2 cores each, two have 3.
const RECORD: &str = r#"{"type":"start","schema":1,"program":"numasim","policy":"fair-share","period_ms":80.0,"cores":[6],"files":[]}"#;
const PERIOD: Duration = Duration::from_millis(80);
const PATIENCE: Duration = Duration::from_secs(60);

/// An application of 4 threads that prints how many of them it may run.
struct Printing {
    last: Mutex<Option<u32>>,
    bell: Bell,
}

impl Follower for Printing {
    fn threads(&self) -> Vec<u32> {
        vec![4]
    }

    fn obey(&self, order: Option<&Order>, _cores: &[u32]) -> Result<(), String> {
        let threads = match order {
            None => 4,
            Some(Order::Total(threads)) => *threads,
            Some(_) => return Err("a number of threads only".to_owned()),
        };
        let mut last = self.last.lock().expect("no panic");
        if last.replace(threads) != Some(threads) {
            println!("\nthreads {threads}");
        }
        Ok(())
    }

    fn status(&self) -> AppStatus {
        AppStatus { running: vec![1], ..AppStatus::idle(1) }
    }

    fn is_news(&self, _last: &AppStatus) -> bool {
        false
    }

    fn rings(&self) -> bool {
        true
    }

    fn bell(&self) -> &Bell {
        &self.bell
    }
}

/// Not a test: the process that the tests start and kill.
#[test]
#[ignore = "an application that other tests start"]
fn an_application() {
    let Ok(Some(agent)) = Agent::of_environment(Control::Total) else { return };
    let follower = Arc::new(Printing { last: Mutex::new(None), bell: Bell::default() });
    let _link = Link::start(agent, follower).expect("a thread");
    // Until the test closes the pipe.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

struct Application {
    child: Child,
    threads: Arc<Mutex<Vec<u32>>>,
}

impl Application {
    fn start(name: &str, world: &World) -> Self {
        let this = std::env::current_exe().expect("this test");
        let mut child = Command::new(this)
            .args(["--exact", "an_application", "--ignored", "--nocapture"])
            .env("NUMASIM_APP", name)
            .env("NUMASIM_AGENT", &world.socket)
            .env("NUMASIM_RECORD", &world.record)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let threads = Arc::new(Mutex::new(Vec::new()));
        let (from, to) = (child.stdout.take().expect("a pipe"), threads.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if let Some(number) = line.strip_prefix("threads ") {
                    to.lock().expect("no panic").push(number.parse().expect("a number"));
                }
            }
        });
        Self { child, threads }
    }

    fn kill(&mut self) {
        self.child.kill().expect("it is there");
        self.child.wait().expect("it ends");
    }

    /// Makes it exit normally.
    fn leave(&mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("it ends").success());
    }

    /// The numbers of threads since the first order.
    fn ordered(&self) -> Vec<u32> {
        let threads = self.threads.lock().expect("no panic").clone();
        assert_eq!(threads.first(), Some(&0), "held until then");
        threads[1..].to_vec()
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct World {
    _folder: tempfile::TempDir,
    socket: PathBuf,
    record: PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let record = folder.path().join("agent.jsonl");
        std::fs::write(&record, format!("{RECORD}\n")).expect("a record");
        Self { socket: folder.path().join("own/agent.sock"), record, _folder: folder }
    }

    /// The status of the present agent; `None` while there is none.
    fn status(&self) -> Option<AgentStatus> {
        let mut stream = UnixStream::connect(&self.socket).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.write_all(FromApp::Query.line().as_bytes()).ok()?;
        let mut lines = Lines::unlimited();
        let mut piece = [0; 4096];
        loop {
            if let Some(line) = lines.next_line().ok()? {
                return AgentStatus::parse(line).ok();
            }
            match stream.read(&mut piece) {
                Ok(0) | Err(_) => return None,
                Ok(bytes) => lines.push(&piece[..bytes]),
            }
        }
    }

    /// Waits for an agent other than process `not` with this number of applications, whose orders are in force; returns its process.
    fn settled(&self, not: u64, apps: usize) -> u64 {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < PATIENCE, "{:?}", self.status());
            if let Some(status) = self.status()
                && status.pid != not
                && status.apps.len() == apps
                && status.apps.iter().all(|app| app.state == State::Ok && app.seq > 0 && app.acked == app.seq)
            {
                return status.pid;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for an agent other than process `not` that has received a status of this number of applications.
    fn taken_over(&self, not: u64, apps: usize) -> Duration {
        let start = Instant::now();
        while self.status().is_none_or(|status| {
            let there = status.apps.iter().filter(|app| app.state == State::Ok).count();
            status.pid == not || there < apps
        }) {
            assert!(start.elapsed() < PATIENCE, "{:?}", self.status());
            std::thread::sleep(Duration::from_millis(1));
        }
        start.elapsed()
    }

    /// Processes that served, from the record, which is complete.
    fn turns(&self) -> Vec<u64> {
        let text = std::fs::read_to_string(&self.record).expect("text");
        assert!(text.ends_with('\n'));
        let mut lines = text.lines().map(|line| serde_json::from_str(line).expect("a line"));
        assert!(matches!(lines.next(), Some(Line::Start(_))));
        lines
            .filter_map(|line| if let Line::Turn(turn) = line { Some(turn.pid.into()) } else { None })
            .collect()
    }
}

fn applications(world: &World) -> Vec<Application> {
    ["a", "b", "c"].map(|name| Application::start(name, world)).into()
}

fn serving(apps: &[Application], pid: u64) -> usize {
    apps.iter().position(|app| u64::from(app.child.id()) == pid).expect("one of them serves")
}

#[test]
fn a_hundred_times_the_application_that_serves_is_killed_and_the_next_one_takes_over_within_a_period() {
    const KILLS: usize = 100;
    let world = World::new();
    let mut apps = applications(&world);
    let mut pid = world.settled(0, 3);
    let (mut served, mut took) = (vec![pid], Vec::new());
    for _ in 0..KILLS {
        let place = serving(&apps, pid);
        apps[place].kill();
        took.push(world.taken_over(pid, 2));
        // A new one with the name of the killed one.
        apps[place] = Application::start(["a", "b", "c"][place], &world);
        pid = world.settled(pid, 3);
        served.push(pid);
        let survivors = (0..3).filter(|app| *app != place);
        for app in survivors {
            let ordered = apps[app].ordered();
            // With three applications each has 2 threads; one may have more while it is alone, and never has fewer.
            assert!(ordered.iter().all(|&threads| threads >= 2), "{ordered:?}");
        }
    }
    assert_eq!(world.turns(), served);
    took.sort();
    println!("taken over after {:?} (median) to {:?}", took[KILLS / 2], took[KILLS - 1]);
    // On a busy machine a few of them may be late.
    assert!(took[KILLS * 9 / 10] < PERIOD, "{took:?}");
}

#[test]
fn when_the_application_that_serves_leaves_or_hands_over_the_next_one_serves() {
    let world = World::new();
    let mut apps = applications(&world);
    let first = world.settled(0, 3);
    let place = serving(&apps, first);
    apps[place].leave();
    let second = world.settled(first, 2);
    assert!(!apps[serving(&apps, second)].ordered().contains(&0));
    // `agent stop`: one of the other two then serves.
    let mut stop = UnixStream::connect(&world.socket).expect("it listens");
    stop.write_all(FromApp::Stop.line().as_bytes()).expect("room");
    let _ = stop.read_to_end(&mut Vec::new());
    world.settled(0, 2);
    assert_eq!(world.turns().len(), 3);
}

#[test]
fn a_half_line_of_a_killed_process_is_cut_off() {
    let world = World::new();
    let mut file = std::fs::OpenOptions::new().append(true).open(&world.record).expect("the record");
    file.write_all(b"{\"type\":\"decision\",\"time_s\":0.").expect("room");
    let app = Application::start("a", &world);
    let pid = world.settled(0, 1);
    assert_eq!((u64::from(app.child.id()), world.turns()), (pid, vec![pid]));
}

#[test]
fn without_a_record_no_application_serves() {
    let world = World { record: Path::new("").into(), ..World::new() };
    let _app = Application::start("a", &world);
    std::thread::sleep(Duration::from_millis(200));
    assert!(!world.socket.exists());
}
