//! The frame of the page: head, heading, list of sections, and everything in its order.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use numasim_bench::provenance::Provenance;

use super::contents::Report;
use super::html::{data, figure};
use super::interactive::Interactive;
use super::{cached, doubts, explored, machine, origin, policy, scenarios, simulations, tasks, verdict};
use crate::view::machine_title;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The whole page.
pub(crate) fn page(report: &Report<'_>) -> String {
    let sections = [
        ("verdict", "Verdict", verdict::section(report)),
        ("answer", "Answer", explored::section(report)),
        ("machine", "Machine", machine::section(report)),
        ("scenarios", "Scenarios", scenarios::section(report)),
        ("cache", "Last-level cache", cached::section(report)),
        ("time", "Over time", simulations::section(report)),
        ("tasks", "Tasks", tasks::section(report)),
        ("plots", "Plots", html! { @for one in report.plots { (figure(one)) } }),
        ("what-if", "What if?", html! { @if let Some(page) = report.interactive { (page.section()) } }),
        ("doubts", "Doubts", doubts::section(report)),
        ("origin", "Origin", origin::section(report)),
        ("repeat", "Repeat it", origin::commands(report)),
        ("words", "Words", words(report)),
    ];
    let is_there = |id: &str| match id {
        "answer" => report.explored.is_some(),
        "scenarios" => !report.views.is_empty(),
        "cache" => report.cached.is_some(),
        "time" => report.simulations.is_some(),
        "tasks" => report.tasks.is_some(),
        "what-if" => report.interactive.is_some(),
        _ => true,
    };
    let sections = sections.into_iter().filter(|(id, ..)| is_there(id)).collect::<Vec<_>>();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy::policy(SCRIPT, report.interactive.map(Interactive::program)));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(concat!("numasim ", env!("CARGO_PKG_VERSION")));
                meta name="color-scheme" content="light dark";
                title { (report.title) " · numasim report" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#verdict" { "Skip to the verdict" }
                header {
                    p.kind { "numasim report" }
                    h1 { (report.title) }
                    p.question { (report.question) }
                    (facts(report))
                    nav aria-label="Sections" {
                        ul { @for (id, title, _) in &sections { li { a href=(format!("#{id}")) { (title) } } } }
                    }
                }
                main {
                    @for (id, title, content) in &sections {
                        section id=(id) aria-labelledby=(format!("{id}-title")) tabindex="-1" {
                            h2 id=(format!("{id}-title")) { (title) }
                            (content)
                        }
                    }
                }
                footer {
                    p {
                        "Made by numasim " (env!("CARGO_PKG_VERSION")) ". This file is self-contained; the JSON of "
                        code { "numasim evaluate" }
                        @if report.explored.is_some() { " and " code { "numasim explore" } }
                        @if report.comparison.is_some() { " and " code { "numasim compare" } }
                        @if report.simulations.is_some() { " and " code { "numasim simulate" } }
                        @if report.tasks.is_some() { " and " code { "numasim tasks" } }
                        " is inside."
                    }
                }
                (data("evaluation", report.evaluation))
                @if let Some(explored) = report.explored { (data("exploration", &explored.document)) }
                @if let Some(comparison) = report.comparison { (data("comparison", comparison)) }
                @if let Some(found) = report.cached { (data("cache-figures", &cached::document(found))) }
                @if let Some(simulations) = report.simulations {
                    (data("simulation", &simulations.document))
                    (data("strips", &simulations.strips))
                }
                @if let Some(tasks) = report.tasks { (data("tasked", &tasks.document)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// Machine, model and measurements in three lines.
fn facts(report: &Report<'_>) -> Markup {
    html! {
        dl.facts {
            div { dt { "Machine" } dd { (machine_title(&report.study.machine)) } }
            div { dt { "Model" } dd { (report.study.machine.sharing().in_words()) } }
            @if let Some(compared) = &report.compared {
                div { dt { "Measured" } dd { (compared.measured) @if let Some(known) = report.provenance { (measured_on(known)) } } }
            }
        }
    }
}

/// Where and on which day.
fn measured_on(known: &Provenance) -> Markup {
    let day: String = known.started_utc.chars().take(10).collect();
    html! { @if let Some(host) = &known.facts.host_name { ", on " (host) } ", " (day) @if known.settings.processes { ", each application a process of its own" } }
}

/// What the words of the page mean.
fn words(report: &Report<'_>) -> Markup {
    const OF_MODEL: [(&str, &str); 4] = [
        ("GFLOPS", "10⁹ floating-point operations per second."),
        ("GB/s", "10⁹ bytes per second between memory and cores."),
        ("FLOP/byte", "Arithmetic intensity: floating-point operations for each byte from memory."),
        ("link", "The connection from the cores of one NUMA node to the memory of another."),
    ];
    const OF_TIME: [(&str, &str); 4] = [
        ("makespan", "The time from the beginning to the end of the last application."),
        (
            "policy",
            "Who decides how many threads of each application may run, and where; numasim simulate --help lists them.",
        ),
        ("orders", "Times that the policy told an application how many threads may run."),
        ("items", "What a producer has made and its consumer has not finished, in a channel."),
    ];
    const OF_TASKS: [(&str, &str); 5] = [
        ("block", "Data that tasks read and write as a whole."),
        ("scheduler", "Who decides which task runs on which core next; numasim tasks --help lists them."),
        ("lower bound", "No schedule of these tasks on this machine is over before, whoever decides."),
        ("remote bytes", "What tasks moved from the memories and caches of other nodes."),
        ("idle", "Cores without a task, of all cores x makespan."),
    ];
    const OF_MEASUREMENTS: [(&str, &str); 5] = [
        (
            "error",
            "(predicted - measured) / measured, with the median of the repetitions. Above 0 the model is too optimistic.",
        ),
        ("spread", "Sample standard deviation / mean of the repetitions."),
        ("95th percentile", "95 % of the absolute errors are smaller."),
        (
            "regret",
            "The cost of trusting the model: (measured best - measured value of the scenario that the model prefers) / \
             measured best.",
        ),
        (
            "Kendall's tau-b",
            "Whether the model orders the scenarios as the measurements do: +1 the same order, -1 the opposite one.",
        ),
    ];
    let measured = if report.compared.is_some() { &OF_MEASUREMENTS[..] } else { &[] };
    let tasks = if report.tasks.is_some() { &OF_TASKS[..] } else { &[] };
    let simulated = if report.simulations.is_some() { &OF_TIME[..] } else { &[] };
    html! {
        dl.words {
            @for (word, meaning) in OF_MODEL.iter().chain(simulated).chain(tasks).chain(measured) { div { dt { (word) } dd { (meaning) } } }
        }
    }
}
