//! Simulated task graphs for people: a row for each scheduler.

mod handing;

use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid, wrap};
use numasim_evidence::statistics;
use numasim_tasks::{IdleReason, Traffic};

use super::super::{Style, figures, machine_title};
use super::{Tasked, TasksAnswer, bound_in_words};

/// The machine, the graph, and a row for each scheduler; with several seeds, means over them.
pub(crate) fn table(view: &TasksAnswer, style: &Style) -> String {
    let graph = &view.graph;
    let mut text = format!(
        "Machine: {}\nModel:   {}\nGraph:   {}\n",
        machine_title(&view.study.machine),
        view.study.machine.sharing().in_words(),
        graph.in_words(),
    );
    let Some(first) = view.runs.first() else { return text };
    let stealing = if first.steal { ", with stealing" } else { "" };
    // Writing to a String cannot fail.
    let pages = if first.scenario.is_some() { "by scenario" } else { first.placement.as_str() };
    let _ = writeln!(text, "Pages:   {pages}{stealing}\n");
    let schedulers = by_scheduler(&view.runs);
    text += &times(graph.tasks, &schedulers, style);
    if schedulers.iter().any(|one| one.mean(|run| run.run.traffic.total()) > 0.0) {
        text.push('\n');
        text += &traffic(&schedulers, style);
    }
    if let Some(found) = handing::table(&schedulers, style) {
        text += "\nHow workers came by their tasks:\n\n";
        text += &found;
    }
    if let Some(reasons) = reasons(&schedulers, style) {
        text += "\nWhy workers are idle, of all worker-seconds:\n\n";
        text += &reasons;
    }
    if let Some(share) = first.metg.map(|metg| metg.share) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "\nMETG: the smallest tasks that keep {} of the peak of all cores:\n",
            percent(share)
        );
        text += &metg(&schedulers, style);
    }
    text.push('\n');
    for line in wrap(&bounds(&schedulers), style.columns()) {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// The simulations of one scheduler.
struct OfScheduler<'a> {
    label: &'static str,
    runs: Vec<&'a Tasked>,
}

fn by_scheduler(runs: &[Tasked]) -> Vec<OfScheduler<'_>> {
    let mut schedulers: Vec<OfScheduler<'_>> = Vec::new();
    for run in runs {
        let is_new_seed = |known: &&mut OfScheduler<'_>| {
            known.label == run.label() && known.runs.iter().all(|other| other.seed != run.seed)
        };
        match schedulers.last_mut().filter(is_new_seed) {
            Some(known) => known.runs.push(run),
            None => schedulers.push(OfScheduler { label: run.label(), runs: vec![run] }),
        }
    }
    schedulers
}

impl OfScheduler<'_> {
    fn values(&self, value: impl Fn(&Tasked) -> f64) -> Vec<f64> {
        self.runs.iter().map(|run| value(run)).collect()
    }

    fn mean(&self, value: impl Fn(&Tasked) -> f64) -> f64 {
        statistics::mean(&self.values(value)).unwrap_or(0.0)
    }
}

type Columns<'a> = Vec<(&'a str, Vec<String>)>;

fn grid(schedulers: &[OfScheduler<'_>], columns: &Columns<'_>, style: &Style) -> String {
    let mut heads = vec![("scheduler", Align::Left)];
    heads.extend(columns.iter().map(|(head, _)| (*head, Align::Right)));
    let mut grid = Grid::new(&heads);
    for (r, scheduler) in schedulers.iter().enumerate() {
        let cells = columns.iter().map(|(_, cells)| cells.get(r).cloned().unwrap_or_default());
        grid.row(std::iter::once(scheduler.label.to_owned()).chain(cells).collect());
    }
    grid.render(style)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn times(tasks: usize, schedulers: &[OfScheduler<'_>], style: &Style) -> String {
    let all = || schedulers.iter();
    let column = |value: fn(&Tasked) -> f64| {
        figures::column(&schedulers.iter().map(|one| one.mean(value)).collect::<Vec<_>>())
    };
    let several = all().any(|one| one.runs.len() > 1);
    let first = schedulers.first().map_or(0.0, |one| one.mean(Tasked::makespan_s));
    let mut columns: Columns<'_> =
        vec![(if several { "mean\nmakespan s" } else { "makespan\ns" }, column(Tasked::makespan_s))];
    if several {
        let spread = |one: &OfScheduler<'_>| statistics::spread(&one.values(Tasked::makespan_s));
        columns.push(("spread", all().map(|one| spread(one).map_or("-".to_owned(), percent)).collect()));
    }
    let ratio = |one: &OfScheduler<'_>| {
        let mean = one.mean(Tasked::makespan_s);
        if mean > 0.0 { format!("{:.3}", first / mean) } else { "-".to_owned() }
    };
    columns.push(("speedup\nover first", all().map(ratio).collect()));
    columns.push(("lower\nbound s", column(Tasked::bound_s)));
    let above = |one: &OfScheduler<'_>| {
        let above: Option<Vec<f64>> = one.runs.iter().map(|run| run.above_bound()).collect();
        above.and_then(|above| statistics::mean(&above)).map_or("-".to_owned(), percent)
    };
    columns.push(("above\nit", all().map(above).collect()));
    columns.push(("idle", all().map(|one| percent(one.mean(|run| run.run.idle))).collect()));
    if schedulers.iter().any(|one| one.mean(|run| run.run.steals as f64) > 0.0) {
        let steals = |one: &OfScheduler<'_>| figures::short(one.mean(|run| run.run.steals as f64).round());
        columns.push(("steals", all().map(steals).collect()));
    }
    if schedulers.iter().any(|one| one.mean(|run| run.run.partition.value()) > 0.0) {
        columns.push(("partition\ns", column(|run| run.run.partition.value())));
    }
    let rate = |one: &OfScheduler<'_>| {
        let mean = one.mean(Tasked::makespan_s);
        if mean > 0.0 { figures::single(tasks as f64 / mean) } else { "-".to_owned() }
    };
    columns.push(("tasks/s", all().map(rate).collect()));
    grid(schedulers, &columns, style)
}

fn traffic(schedulers: &[OfScheduler<'_>], style: &Style) -> String {
    let column = |value: fn(&Traffic) -> f64| {
        let gb = schedulers.iter().map(|one| one.mean(|run| value(&run.run.traffic)) / 1e9);
        figures::column(&gb.collect::<Vec<_>>())
    };
    let remote = schedulers.iter().map(|one| percent(one.mean(|run| run.run.traffic.remote_share())));
    let mut columns: Columns<'_> = vec![("remote\nbytes", remote.collect())];
    if schedulers
        .iter()
        .any(|one| one.mean(|run| run.run.traffic.llc_local + run.run.traffic.llc_remote) > 0.0)
    {
        columns.push(("own LLC\nGB", column(|traffic| traffic.llc_local)));
        columns.push(("other LLC\nGB", column(|traffic| traffic.llc_remote)));
    }
    columns.push(("own memory\nGB", column(|traffic| traffic.dram_local)));
    columns.push(("other memory\nGB", column(|traffic| traffic.dram_remote)));
    if schedulers.iter().any(|one| one.runs.iter().any(|run| run.run.cut.is_some())) {
        let cut = |one: &OfScheduler<'_>, value: fn(numasim_tasks::Cut) -> f64| {
            let values: Option<Vec<f64>> = one.runs.iter().map(|run| run.run.cut.map(value)).collect();
            values.and_then(|values| statistics::mean(&values))
        };
        let edges = |one| cut(one, |cut| cut.edges as f64);
        let edges = schedulers
            .iter()
            .map(|one| edges(one).map_or("-".to_owned(), |edges| figures::short(edges.round())));
        columns.push(("edges\ncut", edges.collect()));
        let gb = schedulers.iter().map(|one| cut(one, |cut| cut.bytes / 1e9).unwrap_or(f64::NAN));
        columns.push(("cut\nGB", figures::column(&gb.collect::<Vec<_>>())));
    }
    grid(schedulers, &columns, style)
}

/// Why workers are idle; `None` where none is.
fn reasons(schedulers: &[OfScheduler<'_>], style: &Style) -> Option<String> {
    let shares = |reason: IdleReason| {
        schedulers.iter().map(|one| one.mean(|run| run.run.idle_because(reason))).collect::<Vec<f64>>()
    };
    let columns: Columns<'_> = IdleReason::ALL
        .into_iter()
        .map(|reason| (head(reason), shares(reason)))
        .filter(|(_, shares)| shares.iter().any(|&share| share > 0.0))
        .map(|(head, shares)| (head, shares.into_iter().map(percent).collect()))
        .collect();
    (!columns.is_empty()).then(|| grid(schedulers, &columns, style))
}

/// The minimum effective task granularity; with several seeds means over them, a dash where one of them has none.
fn metg(schedulers: &[OfScheduler<'_>], style: &Style) -> String {
    let mean = |one: &OfScheduler<'_>, value: fn(u64, f64, f64) -> f64| {
        let of = |run: &&Tasked| {
            run.metg.and_then(|metg| metg.found.map(|(flop, seconds)| value(flop, seconds, metg.efficiency)))
        };
        one.runs.iter().map(of).collect::<Option<Vec<f64>>>().and_then(|values| statistics::mean(&values))
    };
    let column = |value: fn(u64, f64, f64) -> f64| {
        let means = schedulers.iter().map(|one| mean(one, value));
        means.collect::<Vec<Option<f64>>>()
    };
    let short = |values: Vec<Option<f64>>| {
        values.into_iter().map(|value| value.map_or("-".to_owned(), figures::single)).collect()
    };
    let efficiency = column(|_, _, efficiency| efficiency).into_iter();
    let columns: Columns<'_> = vec![
        ("METG\nus", short(column(|_, seconds, _| seconds * 1e6))),
        ("FLOP of\na task", short(column(|flop, _, _| flop as f64))),
        ("efficiency", efficiency.map(|share| share.map_or("-".to_owned(), percent)).collect()),
    ];
    grid(schedulers, &columns, style)
}

/// [`super::idle_in_words`] in two lines.
const fn head(reason: IdleReason) -> &'static str {
    match reason {
        IdleReason::Elsewhere => "tasks\nelsewhere",
        IdleReason::Partition => "master\npartitions",
        IdleReason::Creation => "master\ncreates",
        IdleReason::Throttle => "throttle",
        IdleReason::Taskwait => "taskwait",
        IdleReason::Parents => "parents\nrun",
        IdleReason::End => "none\nleft",
    }
}

/// What the lower bound is and what the columns count, in a sentence or two.
fn bounds(schedulers: &[OfScheduler<'_>]) -> String {
    let runs = schedulers.iter().flat_map(|one| &one.runs);
    let mut reasons: Vec<String> = runs.map(|run| bound_in_words(run.bound.because_of)).collect();
    reasons.dedup();
    format!(
        "No schedule is shorter than the lower bound: {}. Idle: workers without a task, of all worker-seconds. tasks/s: per second of \
         simulated time.",
        reasons.join("; ")
    )
}
