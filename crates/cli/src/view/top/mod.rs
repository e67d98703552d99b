//! What `numasim top` shows: an agent's status as a frame of a terminal, a pure function of what was seen.
//!
//! ```text
//! heading     the agent, its policy, connections that are over
//! nodes       busy part of the cores of each node
//! apps        threads per node, progress, what is waited for, the order in force
//! orders      the last ones, newest first
//! ```

mod apps;
mod heading;
mod orders;
mod seen;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(crate) use seen::{Seen, Traffic};

/// How a frame is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// With colours, bold and faint text.
    pub(crate) color: bool,
    /// With characters beyond ASCII.
    pub(crate) unicode: bool,
    /// The first application that is shown.
    pub(crate) from: usize,
    /// Said at the bottom: the keys, or what is wrong.
    pub(crate) foot: Foot,
}

/// The last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foot {
    /// There is nobody to press keys.
    None,
    /// Which keys there are.
    Keys,
    /// The agent is gone; this is what was seen last.
    Gone,
}

impl Look {
    fn paint(self, style: Style) -> Style {
        if self.color { style } else { Style::new() }
    }

    fn strong(self) -> Style {
        self.paint(Style::new().bold())
    }

    fn faint(self) -> Style {
        self.paint(Style::new().dimmed())
    }

    fn good(self) -> Style {
        self.paint(AnsiColor::Green.on_default())
    }

    fn doubtful(self) -> Style {
        self.paint(AnsiColor::Yellow.on_default())
    }

    fn bad(self) -> Style {
        self.paint(AnsiColor::Red.on_default())
    }

    /// Where text is cut.
    fn cut(self) -> &'static str {
        if self.unicode { "…" } else { "~" }
    }

    /// `text` in at most `columns`.
    fn fit(self, text: &str, columns: usize) -> String {
        // Names come from programs that nobody knows.
        let text = numasim_model::text::visible(text);
        if text.width() <= columns {
            return text.into_owned();
        }
        let mut short = String::new();
        for character in text.chars() {
            let longer = format!("{short}{character}{}", self.cut());
            if longer.width() > columns {
                break;
            }
            short.push(character);
        }
        if columns > 0 { short + self.cut() } else { short }
    }
}

/// Rows that everything needs, if there is room.
pub(crate) fn height(seen: &Seen, look: Look) -> usize {
    let foot = usize::from(look.foot != Foot::None);
    heading::lines(seen, look, 80).len() + 2 + seen.status.apps.len().max(1) + orders::height(seen) + foot
}

/// A line of a frame: pieces of text, each with its colours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<(String, Style)>);

impl Line {
    fn styled(text: impl Into<String>, style: Style) -> Self {
        Self(vec![(text.into(), style)])
    }

    fn plain(text: impl Into<String>) -> Self {
        Self::styled(text, Style::new())
    }

    /// With another piece behind the others.
    fn then(mut self, text: impl Into<String>, style: Style) -> Self {
        self.0.push((text.into(), style));
        self
    }

    /// Without what lies beyond so many columns.
    fn cut(&mut self, columns: usize) {
        let mut left = columns;
        for (text, _) in &mut self.0 {
            let past = text.char_indices().find_map(|(at, character)| {
                let width = character.width().unwrap_or(0);
                if width > left {
                    left = 0;
                    return Some(at);
                }
                left -= width;
                None
            });
            text.truncate(past.unwrap_or(text.len()));
        }
    }

    /// As a terminal paints it.
    pub(crate) fn painted(&self) -> String {
        use std::fmt::Write as _;
        let mut painted = String::new();
        for (text, style) in &self.0 {
            // A string takes everything.
            let _ = write!(painted, "{style}{text}{style:#}");
        }
        painted
    }

    /// The text alone.
    fn text(&self) -> String {
        self.0.iter().map(|(text, _)| text.as_str()).collect()
    }
}

/// The lines of a frame of this size: `height` of them at most, none wider than `width`.
pub(crate) fn draw(seen: &Seen, look: Look, width: usize, height: usize) -> Vec<Line> {
    let foot = usize::from(look.foot != Foot::None).min(height);
    let mut lines = heading::lines(seen, look, width);
    lines.truncate(height - foot);
    let left = height - foot - lines.len();
    // Orders have what applications leave, and three lines at least.
    let wanted = 2 + seen.status.apps.len().max(1);
    let for_orders = orders::height(seen).min(left.saturating_sub(wanted).max(4.min(left / 3)));
    let table = apps::lines(seen, look, width, left - for_orders);
    lines.extend(table);
    lines.extend(orders::lines(seen, look, width, for_orders));
    lines.truncate(height - foot);
    if foot > 0 {
        lines.resize(height - 1, Line::default());
        lines.push(foot_line(seen, look, width));
    }
    for line in &mut lines {
        line.cut(width);
    }
    lines
}

/// Everything as plain text of so many columns, each line ended.
pub(crate) fn text(seen: &Seen, look: Look, columns: usize) -> String {
    let mut text = String::new();
    for line in draw(seen, look, columns, height(seen, look)) {
        text.push_str(line.text().trim_end());
        text.push('\n');
    }
    while text.ends_with("\n\n") {
        text.pop();
    }
    text
}

fn foot_line(seen: &Seen, look: Look, width: usize) -> Line {
    let (text, style) = match look.foot {
        Foot::Gone => (
            format!("nobody listens at {} any more: this was seen last; q ends", seen.status.socket),
            look.bad(),
        ),
        Foot::Keys | Foot::None => ("q ends   up, down: more applications".to_owned(), look.faint()),
    };
    Line::styled(look.fit(&text, width), style)
}

#[cfg(test)]
mod tests;
