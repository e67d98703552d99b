//! A graph of tasks: schedulers beside each other, what served their bytes, why cores were idle, and a chart of each.

use maud::{Markup, html};
use numasim_tasks::{IdleReason, Traffic};

use super::contents::{Report, Tasks};
use super::html::{Shown, figure, scrolling};
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
    html! {
        table {
            caption { "Schedulers; the speedup is over the first" }
            thead { tr {
                th scope="col" { "scheduler" } th.n scope="col" { "makespan s" } th.n scope="col" { "speedup" }
                th.n scope="col" { "lower bound s" } th.n scope="col" { "above it" } th.n scope="col" { "remote bytes" }
                th.n scope="col" { "idle" }
                @if steals { th.n scope="col" { "steals" } }
                @if partitioned { th.n scope="col" { "partition s" } }
            } }
            tbody {
                @for (r, tasked) in runs(tasks).enumerate() {
                    tr {
                        th scope="row" { (tasked.scheduler.as_str()) }
                        (shown(r, &makespans[r], "makespan_s").cell(""))
                        td.n { (speedup(tasked)) }
                        (shown(r, &bounds[r], "bound_s").cell(""))
                        td.n { (tasked.above_bound().map_or("-".to_owned(), percent)) }
                        td.n { (percent(tasked.run.traffic.remote_share())) }
                        (shown(r, &percent(tasked.run.idle), "idle").cell(""))
                        @if steals { (shown(r, &tasked.run.steals.to_string(), "steals").cell("")) }
                        @if partitioned { (shown(r, &partition(tasked.run.partition.value()), "partition_s").cell("")) }
                    }
                }
            }
        }
    }
}

/// Bytes of all tasks, by what served them.
fn bytes(tasks: &Tasks) -> Markup {
    let classes: [(&str, fn(&Traffic) -> f64); 4] = [
        ("own cache", |traffic| traffic.llc_local),
        ("other caches", |traffic| traffic.llc_remote),
        ("own memory", |traffic| traffic.dram_local),
        ("other memories", |traffic| traffic.dram_remote),
    ];
    let columns = classes.map(|(name, of)| (name, column(tasks, |tasked| of(&tasked.run.traffic) / 1e9)));
    let there = classes.map(|(_, of)| runs(tasks).any(|tasked| of(&tasked.run.traffic) > 0.0));
    let shown_classes = || columns.iter().zip(there).filter(|&(_, there)| there).map(|(column, _)| column);
    let cut = runs(tasks).any(|tasked| tasked.run.cut.is_some());
    html! {
        table {
            caption { "What served the bytes of all tasks, in GB" }
            thead { tr {
                th scope="col" { "scheduler" }
                @for (name, _) in shown_classes() { th.n scope="col" { (name) } }
                @if cut { th.n scope="col" { "edges cut" } }
            } }
            tbody {
                @for (r, tasked) in runs(tasks).enumerate() {
                    tr {
                        th scope="row" { (tasked.scheduler.as_str()) }
                        @for (_, column) in shown_classes() { td.n { (column[r]) } }
                        @if cut {
                            @match tasked.run.cut {
                                Some(cut) => (shown(r, &cut.edges.to_string(), "cut_edges").cell("")),
                                None => (Shown::nothing().cell("")),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Why cores were idle.
fn idle(tasks: &Tasks) -> Markup {
    let there = |reason: &IdleReason| runs(tasks).any(|tasked| tasked.run.idle_because(*reason) > 0.0);
    let reasons: Vec<IdleReason> = IdleReason::ALL.into_iter().filter(there).collect();
    html! {
        table {
            caption { "Why cores were idle, of all cores x makespan" }
            thead { tr {
                th scope="col" { "scheduler" }
                @for &reason in &reasons { th.n scope="col" { (idle_in_words(reason)) } }
                th.n scope="col" { "together" }
            } }
            tbody {
                @for (r, tasked) in runs(tasks).enumerate() {
                    tr {
                        th scope="row" { (tasked.scheduler.as_str()) }
                        @for &reason in &reasons {
                            @let pointer = format!("idle_reasons/{}", reason.as_str());
                            (shown(r, &percent(tasked.run.idle_because(reason)), &pointer).cell(""))
                        }
                        (shown(r, &percent(tasked.run.idle), "idle").cell(""))
                    }
                }
            }
        }
    }
}
