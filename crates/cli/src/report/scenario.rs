//! One scenario: its map, its applications, its memories and links.

use maud::{Markup, html};
use numasim_evidence::compare::{Compared, Pair};
use numasim_model::AppId;

use super::contents::Report;
use super::html::{self, Shown, judged, number, picture, scrolling};
use super::row::{Row, columns, tags};
use crate::view::{
    STATIC_WORK, ScenarioView, Style, caution, data_words, figures, held_back, node_ranges, warning,
};
use numasim_ask::compare::{signed, spread};

pub(super) fn article(report: &Report<'_>, row: &Row<'_>, map: Option<&str>) -> Markup {
    let view = row.view;
    let title = format!("{}-title", row.id());
    let doubts =
        row.compared.map(|(_, compared)| compared.doubts.iter().map(String::as_str).collect::<Vec<_>>());
    let doubts = doubts.filter(|doubts| !doubts.is_empty());
    html! {
        article.scenario id=(row.id()) data-name=(view.name) aria-labelledby=(title) tabindex="-1" {
            h3 id=(title) { (view.name) (tags(report, view.name)) }
            (sentence(row))
            @if let Some(map) = map { figure { (picture(map, &format!("Threads of scenario {}", view.name))) } }
            (scrolling(&format!("Applications of {}", view.name), &applications(report, row)))
            @if view.evaluation.static_work { p.note { (STATIC_WORK) } }
            @for clause in caution::beside_warnings(view) { p.note { "Caution: " (clause) "." } }
            @for fact in warning::facts(&view.evaluation.warnings) { p.note { "Warning: " (fact) } }
            @if let Some(doubts) = doubts {
                p.note { a href="#doubts" { "Doubts" } " about its measurements: " (doubts.join(", ")) "." }
            }
            details open[map.is_none()] { summary { "Memories and links" } (resources(row)) }
        }
    }
}

/// Predicted, measured, error.
fn sentence(row: &Row<'_>) -> Markup {
    let texts = columns(std::iter::once((row.view.evaluation.total.value(), row.gflops())));
    let [predicted, measured] = texts.first().cloned().unwrap_or_default();
    html! {
        p.sum {
            "Predicted " (row.predicted(&predicted).inline()) " GFLOPS"
            @if let Some((low, high)) = row.gflops().and_then(|pair| pair.interval) {
                " (95 %: " (row.compared(&figures::single(low), "predicted_gflops_ci95_low").inline())
                " to " (row.compared(&figures::single(high), "predicted_gflops_ci95_high").inline()) ")"
            }
            @if let Some(pair) = row.gflops() {
                ", measured " (row.compared(&measured, "measured_gflops").inline()) " GFLOPS (" (spread(pair)) "), error "
                span class=(judged(pair.error)) { (row.compared(&signed(pair.error), "error").inline()) }
            }
            "."
        }
    }
}

/// An application with its comparison, and where that stands in the JSON.
struct Line<'a> {
    app: AppId,
    compared: Option<(String, &'a Compared)>,
}

impl<'a> Line<'a> {
    fn gflops(&self) -> Option<&'a Pair> {
        self.compared.as_ref().map(|(_, compared)| &compared.gflops)
    }

    fn bandwidth(&self) -> Option<&'a Pair> {
        self.compared.as_ref().and_then(|(_, compared)| compared.bandwidth_gbs.as_ref())
    }

    fn shown(&self, text: &str, key: &str) -> Shown {
        self.compared
            .as_ref()
            .map_or_else(Shown::nothing, |(at, _)| Shown::compared(text, format!("{at}/{key}")))
    }
}

fn lines<'a>(row: &Row<'a>) -> Vec<Line<'a>> {
    let compared = |name: &str| {
        let (at, scenario) = row.compared?;
        let (i, app) = scenario.apps.iter().enumerate().find(|(_, app)| app.name == name)?;
        Some((format!("/scenarios/{at}/apps/{i}"), app.compared.as_ref()?))
    };
    let apps = row.view.active_apps();
    apps.map(|app| Line { app, compared: compared(&row.view.apps[app.0].name) }).collect()
}

fn applications(report: &Report<'_>, row: &Row<'_>) -> Markup {
    let view = row.view;
    let lines = lines(row);
    let measured = lines.iter().any(|line| line.compared.is_some());
    let moved = lines.iter().any(|line| line.bandwidth().is_some());
    let result = |line: &Line<'_>| &view.evaluation.apps[line.app.0];
    let gflops = columns(lines.iter().map(|line| (result(line).gflops.value(), line.gflops())));
    let bandwidth = columns(lines.iter().map(|line| (result(line).bandwidth.value(), line.bandwidth())));
    let evaluated = |line: &Line<'_>, text: &str, key: &str| {
        Shown::evaluated(text, format!("/scenarios/{}/apps/{}/{key}", row.number, line.app.0)).cell("")
    };
    html! {
        table {
            caption {
                "Applications"
                @if !measured && report.compared.is_some() && row.compared.is_some() { "; only their total was measured" }
            }
            thead {
                tr {
                    td colspan="4" {}
                    th.group colspan=(if measured { "4" } else { "1" }) scope="colgroup" { "GFLOPS" }
                    th.group colspan=(if moved { "3" } else { "1" }) scope="colgroup" { "GB/s" }
                    td {}
                }
                tr {
                    th scope="col" { "application" } th.n scope="col" { "FLOP/byte" } th scope="col" { "data" }
                    th scope="col" { "threads on each node" } th.n scope="col" { "predicted" }
                    @if measured { th.n scope="col" { "measured" } th.n scope="col" { "error" } th.n scope="col" { "spread" } }
                    th.n scope="col" { "predicted" }
                    @if moved { th.n scope="col" { "measured" } th.n scope="col" { "error" } }
                    th scope="col" { "held back by" }
                }
            }
            tbody {
                @for (line, (gflops, bandwidth)) in lines.iter().zip(gflops.iter().zip(&bandwidth)) {
                    @let app = &view.apps[line.app.0];
                    tr {
                        th scope="row" { (app.name) }
                        td.n { (figures::intensity(app.arithmetic_intensity.value())) }
                        td { (data(view, line.app)) }
                        td.threads { (threads(view, line.app)) }
                        (evaluated(line, &gflops[0], "gflops"))
                        @if measured {
                            @let error = line.gflops().and_then(|pair| pair.error);
                            (line.shown(&gflops[1], "measured_gflops").cell(""))
                            (line.shown(&signed(error), "error").cell(judged(error)))
                            td.n.faint { (line.gflops().map_or("-".to_owned(), spread)) }
                        }
                        (evaluated(line, &bandwidth[0], "bandwidth_gbs"))
                        @if moved {
                            @let error = line.bandwidth().and_then(|pair| pair.error);
                            (line.shown(&bandwidth[1], "measured_bandwidth_gbs").cell(""))
                            (line.shown(&signed(error), "bandwidth_error").cell(judged(error)))
                        }
                        td.text { (held_back::in_words(view, line.app, &Style::default())) }
                    }
                }
            }
        }
    }
}

/// `5 5 5 5`: one number for each node.
fn threads(view: &ScenarioView<'_>, app: AppId) -> String {
    view.allocation.row(app).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn data(view: &ScenarioView<'_>, app: AppId) -> String {
    data_words::brief(&view.placements[app.0])
}

/// What memories and links carry.
fn resources(row: &Row<'_>) -> Markup {
    let evaluation = row.view.evaluation;
    let nodes = evaluation.nodes.iter().enumerate().map(|(i, node)| Carrier {
        name: node.node.to_string(),
        at: format!("/scenarios/{}/nodes/{i}", row.number),
        figures: [node.bandwidth.value(), node.capacity.value(), node.remote.value()],
        occupied: node.occupied.value(),
    });
    let used = evaluation.links.iter().enumerate().filter(|(_, link)| link.bandwidth.value() > 0.0);
    let links: Vec<Carrier> = used
        .map(|(i, link)| Carrier {
            name: format!("{} → {}", link.from.0, link.to.0),
            at: format!("/scenarios/{}/links/{i}", row.number),
            figures: [link.bandwidth.value(), link.capacity.value(), f64::NAN],
            occupied: link.occupied.value(),
        })
        .collect();
    let shared: Vec<Carrier> = evaluation
        .shared_links
        .iter()
        .enumerate()
        .map(|(i, link)| Carrier {
            name: format!("{} {} → {}", link.name, node_ranges(&link.from), node_ranges(&link.to)),
            at: format!("/scenarios/{}/shared_links/{i}", row.number),
            figures: [link.bandwidth.value(), link.capacity.value(), f64::NAN],
            occupied: link.occupied.value(),
        })
        .collect();
    html! {
        div.pair {
            (scrolling("Memories", &carriers("Memories", "memory of", true, &nodes.collect::<Vec<_>>())))
            @if links.is_empty() { p.faint { "No traffic on the links." } }
            @else { (scrolling("Links", &carriers("Links: cores → memory", "link", false, &links))) }
            @if !shared.is_empty() {
                (scrolling("Shared links", &carriers("Shared links: cores → memories", "shared link", false, &shared)))
            }
        }
    }
}

/// A memory or a link.
struct Carrier {
    name: String,
    /// Where it stands in the JSON of the evaluation.
    at: String,
    /// What it carries, the most it can, and what of it goes to other nodes, in GB/s.
    figures: [f64; 3],
    /// What of the most it can carry is occupied, in GB/s.
    occupied: f64,
}

fn carriers(caption: &str, first: &str, remote: bool, all: &[Carrier]) -> Markup {
    let texts = &figures::column(&all.iter().flat_map(|one| one.figures).collect::<Vec<_>>());
    let shown = |title, column: usize, key| {
        number(title, move |i, one: &Carrier| {
            Shown::evaluated(&texts[3 * i + column], format!("{}/{key}", one.at)).cell("")
        })
    };
    let used = |one: &Carrier| figures::percent(one.occupied / one.figures[1]);
    let mut columns = vec![
        shown("carries GB/s", 0, "bandwidth_gbs"),
        shown("at most GB/s", 1, "capacity_gbs"),
        number("used", |_, one: &Carrier| Shown::plain(used(one)).cell("")),
    ];
    columns.extend(remote.then(|| shown("to other nodes GB/s", 2, "remote_gbs")));
    html! {
        (html::table(caption, (first, &|one: &Carrier| html! { (one.name) }), &columns, all))
        @if all.iter().any(|one| (one.occupied - one.figures[0]).abs() > 1e-9 * one.figures[0]) {
            p.faint {
                "Used is what is occupied, in GB/s of reads: 1 GB/s of a kernel that writes occupies bandwidth_gbs / copy_gbs, triad_gbs or \
                 update_gbs of the machine file."
            }
        }
    }
}
