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

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style as Paint};
use ratatui::text::{Line, Span};

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
    fn paint(self, paint: Paint) -> Paint {
        if self.color { paint } else { Paint::new() }
    }

    fn strong(self) -> Paint {
        self.paint(Paint::new().add_modifier(Modifier::BOLD))
    }

    fn faint(self) -> Paint {
        self.paint(Paint::new().add_modifier(Modifier::DIM))
    }

    fn good(self) -> Paint {
        self.paint(Paint::new().fg(Color::Green))
    }

    fn doubtful(self) -> Paint {
        self.paint(Paint::new().fg(Color::Yellow))
    }

    fn bad(self) -> Paint {
        self.paint(Paint::new().fg(Color::Red))
    }

    /// Where text is cut.
    fn cut(self) -> &'static str {
        if self.unicode { "…" } else { "~" }
    }

    /// `text` in at most `columns`.
    fn fit(self, text: &str, columns: usize) -> String {
        use unicode_width::UnicodeWidthStr as _;
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

/// Draws everything into `area`, and nothing outside.
pub(crate) fn draw(seen: &Seen, look: Look, area: Rect, buffer: &mut Buffer) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
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
    for (row, line) in lines.iter().take(height - foot).enumerate() {
        put(line, area, row, buffer);
    }
    if foot > 0 {
        put(&foot_line(seen, look, width), area, height - 1, buffer);
    }
}

/// Everything as plain text of so many columns, each line ended.
pub(crate) fn text(seen: &Seen, look: Look, columns: u16) -> String {
    let rows = u16::try_from(height(seen, look)).unwrap_or(u16::MAX);
    let area = Rect::new(0, 0, columns, rows.min(u16::MAX / columns.max(1)));
    let mut buffer = Buffer::empty(area);
    draw(seen, look, area, &mut buffer);
    let mut text = String::new();
    for row in 0..area.height {
        let mut line = String::new();
        // A wide character stands in its first cell, and the next one is empty.
        let mut covered = 0;
        for column in 0..area.width {
            use unicode_width::UnicodeWidthStr as _;
            let symbol = buffer.cell((column, row)).map_or("", ratatui::buffer::Cell::symbol);
            if covered > 0 {
                covered -= 1;
                continue;
            }
            covered = symbol.width().saturating_sub(1);
            line.push_str(symbol);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    while text.ends_with("\n\n") {
        text.pop();
    }
    text
}

fn put(line: &Line, area: Rect, row: usize, buffer: &mut Buffer) {
    let Ok(row) = u16::try_from(row) else { return };
    if row < area.height {
        buffer.set_line(area.x, area.y + row, line, area.width);
    }
}

fn foot_line(seen: &Seen, look: Look, width: usize) -> Line<'static> {
    let (text, paint) = match look.foot {
        Foot::Gone => (
            format!("nobody listens at {} any more: this was seen last; q ends", seen.status.socket),
            look.bad(),
        ),
        Foot::Keys | Foot::None => ("q ends   up, down: more applications".to_owned(), look.faint()),
    };
    Line::from(Span::styled(look.fit(&text, width), paint))
}

#[cfg(test)]
mod tests;
