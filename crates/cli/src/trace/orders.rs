//! When a trace says that each application was told something.

use std::io::BufRead;

use numasim_model::units::Seconds;

use super::lines::{Lines, Numbered};
use super::record::Line;
use super::replay::{no_trace, unreadable};
use crate::failure::Failure;

/// The time of each order since whoever wrote the trace began, and whom it was for.
///
/// # Errors
/// A file that is no trace, located. A last line that does not end is left out.
pub(crate) fn orders(name: &str, from: impl BufRead) -> Result<Vec<(Seconds, String)>, Failure> {
    let mut lines = Lines::new(from);
    let mut found = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next().map_err(|error| unreadable(name, error))? {
        let Numbered::Whole(number, text) = line else { continue };
        match serde_json::from_str(&text) {
            Ok(Line::Start(_)) if is_first => {}
            Ok(Line::Decision(decision)) if !is_first => {
                let at = Seconds::new(decision.time_s);
                found.extend(decision.actions.into_iter().map(|action| (at, action.app)));
            }
            Ok(_) => return Err(no_trace(name, &format!("line {number} is not where it belongs"))),
            Err(error) => return Err(no_trace(name, &format!("line {number}: {error}"))),
        }
        is_first = false;
    }
    Ok(found)
}
