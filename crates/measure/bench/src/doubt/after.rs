//! Doubts that show only in what was measured.

use std::collections::BTreeMap;
use std::fmt;

use numasim_evidence::statistics::spread;
use numasim_host::system::{Share, Throttled};
use numasim_model::cpus::CpuList;

use super::Doubt;

/// The widest spread of the GFLOPS of an application over repetitions that raises no doubt: sample standard deviation
/// over mean (coefficient of variation). 5 % is the error that the paper reports for its model (`papers/002`, Table
/// III: at most 5.5 %): with a wider spread a repetition says nothing about such an error.
pub const LARGEST_SPREAD: f64 = 0.05;

/// With fewer repetitions than this the spread is not judged: the median of 5 holds against two outliers.
pub const FEWEST_REPETITIONS: usize = 5;

/// Data in huge pages below this share: 2 MiB at both ends of an array may always be small pages.
const FEW_HUGE_PAGES: f64 = 0.9;

/// Share of the window that counting may take without showing in a table: 0.1 %.
const COUNTING: f64 = 0.001;

/// Relative difference of arithmetic intensities that is none: the kernels have theirs as whole FLOP per 512 bytes.
const INTENSITY: f64 = 1e-3;

/// Page faults that say nothing about the data: of a stack or a heap that grow by a page.
const STRAY_FAULTS: u64 = 8;

/// Time taken by the hypervisor that shows in a rate.
const STOLEN: f64 = 0.01;

/// What the repetitions of one application in one scenario have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated {
    /// The scenario.
    pub scenario: String,
    /// The application.
    pub app: String,
    /// Its GFLOPS in each valid repetition, summed over its threads.
    pub gflops: Vec<f64>,
    /// Smallest share of data in huge pages over its threads and repetitions, 0 to 1.
    pub huge_pages: Option<f64>,
    /// Every page was looked for and the system told where it is.
    pub pages_verified: bool,
    /// Largest share of the window that counting took, 0 to 1.
    pub counting: Option<f64>,
    /// Page faults of all threads in what was timed, and as many as their kernel has, of the repetition in which these differ most; `None` where the
    /// system does not tell.
    pub page_faults: Option<(u64, u64)>,
    /// Largest share of the time that a thread waited for others of the application, 0 to 1.
    pub waited: Option<f64>,
    /// FLOP per byte that the file asks for.
    pub asked_intensity: f64,
    /// FLOP per byte of the kernel.
    pub ran_intensity: f64,
}

/// What the system did during the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// What control groups held back from the first to the last measurement: [`Throttled::since`].
    pub throttled: Option<Throttled>,
    /// What the processors did in that time: [`numasim_host::system::CpuTimes::since`].
    pub shares: BTreeMap<u32, Share>,
}

/// What is doubtful about a finished run, in a fixed order, nothing twice.
pub fn after(apps: &[Repeated], watched: &Watched, used: &CpuList) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if let Some(held) = watched.throttled.filter(|held| held.periods > 0) {
        doubts.push(Doubt::Throttled { periods: held.periods, waited: held.waited });
    }
    let stolen = used.as_slice().iter().filter_map(|&cpu| Some((watched.shares.get(&cpu)?.stolen, cpu)));
    // The lowest number among equals, whatever the order of the list.
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

/// What is doubtful about the applications themselves, in their order, nothing twice.
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

/// A share as a percentage of people: `7 %`, and `3.4 %` below ten.
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
