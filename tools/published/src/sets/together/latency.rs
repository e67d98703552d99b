//! Latency of one core's reads under the traffic of all others, by bandwidth.
//!
//! # Method
//! A curve is a machine and a share of reads. Two rows are given. The row with the least bandwidth is the idle latency. The row with the most
//! bandwidth gives a core, by Little's law, 1/N of bandwidth x latency / idle latency, and the memory a capacity at which all cores draw that
//! bandwidth. Every other row is a load of N threads with a `thread_gbs` at which the model draws the bandwidth of the row; the loaded latency that
//! `evaluate` prints is compared with the row's. *Fitted*: the penalty that reproduces the latency of one more row, at three quarters of the
//! bandwidth.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use std::collections::BTreeMap;

use numasim_evidence::fit::{self, Observed, by_solver};
use numasim_evidence::null_models::interpolated;
use numasim_model::sharing::{Parameter, Solver};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Demand, Machine, ModelKind, NodeId, Scenario, Study};

use super::super::{
    INTERPOLATION, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, TWO_POINTS, in_words, study,
    with_model,
};
use super::{each_row, positive};

pub(super) const COLUMNS: [&str; 5] = ["machine", "cores", "read_pct", "bandwidth_gbs", "latency_ns"];

/// Machines used to choose the third row.
const CHOSE: [&str; 10] = [
    "MLC: 2 x 8269CY",
    "MLC: 2 x Gold 6240",
    "MLC: 2 x 8360Y",
    "MLC: 2 x Gold 6132",
    "Mess: EPYC 7742",
    "Mess: 8460Y",
    "Mess: Max 9480, HBM",
    "PROFET: E5-2670",
    "PROFET: Gold 6146",
    "PROFET: 8480",
];

/// With the default penalty; the other one is recommended.
pub(super) const AS_ADVISED: &str = "as advised, two rows";
/// Traffic with a larger share of reads counts as reads.
const READS: u32 = 95;

/// Whether the errors of a machine led to a choice.
pub(super) fn chose(machine: &str) -> bool {
    CHOSE.contains(&machine)
}

/// GB/s of all, and the latency in ns.
type Row = (f64, f64);

/// Rows of one machine with one share of reads, by bandwidth.
struct Curve {
    cores: u32,
    writes: f64,
    rows: Vec<Row>,
}

/// The indices of the given rows: the least bandwidth, the one at three quarters, the most.
struct Seen([usize; 3]);

impl Curve {
    /// `None` with fewer than five rows, or without waiting.
    fn seen(&self) -> Option<Seen> {
        let last = self.rows.len().checked_sub(1).filter(|&last| last >= 4)?;
        let off = |at: usize| (self.rows[at].0 - 0.75 * self.rows[last].0).abs();
        let third = (1..last).min_by(|&a, &b| off(a).total_cmp(&off(b)))?;
        (self.rows[last].1 > self.rows[0].1).then_some(Seen([0, third, last]))
    }

    /// A node with these cores that read, according to the first and the last row.
    fn study(&self) -> Result<Study, PublishedError> {
        let (idle, full) = (self.rows[0].1, self.rows[self.rows.len() - 1]);
        let text = format!(
            "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = {}\ngflops_per_core = 1e9\nbandwidth_gbs = {:?}\ncore_bandwidth_gbs = {:?}\n\
             latency_matrix_ns = [[{idle:?}]]\n[[app]]\nname = \"readers\"\narithmetic_intensity = 1.0\nwrite_share = {:?}\n\
             [[scenario]]\nname = \"most\"\nthreads = {{ readers = {} }}\n[[scenario]]\nname = \"third\"\nthreads = {{ readers = {} }}\n",
            self.cores,
            full.0,
            full.0 * full.1 / idle / f64::from(self.cores),
            self.writes,
            self.cores,
            self.cores
        );
        study("loaded latency", &text)
    }

    /// The machine at which all cores draw the most, and, if `penalty`, with the penalty that reproduces the latency of the
    /// third row.
    fn machine(&self, study: &Study, third: Option<Row>) -> Result<Machine, PublishedError> {
        let usual = if self.writes > 0.0 { 0.5 } else { 0.33 };
        let parameters = [(Parameter::EcmPenalty, usual)];
        let start =
            with_model(&study.machine, ModelKind::Ecm, if third.is_some() { &parameters } else { &[] })?;
        let study = Study { machine: start, ..study.clone() };
        let demand = demand(&study)?;
        let solve = by_solver(&study);
        let predict = |machine: &Machine, scenario: &Scenario| match third {
            Some((gbs, _)) if scenario.name == "third" => Ok(vec![self.latency(machine, &demand, gbs)]),
            _ => solve(machine, scenario),
        };
        let most = Observed { scenario: 0, app: None, gflops: self.rows[self.rows.len() - 1].0 };
        let third = third.map(|(_, ns)| Observed { scenario: 1, app: None, gflops: ns });
        let observed: Vec<Observed> = [Some(most), third].into_iter().flatten().collect();
        let keys = ["bandwidth_gbs", "sharing.ecm_penalty"].into_iter().take(observed.len());
        let keys = keys.map(|key| fit::Parameter::read(&study.machine, key)).collect::<Result<Vec<_>, _>>();
        let keys = keys.map_err(|error| PublishedError::Model(error.to_string()))?;
        Ok(fit::lowest(&study, &observed, &keys, &predict)?)
    }

    /// The latency of a line while all draw `gbs` together, ns.
    fn latency(&self, machine: &Machine, demand: &Demand, gbs: f64) -> f64 {
        let one = machine.node(NodeId(0)).core_bandwidth.map_or(f64::NAN, GigabytesPerSecond::value);
        let at = |thread_gbs: f64| {
            let mut limited = demand.clone();
            limited.limits.bandwidth = Some(GigabytesPerSecond::new(thread_gbs));
            let solver = Solver::new(machine, &[limited]);
            let mut workspace = solver.workspace();
            solver.solve(&[self.cores], &mut workspace);
            let added = solver.latency_added_ns(machine, NodeId(0), &workspace).unwrap_or(f64::NAN);
            (workspace.gflops().iter().sum::<f64>(), added)
        };
        let least = gbs / f64::from(self.cores);
        if least <= 0.0 {
            return self.rows[0].1;
        }
        // Threads that ask for more draw more: regula falsi, in which an end that stays counts half (Illinois).
        let too_much = |thread_gbs| (thread_gbs, at(thread_gbs).0 - gbs);
        let (mut low, mut high) = (too_much(least), too_much(one));
        let mut asked = if high.1 <= 0.0 { one } else { least };
        while low.1 < -1e-9 * gbs && high.1 > 1e-9 * gbs && high.0 - low.0 > 1e-9 * one {
            asked = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
            let found = too_much(asked);
            if found.1.abs() <= 1e-7 * gbs {
                break;
            } else if found.1 < 0.0 {
                (low, high.1) = (found, high.1 / 2.0);
            } else {
                (high, low.1) = (found, low.1 / 2.0);
            }
        }
        self.rows[0].1 + at(asked).1
    }
}

/// The demand of a thread.
fn demand(study: &Study) -> Result<Demand, PublishedError> {
    let demands = study.scenarios.first().and_then(|scenario| study.demands(scenario).ok());
    let first = demands.and_then(|demands| demands.first().cloned());
    first.ok_or_else(|| PublishedError::Model("nobody reads".to_owned()))
}

/// The curves of a file, each by the null models and by `ecm`, as advised and with a penalty that was fitted.
pub(super) fn judge(text: &str) -> Result<Vec<Judged>, PublishedError> {
    let mut curves: BTreeMap<(String, u32), Curve> = BTreeMap::new();
    each_row(text, COLUMNS, |row, [machine, cores, reads, gbs, ns]| {
        let key = (row.text(Some(machine)).to_owned(), row.whole_number(reads, 0, "% of reads, e.g. 100")?);
        if key.1 > 100 {
            let message = "reads are at most 100 % of the traffic";
            return Err(row.problem(reads, numasim_study::ProblemKind::BadValue, message));
        }
        let cores = row.whole_number(cores, 2, "cores that read, e.g. 20")?;
        let measured = (row.amount(gbs, "GB/s, e.g. 117.8")?, positive(row, ns, "ns, e.g. 90.5")?);
        let writes = if key.1 < READS { 1.0 - f64::from(key.1) / 100.0 } else { 0.0 };
        let new = || Curve { cores, writes, rows: Vec::new() };
        curves.entry(key).or_insert_with(new).rows.push(measured);
        Ok(())
    })?;
    let mut all = Vec::new();
    for ((machine, reads), mut curve) in curves {
        curve.rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let Some(Seen(seen)) = curve.seen() else { continue };
        let [idle, third, full] = seen.map(|at| curve.rows[at]);
        let set = if chose(&machine) { "loaded latency, machines that chose" } else { "loaded latency" };
        let mut add = |model: &'static str, variant: &str, figures: String, of: &dyn Fn(f64) -> f64| {
            let point = |(at, &(gbs, ns)): (usize, &Row)| {
                let name = format!("{gbs:.1} GB/s, {at}");
                (seen.contains(&at), Point { name, measured: ns, predicted: of(gbs) })
            };
            let points = curve.rows.iter().enumerate().map(point);
            all.push(Judged {
                machine: Some(machine.clone()),
                traffic: format!("{machine}, {reads} % reads"),
                write_allocate: "counted",
                figures,
                unit: "ns",
                ..Judged::new(Part::Latency, set.to_owned(), (model, variant), points)
            });
        };
        let known = in_words([("idle", idle.1), ("B", full.0), ("loaded", full.1)]);
        add(NO_SHARING, NO_FIT, known.clone(), &|_| idle.1);
        add(TWO_POINTS, NO_FIT, known.clone(), &|gbs| {
            idle.1 + (full.1 - idle.1) * (gbs - idle.0) / (full.0 - idle.0)
        });
        add(INTERPOLATION, NO_FIT, known, &|gbs| interpolated(&[idle, third, full], gbs));
        let study = curve.study()?;
        let demand = demand(&study)?;
        for (third, variant) in [(None, AS_ADVISED), (Some(third), "ecm_penalty")] {
            let fitted = curve.machine(&study, third)?;
            let parameters = fitted.sharing().in_use().map(|(parameter, value)| (parameter.as_str(), value));
            let capacity = fitted.node(NodeId(0)).bandwidth.value();
            let figures = in_words([("idle", idle.1), ("B", capacity)].into_iter().chain(parameters));
            add(ModelKind::Ecm.as_str(), variant, figures, &|gbs| curve.latency(&fitted, &demand, gbs));
        }
    }
    Ok(all)
}
