//! What was measured where the last-level cache was asked, beside what models of memory say of the same threads.

use numasim_model::{AppId, Study};

use crate::compare::{Comparison, Spread};
use crate::null_models::{self, NullModel};

/// An application in a scenario that asks for the last-level cache.
#[derive(Clone, Debug, PartialEq)]
pub struct CachedApp {
    /// The scenario.
    pub scenario: String,
    /// The application.
    pub app: String,
    /// Data of all applications of the scenario in bytes.
    pub data_bytes: u64,
    /// GB/s, measured.
    pub gbs: Spread,
    /// Measured GB/s as a fraction of what the same kernel got alone with the same data; `None` where that was not measured.
    pub of_alone: Option<f64>,
    /// GB/s that the model says, which counts everything as read from memory.
    pub model_gbs: f64,
    /// GB/s that [`NullModel::ALL`] say, in the same way.
    pub null_gbs: [f64; NullModel::ALL.len()],
}

/// Every application with measured bandwidth, in the order of the scenarios. Each thread had `bytes_per_thread` of data.
pub fn cached(study: &Study, comparison: &Comparison, bytes_per_thread: u64) -> Vec<CachedApp> {
    let mut found = Vec::new();
    for compared in &comparison.scenarios {
        let Some(scenario) = study.scenarios.iter().find(|own| own.name == compared.name) else { continue };
        let Ok(nulls) = null_models::predict(study, scenario) else { continue };
        let threads: u64 = (0..study.apps.len()).map(|app| scenario.allocation.total(AppId(app))).sum();
        for own in &compared.apps {
            let of_app = study.apps.iter().position(|app| app.name == own.name);
            let bandwidth = own.compared.as_ref().and_then(|own| own.bandwidth_gbs);
            let (Some(app), Some(pair)) = (of_app, bandwidth) else { continue };
            // What these applications move is what they compute over their intensity.
            let intensity = study.apps[app].arithmetic_intensity.value();
            found.push(CachedApp {
                scenario: compared.name.clone(),
                app: own.name.clone(),
                data_bytes: threads * bytes_per_thread,
                gbs: pair.measured,
                of_alone: None,
                model_gbs: pair.predicted,
                null_gbs: NullModel::ALL.map(|null| nulls.gflops(null)[app].value() / intensity),
            });
        }
    }
    let alone = |kind: &str| {
        let is_alone =
            |own: &&CachedApp| found.iter().filter(|other| other.scenario == own.scenario).count() == 1;
        let own = found.iter().filter(|own| kernel(&own.app) == kind).find(is_alone);
        own.map(|own| own.gbs.median).filter(|median| *median > 0.0)
    };
    let shares: Vec<Option<f64>> =
        found.iter().map(|own| Some(own.gbs.median / alone(kernel(&own.app))?)).collect();
    for (own, share) in found.iter_mut().zip(shares) {
        own.of_alone = share;
    }
    found
}

/// The kernel of an instance: "read" of "read-2".
fn kernel(app: &str) -> &str {
    app.rsplit_once('-').map_or(app, |(kernel, _)| kernel)
}

#[cfg(test)]
mod tests {
    use numasim_study::{SourceFile, read_study};

    use super::*;
    use crate::compare::{compare, read_measured};

    #[test]
    fn applications_stand_beside_what_they_get_alone_and_what_memory_would_give() {
        let file = |name: &str, text: &str| SourceFile { name: name.into(), text: text.into() };
        let study = read_study(&[file(
            "s.toml",
            "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 100\nbandwidth_gbs = 30\n\
             core_bandwidth_gbs = 20\n[[app]]\nname = \"read-1\"\narithmetic_intensity = 0.5\n[[app]]\nname = \"read-2\"\n\
             arithmetic_intensity = 0.5\n[[scenario]]\nname = \"alone\"\nthreads = { read-1 = 1 }\n[[scenario]]\nname = \"both\"\n\
             threads = { read-1 = 1, read-2 = 1 }\n",
        )])
        .expect("no problems")
        .study;
        let csv = "scenario,app,gflops,bandwidth_gbs,repetition\nalone,read-1,20,40,1\nboth,read-1,15,30,1\nboth,read-2,10,20,1\n";
        let measured = read_measured(csv).expect("in order");
        let asked: Vec<_> = study.scenarios.iter().collect();
        let comparison = compare(&study, &asked, &measured, |scenario| {
            let placements = scenario.placements().expect("no home is open");
            numasim_model::evaluate(&study.machine, &study.apps, &placements, &scenario.allocation)
        })
        .expect("it can be evaluated");
        let found = cached(&study, &comparison, 1 << 20);
        let shown: Vec<_> =
            found.iter().map(|own| (own.data_bytes >> 20, own.of_alone, own.model_gbs)).collect();
        // 30 and 20 of 40 GB/s; memory gives a core 20 alone, and 15 to each of two.
        assert_eq!(shown, [(1, Some(1.0), 20.0), (2, Some(0.75), 15.0), (2, Some(0.5), 15.0)]);
        assert_eq!(found[2].null_gbs, [20.0, 15.0]);
    }
}
