//! The processes of a run: started together, watched, and ended whatever happens.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

use numasim_host::os::child;
use numasim_host::os::clock::now_ns;
use numasim_host::os::group;
use numasim_host::os::shared::Shared;

use super::app::APP_COMMAND;
use super::board::{Board, Counts, Extent, OfApp, Whole};
use super::look::{Look, look};
use super::order::Order;

/// How long those that were asked to end have for it.
const GRACE: Duration = Duration::from_secs(2);
/// How often they are looked at.
const STEP: Duration = Duration::from_millis(5);

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum FamilyError {
    /// The system refused something.
    #[error("{what}: {source}")]
    System {
        /// What.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// More counts than the shared memory has room for.
    #[error("{apps} applications on {nodes} nodes are more than one run can count")]
    TooMany {
        /// Applications.
        apps: usize,
        /// Nodes.
        nodes: usize,
    },
    /// An application ended before it was finished.
    #[error("application '{app}' {what}")]
    Failed {
        /// Which one.
        app: String,
        /// How it ended.
        what: String,
    },
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Of which application, in file order.
    pub app: usize,
    /// What is wrong, for people; `None` is nothing.
    pub wrong: Option<String>,
}

/// All processes of a run. When it is dropped they are all gone.
pub struct Family {
    board: Shared<Board>,
    extent: Extent,
    members: Vec<Member>,
}

struct Member {
    app: usize,
    name: String,
    /// Whether it is a program of its own, whose end is all that anybody hears of it.
    foreign: bool,
    child: Child,
    ended: Option<ExitStatus>,
    errors: Option<thread::JoinHandle<Vec<u8>>>,
}

/// Where the output of a program of its own goes.
pub type Outputs = (File, File);

impl Family {
    /// None yet.
    ///
    /// # Errors
    /// [`FamilyError::TooMany`], and no memory that can be shared.
    pub fn new(extent: Extent) -> Result<Self, FamilyError> {
        if !extent.fits() {
            return Err(FamilyError::TooMany { apps: extent.apps, nodes: extent.nodes });
        }
        let board = Shared::<Board>::new().map_err(|source| FamilyError::System {
            what: "cannot share memory between processes".into(),
            source,
        })?;
        Ok(Self { board, extent, members: Vec::new() })
    }

    /// Starts the process of an application, which then waits for [`Self::start`]. With `outputs` it is a program of its own, and
    /// they take what it prints; `environment` is added to ours.
    ///
    /// # Errors
    /// [`FamilyError::System`].
    pub fn add(
        &mut self,
        mut order: Order,
        outputs: Option<Outputs>,
        environment: &[(String, String)],
    ) -> Result<u32, FamilyError> {
        let system = |source| FamilyError::System {
            what: format!("cannot start a process for application '{}'", order.name),
            source,
        };
        order.board = self.board.file();
        let text = serde_json::to_vec(&order).map_err(|error| system(error.into()))?;
        let mut command = Command::new("/proc/self/exe");
        command.arg(APP_COMMAND).arg0("numasim").envs(environment.iter().map(|(key, value)| (key, value)));
        command.stdin(Stdio::piped());
        let foreign = outputs.is_some();
        match outputs {
            Some((output, errors)) => command.stdout(output).stderr(errors),
            None => command.stdout(Stdio::null()).stderr(Stdio::piped()),
        };
        child::prepare(&mut command, self.board.file());
        let mut child = command.spawn().map_err(system)?;
        // A short text: the pipe has room for it, or the process reads it.
        let told = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(&text));
        let errors = child.stderr.take().map(|errors| thread::spawn(move || read(errors)));
        let pid = child.id();
        self.members.push(Member {
            app: order.app,
            name: order.name.clone(),
            foreign,
            child,
            ended: None,
            errors,
        });
        told.map_err(system)?;
        Ok(pid)
    }

    /// Whether everybody is ready for the start.
    pub fn is_ready(&self) -> bool {
        let ready = |member: &Member| self.counts().of_app(member.app, OfApp::Ready).load(SeqCst) != 0;
        self.members.iter().all(ready)
    }

    /// Starts everybody.
    pub fn start(&self) {
        self.counts().whole(Whole::Start).store(now_ns(), SeqCst);
        self.counts().tell();
    }

    /// Everything as it is now.
    pub fn look(&self) -> Look {
        look(&self.board, self.extent)
    }

    /// Those that ended since the last call. Of programs of their own the end is noted as that of the application.
    ///
    /// # Errors
    /// [`FamilyError::System`].
    pub fn ended(&mut self) -> Result<Vec<Ended>, FamilyError> {
        let counts = Counts { board: &self.board, extent: self.extent };
        let mut found = Vec::new();
        for member in self.members.iter_mut().filter(|member| member.ended.is_none()) {
            let status = member.child.try_wait().map_err(|source| FamilyError::System {
                what: format!("cannot watch application '{}'", member.name),
                source,
            })?;
            let Some(status) = status else { continue };
            member.ended = Some(status);
            // What it left behind goes with it.
            group::kill(member.child.id());
            let errors = member.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
            let finished = counts.of_app(member.app, OfApp::Finished);
            if member.foreign && status.success() {
                finished.store(now_ns(), SeqCst);
            }
            let wrong = if status.success() && finished.load(SeqCst) != 0 {
                None
            } else {
                Some(how(status, &String::from_utf8_lossy(&errors)))
            };
            found.push(Ended { app: member.app, wrong });
        }
        Ok(found)
    }

    /// The name of an application.
    pub fn name(&self, app: usize) -> &str {
        self.members.iter().find(|member| member.app == app).map_or("", |member| &member.name)
    }

    /// Whether all have ended.
    pub fn is_over(&self) -> bool {
        self.members.iter().all(|member| member.ended.is_some())
    }

    /// Ends everybody: asks first, and after a while takes no answer.
    pub fn end(&mut self) {
        self.counts().abort();
        for member in self.members.iter().filter(|member| member.ended.is_none() && member.foreign) {
            group::terminate(member.child.id());
        }
        let last = Instant::now() + GRACE;
        while Instant::now() < last && self.ended().is_ok() && !self.is_over() {
            thread::sleep(STEP);
        }
        for member in self.members.iter_mut().filter(|member| member.ended.is_none()) {
            group::kill(member.child.id());
            let _ = member.child.kill();
            member.ended = member.child.wait().ok();
        }
    }

    fn counts(&self) -> Counts<'_> {
        Counts { board: &self.board, extent: self.extent }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        if !self.is_over() {
            self.end();
        }
    }
}

fn read(mut pipe: impl io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What came before an error is shown to people.
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

fn how(status: ExitStatus, errors: &str) -> String {
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was killed by signal {signal}"),
        (None, Some(0)) => "ended before it was finished".to_owned(),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    };
    match errors.trim().lines().next_back() {
        Some(last) => format!("{how}: {}", last.chars().take(200).collect::<String>()),
        None => how,
    }
}
