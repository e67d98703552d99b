//! Plots of the published measurements: a curve for each machine, predicted over measured, and errors of all methods side by side.

mod curves;
mod errors;

use crate::sets::{Judged, Part, Point, Role, is_null_model};
use numasim_draw::line::{Line, LinePlot};
use numasim_draw::scatter::{self, ScatterPlot, Series};
use numasim_draw::{Axis, Heading, Scale};

use crate::view::short;

const LOAD: &str = "load";

/// All plots, with the names of their files.
pub(crate) fn published(judged: &[Judged]) -> Vec<(String, String)> {
    let mut drawn = Vec::new();
    let mut sets: Vec<&str> = Vec::new();
    for one in judged.iter().filter(|one| one.part == Part::Scaling && one.traffic == LOAD) {
        if !sets.contains(&one.set.as_str()) {
            sets.push(&one.set);
            drawn.push((format!("load-{}.svg", file_name(&one.set)), curve(judged, &one.set).svg()));
        }
    }
    let all = |part: Part| judged.iter().filter(move |one| one.part == part);
    let overview = |name: &str, title: &str, subtitle: &str, unit: &str, series: Vec<Series>| {
        let heading = Heading { title: title.to_owned(), subtitle: subtitle.to_owned() };
        (name.to_owned(), ScatterPlot { heading, unit: unit.to_owned(), series }.svg())
    };
    if !sets.is_empty() {
        let shown = |one: &&Judged| one.traffic == LOAD && !is_null_model(one.model);
        let series = together(all(Part::Scaling).filter(shown), |one| {
            format!("{}, {}", short(one.model), one.variant)
        });
        let subtitle = "one NUMA domain; 1, half, three quarters (or one) and all cores are fitted, these are the others";
        drawn.push(overview("load.svg", "Bandwidth over cores, kernel load", subtitle, "GB/s", series));
    }
    let models = ["baseline-proportional", "ecm"];
    if all(Part::Readers).next().is_some() {
        // The runs that test; more than three clouds cannot be distinguished.
        let shown = |one: &&Judged| {
            one.role == Role::Tests
                && (one.variant == "as advised" || (one.variant == "no fit" && models.contains(&one.model)))
        };
        let series = together(all(Part::Readers).filter(shown), |one| {
            format!("{}, {}", short(one.model), one.variant)
        });
        let subtitle = "STREAM Triad of 4 nodes on one memory of a 4-socket Opteron, predicted from the matrix of single nodes";
        drawn.push(overview("readers.svg", "Several nodes read one memory", subtitle, "GB/s", series));
    }
    if all(Part::TableIii).next().is_some() {
        let shown = |one: &&Judged| models.contains(&one.model) && one.variant != "two more fitted";
        let series = together(all(Part::TableIii).filter(shown), |one| {
            format!("{}, {}", short(one.model), one.variant)
        });
        let subtitle = "each row predicted by a fit to the four others";
        drawn.push(overview("table-iii.svg", "Table III of the paper", subtitle, "GFLOPS", series));
    }
    drawn.extend(curves::grids(judged).into_iter().map(|(name, grid)| (name, grid.svg())));
    let (at_once, others): (Vec<&Judged>, Vec<&Judged>) =
        judged.iter().filter(|one| one.part != Part::Steps).partition(|one| one.part.is_together());
    let errors = [
        ("errors.svg", &others, "Models beside null models on published data"),
        (
            "co-run.svg",
            &at_once,
            "Several domains, memories or applications at once: models beside null models",
        ),
    ];
    for (name, own, title) in errors.into_iter().filter(|one| !one.1.is_empty()) {
        drawn.push((name.to_owned(), errors::dots(own, title).svg()));
    }
    if !at_once.is_empty() {
        let title = "Several domains, memories or applications at once: point by point";
        drawn.push(("co-run-points.svg".to_owned(), errors::clouds(&at_once, title).svg()));
    }
    drawn
}

/// Each value once, in order of first occurrence.
fn each_once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

/// The measurement, and the prediction of each method.
fn curve(judged: &[Judged], set: &str) -> LinePlot {
    let of_set: Vec<&Judged> = judged
        .iter()
        .filter(|one| one.part == Part::Scaling && one.traffic == LOAD && one.set == set)
        .filter(|one| !is_null_model(one.model))
        .collect();
    let ordered = |one: &Judged| {
        let mut points: Vec<(f64, Point)> =
            one.points.iter().chain(&one.fitted).map(|point| (cores(point), point.clone())).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let first: Vec<(f64, Point)> = of_set.first().map(|one| ordered(one)).unwrap_or_default();
    let measured =
        Line { name: "measured".to_owned(), values: first.iter().map(|(_, point)| point.measured).collect() };
    let predicted = of_set.iter().map(|one| Line {
        name: format!("{}, {}", short(one.model), one.variant),
        values: ordered(one).iter().map(|(_, point)| point.predicted).collect(),
    });
    let seen: Vec<&str> = of_set
        .first()
        .map(|one| one.fitted.iter().map(|point| point.name.split(' ').next().unwrap_or_default()).collect())
        .unwrap_or_default();
    LinePlot {
        heading: Heading {
            title: set.to_owned(),
            subtitle: format!("kernel load in one NUMA domain; fitted to {} cores", seen.join(", ")),
        },
        x: Axis {
            label: "cores".to_owned(),
            scale: Scale::Linear(first.iter().map(|(cores, _)| *cores).collect()),
        },
        y: "bandwidth (GB/s)".to_owned(),
        lines: std::iter::once(measured).chain(predicted).collect(),
    }
}

/// The number in "7 cores".
fn cores(point: &Point) -> f64 {
    point.name.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// The points of all sets of a method as one series.
fn together<'j>(judged: impl Iterator<Item = &'j Judged>, name: impl Fn(&Judged) -> String) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for one in judged {
        let name = name(one);
        let points = one.points.iter().map(|point| scatter::Point {
            name: if one.part == Part::Scaling {
                format!("{} {}", one.set.split(['_', '-']).next().unwrap_or_default(), point.name)
            } else {
                point.name.clone()
            },
            measured: point.measured,
            predicted: point.predicted,
            interval: None,
        });
        if let Some(series) = all.iter_mut().find(|series| series.name == name) {
            series.points.extend(points);
        } else {
            let points = points.collect();
            all.push(Series { name, points });
        }
    }
    all
}

/// Letters, digits and hyphens of a name.
fn file_name(set: &str) -> String {
    let clean = set.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' });
    clean.collect::<String>().replace("--", "-")
}
