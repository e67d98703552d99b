//! YAML with the place of each value, restricted to the part of the language used in manifests, which
//! includes JSON. Anchors, aliases, tags, complex keys and plain text over several lines are rejected.

use std::ops::Range;

use numasim_study::Problem;

use super::{problem, shown};

/// Maximum nesting: a pod has about ten levels.
const DEEPEST: usize = 60;

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) value: Value,
    /// Its bytes in the text.
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .find_map(|(known, node)| (known == key && node.value != Value::Null).then_some(node)),
            _ => None,
        }
    }

    /// The value at a path of keys.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&Node> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a list; empty for another value.
    pub(super) fn list(&self) -> &[Node] {
        match &self.value {
            Value::List(nodes) => nodes,
            _ => &[],
        }
    }
}

/// The documents of a text that are not empty.
pub(super) fn documents(text: &str, file: usize) -> Result<Vec<Node>, Problem> {
    let mut reader = Reader { text, file, lines: Vec::new(), next: 0 };
    let mut found = Vec::new();
    let mut start = 0;
    for raw in text.split_inclusive('\n') {
        let content = raw.trim_end();
        if content == "---" || content == "..." || content.starts_with("--- ") {
            found.extend(reader.document()?);
        } else {
            let indent = content.len() - content.trim_start_matches(' ').len();
            reader.lines.push(Line { start, indent, from: start + indent, end: start + content.len() });
        }
        start += raw.len();
    }
    found.extend(reader.document()?);
    Ok(found)
}

/// A line, or the unread rest of one.
#[derive(Clone, Copy)]
struct Line {
    /// The start of the line.
    start: usize,
    /// The column of `from`.
    indent: usize,
    from: usize,
    end: usize,
}

struct Reader<'t> {
    text: &'t str,
    file: usize,
    lines: Vec<Line>,
    next: usize,
}

impl<'t> Reader<'t> {
    fn document(&mut self) -> Result<Option<Node>, Problem> {
        self.next = 0;
        let found = match self.peek() {
            None => None,
            Some(line) => Some(self.block(line.indent, 0)?),
        };
        if let Some(line) = self.peek() {
            return Err(self.wrong(line, "this line has another indentation than the ones above"));
        }
        self.lines.clear();
        Ok(found)
    }

    fn content(&self, line: Line) -> &'t str {
        &self.text[line.from..line.end]
    }

    fn wrong(&self, line: Line, why: impl Into<String>) -> Problem {
        problem(self.file, line.from..line.end.max(line.from), why)
            .hint("import what the tool itself printed, or JSON")
    }

    /// The next nonempty line.
    fn peek(&mut self) -> Option<Line> {
        while let Some(&line) = self.lines.get(self.next) {
            let content = self.content(line);
            if !content.is_empty() && !content.starts_with('#') {
                return Some(line);
            }
            self.next += 1;
        }
        None
    }

    /// Reads the value that begins at the next line, with this indentation.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Node, Problem> {
        let Some(line) = self.peek() else { return Ok(Node { value: Value::Null, span: 0..0 }) };
        if depth > DEEPEST {
            return Err(self.wrong(line, format!("more than {DEEPEST} levels")));
        }
        let content = self.content(line);
        if content.starts_with('\t') {
            return Err(self.wrong(line, "YAML is indented with blanks, not with tabs"));
        }
        if is_item(content) {
            self.list(indent, depth)
        } else if self.key(line)?.is_some() {
            self.map(indent, depth)
        } else {
            self.inline(line.from, depth)
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Node, Problem> {
        let (mut nodes, mut span) = (Vec::new(), None);
        while let Some(line) =
            self.peek().filter(|line| line.indent == indent && is_item(self.content(*line)))
        {
            let begins = *span.get_or_insert(line.from);
            let rest = &self.content(line)[1..];
            let blanks = rest.len() - rest.trim_start().len();
            if rest.trim().is_empty() || rest.trim_start().starts_with('#') {
                self.next += 1;
                nodes.push(self.below(indent + 1, line, depth)?);
            } else {
                // The rest of the line is the first line of the entry.
                let step = 1 + blanks;
                self.lines[self.next] = Line { indent: indent + step, from: line.from + step, ..line };
                nodes.push(self.block(indent + step, depth + 1)?);
            }
            span = Some(begins);
        }
        let start = span.unwrap_or_default();
        let end = nodes.last().map_or(start, |node: &Node| node.span.end);
        Ok(Node { value: Value::List(nodes), span: start..end.max(start) })
    }

    /// The value on the lines below the line of its key.
    fn below(&mut self, least: usize, line: Line, depth: usize) -> Result<Node, Problem> {
        match self.peek() {
            Some(below) if below.indent >= least => self.block(below.indent, depth + 1),
            _ => Ok(Node { value: Value::Null, span: line.from..line.end }),
        }
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Node, Problem> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut begins = None;
        while let Some(line) =
            self.peek().filter(|line| line.indent == indent && !is_item(self.content(*line)))
        {
            begins.get_or_insert(line.from);
            let Some((key, after)) = self.key(line)? else {
                return Err(self.wrong(line, "a key and a colon are missing"));
            };
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(self.wrong(line, format!("the key `{}` appears twice", shown(&key))));
            }
            let rest = self.text[after..line.end].trim_start();
            let from = line.end - rest.len();
            let node = if rest.is_empty() || rest.starts_with('#') {
                self.next += 1;
                // Lists may have the same indentation as their key.
                let is_list =
                    self.peek().is_some_and(|below| below.indent == indent && is_item(self.content(below)));
                self.below(if is_list { indent } else { indent + 1 }, line, depth)?
            } else if rest.starts_with(['|', '>']) {
                self.literal(line, indent, from)
            } else {
                self.inline(from, depth)?
            };
            entries.push((key, node));
        }
        let start = begins.unwrap_or_default();
        let end = entries.last().map_or(start, |(_, node)| node.span.end);
        Ok(Node { value: Value::Map(entries), span: start..end.max(start) })
    }

    /// The key of a line, and its end after the colon.
    fn key(&self, line: Line) -> Result<Option<(String, usize)>, Problem> {
        let content = self.content(line);
        if content.starts_with(['{', '[']) {
            return Ok(None);
        }
        if content.starts_with(['"', '\'']) {
            let (text, end) = self.string(line.from)?;
            // Text over several lines is not a key.
            let rest = self.text.get(end..line.end).unwrap_or_default().trim_start();
            let after = line.end - rest.len() + 1;
            return Ok((rest == ":" || rest.starts_with(": ")).then_some((text, after)));
        }
        if content.starts_with(['&', '*', '!', '?', '%']) {
            return Err(self.wrong(line, "anchors, aliases, tags and directives of YAML are not read"));
        }
        let end = match content.find(": ") {
            Some(at) => at,
            None if content.ends_with(':') => content.len() - 1,
            None => return Ok(None),
        };
        // A comment is not a key.
        let key = &content[..end];
        Ok((!key.contains(" #")).then(|| (key.trim_end().to_owned(), line.from + end + 1)))
    }

    /// The lines of a block of text.
    fn literal(&mut self, line: Line, indent: usize, from: usize) -> Node {
        self.next += 1;
        let mut text = String::new();
        let mut end = line.end;
        let mut own = None;
        while let Some(&below) = self.lines.get(self.next) {
            let is_blank = below.from >= below.end;
            if !is_blank && below.indent <= indent {
                break;
            }
            if !is_blank {
                let start = *own.get_or_insert(below.indent);
                text.push_str(&self.text[below.start + start.min(below.indent)..below.end]);
                end = below.end;
            }
            text.push('\n');
            self.next += 1;
        }
        Node { value: Value::Scalar(text), span: from..end }
    }

    /// A value that begins here, followed by the end of the line.
    fn inline(&mut self, from: usize, depth: usize) -> Result<Node, Problem> {
        let line = self.lines[self.next];
        let is_flow = self.text[from..].starts_with(['{', '[', '"', '\'']);
        if !is_flow {
            self.next += 1;
            let content = &self.text[from..line.end];
            if content.starts_with(['&', '*', '!', '@', '`']) {
                return Err(self.wrong(line, "anchors, aliases and tags of YAML are not read"));
            }
            let content = content.split_once(" #").map_or(content, |(before, _)| before).trim_end();
            return Ok(Node { value: plain(content), span: from..from + content.len() });
        }
        let (node, end) = self.flow(from, depth)?;
        while self.lines.get(self.next).is_some_and(|line| line.end < end) {
            self.next += 1;
        }
        let last = self.lines.get(self.next).copied().unwrap_or(line);
        let rest = self.text.get(end..last.end).unwrap_or_default().trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            return Err(self.wrong(Line { from: end, ..last }, "a value ends, and more follows in the line"));
        }
        self.next += 1;
        Ok(node)
    }

    /// A value in the notation of JSON, and its end.
    fn flow(&self, from: usize, depth: usize) -> Result<(Node, usize), Problem> {
        let start = self.skip(from);
        let cut = || problem(self.file, from..self.text.len(), "this value does not end");
        let Some(first) = self.text[start..].chars().next() else { return Err(cut()) };
        if depth > DEEPEST {
            return Err(problem(
                self.file,
                start..start + first.len_utf8(),
                format!("more than {DEEPEST} levels"),
            ));
        }
        match first {
            '"' | '\'' => {
                let (text, end) = self.string(start)?;
                Ok((Node { value: Value::Scalar(text), span: start..end }, end))
            }
            '{' | '[' => {
                let close = if first == '{' { '}' } else { ']' };
                let (mut nodes, mut entries): (Vec<Node>, Vec<(String, Node)>) = Default::default();
                let mut at = self.skip(start + 1);
                while !self.text[at..].starts_with(close) {
                    let (node, end) = self.flow(at, depth + 1)?;
                    at = self.skip(end);
                    if first == '{' {
                        let key = node.text().map(str::to_owned);
                        let (Some(key), true) = (key, self.text[at..].starts_with(':')) else {
                            return Err(problem(self.file, node.span, "a key and a colon belong here"));
                        };
                        let (value, end) = self.flow(at + 1, depth + 1)?;
                        entries.push((key, value));
                        at = self.skip(end);
                    } else {
                        nodes.push(node);
                    }
                    if self.text[at..].starts_with(',') {
                        at = self.skip(at + 1);
                    } else if !self.text[at..].starts_with(close) {
                        return Err(if at >= self.text.len() {
                            cut()
                        } else {
                            let length = self.text[at..].chars().next().map_or(0, char::len_utf8);
                            problem(self.file, at..at + length, format!("a comma or `{close}` belongs here"))
                        });
                    }
                }
                let value = if first == '{' { Value::Map(entries) } else { Value::List(nodes) };
                Ok((Node { value, span: start..at + 1 }, at + 1))
            }
            _ => {
                let rest = &self.text[start..];
                let mut end = 0;
                for (at, c) in rest.char_indices() {
                    let next = rest[at + c.len_utf8()..].chars().next();
                    let is_colon =
                        c == ':' && next.is_none_or(|next| next.is_whitespace() || ",[]{}\"".contains(next));
                    if is_colon || matches!(c, ',' | ']' | '}' | '{' | '[' | '\n' | '\r') {
                        break;
                    }
                    end = at + c.len_utf8();
                }
                let text = rest[..end].trim_end();
                if text.is_empty() || text.starts_with(['&', '*', '!']) {
                    let length = first.len_utf8();
                    return Err(problem(self.file, start..start + length, "a value belongs here"));
                }
                Ok((Node { value: plain(text), span: start..start + text.len() }, start + text.len()))
            }
        }
    }

    /// Skips blanks, line ends and comments.
    fn skip(&self, mut at: usize) -> usize {
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let trimmed = rest.trim_start();
            at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return at;
            }
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Text in quotes, and its end.
    fn string(&self, start: usize) -> Result<(String, usize), Problem> {
        let mut text = String::new();
        let mut chars = self.text[start..].char_indices();
        let quote = chars.next().map_or('"', |(_, quote)| quote);
        while let Some((at, c)) = chars.next() {
            match c {
                '\'' if quote == '\'' => {
                    if self.text[start + at + 1..].starts_with('\'') {
                        chars.next();
                        text.push('\'');
                    } else {
                        return Ok((text, start + at + 1));
                    }
                }
                '"' if quote == '"' => return Ok((text, start + at + 1)),
                '\\' if quote == '"' => {
                    let escaped = chars.next().map(|(_, escaped)| escaped);
                    let plain = match escaped {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some('r') => '\r',
                        Some('0') => '\0',
                        Some('b') => '\u{8}',
                        Some('f') => '\u{c}',
                        Some(same @ ('"' | '\\' | '/' | ' ')) => same,
                        Some('u') => {
                            let digits: String = chars.by_ref().take(4).map(|(_, digit)| digit).collect();
                            // Single surrogates become the replacement character.
                            let code = u32::from_str_radix(&digits, 16).unwrap_or(0xFFFD);
                            char::from_u32(code).unwrap_or('\u{FFFD}')
                        }
                        _ => {
                            return Err(problem(self.file, start + at..start + at + 1, "an unknown escape"));
                        }
                    };
                    text.push(plain);
                }
                c => text.push(c),
            }
        }
        Err(problem(self.file, start..self.text.len(), "this text has no closing quote"))
    }
}

fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// A word without quotes.
fn plain(text: &str) -> Value {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        Value::Null
    } else {
        Value::Scalar(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short form in Rust's debug notation.
    fn short(node: &Node) -> String {
        match &node.value {
            Value::Null => "null".to_owned(),
            Value::Scalar(text) => format!("{text:?}"),
            Value::List(nodes) => format!("[{}]", nodes.iter().map(short).collect::<Vec<_>>().join(" ")),
            Value::Map(entries) => {
                let of = |(key, node): &(String, Node)| format!("{key}={}", short(node));
                format!("{{{}}}", entries.iter().map(of).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn read(text: &str) -> Vec<String> {
        documents(text, 0).expect("YAML").iter().map(short).collect()
    }

    #[test]
    fn blocks_flows_and_documents_are_read() {
        let text = "# head\na: 1 # one\nb:\n  - x: \"q: #\"\n    y: ''\n  -   z\n  -\n    k: v\nc:\n- 1\n- [2, {d: 'it''s'}]\ne: |\n  mode: A\n\n  nodes: 0\nf:\ng: {}\n---\n---\n{\"h\": [1,\n 2], \"i\": null}\n";
        assert_eq!(
            read(text),
            [
                "{a=\"1\" b=[{x=\"q: #\" y=\"\"} \"z\" {k=\"v\"}] c=[\"1\" [\"2\" {d=\"it's\"}]] e=\"mode: A\\n\\nnodes: 0\\n\" f=null g={}}",
                "{h=[\"1\" \"2\"] i=null}"
            ]
        );
        assert_eq!(read("- - 1\n  - 2\n- 3"), ["[[\"1\" \"2\"] \"3\"]"]);
        assert_eq!(read(""), Vec::<String>::new());
        assert_eq!(
            read("image: postgres:17\nurl: http://x/#y"),
            ["{image=\"postgres:17\" url=\"http://x/#y\"}"]
        );
        assert_eq!(read("\"a\\u0041\\n\": 'b'"), ["{aA\n=\"b\"}"]);
    }

    #[test]
    fn values_have_their_bytes() {
        let text = "spec:\n  cpu: \"4\"\n";
        let found = documents(text, 0).expect("YAML");
        let cpu = found[0].at(&["spec", "cpu"]).expect("there");
        assert_eq!(&text[cpu.span.clone()], "\"4\"");
    }

    #[test]
    fn unsupported_text_is_rejected_with_its_place() {
        for (text, why) in [
            ("a: &x 1", "anchors"),
            ("a: *x", "anchors"),
            ("a: 1\n   b: 2", "indentation"),
            ("a: [1, 2", "does not end"),
            ("a: {b 1}", "a key and a colon"),
            ("a: \"x", "no closing quote"),
            ("a: \"x\" y", "more follows"),
            ("a: 1\na: 2", "twice"),
            ("\ta: 1", "tabs"),
            ("a:\n  - b\n  c: d", "indentation"),
        ] {
            let problem = documents(text, 0).expect_err(text);
            assert!(problem.message.contains(why), "{text:?}: {}", problem.message);
        }
        let deep = "[".repeat(100_000);
        assert!(documents(&deep, 0).is_err());
        let deep: String = (0..2000).map(|level| " ".repeat(level) + "a:\n").collect();
        assert!(documents(&deep, 0).is_err());
        assert!(documents(&"- ".repeat(100_000), 0).is_err());
    }
}
