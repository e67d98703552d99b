//! Small files of each kind by hand, their mistakes, and texts of any kind.

mod any_text;
mod dot;
mod starpu;
mod wfcommons;

use std::fmt::Write as _;

use numasim_study::Problem;

use super::{Imported, check_room, count, words};
use crate::testing::{located, rows};

/// The graph, and the warnings with the lines that they are about.
fn seen(text: &str, imported: &Imported) -> String {
    let mut seen = rows(&imported.graph);
    for warning in &imported.warnings {
        let span = warning.place.as_ref().and_then(|place| place.span.clone()).expect("a place");
        let line = 1 + text[..span.start].matches('\n').count();
        let _ = writeln!(seen, "warning: line {line}: {}", warning.message);
    }
    seen
}

fn refused(text: &str, read: Result<Imported, Vec<Problem>>) -> String {
    located(&read.expect_err("problems"), &[("file", text)])
}

#[test]
fn what_needs_more_than_four_gib_is_refused_with_what_it_needs() {
    assert_eq!(check_room("", [1 << 22, 1024], 0), Ok(()));
    let problems = check_room("", [5 << 20, 1024], 0).expect_err("too much");
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.message.contains("5.0 GiB"), "{}", problem.message);
}

#[test]
fn words_and_bytes_are_counted() {
    assert_eq!(words("a_1 -> b.2 [flop=1e9];\n\"größe\" "), 5);
    assert_eq!(count("{{}}", b'{'), 2);
}
