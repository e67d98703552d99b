//! All scenarios as a table, the selection of one, and each with its map and its values.

use std::collections::HashMap;

use maud::{Markup, html};
use numasim_ask::compare::{scale, signed, spread};
use numasim_ask::table::Of;
use numasim_ask::wording::{common_unit, unit_title};
use numasim_evidence::compare::{Compared, ComparedScenario, Pair};
use numasim_model::AppId;
use numasim_model::units::GigabytesPerSecond;

use crate::report::contents::Report;
use crate::report::html::{self, Shown, error_bar, judged, picture, scrolling};
use crate::view::{
    STATIC_WORK, ScenarioView, Style, caution, data_words, figures, held_back, node_ranges, warning,
};

/// With more scenarios, values of single applications are only in the JSON.
const MOST_DETAILED: usize = 1000;

pub(super) fn section(report: &Report<'_>) -> Markup {
    let rows = rows(report);
    let detailed = &rows[..rows.len().min(MOST_DETAILED)];
    let maps = |row: &Row<'_>| report.maps.get(row.number).and_then(Option::as_deref);
    let without = detailed.iter().filter(|row| maps(row).is_none()).count();
    html! {
        (scrolling("All scenarios", &table(report, &rows)))
        @if detailed.len() > 1 { (picker(detailed)) }
        @if detailed.len() < rows.len() {
            p.faint { "The first " (detailed.len()) " scenarios are shown one by one; the JSON in this page has all." }
        }
        @if without > 0 {
            p.faint {
                (figures::count(without as u64, "scenario")) " without a map: omitted, too many to be readable. \
                 To draw one: " code { "numasim plot threads FILE... --scenario NAME" } "."
            }
        }
        @for row in detailed { (article(report, row, maps(row))) }
    }
}

/// Shown only by the script: without it, all scenarios are listed.
fn picker(rows: &[Row<'_>]) -> Markup {
    html! {
        div.picker hidden {
            label for="pick" { "Scenario" }
            select id="pick" {
                @for row in rows { option value=(row.id()) { (row.view.name) } }
                option value="" { "all of them" }
            }
            span.steps {
                button type="button" id="earlier" { "← previous" }
                button type="button" id="later" { "next →" }
            }
            p.unseen role="status" id="picked" {}
        }
    }
}

fn table(report: &Report<'_>, rows: &[Row<'_>]) -> Markup {
    let measured = report.compared.is_some();
    let with_bandwidth = rows.iter().any(|row| row.bandwidth().is_some());
    let scale = scale(rows.iter().filter_map(Row::error).map(f64::abs).fold(0.0, f64::max));
    let unit = rows.first().map_or("GFLOPS", |row| common_unit(row.view.apps).unwrap_or("GFLOPS"));
    let gflops = columns(rows.iter().map(|row| (row.view.total().0, row.gflops())));
    let bandwidth = columns(rows.iter().map(|row| (f64::NAN, row.bandwidth())));
    html! {
        table.overview {
            caption {
                "All applications of a scenario together"
                @if measured { "; a full bar is an error of " (format!("{:.0} %", 100.0 * scale)) }
            }
            thead {
                tr {
                    td {}
                    th.group colspan=(if measured { "5" } else { "1" }) scope="colgroup" { (unit) }
                    @if with_bandwidth { th.group colspan="3" scope="colgroup" { "GB/s" } }
                }
                tr {
                    th scope="col" { "scenario" } th.n scope="col" { "predicted" }
                    @if measured {
                        th.n scope="col" { "measured" } th.n scope="col" { "error" } td.bar {} th.n scope="col" { "spread" }
                    }
                    @if with_bandwidth {
                        th.n scope="col" { "predicted" } th.n scope="col" { "measured" } th.n scope="col" { "error" }
                    }
                }
            }
            tbody {
                @for (row, (gflops, bandwidth)) in rows.iter().zip(gflops.iter().zip(&bandwidth)) {
                    tr {
                        th scope="row" { a href=(format!("#{}", row.id())) { (row.view.name) } (tags(report, row.view.name)) }
                        (row.predicted(&gflops[0]).cell(""))
                        @if measured {
                            (row.compared(&gflops[1], "measured_gflops").cell(""))
                            (row.compared(&signed(row.error()), "error").cell(judged(row.error())))
                            (error_bar(row.error(), scale))
                            td.n.faint { (row.gflops().map_or("-".to_owned(), spread)) }
                        }
                        @if with_bandwidth {
                            @let error = row.bandwidth().and_then(|pair| pair.error);
                            (row.compared(&bandwidth[0], "predicted_bandwidth_gbs").cell(""))
                            (row.compared(&bandwidth[1], "measured_bandwidth_gbs").cell(""))
                            (row.compared(&signed(error), "bandwidth_error").cell(judged(error)))
                        }
                    }
                }
            }
        }
    }
}

// One scenario: its map, its applications, its memories and links.

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
                p.note { a href="#doubts" { "Warnings" } " about its measurements: " (doubts.join(", ")) "." }
            }
            details open[map.is_none()] { summary { "Memories and links" } (resources(row)) }
        }
    }
}

/// Predicted, measured, error.
fn sentence(row: &Row<'_>) -> Markup {
    let (total, unit) = row.view.total();
    let texts = columns(std::iter::once((total, row.gflops())));
    let [predicted, measured] = texts.first().cloned().unwrap_or_default();
    html! {
        p.sum {
            "Predicted " (row.predicted(&predicted).inline()) " " (unit)
            @if let Some((low, high)) = row.gflops().and_then(|pair| pair.interval) {
                " (95 %: " (row.compared(&figures::single(low), "predicted_gflops_ci95_low").inline())
                " to " (row.compared(&figures::single(high), "predicted_gflops_ci95_high").inline()) ")"
            }
            @if let Some(pair) = row.gflops() {
                ", measured " (row.compared(&measured, "measured_gflops").inline()) " " (unit) " (" (spread(pair)) "), error "
                span class=(judged(pair.error)) { (row.compared(&signed(pair.error), "error").inline()) }
            }
            "."
        }
    }
}

/// An application with its comparison, and the location of the comparison in the JSON.
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
                    th.group colspan=(if measured { "4" } else { "1" }) scope="colgroup" { (unit_title(view.apps)) }
                    th.group colspan=(if moved { "3" } else { "1" }) scope="colgroup" { "GB/s" }
                    td {}
                }
                tr {
                    th scope="col" { "application" } th.n scope="col" { "FLOP/byte" } th scope="col" { "data" }
                    th scope="col" { "threads on each node" } th.n scope="col" { "predicted" }
                    @if measured { th.n scope="col" { "measured" } th.n scope="col" { "error" } th.n scope="col" { "spread" } }
                    th.n scope="col" { "predicted" }
                    @if moved { th.n scope="col" { "measured" } th.n scope="col" { "error" } }
                    th scope="col" { "limited by" }
                }
            }
            tbody {
                @for (line, (gflops, bandwidth)) in lines.iter().zip(gflops.iter().zip(&bandwidth)) {
                    @let app = &view.apps[line.app.0];
                    tr {
                        th scope="row" { (app.name) }
                        td.n {
                            @if app.rate_unit.is_none() { (figures::intensity(app.arithmetic_intensity.value())) }
                        }
                        td { (data(view, line.app)) }
                        td.threads { (threads(view, line.app)) }
                        @match &app.rate_unit {
                            Some(unit) => (evaluated(line, &format!("{} {unit}", gflops[0]), "rate")),
                            None => (evaluated(line, &gflops[0], "gflops")),
                        }
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
    view.threads(app).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn data(view: &ScenarioView<'_>, app: AppId) -> String {
    data_words::brief(&view.placements[app.0])
}

/// Traffic of memories and links.
fn resources(row: &Row<'_>) -> Markup {
    let evaluation = row.view.evaluation;
    let carrier = |name: String, at: String, figures: [GigabytesPerSecond; 3]| {
        let [carried, most, occupied] = figures.map(GigabytesPerSecond::value);
        let at = format!("/scenarios/{}/{at}", row.number);
        Carrier { name, at, figures: [carried, most, f64::NAN], occupied, latency_ns: None }
    };
    let nodes = evaluation.nodes.iter().enumerate().map(|(i, node)| {
        let figures = [node.bandwidth, node.capacity, node.occupied];
        let mut of_node = carrier(node.node.to_string(), format!("nodes/{i}"), figures);
        (of_node.figures[2], of_node.latency_ns) = (node.remote.value(), node.loaded_latency_ns);
        of_node
    });
    let used = evaluation.links.iter().enumerate().filter(|(_, link)| link.bandwidth.value() > 0.0);
    let links = used.map(|(i, link)| {
        let name = format!("{} → {}", link.from.0, link.to.0);
        carrier(name, format!("links/{i}"), [link.bandwidth, link.capacity, link.occupied])
    });
    let shared = evaluation.shared_links.iter().enumerate().map(|(i, link)| {
        let name = format!("{} {} → {}", link.name, node_ranges(&link.from), node_ranges(&link.to));
        carrier(name, format!("shared_links/{i}"), [link.bandwidth, link.capacity, link.occupied])
    });
    let (links, shared): (Vec<Carrier>, Vec<Carrier>) = (links.collect(), shared.collect());
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
    /// Its location in the JSON of the evaluation.
    at: String,
    /// Its traffic, its capacity, and the part of the traffic that goes to other nodes, in GB/s.
    figures: [f64; 3],
    /// Its read-equivalent load, in GB/s.
    occupied: f64,
    /// Waiting time of a core for a line from it.
    latency_ns: Option<f64>,
}

fn carriers(caption: &str, first: &'static str, remote: bool, all: &[Carrier]) -> Markup {
    let shown = |title: &'static str, column: usize, key: &'static str| {
        Of::number(title, move |one: &Carrier| one.figures[column])
            .alike("gbs")
            .at(move |_, one| format!("evaluation#{}/{key}", one.at))
    };
    let columns = [
        Of::text(first, |one: &Carrier| one.name.clone()),
        shown("carries GB/s", 0, "bandwidth_gbs"),
        shown("at most GB/s", 1, "capacity_gbs"),
        Of::number("used", |one: &Carrier| one.occupied / one.figures[1]).written(figures::percent),
        shown("to other nodes GB/s", 2, "remote_gbs").only_if(remote),
        Of::number("latency ns", |one: &Carrier| one.latency_ns)
            .rounded()
            .at(|_, one| format!("evaluation#{}/loaded_latency_ns", one.at))
            .only_if(all.iter().any(|one| one.latency_ns.is_some())),
    ];
    html! {
        (html::table(caption, &columns, all))
        @if all.iter().any(|one| (one.occupied - one.figures[0]).abs() > 1e-9 * one.figures[0]) {
            p.faint {
                "Used is what is occupied, in GB/s of reads: 1 GB/s of a kernel that writes occupies bandwidth_gbs / copy_gbs, triad_gbs or \
                 update_gbs of the machine file."
            }
        }
    }
}

// A scenario with its comparison, and the location of its values in the JSON.

/// The total of a scenario.
pub(super) fn total(number: usize, view: &ScenarioView<'_>, text: &str) -> Shown {
    let (_, unit) = view.total();
    let key = match view.total_rates().iter().position(|(_, of)| *of == unit) {
        Some(place) => format!("total_rates/{place}/rate"),
        None => "total_gflops".to_owned(),
    };
    Shown::evaluated(text, format!("/scenarios/{number}/{key}"))
}

/// A scenario with its comparison, and the locations of both in the JSON.
pub(super) struct Row<'a> {
    pub(super) number: usize,
    pub(super) view: &'a ScenarioView<'a>,
    pub(super) compared: Option<(usize, &'a ComparedScenario)>,
}

impl<'a> Row<'a> {
    /// Its anchor in the page.
    pub(super) fn id(&self) -> String {
        format!("scenario-{}", self.number + 1)
    }

    /// The predicted GFLOPS of all applications.
    pub(super) fn predicted(&self, text: &str) -> Shown {
        match self.compared.filter(|(_, compared)| compared.total.is_some()) {
            Some((at, _)) => Shown::compared(text, format!("/scenarios/{at}/predicted_gflops")),
            None => total(self.number, self.view, text),
        }
    }

    /// A value of the comparison of the whole scenario.
    pub(super) fn compared(&self, text: &str, key: &str) -> Shown {
        self.compared
            .map_or_else(Shown::nothing, |(at, _)| Shown::compared(text, format!("/scenarios/{at}/{key}")))
    }

    /// GFLOPS of the whole scenario.
    pub(super) fn gflops(&self) -> Option<&'a Pair> {
        self.compared.and_then(|(_, compared)| compared.total.as_ref()).map(|total| &total.gflops)
    }

    pub(super) fn bandwidth(&self) -> Option<&'a Pair> {
        self.compared.and_then(|(_, compared)| compared.total.as_ref()?.bandwidth_gbs.as_ref())
    }

    pub(super) fn error(&self) -> Option<f64> {
        self.gflops().and_then(|pair| pair.error)
    }
}

/// The scenarios with their comparisons.
pub(super) fn rows<'a>(report: &Report<'a>) -> Vec<Row<'a>> {
    let scenarios = report.compared.map_or(&[][..], |view| &view.comparison.scenarios);
    let compared: HashMap<&str, (usize, &ComparedScenario)> =
        scenarios.iter().enumerate().map(|(at, one)| (one.name.as_str(), (at, one))).collect();
    let views = report.views.iter().enumerate();
    views.map(|(number, view)| Row { number, view, compared: compared.get(view.name).copied() }).collect()
}

/// Predicted and measured values, all with the same number of decimals; only the given prediction if there is no pair.
pub(super) fn columns<'a>(pairs: impl Iterator<Item = (f64, Option<&'a Pair>)>) -> Vec<[String; 2]> {
    let both = |(predicted, pair): (f64, Option<&Pair>)| {
        pair.map_or([predicted, f64::NAN], |pair| [pair.predicted, pair.measured.median])
    };
    let texts = figures::column(&pairs.flat_map(both).collect::<Vec<_>>());
    texts.chunks_exact(2).map(|two| [two[0].clone(), two[1].clone()]).collect()
}

/// The choices that prefer this scenario.
pub(super) fn tags(report: &Report<'_>, name: &str) -> Markup {
    let regret = report.compared.and_then(|view| view.comparison.regret_of_one_question());
    html! {
        @if let Some(regret) = regret {
            @if regret.preferred == name { " " span.tag { "model's choice" } }
            @if regret.best == name { " " span.tag { "measured best" } }
        }
    }
}
