//! The terminal while `top` has it: taken, drawn on, and put back on every way out, a panic too.

use std::io::{self, IsTerminal as _, Stdout};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anstream::ColorChoice;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::crossterm::{cursor, execute, terminal};

use super::asking::Asking;
use crate::failure::Failure;
use crate::view::top::{Foot, Look, Seen, draw};
use crate::watch;

/// How often signals are looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Shows the agent until somebody ends it.
///
/// # Errors
/// Standard input or output is no terminal, or the system refuses it.
pub(super) fn live(
    mut asking: Asking,
    mut seen: Seen,
    interval: Duration,
    unicode: bool,
) -> Result<(), Failure> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err(Failure::input("`top` needs a terminal").hint("--once prints one frame as plain text"));
    }
    let color = anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let failed = |error: io::Error| Failure::output("cannot draw on the terminal").caused_by(&error);
    // Ctrl-C is a key here, but kill -INT is none.
    watch::listen();
    let told_to_end = watch::told_to_end().map_err(failed)?;
    let mut taken = Taken::take().map_err(failed)?;
    let mut look = Look { color, unicode, from: 0, foot: Foot::Keys };
    let mut next = Instant::now() + interval;
    loop {
        look.from = look.from.min(seen.status.apps.len().saturating_sub(1));
        taken.draw(&seen, look).map_err(failed)?;
        loop {
            if watch::interrupted() || told_to_end.load(Ordering::Relaxed) {
                return Ok(());
            }
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            if event::poll(left.min(LOOK)).map_err(failed)? {
                match pressed(&event::read().map_err(failed)?) {
                    Pressed::End => return Ok(()),
                    Pressed::Move(by) => look.from = look.from.saturating_add_signed(by),
                    Pressed::Redraw => {}
                    Pressed::Nothing => continue,
                }
                look.from = look.from.min(seen.status.apps.len().saturating_sub(1));
                taken.draw(&seen, look).map_err(failed)?;
            }
        }
        next = Instant::now() + interval;
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

/// What a person wants.
enum Pressed {
    End,
    Move(isize),
    /// The window has another size.
    Redraw,
    Nothing,
}

fn pressed(event: &Event) -> Pressed {
    const PAGE: isize = 10;
    let key = match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        Event::Resize(..) => return Pressed::Redraw,
        _ => return Pressed::Nothing,
    };
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Pressed::End,
        KeyCode::Char('q') | KeyCode::Esc => Pressed::End,
        KeyCode::Down | KeyCode::Char('j') => Pressed::Move(1),
        KeyCode::Up | KeyCode::Char('k') => Pressed::Move(-1),
        KeyCode::PageDown | KeyCode::Char(' ') => Pressed::Move(PAGE),
        KeyCode::PageUp => Pressed::Move(-PAGE),
        KeyCode::Home => Pressed::Move(isize::MIN),
        KeyCode::End => Pressed::Move(isize::MAX),
        _ => Pressed::Nothing,
    }
}

/// The terminal, which is put back when this is dropped.
struct Taken(Terminal<CrosstermBackend<Stdout>>);

impl Taken {
    fn take() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let made = execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        made.map(Self).inspect_err(|_| put_back())
    }

    fn draw(&mut self, seen: &Seen, look: Look) -> io::Result<()> {
        self.0.draw(|frame| draw(seen, look, frame.area(), frame.buffer_mut())).map(|_| ())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        put_back();
    }
}

/// As it was; what fails now cannot be told anyone.
fn put_back() {
    let _ = terminal::disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
}
