//! Shows problems of input files like a compiler: file, line and column, the text with the mistake underlined, and a correction.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Padding, Renderer, Snippet};
use numasim_study::{Place, Problem, ProblemKind, SourceFile};

/// Lines up to this many bytes are shown whole.
const LONG_LINE: usize = 200;
/// Bytes shown of a longer line, on each side of the beginning of the marked text.
const AROUND: usize = 60;
/// Two marked locations at this distance are shown separately.
const FAR: usize = 1 << 15;

/// All problems, one block each, and a last line with their number.
///
/// `styled` adds ANSI colours; output to a file or a pipe strips them later.
pub fn render(problems: &[Problem], sources: &[SourceFile], styled: bool) -> String {
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for problem in problems {
        text.push_str(&renderer.render(&[group(problem, sources)]));
        text.push_str("\n\n");
    }
    let total = [Group::with_title(Level::ERROR.primary_title(total(problems)))];
    text.push_str(&renderer.render(&total));
    text.push('\n');
    text
}

/// A problem in a line of a file that is not held in memory as a whole.
pub struct LineProblem<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// The number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: &'a str,
    /// The bytes of the line that are wrong.
    pub span: Range<usize>,
    /// The mistake, in one sentence without a full stop.
    pub message: &'a str,
    /// A correction.
    pub hint: Option<&'a str>,
}

/// One problem, as [`render`] shows them.
pub fn render_line(problem: &LineProblem<'_>) -> String {
    let LineProblem { name, line, text, .. } = *problem;
    let span = problem.span.clone();
    let column = text.get(..span.start).unwrap_or_default().chars().count() + 1;
    let marked = Marked { name, text, line, column, whole: 0..text.len(), span };
    let group = Group::with_title(Level::ERROR.primary_title(problem.message));
    let mut group = marked.add_to(group, AnnotationKind::Primary, "here");
    if let Some(hint) = problem.hint {
        group = group.element(Level::HELP.with_name("hint").message(hint));
    }
    let total = [Group::with_title(Level::ERROR.primary_title("1 problem in 1 file"))];
    let renderer = Renderer::styled();
    format!("{}\n\n{}\n", renderer.render(&[group]), renderer.render(&total))
}

fn total(problems: &[Problem]) -> String {
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let mut files: Vec<usize> = problems.iter().filter_map(|p| p.place.as_ref()).map(|p| p.file).collect();
    files.dedup();
    let listed = problems.iter().filter(|problem| problem.kind != ProblemKind::More).count();
    let more = if listed < problems.len() { "more than " } else { "" };
    let found = format!("{more}{}", plural(listed, "problem"));
    if files.is_empty() { found } else { format!("{found} in {}", plural(files.len(), "file")) }
}

/// One line of a source with the marked part of it.
struct Marked<'a> {
    name: &'a str,
    text: &'a str,
    line: usize,
    column: usize,
    /// Byte range of the line.
    whole: Range<usize>,
    /// Marked byte range, inside the line.
    span: Range<usize>,
}

impl<'a> Marked<'a> {
    /// `None` for a location that is a whole file.
    fn new(place: &Place, sources: &'a [SourceFile]) -> Option<Self> {
        let source = sources.get(place.file)?;
        let text = source.text.as_str();
        let span = place.span.clone()?;
        let before = text.get(..span.start)?;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[span.start..].find('\n').map_or(text.len(), |newline| span.start + newline);
        let start = if text[start..].starts_with('\u{feff}') { start + '\u{feff}'.len_utf8() } else { start };
        let end = if text[..end].ends_with('\r') { (end - 1).max(span.start) } else { end };
        Some(Self {
            name: &source.name,
            text,
            line: before.matches('\n').count() + 1,
            column: before.get(start..).unwrap_or_default().chars().count() + 1,
            whole: start..end,
            span: span.start.max(start)..span.end.clamp(span.start.max(start), end.max(start)),
        })
    }

    fn is_long(&self) -> bool {
        self.whole.len() > LONG_LINE
    }

    /// The location and the line; for a long line, the part around the marked text.
    fn add_to(&self, group: Group<'a>, kind: AnnotationKind, label: &'a str) -> Group<'a> {
        if !self.is_long() {
            let span = self.span.start - self.whole.start..self.span.end - self.whole.start;
            let snippet = Snippet::source(&self.text[self.whole.clone()]).path(self.name);
            return group.element(snippet.line_start(self.line).annotation(kind.span(span).label(label)));
        }
        let from = floor(self.text, self.span.start.saturating_sub(AROUND).max(self.whole.start));
        let to = floor(self.text, (self.span.start + AROUND).min(self.whole.end));
        let ellipsis = |cut: bool| if cut { "…" } else { "" };
        let before = ellipsis(from > self.whole.start);
        let excerpt = format!("{before}{}{}", &self.text[from..to], ellipsis(to < self.whole.end));
        let moved = |at: usize| at.min(to) - from + before.len();
        let span = moved(self.span.start)..moved(self.span.end);
        // The column in the excerpt is not that of the file, so the location is given separately.
        let place = Origin::path(self.name).line(self.line).char_column(self.column);
        let snippet = Snippet::source(excerpt).line_start(self.line).annotation(kind.span(span).label(label));
        group.element(place).element(snippet)
    }
}

/// The character boundary at or before `at`.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn group<'a>(problem: &'a Problem, sources: &'a [SourceFile]) -> Group<'a> {
    let mut group = Group::with_title(Level::ERROR.primary_title(problem.message.as_str()));
    let primary = problem.place.as_ref().and_then(|place| Marked::new(place, sources));
    match (&problem.place, primary) {
        (Some(_), Some(marked)) => {
            let related = problem
                .related
                .iter()
                .filter_map(|(place, label)| Some((place, Marked::new(place, sources)?, label.as_str())));
            let (beside, apart): (Vec<_>, Vec<_>) =
                related.partition(|(place, other, _)| can_join(problem, place, &marked, other));
            if beside.is_empty() {
                group = marked.add_to(group, AnnotationKind::Primary, &problem.label);
            } else {
                let beside: Vec<_> = beside.iter().map(|(_, other, label)| (other, *label)).collect();
                group = group.element(joined(&marked, &problem.label, &beside));
            }
            for (_, other, label) in apart {
                group = other.add_to(group, AnnotationKind::Context, label);
            }
        }
        (Some(place), None) => {
            if let Some(source) = sources.get(place.file) {
                let place = Origin::path(source.name.as_str()).line(1).char_column(1);
                group = group.element(place).element(Padding);
            }
        }
        (None, _) => {}
    }
    if let Some(hint) = &problem.hint {
        // The same word as in every other message.
        group = group.element(Level::HELP.with_name("hint").message(hint.as_str()));
    }
    group
}

fn can_join(problem: &Problem, place: &Place, first: &Marked<'_>, second: &Marked<'_>) -> bool {
    problem.place.as_ref().is_some_and(|own| own.file == place.file)
        && !first.is_long()
        && !second.is_long()
        && first.whole.start.abs_diff(second.whole.start) < FAR
}

/// All marked locations in one excerpt of the file.
fn joined<'a>(
    first: &Marked<'a>,
    label: &'a str,
    others: &[(&Marked<'a>, &'a str)],
) -> Snippet<'a, Annotation<'a>> {
    let all = || std::iter::once(first).chain(others.iter().map(|(other, _)| *other));
    let start = all().map(|marked| marked.whole.start).min().unwrap_or_default();
    let end = all().map(|marked| marked.whole.end).max().unwrap_or_default();
    let moved = |span: &Range<usize>| span.start - start..span.end - start;
    let snippet = Snippet::source(&first.text[start..end])
        .path(first.name)
        .line_start(all().map(|marked| marked.line).min().unwrap_or_default())
        .annotation(AnnotationKind::Primary.span(moved(&first.span)).label(label));
    others.iter().fold(snippet, |snippet, (other, label)| {
        snippet.annotation(AnnotationKind::Context.span(moved(&other.span)).label(*label))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_was_cut_is_not_counted_as_if_it_were_whole() {
        let found = Problem::new(ProblemKind::BadValue, "wrong").at(Place::at(0, 0..1), "here");
        let problems = [found.clone(), found, Problem::new(ProblemKind::More, "and more")];
        assert_eq!(total(&problems), "more than 2 problems in 1 file");
    }

    #[test]
    fn any_place_in_any_text_can_be_shown() {
        // Covers a byte order mark, a Windows line end, a character of two bytes, and a missing line end.
        for text in ["", "\u{feff}a = 1", "a = 1\r\nb =\r\n", "é = \"é\"\n", "\n\n"] {
            let sources = [SourceFile { name: "a.toml".into(), text: text.into() }];
            for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                let whole = Problem::new(ProblemKind::Syntax, "wrong").at(Place::at(0, at..text.len()), "x");
                let shown = render(&[whole.clone().related(Place::at(0, 0..at), "y")], &sources, false);
                assert!(shown.contains("a.toml:"), "{text:?} at {at}: {shown}");
            }
        }
    }
}
