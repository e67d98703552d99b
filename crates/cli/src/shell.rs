//! The surroundings of a command: colours, terminals, and output to the user.

use std::fmt::Display;
use std::io::{IsTerminal, Write as _};

use anstream::ColorChoice;
use numasim_ask::document;
use numasim_draw::grid::wrap;
use numasim_draw::markdown;
use numasim_model::text::visible;
use serde::Serialize;

use crate::args::ColorWhen;
use crate::failure::Failure;
use crate::output::{Destination, Format, tame};
use crate::style::{CAUSE, WARNING};
use crate::view::Style;

/// The surroundings of a command.
#[derive(Debug)]
pub(crate) struct Shell {
    /// Whether standard error is a terminal, so that progress may be drawn there.
    pub(crate) stderr_is_terminal: bool,
    /// Columns of the terminal; `None` if standard output is not one.
    pub(crate) width: Option<usize>,
    /// Whether notes and warnings are suppressed because they were already printed.
    silent: bool,
}

impl Shell {
    /// Checks the terminals and sets the colour policy for all later output.
    pub(crate) fn new(color: ColorWhen) -> Self {
        let choice = match color {
            ColorWhen::Auto => ColorChoice::Auto,
            ColorWhen::Always => ColorChoice::Always,
            ColorWhen::Never => ColorChoice::Never,
        };
        choice.write_global();
        let stdout_is_terminal = std::io::stdout().is_terminal();
        let size = stdout_is_terminal.then(|| terminal_size::terminal_size_of(std::io::stdout())).flatten();
        Self {
            stderr_is_terminal: std::io::stderr().is_terminal(),
            width: size.map(|(width, _)| usize::from(width.0)),
            silent: false,
        }
    }

    /// The same surroundings for work that was done before: its notes and warnings are not printed again.
    pub(crate) fn silenced(&self) -> Self {
        Self { silent: true, ..*self }
    }

    /// The style of text for standard output, or for a file with `into_file`.
    pub(crate) fn style(&self, into_file: bool) -> Style {
        Style::of_locale(self.width.filter(|_| !into_file), |name| std::env::var(name).ok())
    }

    /// The text of `make` for people: for a terminal, for a file with `into_file`, or in Markdown.
    pub(crate) fn for_people(
        &self,
        format: Format,
        into_file: bool,
        make: impl FnOnce(&Style) -> String,
    ) -> String {
        let style = self.style(into_file);
        if format != Format::Markdown {
            return make(&style);
        }
        let text = make(&Style { color: false, width: None, markdown: true, ..style });
        // Programs other than terminals display Markdown, and text must not be hidden there either.
        tame(&markdown::document(&text)).into_owned()
    }

    /// Writes an answer in a format: as text for people, as a document, or as rows.
    pub(crate) fn answer(
        &self,
        to: &Destination,
        format: Format,
        people: impl FnOnce(&Style) -> String,
        document: &impl Serialize,
        rows: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        match format {
            Format::Table | Format::Markdown => {
                to.deliver(&self.for_people(format, !matches!(to, Destination::Stdout), people))
            }
            Format::Json => to.deliver_by(|out| document::write(document, out)),
            Format::Csv => to.deliver(&rows()),
        }
    }

    /// Prints a failure on standard error.
    #[allow(clippy::unused_self, reason = "printing before the colour policy is set would ignore it")]
    pub(crate) fn report(&self, failure: &Failure) {
        tell(&failure.to_string());
    }

    /// Prints a note on standard error that is not a warning.
    pub(crate) fn note(&self, note: impl Display) {
        if self.silent {
            return;
        }
        tell(&format!("{CAUSE}note:{CAUSE:#} {}\n", visible(&note.to_string())));
    }

    /// Prints warnings on standard error, in sequence.
    pub(crate) fn warn_all(&self, warnings: &[String]) {
        for warning in warnings {
            self.warn(warning);
        }
    }

    /// Prints a warning on standard error; the command continues.
    pub(crate) fn warn(&self, warning: impl Display) {
        if self.silent {
            return;
        }
        let mut text = visible(&warning.to_string()).into_owned();
        if self.stderr_is_terminal {
            const TITLE: usize = "warning: ".len();
            let room = stderr_columns().saturating_sub(TITLE).max(40);
            text = wrap(&text, room).join(&format!("\n{}", " ".repeat(TITLE)));
        }
        tell(&format!("{WARNING}warning:{WARNING:#} {text}\n"));
    }
}

/// Writes a complete text at once. If memory runs out while it is composed, `memory` prints a separate line.
fn tell(text: &str) {
    let stderr = std::io::stderr();
    // There is no way to report that standard error is closed.
    let _ = if anstream::AutoStream::choice(&stderr) == ColorChoice::Never {
        // Without colours the stream would write the parts between colour codes piece by piece.
        let plain = anstream::adapter::strip_str(text).to_string();
        stderr.lock().write_all(plain.as_bytes())
    } else {
        anstream::stderr().write_all(text.as_bytes())
    };
}

/// Columns of the terminal behind standard error; 80 if unknown.
pub(crate) fn stderr_columns() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}
