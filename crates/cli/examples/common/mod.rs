//! Common parts of the reproductions of papers: statements compared with results, their table, machines and results in files.

pub(crate) mod files;
pub(crate) mod machines;
pub(crate) mod statements;
pub(crate) mod statistics;
pub(crate) mod table;
pub(crate) mod windows;

/// The reason why there are no results, in words.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
