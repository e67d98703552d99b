//! The memory policy of a mapping, as `mpol_to_str` of the kernel (mm/mempolicy.c) writes it.
//!
//! A mode (`default`, `prefer`, `prefer (many)`, `bind`, `interleave`, `weighted interleave`, `local`), perhaps flags
//! (`=static`, `=relative`, `=balancing`, `=static|balancing`), perhaps nodes (`:0-3,6`).

/// Modes, but for what follows `prefer` and `weighted`.
const MODES: [&str; 6] = ["default", "prefer", "bind", "interleave", "weighted", "local"];

/// A policy while its words are read.
#[derive(Debug, Default)]
pub(super) struct Policy(String);

impl Policy {
    /// Whether this word belongs to it: the first one does, and the second word of the modes that have two.
    pub(super) fn goes_on_with(&self, word: &str) -> bool {
        match self.0.as_str() {
            // A mode has no `=` but before its flags. Modes of later kernels have other names.
            "" => MODES.contains(&mode(word)) || !word.contains('='),
            "prefer" => word.starts_with("(many)"),
            "weighted" => mode(word) == "interleave",
            _ => false,
        }
    }

    pub(super) fn push(&mut self, word: &str) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(word);
    }

    /// The policy, if there is one.
    pub(super) fn finish(self) -> Option<String> {
        Some(self.0).filter(|policy| !policy.is_empty())
    }
}

/// The word without flags and nodes.
fn mode(word: &str) -> &str {
    word.split(['=', ':']).next().unwrap_or_default()
}
