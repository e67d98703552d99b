//! The terminal while `top` uses it: taken over, drawn on, and restored on every exit, including a panic.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anstream::ColorChoice;
use numasim_protocol::{AgentStatus, FromApp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::commands::agent::Connection;
use crate::failure::Failure;
use crate::view::top::{Foot, Line, Look, Seen, draw};
use crate::watch;

/// Interval between checks of signals and of the window size.
const LOOK: Duration = Duration::from_millis(200);

/// Shows the agent until the user quits.
///
/// # Errors
/// Standard input or output is not a terminal, or the system refuses.
pub(super) fn live(
    mut asking: Asking,
    mut seen: Seen,
    interval: Duration,
    unicode: bool,
) -> Result<(), Failure> {
    let mut taken = Taken::by_person()?;
    let color = anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let mut look = Look { color, unicode, from: 0, foot: Foot::Keys };
    let mut from = 0;
    loop {
        let next = Instant::now() + interval;
        let frame = |from, width, height| {
            draw(&seen, Look { from, ..look }, width, height).iter().map(Line::painted).collect()
        };
        if taken
            .wait(next, &mut from, seen.status.apps.len(), frame)
            .map_err(|error| undrawn(&error))?
            .is_break()
        {
            return Ok(());
        }
        let answer = if look.foot == Foot::Gone { asking.ask_anew() } else { asking.ask() };
        look.foot = match answer {
            Ok(status) => {
                seen.again(status);
                Foot::Keys
            }
            Err(_) => Foot::Gone,
        };
    }
}

/// Shows the text created by `next`, again after each interval, until the user quits.
///
/// # Errors
/// As [`live`], and the errors of `next`.
pub(super) fn live_text(
    interval: Duration,
    mut next: impl FnMut() -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut taken = Taken::by_person()?;
    let mut text = String::from("looking ...");
    let mut from = 0;
    loop {
        let until = Instant::now() + interval;
        let lines: Vec<&str> = text.lines().collect();
        let frame =
            |from, _, height| lines.iter().skip(from).take(height).map(|line| (*line).to_owned()).collect();
        if taken.wait(until, &mut from, lines.len(), frame).map_err(|error| undrawn(&error))?.is_break() {
            return Ok(());
        }
        text = next()?;
    }
}

/// The terminal could not be used.
fn undrawn(error: &io::Error) -> Failure {
    Failure::output("cannot draw on the terminal").caused_by(error)
}

/// The keys typed within `time`; `None` if the terminal is gone.
fn typed(time: Duration) -> io::Result<Option<Vec<u8>>> {
    /// The bytes of one key arrive together, except on slow connections.
    const REST: Duration = Duration::from_millis(30);
    let mut keys = Vec::new();
    let mut time = time;
    loop {
        let timeout = Timespec::try_from(time).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&stdin(), PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Some(keys)),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 64];
        // A failure here means that the terminal is gone, as at end of input.
        let count = rustix::io::read(stdin(), &mut bytes).unwrap_or(0);
        keys.extend(bytes.iter().take(count));
        match keys.last() {
            _ if count == 0 => return Ok(None),
            // The key Escape, or the first byte of another one.
            Some(&ESCAPE) => time = REST,
            _ => return Ok(Some(keys)),
        }
    }
}

const ESCAPE: u8 = 0x1b;

/// The action for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pressed {
    End,
    Move(isize),
}

/// The keys among the bytes that a terminal sends; others are ignored.
fn pressed(bytes: &[u8]) -> Vec<Pressed> {
    const PAGE: isize = 10;
    const CTRL_C: u8 = 3;
    let mut keys = Vec::new();
    let mut left = bytes;
    while let [first, rest @ ..] = left {
        let (key, rest) = match (first, rest) {
            // A named key: ESC, `[` or `O`, digits, and a last character that is not a digit.
            (&ESCAPE, [b'[' | b'O', sequence @ ..]) => {
                let end = sequence.iter().position(|byte| (0x40..0x7f).contains(byte));
                let (name, rest) = sequence.split_at(end.map_or(sequence.len(), |end| end + 1));
                let key = match name {
                    b"A" => Some(Pressed::Move(-1)),
                    b"B" => Some(Pressed::Move(1)),
                    b"5~" => Some(Pressed::Move(-PAGE)),
                    b"6~" => Some(Pressed::Move(PAGE)),
                    b"H" | b"1~" | b"7~" => Some(Pressed::Move(isize::MIN)),
                    b"F" | b"4~" | b"8~" => Some(Pressed::Move(isize::MAX)),
                    _ => None,
                };
                (key, rest)
            }
            // With Alt: another key.
            (&ESCAPE, [_, rest @ ..]) => (None, rest),
            (&(ESCAPE | CTRL_C | b'q'), rest) => (Some(Pressed::End), rest),
            (b'j', rest) => (Some(Pressed::Move(1)), rest),
            (b'k', rest) => (Some(Pressed::Move(-1)), rest),
            (b' ', rest) => (Some(Pressed::Move(PAGE)), rest),
            (_, rest) => (None, rest),
        };
        keys.extend(key);
        left = rest;
    }
    keys
}

/// The terminal, which is restored when this is dropped.
struct Taken {
    before: Termios,
    size: (usize, usize),
    /// The lines currently displayed.
    lines: Vec<String>,
    /// Set by signals that terminate the program.
    told_to_end: Arc<AtomicBool>,
}

impl Taken {
    /// Takes over the terminal for a user, who ends the program by a key or a signal.
    ///
    /// # Errors
    /// Standard input or output is not a terminal, or the system refuses.
    fn by_person() -> Result<Self, Failure> {
        if !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
            return Err(
                Failure::input("`top` needs a terminal").hint("--once prints one frame as plain text")
            );
        }
        // Ctrl-C is a key here, but kill -INT is not.
        watch::listen();
        watch::told_to_end().and_then(Self::take).map_err(|error| undrawn(&error))
    }

    fn take(told_to_end: Arc<AtomicBool>) -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Flush, &raw)?;
        let taken = Self { before, size: (0, 0), lines: Vec::new(), told_to_end };
        // The alternate screen, without a cursor.
        write("\x1b[?1049h\x1b[?25l")?;
        Ok(taken)
    }

    fn has_another_size(&self) -> bool {
        size() != self.size
    }

    /// Shows a frame until `until`, or stops as soon as the user quits. `frame` creates the lines starting at a row, for a number of
    /// columns and rows; keys move the row among `rows`.
    fn wait(
        &mut self,
        until: Instant,
        from: &mut usize,
        rows: usize,
        frame: impl Fn(usize, usize, usize) -> Vec<String>,
    ) -> io::Result<ControlFlow<()>> {
        let last = rows.saturating_sub(1);
        *from = (*from).min(last);
        self.show(|width, height| frame(*from, width, height))?;
        loop {
            if watch::interrupted() || self.told_to_end.load(Ordering::Relaxed) {
                return Ok(ControlFlow::Break(()));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(ControlFlow::Continue(()));
            }
            let Some(keys) = typed(left.min(LOOK))? else { return Ok(ControlFlow::Break(())) };
            for key in pressed(&keys) {
                match key {
                    Pressed::End => return Ok(ControlFlow::Break(())),
                    Pressed::Move(by) => *from = from.saturating_add_signed(by).min(last),
                }
            }
            if !keys.is_empty() || self.has_another_size() {
                self.show(|width, height| frame(*from, width, height))?;
            }
        }
    }

    /// Draws the differences from the previous frame; `lines` creates the frame for a number of columns and rows.
    fn show(&mut self, lines: impl FnOnce(usize, usize) -> Vec<String>) -> io::Result<()> {
        let mut frame = String::new();
        if self.has_another_size() {
            self.size = size();
            self.lines.clear();
            frame.push_str("\x1b[2J");
        }
        let (width, height) = self.size;
        let mut lines = lines(width, height);
        lines.resize(height, String::new());
        self.lines.resize(height, String::new());
        for (number, (line, before)) in lines.iter().zip(&self.lines).enumerate() {
            if line != before {
                // Clears the row and writes its text.
                frame.extend([format!("\x1b[{};1H\x1b[2K", number + 1).as_str(), line]);
            }
        }
        self.lines = lines;
        write(&frame)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // Restores the terminal; failures can no longer be reported.
        let _ = write("\x1b[?1049l\x1b[?25h");
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}

/// Columns and rows of the window.
fn size() -> (usize, usize) {
    match tcgetwinsize(stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => (80, 24),
    }
}

/// Writes immediately, bypassing the colours of `anstream`: the text is already coloured, or has no colours.
fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

// One connection to an agent, on which its status is requested repeatedly.

/// Time limit for an answer. An agent answers within a few milliseconds; one that exceeds the limit hangs.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client that requests the status.
pub(crate) struct Asking {
    path: PathBuf,
    connection: Connection,
}

impl Asking {
    /// Connects.
    ///
    /// # Errors
    /// No process listens on the socket, or the system refuses.
    pub(crate) fn connect(path: &Path) -> io::Result<Self> {
        let connection = Connection::open(path, PATIENCE).map_err(io::Error::other)?;
        Ok(Self { path: path.to_owned(), connection })
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    /// The agent is gone, hangs, or its answer is not a status.
    pub(crate) fn ask(&mut self) -> io::Result<AgentStatus> {
        self.connection.send(&FromApp::Query)?;
        let answer = self.connection.line().map_err(|error| match error.kind() {
            ErrorKind::TimedOut => io::Error::new(ErrorKind::TimedOut, "it does not answer"),
            _ => error,
        })?;
        let gone = || io::Error::new(ErrorKind::UnexpectedEof, "it closed the connection");
        AgentStatus::parse(&answer.ok_or_else(gone)?)
            .map_err(|error| io::Error::other(format!("its answer is no status: {error}")))
    }

    /// Sends the request again on a new connection, after the old one failed.
    ///
    /// # Errors
    /// As [`Self::connect`] and [`Self::ask`].
    pub(crate) fn ask_anew(&mut self) -> io::Result<AgentStatus> {
        *self = Self::connect(&self.path)?;
        self.ask()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_among_the_bytes_of_a_terminal() {
        use Pressed::{End, Move};
        for end in [&b"q"[..], b"\x03", b"\x1b", b"x\x1b"] {
            assert_eq!(pressed(end), [End], "{end:?}");
        }
        assert_eq!(pressed(b"j\x1b[Bk\x1b[A\x1bOA"), [Move(1), Move(1), Move(-1), Move(-1), Move(-1)]);
        assert_eq!(pressed(b"\x1b[6~ \x1b[5~"), [Move(10), Move(10), Move(-10)]);
        assert_eq!(pressed(b"\x1b[H\x1b[4~"), [Move(isize::MIN), Move(isize::MAX)]);
        for other in [&b""[..], b"\x1b[1;5C", b"\x1b[200~", b"\x1bq", b"\x1b[", "\u{e9}x".as_bytes()] {
            assert_eq!(pressed(other), [], "{other:?}");
        }
    }
}
