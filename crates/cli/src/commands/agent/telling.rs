//! What a running agent tells a person: lines on standard error, written by a thread of their own, as nobody may read them.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::thread;
use std::time::Duration;

use numasim_agent::Decided;
use numasim_agent::server::Outside;
use numasim_model::text::visible;

use crate::trace::AgentRecord;

/// So many lines wait for standard error.
const MOST_WAITING: usize = 4096;
/// So long the end waits until they are read.
const PATIENCE: Duration = Duration::from_millis(200);

/// Lines for standard error; none of them makes anybody wait.
struct Lines {
    sender: Option<SyncSender<String>>,
    /// Nothing is sent; it ends when all is written.
    written: Receiver<()>,
    lost: u64,
}

impl Lines {
    fn new() -> io::Result<Self> {
        let (lines, waiting) = sync_channel::<String>(MOST_WAITING);
        let (done, written) = channel();
        thread::Builder::new().name("stderr".to_owned()).spawn(move || {
            let _done = done;
            for line in waiting {
                // Nobody is left to be told that standard error is closed.
                let _ = writeln!(io::stderr(), "{}", visible(&line));
            }
        })?;
        Ok(Self { sender: Some(lines), written, lost: 0 })
    }

    fn write(&mut self, line: &str) {
        let Some(lines) = &self.sender else { return };
        if self.lost > 0 {
            let lost = format!("({} lines were left out: nobody read them)", self.lost);
            if lines.try_send(lost).is_err() {
                self.lost += 1;
                return;
            }
            self.lost = 0;
        }
        if let Err(TrySendError::Full(_)) = lines.try_send(line.to_owned()) {
            self.lost += 1;
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.sender = None;
        let _ = self.written.recv_timeout(PATIENCE);
    }
}

/// A person, and the record.
pub(super) struct Told {
    listening: String,
    /// Applications could connect.
    pub(super) has_listened: bool,
    record: Option<AgentRecord>,
    lines: Lines,
}

impl Told {
    /// # Errors
    /// Where the system has no thread for it.
    pub(super) fn new(path: &Path, record: Option<AgentRecord>) -> io::Result<Self> {
        let listening = format!("listening on {}", path.display());
        Ok(Self { listening, has_listened: false, record, lines: Lines::new()? })
    }
}

impl Outside for Told {
    fn listening(&mut self) {
        self.has_listened = true;
        self.lines.write(&self.listening);
    }

    fn report(&mut self, line: &str) {
        self.lines.write(line);
    }

    fn decided(&mut self, decided: &Decided) {
        if let Some(record) = &mut self.record
            && let Err(warning) = record.add(decided)
        {
            self.lines.write(&format!("warning: {warning}"));
        }
    }

    fn no_more_decisions(&mut self) {
        self.record = None;
    }
}
