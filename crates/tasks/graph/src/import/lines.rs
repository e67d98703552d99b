//! Lines of a text with their places.

use std::ops::Range;

/// One line without its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

impl<'t> Line<'t> {
    /// The bytes of the line.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Words between spaces from the byte `from` of the line on, with their places.
    pub(super) fn words(&self, from: usize) -> impl Iterator<Item = (&'t str, Range<usize>)> + use<'t> {
        let line = *self;
        let rest = line.text.get(from..).unwrap_or_default();
        let mut at = line.start + from;
        rest.split([' ', '\t']).filter_map(move |word| {
            let start = at;
            at += word.len() + 1;
            (!word.is_empty()).then(|| (word, start..start + word.len()))
        })
    }
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |whole| {
        let line = Line { text: whole.trim_end_matches(['\n', '\r']), start };
        start += whole.len();
        line
    })
}
