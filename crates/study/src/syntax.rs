//! From text to a TOML table, with helpful messages for the parser's errors.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::census::{self, Grammar, MAX_MISTAKES, MAX_TABLES, Mistake, TooMuch};
use super::keys::{Shape, root};
use super::log::Source;
use super::problem::{Place, Problem, ProblemKind};

/// Parses one file. Returns the readable part; problems go to the log.
pub(super) fn parse(source: Source<'_>) -> Spanned<DeTable<'_>> {
    match census::too_much(source.text) {
        None => parse_up_to(source, source.text.len()),
        Some(TooMuch::Mistakes(end)) => {
            let end = end_of_line(source.text, end);
            let table = parse_up_to(source, end);
            let message = format!("there are more than {MAX_MISTAKES} mistakes; what follows is not read");
            // The end of the muted text in this line, or in the file.
            let muted = source.log.is_muted(source.file, end);
            let place = if muted { Place::whole(source.file) } else { source.place(&(end..end)) };
            source.log.syntax_is_broken();
            source.log.report(
                Problem::new(ProblemKind::Limit, message)
                    .at(place, if muted { "" } else { "up to here" })
                    .hint("is this a TOML file?"),
            );
            table
        }
        Some(TooMuch::Tables(excess)) => {
            let message = format!("there are too many tables; at most {MAX_TABLES} are read");
            source.log.syntax_is_broken();
            source.log.report(
                Problem::new(ProblemKind::Limit, message)
                    .at(source.place(&excess), "one too many")
                    .hint("put fewer of them into one run"),
            );
            Spanned::new(0..0, DeTable::new())
        }
    }
}

/// Parses the text before `end`. A mistake that exists only because the text ends there is ignored.
fn parse_up_to(source: Source<'_>, end: usize) -> Spanned<DeTable<'_>> {
    let cut = end < source.text.len();
    let source = Source { text: &source.text[..end], ..source };
    let (table, mut errors) = DeTable::parse_recoverable(source.text);
    if cut {
        let said_at_the_end = source.text.trim_end_matches(['\n', ' ', '\t']).len();
        errors.retain(|error| error.span().is_some_and(|span| span.start < said_at_the_end));
    }
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    if errors.is_empty() {
        return table;
    }
    let grammar = Grammar::of(source.text);
    let known = errors.into_iter().map(|error| (grammar.at(error.span().as_ref()), error));
    let (duplicates, errors): (Vec<_>, Vec<_>) = known.partition(|(mistake, _)| *mistake == Mistake::Again);
    let gave_up = places_of_giving_up(&errors);
    let mut quiet = 0..0;
    for (mistake, error) in &errors {
        let at = clip(source.text, error.span().unwrap_or(0..0));
        if at.start < quiet.end {
            continue;
        }
        if source.log.is_full() {
            source.log.report(Problem::new(ProblemKind::Syntax, error.message()));
            break;
        }
        source.log.syntax_is_broken();
        let (problem, covers) = explain(source, table.get_ref(), (mistake, error), &gave_up, &at);
        source.log.report(problem);
        source.log.mute(source.file, covers.clone());
        quiet = covers;
    }
    for (_, error) in &duplicates {
        if source.log.is_full() {
            source.log.report(Problem::new(ProblemKind::DuplicateKey, error.message()));
            break;
        }
        let at = clip(source.text, error.span().unwrap_or(0..0));
        let line = line_of(source.text, at.start).1;
        let repeated_table = line.trim_start().starts_with('[') && !line.contains('=');
        // The search for the first one takes time, so it is skipped if it would not be shown.
        if !source.log.is_muted(source.file, at.start) {
            source.log.report(duplicate(source, &at, repeated_table));
        }
        if repeated_table {
            // The keys below a repeated header would all be reported as duplicates.
            source.log.mute(source.file, at.start..next_header(source.text, at.end));
        }
    }
    table
}

/// A span that is inside the text and on character boundaries.
fn clip(text: &str, span: Range<usize>) -> Range<usize> {
    let fit = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = fit(span.start);
    start..fit(span.end).max(start)
}

/// The end of the line around `at`, or `at` if that is not near.
fn end_of_line(text: &str, at: usize) -> usize {
    const NEAR: usize = 1000;
    let at = clip(text, at..at).start;
    let near = clip(text, at..at + NEAR);
    text[near].find('\n').map_or(at, |newline| at + newline + 1)
}

/// Start and text of the line around `at`.
fn line_of(text: &str, at: usize) -> (usize, &str) {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    (start, text.get(start..end).unwrap_or_default().trim_end_matches('\r'))
}

fn is_header(line: &str) -> bool {
    let line = line.trim();
    let name =
        line.split('#').next().unwrap_or_default().trim().trim_start_matches('[').trim_end_matches(']');
    line.starts_with('[') && name.chars().any(char::is_alphabetic) && !name.contains(['[', ',', '='])
}

fn next_header(text: &str, from: usize) -> usize {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if at > from && is_header(line) {
            return at;
        }
        at += line.len();
    }
    text.len()
}

fn duplicate(source: Source<'_>, at: &Range<usize>, repeated_table: bool) -> Problem {
    let text = source.text;
    let word = &text[at.clone()];
    let (start, line) = line_of(text, at.start);
    let problem = if repeated_table {
        let header = line.split('#').next().unwrap_or_default().trim();
        let shape = root::TABLE.key(word).map(|key| key.shape);
        let kind = if matches!(shape, Some(Shape::Table(_))) {
            ProblemKind::SecondTable
        } else {
            ProblemKind::DuplicateKey
        };
        let hint = if matches!(shape, Some(Shape::Tables(..))) {
            format!("write a list entry with two brackets each time: `[[{word}]]`")
        } else {
            "keep one of them".to_owned()
        };
        Problem::new(kind, format!("`{header}` is given twice")).hint(hint)
    } else {
        Problem::new(ProblemKind::DuplicateKey, format!("the key `{word}` is given twice"))
            .hint("keep one of them")
    };
    let problem = problem.at(source.place(at), "given again here");
    match first_of(text, word, at.start, start, repeated_table) {
        Some(first) => problem.related(source.place(&first), "first given here"),
        None => problem,
    }
}

/// The place at which `word` was first given: before `at` in the same line, or at the start of an earlier
/// line of the same table.
fn first_of(text: &str, word: &str, at: usize, line: usize, header: bool) -> Option<Range<usize>> {
    let is_key = |found: usize| {
        let before = text[..found].chars().next_back().unwrap_or('\n');
        let after = text[found + word.len()..].trim_start().chars().next();
        let opens = if header { '[' } else { ' ' };
        (before == opens || (!header && matches!(before, '\n' | '{' | ',' | '\t')))
            && matches!((after, header), (Some('=' | '.'), false) | (Some(']'), true))
    };
    let last_in = |from: usize, to: usize| {
        let part = &text[from..to];
        part.match_indices(word).map(|(found, _)| from + found).filter(|&f| is_key(f)).last()
    };
    if let Some(found) = last_in(line, at) {
        return Some(found..found + word.len());
    }
    let mut end = line;
    while end > 0 {
        let (start, content) = line_of(text, end - 1);
        if let Some(found) = last_in(start, end) {
            return Some(found..found + word.len());
        }
        if !header && is_header(content) {
            return None;
        }
        end = start;
    }
    None
}

/// The problem for a mistake, and the text that it makes unreadable.
fn explain(
    source: Source<'_>,
    table: &DeTable<'_>,
    (mistake, error): (&Mistake, &Error),
    gave_up: &[usize],
    at: &Range<usize>,
) -> (Problem, Range<usize>) {
    let text = source.text;
    // A missing bracket is noticed far below the place where it was opened.
    if let Some(found) = unclosed(source, table, gave_up, at) {
        return found;
    }
    let (line_start, line) = line_of(text, at.start);
    let line_end = line_start + line.len();
    let begin = line_start + (line.len() - line.trim_start().len());
    let value = || value_around(text, at);
    let rest = at.start..line_end.max(at.start);
    let (message, span, label, hint) = match mistake {
        Mistake::OpenText(open) => {
            let message = "this text has no closing quote".to_owned();
            (message, *open..line_end.max(*open), "opened here", "close it on the same line".to_owned())
        }
        Mistake::NoValue => {
            let hint = "write a value, or remove the line".to_owned();
            ("there is no value after `=`".to_owned(), at.clone(), "no value", hint)
        }
        Mistake::NoWord => {
            let word = super::names::shown(text[value()].trim());
            let hint = if word.eq_ignore_ascii_case("nan") || word.to_lowercase().contains("inf") {
                "write a finite number"
            } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                "write a number alone, without its unit; put text in double quotes"
            } else {
                "put text in double quotes; write a number in digits"
            };
            let message = format!("`{word}` is not a value");
            (message, value(), "neither a number nor quoted text", hint.to_owned())
        }
        Mistake::NoPair => {
            let trimmed = line.trim();
            let hint = if trimmed.starts_with("//") || trimmed.starts_with(';') {
                "comments begin with `#`"
            } else if trimmed.contains(':') && !trimmed.contains('=') {
                "write `key = value`, with `=` in place of `:`"
            } else {
                "write `key = value`; put a key with spaces in quotes; comments begin with `#`"
            };
            let span = begin..begin + trimmed.len();
            ("this line is not `key = value`".to_owned(), span, "not understood", hint.to_owned())
        }
        Mistake::OpenHeader(brackets) => {
            let (span, hint) = (begin..at.end.max(begin), format!("end the line with `{brackets}`"));
            ("this table header is not closed".to_owned(), span, "not closed", hint)
        }
        Mistake::MoreText if text[at.start..].starts_with(',') => {
            let hint = "write a decimal point in numbers: `1.5`".to_owned();
            ("there is a comma after the value".to_owned(), rest, "not understood", hint)
        }
        Mistake::MoreText => {
            let hint = "put each key on its own line".to_owned();
            ("unexpected text after the value".to_owned(), rest, "not understood", hint)
        }
        Mistake::NoDigit => {
            let hint = "write a digit on each side of the decimal point: `0.5`, `5.0`".to_owned();
            ("this number is not complete".to_owned(), value(), "a digit is missing", hint)
        }
        Mistake::LeadingZero => {
            let hint = "write the number without leading zeros".to_owned();
            ("a number must not start with 0".to_owned(), value(), "starts with 0", hint)
        }
        Mistake::NoName => {
            let hint = "write `key = value`, or a table header such as `[machine]`".to_owned();
            ("a key or the name of a table is missing".to_owned(), at.clone(), "expected a name", hint)
        }
        Mistake::TooDeep => {
            let hint = "no input file needs more than three levels of brackets".to_owned();
            ("brackets are nested too deeply".to_owned(), at.clone(), "too deep", hint)
        }
        Mistake::OpenBracket | Mistake::Again | Mistake::Other => {
            let hint = "see https://toml.io for the file format".to_owned();
            (format!("not valid TOML: {}", error.message()), at.clone(), "here", hint)
        }
    };
    let problem = Problem::new(ProblemKind::Syntax, message).at(source.place(&span), label).hint(hint);
    (problem, line_start..line_end + 1)
}

/// The unquoted value around a span.
fn value_around(text: &str, at: &Range<usize>) -> Range<usize> {
    let stops = |c: char| matches!(c, '=' | ',' | '[' | ']' | '{' | '}' | '\n' | '\r' | '#');
    let start = text[..at.start].rfind(|c: char| stops(c)).map_or(0, |found| found + 1);
    let end = text[at.end..].find(|c: char| stops(c)).map_or(text.len(), |found| at.end + found);
    let value = &text[start..end];
    let begin = start + (value.len() - value.trim_start().len());
    begin..begin + value.trim().len()
}

/// The places at which the parser noticed that a list or an inline table is never closed, ascending like
/// `errors`.
fn places_of_giving_up(errors: &[(Mistake, Error)]) -> Vec<usize> {
    let unclosed = errors.iter().filter(|(mistake, _)| *mistake == Mistake::OpenBracket);
    unclosed.filter_map(|(_, error)| Some(error.span()?.start)).collect()
}

/// A list or inline table around `at` that is never closed.
fn unclosed(
    source: Source<'_>,
    table: &DeTable<'_>,
    gave_up: &[usize],
    at: &Range<usize>,
) -> Option<(Problem, Range<usize>)> {
    let &end = gave_up.get(gave_up.partition_point(|&place| place < at.start))?;
    let start = open_at(table.values(), end).filter(|&start| start <= at.start)?;
    let end = clip(source.text, start..end).end;
    let (what, bracket) = if source.text[start..].starts_with('[') { ("list", ']') } else { ("table", '}') };
    let (line_start, line) = line_of(source.text, start);
    let first_line = start..(line_start + line.trim_end().len()).max(start + 1);
    let problem = Problem::new(ProblemKind::Syntax, format!("this {what} is never closed"))
        .at(source.place(&first_line), "opened here")
        .hint(format!("close it with `{bracket}`"));
    let (surprise, _) = line_of(source.text, at.start);
    let problem = if surprise > start && at.start < end {
        problem.related(source.place(at), "this does not belong to it")
    } else {
        problem
    };
    Some((problem, line_start..end + 1))
}

/// The innermost list or table that ends at `end`, where the parser gave up.
fn open_at<'v, 'i: 'v>(
    values: impl IntoIterator<Item = &'v Spanned<DeValue<'i>>>,
    end: usize,
) -> Option<usize> {
    values.into_iter().find_map(|value| {
        let inside = match value.get_ref() {
            DeValue::Array(array) => open_at(array.iter(), end),
            DeValue::Table(table) => open_at(table.values(), end),
            _ => return None,
        };
        let span = value.span();
        inside.or((span.end == end && !span.is_empty()).then_some(span.start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Log;

    fn problems(text: &str) -> Vec<(String, String)> {
        let log = Log::default();
        parse(Source { log: &log, file: 0, text });
        let show = |problem: Problem| {
            let span = problem.place.and_then(|place| place.span).unwrap_or(0..0);
            (problem.message, text[span].to_owned())
        };
        log.finish().0.into_iter().map(show).collect()
    }

    #[test]
    fn a_list_that_is_never_closed_is_reported_once_at_its_opening() {
        assert_eq!(
            problems("a = 1\nm = [[1, 2],\n[3, 4]\nb = 2\n[[app]]\nname = \"x\"\n"),
            [("this list is never closed".to_owned(), "[[1, 2],".to_owned())]
        );
    }

    #[test]
    fn mistakes_in_several_lines_are_all_reported() {
        let found: Vec<String> =
            problems("a = \nc = ok\nd = 1,5\nb 2\n").into_iter().map(|(message, _)| message).collect();
        assert_eq!(
            found,
            [
                "there is no value after `=`",
                "`ok` is not a value",
                "there is a comma after the value",
                "this line is not `key = value`"
            ]
        );
    }

    #[test]
    fn a_repeated_table_is_one_problem_not_one_per_key() {
        let found = problems("[machine]\nname = \"a\"\nnodes = 1\n[machine]\nname = \"b\"\nnodes = 2\n");
        assert_eq!(found, [("`[machine]` is given twice".to_owned(), "machine".to_owned())]);
    }

    #[test]
    fn many_broken_lines_give_the_same_number_of_problems_as_a_thousand() {
        for line in ["a\n", "[[[\n", "\"\n", "\r", "x = = 1\n"] {
            let [few, many] = [1000, 50_000].map(|lines| problems(&line.repeat(lines)));
            assert_eq!(few.len(), 201, "{line:?}");
            assert!(few == many, "{line:?}");
        }
        // All repeat the first one; the second is reported, and hides the following ones.
        let headers = problems(&"[machine]\n".repeat(50_000));
        assert_eq!(headers, [("`[machine]` is given twice".to_owned(), "machine".to_owned())]);
    }

    #[test]
    fn a_long_text_full_of_mistakes_is_read_up_to_the_thousandth() {
        for (line, all_in_one) in [("=\n", false), ("\r", false), ("=", true)] {
            let found = problems(&line.repeat(500_000));
            if all_in_one {
                // All on one line, which is reported once.
                assert_eq!(found.len(), 2, "{line:?}");
                assert!(found[1].0.contains("more than 1000 mistakes"), "{}", found[1].0);
            } else {
                assert_eq!(found.len(), 201, "{line:?}");
            }
        }
    }

    #[test]
    fn a_list_that_is_closed_later_is_not_reported_as_open() {
        let text = format!("m = [\n{}]\n[[app]]\n", "x,\n".repeat(200_000));
        let found = problems(&text);
        assert!(found.iter().all(|(message, _)| !message.contains("never closed")), "{:?}", &found[..2]);
        assert_eq!(found.len(), 201);
    }

    #[test]
    fn the_first_table_above_the_limit_is_rejected() {
        let found = problems(&"[[app]]\n".repeat(MAX_TABLES + 5));
        let message = "there are too many tables; at most 400000 are read";
        assert_eq!(found, [(message.to_owned(), "[[".to_owned())]);
    }

    #[test]
    fn four_million_brackets_are_rejected_without_deep_recursion() {
        assert_eq!(problems(&"[".repeat(4_000_000)).len(), 1);
        assert_eq!(problems(&format!("a = {}", "[".repeat(1_000_000))).len(), 1);
        assert_eq!(problems(&format!("a = {}", "{a=".repeat(50_000))).len(), 1);
    }
}
