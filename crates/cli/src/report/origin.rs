//! Where the figures come from: files, host, settings; and the commands that make them again.

use maud::{Markup, html};
use numasim_bench::provenance::Provenance;
use numasim_draw::figures;
use numasim_host::memory::size;

use super::contents::Report;
use super::html::scrolling;

pub(super) fn section(report: &Report<'_>) -> Markup {
    let files = report.read.iter().map(|file| (file.name.as_str(), Some(file.role), file.sha256.as_str()));
    html! {
        @if let Some(known) = report.provenance { (measured(known)) }
        (hashes("Inputs of this page", &files.collect::<Vec<_>>()))
        @if !report.aside.is_empty() {
            p.faint { "Also in the folder, not read: " (report.aside.join(", ")) "." }
        }
    }
}

/// Files with their hashes: name, what it is, SHA-256.
fn hashes(caption: &str, files: &[(&str, Option<&str>, &str)]) -> Markup {
    let with_role = files.iter().any(|(_, role, _)| role.is_some());
    scrolling(
        caption,
        &html! {
            table {
                caption { (caption) }
                thead { tr { th scope="col" { "file" } @if with_role { th scope="col" { "what" } } th scope="col" { "SHA-256" } } }
                tbody {
                    @for (name, role, hash) in files {
                        tr { th scope="row" { (name) } @if let Some(role) = role { td { (role) } } td.hash { (hash) } }
                    }
                }
            }
        },
    )
}

/// Host and settings of the measurements.
fn measured(known: &Provenance) -> Markup {
    let inputs = known.inputs.iter().map(|input| (input.name.as_str(), None, input.sha256.as_str()));
    html! {
        div.pair {
            (pairs("Host", &host(known)))
            (pairs("Settings of the measurements", &settings(known)))
        }
        @if !known.fitted.is_empty() {
            h3 { "Scaled to the host" }
            p { "The benchmark scaled the scenarios of the files to fit this host:" }
            ul { @for change in &known.fitted { li { (change) } } }
        }
        @if !known.inputs.is_empty() {
            (hashes("Read by the benchmark", &inputs.collect::<Vec<_>>()))
        }
    }
}

/// A name, and its value where it is known.
type Fact = (&'static str, Option<String>);

fn host(known: &Provenance) -> Vec<Fact> {
    let facts = &known.facts;
    let on = |flag: bool| if flag { "on" } else { "off" }.to_owned();
    let kernel = [&facts.kernel_release, &facts.kernel_version];
    let kernel: Vec<&str> = kernel.into_iter().flatten().map(String::as_str).collect();
    let nodes = known.nodes.iter().map(|node| {
        let memory = node.memory_bytes.map_or(String::new(), |bytes| format!(", {}", size(bytes)));
        format!("{}: {}{memory}", node.os_node, figures::count(u64::from(node.cores), "core"))
    });
    let nodes: Vec<String> = nodes.collect();
    let governors: Vec<String> =
        facts.governors.iter().map(|(name, cpus)| format!("{name} on {cpus}")).collect();
    let virtual_machine = facts.virtual_machine.as_ref().map(|evidence| match evidence.as_str() {
        "" => "none detected".to_owned(),
        evidence => format!("yes: {evidence}"),
    });
    let some = |text: String| (!text.is_empty()).then_some(text);
    vec![
        ("host", facts.host_name.clone()),
        ("processor", facts.cpu_model.clone()),
        ("microcode", facts.microcode.clone()),
        ("architecture", some(facts.architecture.clone())),
        ("NUMA nodes used", some(nodes.join("; "))),
        ("processors online", facts.online_cpus.clone()),
        ("hardware threads (SMT)", facts.smt_active.map(on)),
        ("kernel", some(kernel.join(" "))),
        ("virtual machine", virtual_machine),
        ("frequency governor", some(governors.join("; "))),
        ("turbo", facts.turbo.map(on)),
        ("automatic NUMA balancing", facts.numa_balancing.map(on)),
        ("transparent huge pages", facts.huge_pages.map(|setting| format!("{setting:?}").to_lowercase())),
        ("clock source", facts.clock_source.clone()),
        ("load average before", facts.load_average.map(figures::rounded)),
    ]
}

fn settings(known: &Provenance) -> Vec<Fact> {
    let (settings, tool) = (&known.settings, &known.tool);
    let apps = if settings.processes { "processes of their own" } else { "threads of one process" };
    let mut program = format!("{} {}, {} build", tool.name, tool.version, tool.profile);
    if !tool.features.is_empty() {
        program += " with ";
        program += &tool.features.join(", ");
    }
    let bound = if settings.bind == "none" { "nothing".to_owned() } else { format!("a {}", settings.bind) };
    let known = [
        ("instruction set", settings.isa.clone()),
        ("warm-up", format!("{} s", figures::short(settings.warm_up_s))),
        ("window", format!("{} s", figures::short(settings.window_s))),
        ("repetitions", settings.repeat.to_string()),
        ("memory of each thread", size(settings.bytes_per_thread)),
        ("threads bound to", bound),
        ("applications are", apps.to_owned()),
        ("began", known.started_utc.clone()),
        ("ended", known.ended_utc.clone().unwrap_or_else(|| "before its end".to_owned())),
        ("run", known.run.clone()),
        ("program", program),
    ];
    known.map(|(name, value)| (name, Some(value))).to_vec()
}

fn pairs(caption: &str, facts: &[Fact]) -> Markup {
    scrolling(
        caption,
        &html! {
            table {
                caption { (caption) }
                tbody {
                    @for (name, value) in facts {
                        @if let Some(value) = value { tr { th scope="row" { (name) } td.text { (value) } } }
                    }
                }
            }
        },
    )
}

/// What to type to get the same.
pub(super) fn commands(report: &Report<'_>) -> Markup {
    html! {
        @for one in report.commands {
            p { (one.what) ":" }
            pre tabindex="0" role="region" aria-label=(one.what) { code { (one.line) } }
        }
    }
}
