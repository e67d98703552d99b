//! Results of simulated task graphs: pure functions from runs to a table.

use std::fmt::Write as _;

use numasim_ask::table::{Of, grid, named};
use numasim_ask::tables::percent;
pub(crate) use numasim_ask::tasks::{GraphFacts, Tasked, TasksAnswer};
use numasim_ask::tasks::{OfScheduler, OverSeeds, SchedulerOverSeeds};
use numasim_draw::grid::wrap;
use numasim_evidence::statistics;
use numasim_graph::values::TaskId;
use numasim_tasks::IdleReason;
use numasim_tasks::bound::Limit;

use crate::view::{Style, figures, machine_title};

// Simulated task graphs for people: a row for each scheduler.

/// How workers got their tasks: mailboxes, shared queues, gaps in a plan, and pages moved for them in advance.
const HANDING: [&str; 8] = [
    "mailbox",
    "shared",
    "revokes",
    "remote_tasks",
    "contender_tasks",
    "fallback_tasks",
    "fallback_blocks",
    "migration_s",
];
/// Reasons for idle workers.
const IDLE: [&str; 7] = [
    "idle_elsewhere",
    "idle_partition",
    "idle_creation",
    "idle_throttle",
    "idle_taskwait",
    "idle_parents",
    "idle_end",
];
/// The minimum effective task granularity; with several seeds their mean, or a dash if one of them has none.
const METG: [&str; 3] = ["metg_us", "metg_flop", "metg_efficiency"];

/// The page placement: `numa` is first touch under schedulers that do not place pages.
fn pages(runs: &[Tasked]) -> String {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for run in runs {
        let placement = run.placement.as_str();
        match found.iter_mut().find(|(known, _)| *known == placement) {
            None => found.push((placement, vec![run.label()])),
            Some((_, labels)) if !labels.contains(&run.label()) => labels.push(run.label()),
            Some(_) => {}
        }
    }
    let of_all = found.len() < 2;
    let one = |(placement, labels): &(&str, Vec<&str>)| {
        if of_all { (*placement).to_owned() } else { format!("{placement} ({})", labels.join(", ")) }
    };
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The schedulers that follow priorities of tasks, and those that ignore them.
fn priorities(runs: &[Tasked]) -> String {
    let labels = |follows: bool| {
        let mut labels: Vec<&str> = Vec::new();
        for run in runs.iter().filter(|run| run.scheduler.follows_priorities() == follows) {
            if !labels.contains(&run.label()) {
                labels.push(run.label());
            }
        }
        labels.join(", ")
    };
    let parts = [("followed by", labels(true)), ("ignored by", labels(false))];
    let parts = parts.iter().filter(|(_, labels)| !labels.is_empty());
    parts.map(|(what, labels)| format!("{what} {labels}")).collect::<Vec<_>>().join("; ")
}

/// With several seeds: medians of makespan and speedup, and their uncertainty due to chance.
fn over_seeds(view: &TasksAnswer, style: &Style) -> String {
    let all = view.over_seeds();
    let Some(seeds) = all.first().map(|one| one.seeds) else { return String::new() };
    let median = |name, title, of: fn(&SchedulerOverSeeds) -> Option<OverSeeds>| {
        Of::number(name, move |one: &SchedulerOverSeeds| of(one).map(|of| of.median)).titled(title)
    };
    let interval = |name, of: fn(&SchedulerOverSeeds) -> Option<OverSeeds>, write: fn(f64) -> String| {
        Of::text(name, move |one: &SchedulerOverSeeds| {
            let ends = of(one).and_then(|of| of.low.zip(of.high));
            ends.map_or("-".to_owned(), |(low, high)| format!("{} to {}", write(low), write(high)))
        })
        .titled("95 %\ninterval")
    };
    let ratio = |ratio: f64| format!("{ratio:.3}");
    let columns = [
        Of::text("scheduler", |one: &SchedulerOverSeeds| one.scheduler),
        median("makespan", "median\nmakespan s", |one| one.makespan_s).rounded(),
        interval("makespan_interval", |one| one.makespan_s, figures::single),
        median("speedup", "median\nspeedup", |one| one.speedup).written(ratio),
        interval("speedup_interval", |one| one.speedup, ratio),
    ];
    let few = if all.iter().any(|one| one.makespan_s.is_some_and(|of| of.low.is_none())) {
        " An interval needs at least 6 seeds."
    } else {
        ""
    };
    let mut text =
        format!("\nOver {}:\n\n{}", figures::count(seeds as u64, "seed"), grid(&columns, &all).render(style));
    let words = format!("Speedups are over the first scheduler, seed by seed.{few}");
    for line in wrap(&words, style.columns()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text
}

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
    let pages = if first.scenario.is_some() { "by scenario".to_owned() } else { pages(&view.runs) };
    let _ = writeln!(text, "Pages:   {pages}{stealing}");
    if graph.priorities {
        let _ = writeln!(text, "Priorities: {}", priorities(&view.runs));
    }
    text.push('\n');
    let schedulers = view.schedulers();
    text += &times(graph.tasks, &schedulers, style);
    text += &over_seeds(view, style);
    if schedulers.iter().any(|one| mean(one, |run| run.run.traffic.total()) > 0.0) {
        text.push('\n');
        text += &traffic(&schedulers, style);
    }
    let all = columns();
    let heading = first.metg.map_or(String::new(), |metg| {
        format!("METG: the smallest tasks that keep {} of the peak of all cores:", percent(metg.share))
    });
    let parts: [(&str, &[&str]); 3] = [
        ("How workers came by their tasks:", &HANDING),
        ("Why workers are idle, of all worker-seconds:", &IDLE),
        (&heading, if first.metg.is_some() { &METG } else { &[] }),
    ];
    for (heading, names) in parts {
        if let Some(found) = means(&all, names, &schedulers, style) {
            let _ = write!(text, "\n{heading}\n\n{found}");
        }
    }
    text.push('\n');
    for line in wrap(&bounds(&schedulers), style.columns()) {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn values(one: &OfScheduler<'_>, value: impl Fn(&Tasked) -> f64) -> Vec<f64> {
    one.runs.iter().map(|run| value(run)).collect()
}

fn mean(one: &OfScheduler<'_>, value: impl Fn(&Tasked) -> f64) -> f64 {
    statistics::mean(&values(one, value)).unwrap_or(0.0)
}

/// The columns of one scheduler: means over its seeds.
type Columns<'v> = Vec<Of<'v, OfScheduler<'v>>>;

/// A table of these means, after the names of the schedulers; `None` if there is no column for people.
fn means<'v>(
    columns: &Columns<'v>,
    names: &[&str],
    schedulers: &[OfScheduler<'v>],
    style: &Style,
) -> Option<String> {
    let grid = grid(columns[..1].iter().chain(named(columns, names)), schedulers);
    (grid.columns() > 1).then(|| grid.render(style))
}

/// The names of the schedulers, then all columns of `tasks` as means.
fn columns<'v>() -> Columns<'v> {
    let mut columns = vec![Of::text("label", |one: &OfScheduler<'v>| one.label).titled("scheduler")];
    columns.extend(
        numasim_ask::tasks::columns().into_iter().map(|of| of.mean(|one: &OfScheduler<'v>| one.runs.clone())),
    );
    columns
}

fn times(tasks: usize, schedulers: &[OfScheduler<'_>], style: &Style) -> String {
    let several = schedulers.iter().any(|one| one.runs.len() > 1);
    let makespan = |one: &OfScheduler<'_>| mean(one, Tasked::makespan_s);
    let first = schedulers.first().map_or(0.0, makespan);
    let per_makespan = move |one: &OfScheduler<'_>, value: f64| {
        Some(makespan(one)).filter(|mean| *mean > 0.0).map(|mean| value / mean)
    };
    let above = |one: &OfScheduler<'_>| {
        let above: Option<Vec<f64>> = one.runs.iter().map(|run| run.above_bound()).collect();
        above.and_then(|above| statistics::mean(&above))
    };
    let own: Columns<'_> = vec![
        Of::number("spread", |one: &OfScheduler<'_>| statistics::spread(&values(one, Tasked::makespan_s)))
            .written(percent)
            .only_if(several),
        Of::number("speedup", move |one: &OfScheduler<'_>| per_makespan(one, first))
            .titled("speedup\nover first")
            .written(|ratio| format!("{ratio:.3}")),
        Of::number("above", above).titled("above\nit").written(percent),
        Of::number("tasks/s", move |one: &OfScheduler<'_>| per_makespan(one, tasks as f64))
            .written(figures::single),
    ];
    let mut columns = columns();
    columns.extend(own);
    if several {
        columns = columns
            .into_iter()
            .map(|of| if of.column().name == "makespan_s" { of.titled("mean\nmakespan s") } else { of })
            .collect();
    }
    let names =
        ["makespan_s", "spread", "speedup", "bound_s", "above", "idle", "steals", "partition_s", "tasks/s"];
    means(&columns, &names, schedulers, style).unwrap_or_default()
}

fn traffic(schedulers: &[OfScheduler<'_>], style: &Style) -> String {
    let any = |is: fn(&Tasked) -> bool| schedulers.iter().any(|one| one.runs.iter().any(|run| is(run)));
    let mut columns = columns();
    columns.push(
        Of::number("remote", |one: &OfScheduler<'_>| mean(one, |run| run.run.traffic.remote_share()))
            .titled("remote\nbytes")
            .written(percent),
    );
    let mut names = vec!["remote"];
    if any(|run| run.run.traffic.llc_local + run.run.traffic.llc_remote > 0.0) {
        names.extend(["llc_local_bytes", "llc_remote_bytes"]);
    }
    names.extend(["dram_local_bytes", "dram_remote_bytes"]);
    if any(|run| run.run.cut.is_some()) {
        names.extend(["cut_edges", "cut_bytes"]);
    }
    means(&columns, &names, schedulers, style).unwrap_or_default()
}

/// Explanation of the lower bound and of the columns, in a sentence or two.
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

// Wording for types of `numasim_tasks`.

/// The limit that no schedule can exceed.
pub(crate) fn bound_in_words(limit: Limit) -> String {
    match limit {
        Limit::Nothing => "there is no task".to_owned(),
        Limit::Compute => "the FLOP of all tasks at the peaks of all cores".to_owned(),
        Limit::Workers => "all workers busy with tasks that have the machine to themselves".to_owned(),
        Limit::Memories => "the bytes that all memories must deliver".to_owned(),
        Limit::Memory(node) => format!("the bytes that the memory of {node} must deliver"),
        Limit::Chain(TaskId(last)) => format!("the longest chain of tasks, which ends with task {last}"),
        Limit::Creation(TaskId(last)) => {
            format!("the creation of tasks by the master, and the chain that ends with task {last}")
        }
    }
}

/// The reason why workers are idle, in two or three words.
pub(crate) const fn idle_in_words(reason: IdleReason) -> &'static str {
    match reason {
        IdleReason::Elsewhere => "tasks elsewhere",
        IdleReason::Partition => "master partitions",
        IdleReason::Creation => "master creates",
        IdleReason::Throttle => "throttle",
        IdleReason::Taskwait => "taskwait",
        IdleReason::Parents => "parents run",
        IdleReason::End => "none left",
    }
}
