//! A run from its start to its end, under observation.

use std::io::{self, BufRead as _, BufReader, Write};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use numasim_bench::live::{Ended, Family, FamilyError};
use numasim_course::Study;
use numasim_host::os::process::{self, kill_group, terminate_group};
use numasim_host::os::shared::cpu_time;
use numasim_protocol::{AgentStatus, FromApp};

use crate::commands::agent::Connection;
use crate::commands::run::rows::{Rows, Used};
use crate::failure::Failure;
use crate::shell::Shell;
use crate::view::ran::{End, Ran};
use crate::watch;

/// Longest pause between two checks of Ctrl-C and of the processes.
const STEP: Duration = Duration::from_millis(20);

/// All parts of a running run.
pub(super) struct Going<'a> {
    pub(super) study: &'a Study,
    pub(super) policy: String,
    pub(super) family: Family,
    /// For each application.
    pub(super) pids: Vec<u32>,
    pub(super) agent: Option<Agent>,
    pub(super) until: Option<Duration>,
    pub(super) sample: Duration,
    pub(super) told_to_end: Arc<AtomicBool>,
}

/// The reason why it stops.
enum Stop {
    End(End),
    Broken(FamilyError),
}

impl Going<'_> {
    /// Starts all applications, writes the timeline, and returns when all have ended.
    ///
    /// # Errors
    /// The timeline cannot be written.
    pub(super) fn go(&mut self, out: &mut dyn Write, shell: &Shell) -> io::Result<Ran> {
        if let Some(agent) = &self.agent {
            self.family.leave_alone(agent.pid());
        }
        let stopped = self.until_ready();
        let started = SystemTime::now();
        if stopped.is_none() {
            self.family.start(self.until);
        }
        let agent_started_s = self.agent_started_s();
        let first = self.family.look();
        let mut rows = Rows::start(out, self.study, first)?;
        let mut agent_is_gone = false;
        let end = match stopped {
            Some(stopped) => stopped,
            None => loop {
                let next = Instant::now() + self.sample;
                let stopped = self.until(next);
                if stopped.is_some() {
                    // All values are from this moment: the time needed to stop the applications is not part of the run.
                    self.family.stop_the_clock();
                }
                rows.add(self.family.look(), self.cpu())?;
                if let Some(stopped) = stopped {
                    break stopped;
                }
                if !agent_is_gone && self.agent.as_mut().is_some_and(|agent| !agent.is_there()) {
                    agent_is_gone = true;
                    shell.warn("the agent of the run ended before the applications, which continue with all their threads");
                }
            },
        };
        self.family.end();
        if let Some(agent) = &mut self.agent {
            agent.end();
        }
        let look = self.family.look();
        let end = match end {
            Stop::End(end) => end,
            Stop::Broken(error) => End::Failed(error.to_string()),
        };
        let (idle_s, blocked_s) = (rows.idle_s, rows.blocked_s);
        Ok(Ran {
            policy: self.policy.clone(),
            end,
            started,
            ended: started + look.at,
            look,
            idle_s,
            blocked_s,
            orders: None,
            agent_started_s,
            left: self.family.left().to_vec(),
        })
    }

    /// Start time of the agent, in the time of the run: before the common start, so negative.
    fn agent_started_s(&self) -> Option<f64> {
        let before = self.family.look().at;
        let uptime_s = self.agent.as_ref()?.uptime_s()?;
        Some(started_s(before, uptime_s, self.family.look().at))
    }

    /// Waits until every application has its data in place.
    fn until_ready(&mut self) -> Option<Stop> {
        while !self.family.is_ready() {
            if let Some(stopped) = self.stopped() {
                return Some(stopped);
            }
            thread::sleep(STEP);
        }
        None
    }

    /// Waits until `time`, or until the run is over.
    fn until(&mut self, time: Instant) -> Option<Stop> {
        loop {
            if let Some(stopped) = self.stopped() {
                return Some(stopped);
            }
            let left = time.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            // Waits at most until the run is over.
            let left = self.family.until_end().map_or(left, |end| end.min(left));
            self.family.wait(left.min(STEP));
        }
    }

    fn stopped(&mut self) -> Option<Stop> {
        let ended = match self.family.ended() {
            Ok(ended) => ended,
            Err(error) => return Some(Stop::Broken(error)),
        };
        for Ended { app, wrong } in ended {
            if let Some(what) = wrong {
                let app = self.family.name(app).to_owned();
                return Some(Stop::Broken(FamilyError::Failed { app, what }));
            }
        }
        let is_finished = self.family.is_finished();
        if self.family.is_over() && is_finished {
            return Some(Stop::End(End::Finished));
        }
        if watch::interrupted() || self.told_to_end.load(Ordering::Relaxed) {
            return Some(Stop::End(End::Interrupted));
        }
        // All are finished, and some are about to exit: the run ended when the last of them finished.
        (!is_finished && self.family.is_time_over()).then_some(Stop::End(End::Until))
    }

    /// CPU time of external programs while they run, and the time of this observation.
    fn cpu(&self) -> Used {
        let of = |(course, &pid): (&numasim_course::Course, &u32)| {
            course.command.as_ref().and_then(|_| cpu_time(pid).ok())
        };
        let used = self.study.dynamics.courses.iter().zip(&self.pids).map(of).collect();
        Used { at: self.family.since_start(), used }
    }
}

/// The middle of the possible start times of an agent that existed before time 0. It was asked between two moments, and reported its
/// uptime. On a busy host the two moments may be far apart.
fn started_s(before: Duration, uptime_s: f64, after: Duration) -> f64 {
    let [earliest, latest] = [before, after].map(|asked| asked.as_secs_f64() - uptime_s);
    f64::midpoint(earliest, latest.min(0.0))
}

// The agent of a run: this program again, as `numasim agent`, on a separate socket.

/// It prints this and the path when applications can connect.
const LISTENING: &str = "listening on ";
/// Time limit for that.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time limit for an answer.
const ANSWER: Duration = Duration::from_secs(1);
/// Time limit for its exit.
const GRACE: Duration = Duration::from_secs(3);

/// Its start parameters.
pub(super) struct Wanted<'a> {
    pub(super) files: &'a [PathBuf],
    pub(super) policy: &'a str,
    pub(super) record: &'a Path,
    /// Programs without agent support: processes that will become them.
    pub(super) adopted: &'a [(String, u32)],
    /// Path of the socket to listen on. The agent creates the folder itself, with permissions as strict as required.
    pub(super) socket: &'a Path,
}

/// A running agent.
pub(super) struct Agent {
    child: Child,
    socket: PathBuf,
    telling: Option<JoinHandle<Vec<String>>>,
    over: bool,
}

impl Agent {
    /// Starts it and waits until applications can connect.
    ///
    /// # Errors
    /// It cannot be started, or exits at once: with its messages.
    pub(super) fn start(wanted: &Wanted<'_>) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::input("cannot start an agent").caused_by(&error);
        let mut command = Command::new("/proc/self/exe");
        command.arg0("numasim").arg("agent");
        // A file may have the name of a command, or look like an option.
        command.args(wanted.files.iter().map(|file| Path::new(".").join(file)));
        command.arg("--policy").arg(wanted.policy).arg("--socket").arg(wanted.socket);
        command.arg("--record").arg(wanted.record);
        // Its machine was already matched with this host; otherwise nothing would run.
        command.arg("--this-host");
        for (name, pid) in wanted.adopted {
            command.arg("--adopt-started").arg(format!("{name}={pid}"));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Standard error is inherited in any case.
        process::prepare(&mut command, 2);
        let mut child = command.spawn().map_err(failed)?;
        let (listens, heard) = mpsc::channel();
        let telling = child.stderr.take().map(|errors| thread::spawn(move || tell(errors, &listens)));
        let mut agent = Self { child, socket: wanted.socket.to_owned(), telling, over: false };
        match heard.recv_timeout(PATIENCE) {
            Ok(()) => Ok(agent),
            Err(why) => {
                if why == mpsc::RecvTimeoutError::Timeout {
                    kill_group(agent.child.id());
                }
                let _ = agent.child.wait();
                agent.over = true;
                let said = agent.telling.take().and_then(|told| told.join().ok()).unwrap_or_default();
                let failure = Failure::input("the agent of the run does not start");
                Err(said.into_iter().fold(failure, Failure::because))
            }
        }
    }

    /// Its PID.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its uptime, by the clock of its record. `None` if it does not answer.
    pub(super) fn uptime_s(&self) -> Option<f64> {
        let mut asked = Connection::open(&self.socket, ANSWER).ok()?;
        asked.send(&FromApp::Query).ok()?;
        let answer = asked.line().ok()??;
        AgentStatus::parse(&answer).ok().map(|status| status.uptime_s)
    }

    /// Whether it is still running.
    pub(super) fn is_there(&mut self) -> bool {
        self.over = self.over || !matches!(self.child.try_wait(), Ok(None));
        !self.over
    }

    /// Stops it. It is asked to exit first, so that its record is complete.
    pub(super) fn end(&mut self) {
        if !self.is_there() {
            return;
        }
        terminate_group(self.child.id());
        let last = Instant::now() + GRACE;
        while self.is_there() && Instant::now() < last {
            thread::sleep(Duration::from_millis(5));
        }
        if self.is_there() {
            kill_group(self.child.id());
            let _ = self.child.wait();
            self.over = true;
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.end();
    }
}

/// Passes on the messages of the agent after its first line; returns the messages from before it listened.
fn tell(errors: ChildStderr, listens: &mpsc::Sender<()>) -> Vec<String> {
    let mut before = Vec::new();
    let mut listening = false;
    for line in BufReader::new(errors).lines().map_while(Result::ok) {
        if listening {
            let line = numasim_model::text::visible(&line).into_owned();
            let _ = io::Write::write_all(&mut anstream::stderr(), format!("agent: {line}\n").as_bytes());
        } else if line.starts_with(LISTENING) {
            listening = true;
            let _ = listens.send(());
        } else {
            before.push(line);
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_there_before_the_start_started_before_it() {
        let ms = Duration::from_millis;
        // It has been running for 30 ms: asked at 10 or 14 ms, it started at -20 or -16 ms.
        assert!((started_s(ms(10), 0.030, ms(14)) - -0.018).abs() < 1e-12);
        // Asked at 10 or 50 ms, it started at -20 or, because it cannot be after the start, 0.
        assert!((started_s(ms(10), 0.030, ms(50)) - -0.010).abs() < 1e-12);
    }
}
