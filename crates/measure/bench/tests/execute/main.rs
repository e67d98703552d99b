//! Task graphs on this host.

mod common;
mod orders;
mod runs;
