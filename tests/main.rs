//! Tests of the whole program as users and scripts see it. One binary, one module for each subject: each binary costs a
//! link, and Cargo runs them in sequence.
//!
//! `cargo test --test program` runs all, `cargo test --test program check::` those of one subject.

#[cfg(target_os = "linux")]
mod agent;
mod broken;
mod bundle;
mod catalog;
mod check;
mod command_line;
mod common;
mod compare;
#[path = "docs/dark.rs"]
mod dark;
mod detect;
mod discriminate;
mod emit;
mod evaluate;
mod explore;
mod export;
mod fit;
mod formats;
mod fuzzed;
mod guest;
mod import;
mod init;
mod intervals;
mod kept;
mod memory;
mod models;
mod pareto;
mod plan;
mod plot;
mod profile_app;
mod published_figures;
mod random;
mod readme;
mod real_applications;
mod replicated;
mod report;
mod robust;
#[cfg(target_os = "linux")]
mod run;
mod sensitivity;
mod simulate;
mod smt;
mod snapshot;
mod sweep;
mod tasks;
mod tidy;
mod topologies;
mod tree_programs;
mod web;
