//! Warnings that only the measurements show.

use std::collections::BTreeMap;
use std::fmt;

use numasim_evidence::statistics::spread;
use numasim_host::system::{Share, Throttled};
use numasim_model::cpus::CpuList;

use super::Doubt;

/// The largest spread of the GFLOPS of an application over repetitions without a warning: sample standard deviation over mean (coefficient
/// of variation). 5 % is the error that the paper reports for its model (`papers/002`, Table III: at most 5.5 %). With a larger spread a
/// repetition gives no information on such an error.
pub const LARGEST_SPREAD: f64 = 0.05;

/// With fewer repetitions than this the spread is not judged: the median of 5 is robust against two outliers.
pub const FEWEST_REPETITIONS: usize = 5;

/// Data in huge pages below this share: 2 MiB at both ends of an array may always be small pages.
const FEW_HUGE_PAGES: f64 = 0.9;

/// Fraction of the window that counting may take without a visible effect in a table: 0.1 %.
const COUNTING: f64 = 0.001;

/// Relative difference of arithmetic intensities that counts as none: the kernels have theirs as whole FLOP per 512 bytes.
const INTENSITY: f64 = 1e-3;

/// Page faults unrelated to the data: a stack or a heap that grows by a page.
const STRAY_FAULTS: u64 = 8;

/// Fraction of time taken by the hypervisor that affects a rate.
const STOLEN: f64 = 0.01;

/// The summary of the repetitions of one application in one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated {
    /// The scenario.
    pub scenario: String,
    /// The application.
    pub app: String,
    /// Its GFLOPS in each valid repetition, summed over its threads.
    pub gflops: Vec<f64>,
    /// Smallest fraction of data in huge pages over its threads and repetitions, 0 to 1.
    pub huge_pages: Option<f64>,
    /// Whether the system reported the location of every page.
    pub pages_verified: bool,
    /// Largest fraction of the window that counting took, 0 to 1.
    pub counting: Option<f64>,
    /// Page faults of all threads during the timed part, and the number that their kernel should have, for the repetition with the largest
    /// difference; `None` if the system does not report them.
    pub page_faults: Option<(u64, u64)>,
    /// Largest fraction of the time that a thread waited for others of the application, 0 to 1.
    pub waited: Option<f64>,
    /// FLOP per byte that the file requests.
    pub asked_intensity: f64,
    /// FLOP per byte of the kernel.
    pub ran_intensity: f64,
}

/// Events of the system during the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Throttling by control groups from the first to the last measurement: [`Throttled::since`].
    pub throttled: Option<Throttled>,
    /// The activity of the logical CPUs in that time: [`numasim_host::system::CpuTimes::since`].
    pub shares: BTreeMap<u32, Share>,
}

/// Warnings about a finished run, in a fixed order, without duplicates.
pub fn after(apps: &[Repeated], watched: &Watched, used: &CpuList) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if let Some(held) = watched.throttled.filter(|held| held.periods > 0) {
        doubts.push(Doubt::Throttled { periods: held.periods, waited: held.waited });
    }
    let stolen = used.as_slice().iter().filter_map(|&cpu| Some((watched.shares.get(&cpu)?.stolen, cpu)));
    // The lowest number among equals, for any order of the list.
    let most = stolen.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    if let Some((share, cpu)) = most.filter(|&(share, _)| share > STOLEN) {
        doubts.push(Doubt::StolenTime { share, cpu });
    }
    let fewest = apps.iter().map(|app| app.gflops.len()).min();
    if let Some(repetitions) = fewest.filter(|&repetitions| repetitions < FEWEST_REPETITIONS) {
        doubts.push(Doubt::FewRepetitions { repetitions });
    }
    doubts.extend(of_apps(apps));
    doubts
}

/// Warnings about the applications themselves, in their order, without duplicates.
pub fn of_apps(apps: &[Repeated]) -> Vec<Doubt> {
    let mut once: Vec<Doubt> = Vec::new();
    for doubt in apps.iter().flat_map(of_app) {
        if !once.contains(&doubt) {
            once.push(doubt);
        }
    }
    once
}

fn of_app(of: &Repeated) -> Vec<Doubt> {
    let (scenario, app) = (|| of.scenario.clone(), || of.app.clone());
    let mut doubts = Vec::new();
    if let Some(relative) = spread(&of.gflops).filter(|&relative| relative > LARGEST_SPREAD) {
        let repetitions = of.gflops.len();
        doubts.push(Doubt::Spread { scenario: scenario(), app: app(), relative, repetitions });
    }
    if let Some(share) = of.huge_pages.filter(|&share| share < FEW_HUGE_PAGES) {
        doubts.push(Doubt::FewHugePages { scenario: scenario(), app: app(), share });
    }
    if !of.pages_verified {
        doubts.push(Doubt::UnverifiedPages { scenario: scenario(), app: app() });
    }
    if let Some(share) = of.counting.filter(|&share| share > COUNTING) {
        doubts.push(Doubt::CountingOverhead { scenario: scenario(), app: app(), share });
    }
    if let Some((counted, expected)) = of
        .page_faults
        .filter(|&(counted, expected)| counted.abs_diff(expected) > STRAY_FAULTS.max(expected / 1000))
    {
        doubts.push(Doubt::PageFaults { scenario: scenario(), app: app(), counted, expected });
    }
    let (asked, ran) = (of.asked_intensity, of.ran_intensity);
    if (asked - ran).abs() > INTENSITY * asked.abs() {
        doubts.push(Doubt::KernelIntensity { app: app(), asked, ran });
    }
    doubts
}

/// A fraction as a percentage for people: `7 %`, and `3.4 %` below ten.
pub(super) struct Percent(pub(super) f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.0;
        let digits = usize::from(percent < 10.0 && (percent - percent.round()).abs() > 0.05);
        write!(f, "{percent:.digits$} %")
    }
}

#[cfg(test)]
mod tests;
