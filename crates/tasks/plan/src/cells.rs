//! A line as cells with `;` between them.

use crate::fault::{Fault, File, Shown};

/// The largest amount: of seconds more than the universe is old, of bytes more than there are. Sums of any number of rows stay finite.
const MOST: f64 = 1e18;

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) file: File,
    pub(crate) line: u64,
}

/// The `N` cells of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells<'t, const N: usize> {
    at: At,
    cells: [&'t str; N],
}

impl At {
    pub(crate) fn fault(self, message: impl Into<String>) -> Fault {
        Fault::new(self.file, self.line, message)
    }

    /// The cells of a line.
    ///
    /// # Errors
    /// More or fewer than the `names` say.
    pub(crate) fn cells<'t, const N: usize>(
        self,
        text: &'t str,
        names: [&str; N],
    ) -> Result<Cells<'t, N>, Fault> {
        let mut cells = [""; N];
        let mut found = 0;
        for cell in text.split(';') {
            if let Some(place) = cells.get_mut(found) {
                *place = cell;
            }
            found += 1;
        }
        if found == N {
            return Ok(Cells { at: self, cells });
        }
        let plural = if found == 1 { "" } else { "s" };
        let message = format!("this line has {found} cell{plural} instead of {N}");
        Err(self.fault(message).hint(format!("a line of {} is {}", self.file.name(), names.join(";"))))
    }
}

impl<'t, const N: usize> Cells<'t, N> {
    /// The text of a cell.
    pub(crate) fn text(&self, cell: usize) -> &'t str {
        self.cells.get(cell).copied().unwrap_or_default()
    }

    /// A fault of a cell.
    pub(crate) fn fault(&self, cell: usize, message: impl Into<String>) -> Fault {
        self.at.fault(message).of(cell)
    }

    /// A whole number; `what` begins the message.
    pub(crate) fn number(&self, cell: usize, what: &str) -> Result<u64, Fault> {
        let text = self.text(cell);
        // `parse` takes "+1", which nobody writes and which would not be written again.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits).ok_or_else(|| {
            let message = format!("{what} is '{}', not a whole number", Shown(text));
            self.fault(cell, message).hint("write a number such as 0 or 12")
        })
    }

    /// A number from 0 to [`MOST`]; `what` begins the message.
    pub(crate) fn amount(&self, cell: usize, what: &str) -> Result<f64, Fault> {
        let text = self.text(cell);
        match text.parse::<f64>() {
            // Adding 0 takes the sign from -0.
            Ok(value) if (0.0..=MOST).contains(&value) => Ok(value + 0.0),
            read => {
                let why = match read {
                    Ok(value) if value < 0.0 => "below 0",
                    Ok(value) if value.is_finite() => "above 1e18",
                    Ok(_) => "no finite number",
                    Err(_) => "no number",
                };
                let message = format!("{what} is '{}', which is {why}", Shown(text));
                Err(self.fault(cell, message).hint("write a number from 0 to 1e18"))
            }
        }
    }
}
