//! Threads of two and of four nodes read one memory of an Opteron with eight.
//!
//! # Data
//! STREAM Triad, 8 threads on each source node, memory bound to one node (jlenis/NES, machine batcat). It is one process
//! with a barrier behind each kernel: the slowest node sets the rate of all, so that what is measured is the number of
//! nodes times the slowest of them. Medians over array sizes and modes.
//!
//! # Method
//! The machine is the matrix of the same source with one node reading at a time (`configs/machines/opteron-8n.toml`).
//! No bandwidth of a single core is published: a thread draws at most an eighth of what the eight threads of its node
//! draw from their own memory. Nothing else is given, so that the models predict 784 runs without a fit.
//!
//! Then two corrections, `link_efficiency` and `remote_loss`, are taken from a grid: those with the smallest sum of
//! squared relative errors over the runs against seven of the memories predict the runs against the eighth.

use std::collections::BTreeMap;

use numasim_model::sharing::{Parameter, Solver};
use numasim_model::units::{FlopPerByte, GigabytesPerSecond};
use numasim_model::{Access, AppId, Demand, Machine, ModelKind, NodeId, Placement};

use super::{Judged, Part, Point, PublishedError, Role, in_words, study, with_model};
use crate::csv_rows::Rows;
use crate::statistics::median;

const MACHINE: &str = include_str!("../../../../configs/machines/opteron-8n.toml");
const TWO: &str = include_str!("../../data/nes_batcat_stream_membind_two_src_nodes_16t.csv");
const FOUR: &str = include_str!("../../data/nes_batcat_stream_membind_four_src_nodes_32t_median.csv");
/// Threads on each source node.
const THREADS: u32 = 8;
/// FLOP per byte of the Triad: 2 FLOP for 24 byte. Any intensity with which cores want more than memory has would do.
const TRIAD: f64 = 1.0 / 12.0;

/// Values of the two corrections that are tried.
const EFFICIENCIES: [f64; 11] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5];
const LOSSES: u32 = 40;
const LOSS_STEP: f64 = 0.05;

/// Threads of some nodes that read one memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The nodes of the threads.
    pub sources: Vec<usize>,
    /// The node of the memory.
    pub target: usize,
    /// Measured GB/s of all together.
    pub gbs: f64,
}

impl Run {
    fn name(&self) -> String {
        let sources: Vec<String> = self.sources.iter().map(usize::to_string).collect();
        format!("{} on {}", sources.join("-"), self.target)
    }
}

/// The runs with two sources, then those with four.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub fn runs() -> Result<[Vec<Run>; 2], PublishedError> {
    Ok([read(TWO, "Triad")?, read(FOUR, "Triad_med")?])
}

/// The median of all rows with the same sources and memory.
fn read(text: &str, column: &str) -> Result<Vec<Run>, PublishedError> {
    let mut rows = Rows::new(text)?;
    let columns = ["src_nodes", "mem_node", column].map(|name| rows.column(name));
    let [Some(sources), Some(target), Some(rate)] = columns else {
        return Err(rows.header_lacks("columns are missing").into());
    };
    let mut found: BTreeMap<(Vec<usize>, usize), Vec<f64>> = BTreeMap::new();
    while let Some(row) = rows.next() {
        let row = row?;
        let list: Vec<usize> =
            row.text(Some(sources)).split('-').filter_map(|node| node.parse().ok()).collect();
        let target = row.whole_number(target, 0, "a node")? as usize;
        found.entry((list, target)).or_default().push(row.amount(rate, "MB/s")? / 1000.0);
    }
    let run = |((sources, target), rates): ((Vec<usize>, usize), Vec<f64>)| {
        Some(Run { sources, target, gbs: median(&rates)? })
    };
    Ok(found.into_iter().filter_map(run).collect())
}

/// The machine of the matrix, with what one of eight threads draws.
fn machine() -> Result<Machine, PublishedError> {
    let machine = study("opteron-8n.toml", MACHINE)?.machine;
    let mut nodes = machine.nodes().to_vec();
    for node in &mut nodes {
        node.core_bandwidth = Some(GigabytesPerSecond::new(node.bandwidth.value() / f64::from(THREADS)));
    }
    let ids = || machine.node_ids();
    let links = ids().flat_map(|from| ids().map(move |to| (from, to)));
    let links = links.map(|(from, to)| machine.link(from, to).unwrap_or_default()).collect();
    machine.retuned(nodes, links).map_err(|error| PublishedError::Model(error.to_string()))
}

/// GB/s of each run: nodes x threads x the slowest thread.
fn predict(machine: &Machine, runs: &[Run]) -> Vec<f64> {
    let count = machine.node_count();
    let solvers: Vec<Solver> = machine
        .node_ids()
        .map(|home| {
            let demand = Demand {
                arithmetic_intensity: FlopPerByte::new(TRIAD),
                // All figures of the matrix are those of triads.
                kernel: Access::Read,
                placement: Placement::Home(home),
            };
            Solver::new(machine, &[demand])
        })
        .collect();
    let mut workspaces: Vec<_> = solvers.iter().map(Solver::workspace).collect();
    let one = |run: &Run| {
        let (Some(solver), Some(workspace)) = (solvers.get(run.target), workspaces.get_mut(run.target))
        else {
            return f64::NAN;
        };
        let mut threads = vec![0; count];
        for &source in &run.sources {
            if let Some(threads) = threads.get_mut(source) {
                *threads = THREADS;
            }
        }
        solver.solve(&threads, workspace);
        let rates = run
            .sources
            .iter()
            .filter_map(|&source| workspace.bandwidth_per_thread().get(AppId(0), NodeId(source)));
        let slowest = rates.copied().fold(f64::INFINITY, f64::min);
        run.sources.len() as f64 * f64::from(THREADS) * slowest
    };
    runs.iter().map(one).collect()
}

/// All models, plain and with two corrections of which the target was left out.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub fn judge() -> Result<Vec<Judged>, PublishedError> {
    let machine = machine()?;
    let [two, four] = runs()?;
    let split = two.len();
    let runs: Vec<Run> = two.into_iter().chain(four).collect();
    let mut all = Vec::new();
    for kind in ModelKind::ALL {
        let plain = predict(&with_model(&machine, kind, &[])?, &runs);
        all.extend(judged(&runs, &plain, split, kind, "no fit", ""));
        let (predicted, figures) = without_target(&machine, kind, &runs)?;
        all.extend(judged(
            &runs,
            &predicted,
            split,
            kind,
            "link_efficiency and remote_loss of the others",
            &figures,
        ));
    }
    Ok(all)
}

fn judged(
    runs: &[Run],
    predicted: &[f64],
    split: usize,
    kind: ModelKind,
    variant: &str,
    figures: &str,
) -> [Judged; 2] {
    let points: Vec<Point> = runs
        .iter()
        .zip(predicted)
        .map(|(run, &predicted)| Point { name: run.name(), measured: run.gbs, predicted })
        .collect();
    let (two, four) = points.split_at(split.min(points.len()));
    [("2 nodes", two, Role::Chose), ("4 nodes", four, Role::Tests)].map(|(sources, points, role)| Judged {
        part: Part::Readers,
        role,
        machine: None,
        set: format!("4-socket Opteron, {sources} read one memory"),
        traffic: "STREAM Triad".to_owned(),
        write_allocate: "not counted",
        model: kind.name(),
        variant: variant.to_owned(),
        figures: figures.to_owned(),
        unit: "GB/s",
        falls: None,
        points: points.to_vec(),
        fitted: Vec::new(),
    })
}

/// The runs against each memory, predicted with the corrections that fit those against the others best.
fn without_target(
    machine: &Machine,
    kind: ModelKind,
    runs: &[Run],
) -> Result<(Vec<f64>, String), PublishedError> {
    let losses = (0..=LOSSES).map(|step| f64::from(step) * LOSS_STEP);
    let mut grid = Vec::new();
    for (efficiency, loss) in losses.flat_map(|loss| EFFICIENCIES.map(|efficiency| (efficiency, loss))) {
        let parameters = [(Parameter::LinkEfficiency, efficiency), (Parameter::RemoteLoss, loss)];
        grid.push(([efficiency, loss], predict(&with_model(machine, kind, &parameters)?, runs)));
    }
    let mut predicted = vec![f64::NAN; runs.len()];
    let mut ranges = [(f64::INFINITY, 0.0_f64); 2];
    for NodeId(target) in machine.node_ids() {
        let cost = |of: &[f64]| {
            let others = runs.iter().zip(of).filter(|(run, _)| run.target != target);
            others.map(|(run, predicted)| ((predicted - run.gbs) / run.gbs).powi(2)).sum::<f64>()
        };
        // Of equal ones the first: with the least correction.
        let best = grid.iter().map(|one| (cost(&one.1), one)).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, (values, of))) = best else { continue };
        for (range, value) in ranges.iter_mut().zip(values) {
            *range = (range.0.min(*value), range.1.max(*value));
        }
        for ((run, predicted), of) in runs.iter().zip(&mut predicted).zip(of) {
            if run.target == target {
                *predicted = *of;
            }
        }
    }
    let figures = [("link_efficiency", ranges[0]), ("remote_loss", ranges[1])].map(|(key, (low, high))| {
        if low < high { format!("{key} {low:.2} to {high:.2}") } else { in_words([(key, low)]) }
    });
    Ok((predicted, figures.join(", ")))
}
