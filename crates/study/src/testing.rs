//! Shared parts of the tests of readers: a machine, texts as files, and the problems in them.

use crate::{Problem, ProblemKind, SourceFile};

/// Two nodes of 4 cores.
pub const MACHINE: &str = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 8.5\n";

/// The texts as files named `0.toml`, `1.toml`, ...
pub fn files(texts: &[&str]) -> Vec<SourceFile> {
    let file = |(n, text): (usize, &&str)| SourceFile { name: format!("{n}.toml"), text: (*text).to_owned() };
    texts.iter().enumerate().map(file).collect()
}

/// Kind and marked text of each problem that `read` finds; empty if it reads the texts.
pub fn problems<T>(
    texts: &[&str],
    read: impl Fn(&[SourceFile]) -> Result<T, Vec<Problem>>,
) -> Vec<(ProblemKind, String)> {
    let marked = |problem: Problem| {
        let text = problem.place.and_then(|place| texts.get(place.file)?.get(place.span?));
        (problem.kind, text.unwrap_or_default().to_owned())
    };
    read(&files(texts)).err().unwrap_or_default().into_iter().map(marked).collect()
}

/// The same for the only problem of a text.
///
/// # Panics
/// If there is not exactly one.
pub fn problem<T>(
    text: &str,
    read: impl Fn(&[SourceFile]) -> Result<T, Vec<Problem>>,
) -> (ProblemKind, String) {
    let mut found = problems(&[text], read);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}
