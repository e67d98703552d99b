//! Converts one measurement to its rows.

use numasim_evidence::measured::{Row, Status};
use numasim_model::NodeId;
use numasim_model::cpus::ranges;

use crate::plan::{PlannedApp, PlannedScenario};
use crate::provenance::utc;
use crate::runner::{MeasuredApp, MeasuredThread, Measurement};
use numasim_kernels::loops::Isa;

/// The status of rows whose own threads were in place while others of the same measurement were not.
const OTHERS: &str = "other threads of this measurement were misplaced";

/// The rows of one measurement: one for each application and node on which it has threads, in the order of the plan.
///
/// `os_nodes`: node numbers of the operating system. `doubts`: codes that apply to each application. Empty if the measurement does not
/// match `scenario`: another number of applications or threads.
pub fn of_measurement(
    run: &str,
    isa: Isa,
    os_nodes: &[u32],
    scenario: &PlannedScenario,
    repetition: u32,
    measurement: &Measurement,
    doubts: &[String],
) -> Vec<Row> {
    if !is_of(scenario, measurement) {
        return Vec::new();
    }
    let status = if problems(scenario, measurement).is_empty() { Status::Ok } else { Status::Misplaced };
    let mut rows = Vec::new();
    for ((planned, measured), doubts) in scenario.apps.iter().zip(&measurement.apps).zip(doubts) {
        for (node, _) in planned.nodes() {
            let group = Group::new(planned, measured, node);
            let flop = |thread: &MeasuredThread| planned.kernel.flop(thread.flop, thread.bytes);
            let problem = match status {
                Status::Ok => String::new(),
                Status::Misplaced => group.problem().unwrap_or_else(|| OTHERS.to_owned()),
            };
            rows.push(Row {
                run: run.to_owned(),
                scenario: scenario.name.clone(),
                app: planned.name.clone(),
                node: node.0,
                repetition,
                threads: u32::try_from(group.threads.len()).unwrap_or(u32::MAX),
                data: data(planned, node, os_nodes),
                kernel: planned.kernel.name().to_owned(),
                isa: isa.as_str().to_owned(),
                arithmetic_intensity_flop_per_byte: planned.kernel.arithmetic_intensity().value(),
                window_s: group.mean(|thread| thread.counted_s),
                traffic_bytes: group.threads.iter().map(|(_, thread)| thread.bytes).sum(),
                work_flop: group.threads.iter().map(|(_, thread)| thread.flop).sum(),
                bandwidth_gbs: group.rates(|thread| thread.bytes as f64).iter().sum(),
                gflops: group.rates(flop).iter().sum(),
                thread_gflops_min: group.rates(flop).into_iter().fold(f64::INFINITY, f64::min),
                thread_gflops_max: group.rates(flop).into_iter().fold(0.0, f64::max),
                huge_pages_percent: group.huge_pages().map(|share| 100.0 * share),
                counting_percent: group.counting().map(|share| 100.0 * share),
                cpus: group.cpus(),
                started_utc: utc(measurement.started),
                fitted: scenario.fitted,
                status,
                problem,
                doubts: doubts.clone(),
            });
        }
    }
    rows
}

/// Whether a measurement has the applications and threads of a scenario.
fn is_of(scenario: &PlannedScenario, measurement: &Measurement) -> bool {
    scenario.apps.len() == measurement.apps.len()
        && scenario.apps.iter().zip(&measurement.apps).all(|(planned, measured)| {
            planned.threads.len() == measured.threads.len()
                && planned.threads.iter().zip(&measured.threads).all(|(a, b)| a.node == b.node)
        })
}

/// All misplaced threads and data of a measurement, in words with application and thread.
pub fn problems(scenario: &PlannedScenario, measurement: &Measurement) -> Vec<String> {
    let apps = scenario.apps.iter().zip(&measurement.apps);
    apps.flat_map(|(planned, measured)| {
        let threads = measured.threads.iter().enumerate();
        threads.flat_map(move |(number, thread)| {
            let messages = thread.misplaced.iter();
            messages.map(move |problem| format!("'{}' thread {number} {problem}", planned.name))
        })
    })
    .collect()
}

/// The threads of an application on one node, with their numbers in the application.
struct Group<'a> {
    threads: Vec<(usize, &'a MeasuredThread)>,
}

impl<'a> Group<'a> {
    fn new(planned: &PlannedApp, measured: &'a MeasuredApp, node: NodeId) -> Self {
        let threads = planned.threads.iter().zip(&measured.threads).enumerate();
        let here = threads.filter(|(_, (planned, _))| planned.node == node);
        Self { threads: here.map(|(number, (_, thread))| (number, thread)).collect() }
    }

    fn mean(&self, value: impl Fn(&MeasuredThread) -> f64) -> f64 {
        self.threads.iter().map(|(_, thread)| value(thread)).sum::<f64>() / self.threads.len() as f64
    }

    /// 10^9 per second, thread by thread: each over its own time.
    fn rates(&self, count: impl Fn(&MeasuredThread) -> f64) -> Vec<f64> {
        let rate = |thread: &MeasuredThread| {
            if thread.counted_s > 0.0 { count(thread) / thread.counted_s / 1e9 } else { 0.0 }
        };
        self.threads.iter().map(|(_, thread)| rate(thread)).collect()
    }

    fn huge_pages(&self) -> Option<f64> {
        let shares: Option<Vec<f64>> = self.threads.iter().map(|(_, thread)| thread.huge_pages).collect();
        let shares = shares.filter(|shares| !shares.is_empty())?;
        Some(shares.iter().sum::<f64>() / shares.len() as f64)
    }

    fn counting(&self) -> Option<f64> {
        self.threads.iter().map(|(_, thread)| thread.clock_share).max_by(f64::total_cmp)
    }

    fn cpus(&self) -> String {
        let mut cpus: Vec<u32> =
            self.threads.iter().flat_map(|(_, thread)| thread.cpus.iter().copied()).collect();
        cpus.sort_unstable();
        cpus.dedup();
        ranges(&cpus)
    }

    fn problem(&self) -> Option<String> {
        let messages = self.threads.iter().flat_map(|(number, thread)| {
            thread.misplaced.iter().map(move |problem| format!("thread {number} {problem}"))
        });
        let messages: Vec<String> = messages.map(|text| text.replace(['\n', '\r'], " ")).collect();
        (!messages.is_empty()).then(|| messages.join("; "))
    }
}

/// `node:percent` of the data of the threads on `node`; nodes are those of the machine file.
fn data(app: &PlannedApp, node: NodeId, os_nodes: &[u32]) -> String {
    let memory =
        app.threads.iter().find(|thread| thread.node == node).map_or(&[][..], |thread| &thread.memory);
    let number = |os_node: u32| os_nodes.iter().position(|&other| other == os_node);
    // Six digits after the decimal point hide the rounding of a third, but not a page of a terabyte.
    let part = |&(os_node, share): &(u32, f64)| {
        Some(format!("{}:{}", number(os_node)?, (share * 1e8).round() / 1e6))
    };
    memory.iter().filter_map(part).collect::<Vec<_>>().join(" ")
}
