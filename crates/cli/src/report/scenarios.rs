//! All scenarios as a table, the choice of one, and each with its map and its figures.

use maud::{Markup, html};
use numasim_draw::figures;

use super::contents::Report;
use super::html::{error_bar, judged, scrolling};
use super::row::{Row, columns, rows, tags};
use super::scenario;
use numasim_ask::compare::{scale, signed, spread};

/// Of more scenarios the figures of single applications are left to the JSON.
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
