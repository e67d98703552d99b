//! A first look at a long text, before it is parsed: a parser keeps what it finds, and of mistakes in every line, or of a
//! million tables, that is gigabytes.

use std::ops::Range;

use toml_parser::decoder::Encoding;
use toml_parser::parser::{EventReceiver, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ErrorSink, ParseError, Raw, Source, Span};

/// Shorter text is parsed whatever it holds.
const SHORT: usize = 256 << 10;
/// Mistakes in the syntax up to which a text is parsed: more than are ever listed.
pub(super) const MAX_MISTAKES: usize = 1000;
/// Tables over which a file is refused. Scenarios with a name each need 24 bytes, of which 8 MiB hold fewer.
pub(super) const MAX_TABLES: usize = 400_000;
/// Levels of brackets that the parser follows.
const MAX_DEPTH: u32 = 80;

/// What makes a text too much for the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// More than [`MAX_MISTAKES`]; the text up to here has so many.
    Mistakes(usize),
    /// More than [`MAX_TABLES`]; the first one too many is here.
    Tables(Range<usize>),
}

/// Looks through `text` and keeps nothing of it.
pub(super) fn too_much(text: &str) -> Option<TooMuch> {
    if text.len() <= SHORT {
        return None;
    }
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut mistakes = Mistakes { count: 0, enough_at: None };
    let mut census = Census { text, tables: 0, excess: None };
    let mut receiver = ValidateWhitespace::new(&mut census, source);
    let mut receiver = RecursionGuard::new(&mut receiver, MAX_DEPTH);
    parse_document(&tokens, &mut receiver, &mut mistakes);
    census.excess.map(TooMuch::Tables).or(mistakes.enough_at.map(TooMuch::Mistakes))
}

/// Counts what the parser complains about.
struct Mistakes {
    count: usize,
    /// End of the last one that is wanted.
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

/// Counts tables, and reads values and keys, in which there can be mistakes too.
struct Census<'a> {
    text: &'a str,
    tables: usize,
    excess: Option<Range<usize>>,
}

impl<'a> Census<'a> {
    fn table(&mut self, span: Span) {
        self.tables += 1;
        if self.tables > MAX_TABLES && self.excess.is_none() {
            self.excess = Some(span.start()..span.end());
        }
    }

    fn raw(&self, span: Span, encoding: Option<Encoding>) -> Option<Raw<'a>> {
        let text = self.text.get(span.start()..span.end())?;
        Some(Raw::new_unchecked(text, encoding, span))
    }
}

impl EventReceiver for Census<'_> {
    fn std_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.table(span);
    }

    fn array_table_open(&mut self, span: Span, _: &mut dyn ErrorSink) {
        self.table(span);
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.raw(span, encoding) {
            raw.decode_key(&mut (), error);
        }
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        if let Some(raw) = self.raw(span, encoding) {
            let _ = raw.decode_scalar(&mut (), error);
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
    fn short_text_is_never_too_much() {
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
    fn the_text_is_enough_up_to_the_last_mistake_that_is_wanted() {
        // The first thousand lines have a mistake each, and so has the next one.
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
