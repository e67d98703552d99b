//! From a run of any program to its `[[app]]`: evaluates counters, page tables and times of a run.
//!
//! Counters of `perf stat` ([`crate::formats::perf`]) and likwid-perfctr ([`crate::formats::likwid_perfctr`])
//! or the result of `numasim bench` ([`benched`]) become [`crate::formats::counted::Run`]s. These yield the
//! arithmetic intensity ([`scaling::intensity`]) and the scaling of the program ([`scaling`]).
//! `/proc/PID/numa_maps` ([`crate::formats::numa_maps`]) and the threads of each node yield its data
//! placement ([`placement`]). [`app_file`] writes the known values, each with its source, and lists the
//! unknown ones. The input is text and values; the output is values and problems with their places.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

pub mod app_file;
pub mod benched;
pub mod placement;
pub mod scaling;
