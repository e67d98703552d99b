//! Words of the DOT language (graphviz.org/doc/info/lang.html), with their places.

use std::ops::Range;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, number, quoted text or HTML text; whether it may be a keyword.
    Id(String, bool),
    /// `->`.
    Arrow,
    /// `--`.
    Line,
    /// `{ } [ ] ; , = : +`.
    Sign(char),
}

/// The words of a text.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// A problem and its place.
pub(super) type Wrong = (Range<usize>, String);

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next word and its place; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Token, Range<usize>)>, Wrong> {
        self.skip()?;
        let (start, rest) = (self.at, self.rest());
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return Ok(None) };
        let token = match (first, chars.next()) {
            ('-', Some('>')) => self.take(2, Token::Arrow),
            ('-', Some('-')) => self.take(2, Token::Line),
            ('{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' | '+', _) => self.take(1, Token::Sign(first)),
            ('"', _) => self.quoted()?,
            ('<', _) => self.html()?,
            ('-' | '.' | '0'..='9', _) => {
                let length = rest.find(|c: char| !matches!(c, '-' | '.' | '0'..='9')).unwrap_or(rest.len());
                // A minus begins a number only.
                let length =
                    rest.get(1..length).and_then(|more| more.find('-')).map_or(length, |minus| minus + 1);
                // Authors of graphs write 1e9, although the language does not have such numbers.
                let more = rest.get(length..).unwrap_or_default();
                let tail = more.find(|c: char| !is_name(c)).unwrap_or(more.len());
                let length =
                    length + if more.starts_with(['e', 'E']) { tail + exponent(more, tail) } else { 0 };
                let word = rest.get(..length).unwrap_or_default().to_owned();
                if word == "-" {
                    return Err((start..start + 1, "'-' is neither an arrow '->' nor a number".to_owned()));
                }
                if rest.get(length..).is_some_and(|rest| rest.starts_with(is_name)) {
                    let message = format!("a name follows the number {word} at once: write it in quotes");
                    return Err((start..start + length, message));
                }
                self.take(length, Token::Id(word, false))
            }
            (c, _) if is_name(c) => {
                let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                let word = rest.get(..length).unwrap_or_default().to_owned();
                self.take(length, Token::Id(word, true))
            }
            (c, _) => {
                let shown = crate::problems::shown(c.encode_utf8(&mut [0; 4]));
                return Err((start..start + c.len_utf8(), format!("'{shown}' means nothing here")));
            }
        };
        Ok(Some((token, start..self.at)))
    }

    fn take(&mut self, length: usize, token: Token) -> Token {
        self.at += length;
        token
    }

    /// Skips spaces and comments.
    fn skip(&mut self) -> Result<(), Wrong> {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start().len();
            self.at += spaces;
            let rest = self.rest();
            let is_at_begin_of_line = self.at == 0 || self.text.as_bytes().get(self.at - 1) == Some(&b'\n');
            if rest.starts_with("//") || (rest.starts_with('#') && is_at_begin_of_line) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/");
                let end =
                    end.ok_or_else(|| (self.at..self.at + 2, "this comment has no end: */".to_owned()))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    /// Text in quotes, in which `\"` is a quote and a line that ends with `\` continues; every other `\` stays.
    fn quoted(&mut self) -> Result<Token, Wrong> {
        let start = self.at;
        let mut word = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((place, c)) = chars.next() {
            match (c, chars.peek().map(|next| next.1)) {
                ('"', _) => {
                    self.at = start + place + 1;
                    return Ok(Token::Id(word, false));
                }
                ('\\', Some('"')) => {
                    chars.next();
                    word.push('"');
                }
                ('\\', Some('\n')) => {
                    chars.next();
                }
                ('\\', Some('\\')) => {
                    chars.next();
                    word.push_str("\\\\");
                }
                _ => word.push(c),
            }
        }
        Err((start..start + 1, "this quote has no end".to_owned()))
    }

    /// Text between `<` and the matching `>`.
    fn html(&mut self) -> Result<Token, Wrong> {
        let start = self.at;
        let mut depth = 0_usize;
        for (place, c) in self.rest().char_indices() {
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let word = self.rest().get(1..place).unwrap_or_default().to_owned();
                return Ok(self.take(place + 1, Token::Id(word, false)));
            }
        }
        Err((start..start + 1, "this '<' has no '>'".to_owned()))
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of the sign and digits that follow `1e`.
fn exponent(more: &str, tail: usize) -> usize {
    let rest = more.get(tail..).unwrap_or_default();
    if tail != 1 || !rest.starts_with(['-', '+']) {
        return 0;
    }
    let digits = rest.chars().skip(1).take_while(char::is_ascii_digit).count();
    if digits == 0 { 0 } else { digits + 1 }
}
