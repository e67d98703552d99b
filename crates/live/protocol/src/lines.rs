//! Bytes in, lines out.

/// The longest line, with its line feed, in bytes.
pub const LONGEST_LINE: usize = 65_536;
/// Capacity that is kept for further bytes, in bytes.
const KEPT: usize = 4096;

/// A line is longer than [`LONGEST_LINE`], whether it ends or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of more than {LONGEST_LINE} bytes")]
pub struct LineTooLong;

/// Divides the data of a stream into lines. Data after the last line feed is kept until its end comes; if the stream ends before, it is
/// discarded: an incomplete message does not count.
///
/// ```
/// let mut lines = numasim_protocol::Lines::new();
/// lines.push(b"{\"type\":\"ping\"}\n{\"ty");
/// assert_eq!(lines.next_line(), Ok(Some(&b"{\"type\":\"ping\"}"[..])));
/// assert_eq!(lines.next_line(), Ok(None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// Start of the first line that was not returned yet.
    start: usize,
    /// Up to here there is no line feed in that line.
    seen: usize,
    /// Whether the length of lines is unlimited.
    unlimited: bool,
}

impl Lines {
    /// Lines of messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lines of unlimited length: the answer to a query.
    pub fn unlimited() -> Self {
        Self { unlimited: true, ..Self::default() }
    }

    /// Adds bytes, in any pieces.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        if self.bytes.is_empty() && self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next complete line without its line feed; `None` until more bytes come.
    ///
    /// # Errors
    /// [`LineTooLong`], now and from now on: the following data cannot be read.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, LineTooLong> {
        let unseen = self.bytes.get(self.seen..).unwrap_or_default();
        let end = unseen.iter().position(|&byte| byte == b'\n').map(|at| self.seen + at);
        let with_its_end = end.unwrap_or(self.bytes.len()) + 1 - self.start;
        if with_its_end > LONGEST_LINE && !self.unlimited {
            return Err(LineTooLong);
        }
        let Some(end) = end else {
            self.seen = self.bytes.len();
            return Ok(None);
        };
        let start = std::mem::replace(&mut self.start, end + 1);
        self.seen = self.start;
        Ok(self.bytes.get(start..end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &mut Lines) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(String::from_utf8(line.to_vec()).unwrap());
        }
        found
    }

    #[test]
    fn lines_come_out_whole_however_they_come_in() {
        let mut lines = Lines::new();
        for byte in b"one\n\ntwo\nthr" {
            lines.push(&[*byte]);
        }
        assert_eq!(all(&mut lines), ["one", "", "two"]);
        lines.push(b"ee\n");
        assert_eq!(all(&mut lines), ["three"]);
    }

    #[test]
    fn half_a_line_is_never_handed_out() {
        let mut lines = Lines::new();
        lines.push(b"half");
        assert_eq!(all(&mut lines), [""; 0]);
        assert_eq!(all(&mut lines), [""; 0]);
    }

    #[test]
    fn a_line_has_at_most_65536_bytes_with_its_end() {
        let mut lines = Lines::new();
        lines.push(&vec![b'x'; LONGEST_LINE - 1]);
        assert_eq!(lines.next_line(), Ok(None));
        lines.push(b"\n");
        assert_eq!(lines.next_line().unwrap().unwrap().len(), LONGEST_LINE - 1);
        lines.push(&vec![b'x'; LONGEST_LINE]);
        assert_eq!(lines.next_line(), Err(LineTooLong), "without its end");
        lines.push(b"\n");
        assert_eq!(lines.next_line(), Err(LineTooLong), "with its end, and from then on");
    }

    #[test]
    fn lines_before_a_long_one_are_handed_out() {
        let mut lines = Lines::new();
        lines.push(b"short\n");
        lines.push(&vec![b'x'; LONGEST_LINE]);
        assert_eq!(lines.next_line(), Ok(Some(&b"short"[..])));
        assert_eq!(lines.next_line(), Err(LineTooLong));
    }

    #[test]
    fn a_long_past_does_not_make_a_line_long() {
        let mut lines = Lines::new();
        for _ in 0..3 {
            lines.push(&vec![b'x'; LONGEST_LINE - 1]);
            lines.push(b"\n");
            assert_eq!(lines.next_line().unwrap().unwrap().len(), LONGEST_LINE - 1);
        }
    }

    #[test]
    fn the_answer_to_a_query_may_be_longer() {
        let mut lines = Lines::unlimited();
        lines.push(&vec![b'x'; 3 * LONGEST_LINE]);
        assert_eq!(lines.next_line(), Ok(None));
        lines.push(b"\n");
        assert_eq!(lines.next_line().unwrap().unwrap().len(), 3 * LONGEST_LINE);
    }
}
