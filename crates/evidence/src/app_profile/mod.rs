//! From a run of any program to its `[[app]]`: what counters, page tables and times of a run say about it.
//!
//! Counters of `perf stat` ([`crate::formats::perf`]) and likwid-perfctr ([`crate::formats::likwid_perfctr`]) or the result of `numasim bench` ([`benched`]) are
//! [`crate::formats::counted::Run`]s; from these come the arithmetic intensity ([`scaling::intensity`]) and how the program scales ([`scaling`]).
//! `/proc/PID/numa_maps` ([`crate::formats::numa_maps`]) and threads of each node say how its data lies ([`placement`]). [`app_file`] writes
//! what is known, each figure with its source, and says what is not known. Text and values in, values and located problems out.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

pub mod app_file;
pub mod benched;
pub mod placement;
pub mod scaling;
