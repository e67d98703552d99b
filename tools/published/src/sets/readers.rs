//! Threads of two and of four nodes read one memory of an Opteron with eight.
//!
//! # Data
//! STREAM Triad, 8 threads on each source node, memory bound to one node (jlenis/NES, machine batcat). It is one process
//! with a barrier after each kernel. The slowest node sets the rate of all, so that the measured value is the number of
//! nodes times the slowest of them. Medians over array sizes and modes.
//!
//! # Method
//! The machine is the matrix of the same source with one node reading at a time (`configs/machines/opteron-8n.toml`).
//! No bandwidth of a single core is published: a thread draws at most an eighth of the bandwidth that the eight threads
//! of its node draw from their local memory. Nothing else is given, so that the models predict 784 runs without a fit.
//!
//! - *as advised*: `ecm` with its default penalties, which were not fitted here. Runs of two nodes led to the choice of
//!   soft queues for links, as for controllers, so that only those of four test it.
//! - *fitted to 2 nodes*: two corrections from a grid, those with the smallest sum of squared relative errors over the runs of two nodes;
//!   the runs of four are predicted with them. `remote_loss`, and `link_efficiency` or, for `ecm`, `ecm_penalty`.
//! - *shared ports*: two values for the machine that a matrix does not contain (`Ports`), fitted to the same runs, and nothing
//!   else.
//!
//! The two null models are *no sharing* (every node draws its stand-alone bandwidth) and *equal parts* (every node gets an equal share of
//! the controller).

use std::collections::BTreeMap;

use numasim_model::sharing::{Parameter, Solver};
use numasim_model::units::{FlopPerByte, GigabytesPerSecond};
use numasim_model::{Access, AppId, Demand, Machine, ModelKind, NodeId, Placement};

use super::{
    ADVISED, EQUAL_PARTS, Judged, NO_FIT, NO_SHARING, Part, Point, PublishedError, Role, in_words, study,
    with_model, without_correction,
};
use numasim_evidence::statistics::median;
use numasim_study::csv::Rows;

const MACHINE: &str = include_str!("../../../../configs/machines/opteron-8n.toml");
const TWO: &str =
    include_str!("../../../../results/published-data/data/nes_batcat_stream_membind_two_src_nodes_16t.csv");
const FOUR: &str = include_str!(
    "../../../../results/published-data/data/nes_batcat_stream_membind_four_src_nodes_32t_median.csv"
);
mod ports;

use ports::Ports;

/// Threads on each source node.
const THREADS: u32 = 8;
/// FLOP per byte of the Triad: 2 FLOP for 24 byte. Any intensity at which cores want more than the memory provides is
/// suitable.
const TRIAD: f64 = 1.0 / 12.0;

/// The tested values of the two corrections.
const EFFICIENCIES: [f64; 11] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5];
const PENALTIES: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
const LOSSES: u32 = 40;
const LOSS_STEP: f64 = 0.05;

/// Threads of some nodes that read one memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// The nodes of the threads.
    pub(crate) sources: Vec<usize>,
    /// The node of the memory.
    pub(crate) target: usize,
    /// Measured GB/s of all together.
    pub(crate) gbs: f64,
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
pub(crate) fn runs() -> Result<[Vec<Run>; 2], PublishedError> {
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

/// The machine of the matrix, with the bandwidth of one of eight threads.
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
            // All values of the matrix are from triads.
            let demand = Demand::new(FlopPerByte::new(TRIAD), Access::Read, Placement::Home(home));
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

/// A null model: its name, and GB/s of a run on the machine.
type Null = (&'static str, fn(&Machine, &Run) -> f64);

const NULLS: [Null; 2] = [(NO_SHARING, no_sharing), (EQUAL_PARTS, equal_parts)];

/// The number of nodes times the stand-alone bandwidth of the slowest.
fn no_sharing(machine: &Machine, run: &Run) -> f64 {
    let alone = run.sources.iter().map(|&source| {
        let (from, memory) = (NodeId(source), NodeId(run.target));
        let own = machine.node(from).bandwidth.value();
        machine.link(from, memory).map_or(own, |link| link.value().min(own))
    });
    run.sources.len() as f64 * alone.fold(f64::INFINITY, f64::min)
}

/// The whole controller, for any readers.
fn equal_parts(machine: &Machine, run: &Run) -> f64 {
    machine.node(NodeId(run.target)).bandwidth.value()
}

/// All models without a fit, `ecm` as advised, all with two corrections and all with two shared ports that fit the runs of two nodes;
/// also the null models.
///
/// # Errors
/// None, unless the data of this crate are broken.
pub(crate) fn judge() -> Result<Vec<Judged>, PublishedError> {
    let machine = machine()?;
    let [two, four] = runs()?;
    let mut all = Vec::new();
    for (name, null) in NULLS {
        let predicted = |runs: &[Run]| runs.iter().map(|run| null(&machine, run)).collect::<Vec<f64>>();
        all.extend(judged([(&two, predicted(&two)), (&four, predicted(&four))], name, NO_FIT, ""));
    }
    for kind in ModelKind::ALL {
        let with = |parameters: &[(Parameter, f64)]| -> Result<_, PublishedError> {
            let machine = with_model(&machine, kind, parameters)?;
            Ok([(&two, predict(&machine, &two)), (&four, predict(&machine, &four))])
        };
        let words = |parameters: &[(Parameter, f64)]| {
            in_words(parameters.iter().map(|&(parameter, value)| (parameter.as_str(), value)))
        };
        all.extend(judged(with(without_correction(kind))?, kind.as_str(), NO_FIT, ""));
        if let Some(advised) = super::advised(kind) {
            all.extend(judged(with(advised)?, kind.as_str(), ADVISED, ""));
        }
        let best = fitted_to(&machine, kind, &two)?;
        all.extend(judged(with(&best)?, kind.as_str(), "fitted to 2 nodes", &words(&best)));
        let machine = with_model(&machine, kind, &[])?;
        if machine.sharing().refusal(true, false, false).is_none() {
            let ports = Ports::fitted(&machine, &two)?;
            let predicted =
                [(&two, ports.predict(&machine, &two)?), (&four, ports.predict(&machine, &four)?)];
            let words = in_words([("ingress", ports.ingress), ("socket", ports.socket)]);
            all.extend(judged(predicted, kind.as_str(), "shared ports", &words));
        }
    }
    Ok(all)
}

fn judged(
    [two, four]: [(&Vec<Run>, Vec<f64>); 2],
    model: &'static str,
    variant: &str,
    figures: &str,
) -> Vec<Judged> {
    let reads_own = |run: &Run| run.sources.contains(&run.target);
    let points =
        |(runs, predicted): &(&Vec<Run>, Vec<f64>), holds: &dyn Fn(&Run) -> bool| -> Vec<(bool, Point)> {
            let chosen = runs.iter().zip(predicted).filter(|(run, _)| holds(run));
            let point =
                |(run, &predicted): (&Run, &f64)| Point { name: run.name(), measured: run.gbs, predicted };
            chosen.map(|one| (false, point(one))).collect()
        };
    let sets = [
        ("2 nodes read the memory of one of them", points(&two, &reads_own), Role::Chose),
        ("2 nodes read the memory of another one", points(&two, &|run| !reads_own(run)), Role::Chose),
        ("4 nodes read one memory", points(&four, &|_| true), Role::Tests),
    ];
    let set = |(name, points, role)| Judged {
        role,
        traffic: "STREAM Triad".to_owned(),
        figures: figures.to_owned(),
        ..Judged::new(Part::Readers, format!("4-socket Opteron, {name}"), (model, variant), points)
    };
    sets.map(set).into()
}

/// The two corrections of a model that fit some runs best.
fn fitted_to(
    machine: &Machine,
    kind: ModelKind,
    runs: &[Run],
) -> Result<[(Parameter, f64); 2], PublishedError> {
    let (first, values) = match kind {
        ModelKind::Ecm => (Parameter::EcmPenalty, PENALTIES),
        _ => (Parameter::LinkEfficiency, EFFICIENCIES),
    };
    let mut best = (f64::INFINITY, [(first, values[0]), (Parameter::RemoteLoss, 0.0)]);
    let losses = (0..=LOSSES).map(|step| f64::from(step) * LOSS_STEP);
    for (value, loss) in losses.flat_map(|loss| values.map(|value| (value, loss))) {
        let parameters = [(first, value), (Parameter::RemoteLoss, loss)];
        let predicted = predict(&with_model(machine, kind, &parameters)?, runs);
        let errors = runs.iter().zip(predicted).map(|(run, predicted)| (predicted - run.gbs) / run.gbs);
        let cost = errors.map(|error| error * error).sum();
        // Among equal ones the first: with the least correction.
        if cost < best.0 {
            best = (cost, parameters);
        }
    }
    Ok(best.1)
}
