//! The search for the simplest beside that for the best: what it may lose, and its share of time and effort.

use crate::search::settings::Settings;

/// The part of the time limit, or without one of the effort, that the search for the simplest has: one of so many.
pub const PART_OF_SIMPLEST: u32 = 5;

/// How much of the best the simplest may lose where nobody says it, as a share.
pub const WITHIN: f64 = 0.01;

/// The share of the best that the simplest may lose.
///
/// # Errors
/// What to write instead: it is from 0 to below 1.
pub fn within(share: f64) -> Result<f64, &'static str> {
    let known = (0.0..1.0).contains(&share);
    known.then_some(share).ok_or("write a share from 0 to below 1, such as 0.01 for 1 %")
}

/// The settings of the search for the simplest beside one for the best with `settings`.
pub(super) fn settings_beside(settings: &Settings) -> Settings {
    Settings { top: 0, effort: settings.effort / u64::from(PART_OF_SIMPLEST), ..*settings }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_best_may_be_lost_but_not_all_of_it() {
        assert_eq!([within(0.0), within(0.999)], [Ok(0.0), Ok(0.999)]);
        assert!([-0.1, 1.0, f64::NAN, f64::INFINITY].into_iter().all(|share| within(share).is_err()));
    }
}
