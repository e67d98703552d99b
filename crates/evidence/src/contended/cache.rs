//! Contention for the last-level cache: working sets that fit in it together, and those that fit only alone.
//!
//! # Sizes
//! Two applications have half of the threads each. *Inside*: all data together is 3/4 of the cache, so that
//! everything is read from it, as far as the cache permits. *Beyond*: the data of each application is 3/4 of
//! the cache, and that of both 3/2: data that fits alone does not fit together with the other. The next
//! smaller cache should not matter for a thread's share: with data inside, the share is at least [`BELOW`]
//! times as large as that cache. If it would be smaller with all cores, fewer take part.
//!
//! # Kernels
//! Reads, and updates, which store the data that they read. Copies and triads use non-temporal stores.

use numasim_model::{AppId, Machine, NodeId, Study};

use crate::compare::{Comparison, Spread};
use crate::contended::{Placed, Row, file, pair};
use crate::null_models::{self, NullModel};

/// Minimum size of the data of a thread relative to the next smaller cache.
const BELOW: u64 = 2;
/// The size of data is a multiple of this number of bytes.
const UNIT: u64 = 64 << 10;

/// The known properties of the last-level cache of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastLevel {
    /// Its size in bytes.
    pub bytes: u64,
    /// Size in bytes of the next smaller cache, that of one core; `None` if there is none.
    pub below_bytes: Option<u64>,
    /// Number of cores that share it: the first ones of the node.
    pub cores: u32,
}

/// Scenarios that test the last-level cache.
#[derive(Clone, Debug, PartialEq)]
pub struct CachePlan {
    /// The cache.
    pub cache: LastLevel,
    /// Threads of both applications together.
    pub threads: u32,
    /// The input file of both runs, in addition to that of the machine.
    pub scenarios: String,
    /// The runs inside the cache and beyond it.
    pub runs: [CacheRun; 2],
}

/// Scenarios with the same data for each thread.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheRun {
    /// A word for file names.
    pub name: &'static str,
    /// Data of each thread in bytes.
    pub bytes_per_thread: u64,
    /// The names of its scenarios.
    pub scenarios: Vec<String>,
}

/// The reason that the last-level cache cannot be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCache {
    /// The scenarios are for one node.
    #[error("it is asked on hosts with one NUMA node, and this one has {0}")]
    SeveralNodes(usize),
    /// Its size is unknown.
    #[error("the system does not tell its size and who shares it")]
    Unknown,
    /// Only one core uses it.
    #[error("the first core of the node does not share it with the next one")]
    OneCore,
    /// Two threads would have most of their data in smaller caches.
    #[error("it has {bytes} bytes, too few compared with the {below_bytes} bytes of the cache below it")]
    TooSmall {
        /// Its size.
        bytes: u64,
        /// Size of the next smaller one.
        below_bytes: u64,
    },
}

/// The kernels of both applications, or of a single one.
const ASKED: [&[&str]; 5] =
    [&["read"], &["update"], &["read", "read"], &["update", "update"], &["read", "update"]];

impl CachePlan {
    /// Scenarios for a machine of one node.
    ///
    /// # Errors
    /// [`NoCache`] if the host is not suitable.
    pub fn of(machine: &Machine, cache: Option<LastLevel>) -> Result<Self, NoCache> {
        if machine.node_count() != 1 {
            return Err(NoCache::SeveralNodes(machine.node_count()));
        }
        let cache = cache.ok_or(NoCache::Unknown)?;
        let cores = cache.cores.min(machine.node(NodeId(0)).cores);
        if cores < 2 {
            return Err(NoCache::OneCore);
        }
        let below_bytes = cache.below_bytes.unwrap_or(0);
        // An even number of threads with enough data each inside.
        let enough = |threads: &u32| inside(cache.bytes, *threads) >= (BELOW * below_bytes).max(UNIT);
        let threads = (1..=cores / 2).rev().map(|half| 2 * half).find(enough);
        let threads = threads.ok_or(NoCache::TooSmall { bytes: cache.bytes, below_bytes })?;
        let sizes = [("inside", inside(cache.bytes, threads)), ("beyond", 2 * inside(cache.bytes, threads))];
        let rows = sizes.map(|(name, _)| rows(name, threads / 2));
        let head = "# Made by `numasim validate`: the last-level cache as what is contended. The sharing models have no figure for it.\n";
        let scenarios = file(head, &rows.concat());
        let runs = [0, 1].map(|run| CacheRun {
            name: sizes[run].0,
            bytes_per_thread: sizes[run].1,
            scenarios: rows[run].iter().map(|row| row.name.clone()).collect(),
        });
        Ok(Self { cache, threads, scenarios, runs })
    }
}

/// Data of each thread in bytes if the data of all is 3/4 of the cache.
fn inside(cache_bytes: u64, threads: u32) -> u64 {
    cache_bytes / 4 * 3 / u64::from(threads) / UNIT * UNIT
}

/// The scenarios of one size; `half` threads for each application.
fn rows(size: &str, half: u32) -> Vec<Row> {
    let placed = |app: String| Placed { app, threads: vec![half], data: None };
    let row = |kinds: &[&str]| {
        if let [first, second] = *kinds {
            let apps = pair([first, second]);
            let name = format!("last-level cache, {size}: {half} {} beside {half} {}", apps[0], apps[1]);
            return Row { name, apps: apps.into_iter().map(placed).collect() };
        }
        let app = format!("{}-1", kinds.concat());
        Row { name: format!("last-level cache, {size}: {half} {app} alone"), apps: vec![placed(app)] }
    };
    ASKED.into_iter().map(row).collect()
}

/// An application in a scenario that tests the last-level cache.
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
    /// Measured GB/s relative to the same kernel alone with the same data; `None` if that was not measured.
    pub of_alone: Option<f64>,
    /// GB/s predicted by the model, which counts everything as read from memory.
    pub model_gbs: f64,
    /// GB/s predicted by [`NullModel::ALL`], in the same way.
    pub null_gbs: [f64; NullModel::ALL.len()],
}

/// Every application with measured bandwidth, in the order of the scenarios. Each thread had
/// `bytes_per_thread` of data.
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
            // The traffic of these applications is their computation over their intensity.
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

    fn text(nodes: usize, cores: u32) -> SourceFile {
        let text = format!(
            "[machine]\nname = \"m\"\nnodes = {nodes}\ncores_per_node = {cores}\ngflops_per_core = 40\nbandwidth_gbs = 100\n\
             link_gbs = 10\n"
        );
        SourceFile { name: "m.toml".into(), text }
    }

    fn machine(nodes: usize, cores: u32) -> Machine {
        read_study(&[text(nodes, cores)]).expect("a machine").study.machine
    }

    const fn cache(mib: u64, below_mib: u64, cores: u32) -> LastLevel {
        LastLevel { bytes: mib << 20, below_bytes: Some(below_mib << 20), cores }
    }

    fn plan(cores: u32, cache: LastLevel) -> Result<CachePlan, NoCache> {
        CachePlan::of(&machine(1, cores), Some(cache))
    }

    #[test]
    fn two_cores_fill_three_quarters_and_one_and_a_half_times_the_cache() {
        let plan = plan(2, cache(32, 2, 2)).expect("two cores");
        // 3/4 of 32 MiB for two threads: 12 each; beyond 24 each, which are 3/4 alone and 48 / 32 together.
        assert_eq!(plan.runs.each_ref().map(|run| run.bytes_per_thread >> 20), [12, 24]);
        assert_eq!(plan.threads, 2);
        let files = [text(1, 2), SourceFile { name: "cache.toml".into(), text: plan.scenarios.clone() }];
        let study = read_study(&files).expect("no problems").study;
        let names: Vec<&str> = study.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        assert_eq!(names, plan.runs.iter().flat_map(|run| &run.scenarios).collect::<Vec<_>>());
        assert_eq!(names.len(), 10);
        assert_eq!(names[4], "last-level cache, inside: 1 read-1 beside 1 update-1");
        assert_eq!(names[5], "last-level cache, beyond: 1 read-1 alone");
    }

    #[test]
    fn only_cores_that_share_the_first_cache_take_part() {
        // Eight cores on one die of a node of 32, an odd one left over with seven.
        assert_eq!(plan(32, cache(32, 1, 8)).map(|plan| plan.threads), Ok(8));
        assert_eq!(plan(32, cache(32, 1, 7)).map(|plan| plan.threads), Ok(6));
    }

    #[test]
    fn fewer_threads_take_part_if_smaller_caches_would_hold_their_data() {
        // 3/4 of 112 MiB are 84; with twice 2 MiB for each thread: 21 threads, rounded to the even number 20.
        assert_eq!(plan(60, cache(112, 2, 60)).map(|plan| plan.threads), Ok(20));
        // 3/4 of 4 MiB are 3: 1.5 for each of two, but twice 1 MiB is needed.
        let small = NoCache::TooSmall { bytes: 4 << 20, below_bytes: 1 << 20 };
        assert_eq!(plan(8, cache(4, 1, 8)).map(|plan| plan.threads), Err(small));
    }

    #[test]
    fn unsuitable_hosts_are_reported_with_the_reason() {
        let of = |nodes, cores, cache| CachePlan::of(&machine(nodes, cores), cache).expect_err("impossible");
        assert_eq!(of(2, 8, Some(cache(32, 1, 8))), NoCache::SeveralNodes(2));
        assert_eq!(of(1, 8, None), NoCache::Unknown);
        assert_eq!(of(1, 8, Some(cache(32, 1, 1))), NoCache::OneCore);
        assert_eq!(of(1, 1, Some(cache(32, 1, 8))), NoCache::OneCore);
    }
}

#[cfg(test)]
mod cached_tests {
    use numasim_study::{SourceFile, read_study};

    use super::*;
    use crate::compare::{compare, read_measured};

    #[test]
    fn applications_are_compared_with_their_bandwidth_alone_and_with_memory() {
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
