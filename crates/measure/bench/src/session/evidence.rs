//! What a measurement shows besides its rates, for the doubts about it.

use std::collections::BTreeMap;

use super::{Row, Status};
use crate::doubt::{Doubt, Repeated, of_apps};
use crate::plan::{Plan, PlannedApp, PlannedScenario};
use crate::runner::{MeasuredApp, Measurement};

/// Over all valid measurements, by scenario and application.
#[derive(Debug, Default)]
pub(super) struct Evidence(BTreeMap<(String, String), Seen>);

/// Of one application.
#[derive(Clone, Copy, Debug)]
struct Seen {
    huge_pages: Option<f64>,
    pages_verified: bool,
    counting: Option<f64>,
    page_faults: Option<(u64, u64)>,
    waited: Option<f64>,
}

/// How far page faults are from what the kernel has.
fn off((counted, expected): (u64, u64)) -> u64 {
    counted.abs_diff(expected)
}

impl Seen {
    fn of(measured: &MeasuredApp) -> Self {
        let threads = || measured.threads.iter();
        Self {
            huge_pages: threads().filter_map(|thread| thread.huge_pages).min_by(f64::total_cmp),
            pages_verified: threads().all(|thread| thread.pages_unknown.is_none()),
            counting: threads().map(|thread| thread.clock_share).max_by(f64::total_cmp),
            page_faults: threads().try_fold((0, 0), |(counted, expected), thread| {
                Some((counted + thread.page_faults, expected + thread.expected_page_faults?))
            }),
            waited: threads().map(|thread| thread.waited_share).max_by(f64::total_cmp),
        }
    }

    fn and(self, other: Self) -> Self {
        let both = |pick: fn(f64, f64) -> f64, a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (one, None) | (None, one) => one,
        };
        Self {
            huge_pages: both(f64::min, self.huge_pages, other.huge_pages),
            pages_verified: self.pages_verified && other.pages_verified,
            counting: both(f64::max, self.counting, other.counting),
            page_faults: [self.page_faults, other.page_faults]
                .into_iter()
                .flatten()
                .max_by_key(|&of| off(of)),
            waited: both(f64::max, self.waited, other.waited),
        }
    }
}

impl Evidence {
    pub(super) fn add(&mut self, scenario: &PlannedScenario, measured: &Measurement) {
        for (planned, measured) in scenario.apps.iter().zip(&measured.apps) {
            let seen = Seen::of(measured);
            let key = (scenario.name.clone(), planned.name.clone());
            self.0.entry(key).and_modify(|before| *before = before.and(seen)).or_insert(seen);
        }
    }

    /// Every application of the plan with its valid repetitions, also those of earlier parts of the run.
    pub(super) fn repeated(&self, plan: &Plan, rows: &[Row]) -> Vec<Repeated> {
        let mut all = Vec::new();
        for scenario in &plan.scenarios {
            for app in &scenario.apps {
                let own = rows.iter().filter(|row| row.scenario == scenario.name && row.app == app.name);
                let mut gflops: BTreeMap<u32, f64> = BTreeMap::new();
                for row in own.filter(|row| row.status == Status::Ok) {
                    *gflops.entry(row.repetition).or_insert(0.0) += row.gflops;
                }
                let seen = self.0.get(&(scenario.name.clone(), app.name.clone()));
                let gflops: Vec<f64> = gflops.into_values().collect();
                if !gflops.is_empty() {
                    all.push(repeated(plan, scenario, app, gflops, seen.copied()));
                }
            }
        }
        all
    }
}

fn repeated(
    plan: &Plan,
    scenario: &PlannedScenario,
    app: &PlannedApp,
    gflops: Vec<f64>,
    seen: Option<Seen>,
) -> Repeated {
    let ran = app.kernel.arithmetic_intensity().value();
    let asked = plan.study.apps.iter().find(|other| other.name == app.name);
    Repeated {
        scenario: scenario.name.clone(),
        app: app.name.clone(),
        gflops,
        huge_pages: seen.and_then(|seen| seen.huge_pages),
        // Measured in an earlier part of the run: its rows say it.
        pages_verified: seen.is_none_or(|seen| seen.pages_verified),
        counting: seen.and_then(|seen| seen.counting),
        page_faults: seen.and_then(|seen| seen.page_faults),
        waited: seen.and_then(|seen| seen.waited),
        // What a real kernel counts decides; a file that says otherwise is refused when it is read.
        asked_intensity: asked
            .filter(|app| app.problem.is_none())
            .map_or(ran, |app| app.arithmetic_intensity.value()),
        ran_intensity: ran,
    }
}

/// What is doubtful about one measurement by itself.
pub(super) fn doubts(plan: &Plan, scenario: &PlannedScenario, measured: &Measurement) -> Vec<Doubt> {
    let apps = scenario.apps.iter().zip(&measured.apps);
    let alone: Vec<Repeated> = apps
        .map(|(app, measured)| repeated(plan, scenario, app, Vec::new(), Some(Seen::of(measured))))
        .collect();
    of_apps(&alone)
}
