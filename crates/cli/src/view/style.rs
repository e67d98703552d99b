//! How a terminal wants its text: colours, characters, width.

use anstyle::{Ansi256Color, AnsiColor};

/// Colour, character set and width of the text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Emit colours.
    pub(crate) color: bool,
    /// Draw with Unicode; otherwise with ASCII alone.
    pub(crate) unicode: bool,
    /// Columns to fill.
    pub(crate) width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, unicode: true, width: 100 }
    }
}

/// Lines and corners of a box.
pub(super) struct Frame {
    pub(super) across: &'static str,
    pub(super) down: &'static str,
    pub(super) top: [&'static str; 2],
    pub(super) middle: [&'static str; 2],
    pub(super) bottom: [&'static str; 2],
}

const UNICODE_FRAME: Frame =
    Frame { across: "─", down: "│", top: ["╭", "╮"], middle: ["├", "┤"], bottom: ["╰", "╯"] };
const ASCII_FRAME: Frame =
    Frame { across: "-", down: "|", top: ["+", "+"], middle: ["+", "+"], bottom: ["+", "+"] };

/// The palette of Okabe and Ito, distinct for colour-blind readers, as the nearest of the 256 terminal colours.
/// Black is left out, and the dark blue comes last: both vanish on a dark background.
const OKABE_ITO: [u8; 7] = [
    214, // orange          (230, 159, 0)
    74,  // sky blue        (86, 180, 233)
    36,  // bluish green    (0, 158, 115)
    175, // reddish purple  (204, 121, 167)
    166, // vermillion      (213, 94, 0)
    227, // yellow          (240, 228, 66)
    25,  // blue            (0, 114, 178)
];

impl Style {
    /// `text` in `paint`, if colours are wanted.
    pub(super) fn painted(&self, paint: anstyle::Style, text: &str) -> String {
        if self.color && !text.is_empty() { format!("{paint}{text}{paint:#}") } else { text.to_owned() }
    }

    /// Headings and results.
    pub(super) fn strong(&self, text: &str) -> String {
        self.painted(anstyle::Style::new().bold(), text)
    }

    /// What is there for orientation.
    pub(super) fn faint(&self, text: &str) -> String {
        self.painted(anstyle::Style::new().dimmed(), text)
    }

    /// The colour of the `index`th letter.
    pub(super) fn in_colour_of(&self, index: usize, text: &str) -> String {
        let colour = Ansi256Color(OKABE_ITO[index % OKABE_ITO.len()]);
        self.painted(anstyle::Style::new().fg_color(Some(colour.into())), text)
    }

    /// A bar of `cells` characters: `parts` are fractions of it, drawn one after the other, each in its own shade.
    /// A full bar stands out.
    pub(super) fn bar(&self, parts: [f64; 2], cells: usize) -> String {
        let shades = if self.unicode { ["█", "▒"] } else { ["#", "="] };
        let rest = if self.unicode { "·" } else { "." };
        let sum = (parts[0] + parts[1]).clamp(0.0, 1.0);
        let filled = whole_cells(sum, cells);
        let first = whole_cells(parts[0], cells).min(filled);
        let drawn = shades[0].repeat(first) + &shades[1].repeat(filled - first);
        let drawn = if sum >= super::figures::FULL {
            self.painted(anstyle::Style::new().fg_color(Some(AnsiColor::Red.into())), &drawn)
        } else {
            drawn
        };
        drawn + &self.faint(&rest.repeat(cells - filled))
    }

    pub(super) fn frame(&self) -> &'static Frame {
        if self.unicode { &UNICODE_FRAME } else { &ASCII_FRAME }
    }

    /// One thread.
    pub(super) fn thread(&self) -> &'static str {
        if self.unicode { "●" } else { "o" }
    }

    /// One core without a thread.
    pub(super) fn idle(&self) -> &'static str {
        if self.unicode { "·" } else { "." }
    }

    /// Many of something.
    pub(super) fn times(&self) -> &'static str {
        if self.unicode { "×" } else { "x" }
    }

    /// From the core to the memory it reads.
    pub(super) fn arrow(&self) -> &'static str {
        if self.unicode { "→" } else { "->" }
    }
}

/// Something is drawn as soon as there is something; the bar is full only when it is full.
fn whole_cells(fraction: f64, cells: usize) -> usize {
    if fraction <= 0.0 {
        return 0;
    }
    if fraction >= super::figures::FULL {
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
    fn without_colour_text_stays_plain() {
        assert_eq!(Style::default().in_colour_of(3, "D"), "D");
        assert!(Style { color: true, ..Style::default() }.in_colour_of(3, "D").contains("38;5;175"));
    }
}
