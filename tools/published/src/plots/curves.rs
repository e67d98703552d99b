//! Every curve of bandwidth over cores in a separate small panel, with the recommended model, the paper's rule and no sharing.

use crate::sets::scaling::Method;
use crate::sets::{Judged, NO_SHARING, Part, Point, Role, summary};
use numasim_draw::Heading;
use numasim_draw::facets::{CurveGrid, CurvePanel, CurveRow};
use numasim_draw::{Kind, Named};

use super::{cores, each_once};

/// The drawn curves: their names in the legend and how to identify them, lowest layer first.
const SERIES: [(&str, Kind); 3] = [
    ("no sharing", Kind::Null(0)),
    ("the paper's rule", Kind::Model(1)),
    ("ecm, recommended", Kind::Model(0)),
];

fn is(one: &Judged, series: usize) -> bool {
    match series {
        0 => one.model == NO_SHARING,
        1 => one.variant == Method::Hard.variant(),
        _ => one.variant == Method::RECOMMENDED.variant(),
    }
}

/// One plot for each role of machines, with the name of its file.
pub(super) fn grids(judged: &[Judged]) -> Vec<(String, CurveGrid)> {
    let of = |(role, file, title): (Role, &str, &str)| {
        let own: Vec<&Judged> =
            judged.iter().filter(|one| one.part == Part::Scaling && one.role == role).collect();
        (!own.is_empty()).then(|| (file.to_owned(), grid(&own, title)))
    };
    let roles = [
        (Role::Tests, "scaling-tests.svg", "Bandwidth over cores: machines that chose nothing"),
        (Role::Chose, "scaling-chose.svg", "Bandwidth over cores: machines that chose prior and settings *"),
        (Role::Given, "scaling.svg", "Bandwidth over cores"),
    ];
    roles.into_iter().filter_map(of).collect()
}

fn grid(judged: &[&Judged], title: &str) -> CurveGrid {
    let kernels = each_once(judged.iter().map(|one| one.traffic.as_str()));
    let row = |set: &str| CurveRow {
        name: set.replace('_', " "),
        panels: kernels.iter().map(|kernel| panel(judged, set, kernel)).collect(),
    };
    let sets = each_once(judged.iter().map(|one| one.set.as_str()));
    CurveGrid {
        heading: Heading {
            title: title.to_owned(),
            subtitle:
                "one NUMA domain; figures: mean / worst absolute error of the points that were not fitted (%)"
                    .to_owned(),
        },
        titles: ["cores".to_owned(), "bandwidth (GB/s)".to_owned()],
        points: ["measured, fitted by ecm".to_owned(), "measured, predicted".to_owned()],
        series: SERIES.iter().map(|&(name, kind)| Named { name: name.to_owned(), kind }).collect(),
        rows: sets.into_iter().map(row).collect(),
        columns: kernels.iter().map(|&kernel| kernel.to_owned()).collect(),
    }
}

fn panel(judged: &[&Judged], set: &str, kernel: &str) -> Option<CurvePanel> {
    let own: Vec<&Judged> =
        judged.iter().copied().filter(|one| one.set == set && one.traffic == kernel).collect();
    let found = |series: usize| own.iter().copied().find(|one| is(one, series));
    let measured = |points: &[Point]| points.iter().map(|point| (cores(point), point.measured)).collect();
    let recommended = found(SERIES.len() - 1)?;
    let curve = |one: Option<&Judged>| {
        let points = one.into_iter().flat_map(|one| one.points.iter().chain(&one.fitted));
        // Without readers there is nothing to read.
        let mut curve: Vec<(f64, f64)> =
            points.map(|point| (cores(point), point.predicted)).chain([(0.0, 0.0)]).collect();
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        curve
    };
    let note = |series: usize| {
        let summary = found(series).filter(|_| series > 0).and_then(|one| summary(&one.points));
        summary.map_or_else(String::new, |one| format!("{:.1} / {:.1}", 100.0 * one.mean, 100.0 * one.worst))
    };
    Some(CurvePanel {
        fitted: measured(&recommended.fitted),
        others: measured(&recommended.points),
        curves: (0..SERIES.len()).map(|series| curve(found(series))).collect(),
        notes: (0..SERIES.len()).map(note).collect(),
    })
}
