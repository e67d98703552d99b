//! The analysis of an answer for programs: gains of wider resources, and how wrong inputs may be.

use numasim_model::AppId;
use numasim_sim::sensitivity::{
    ERRORS, Figure, LARGEST_FACTOR, Range, SMALLEST_FACTOR, Sensitivity, Step, Switch, Widening,
};
use numasim_sim::{Candidate, Objective, Problem};
use serde::Serialize;

use crate::document::{ByName, plain};
use crate::numbers;
#[cfg(feature = "schema")]
use crate::schema::OrNull;

/// The unit of gains; `p` for a fraction.
pub fn gain_unit(problem: &Problem) -> &'static str {
    match problem.goal().objective() {
        Objective::Fair | Objective::Geomean => "p",
        objective => objective.unit(),
    }
}

/// What is added, as a stable word.
pub const fn step(step: Step) -> &'static str {
    match step {
        Step::GigabytePerSecond => "+1 GB/s",
        Step::Core => "+1 core",
        Step::Percent => "+1 %",
    }
}

/// The answer under changed figures.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "Sensitivity")
)]
pub(crate) struct SensitivityObject<'a> {
    /// Nothing is missing.
    complete: bool,
    /// The unit of gains.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    gain_unit: &'static str,
    /// The smallest and the largest factor that was tried.
    factors: [f64; 2],
    /// Allocations that the best is compared with.
    compared_with: u64,
    /// A better allocation that was found on the way.
    #[cfg_attr(feature = "schema", schemars(with = "OrNull<PlacedObject>"))]
    better: Option<PlacedObject<'a>>,
    /// What wider resources are worth.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ByName<serde_json::Value>>"))]
    widening: Vec<WideningObject<'a>>,
    /// How wrong inputs may be before another allocation wins.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ByName<serde_json::Value>>"))]
    inputs: Vec<InputObject<'a>>,
}

impl<'a> SensitivityObject<'a> {
    pub(crate) fn new(found: &'a Sensitivity, problem: &'a Problem) -> Self {
        Self {
            complete: found.widening_left + found.ranges_left == 0,
            gain_unit: gain_unit(problem),
            factors: [SMALLEST_FACTOR, LARGEST_FACTOR],
            compared_with: found.rivals as u64,
            better: found.better.as_ref().map(|better| PlacedObject::new(better, problem)),
            widening: found.widening.iter().map(|one| WideningObject::new(one, problem)).collect(),
            inputs: found.ranges.iter().map(|range| InputObject::new(range, problem)).collect(),
        }
    }
}

/// Who runs where.
#[derive(Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "Placed")
)]
struct PlacedObject<'a> {
    /// The objective, in its unit.
    #[cfg_attr(feature = "schema", schemars(with = "OrNull<f64>"))]
    value: f64,
    /// The applications.
    apps: Vec<PlacedApp<'a>>,
}

/// One application.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct PlacedApp<'a> {
    /// Its name.
    name: &'a str,
    /// Threads on each node.
    threads: &'a [u32],
    /// The node of its data, where all of it is on one.
    #[cfg_attr(feature = "schema", schemars(with = "OrNull<u64>"))]
    home: Option<usize>,
}

impl<'a> PlacedObject<'a> {
    fn new(candidate: &'a Candidate, problem: &'a Problem) -> Self {
        let apps = problem.apps().iter().zip(&candidate.placements).enumerate();
        let apps = apps.map(|(a, (app, placement))| PlacedApp {
            name: &app.name,
            threads: candidate.allocation.row(AppId(a)),
            home: placement.home().map(|home| home.0),
        });
        Self { value: plain(problem.goal().value(candidate.score)), apps: apps.collect() }
    }
}

/// Key of the input files, unit, and what has the figure.
#[derive(Serialize)]
struct FigureObject<'a> {
    key: &'static str,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<Pair>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apps: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
struct Pair {
    from: usize,
    to: usize,
}

impl<'a> FigureObject<'a> {
    fn new(figure: &Figure, problem: &'a Problem) -> Self {
        let mut object =
            Self { key: figure.key(), unit: figure.unit(), nodes: None, links: None, apps: None };
        match figure {
            Figure::Controllers(nodes)
            | Figure::Peaks(nodes)
            | Figure::CoreBandwidths(nodes)
            | Figure::Cores(nodes) => object.nodes = Some(numbers(nodes)),
            Figure::Links(links) => {
                object.links = Some(links.iter().map(|(from, to)| Pair { from: from.0, to: to.0 }).collect());
            }
            Figure::Intensities(apps) | Figure::Work(apps) => object.apps = Some(named(apps, problem)),
        }
        object
    }
}

fn named<'a>(apps: &[AppId], problem: &'a Problem) -> Vec<&'a str> {
    apps.iter().map(|app| problem.apps()[app.0].name.as_str()).collect()
}

/// Gains in the unit of the objective (`gain_unit`), null where the restrictions forbid any use.
#[derive(Serialize)]
struct WideningObject<'a> {
    #[serde(flatten)]
    figure: FigureObject<'a>,
    together: bool,
    value: f64,
    step: &'static str,
    gain: Option<f64>,
    gain_threads_moved: Option<f64>,
    gain_10_percent: Option<f64>,
    used_by: Vec<&'a str>,
}

impl<'a> WideningObject<'a> {
    fn new(one: &Widening, problem: &'a Problem) -> Self {
        Self {
            figure: FigureObject::new(&one.figure, problem),
            together: one.together,
            value: plain(one.value),
            step: step(one.step),
            gain: one.gain.map(plain),
            gain_threads_moved: one.gain_moved.map(plain),
            gain_10_percent: one.gain_10_percent.map(plain),
            used_by: named(&one.used_by, problem),
        }
    }
}

/// `low` and `high` in the unit of the input (null where several values change together) and as factors; null where no known allocation
/// wins. `lost` maps an error (`-0.2`) to the part of the objective that is lost.
#[derive(Serialize)]
struct InputObject<'a> {
    #[serde(flatten)]
    figure: FigureObject<'a>,
    value: Option<f64>,
    smallest: f64,
    largest: f64,
    low: Option<f64>,
    high: Option<f64>,
    low_factor: Option<f64>,
    high_factor: Option<f64>,
    low_winner: Option<PlacedObject<'a>>,
    high_winner: Option<PlacedObject<'a>>,
    lost: ByName<f64>,
}

impl<'a> InputObject<'a> {
    fn new(range: &'a Range, problem: &'a Problem) -> Self {
        let (smallest, largest) = range.value;
        let factor = |switch: &Option<Switch>| switch.as_ref().map(|switch| switch.factor);
        let single = (smallest == largest).then_some(smallest);
        let end = |switch: &Option<Switch>| Some(plain(single? * factor(switch)?));
        let winner = |switch: &'a Option<Switch>| {
            switch.as_ref().map(|switch| PlacedObject::new(&switch.winner, problem))
        };
        let lost = ERRORS.iter().zip(range.lost).map(|(error, lost)| (error.to_string(), plain(lost)));
        Self {
            figure: FigureObject::new(&range.figure, problem),
            value: single.map(plain),
            smallest: plain(smallest),
            largest: plain(largest),
            low: end(&range.below),
            high: end(&range.above),
            low_factor: factor(&range.below).map(plain),
            high_factor: factor(&range.above).map(plain),
            low_winner: winner(&range.below),
            high_winner: winner(&range.above),
            lost: ByName(lost.collect()),
        }
    }
}
