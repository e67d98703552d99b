//! A counter printed by `perf stat`, in any form.

use std::ops::Range;

use numasim_study::{Place, Problem, ProblemKind};

use crate::formats::lines::Line;
use numasim_study::csv::shown;

/// The value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// The count, scaled up if the counter did not run all the time.
    Counted(f64),
    /// No value: `not counted` or `not supported`.
    Not(&'static str),
}

/// The reason that a word is not the value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Odd {
    /// It has a decimal comma, or thousands separators that could be decimal marks.
    OtherLanguage,
    /// It is not a number, negative or not finite.
    NoCount,
}

/// One counter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counter {
    pub(super) event: String,
    pub(super) value: Value,
    /// `MiB`; empty without one.
    pub(super) unit: String,
    /// The share of the time in which it ran, in percent; `None` if the output does not contain it.
    pub(super) percent: Option<f64>,
    /// Its line in the text.
    pub(super) span: Range<usize>,
}

/// All counters of an output.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Output {
    pub(super) counters: Vec<Counter>,
    /// The elapsed time, if a separate line or the last interval reports it.
    pub(super) seconds: Option<f64>,
    /// Whether counts are those of intervals (`-I`).
    pub(super) intervals: bool,
}

impl Output {
    /// Records the time stamp of an interval.
    pub(super) fn stamp(&mut self, time: f64) {
        self.intervals = true;
        self.seconds = Some(self.seconds.unwrap_or(0.0).max(time)).filter(|time| time.is_finite());
    }
}

impl Counter {
    /// A problem with its line.
    pub(super) fn problem(&self, text: &str, message: String) -> Problem {
        let problem = Problem::new(ProblemKind::BadValue, message);
        match text.get(self.span.clone()) {
            Some(_) => problem.at(Place::at(0, self.span.clone()), "this line"),
            None => problem.at(Place::whole(0), ""),
        }
    }
}

/// The value of a counter in output for programs (`-x`, `-j`): a number without thousands separators, or
/// `<not counted>`.
pub(super) fn value(field: &str) -> Result<Value, Odd> {
    let field = field.trim();
    if let Some(why) = not(field) {
        return Ok(Value::Not(why));
    }
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(Value::Counted(value)),
        Err(_) if numeric(field) => Err(Odd::OtherLanguage),
        _ => Err(Odd::NoCount),
    }
}

/// The value of a counter in output for people: thousands separators are commas, apostrophes or narrow
/// spaces, and the decimal mark is a point.
pub(super) fn grouped(word: &str) -> Result<f64, Odd> {
    if !numeric(word) {
        return Err(Odd::NoCount);
    }
    let plain: String = word.chars().filter(|c| matches!(c, '0'..='9' | '.' | ',')).collect();
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let in_order = match groups.as_slice() {
        // 1.234 may be 1234 in another language; perf prints two decimals, or six and more.
        [only] => decimals.len() != 3 || *only == "0",
        [first, middle @ .., last] => {
            (1..=3).contains(&first.len())
                && !first.starts_with('0')
                && middle.iter().all(|group| matches!(group.len(), 2 | 3))
                && last.len() == 3
        }
        [] => false,
    };
    if !in_order || decimals.contains([',', '.']) {
        return Err(Odd::OtherLanguage);
    }
    plain.replace(',', "").parse::<f64>().ok().filter(|value| value.is_finite()).ok_or(Odd::NoCount)
}

/// Digits, and separators of any language.
fn numeric(word: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    word.starts_with(digit)
        && word.ends_with(digit)
        && word.chars().all(|c| {
            digit(c) || matches!(c, '.' | ',' | '\'' | '\u{2019}' | '\u{202f}' | '\u{a0}' | '\u{2009}')
        })
}

/// `<not counted>`.
pub(super) fn not(field: &str) -> Option<&'static str> {
    match field {
        "<not counted>" => Some("not counted"),
        "<not supported>" => Some("not supported"),
        _ => None,
    }
}

/// The problem of a number in the format of another language.
pub(super) fn other_language(line: Line<'_>, word: &str) -> Problem {
    let message = format!(
        "'{}' has a decimal comma or the separators of another language: its value is not certain",
        shown(word)
    );
    line.problem(message).hint(
        "measure again with `LC_ALL=C perf stat ...`: perf writes numbers in the language of the shell, and decimal commas look like separators",
    )
}

/// The problem of a counter whose value is not a count.
pub(super) fn no_count(line: Line<'_>, event: &str, word: &str) -> Problem {
    let what = if word.is_empty() { "empty".to_owned() } else { format!("'{}'", shown(word)) };
    let message = format!("the count of `{}` is {what}, not a number of 0 or more", shown(event));
    line.problem(message)
        .hint("leave the output of perf as it was written; a counter without a count is `<not counted>`")
}

/// Whether a line contains no counter: it is empty or a comment. `started` counts the comments with which a
/// run begins.
///
/// # Errors
/// A second run.
pub(super) fn is_silent(line: Line<'_>, started: &mut usize) -> Result<bool, Problem> {
    let trimmed = line.text.trim();
    *started += usize::from(trimmed.starts_with("# started on"));
    if *started > 1 {
        return Err(second_run(line));
    }
    Ok(trimmed.is_empty() || trimmed.starts_with('#'))
}

/// The problem of a second run that begins with this line.
pub(super) fn second_run(line: Line<'_>) -> Problem {
    line.problem("a second run of perf stat begins here").hint("keep each run in a separate file")
}

/// Whether a word is a group of logical CPUs before its counters: `CPU0`, `S0-D0-C0`, `N1`.
pub(super) fn is_group(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase()) && word.contains(|c: char| c.is_ascii_digit())
}

/// Whether the number of its logical CPUs follows this name of a group: not for one logical CPU (`CPU0`) or
/// thread (`name-4711`).
pub(super) fn has_size(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let cpu = name.strip_prefix("CPU").is_some_and(number);
    let thread = name.rsplit_once('-').is_some_and(|(_, pid)| number(pid));
    !cpu && !thread
}

/// The bytes of a line, for a message.
pub(super) fn span(line: Line<'_>) -> Range<usize> {
    line.problem("").place.and_then(|place| place.span).unwrap_or(0..0)
}

/// Kinds of counters of memory traffic. If several kinds are present, the first of these is used, because all
/// see the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Traffic {
    /// Column accesses of the memory controllers of Intel servers, 64 B each.
    Cas,
    /// Column accesses of the memory controllers of AMD (Zen 4 and later), 64 B each.
    Umc,
    /// Free-running counters of the memory controllers of Intel's desktop and other processors, 64 B each.
    FreeRunning,
}

/// The direction of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
    Both,
}

/// The meaning of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    /// FLOP.
    Flop(Flop),
    /// Computation with an unknown number of FLOP per count. If the events of the family are counted, they
    /// include these FLOP.
    Uncounted(Option<&'static Family>),
    /// Bytes of memory.
    Memory(Traffic, Direction),
    /// A load or store that missed the last cache: one line of 64 B, as an estimate.
    LastCacheMiss,
    /// Elapsed time.
    Duration,
    /// An event that is not needed.
    Other,
}

/// FLOP of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flop {
    pub(super) family: &'static Family,
    /// FLOP per count.
    pub(super) each: f64,
    /// The kinds that it counts, as indices into the kinds of its family: one, or several with equal FLOP.
    pub(super) covers: &'static [usize],
}

/// Events that together count the FLOP of a processor.
#[derive(Debug, PartialEq)]
pub(super) struct Family {
    /// The prefix of each name.
    prefix: &'static str,
    /// Each kind, with the FLOP per count.
    kinds: &'static [(&'static str, f64)],
    /// Events that count several kinds with equal FLOP.
    together: &'static [(&'static str, f64, &'static [usize])],
    /// Sets of kinds that together are all FLOP: one of these is sufficient.
    whole: &'static [&'static [usize]],
    /// The caveat of its counts.
    pub(super) doubt: Option<&'static str>,
}

/// Intel: an FMA counts twice (SDM, volume 3, and the JSON events of linux/tools/perf).
static INTEL: Family = Family {
    prefix: "fp_arith_inst_retired.",
    kinds: &[
        ("scalar_double", 1.0),
        ("scalar_single", 1.0),
        ("128b_packed_double", 2.0),
        ("128b_packed_single", 4.0),
        ("256b_packed_double", 4.0),
        ("256b_packed_single", 8.0),
        ("512b_packed_double", 8.0),
        ("512b_packed_single", 16.0),
    ],
    together: &[("scalar", 1.0, &[0, 1]), ("4_flops", 4.0, &[3, 4]), ("8_flops", 8.0, &[5, 6])],
    whole: &[&[0, 1, 2, 3, 4, 5, 6, 7]],
    doubt: None,
};

/// Intel since Sapphire Rapids, half precision: the weights of `tma_info_core_flopc` (linux/tools/perf).
static HALF: Family = Family {
    prefix: "fp_arith_inst_retired2.",
    kinds: &[
        ("scalar_half", 1.0),
        ("complex_scalar_half", 2.0),
        ("128b_packed_half", 8.0),
        ("256b_packed_half", 16.0),
        ("512b_packed_half", 32.0),
    ],
    together: &[],
    whole: &[&[0, 1, 2, 3, 4]],
    doubt: None,
};

/// AMD counts FLOP, not instructions: by operation, on Zen and Zen+ also by precision.
static AMD: Family = Family {
    prefix: "fp_ret_sse_avx_ops.",
    kinds: &[
        ("mac_flops", 1.0),
        ("div_flops", 1.0),
        ("mult_flops", 1.0),
        ("add_sub_flops", 1.0),
        ("sp_mult_add_flops", 1.0),
        ("sp_div_flops", 1.0),
        ("sp_mult_flops", 1.0),
        ("sp_add_sub_flops", 1.0),
        ("dp_mult_add_flops", 1.0),
        ("dp_div_flops", 1.0),
        ("dp_mult_flops", 1.0),
        ("dp_add_sub_flops", 1.0),
    ],
    together: &[("all", 1.0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])],
    whole: &[&[0, 1, 2, 3], &[4, 5, 6, 7, 8, 9, 10, 11]],
    doubt: None,
};

/// Intel's efficient cores count FLOP.
static EFFICIENT: Family = Family {
    prefix: "fp_flops_retired.",
    kinds: &[("fp64", 1.0), ("fp32", 1.0), ("dp", 1.0), ("sp", 1.0)],
    together: &[("all", 1.0, &[0, 1, 2, 3])],
    whole: &[&[0, 1], &[2, 3]],
    doubt: None,
};

/// ARM counts FLOP of scalars and of vectors of 128 bits; for scalable vectors it counts per 128 bits.
static ARM: Family = Family {
    prefix: "",
    kinds: &[
        ("fp_hp_fixed_ops_spec", 1.0),
        ("fp_sp_fixed_ops_spec", 1.0),
        ("fp_dp_fixed_ops_spec", 1.0),
        ("fp_hp_scale_ops_spec", 1.0),
        ("fp_sp_scale_ops_spec", 1.0),
        ("fp_dp_scale_ops_spec", 1.0),
    ],
    together: &[("fp_fixed_ops_spec", 1.0, &[0, 1, 2]), ("fp_scale_ops_spec", 1.0, &[3, 4, 5])],
    whole: &[&[0, 1, 2, 3, 4, 5]],
    doubt: Some(
        "fp_scale_ops_spec counts the FLOP of each 128 bits of an SVE vector: with vectors of 256 bits they are twice, of 512 bits four times as many",
    ),
};

static FAMILIES: [&Family; 5] = [&INTEL, &HALF, &AMD, &EFFICIENT, &ARM];
/// Single kinds by their index in a family.
const ALONE: [&[usize]; 12] = [&[0], &[1], &[2], &[3], &[4], &[5], &[6], &[7], &[8], &[9], &[10], &[11]];

/// Prefixes of events that count computation, but not FLOP: instructions of several widths, operations of
/// each kind, matrices.
const UNCOUNTED: [(&str, Option<&Family>); 14] = [
    ("amx_ops_retired.", None),
    ("fp_arith_inst_retired.", Some(&INTEL)),
    ("fp_arith_inst_retired2.", Some(&HALF)),
    ("fp_inst_retired.", Some(&EFFICIENT)),
    ("fp_comp_ops_exe", None),
    ("simd_fp_256", None),
    ("avx_insts", Some(&INTEL)),
    ("fp_ret_sse_avx_ops", Some(&AMD)),
    ("fp_ops_retired_by_", Some(&AMD)),
    ("sse_avx_ops_retired", Some(&AMD)),
    ("fp_ret_x87_fp_ops", None),
    ("vfp_spec", Some(&ARM)),
    ("ase_spec", Some(&ARM)),
    ("sve_fp_", Some(&ARM)),
];
/// Numbers of the events with which Intel and AMD count FLOP: `r10c7`.
const RAW: [&str; 6] = ["c7", "cf", "ce", "03", "10", "11"];

impl Family {
    /// `fp_arith_inst_retired.*`.
    pub(super) fn name(&self) -> String {
        if self.prefix.is_empty() { "fp_*_ops_spec".to_owned() } else { format!("{}*", self.prefix) }
    }

    /// The kinds that these events have not covered; empty if they are all FLOP.
    pub(super) fn missing(&self, covered: &[usize]) -> Vec<&'static str> {
        let missing = |whole: &&&[usize]| whole.iter().filter(|at| !covered.contains(at)).count();
        let nearest = self.whole.iter().min_by_key(missing).copied().unwrap_or_default();
        let open = nearest.iter().filter(|at| !covered.contains(at));
        open.filter_map(|&at| Some(self.kinds.get(at)?.0)).collect()
    }

    /// Whether these include FLOP of scalable vectors.
    pub(super) fn has_doubt(&self, covered: &[usize]) -> bool {
        self.doubt.is_some() && covered.iter().any(|at| *at >= 3)
    }

    fn event(&'static self, name: &str) -> Option<Flop> {
        let name = name.strip_prefix(self.prefix)?;
        let alone = self.kinds.iter().position(|(known, _)| *known == name);
        if let Some(at) = alone {
            return Some(Flop { family: self, each: self.kinds.get(at)?.1, covers: ALONE.get(at)? });
        }
        let &(_, each, covers) = self.together.iter().find(|(known, ..)| *known == name)?;
        Some(Flop { family: self, each, covers })
    }
}

/// The event without its PMU, modifiers and capitals: `cpu_core/LLC-load-misses/u` and `LLC-load-misses:u`
/// are `llc-load-misses`. Also returns the PMU: `uncore_imc_0`.
fn plain(event: &str) -> (String, String) {
    let event = event.to_ascii_lowercase();
    if let Some((pmu, rest)) = event.split_once('/') {
        let name = rest.split(['/', ',']).find(|part| !part.is_empty() && *part != pmu);
        return (pmu.to_owned(), name.unwrap_or_default().to_owned());
    }
    (String::new(), event.split(':').next().unwrap_or_default().to_owned())
}

/// The meaning of an event.
pub(super) fn meaning(event: &str) -> Meaning {
    use Direction::{Both, Read, Write};
    let (pmu, name) = plain(event);
    if let Some(flop) = FAMILIES.into_iter().find_map(|family| family.event(&name)) {
        return Meaning::Flop(flop);
    }
    if let Some((_, family)) = UNCOUNTED.iter().find(|(known, _)| name.starts_with(known)) {
        return Meaning::Uncounted(*family);
    }
    if name.contains("flop") || is_raw_flop(&pmu, &name) {
        return Meaning::Uncounted(None);
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

/// An event of a processor by its number: `r10c7`, `cpu/event=0xc7,umask=0x10/`.
fn is_raw_flop(pmu: &str, name: &str) -> bool {
    let number = match name.strip_prefix("event=") {
        Some(number) if pmu.starts_with("cpu") || pmu.is_empty() => number.trim_start_matches("0x"),
        Some(_) => return false,
        None => match name.strip_prefix('r').filter(|_| pmu.is_empty() || pmu.starts_with("cpu")) {
            Some(number) if number.len() >= 2 => number,
            _ => return false,
        },
    };
    let hexadecimal = number.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal && RAW.iter().any(|known| format!("0{number}").ends_with(known))
}

/// Bytes per count in one of these units; events without a unit count lines of 64 B.
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

/// Seconds per count in one of these units; `duration_time` without a unit is in nanoseconds.
pub(super) fn seconds_each(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "ns" | "nsec" => 1e-9,
        "us" | "usec" => 1e-6,
        "ms" | "msec" => 1e-3,
        "s" | "sec" => 1.0,
        _ => return None,
    })
}

/// Words between a count and its event.
pub(super) fn is_unit(word: &str) -> bool {
    const OTHERS: [&str; 7] = ["Joules", "J", "C", "W", "%", "Hz", "KHz"];
    bytes_each(word).is_some() || seconds_each(word).is_some() || OTHERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people_have_a_point_and_complete_groups_of_three() {
        for (word, found) in [
            ("563,539,901,688", Ok(563_539_901_688.0)),
            ("1,024.5", Ok(1024.5)),
            ("12,34,567", Ok(1_234_567.0)), // India
            ("1'234.56", Ok(1234.56)),      // Switzerland
            ("1\u{202f}234\u{202f}567", Ok(1_234_567.0)),
            ("0.75", Ok(0.75)),
            ("0.123", Ok(0.123)),
            ("27,01", Err(Odd::OtherLanguage)),
            ("0,800", Err(Odd::OtherLanguage)),
            ("1.234", Err(Odd::OtherLanguage)),
            ("1.234.567", Err(Odd::OtherLanguage)),
            ("1.234.567,89", Err(Odd::OtherLanguage)),
            ("1\u{202f}234,56", Err(Odd::OtherLanguage)),
            ("1,2345", Err(Odd::OtherLanguage)),
            ("100,00", Err(Odd::OtherLanguage)),
            ("nan", Err(Odd::NoCount)),
            ("-5", Err(Odd::NoCount)),
            ("cycles", Err(Odd::NoCount)),
        ] {
            assert_eq!(grouped(word), found, "{word}");
        }
        assert_eq!(value("27,01"), Err(Odd::OtherLanguage));
        assert_eq!(
            (value("inf"), value("-1"), value("")),
            (Err(Odd::NoCount), Err(Odd::NoCount), Err(Odd::NoCount))
        );
        assert!(has_size("S0-D0-C0") && has_size("N1") && !has_size("CPU12") && !has_size("solver-4711"));
    }
}

#[cfg(test)]
mod events_tests {
    use super::*;

    #[test]
    fn names_are_recognised_with_their_pmu_and_modifiers() {
        use Direction::{Read, Write};
        let flop = |event: &str| match meaning(event) {
            Meaning::Flop(flop) => Some((flop.each, flop.covers.to_vec())),
            _ => None,
        };
        assert_eq!(flop("fp_arith_inst_retired.512b_packed_single:u"), Some((16.0, vec![7])));
        assert_eq!(flop("FP_ARITH_INST_RETIRED.SCALAR_DOUBLE"), Some((1.0, vec![0])));
        assert_eq!(flop("fp_arith_inst_retired.4_flops"), Some((4.0, vec![3, 4])));
        assert_eq!(flop("cpu_core/fp_arith_inst_retired2.512b_packed_half/u"), Some((32.0, vec![4])));
        assert_eq!(
            flop("fp_ret_sse_avx_ops.all").map(|(each, covers)| (each, covers.len())),
            Some((1.0, 12))
        );
        assert_eq!(flop("armv8_pmuv3_0/fp_fixed_ops_spec/"), Some((1.0, vec![0, 1, 2])));
        for event in [
            "fp_arith_inst_retired.vector",
            "amx_ops_retired.bf16",
            "fp_ops_retired_by_type.vector_all:u",
            "fp_comp_ops_exe.sse_scalar_double",
            "pm_flop_cmpl",
            "r5302c7",
            "cpu/event=0xc7,umask=0x10/",
        ] {
            assert!(matches!(meaning(event), Meaning::Uncounted(_)), "{event}: {:?}", meaning(event));
        }
        for (event, expected) in [
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
