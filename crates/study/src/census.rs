//! Grammar of a TOML text, token by token.
//!
//! [`too_much`] checks a long text before it is parsed: a parser keeps everything that it finds, and for
//! mistakes in every line, or for a million tables, that takes gigabytes. [`Grammar`] finds the kind of each
//! mistake: `toml` itself reports it only as English text.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use toml_parser::decoder::Encoding;
use toml_parser::parser::{EventReceiver, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ErrorSink, Expected, ParseError, Raw, Source, Span};

/// Shorter texts are parsed regardless of their content.
const SHORT: usize = 256 << 10;
/// Maximum number of syntax mistakes in a text that is parsed: more than are ever listed.
pub(super) const MAX_MISTAKES: usize = 1000;
/// Maximum number of tables in a file. Scenarios with a name need 24 bytes each, so 8 MiB hold fewer of them.
pub(super) const MAX_TABLES: usize = 400_000;
/// Levels of brackets that the parser follows.
const MAX_DEPTH: u32 = 80;

/// The reason that a text is too much for the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// More than [`MAX_MISTAKES`]; the text up to this byte contains that many.
    Mistakes(usize),
    /// More than [`MAX_TABLES`]; the first excess table is here.
    Tables(Range<usize>),
}

/// Scans `text` without keeping any of it.
pub(super) fn too_much(text: &str) -> Option<TooMuch> {
    if text.len() <= SHORT {
        return None;
    }
    let mut mistakes = Mistakes { count: 0, enough_at: None };
    let mut census = Census { text, tables: 0, excess: None };
    go_through(Source::new(text), &mut census, &mut mistakes);
    census.excess.map(TooMuch::Tables).or(mistakes.enough_at.map(TooMuch::Mistakes))
}

/// Counts the parser's complaints.
struct Mistakes {
    count: usize,
    /// End of the last mistake to be counted.
    enough_at: Option<usize>,
}

impl ErrorSink for Mistakes {
    fn report_error(&mut self, error: ParseError) {
        self.count += 1;
        if self.count > MAX_MISTAKES && self.enough_at.is_none() {
            self.enough_at = error.unexpected().or(error.context()).map(|span| span.end());
        }
    }
}

/// Counts tables, and checks values and keys, which can also contain mistakes.
struct Census<'a> {
    text: &'a str,
    tables: usize,
    excess: Option<Range<usize>>,
}

impl Census<'_> {
    fn table(&mut self, span: Span) {
        self.tables += 1;
        if self.tables > MAX_TABLES && self.excess.is_none() {
            self.excess = Some(span.start()..span.end());
        }
    }
}

/// A key or a scalar in a text.
fn raw(text: &str, span: Span, encoding: Option<Encoding>) -> Option<Raw<'_>> {
    Some(Raw::new_unchecked(text.get(span.start()..span.end())?, encoding, span))
}

/// Scans a text like `toml` does.
fn go_through(source: Source<'_>, receiver: &mut dyn EventReceiver, errors: &mut dyn ErrorSink) {
    let tokens = source.lex().into_vec();
    let mut receiver = ValidateWhitespace::new(receiver, source);
    let mut receiver = RecursionGuard::new(&mut receiver, MAX_DEPTH);
    parse_document(&tokens, &mut receiver, errors);
}

impl EventReceiver for Census<'_> {
    fn std_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.table(span);
    }

    fn array_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.table(span);
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = raw(self.text, span, encoding) {
            raw.decode_key(&mut (), error);
        }
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = raw(self.text, span, encoding) {
            let _ = raw.decode_scalar(&mut (), error);
        }
    }
}

/// The kind of mistake at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// The text that begins here has no closing quote on its line.
    OpenText(usize),
    /// A value is missing.
    NoValue,
    /// A word that is neither a number nor quoted.
    NoWord,
    /// A decimal point without a digit on one side.
    NoDigit,
    /// A number that begins with 0.
    LeadingZero,
    /// No key, or one without a value.
    NoPair,
    /// A key is missing.
    NoName,
    /// A table header without its end, the given text.
    OpenHeader(&'static str),
    /// A list or an inline table without its end.
    OpenBracket,
    /// Further text after a value.
    MoreText,
    /// Too many nested brackets.
    TooDeep,
    /// A duplicate key.
    Again,
    /// Any other mistake.
    Other,
}

/// The mistakes of a text, by their places.
pub(super) struct Grammar<'a> {
    text: &'a str,
    found: HashMap<(usize, usize), Mistake>,
    /// Positions of keys.
    keys: HashSet<usize>,
    /// Positions of table headers.
    headers: HashSet<usize>,
}

impl<'a> Grammar<'a> {
    /// Scans a text that has mistakes.
    pub(super) fn of(text: &'a str) -> Self {
        let mut grammar = Self { text, found: HashMap::new(), keys: HashSet::new(), headers: HashSet::new() };
        let mut errors: Vec<ParseError> = Vec::new();
        go_through(Source::new(text), &mut grammar, &mut errors);
        for error in errors {
            let mistake = grammar.of_structure(&error);
            grammar.add(&error, mistake);
        }
        grammar
    }

    /// The kind of mistake at the place of an error of `toml`.
    pub(super) fn at(&self, span: Option<&Range<usize>>) -> Mistake {
        // Errors without a place are keys with too many dots.
        let Some(span) = span else { return Mistake::TooDeep };
        let found = self.found.get(&(span.start, span.end)).cloned();
        // The grammar does not know earlier keys.
        found.unwrap_or(if self.keys.contains(&span.start) { Mistake::Again } else { Mistake::Other })
    }

    fn add(&mut self, error: &ParseError, mistake: Mistake) {
        if let Some(span) = error.unexpected() {
            self.found.entry((span.start(), span.end())).or_insert(mistake);
        }
    }

    fn of_structure(&self, error: &ParseError) -> Mistake {
        let opened = error.context().map_or(0, |context| context.start());
        let opener = self.text.get(opened..).unwrap_or_default();
        match error.expected() {
            Some([Expected::Literal("=")]) => Mistake::NoPair,
            Some([Expected::Literal("\n"), Expected::Literal("#")]) => Mistake::MoreText,
            Some([Expected::Literal("]" | "]]")]) if self.headers.contains(&opened) => {
                Mistake::OpenHeader(if opener.starts_with("[[") { "]]" } else { "]" })
            }
            Some([Expected::Literal("]" | "}")]) => Mistake::OpenBracket,
            None if error
                .unexpected()
                .is_some_and(|span| matches!(self.text.as_bytes().get(span.start()), Some(b'[' | b'{'))) =>
            {
                Mistake::TooDeep
            }
            _ => Mistake::Other,
        }
    }
}

/// The mistake in a value that begins at `start`.
fn of_value(value: &str, start: usize, encoding: Option<Encoding>, error: &ParseError) -> Mistake {
    match (encoding, error.expected()) {
        (Some(_), Some([Expected::Literal("\"" | "'")])) => return Mistake::OpenText(start),
        (Some(_), _) => return Mistake::Other,
        (None, _) if value.trim().is_empty() => return Mistake::NoValue,
        (None, _) => {}
    }
    let number = value.trim_start_matches(['+', '-']);
    let (before, after) = number.split_once('.').unwrap_or((number, "0"));
    let is_count = |digits: &str| digits.chars().all(|c| c.is_ascii_digit() || c == '_');
    if !number.contains(|c: char| !matches!(c, '0'..='9' | '_' | '.' | 'e' | 'E' | '+' | '-')) {
        return match number.as_bytes() {
            [b'0', b'0'..=b'9', ..] => Mistake::LeadingZero,
            _ if is_count(before)
                && (before.is_empty() || !after.starts_with(|c: char| c.is_ascii_digit())) =>
            {
                Mistake::NoDigit
            }
            _ => Mistake::Other,
        };
    }
    Mistake::NoWord
}

impl EventReceiver for Grammar<'_> {
    fn std_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.headers.insert(span.start());
    }

    fn array_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.headers.insert(span.start());
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, _: &mut dyn ErrorSink) {
        let Some(raw) = raw(self.text, span, encoding) else { return };
        self.keys.insert(span.start());
        let mut errors: Vec<ParseError> = Vec::new();
        raw.decode_key(&mut (), &mut errors);
        for error in errors {
            let mistake = match (encoding, error.expected()) {
                (Some(_), Some([Expected::Literal("\"" | "'")])) => Mistake::OpenText(span.start()),
                (Some(_), _) => Mistake::Other,
                (None, _) if span.is_empty() => Mistake::NoName,
                (None, _) => Mistake::NoPair,
            };
            self.add(&error, mistake);
        }
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, _: &mut dyn ErrorSink) {
        let Some(raw) = raw(self.text, span, encoding) else { return };
        let mut errors: Vec<ParseError> = Vec::new();
        let _ = raw.decode_scalar(&mut (), &mut errors);
        for error in errors {
            let mistake = of_value(raw.as_str(), span.start(), encoding, &error);
            self.add(&error, mistake);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(piece: &str) -> String {
        piece.repeat(SHORT / piece.len() + 1)
    }

    #[test]
    fn short_texts_are_never_too_much() {
        assert_eq!(too_much(&"=\n".repeat(SHORT / 2)), None);
    }

    #[test]
    fn long_text_without_mistakes_is_not_too_much() {
        for piece in
            ["# a comment\n", "\r\n", "[[app]]\nname = \"a\"\ndata = { home = 1 }\nthreads = [1, 2]\n"]
        {
            assert_eq!(too_much(&long(piece)), None, "{piece:?}");
        }
        assert_eq!(too_much(&format!("a = [{}]", long("1.5,\n"))), None);
    }

    #[test]
    fn mistakes_of_every_kind_are_counted() {
        for piece in ["=\n", "\r", "[\n", "\"\n", "a\n", "a = x\n", "a = \"\\x\"\n"] {
            let found = too_much(&long(piece));
            assert!(matches!(found, Some(TooMuch::Mistakes(_))), "{piece:?} {found:?}");
        }
        for piece in ["x,", ",", "\"\\x\","] {
            let found = too_much(&format!("a = [{}]", long(piece)));
            assert!(matches!(found, Some(TooMuch::Mistakes(_))), "{piece:?} {found:?}");
        }
    }

    #[test]
    fn the_text_up_to_the_last_counted_mistake_is_sufficient() {
        // Each of the first thousand lines has a mistake, and so does the next one.
        assert_eq!(too_much(&long("a = x\n")), Some(TooMuch::Mistakes(1001 * "a = x\n".len() - 1)));
    }

    #[test]
    fn the_first_table_too_many_is_marked() {
        let header = "[[app]]\n";
        assert_eq!(too_much(&header.repeat(MAX_TABLES)), None);
        let at = MAX_TABLES * header.len();
        assert_eq!(too_much(&header.repeat(MAX_TABLES + 1)), Some(TooMuch::Tables(at..at + 2)));
    }
}
