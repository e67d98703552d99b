//! What the effort of an unproven search has brought so far. What more would bring nobody knows: it is not guessed.

use numasim_sim::search::Spent;

use super::Answer;
use super::others::NO_BREAK;
use super::table::gap;

impl Answer<'_> {
    /// Gaps meanwhile, and how to go on; begins with a space. Nothing where there is nothing to say.
    pub(super) fn effort_in_words(&self) -> String {
        self.effort.as_ref().map_or_else(String::new, in_words)
    }
}

fn in_words(spent: &Spent) -> String {
    let percent = |part: f64| format!("{:.0} %", part * 100.0);
    let so_far = match spent.marks.as_slice() {
        [] => format!(" It ended with {} of its effort.", percent(spent.part)),
        marks => {
            let mut words: Vec<String> = marks
                .iter()
                .map(|mark| format!("{} after {}", gap(mark.gap()), percent(mark.effort)))
                .collect();
            if let Some(first) = words.first_mut() {
                first.push_str(" of the effort");
            }
            format!(" The gap was {}; it ended with {}.", words.join(", "), percent(spent.part))
        }
    };
    so_far.replace(" %", &format!("{NO_BREAK}%")) + " To go on: --time-limit 60."
}

#[cfg(test)]
mod tests {
    use numasim_sim::search::Mark;

    use super::*;

    fn mark(effort: f64, bound: f64) -> Mark {
        Mark { effort, value: 100.0, bound, elapsed_s: 1.0 }
    }

    #[test]
    fn gaps_meanwhile_are_told_and_nothing_is_guessed() {
        // (125 - 100) / 125 and (110 - 100) / 110
        let spent = Spent { part: 0.98, marks: vec![mark(0.26, 125.0), mark(0.5, 110.0)] };
        let text = in_words(&spent).replace(NO_BREAK, " ");
        assert_eq!(
            text,
            " The gap was 20 % after 26 % of the effort, 9.09 % after 50 %; it ended with 98 %. To go on: --time-limit 60."
        );
    }

    #[test]
    fn a_search_that_ended_early_says_how_early() {
        let text = in_words(&Spent { part: 0.031, marks: Vec::new() }).replace(NO_BREAK, " ");
        assert_eq!(text, " It ended with 3 % of its effort. To go on: --time-limit 60.");
    }
}
