//! A curve of bandwidth over cores, the counts that a fit sees of it, and curves that fall.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;
use std::fmt;

use numasim_study::{Problem, ProblemKind};

use numasim_evidence::statistics::median;
use numasim_study::csv::{Rows, first, is_full};

/// Differences of bandwidth up to this fraction are noise: a half domain within this of the whole domain is saturated.
const NOISE: f64 = 0.01;
/// Two cores exceed twice the bandwidth of one by this fraction: the start is super-linear.
const SUPER_LINEAR: f64 = 0.02;
/// A full domain is slower than the fastest count by more than this fraction: the curve falls.
pub(crate) const FALLS: f64 = 0.02;

/// A curve of bandwidth over cores.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    /// As the column `machine_file`, without `.yml`.
    pub(crate) machine: String,
    /// Threads on each core.
    pub(crate) threads_per_core: u32,
    /// The kernel.
    pub(crate) kernel: String,
    /// Cores of a NUMA domain.
    pub(crate) domain: u32,
    /// GB/s by cores, at most a domain, ascending; the median for a count that was measured several times.
    pub(crate) points: BTreeMap<u32, f64>,
    /// Counts whose repetitions differ by more than a quarter: no model can be right about them.
    pub(crate) unsteady: Vec<Unsteady>,
}

/// The counts of cores that a fit may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// All of them, ascending; none of them is predicted.
    pub(crate) counts: Vec<u32>,
    /// Two cores have more than twice the bandwidth of one. One core alone is then less representative than two: it is seen,
    /// but not fitted.
    pub(crate) is_super_linear: bool,
}

impl Seen {
    /// The counts that are fitted.
    pub(crate) fn fitted(&self) -> impl Iterator<Item = u32> + '_ {
        self.counts.iter().copied().filter(|&cores| cores > 1 || !self.is_super_linear)
    }
}

/// The counts that a fit may see in addition to one core, half and all of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// Three quarters of the domain.
    pub(super) three_quarters: bool,
    /// Two cores instead of one if the start is super-linear.
    pub(super) two_cores: bool,
    /// A quarter instead of three quarters if half of the domain is saturated.
    pub(super) quarter: bool,
}

impl Rule {
    /// The recommended rule.
    pub(super) const ALL: Self = Self { three_quarters: true, two_cores: true, quarter: true };
}

/// The full domain is slower than some of its cores. No model here predicts that without `overload_loss`, which is not fitted: the
/// errors of such a curve are those of a curve that does not fall.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Fall {
    /// The fastest count of cores.
    pub(crate) peak_cores: u32,
    /// Its GB/s.
    pub(crate) peak_gbs: f64,
    /// The largest count that was measured.
    pub(crate) full_cores: u32,
    /// Its GB/s.
    pub(crate) full_gbs: f64,
}

impl Fall {
    /// The fraction of the peak that is lost.
    pub(crate) fn loss(&self) -> f64 {
        1.0 - self.full_gbs / self.peak_gbs
    }
}

impl fmt::Display for Fall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "falls by {:.1} %, from {:.1} GB/s with {} cores to {:.1} with {}",
            100.0 * self.loss(),
            self.peak_gbs,
            self.peak_cores,
            self.full_gbs,
            self.full_cores
        )
    }
}

/// A count of threads that has several speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unsteady {
    count: u32,
    lowest: f64,
    highest: f64,
}

impl Unsteady {
    /// Repetitions of a count, if they differ by more than a quarter of their median.
    pub(crate) fn of(count: u32, repetitions: &[f64]) -> Option<Self> {
        let lowest = repetitions.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = repetitions.iter().copied().fold(0.0, f64::max);
        (highest - lowest > 0.25 * median(repetitions)?).then_some(Self { count, lowest, highest })
    }
}

impl fmt::Display for Unsteady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "repetitions at {} differ: {:.1} to {:.1} GB/s", self.count, self.lowest, self.highest)
    }
}

impl Curve {
    /// The counts that a fit may see: one core, half, three quarters and all of the domain. If half of it already reaches the bandwidth of
    /// the whole, a quarter replaces three quarters, which would add no information. If two cores have more than twice the bandwidth of
    /// one, two cores are added. Counts that were not measured are replaced by the nearest ones. `None` if fewer than five counts were
    /// measured, or one core is missing.
    pub(crate) fn seen(&self) -> Option<Seen> {
        self.seen_by(Rule::ALL)
    }

    /// The same by a part of the rule.
    pub(super) fn seen_by(&self, rule: Rule) -> Option<Seen> {
        let full = *self.points.keys().next_back()?;
        if self.points.len() < 5 || !self.points.contains_key(&1) {
            return None;
        }
        let mut counts = vec![1, full];
        // The lower one of two equally near counts; half of an odd number is rounded down.
        let half = self.nearest(4 * (full / 2), &counts)?;
        counts.push(half);
        let is_saturated = rule.quarter && self.at(half) >= (1.0 - NOISE) * self.at(full);
        if rule.three_quarters {
            counts.push(self.nearest(if is_saturated { full } else { 3 * full }, &counts)?);
        }
        let two = self.points.get(&2).filter(|_| rule.two_cores);
        let is_super_linear = two.is_some_and(|two| *two > 2.0 * (1.0 + SUPER_LINEAR) * self.at(1));
        if is_super_linear {
            counts.push(2);
        }
        counts.sort_unstable();
        counts.dedup();
        Some(Seen { counts, is_super_linear })
    }

    /// The measured count nearest to `quarters` / 4 that is not among `taken`.
    fn nearest(&self, quarters: u32, taken: &[u32]) -> Option<u32> {
        let free = self.points.keys().copied().filter(|cores| !taken.contains(cores));
        free.min_by_key(|&cores| ((4 * cores).abs_diff(quarters), cores))
    }

    /// GB/s of that many cores; NaN if they were not measured.
    pub(in crate::sets) fn at(&self, cores: u32) -> f64 {
        self.points.get(&cores).copied().unwrap_or(f64::NAN)
    }

    /// "`SkylakeSP_Gold-6148`, 2 threads per core".
    pub(crate) fn name(&self) -> String {
        match self.threads_per_core {
            1 => self.machine.clone(),
            more => format!("{}, {more} threads per core", self.machine),
        }
    }

    /// The fall of the curve, if there is one.
    pub(crate) fn falls(&self) -> Option<Fall> {
        let (&full_cores, &full_gbs) = self.points.iter().next_back()?;
        let (&peak_cores, &peak_gbs) = self.points.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
        let fall = Fall { peak_cores, peak_gbs, full_cores, full_gbs };
        (fall.loss() > FALLS).then_some(fall)
    }
}

/// The curves of a CSV, in its order.
///
/// # Errors
/// The error in the text, and its place.
pub(crate) fn read(text: &str) -> Result<Vec<Curve>, Vec<Problem>> {
    let mut rows = Rows::new(text).map_err(|problem| vec![problem])?;
    let needed = ["machine_file", "kernel", "cores", "bw_GBs", "cores_per_numa_domain"]
        .map(|name| (name, rows.column(name)));
    let missing: Vec<String> =
        needed.iter().filter(|(_, column)| column.is_none()).map(|(name, _)| format!("`{name}`")).collect();
    let [Some(machine), Some(kernel), Some(cores), Some(bandwidth), Some(domain)] =
        needed.map(|(_, column)| column)
    else {
        let message = format!("there is no column {}", missing.join(", "));
        return Err(vec![rows.header_lacks(message).hint(
            "bandwidth over cores has the columns machine_file,kernel,smt_per_core_used,cores,bw_GBs,cores_per_numa_domain",
        )]);
    };
    super::super::refuse_memories(&rows)?;
    let threads = rows.column("smt_per_core_used");
    // Several repetitions in one row.
    let ends = ["min_GBs", "max_GBs"].map(|name| rows.column(name));
    let mut curves: Vec<Curve> = Vec::new();
    let mut places: BTreeMap<(String, u32, String), usize> = BTreeMap::new();
    let mut measured: Vec<BTreeMap<u32, [Vec<f64>; 2]>> = Vec::new();
    let mut problems = Vec::new();
    while let Some(row) = rows.next() {
        let read = row.and_then(|row| {
            let count = row.whole_number(cores, 1, "a number of cores, e.g. 8")?;
            let domain = row.whole_number(domain, 1, "the cores of a NUMA domain, e.g. 20")?;
            let gbs = row.amount(bandwidth, "GB/s, e.g. 117.8")?;
            if gbs == 0.0 {
                return Err(row.problem(
                    bandwidth,
                    ProblemKind::BadValue,
                    "a bandwidth of 0 GB/s has no relative error",
                ));
            }
            let threads_per_core =
                threads.map_or(Ok(1), |column| row.whole_number(column, 1, "threads per core, e.g. 1"))?;
            let name = row.text(Some(machine)).trim_end_matches(".yml").to_owned();
            let key = (name, threads_per_core, row.text(Some(kernel)).to_owned());
            let place = *places.entry(key.clone()).or_insert_with(|| {
                let (machine, threads_per_core, kernel) = key;
                curves.push(Curve {
                    machine,
                    threads_per_core,
                    kernel,
                    domain,
                    points: BTreeMap::new(),
                    unsteady: Vec::new(),
                });
                measured.push(BTreeMap::new());
                curves.len() - 1
            });
            if count <= curves[place].domain {
                let [medians, all] = measured[place].entry(count).or_default();
                medians.push(gbs);
                all.push(gbs);
                for end in ends.into_iter().flatten().filter(|&end| !row.text(Some(end)).is_empty()) {
                    all.push(row.amount(end, "GB/s, e.g. 117.8")?);
                }
            }
            Ok(())
        });
        if let Err(problem) = read {
            problems.push(problem);
            if is_full(&problems) {
                break;
            }
        }
    }
    if !problems.is_empty() {
        return Err(first(problems));
    }
    for (curve, measured) in curves.iter_mut().zip(measured) {
        curve.unsteady = measured.iter().filter_map(|(&count, [_, all])| Unsteady::of(count, all)).collect();
        curve.points = measured.iter().filter_map(|(&count, [one, _])| Some((count, median(one)?))).collect();
    }
    Ok(curves)
}
