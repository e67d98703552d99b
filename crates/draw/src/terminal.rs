//! The properties of a terminal: colours, characters, width.

use anstyle::{Ansi256Color, AnsiColor};

use super::figures::FULL;
use super::markdown;
use super::palette::terminal_colour_of;

/// A narrower terminal wraps the lines itself.
const NARROWEST: usize = 60;

/// Colour, character set and width of the text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Emit colours.
    pub color: bool,
    /// Draw with Unicode; otherwise only with ASCII.
    pub unicode: bool,
    /// Columns of the terminal; `None` if the text goes elsewhere.
    pub width: Option<usize>,
    /// Tables and headings are marked for [`document`](super::markdown::document), which converts the text to Markdown; no colours, no
    /// bars, and lines are not wrapped.
    pub markdown: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, unicode: true, width: None, markdown: false }
    }
}

/// The quality of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// As hoped.
    Good,
    /// Worth a look.
    Doubtful,
    /// A failure.
    Bad,
}

/// Lines and corners of a box.
pub struct Frame {
    /// Line to the right.
    pub across: &'static str,
    /// Line downwards.
    pub down: &'static str,
    /// Corners, left and right.
    pub top: [&'static str; 2],
    /// Where a line across meets the sides, left and right.
    pub middle: [&'static str; 2],
    /// Corners, left and right.
    pub bottom: [&'static str; 2],
}

const UNICODE_FRAME: Frame =
    Frame { across: "─", down: "│", top: ["╭", "╮"], middle: ["├", "┤"], bottom: ["╰", "╯"] };
const ASCII_FRAME: Frame =
    Frame { across: "-", down: "|", top: ["+", "+"], middle: ["+", "+"], bottom: ["+", "+"] };

impl Style {
    /// For a terminal of `width` columns, or for text that goes elsewhere; Unicode unless the locale from `variable` names another
    /// character set.
    ///
    /// Colours are always present; the writer of the text removes them if they are not wanted.
    pub fn of_locale(width: Option<usize>, variable: impl Fn(&str) -> Option<String>) -> Self {
        Self { color: true, unicode: locale_is_unicode(variable), width, markdown: false }
    }

    /// Columns to fill with tables and pictures.
    pub fn columns(&self) -> usize {
        const OFF_TERMINAL: usize = 100;
        // The Markdown viewer wraps the lines.
        const UNBROKEN: usize = 1 << 24;
        if self.markdown {
            return UNBROKEN;
        }
        self.width.unwrap_or(OFF_TERMINAL).max(NARROWEST)
    }

    /// `text` in `paint`, if colours are wanted.
    pub fn painted(&self, paint: anstyle::Style, text: &str) -> String {
        if self.color && !text.is_empty() { format!("{paint}{text}{paint:#}") } else { text.to_owned() }
    }

    /// `text` in the colour of its grade.
    pub fn graded(&self, grade: Option<Grade>, text: &str) -> String {
        let colour = match grade {
            None => return text.to_owned(),
            Some(Grade::Good) => AnsiColor::Green,
            Some(Grade::Doubtful) => AnsiColor::Yellow,
            Some(Grade::Bad) => AnsiColor::Red,
        };
        self.painted(anstyle::Style::new().fg_color(Some(colour.into())), text)
    }

    /// Headings and results.
    pub fn strong(&self, text: &str) -> String {
        self.painted(anstyle::Style::new().bold(), text)
    }

    /// The title of a part of the text, on a separate line; the first level is 1.
    pub fn heading(&self, level: usize, text: &str) -> String {
        if self.markdown { markdown::heading(level, text) } else { format!("{}\n", self.strong(text)) }
    }

    /// A text with meaningful lines and columns, unchanged.
    pub fn verbatim(&self, text: String) -> String {
        if self.markdown { markdown::verbatim(&text) } else { text }
    }

    /// Text for orientation.
    pub fn faint(&self, text: &str) -> String {
        self.painted(anstyle::Style::new().dimmed(), text)
    }

    /// `text` for orientation, padded to `columns`; in Markdown with a colon.
    pub fn faint_padded(&self, text: &str, columns: usize) -> String {
        if self.markdown {
            return format!("{text}:");
        }
        format!("{}{}", self.faint(text), " ".repeat(columns.saturating_sub(text.len())))
    }

    /// The colour of the `index`th letter.
    pub fn in_colour_of(&self, index: usize, text: &str) -> String {
        let colour = Ansi256Color(terminal_colour_of(index));
        self.painted(anstyle::Style::new().fg_color(Some(colour.into())), text)
    }

    /// A bar of `cells` characters: `parts` are fractions of it, drawn one after the other, each in a different shade. A full bar is
    /// highlighted.
    pub fn bar(&self, parts: [f64; 2], cells: usize) -> String {
        if self.markdown {
            return String::new();
        }
        let shades = if self.unicode { ["█", "▒"] } else { ["#", "="] };
        let rest = if self.unicode { "·" } else { "." };
        let sum = (parts[0] + parts[1]).clamp(0.0, 1.0);
        let filled = whole_cells(sum, cells);
        let first = whole_cells(parts[0], cells).min(filled);
        let drawn = shades[0].repeat(first) + &shades[1].repeat(filled - first);
        let drawn = if sum >= FULL {
            self.painted(anstyle::Style::new().fg_color(Some(AnsiColor::Red.into())), &drawn)
        } else {
            drawn
        };
        drawn + &self.faint(&rest.repeat(cells - filled))
    }

    /// The characters of boxes.
    pub fn frame(&self) -> &'static Frame {
        if self.unicode { &UNICODE_FRAME } else { &ASCII_FRAME }
    }

    /// The character for lines that lead up, down, left and right.
    pub fn joint(&self, ways: [bool; 4]) -> &'static str {
        if !self.unicode {
            return "+";
        }
        match ways {
            [false, true, false, true] => "┌",
            [false, true, true, false] => "┐",
            [true, false, false, true] => "└",
            [true, false, true, false] => "┘",
            [false, true, true, true] => "┬",
            [true, false, true, true] => "┴",
            [true, true, false, true] => "├",
            [true, true, true, false] => "┤",
            [true, true, false, false] => "│",
            [false, false, ..] => "─",
            _ => "┼",
        }
    }

    /// One thread.
    pub fn thread(&self) -> &'static str {
        if self.unicode { "●" } else { "o" }
    }

    /// One core without a thread.
    pub fn idle(&self) -> &'static str {
        if self.unicode { "·" } else { "." }
    }

    /// Many of something.
    pub fn times(&self) -> &'static str {
        if self.unicode { "×" } else { "x" }
    }

    /// A gap wider than between words.
    pub fn wide_gap(&self) -> &'static str {
        if self.markdown { "; " } else { "   " }
    }

    /// From the core to the memory it reads.
    pub fn arrow(&self) -> &'static str {
        if self.unicode { "→" } else { "->" }
    }
}

/// The first locale variable that is set decides, as in POSIX. If none is set, Unicode is used.
fn locale_is_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &&str| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Any value above 0 is visible; the bar is full only if the value is.
fn whole_cells(fraction: f64, cells: usize) -> usize {
    if fraction <= 0.0 {
        return 0;
    }
    if fraction >= FULL {
        return cells;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to cells")]
    let rounded = (fraction * cells as f64).round() as usize;
    rounded.clamp(1, cells.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_only_when_the_resource_is() {
        let style = Style::default();
        assert_eq!(style.bar([1.0, 0.0], 4), "████");
        assert_eq!(style.bar([0.99, 0.0], 4), "███·");
        assert_eq!(style.bar([0.001, 0.0], 4), "█···");
        assert_eq!(style.bar([0.0, 0.0], 4), "····");
        // a quarter for its own threads, half of it for remote ones
        assert_eq!(style.bar([0.25, 0.5], 4), "█▒▒·");
    }

    #[test]
    fn a_locale_of_another_character_set_gets_ascii() {
        let with = |name: &'static str, value: &'static str| {
            locale_is_unicode(move |asked| (asked == name).then(|| value.to_owned()))
        };
        assert!(with("LANG", "de_AT.UTF-8"));
        assert!(with("LANG", ""));
        assert!(!with("LC_ALL", "C"));
        assert!(!with("LC_CTYPE", "en_US.ISO-8859-1"));
    }

    #[test]
    fn without_colour_text_stays_plain() {
        assert_eq!(Style::default().in_colour_of(3, "D"), "D");
        assert!(Style { color: true, ..Style::default() }.in_colour_of(3, "D").contains("38;5;227"));
    }
}
