//! All scenarios as a table, the choice of one, and each with its map and its figures.

use std::collections::HashMap;

use maud::{Markup, html};
use numasim_bench::compare::{ComparedScenario, Pair};

use super::html::{Shown, error_bar, judged, scrolling};
use super::{Report, scenario};
use crate::view::compared::{scale, signed, spread};
use crate::view::{ScenarioView, figures};

/// Of more scenarios the figures of single applications are left to the JSON.
const MOST_DETAILED: usize = 1000;

/// A scenario with its comparison, and where both stand in the JSON.
pub(super) struct Row<'a> {
    pub(super) number: usize,
    pub(super) view: &'a ScenarioView<'a>,
    pub(super) compared: Option<(usize, &'a ComparedScenario)>,
}

impl<'a> Row<'a> {
    /// Where in the page.
    pub(super) fn id(&self) -> String {
        format!("scenario-{}", self.number + 1)
    }

    /// The predicted GFLOPS of all applications.
    pub(super) fn predicted(&self, text: &str) -> Shown {
        match self.compared.filter(|(_, compared)| compared.total.is_some()) {
            Some((at, _)) => Shown::compared(text, format!("/scenarios/{at}/predicted_gflops")),
            None => Shown::evaluated(text, format!("/scenarios/{}/total_gflops", self.number)),
        }
    }

    /// A figure of the comparison of the whole scenario.
    pub(super) fn compared(&self, text: &str, key: &str) -> Shown {
        self.compared
            .map_or_else(Shown::nothing, |(at, _)| Shown::compared(text, format!("/scenarios/{at}/{key}")))
    }

    /// GFLOPS of the whole scenario.
    pub(super) fn gflops(&self) -> Option<&'a Pair> {
        self.compared.and_then(|(_, compared)| compared.total.as_ref()).map(|total| &total.gflops)
    }

    fn bandwidth(&self) -> Option<&'a Pair> {
        self.compared.and_then(|(_, compared)| compared.total.as_ref()?.bandwidth_gbs.as_ref())
    }

    fn error(&self) -> Option<f64> {
        self.gflops().and_then(|pair| pair.error)
    }
}

/// The scenarios with their comparisons.
fn rows<'a>(report: &Report<'a>) -> Vec<Row<'a>> {
    let scenarios = report.compared.map_or(&[][..], |view| &view.comparison.scenarios);
    let compared: HashMap<&str, (usize, &ComparedScenario)> =
        scenarios.iter().enumerate().map(|(at, one)| (one.name.as_str(), (at, one))).collect();
    let views = report.views.iter().enumerate();
    views.map(|(number, view)| Row { number, view, compared: compared.get(view.name).copied() }).collect()
}

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
        @for row in detailed { (scenario::article(report, row, maps(row))) }
    }
}

/// Shown by the script only: without it, all scenarios are listed.
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
    let gflops = columns(rows.iter().map(|row| (row.view.evaluation.total.value(), row.gflops())));
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
                    th.group colspan=(if measured { "5" } else { "1" }) scope="colgroup" { "GFLOPS" }
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

/// Predicted and measured figures, all with the same number of decimals; the given prediction where there is no pair.
pub(super) fn columns<'a>(pairs: impl Iterator<Item = (f64, Option<&'a Pair>)>) -> Vec<[String; 2]> {
    let both = |(predicted, pair): (f64, Option<&Pair>)| {
        pair.map_or([predicted, f64::NAN], |pair| [pair.predicted, pair.measured.median])
    };
    let texts = figures::column(&pairs.flat_map(both).collect::<Vec<_>>());
    texts.chunks_exact(2).map(|two| [two[0].clone(), two[1].clone()]).collect()
}

/// Who prefers this scenario.
pub(super) fn tags(report: &Report<'_>, name: &str) -> Markup {
    let regret = report.compared.and_then(|view| view.comparison.regret.as_ref());
    html! {
        @if let Some(regret) = regret {
            @if regret.preferred == name { " " span.tag { "model's choice" } }
            @if regret.best == name { " " span.tag { "measured best" } }
        }
    }
}
