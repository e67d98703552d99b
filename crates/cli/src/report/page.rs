//! The frame of the page: head, heading, list of sections, and all sections in order.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use numasim_ask::wording::GLOSSARY;
use numasim_bench::provenance::{Provenance, sha256};

use crate::report::contents::Report;
use crate::report::html::{data, figure};
use crate::report::interactive::Interactive;
use crate::report::{machine, scenarios, simulations, verdict};
use crate::view::machine_title;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The whole page.
pub(crate) fn page(report: &Report<'_>) -> String {
    let sections = [
        ("verdict", "Verdict", verdict::section(report)),
        ("answer", "Answer", verdict::explored_section(report)),
        ("machine", "Machine", machine::section(report)),
        ("scenarios", "Scenarios", scenarios::section(report)),
        ("cache", "Last-level cache", verdict::cache_section(report)),
        ("time", "Over time", simulations::section(report)),
        ("tasks", "Tasks", simulations::tasks_section(report)),
        ("plots", "Plots", html! { @for one in report.plots { (figure(one)) } }),
        ("what-if", "What if?", html! { @if let Some(page) = report.interactive { (page.section()) } }),
        ("doubts", "Warnings", machine::doubts(report)),
        ("origin", "Origin", machine::origin(report)),
        ("repeat", "Repeat it", machine::commands(report)),
        ("words", "Words", words(report)),
    ];
    let is_there = |id: &str| match id {
        "answer" => report.explored.is_some(),
        "scenarios" => !report.views.is_empty(),
        "cache" => report.cached.is_some(),
        "time" => report.simulations.is_some(),
        "tasks" => report.tasks.is_some(),
        "plots" => !report.plots.is_empty(),
        // Without measurements there are no measurement warnings.
        "doubts" => report.compared.is_some(),
        "what-if" => report.interactive.is_some(),
        _ => true,
    };
    let sections = sections.into_iter().filter(|(id, ..)| is_there(id)).collect::<Vec<_>>();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(SCRIPT, report.interactive.map(Interactive::program)));
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
                        "Made by numasim " (env!("CARGO_PKG_VERSION")) ". This file is self-contained and contains the JSON of "
                        code { "numasim evaluate" }
                        @if report.explored.is_some() { " and " code { "numasim explore" } }
                        @if report.comparison.is_some() { " and " code { "numasim compare" } }
                        @if report.simulations.is_some() { " and " code { "numasim simulate" } }
                        @if report.tasks.is_some() { " and " code { "numasim tasks" } }
                        ". The glossary of the guide, " code { (GLOSSARY) } " in the sources of numasim, explains all terms."
                    }
                }
                (data("evaluation", report.evaluation))
                @if let Some(explored) = report.explored { (data("exploration", &explored.document)) }
                @if let Some(comparison) = report.comparison { (data("comparison", comparison)) }
                @if let Some(found) = report.cached { (data("cache-figures", &verdict::document(found))) }
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

/// The host and the date.
fn measured_on(known: &Provenance) -> Markup {
    let day: String = known.started_utc.chars().take(10).collect();
    html! { @if let Some(host) = &known.facts.host_name { ", on " (host) } ", " (day) @if known.settings.processes { ", each application in a separate process" } }
}

/// The meaning of the terms on the page.
fn words(report: &Report<'_>) -> Markup {
    const OF_MODEL: [(&str, &str); 4] = [
        ("GFLOPS", "10⁹ floating-point operations per second."),
        ("GB/s", "10⁹ bytes per second between memory and cores."),
        ("FLOP/byte", "Arithmetic intensity: floating-point operations for each byte from memory."),
        ("link", "The connection from the cores of one NUMA node to the memory of another node."),
    ];
    const OF_TIME: [(&str, &str); 4] = [
        ("makespan", "The time until the last application finishes."),
        (
            "policy",
            "The rule that decides how many threads of each application may run, and where; numasim simulate --help lists the policies.",
        ),
        ("orders", "Commands of the policy to an application: how many threads may run."),
        ("items", "Units of data in a channel that the producer has finished and the consumer has not."),
    ];
    const OF_TASKS: [(&str, &str); 5] = [
        ("block", "Data that tasks read and write as a whole."),
        (
            "scheduler",
            "The rule that decides which task runs next on which core; numasim tasks --help lists the schedulers.",
        ),
        ("lower bound", "No schedule of these tasks on this machine finishes earlier, under any scheduler."),
        ("remote bytes", "Bytes that tasks moved from the memories and caches of other nodes."),
        ("idle", "Time of cores without a task, as a fraction of cores x makespan."),
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
            "Rank correlation of model and measurements over the scenarios: +1 the same order, -1 the opposite order.",
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

// Permissions of the page: it can only run its own script. A name that escaped the escaping would still not run.

/// The content security policy of a page whose only script is `script`. With the `program` of the what-if page, the policy also applies
/// in its frame: the page compiles embedded WebAssembly, and searches in a worker that is created from embedded text.
pub(super) fn policy(script: &str, program: Option<&str>) -> String {
    let hash = |script: &str| format!("'sha256-{}'", base64(&bytes(&sha256(script.as_bytes()))));
    let (more, worker) = match program {
        None => (String::new(), ""),
        Some(program) => {
            (format!(" {} 'wasm-unsafe-eval' blob:", hash(program)), " worker-src blob:; img-src data:;")
        }
    };
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src {}{more};{worker} base-uri 'none'; form-action 'none'",
        hash(script)
    )
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = char::from(LETTERS[((bits >> (18 - 6 * i)) & 63) as usize]);
            text.push(if i <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYmFy"]);
    }

    #[test]
    fn the_hash_of_nothing_is_the_known_one() {
        // printf '' | openssl dgst -sha256 -binary | base64
        assert!(policy("", None).contains("'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"));
    }
}
