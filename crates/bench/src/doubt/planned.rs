//! Doubts that a plan raises before anything is measured.

use numasim_model::cpus::CpuList;

use super::Doubt;
use crate::plan::Plan;

/// What is doubtful about a plan with so much data for each thread of a synthetic kernel, in the order of its scenarios. `cache_bytes` tells how much all
/// last-level caches of some threads hold together.
pub fn planned(
    plan: &Plan,
    bytes_per_thread: u64,
    cache_bytes: impl Fn(&[&CpuList]) -> Option<u64>,
) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let all = plan.scenarios.iter().flat_map(|scenario| &scenario.apps).flat_map(|app| &app.threads);
    if let Some(cpus) = all.map(|thread| thread.cpus.as_slice().len()).max().filter(|&cpus| cpus > 1) {
        doubts.push(Doubt::NotPinned { cpus });
    }
    for scenario in &plan.scenarios {
        for app in &scenario.apps {
            let threads: Vec<&CpuList> = app.threads.iter().map(|thread| &thread.cpus).collect();
            let both = app.data_bytes(bytes_per_thread).zip(cache_bytes(&threads));
            if let Some((bytes, cache_bytes)) = both.filter(|(bytes, cache)| bytes <= cache) {
                let (scenario, app) = (scenario.name.clone(), app.name.clone());
                doubts.push(Doubt::FitsCache { scenario, app, bytes, cache_bytes });
            }
        }
    }
    doubts
}
