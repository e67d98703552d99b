//! What an event of `perf` stands for.

/// Which counters count memory traffic; where several do, the first of these is taken, as all see the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Traffic {
    /// Column accesses of the memory controllers of Intel servers, 64 B each.
    Cas,
    /// Column accesses of the memory controllers of AMD (Zen 4 and later), 64 B each.
    Umc,
    /// Free-running counters of the memory controllers of Intel's desktop and other processors, 64 B each.
    FreeRunning,
}

/// Where bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
    Both,
}

/// What an event stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    /// FLOP for each count. `width` is the place in [`WIDTHS`] for events that count one kind of instruction.
    Flop { each: f64, covers: &'static [usize] },
    /// Bytes of memory.
    Memory(Traffic, Direction),
    /// A load or store that missed the last cache: one line of 64 B, as an estimate.
    LastCacheMiss,
    /// Time that passed.
    Duration,
    /// Nothing that is needed here.
    Other,
}

/// Instructions of `fp_arith_inst_retired`, with the FLOP of each: an FMA counts twice (Intel SDM, volume 3, and the JSON
/// events of linux/tools/perf).
pub(super) const WIDTHS: [(&str, f64); 8] = [
    ("scalar_double", 1.0),
    ("scalar_single", 1.0),
    ("128b_packed_double", 2.0),
    ("128b_packed_single", 4.0),
    ("256b_packed_double", 4.0),
    ("256b_packed_single", 8.0),
    ("512b_packed_double", 8.0),
    ("512b_packed_single", 16.0),
];
/// Single widths by their place in [`WIDTHS`].
const ALONE: [&[usize]; 8] = [&[0], &[1], &[2], &[3], &[4], &[5], &[6], &[7]];
/// Events that count several widths with equal FLOP.
const TOGETHER: [(&str, f64, &[usize]); 3] =
    [("scalar", 1.0, &[0, 1]), ("4_flops", 4.0, &[3, 4]), ("8_flops", 8.0, &[5, 6])];
/// AMD counts FLOP, not instructions.
const AMD: &str = "fp_ret_sse_avx_ops.all";

/// The event without its PMU, modifiers and capitals: `cpu_core/LLC-load-misses/u` and `LLC-load-misses:u` are
/// `llc-load-misses`. With it, the PMU: `uncore_imc_0`.
fn plain(event: &str) -> (String, String) {
    let event = event.to_ascii_lowercase();
    if let Some((pmu, rest)) = event.split_once('/') {
        let name = rest.split(['/', ',']).find(|part| !part.is_empty() && *part != pmu);
        return (pmu.to_owned(), name.unwrap_or_default().to_owned());
    }
    (String::new(), event.split(':').next().unwrap_or_default().to_owned())
}

/// What an event stands for.
pub(super) fn meaning(event: &str) -> Meaning {
    use Direction::{Both, Read, Write};
    let (pmu, name) = plain(event);
    if let Some(width) = name.strip_prefix("fp_arith_inst_retired.") {
        if let Some(at) = WIDTHS.iter().position(|(known, _)| *known == width) {
            return Meaning::Flop { each: WIDTHS[at].1, covers: ALONE[at] };
        }
        let together = TOGETHER.iter().find(|(known, ..)| *known == width);
        return together.map_or(Meaning::Other, |&(_, each, covers)| Meaning::Flop { each, covers });
    }
    if name == AMD {
        return Meaning::Flop { each: 1.0, covers: &[] };
    }
    match name.as_str() {
        "duration_time" => return Meaning::Duration,
        "llc-load-misses" | "llc-store-misses" => return Meaning::LastCacheMiss,
        "unc_m_cas_count.rd" => return Meaning::Memory(Traffic::Cas, Read),
        "unc_m_cas_count.wr" => return Meaning::Memory(Traffic::Cas, Write),
        "unc_m_cas_count.all" => return Meaning::Memory(Traffic::Cas, Both),
        _ => {}
    }
    let direction = match name.as_str() {
        "cas_count_read" | "data_read" | "data_reads" | "umc_cas_cmd.rd" => Read,
        "cas_count_write" | "data_write" | "data_writes" | "umc_cas_cmd.wr" => Write,
        "data_total" | "umc_cas_cmd.all" => Both,
        _ => return Meaning::Other,
    };
    if name.starts_with("umc_cas_cmd") {
        Meaning::Memory(Traffic::Umc, direction)
    } else if !pmu.starts_with("uncore_imc") {
        Meaning::Other
    } else if name.starts_with("cas_count") {
        Meaning::Memory(Traffic::Cas, direction)
    } else {
        Meaning::Memory(Traffic::FreeRunning, direction)
    }
}

/// Bytes of one of these units; without a unit the events count lines of 64 B.
pub(super) fn bytes_each(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "64Bytes" => 64.0,
        "B" | "Bytes" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        "MB" => 1e6,
        "GB" => 1e9,
        _ => return None,
    })
}

/// Seconds of one of these units; `duration_time` without one is in nanoseconds.
pub(super) fn seconds_each(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "ns" | "nsec" => 1e-9,
        "us" | "usec" => 1e-6,
        "ms" | "msec" => 1e-3,
        "s" | "sec" => 1.0,
        _ => return None,
    })
}

/// Words that stand between a count and its event.
pub(super) fn is_unit(word: &str) -> bool {
    const OTHERS: [&str; 7] = ["Joules", "J", "C", "W", "%", "Hz", "KHz"];
    bytes_each(word).is_some() || seconds_each(word).is_some() || OTHERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_their_pmu_and_modifiers() {
        use Direction::{Read, Write};
        for (event, expected) in [
            ("fp_arith_inst_retired.512b_packed_single:u", Meaning::Flop { each: 16.0, covers: &[7] }),
            ("FP_ARITH_INST_RETIRED.SCALAR_DOUBLE", Meaning::Flop { each: 1.0, covers: &[0] }),
            ("fp_arith_inst_retired.4_flops", Meaning::Flop { each: 4.0, covers: &[3, 4] }),
            ("fp_arith_inst_retired.vector", Meaning::Other),
            ("cpu_core/LLC-load-misses/u", Meaning::LastCacheMiss),
            ("uncore_imc/cas_count_read/", Meaning::Memory(Traffic::Cas, Read)),
            ("uncore_imc_3/cas_count_write/", Meaning::Memory(Traffic::Cas, Write)),
            ("uncore_imc_free_running_0/uncore_imc_free_running,data_read/", Meaning::Other),
            ("uncore_imc_free_running/data_read/", Meaning::Memory(Traffic::FreeRunning, Read)),
            ("amd_umc_0/umc_cas_cmd.rd/", Meaning::Memory(Traffic::Umc, Read)),
            ("other/cas_count_read/", Meaning::Other),
            ("instructions", Meaning::Other),
            ("", Meaning::Other),
        ] {
            assert_eq!(meaning(event), expected, "{event}");
        }
        assert!(is_unit("MiB") && is_unit("msec") && !is_unit("cycles"));
    }
}
