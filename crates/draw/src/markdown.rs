//! Text for people as GitHub-flavoured Markdown: tables, headings, lists, notes.
//!
//! Text is made in two steps. Code that creates a table, a heading or a note marks its lines and leaves their cells unchanged: a
//! [`Grid`](super::grid::Grid) renders itself in this form if [`Style::markdown`](super::Style) is set. At the end [`document`] writes
//! everything, and escapes every text in one place: names come from files, and none of them can introduce markup.

/// Starts a line that is not plain text.
const MARK: char = '\u{1e}';
/// Separates cells.
const BETWEEN: char = '\u{1f}';

/// The kind of a marked line.
const HEADING: char = 'h';
const HEADER: char = 't';
const ROW: char = 'r';
const NOTE: char = 'n';
const VERBATIM: char = 'v';

/// A heading, the first level being 1.
pub(super) fn heading(level: usize, text: &str) -> String {
    marked(HEADING, &format!("{}{}", level.clamp(1, 6), cell(text)))
}

/// A note, separate from the text around it.
pub(super) fn note(text: &str) -> String {
    marked(NOTE, &cell(text))
}

/// Lines that stay unchanged, in a fixed-width font.
pub(super) fn verbatim(text: &str) -> String {
    text.lines().map(|line| marked(VERBATIM, &cell(line))).collect()
}

/// A table: titles of columns, and whether their cells are right-aligned. Empty columns without a title are left out.
pub(super) fn table(columns: &[(&str, bool)], rows: &[Vec<String>]) -> String {
    let is_used = |c: &usize| {
        !columns[*c].0.trim().is_empty()
            || rows.iter().any(|row| row.get(*c).is_some_and(|cell| !cell.is_empty()))
    };
    let used: Vec<usize> = (0..columns.len()).filter(is_used).collect();
    let cells = |of: &dyn Fn(usize) -> String| {
        used.iter().fold(String::new(), |cells, &c| cells + &BETWEEN.to_string() + &cell(&of(c)))
    };
    let align: String = used.iter().map(|&c| if columns[c].1 { 'r' } else { 'l' }).collect();
    let mut text = marked(HEADER, &(align + &cells(&|c| columns[c].0.to_owned())));
    for row in rows {
        text += &marked(ROW, &cells(&|c| row.get(c).cloned().unwrap_or_default()));
    }
    text
}

fn marked(kind: char, text: &str) -> String {
    format!("{MARK}{kind}{text}\n")
}

/// Text on one line, without any marks.
fn cell(text: &str) -> String {
    // A title may be broken inside a word.
    text.replace([MARK, BETWEEN], "")
        .replace("-\n", "-")
        .replace("_\n", "_")
        .replace(['\n', '\r'], " ")
        .trim_end()
        .to_owned()
}

/// Markdown of a text with marked lines. Between them, blocks of one line are paragraphs and blocks of several are lists. A line that
/// starts with a space continues the previous one, after a semicolon if that ends with a word.
pub fn document(text: &str) -> String {
    let mut page = Page::default();
    for line in text.lines() {
        let mut rest = line.chars();
        match (rest.next(), rest.next()) {
            (Some(MARK), Some(kind)) => page.marked(kind, rest.as_str()),
            _ if line.trim().is_empty() => page.end_of_block(),
            _ => page.plain(line),
        }
    }
    page.end_of_block();
    page.text
}

/// The state of the output.
#[derive(Default)]
struct Page {
    text: String,
    plain: Vec<String>,
    verbatim: Vec<String>,
    /// Columns of the table whose rows may follow.
    columns: Option<usize>,
}

impl Page {
    fn plain(&mut self, line: &str) {
        if !self.verbatim.is_empty() || self.columns.is_some() {
            self.end_of_block();
        }
        match self.plain.last_mut() {
            Some(before) if line.starts_with(char::is_whitespace) => {
                before.push_str(if before.ends_with(|c: char| c.is_alphanumeric()) { "; " } else { " " });
                before.push_str(line.trim());
            }
            _ => self.plain.push(line.trim().to_owned()),
        }
    }

    fn marked(&mut self, kind: char, text: &str) {
        match (kind, self.columns) {
            (VERBATIM, _) if !self.verbatim.is_empty() => self.verbatim.push(text.to_owned()),
            (ROW, Some(columns)) => self.row(text.split(BETWEEN).skip(1).map(escaped), columns),
            _ => {
                self.end_of_block();
                self.begin(kind, text);
            }
        }
    }

    fn begin(&mut self, kind: char, text: &str) {
        match kind {
            HEADING => {
                let level = text.chars().next().and_then(|level| level.to_digit(10)).unwrap_or(1) as usize;
                let mut words = escaped(text.get(1..).unwrap_or_default());
                // At the end of a heading it would belong to the markup.
                if words.ends_with('#') {
                    words.insert(words.len() - 1, '\\');
                }
                self.block(&format!("{} {words}\n", "#".repeat(level.clamp(1, 6))));
            }
            NOTE => self.block(&format!("> {}\n", first_escaped(text))),
            VERBATIM => self.verbatim.push(text.to_owned()),
            HEADER => {
                let mut cells = text.split(BETWEEN);
                let align = cells.next().unwrap_or_default();
                let rules = align.chars().map(|align| if align == 'r' { "---:" } else { ":---" }.to_owned());
                let columns = align.chars().count();
                self.block("");
                self.row(cells.map(escaped), columns);
                self.row(rules, columns);
                self.columns = Some(columns);
            }
            _ => self.plain(text),
        }
    }

    /// The number of cells is that of the table's columns.
    fn row(&mut self, cells: impl Iterator<Item = String>, columns: usize) {
        self.text.push('|');
        for cell in cells.chain(std::iter::repeat(String::new())).take(columns) {
            self.text.push(' ');
            self.text.push_str(&cell);
            self.text.push_str(" |");
        }
        self.text.push('\n');
    }

    /// An empty line separates blocks.
    fn block(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn end_of_block(&mut self) {
        self.columns = None;
        let plain = std::mem::take(&mut self.plain);
        match plain.as_slice() {
            [] => {}
            [only] => self.block(&format!("{}\n", first_escaped(only))),
            several => {
                let list = several
                    .iter()
                    .fold(String::new(), |list, line| list + "- " + &first_escaped(line) + "\n");
                self.block(&list);
            }
        }
        let verbatim = std::mem::take(&mut self.verbatim);
        if !verbatim.is_empty() {
            // Longer than any row of back-quotes inside.
            let ticks =
                verbatim.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(ticks.max(2) + 1);
            self.block(&format!("{fence}text\n{}\n{fence}\n", verbatim.join("\n")));
        }
    }
}

/// Text inside a line, without any markup.
fn escaped(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut safe = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        let is_markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '$' => true,
            // Inside a word it is not markup.
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
            // `&lt;`
            '&' => next.is_alphanumeric() || next == '#',
            // `![`
            '!' => next == '[',
            _ => false,
        };
        if is_markup {
            safe.push('\\');
        }
        safe.push(c);
        before = c;
    }
    safe
}

/// The same at the start of a block, where some characters make headings and lists.
fn first_escaped(text: &str) -> String {
    let text = escaped(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text[digits..].chars().next();
    match text.chars().next() {
        Some('#' | '+' | '-' | '=') => format!("\\{text}"),
        Some(_) if digits > 0 && matches!(after, Some('.' | ')')) => {
            format!("{}\\{}", &text[..digits], &text[digits..])
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        let name = "a|b <i> *c* d\\\ne_f _g_ &amp; h\u{1e}r\u{1f}";
        assert_eq!(
            document(&table(&[("name", false)], &[vec![name.to_owned()]])),
            "| name |\n| :--- |\n| a\\|b \\<i\\> \\*c\\* d\\\\ e_f \\_g\\_ \\&amp; hr |\n"
        );
        assert_eq!(document("# no heading\n"), "\\# no heading\n");
        assert_eq!(document("12. no list\n"), "12\\. no list\n");
    }

    #[test]
    fn a_fake_row_has_the_columns_of_the_table_and_no_markup() {
        let table = table(&[("a", false)], &[]);
        let forged = format!("{table}\u{1e}r\u{1f}<b>\u{1f}second\n");
        assert_eq!(document(&forged), "| a |\n| :--- |\n| \\<b\\> |\n");
        // Without a table it is text.
        assert_eq!(document("\u{1e}r\u{1f}x|y\n"), "\u{1f}x\\|y\n");
    }

    #[test]
    fn lines_are_paragraphs_or_lists_and_indented_ones_continue() {
        let text = "Machine: m\nModel:   d\n\nOne line.\n\nBound: 1 s\n       and so on\nEvents: 3\n";
        assert_eq!(
            document(text),
            "- Machine: m\n- Model: d\n\nOne line.\n\n- Bound: 1 s; and so on\n- Events: 3\n"
        );
    }

    #[test]
    fn headings_notes_and_verbatim_text() {
        let text = format!("{}{}{}", heading(2, "even * #"), note("Caution: x"), verbatim("a  b\n```\n"));
        assert_eq!(document(&text), "## even \\* \\#\n\n> Caution: x\n\n````text\na  b\n```\n````\n");
    }
}
