//! Which rows of a group are all FLOP and all memory traffic: their names differ from processor to processor.
//!
//! Names are those of likwid's groups (`groups/ARCHITECTURE/*.txt`): `DP [MFLOP/s]` of most, `MFLOP/s` of Sandy Bridge to Broadwell,
//! `FP rate [MFLOP/s]` of Grace, `DP (FP+SVE512) [MFLOP/s]` of A64FX, `DP [MFLOP/s] (AVX512 assumed)` of Knights Landing; the memory is
//! `Memory`, `HBM`, `DDR`, `MCDRAM Memory` or some of its channels. Rows such as `AVX DP [MFLOP/s]` are parts of others.

/// Rows whose rates together are all FLOP.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FlopRows<'t> {
    pub(super) rows: Vec<&'t str>,
    /// They assume how wide the vectors are.
    pub(super) assumed: bool,
}

/// Numbers of each precision, counted apart.
const PRECISIONS: [&str; 5] = ["DP", "SP", "HP", "BF16", "X87"];
/// What stands behind a precision, the surest first; of several assumptions the widest vectors.
const KINDS: [(&str, bool); 8] = [
    ("", false),
    (" (FP+SVE512)", true),
    (" (FP+SVE256)", true),
    (" (FP+SVE128)", true),
    (" (AVX512 assumed)", true),
    (" (AVX assumed)", true),
    (" (SSE assumed)", true),
    (" (SP assumed)", true),
];

/// The rows among these names that are all FLOP; none where there are only parts.
pub(super) fn flop_rows<'t>(names: &[&'t str]) -> FlopRows<'t> {
    let rates: Vec<(&'t str, String)> =
        names.iter().filter_map(|name| Some((*name, flop_rate(name)?))).collect();
    let find = |wanted: &str| rates.iter().find(|(_, key)| *key == wanted).map(|(name, _)| *name);
    if let Some(all) = find("").or_else(|| find("FP rate")) {
        return FlopRows { rows: vec![all], assumed: false };
    }
    let mut found = FlopRows::default();
    for precision in PRECISIONS {
        let of_kind = |(kind, assumed): (&str, bool)| Some((find(&format!("{precision}{kind}"))?, assumed));
        if let Some((row, assumed)) = KINDS.into_iter().find_map(of_kind) {
            found.rows.push(row);
            found.assumed |= assumed;
        }
    }
    found
}

/// The name of a rate of FLOP without its unit: `DP (AVX assumed)`.
fn flop_rate(name: &str) -> Option<String> {
    let unit = ["[MFLOP/s]", "MFLOP/s", "[MFlops/s]", "MFlops/s"];
    let unit = unit.into_iter().find(|unit| name.contains(unit))?;
    Some(name.replace(unit, " ").split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What a row says of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Memory<'t> {
    /// All of it.
    All,
    /// DDR of a processor that has HBM, too.
    Ddr,
    /// High-bandwidth memory.
    Hbm,
    /// Some channels: `channels 0-3`.
    Channels(&'t str),
    /// One direction.
    Reads,
    /// The other.
    Writes,
}

/// How a row counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// MB/s.
    Rate,
    /// GB.
    Volume,
}

/// What a row says of memory; `None` of other rows, such as those of caches.
pub(super) fn memory(name: &str) -> Option<(Memory<'_>, Unit)> {
    let (name, unit) = match name.strip_suffix(']')?.rsplit_once('[')? {
        (name, "MBytes/s" | "MByte/s") => (name.trim_end(), Unit::Rate),
        (name, "GBytes" | "GByte") => (name.trim_end(), Unit::Volume),
        _ => return None,
    };
    let words: &[&str] = if unit == Unit::Rate { &[" bandwidth", " BW"] } else { &[" data volume"] };
    let (what, behind) = words.iter().find_map(|word| name.split_once(word))?;
    let channels = behind.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let memory = match (what, channels) {
        ("Memory", None) => Memory::All,
        ("Memory", Some(channels)) => Memory::Channels(channels),
        ("DDR" | "DDR Memory", None) => Memory::Ddr,
        ("HBM" | "MCDRAM" | "MCDRAM Memory", None) => Memory::Hbm,
        ("Memory read" | "Memory load", None) => Memory::Reads,
        ("Memory write" | "Memory writeback" | "Memory evict", None) => Memory::Writes,
        _ => return None,
    };
    Some((memory, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_each_processor_are_all_flop() {
        for (names, rows, assumed) in [
            (&["DP [MFLOP/s]", "AVX DP [MFLOP/s]"][..], &["DP [MFLOP/s]"][..], false),
            (&["MFLOP/s", "AVX [MFLOP/s]"], &["MFLOP/s"], false),
            (&["SP [MFLOP/s]", "DP [MFLOP/s]"], &["DP [MFLOP/s]", "SP [MFLOP/s]"], false),
            (
                &["FP rate [MFLOP/s]", "SVE FP rate [MFLOP/s]", "Scalar/NEON FP rate [MFLOP/s]"],
                &["FP rate [MFLOP/s]"],
                false,
            ),
            (
                &["DP (FP) [MFLOP/s]", "DP (FP+SVE128) [MFLOP/s]", "DP (FP+SVE512) [MFLOP/s]"],
                &["DP (FP+SVE512) [MFLOP/s]"],
                true,
            ),
            (
                &["SP [MFLOP/s] (SSE assumed)", "SP [MFLOP/s] (AVX512 assumed)"],
                &["SP [MFLOP/s] (AVX512 assumed)"],
                true,
            ),
            (&["DP MFlops/s (AVX assumed)"], &["DP MFlops/s (AVX assumed)"], true),
            (&["HP [MFLOP/s]", "AVX HP [MFLOP/s]"], &["HP [MFLOP/s]"], false),
            (&["Packed SP [MFLOP/s]", "Packed DP [MFLOP/s]"], &[], false),
            // POWER9 counts instructions of both precisions together.
            (&["SP [MFLOP/s] (vector assumed)", "DP [MFLOP/s] (vector assumed)"], &[], false),
        ] {
            assert_eq!(flop_rows(names), FlopRows { rows: rows.to_vec(), assumed }, "{names:?}");
        }
    }

    #[test]
    fn the_rows_of_memory_are_told_from_those_of_caches() {
        for (name, found) in [
            ("Memory bandwidth [MBytes/s]", Some((Memory::All, Unit::Rate))),
            ("Memory data volume [GBytes]", Some((Memory::All, Unit::Volume))),
            ("Memory BW [MBytes/s]", Some((Memory::All, Unit::Rate))),
            ("Memory bandwidth [MByte/s]", Some((Memory::All, Unit::Rate))),
            (
                "Memory bandwidth (channels 0-3) [MBytes/s]",
                Some((Memory::Channels("channels 0-3"), Unit::Rate)),
            ),
            ("HBM bandwidth [MBytes/s]", Some((Memory::Hbm, Unit::Rate))),
            ("MCDRAM Memory data volume [GBytes]", Some((Memory::Hbm, Unit::Volume))),
            ("DDR bandwidth [MBytes/s]", Some((Memory::Ddr, Unit::Rate))),
            ("Memory evict bandwidth [MBytes/s]", Some((Memory::Writes, Unit::Rate))),
            ("HBM read bandwidth [MBytes/s]", None),
            ("Remote memory bandwidth [MBytes/s]", None),
            ("L3 bandwidth [MBytes/s]", None),
            ("Energy [J]", None),
        ] {
            assert_eq!(memory(name), found, "{name}");
        }
    }
}
