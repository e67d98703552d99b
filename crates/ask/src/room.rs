//! Scenarios whose data does not fit in the memory of a node.

use numasim_course::Study;
use numasim_draw::figures;
use numasim_model::memory::{self, MemoryFull};
use numasim_model::units::Gibibytes;
use numasim_model::{Placement, Scenario};

use crate::refusal::Refusal;

const HINT: &str =
    "let the data lie elsewhere, or correct `memory_gib` of the applications or of the machine";

/// The reason why the data of a scenario does not fit; `None` if it fits.
pub fn full(study: &Study, scenario: &Scenario, placements: &[Placement]) -> Option<MemoryFull> {
    memory::fits(&study.machine, &study.apps, placements, &scenario.allocation).err()
}

/// Rejects a scenario whose data does not fit.
///
/// # Errors
/// The amount of data on each full node, and advice.
pub fn check(study: &Study, scenario: &Scenario, placements: &[Placement]) -> Result<(), Refusal> {
    let Some(full) = full(study, scenario, placements) else { return Ok(()) };
    let message = format!("scenario '{}': {}", scenario.name, words(study, &full));
    Err(Refusal::said(message).hint(HINT))
}

/// Advice.
pub const fn hint() -> &'static str {
    HINT
}

/// `40 GiB of data are to lie on node 0, which has 32 GiB of memory: 30 GiB of 'a', 10 GiB of 'b'`.
pub fn words(study: &Study, full: &MemoryFull) -> String {
    const SHOWN: usize = 5;
    let gib = |size: Gibibytes| format!("{} GiB", (size.value() * 1e4).round() / 1e4);
    let mut largest = full.apps.clone();
    largest.sort_by(|a, b| b.1.value().total_cmp(&a.1.value()));
    let apps = largest.iter().take(SHOWN);
    let mut shares: Vec<String> =
        apps.map(|(app, size)| format!("{} of '{}'", gib(*size), study.apps[app.0].name)).collect();
    if let Some(more) = largest.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        shares.push(format!("the rest of {}", figures::count(more as u64, "other application")));
    }
    format!(
        "{} of data are to lie on {}, which has {} of memory: {}",
        gib(full.needed),
        full.node,
        gib(full.there),
        shares.join(", ")
    )
}
