//! Whether there is room for what reading a text makes of it, known before anything is read.
//!
//! Peaks that were measured with long lists of the smallest tasks, in bytes: JSON 580 for each object and as much as the text for each key,
//! DOT 315 for each word, `tasks.rec` 650 for each job and 6 for each byte. What is said here is above them; a text of fewer and longer
//! things needs less.

use numasim_study::{Place, Problem, ProblemKind};

/// Most memory for a graph and what is read of it, in bytes: 4 GiB.
const MOST_BYTES: u64 = 4 << 30;

/// Refuses a text that would need more than 4 GiB: `each` bytes for each of `count` things, and `times` its own length.
pub(super) fn check(text: &str, [count, each]: [usize; 2], times: usize) -> Result<(), Vec<Problem>> {
    let bytes = (count as u64).saturating_mul(each as u64) + (text.len() as u64).saturating_mul(times as u64);
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let message = format!(
        "this graph may need {:.1} GiB of memory to be read; at most {} GiB are taken",
        bytes as f64 / (1_u64 << 30) as f64,
        MOST_BYTES >> 30
    );
    let hint = "write blocks.csv and tasks.csv for `numasim tasks --graph`, which are read in less memory";
    Err(vec![Problem::new(ProblemKind::Limit, message).at(Place::whole(0), "").hint(hint)])
}

/// How often `byte` is there.
pub(super) fn count(text: &str, byte: u8) -> usize {
    text.bytes().filter(|&other| other == byte).count()
}

/// How many words there are: stretches of letters, digits, `_`, `.` and all beyond ASCII.
pub(super) fn words(text: &str) -> usize {
    let mut inside = false;
    text.bytes()
        .filter(|byte| {
            let was_inside = std::mem::replace(
                &mut inside,
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || !byte.is_ascii(),
            );
            inside && !was_inside
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_more_than_four_gib_is_refused_with_what_it_needs() {
        assert_eq!(check("", [1 << 22, 1024], 0), Ok(()));
        let problems = check("", [5 << 20, 1024], 0).expect_err("too much");
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert!(problem.message.contains("5.0 GiB"), "{}", problem.message);
    }

    #[test]
    fn words_and_bytes_are_counted() {
        assert_eq!(words("a_1 -> b.2 [flop=1e9];\n\"größe\" "), 5);
        assert_eq!(count("{{}}", b'{'), 2);
    }
}
