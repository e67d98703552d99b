//! The machine: drawn, as a table, and how its figures came about.

use maud::{Markup, html};
use numasim_draw::figures;
use numasim_model::machine::Provenance;
use numasim_model::{Machine, Node};

use super::contents::Report;
use super::html::{self, Shown, figure, number, scrolling};

pub(super) fn section(report: &Report<'_>) -> Markup {
    let machine = &report.study.machine;
    html! {
        @if let Some(source) = machine.source() { p { (source) } }
        @for one in report.machine { (figure(one)) }
        (scrolling("Nodes", &nodes(machine)))
        (known(machine))
    }
}

/// The nodes, equal ones in one line.
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
    let plain = |text: String| Shown::plain(text).cell("");
    let mut columns = vec![
        number("cores", |_, (node, _): &Class<'_>| plain(node.cores.to_string())),
        number("GFLOPS per core", |_, (node, _): &Class<'_>| match node.cores {
            0 => Shown::nothing().cell(""),
            _ => plain(figures::short(node.gflops_per_core.value())),
        }),
        number("memory GB/s", |_, (node, _): &Class<'_>| plain(figures::short(node.bandwidth.value()))),
    ];
    columns.extend(limited.then(|| {
        number("one core GB/s", |_, (node, _): &Class<'_>| {
            plain(node.core_bandwidth.map_or("no limit".to_owned(), |limit| figures::short(limit.value())))
        })
    }));
    let name =
        |(_, numbers): &Class<'_>| html! { (figures::nodes(numbers)) @if numbers.len() > 1 { ", each" } };
    html::table("Nodes", ("node", &name), &columns, &classes)
}

/// How the figures came about, as the file tells.
fn known(machine: &Machine) -> Markup {
    if machine.provenance().is_empty() {
        return html! { p.faint { "The machine file does not state the origin of its values." } };
    }
    let uncertain = machine.provenance().values().any(|known| known.uncertainty_percent.is_some());
    let percent = |known: &Provenance| {
        known.uncertainty_percent.map_or_else(|| "-".to_owned(), |percent| format!("\u{b1}{percent:.1} %"))
    };
    let table = html! {
        table {
            caption { "Origin of its parameters" }
            thead { tr {
                th scope="col" { "figure" }
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
