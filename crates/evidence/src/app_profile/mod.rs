//! From a run of any program to its `[[app]]`: what counters, page tables and times of a run say about it.
//!
//! Counters of `perf stat` ([`perf`]) and likwid-perfctr ([`likwid`]) or the result of `numasim bench` ([`benched`]) are
//! [`run::Run`]s; from these come the arithmetic intensity ([`intensity`]) and how the program scales ([`scaling`]).
//! `/proc/PID/numa_maps` ([`numa_maps`]) and threads of each node say how its data lies ([`placement`]). [`app_file`] writes
//! what is known, each figure with its source, and says what is not known. Text and values in, values and located problems out.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

pub mod app_file;
pub mod benched;
pub mod intensity;
pub mod likwid;
pub mod numa_maps;
pub mod perf;
pub mod placement;
pub mod run;
pub mod scaling;
pub mod seen;

use std::fmt;

/// How a figure is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Counted or timed while the program ran.
    Measured,
    /// Made from something that was counted and stands for it.
    Estimated,
    /// Written by a person.
    Given,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Measured => "measured",
            Self::Estimated => "estimated",
            Self::Given => "given",
        })
    }
}
