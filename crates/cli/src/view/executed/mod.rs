//! Results of task graphs that ran on this host, compared with their simulation: pure functions to a table, JSON and CSV.

use std::fmt::Write as _;

use numasim_ask::table::{self, Of};
use numasim_ask::tasks::{Check, Real, RealKind, RealRun};
use numasim_bench::execute::BlockPages;
use numasim_draw::figures;
use numasim_draw::grid::wrap;
use numasim_evidence::statistics;
use numasim_host::memory::Pages;
use numasim_kernels::Verdict;
use numasim_model::Machine;

use crate::view::tasked::GraphFacts;
use crate::view::{Style, machine_title};

// Runs on this host for programs and spreadsheets. Numbers are not rounded.

/// The document: one object for each repetition and scheduler.
pub(crate) fn json(view: &ExecutedView<'_>) -> Real {
    let verdict = &view.verdict;
    let check = Check {
        what: verdict.what.to_owned(),
        value: verdict.value,
        limit: verdict.limit,
        right: verdict.is_right(),
    };
    let kind = |kind: &Kind| RealKind {
        name: kind.name.clone(),
        tasks: kind.tasks,
        flop: kind.flop,
        mean_s: kind.seconds.clone(),
    };
    let run = |(repetition, serial_s, scheduler, run): (usize, f64, &'static str, &Executed)| RealRun {
        repetition,
        scheduler,
        seed: run.seed,
        serial_s,
        measured_s: run.measured_s,
        simulated_s: run.simulated_s,
        partition_s: run.partition_s,
        steals: run.steals,
        same_as_serial: run.is_equal,
        pages: run.pages.as_ref().map(|pages| pages.on_node.clone()),
        misplaced_pages: run.pages.as_ref().map(|pages| pages.misplaced),
    };
    let kinds = view.kinds.iter().map(kind).collect();
    Real::new(view.machine, view.graph, view.bytes, check, kinds, rows(view).map(run).collect())
}

/// Number of the repetition, its serial seconds, the scheduler, the run.
fn rows<'v>(view: &'v ExecutedView<'_>) -> impl Iterator<Item = (usize, f64, &'static str, &'v Executed)> {
    let repetitions = view.repetitions.iter().enumerate();
    repetitions.flat_map(|(number, one)| {
        let runs = view.labels.iter().zip(&one.runs);
        runs.map(move |(&label, run)| (number, one.serial_s, label, run))
    })
}

/// One row for each repetition and scheduler.
pub(crate) fn csv(view: &ExecutedView<'_>) -> String {
    type Row<'v> = (usize, f64, &'static str, &'v Executed);
    let columns = [
        Of::whole("repetition", |(repetition, ..): &Row| *repetition),
        Of::text("scheduler", |(_, _, label, _): &Row| *label),
        Of::whole("seed", |(.., run): &Row| run.seed),
        Of::number("serial_s", |(_, serial_s, ..): &Row| *serial_s),
        Of::whole("cores", |_: &Row| view.machine.total_cores()),
        Of::number("measured_s", |(.., run): &Row| run.measured_s),
        Of::number("simulated_s", |(.., run): &Row| run.simulated_s),
        Of::number("partition_s", |(.., run): &Row| run.partition_s),
        Of::whole("steals", |(.., run): &Row| run.steals),
        Of::text("same_as_serial", |(.., run): &Row| run.is_equal),
    ];
    table::csv(&columns, rows(view))
}

// Runs on this host for people: a row for each scheduler.

/// The graph, the serial run, and the measured and simulated times under each scheduler; medians over the repetitions.
pub(crate) fn table(view: &ExecutedView<'_>, style: &Style) -> String {
    let (graph, cores) = (view.graph, view.machine.total_cores());
    let serial: Vec<f64> = view.repetitions.iter().map(|one| one.serial_s).collect();
    let right = if view.verdict.is_right() { "right" } else { "WRONG" };
    let mut text = format!(
        "Machine: {}\nModel:   {}\nGraph:   {}; {} MB\nSerial:  {} s{}; {} = {}, at most {}: {right}\n\
         Threads: {}, each bound to a core; pages by first touch; {}\n\n",
        machine_title(view.machine),
        view.machine.sharing().in_words(),
        graph.in_words(),
        figures::single(view.bytes as f64 / 1e6),
        figures::single(median(&serial)),
        interval(&serial).map_or(String::new(), |interval| format!(" ({interval})")),
        view.verdict.what,
        scientific(view.verdict.value),
        scientific(view.verdict.limit),
        figures::count(cores, "worker"),
        figures::count(view.repetitions.len() as u64, "repetition"),
    );
    text += &schedulers(view, style);
    text += "\nKinds of tasks in the serial run:\n\n";
    text += &kinds(view, style);
    text.push('\n');
    let notes = "Measured: median, with an interval that contains it in at least 95 % of all cases (from 6 repetitions on). Simulated: each task takes the mean \
             time of its kind in the serial run of the same repetition. Off: simulated / measured - 1. Serial over cores is the estimate \
             without a simulation. Same: every bit of the result equals the serial run.";
    for line in wrap(notes, style.columns()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text
}

fn schedulers(view: &ExecutedView<'_>, style: &Style) -> String {
    type Row = (usize, &'static str);
    let cores = view.machine.total_cores();
    let median_of = |title: &'static str, figure: fn(&Repetition, &Executed, u64) -> f64| {
        let of = move |&(scheduler, _): &Row| median(&view.of(scheduler, |one, run| figure(one, run, cores)));
        Of::number(title, of).titled(title)
    };
    let seconds = |title, figure| median_of(title, figure).written(figures::single);
    let share = |figure| median_of("off", figure).written(signed);
    let measured = |&(scheduler, _): &Row| interval(&view.of(scheduler, |_, run| run.measured_s));
    let same = |&(scheduler, _): &Row| {
        let runs = view.repetitions.iter().filter_map(|one| one.runs.get(scheduler));
        if runs.into_iter().all(|run| run.is_equal) { "yes" } else { "NO" }
    };
    let columns = [
        Of::text("scheduler", |&(_, label): &Row| label),
        seconds("measured\ns", |_, run, _| run.measured_s),
        Of::text("interval", move |row: &Row| measured(row).unwrap_or_else(|| "-".to_owned()))
            .titled("95 %\ninterval")
            .right(),
        seconds("simulated\ns", |_, run, _| run.simulated_s),
        share(|_, run, _| run.error()),
        seconds("serial /\ncores s", |one, _, cores| one.divided_s(cores)),
        share(|one, run, cores| one.divided_s(cores) / run.measured_s - 1.0),
        median_of("speedup\nover serial", |one, run, _| one.serial_s / run.measured_s)
            .written(|speedup| format!("{speedup:.2}")),
        Of::text("same", same).right(),
    ];
    table::grid_of(&columns, view.labels.iter().copied().enumerate()).render(style)
}

fn kinds(view: &ExecutedView<'_>, style: &Style) -> String {
    let gflops = |kind: &Kind| {
        (kind.flop > 0.0).then(|| kind.flop / (median(&kind.seconds) * kind.tasks as f64) / 1e9)
    };
    let columns = [
        Of::text("kind", |kind: &Kind| kind.name.clone()),
        Of::count("tasks", |kind: &Kind| kind.tasks).written(figures::short),
        Of::number("mean_s", |kind: &Kind| median(&kind.seconds))
            .titled("mean\nms")
            .scaled(1e3)
            .written(figures::single),
        Of::number("GFLOPS", gflops).written(figures::single),
    ];
    table::grid(&columns, view.kinds).render(style)
}

fn median(values: &[f64]) -> f64 {
    statistics::median(values).unwrap_or(f64::NAN)
}

fn interval(values: &[f64]) -> Option<String> {
    let (low, high) = statistics::median_interval(values)?;
    Some(format!("{} to {}", figures::single(low), figures::single(high)))
}

fn signed(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

fn scientific(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

#[cfg(test)]
mod tests;

/// A run under a scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Executed {
    /// Seed of all random choices, in the run and in the simulation.
    pub(crate) seed: u64,
    /// Simulated time.
    pub(crate) simulated_s: f64,
    /// Measured time.
    pub(crate) measured_s: f64,
    /// Time that the master spent partitioning.
    pub(crate) partition_s: f64,
    /// Number of stolen tasks.
    pub(crate) steals: u64,
    /// Whether the result is bitwise identical to that of the serial run.
    pub(crate) is_equal: bool,
    /// Placement of its blocks at the end; `None` if the system does not report it.
    pub(crate) pages: Option<DataPages>,
}

/// The whole pages of the blocks of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DataPages {
    /// By node of the machine.
    pub(crate) on_node: Vec<u64>,
    /// Pages that are not on the node of the worker that created the block.
    pub(crate) misplaced: u64,
}

impl DataPages {
    /// Uses the operating system's number of each node.
    pub(crate) fn of(pages: &BlockPages, numbers: &[Option<u32>]) -> Self {
        let made = || pages.0.iter().zip(numbers);
        let on = |number: &Option<u32>| {
            let pages = pages.0.iter().filter_map(|pages| pages.on_node.get(number.as_ref()?));
            pages.sum()
        };
        let misplaced = |(pages, number): (&Pages, &Option<u32>)| match number {
            Some(number) => pages.not_on(*number),
            None => pages.on_node.values().sum::<u64>() + pages.absent,
        };
        Self { on_node: numbers.iter().map(on).collect(), misplaced: made().map(misplaced).sum() }
    }
}

impl Executed {
    /// Difference between simulation and measurement, as a fraction of the measurement.
    fn error(&self) -> f64 {
        self.simulated_s / self.measured_s - 1.0
    }
}

/// A serial run and one under each scheduler.
#[derive(Clone, Debug)]
pub(crate) struct Repetition {
    /// Time of the serial run.
    pub(crate) serial_s: f64,
    /// For each kind of task, its mean seconds in the serial run and its number of tasks.
    pub(crate) kinds: Vec<(f64, u32)>,
    /// In the order of the labels.
    pub(crate) runs: Vec<Executed>,
}

impl Repetition {
    /// The trivial estimate without knowledge of the graph: the serial time divided by the number of cores.
    fn divided_s(&self, cores: u64) -> f64 {
        self.serial_s / cores.max(1) as f64
    }
}

/// A kind of task.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: String,
    /// Number of tasks.
    pub(crate) tasks: u64,
    /// Mean seconds of a task in each serial run.
    pub(crate) seconds: Vec<f64>,
    /// Operations of all its tasks.
    pub(crate) flop: f64,
}

/// The complete content of the view.
pub(crate) struct ExecutedView<'a> {
    /// The machine, which is this host.
    pub(crate) machine: &'a Machine,
    /// The graph.
    pub(crate) graph: &'a GraphFacts,
    /// Schedulers, by their names for people.
    pub(crate) labels: Vec<&'static str>,
    /// Kinds of tasks.
    pub(crate) kinds: &'a [Kind],
    /// Whether the serial result is correct.
    pub(crate) verdict: Verdict,
    /// Bytes of all blocks.
    pub(crate) bytes: u64,
    /// At least one.
    pub(crate) repetitions: &'a [Repetition],
}

impl ExecutedView<'_> {
    /// A value of each repetition of a scheduler.
    fn of(&self, scheduler: usize, figure: impl Fn(&Repetition, &Executed) -> f64) -> Vec<f64> {
        let runs = self.repetitions.iter().filter_map(|one| Some(figure(one, one.runs.get(scheduler)?)));
        runs.collect()
    }
}
