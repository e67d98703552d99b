//! Errors of models and null models on every set, and their points.

use crate::sets::scaling::Method;
use crate::sets::{
    EQUAL_PARTS, INTERPOLATION, Judged, MEASURED_AGAIN, NO_SHARING, ONE_MEMORY, Part, Role, Summary, summary,
};
use numasim_draw::Heading;
use numasim_draw::dots::{Dot, DotPlot, Group, Row};
use numasim_draw::facets::{Cloud, CloudGrid};
use numasim_draw::{Kind, Named};
use numasim_model::ModelKind;

use super::each_once;

/// The methods, null models first, so that models are drawn above them.
const SERIES: [(&str, Kind); 7] = [
    ("no sharing", Kind::Null(0)),
    ("equal parts", Kind::Null(1)),
    ("one memory", Kind::Null(2)),
    ("interpolation", Kind::Null(3)),
    ("the paper's rule", Kind::Model(1)),
    ("ecm, recommended", Kind::Model(0)),
    ("measured again", Kind::Again),
];
/// Factors beyond this one are drawn at the border.
const MOST: f64 = 4.0;

/// Short names of the questions, for row headings.
const QUESTIONS: [(Part, &str); 13] = [
    (Part::Scaling, "Bandwidth over cores of one NUMA domain, by kernel"),
    (Part::Links, "Over a link, Kunpeng 920"),
    (Part::Readers, "Several nodes read one memory, 4-socket Opteron"),
    (Part::TableIii, "The paper's Table III"),
    (Part::CoRun, "Local and remote readers of one HBM, Xeon Max"),
    (Part::Domains, "Domains: fitted to one of them"),
    (Part::Chiplets, "Chiplets of a node"),
    (Part::Intensity, "By intensity alone, no fit"),
    (Part::Interleave, "Interleaved memories"),
    (Part::Home, "All threads on one memory"),
    (Part::Pair, "Unlike applications on one memory"),
    (Part::Memories, "Local and remote threads on memories"),
    (Part::Latency, "Loaded latency (no sharing: idle latency)"),
];

/// Whether a method belongs to a series; among several variants of a model, the one without a fit or as advised.
fn is(one: &Judged, series: usize) -> bool {
    let variant = one.variant.as_str();
    match series {
        0 => one.model == NO_SHARING,
        1 => one.model == EQUAL_PARTS,
        2 => one.model == ONE_MEMORY,
        3 => one.model == INTERPOLATION,
        4 => {
            one.model == ModelKind::default().as_str()
                && [Method::Hard.variant(), "no fit", "as the paper"].contains(&variant)
        }
        5 => {
            one.model == Method::RECOMMENDED.kind().as_str()
                && [Method::RECOMMENDED.variant(), "as advised"].contains(&variant)
        }
        _ => one.model == MEASURED_AGAIN,
    }
}

fn named() -> Vec<Named> {
    SERIES.iter().map(|&(name, kind)| Named { name: name.to_owned(), kind }).collect()
}

/// Mean and maximum errors, one row for each set.
pub(super) fn dots(judged: &[&Judged], title: &str) -> DotPlot {
    let groups = QUESTIONS.iter().filter_map(|&(part, name)| {
        let own: Vec<&Judged> = judged.iter().copied().filter(|one| one.part == part).collect();
        (!own.is_empty()).then(|| Group { name: name.to_owned(), rows: rows(part, &own) })
    });
    let mut groups: Vec<Group> = groups.collect();
    // A legend of the drawn series.
    let is_there =
        |series: usize| groups.iter().flat_map(|group| &group.rows).any(|row| row.dots[series].is_some());
    let there: Vec<bool> = (0..SERIES.len()).map(is_there).collect();
    for row in groups.iter_mut().flat_map(|group| &mut group.rows) {
        let mut which = there.iter();
        row.dots.retain(|_| which.next().copied().unwrap_or_default());
    }
    DotPlot {
        heading: Heading {
            title: title.to_owned(),
            subtitle: "points that no fit used; * : errors of this set chose something; of null models the mean alone"
                .to_owned(),
        },
        label: "absolute error, mean and worst (% of the measured value)".to_owned(),
        series: named().into_iter().zip(there).filter_map(|(one, there)| there.then_some(one)).collect(),
        ends: "mean to worst".to_owned(),
        groups,
    }
}

/// Curves over cores: a row for each kernel and role; others: one for each set.
fn rows(part: Part, own: &[&Judged]) -> Vec<Row> {
    let key = |one: &Judged| {
        let name = match (part, one.role) {
            (Part::Scaling, Role::Tests) => format!("{}, machines that test", one.traffic),
            (Part::Scaling, Role::Chose) => format!("{}, machines that chose", one.traffic),
            (Part::Scaling, Role::Given) => one.traffic.clone(),
            _ => one.set.replace("4-socket Opteron, ", "").replace("2 x Xeon Max 9462, ", ""),
        };
        if one.role == Role::Chose { name + " *" } else { name }
    };
    let mut names: Vec<String> = Vec::new();
    let mut by_role: Vec<&&Judged> = own.iter().collect();
    by_role.sort_by_key(|one| one.role != Role::Tests);
    for one in if part == Part::Scaling { by_role } else { own.iter().collect() } {
        let name = key(one);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let row = |name: String| {
        let of = |series: usize| -> Option<Summary> {
            let alike = own.iter().filter(|one| key(one) == name && is(one, series));
            summary(alike.flat_map(|one| &one.points))
        };
        let dot = |series| of(series).map(|one| Dot { mean: 100.0 * one.mean, worst: 100.0 * one.worst });
        Row { dots: (0..SERIES.len()).map(dot).collect(), name }
    };
    names.into_iter().map(row).collect()
}

/// Predicted over measured, a panel for each set.
pub(super) fn clouds(judged: &[&Judged], title: &str) -> CloudGrid {
    let shown = SERIES.len() - 1;
    let cloud = |part: Part, set: &str| {
        let own = || judged.iter().filter(move |one| one.part == part && one.set == set);
        let unit = own().next().map_or("", |one| if one.unit == "x" { "speed-up" } else { one.unit });
        let by = if part == Part::Intensity { "by intensity: " } else { "" };
        let points = |series: usize| {
            let alike = own().filter(|one| is(one, series)).flat_map(|one| &one.points);
            alike.map(|point| (point.measured, point.predicted / point.measured)).collect()
        };
        Cloud { name: format!("{by}{set}"), unit: unit.to_owned(), points: (0..shown).map(points).collect() }
    };
    // Some sets answer two questions.
    let sets = each_once(judged.iter().map(|one| (one.part, one.set.as_str())));
    CloudGrid {
        heading: Heading {
            title: title.to_owned(),
            subtitle: format!(
                "points that no fit used; 1: as measured, above: predicted as faster than it is; beyond a factor of {MOST} at the border"
            ),
        },
        titles: ["measured, in the unit of each panel".to_owned(), "predicted / measured".to_owned()],
        series: named().into_iter().take(shown).collect(),
        band: (0.1, "within 10 %".to_owned()),
        most: MOST,
        clouds: sets.into_iter().map(|(part, set)| cloud(part, set)).collect(),
    }
}
