//! A result on its way out, piece by piece: what is long is never held whole.

use std::borrow::Cow;
use std::io::{self, Write};

use anstream::adapter::StripStr;

use super::tame::tame;

/// Bytes that are held before they are passed on, at the next end of a line.
const ENOUGH: usize = 64 << 10;

/// Writes text to `out`, without what could do harm to a terminal, and without colours where `out` takes none.
///
/// Text is passed on at ends of lines: no sequence of a colour contains one.
pub(super) struct Printout<W: Write> {
    out: W,
    /// Ends with a part of a line.
    held: Vec<u8>,
    /// Length of the whole lines of `held`.
    whole: usize,
    tamed: bool,
    /// Takes the colours out. `None` where they stay.
    strip: Option<StripStr>,
    /// Nothing but letters, digits, signs and ends of lines so far: there was nothing to take out.
    plain_so_far: bool,
}

impl<W: Write> Printout<W> {
    /// For a terminal, or a program that reads what a terminal would get.
    pub(super) fn to_terminal(out: W, colours: bool) -> Self {
        Self { tamed: true, ..Self::to_file(out, colours) }
    }

    /// For a file, which has everything as it is but colours.
    pub(super) fn to_file(out: W, colours: bool) -> Self {
        let strip = (!colours).then(StripStr::new);
        Self { out, held: Vec::new(), whole: 0, tamed: false, strip, plain_so_far: true }
    }

    /// Passes on what is left.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.whole = self.held.len();
        self.pass_on()?;
        self.out.flush()
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let lines = &self.held[..self.whole];
        // Most of a long result is plain: to look at each character takes longer than to make it.
        self.plain_so_far &= is_plain(lines);
        if self.plain_so_far {
            self.out.write_all(lines)?;
        } else {
            let text =
                str::from_utf8(lines).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            let text = if self.tamed { tame(text) } else { Cow::Borrowed(text) };
            match &mut self.strip {
                None => self.out.write_all(text.as_bytes())?,
                Some(strip) => {
                    for part in strip.strip_next(&text) {
                        self.out.write_all(part.as_bytes())?;
                    }
                }
            }
        }
        self.held.drain(..self.whole);
        self.whole = 0;
        Ok(())
    }
}

impl<W: Write> Write for Printout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = &bytes[..bytes.len().min(ENOUGH)];
        if let Some(end) = taken.iter().rposition(|&byte| byte == b'\n') {
            self.whole = self.held.len() + end + 1;
        }
        self.held.extend_from_slice(taken);
        if self.held.len() >= ENOUGH && self.whole > 0 {
            self.pass_on()?;
        }
        Ok(taken.len())
    }

    /// Lines wait until there are enough of them.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether these are only characters that a terminal shows as they are.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |&byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    // In blocks without a way out of them, which the compiler makes fast.
    bytes.chunks(256).all(|block| block.iter().fold(true, |all, byte| all & plain(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As one piece and as many.
    fn printed(text: &str, colours: bool, terminal: bool) -> String {
        let all = [text.len(), 7, 1].map(|length| {
            let mut out = Vec::new();
            let made = if terminal { Printout::to_terminal } else { Printout::to_file };
            let mut printout = made(&mut out, colours);
            for piece in text.as_bytes().chunks(length.max(1)) {
                printout.write_all(piece).expect("memory");
            }
            printout.finish().expect("memory");
            String::from_utf8(out).expect("text")
        });
        assert!(all[0] == all[1] && all[1] == all[2], "{all:?}");
        all[0].clone()
    }

    #[test]
    fn colours_reach_only_those_that_take_them() {
        let text = "\u{1b}[1mbold\u{1b}[0m\nplain";
        assert_eq!(printed(text, true, true), text);
        assert_eq!(printed(text, false, true), "bold\nplain");
        assert_eq!(printed(text, false, false), "bold\nplain");
    }

    #[test]
    fn a_terminal_gets_nothing_hidden() {
        assert_eq!(printed("a\u{1b}[2Jb\u{202e}\n", true, true), "a\\u{1b}[2Jb\\u{202e}\n");
        assert_eq!(printed("\u{202e}ä\n", false, false), "\u{202e}ä\n");
    }

    #[test]
    fn long_text_arrives_whole_whatever_its_lines_are() {
        // Umlauts of two bytes lie across the borders of the pieces; the first text has no line at all.
        for line in ["xä", "xä\n", "ä\u{1b}[1mö\u{1b}[0m\n", "plain\n"] {
            let text = line.repeat(100_000);
            let mut out = Vec::new();
            let mut printout = Printout::to_file(&mut out, true);
            printout.write_all(text.as_bytes()).expect("memory");
            printout.finish().expect("memory");
            assert!(out == text.as_bytes(), "{line:?}");
        }
    }

    #[test]
    fn of_long_text_only_the_last_lines_are_held() {
        let mut printout = Printout::to_file(io::sink(), false);
        for _ in 0..1_000_000 {
            printout.write_all(b"a line\n").expect("nothing is written");
            assert!(printout.held.len() <= ENOUGH);
        }
    }
}
