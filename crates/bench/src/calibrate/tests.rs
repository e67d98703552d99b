//! Calibrating a host that the model plays: what comes out must be the machine that was put in.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use numasim_model::cpus::CpuList;
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{Allocation, App, AppId, Data, Machine, Node, NodeId, Placement, evaluate};

use super::*;
use crate::HostNode;
use crate::kernel::Isa;
use crate::plan::PlannedScenario;
use crate::runner::{MeasuredApp, MeasuredThread, Measurement, Misplaced};

/// Answers with what the model predicts for a machine, a little faster or slower in each round.
struct Simulated {
    machine: Machine,
    /// Factors of successive measurements of the same scenario.
    noise: Vec<f64>,
    seen: BTreeMap<String, usize>,
    /// The first so many measurements have a page in the wrong place.
    misplaced: usize,
}

impl Simulated {
    fn of(machine: Machine) -> Self {
        Self { machine, noise: vec![1.0], seen: BTreeMap::new(), misplaced: 0 }
    }
}

impl Runner for Simulated {
    fn measure(&mut self, scenario: &PlannedScenario, _: &Settings) -> Result<Measurement, RunError> {
        let mut allocation = Allocation::empty(scenario.apps.len(), self.machine.node_count());
        let mut apps = Vec::new();
        let mut placements = Vec::new();
        for (a, app) in scenario.apps.iter().enumerate() {
            for thread in &app.threads {
                let threads = allocation.get(AppId(a), thread.node) + 1;
                allocation.set(AppId(a), thread.node, threads);
            }
            let home = NodeId(app.threads[0].memory[0].0 as usize);
            placements.push(Placement::Home(home));
            apps.push(App {
                name: app.name.clone(),
                group: app.name.clone(),
                arithmetic_intensity: app.kernel.arithmetic_intensity(),
                data: Data::Placed(Placement::Home(home)),
                min_threads: 1,
                max_threads: None,
                weight: 1.0,
                work: None,
                kernel: app.kernel.access(),
            });
        }
        let evaluation = evaluate(&self.machine, &apps, &placements, &allocation).expect("fits");
        let times = self.seen.entry(scenario.name.clone()).or_insert(0);
        let noise = self.noise[*times % self.noise.len()];
        *times += 1;
        let misplaced = if self.misplaced > 0 {
            self.misplaced -= 1;
            vec![Misplaced::Pages { pages: 1, all: 2, seen: 1, wanted: "node 0".into() }]
        } else {
            Vec::new()
        };
        let thread = |a: usize, node: NodeId| {
            let app = &evaluation.apps[a];
            let share = noise / f64::from(allocation.total(AppId(a)) as u32);
            MeasuredThread {
                bytes: (app.bandwidth.value() * share * 1e9) as u64,
                flop: (app.gflops.value() * share * 1e9) as u64,
                misplaced: misplaced.clone(),
                ..crate::runner::tests_support::thread(node)
            }
        };
        let apps = scenario.apps.iter().enumerate();
        let apps = apps.map(|(a, app)| MeasuredApp {
            threads: app.threads.iter().map(|planned| thread(a, planned.node)).collect(),
        });
        Ok(Measurement { started: SystemTime::UNIX_EPOCH, apps: apps.collect() })
    }
}
