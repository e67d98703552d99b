//! The machine: as a drawing, as a table, and with the provenance of its values.

use maud::{Markup, html};
use numasim_ask::compare::{Compared, discarded, located_reason, not_measured};
use numasim_ask::table::Of;
use numasim_bench::doubt::RecordedDoubt;
use numasim_bench::provenance::Provenance;
use numasim_draw::figures;
use numasim_host::memory::size;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, Node, machine};

use crate::report::contents::Report;
use crate::report::html::{self, figure, scrolling};

pub(super) fn section(report: &Report<'_>) -> Markup {
    let machine = &report.study.machine;
    html! {
        @if let Some(source) = machine.source() { p { (source) } }
        @for one in report.machine { (figure(one)) }
        (scrolling("Nodes", &nodes(machine)))
        (known(machine))
    }
}

/// The nodes, with equal ones in one line.
fn nodes(machine: &Machine) -> Markup {
    type Class<'m> = (&'m Node, Vec<usize>);
    let mut classes: Vec<Class<'_>> = Vec::new();
    for (number, node) in machine.nodes().iter().enumerate() {
        match classes.iter_mut().find(|(other, _)| *other == node) {
            Some((_, numbers)) => numbers.push(number),
            None => classes.push((node, vec![number])),
        }
    }
    let limited = classes.iter().any(|(node, _)| node.core_bandwidth.is_some());
    let name = |(_, numbers): &Class<'_>| {
        format!("{}{}", figures::nodes(numbers), if numbers.len() > 1 { ", each" } else { "" })
    };
    let columns = [
        Of::text("node", name),
        Of::count("cores", |(node, _): &Class<'_>| node.cores),
        Of::number("GFLOPS per core", |(node, _): &Class<'_>| {
            (node.cores > 0).then(|| node.gflops_per_core.value())
        })
        .written(figures::short),
        Of::number("memory GB/s", |(node, _): &Class<'_>| node.bandwidth.value()).written(figures::short),
        Of::number("one core GB/s", |(node, _): &Class<'_>| {
            node.core_bandwidth.map(GigabytesPerSecond::value)
        })
        .written(figures::short)
        .none("no limit")
        .only_if(limited),
    ];
    html::table("Nodes", &columns, &classes)
}

/// The provenance of the values according to the file.
fn known(machine: &Machine) -> Markup {
    if machine.provenance().is_empty() {
        return html! { p.faint { "The machine file does not state the origin of its values." } };
    }
    let uncertain = machine.provenance().values().any(|known| known.uncertainty_percent.is_some());
    let percent = |known: &machine::Provenance| {
        known.uncertainty_percent.map_or_else(|| "-".to_owned(), |percent| format!("\u{b1}{percent:.1} %"))
    };
    let table = html! {
        table {
            caption { "Origin of its parameters" }
            thead { tr {
                th scope="col" { "value" }
                th scope="col" { "kind" }
                @if uncertain { th.n scope="col" { "uncertainty" } }
                th scope="col" { "source" }
            } }
            tbody {
                @for (key, known) in machine.provenance() {
                    tr {
                        th scope="row" { code { (key) } }
                        td { (known.kind.as_str()) }
                        @if uncertain { td.n { (percent(known)) } }
                        td.text { (known.source.as_deref().unwrap_or("-")) }
                    }
                }
            }
        }
    };
    scrolling("Origin of the machine's parameters", &table)
}

// Origin of the values: files, host, settings; and the commands that reproduce them.

pub(super) fn origin(report: &Report<'_>) -> Markup {
    let files = report.read.iter().map(|file| (file.name.as_str(), Some(file.role), file.sha256.as_str()));
    html! {
        @if let Some(known) = report.provenance { (measured(known)) }
        (hashes("Inputs of this page", &files.collect::<Vec<_>>()))
        @if !report.aside.is_empty() {
            p.faint { "Also in the folder, not read: " (report.aside.join(", ")) "." }
        }
    }
}

/// Files with their hashes: name, description, SHA-256.
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

/// A name, and its value if known.
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

/// The commands that reproduce the result.
pub(super) fn commands(report: &Report<'_>) -> Markup {
    html! {
        @for one in report.commands {
            p { (one.what) ":" }
            pre tabindex="0" role="region" aria-label=(one.what) { code { (one.line) } }
        }
    }
}

// Reasons to distrust the values, with advice.

/// Maximum number of sentences shown for the same warning.
const MOST_ALIKE: usize = 6;
/// Maximum number of lines shown that were not compared.
const MOST_LINES: usize = 12;

pub(super) fn doubts(report: &Report<'_>) -> Markup {
    let recorded = report.provenance.map_or(&[][..], |known| &known.doubts);
    let left = report.compared.map(left_out).unwrap_or_default();
    html! {
        p {
            @match (report.compared.is_some(), report.provenance.is_some()) {
                (false, _) => "There are no measurements, so there are no measurement warnings.",
                (true, false) => "There is no provenance next to the measurements, so it is unknown how they were made.",
                (true, true) if recorded.is_empty() => "The benchmark recorded no warnings about the host or the measurements.",
                (true, true) => { "The benchmark recorded " (figures::count(recorded.len() as u64, "warning")) ", each with a remedy." }
            }
        }
        @if !recorded.is_empty() { (list(recorded)) }
        @if !left.is_empty() {
            h3 { "Not compared" }
            ul { @for line in &left { li { (line) } } }
        }
    }
}

/// Merges warnings with the same code and the same advice.
fn list(recorded: &[RecordedDoubt]) -> Markup {
    let mut kinds: Vec<(&RecordedDoubt, Vec<&str>)> = Vec::new();
    for doubt in recorded {
        match kinds.iter_mut().find(|(kind, _)| kind.code == doubt.code && kind.advice == doubt.advice) {
            Some((_, messages)) => messages.push(&doubt.message),
            None => kinds.push((doubt, vec![&doubt.message])),
        }
    }
    html! {
        ul.doubts {
            @for (kind, messages) in &kinds {
                li {
                    p { code { (kind.code) } }
                    @for message in messages.iter().take(MOST_ALIKE) { p { (message) } }
                    @if messages.len() > MOST_ALIKE { p.faint { "and " (messages.len() - MOST_ALIKE) " more like this" } }
                    @if !kind.advice.is_empty() { p.advice { "What to do: " (kind.advice) } }
                }
            }
        }
    }
}

/// Measurements that the comparison left out.
fn left_out(view: &Compared) -> Vec<String> {
    let (comparison, measured) = (&view.comparison, &view.measured);
    let missing = not_measured(comparison).into_iter();
    let mut lines: Vec<String> = missing.map(|names| format!("Not measured: {names}.")).collect();
    let unmatched = comparison.unmatched.iter().map(|one| located_reason(one, measured) + ".");
    let left = comparison.left_out.iter().map(|one| discarded(one, measured) + ".");
    lines.extend(unmatched.chain(left).take(MOST_LINES));
    let more = (comparison.unmatched.len() + comparison.left_out.len()).saturating_sub(MOST_LINES);
    if more > 0 {
        lines.push(format!("And {more} more lines; the JSON in this page has all."));
    }
    lines
}
