//! The lines of a file, one after the other, numbered; a last one without its end is told apart.

use std::io::{self, BufRead, Read as _};

/// The longest line of a trace: the first one has the input files in it.
const LONGEST: u64 = 256 << 20;

/// One line.
pub(super) enum Numbered {
    /// Its number, from 1, and its text.
    Whole(usize, String),
    /// The last line, which does not end: somebody was writing it.
    Torn(usize),
}

/// Why a line cannot be read.
pub(super) enum Unreadable {
    /// The system refuses.
    System(io::Error),
    /// This line is too long.
    TooLong(usize),
    /// This line is no UTF-8.
    NoText(usize),
}

/// Lines of a file.
pub(super) struct Lines<R> {
    from: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, number: 0 }
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Numbered>, Unreadable> {
        let mut bytes = Vec::new();
        let read =
            (&mut self.from).take(LONGEST).read_until(b'\n', &mut bytes).map_err(Unreadable::System)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if bytes.pop_if(|&mut last| last == b'\n').is_none() {
            return if read as u64 == LONGEST {
                Err(Unreadable::TooLong(self.number))
            } else {
                Ok(Some(Numbered::Torn(self.number)))
            };
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(Numbered::Whole(self.number, text))),
            Err(_) => Err(Unreadable::NoText(self.number)),
        }
    }
}
