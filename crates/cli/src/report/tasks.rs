//! A graph of tasks: schedulers beside each other, what served their bytes, why cores were idle, and a chart of each.

use maud::{Markup, html};
use numasim_tasks::{IdleReason, Traffic};

use super::contents::{Report, Tasks};
use super::html::{self, Column, Shown, figure, number, scrolling};
use crate::view::figures;
use crate::view::tasked::{Tasked, bound_in_words, idle_in_words};

pub(super) fn section(report: &Report<'_>) -> Markup {
    let Some(tasks) = report.tasks else { return html! {} };
    let facts = &tasks.facts;
    let first = tasks.runs.first().map(|(tasked, _)| tasked);
    let mut bounds: Vec<String> = runs(tasks).map(|tasked| bound_in_words(tasked.bound.because_of)).collect();
    bounds.dedup();
    html! {
        p {
            b { (facts.name) } ": " (figures::count(facts.tasks as u64, "task")) " on "
            (figures::count(facts.blocks as u64, "block")) " of data, " (figures::count(facts.edges as u64, "edge"))
            " between them, " (facts.span) " tasks on the longest path. Simulated on the model: which task runs on which core, \
             and when. Nothing of this is measured."
        }
        @if let Some(first) = first {
            (scrolling("Schedulers", &schedulers(tasks)))
            p.faint {
                "No schedule is shorter than the lower bound: " (bounds.join("; ")) ". Pages: " (first.placement.as_str())
                "; seed " (first.seed) "."
            }
            @if runs(tasks).any(|tasked| tasked.run.traffic.total() > 0.0) { (scrolling("Bytes", &bytes(tasks))) }
            @if runs(tasks).any(|tasked| tasked.run.idle > 0.0) { (scrolling("Idle cores", &idle(tasks))) }
        }
        @for (scheduler, why) in &tasks.without {
            p.note { "No result with scheduler " (scheduler) ": " (why) "." }
        }
        @for (_, chart) in &tasks.runs {
            @if let Some(chart) = chart { (figure(chart)) }
        }
        @if tasks.runs.iter().any(|(_, chart)| chart.is_none()) {
            p.faint { "There are too many cores for a chart on a page; " code { "numasim tasks --gantt" } " draws one." }
        }
    }
}

/// The scheduler with the shortest makespan, in a sentence.
pub(super) fn best(tasks: &Tasks) -> Markup {
    let seconds = |tasked: &Tasked| tasked.run.makespan.value();
    let all = runs(tasks).enumerate();
    let Some((r, shortest)) =
        all.reduce(|best, next| if seconds(next.1) < seconds(best.1) { next } else { best })
    else {
        return html! {};
    };
    html! {
        p {
            "The tasks of " (tasks.facts.name) " are done after "
            (shown(r, &figures::single(seconds(shortest)), "makespan_s").inline()) " s with scheduler "
            (shortest.scheduler.as_str())
            @if tasks.runs.len() > 1 { ", the best of " (tasks.runs.len()) " (" a href="#tasks" { "Tasks" } ")" } "."
        }
    }
}

fn runs(tasks: &Tasks) -> impl Iterator<Item = &Tasked> {
    tasks.runs.iter().map(|(tasked, _)| tasked)
}

fn shown(run: usize, text: &str, pointer: &str) -> Shown {
    Shown::tasked(text, format!("/runs/{run}/{pointer}"))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn column(tasks: &Tasks, value: impl Fn(&Tasked) -> f64) -> Vec<String> {
    figures::column(&runs(tasks).map(value).collect::<Vec<_>>())
}

/// A row for each scheduler.
fn schedulers(tasks: &Tasks) -> Markup {
    let makespans = column(tasks, |tasked| tasked.run.makespan.value());
    let bounds = column(tasks, |tasked| tasked.bound.makespan.value());
    let partition = |seconds: f64| if seconds > 0.0 { figures::short(seconds) } else { "0".to_owned() };
    let first = runs(tasks).next().map_or(0.0, |tasked| tasked.run.makespan.value());
    let speedup = |tasked: &Tasked| match tasked.run.makespan.value() {
        seconds if seconds > 0.0 => format!("{:.3}", first / seconds),
        _ => "-".to_owned(),
    };
    let steals = runs(tasks).any(|tasked| tasked.run.steals > 0);
    let partitioned = runs(tasks).any(|tasked| tasked.run.partition.value() > 0.0);
    let plain = |text: String| Shown::plain(text).cell("");
    let mut columns = vec![
        number("makespan s", |r, _: &Tasked| shown(r, &makespans[r], "makespan_s").cell("")),
        number("speedup", |_, tasked: &Tasked| plain(speedup(tasked))),
        number("lower bound s", |r, _: &Tasked| shown(r, &bounds[r], "bound_s").cell("")),
        number("above it", |_, tasked: &Tasked| plain(tasked.above_bound().map_or("-".to_owned(), percent))),
        number("remote bytes", |_, tasked: &Tasked| plain(percent(tasked.run.traffic.remote_share()))),
        idle_share("idle"),
    ];
    columns.extend(steals.then(|| {
        number("steals", |r, tasked: &Tasked| shown(r, &tasked.run.steals.to_string(), "steals").cell(""))
    }));
    columns.extend(partitioned.then(|| {
        number("partition s", |r, tasked: &Tasked| {
            shown(r, &partition(tasked.run.partition.value()), "partition_s").cell("")
        })
    }));
    html::table("Schedulers; the speedup is over the first", NAMED, &columns, runs(tasks))
}

/// The first column.
const NAMED: (&str, &dyn Fn(&Tasked) -> Markup) =
    ("scheduler", &|tasked| html! { (tasked.scheduler.as_str()) });

/// How idle cores were.
fn idle_share(title: &str) -> Column<'_, Tasked> {
    number(title, |r, tasked: &Tasked| shown(r, &percent(tasked.run.idle), "idle").cell(""))
}

/// Bytes of one class.
type BytesOf = fn(&Traffic) -> f64;

/// Bytes of all tasks, by what served them.
fn bytes(tasks: &Tasks) -> Markup {
    let classes: [(&str, BytesOf); 4] = [
        ("own cache", |traffic| traffic.llc_local),
        ("other caches", |traffic| traffic.llc_remote),
        ("own memory", |traffic| traffic.dram_local),
        ("other memories", |traffic| traffic.dram_remote),
    ];
    let is_there = |of: BytesOf| runs(tasks).any(|tasked| of(&tasked.run.traffic) > 0.0);
    let shown_classes = classes.into_iter().filter(|&(_, of)| is_there(of));
    let mut columns: Vec<Column<'_, Tasked>> = shown_classes
        .map(|(name, of)| {
            let texts = column(tasks, |tasked| of(&tasked.run.traffic) / 1e9);
            number(name, move |r, _: &Tasked| Shown::plain(&texts[r]).cell(""))
        })
        .collect();
    columns.extend(runs(tasks).any(|tasked| tasked.run.cut.is_some()).then(|| {
        number("edges cut", |r, tasked: &Tasked| match tasked.run.cut {
            Some(cut) => shown(r, &cut.edges.to_string(), "cut_edges").cell(""),
            None => Shown::nothing().cell(""),
        })
    }));
    html::table("What served the bytes of all tasks, in GB", NAMED, &columns, runs(tasks))
}

/// Why cores were idle.
fn idle(tasks: &Tasks) -> Markup {
    let there = |reason: &IdleReason| runs(tasks).any(|tasked| tasked.run.idle_because(*reason) > 0.0);
    let reasons = IdleReason::ALL.into_iter().filter(there);
    let mut columns: Vec<Column<'_, Tasked>> = reasons
        .map(|reason| {
            number(idle_in_words(reason), move |r, tasked: &Tasked| {
                let pointer = format!("idle_reasons/{}", reason.as_str());
                shown(r, &percent(tasked.run.idle_because(reason)), &pointer).cell("")
            })
        })
        .collect();
    columns.push(idle_share("together"));
    html::table("Why cores were idle, of all cores x makespan", NAMED, &columns, runs(tasks))
}
