//! The analysis of an answer: gains from more resources, and tolerated errors of inputs.

use crate::data_words;
use crate::scenario::FractionsObject;
use numasim_draw::figures;
use numasim_model::{App, AppId, NodeId};
use numasim_sim::sensitivity::{
    ERRORS, Figure, LARGEST_FACTOR, Range, SMALLEST_FACTOR, Sensitivity, Step, Switch, Widening,
};
use numasim_sim::{Candidate, Objective, Problem};
use serde::Serialize;

use crate::document::{ByName, plain};
use crate::numbers;
use crate::table::Of;

/// The unit of gains; `p` for a fraction.
pub fn gain_unit(problem: &Problem) -> &'static str {
    match problem.goal().objective() {
        Objective::Fair | Objective::Geomean => "p",
        objective => objective.unit(),
    }
}

/// The added step, as a stable word.
pub const fn step(step: Step) -> &'static str {
    match step {
        Step::GigabytePerSecond => "+1 GB/s",
        Step::Core => "+1 core",
        Step::Percent => "+1 %",
    }
}

/// The answer under changed values.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SensitivityObject<'a> {
    /// Whether the analysis is complete.
    complete: bool,
    /// The unit of gains.
    gain_unit: &'static str,
    /// The smallest and the largest factor tried.
    factors: [f64; 2],
    /// Number of allocations that the best is compared with.
    compared_with: u64,
    /// A better allocation found during the analysis.
    better: Option<PlacedObject<'a>>,
    /// Gains from more resources.
    widening: Vec<WideningObject<'a>>,
    /// Errors of inputs at which another allocation wins.
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

/// A placement of the applications.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlacedObject<'a> {
    /// The objective, in its unit.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    value: f64,
    /// The applications.
    apps: Vec<PlacedApp<'a>>,
}

/// One application.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlacedApp<'a> {
    /// Its name.
    name: &'a str,
    /// Threads on each node.
    threads: Vec<u32>,
    /// Home node of its data, if all its data is on one node.
    home: Option<usize>,
    /// Fractions of its data on each node, if the data is divided in this way.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<FractionsObject<'a>>,
}

impl<'a> PlacedObject<'a> {
    fn new(candidate: &'a Candidate, problem: &'a Problem) -> Self {
        let apps = problem.apps().iter().zip(&candidate.placements).enumerate();
        let apps = apps.map(|(a, (app, placement))| PlacedApp {
            name: &app.name,
            threads: app.smt.threads(candidate.allocation.row(AppId(a))),
            home: placement.home().map(|home| home.0),
            data: FractionsObject::of(placement),
        });
        Self { value: plain(problem.goal().value(candidate.score)), apps: apps.collect() }
    }
}

/// Key in the input files, unit, and the objects with the value.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FigureObject<'a> {
    /// Key in the input files.
    key: &'static str,
    /// Its unit.
    unit: &'static str,
    /// The nodes with the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<usize>>,
    /// The links with the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<Pair>>,
    /// The applications with the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    apps: Option<Vec<&'a str>>,
}

/// A link.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Pair {
    /// The node of the cores.
    from: usize,
    /// The node of the memory.
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
            | Figure::DomainBandwidths(nodes)
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

/// Gains in the unit of the objective (`gain_unit`), null if the constraints forbid any use.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WideningObject<'a> {
    #[serde(flatten)]
    figure: FigureObject<'a>,
    /// Whether all of them are increased together.
    together: bool,
    /// The value in the files.
    value: f64,
    /// The added step.
    step: &'static str,
    /// Gain from the step.
    gain: Option<f64>,
    /// Gain if threads may move.
    gain_threads_moved: Option<f64>,
    /// Gain from 10 % more.
    gain_10_percent: Option<f64>,
    /// The applications that use it.
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

/// `low` and `high` in the unit of the input (null if several values change together) and as factors; null if no known allocation wins.
/// `lost` maps an error (`-0.2`) to the fraction of the objective that is lost.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct InputObject<'a> {
    #[serde(flatten)]
    figure: FigureObject<'a>,
    /// The value in the files; null if there are several different ones.
    value: Option<f64>,
    /// The smallest of them.
    smallest: f64,
    /// The largest of them.
    largest: f64,
    /// Limit below which another allocation wins.
    low: Option<f64>,
    /// Limit above which another allocation wins.
    high: Option<f64>,
    /// The limit as a factor.
    low_factor: Option<f64>,
    /// The limit as a factor.
    high_factor: Option<f64>,
    /// The allocation that wins below.
    low_winner: Option<PlacedObject<'a>>,
    /// The allocation that wins above.
    high_winner: Option<PlacedObject<'a>>,
    /// The fraction of the objective that the best loses if the input is wrong by this much.
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

/// A number with four significant digits and no trailing zeros.
pub fn rounded(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return figures::short(value);
    }
    let scale = 10_f64.powf(3.0 - value.abs().log10().floor());
    figures::short((value * scale).round() / scale)
}

/// A gain.
fn signed(gain: f64) -> String {
    let sign = if gain > 0.0 { "+" } else { "" };
    format!("{sign}{}", rounded(gain))
}

/// A resource, or an input.
#[derive(Clone, Copy, Debug)]
pub enum Row<'v> {
    /// A resource that may be increased.
    Widening(&'v Widening),
    /// An input that may be wrong.
    Input(&'v Range),
}

impl<'v> Row<'v> {
    fn figure(self) -> &'v Figure {
        match self {
            Self::Widening(one) => &one.figure,
            Self::Input(range) => &range.figure,
        }
    }

    /// The resource.
    pub fn widening(self) -> Option<&'v Widening> {
        if let Self::Widening(one) = self { Some(one) } else { None }
    }

    fn input(self) -> Option<&'v Range> {
        if let Self::Input(range) = self { Some(range) } else { None }
    }

    /// Its smallest and its largest value.
    fn value(self) -> (f64, f64) {
        match self {
            Self::Widening(one) => (one.value, one.value),
            Self::Input(range) => range.value,
        }
    }

    /// The rows of the CSV, instead of those of the allocations, because one CSV file can contain only one table.
    pub fn all(found: &'v Sensitivity) -> impl Iterator<Item = Self> {
        found.widening.iter().map(Row::Widening).chain(found.ranges.iter().map(Row::Input))
    }

    /// The columns of both kinds, with the same meaning as the keys of the JSON; columns of the other kind are empty.
    pub fn columns(problem: &'v Problem) -> Vec<Of<'v, Self>> {
        let apps = problem.apps();
        let objective = problem.goal().objective().as_str();
        let unit = gain_unit(problem);
        let users = |one: &Widening| {
            one.used_by.iter().map(|app| apps[app.0].name.as_str()).collect::<Vec<_>>().join(" or ")
        };
        let gain = |name, title: &str, of: fn(&Widening) -> Option<f64>| {
            Of::number(name, move |row: &Row| row.widening().and_then(of)).titled(title).written(signed)
        };
        let mut columns = vec![
            Of::text("kind", |row: &Row| if row.widening().is_some() { "widening" } else { "input" }),
            Of::text("figure", move |row: &Row| name(row.figure(), apps, "->")),
            Of::text("key", |row: &Row| row.figure().key().to_owned()),
            Of::text("unit", |row: &Row| row.figure().unit().to_owned()),
            Of::whole("count", |row: &Row| row.figure().count()),
            Of::number("smallest", |row: &Row| row.value().0),
            Of::number("largest", |row: &Row| row.value().1),
            Of::text("step", |row: &Row| row.widening().map(|one| step(one.step))).right(),
            Of::text("gain_unit", move |row: &Row| row.widening().map(|_| unit)),
            gain("gain", &format!("gain, {unit}"), |one| one.gain),
            gain("gain_threads_moved", "threads\nmoved", |one| one.gain_moved),
            gain("gain_10_percent", "10 %\nwider", |one| one.gain_10_percent),
            Of::text("used_by", move |row: &Row| row.widening().map(users)),
        ];
        columns.extend(Self::end(problem, ["low", "low_factor", "low_winner"], |range| range.below.as_ref()));
        columns
            .extend(Self::end(problem, ["high", "high_factor", "high_winner"], |range| range.above.as_ref()));
        let lost = [
            "lost_at_minus_20_percent",
            "lost_at_minus_10_percent",
            "lost_at_plus_10_percent",
            "lost_at_plus_20_percent",
        ];
        columns.extend(
            lost.into_iter()
                .enumerate()
                .map(|(i, name)| Of::number(name, move |row: &Row| row.input().map(|range| range.lost[i]))),
        );
        columns.push(Of::text("objective", move |_: &Row| objective));
        columns
    }

    /// The point at which another allocation becomes the best, at one end of the range of an input.
    fn end(
        problem: &'v Problem,
        names: [&'static str; 3],
        switch: fn(&Range) -> Option<&Switch>,
    ) -> [Of<'v, Self>; 3] {
        let place = move |range: &Range| {
            let (smallest, largest) = range.value;
            switch(range).filter(|_| smallest == largest).map(|switch| smallest * switch.factor)
        };
        let of = move |row: &Row<'v>| row.input().and_then(switch);
        let [value, factor, winner] = names;
        [
            Of::number(value, move |row: &Row| row.input().and_then(place)),
            Of::number(factor, move |row: &Row<'v>| of(row).map(|switch| switch.factor)),
            Of::text(winner, move |row: &Row<'v>| {
                of(row).map(|switch| winner_in_words(&switch.winner, problem.apps()))
            }),
        ]
    }
}

/// `mem: 1 1 1 2; index: 4 0 (data on 0)`, every application.
fn winner_in_words(candidate: &Candidate, apps: &[App]) -> String {
    let apps = apps.iter().zip(&candidate.placements).enumerate();
    let words = apps.map(|(a, (app, placement))| {
        let row = app.smt.threads(candidate.allocation.row(AppId(a)));
        let threads = row.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let home = data_words::chosen(placement).map_or(String::new(), |lies| format!(" ({lies})"));
        format!("{}: {threads}{home}", app.name)
    });
    words.collect::<Vec<_>>().join("; ")
}

/// `memory of nodes 0-3`, `link 1→0`, `AI of mem`.
pub fn name(figure: &Figure, apps: &[App], arrow: &str) -> String {
    match figure {
        Figure::Controllers(nodes) => format!("memory of {}", of_nodes(nodes)),
        Figure::Links(links) => of_links(links, arrow),
        Figure::Peaks(nodes) => format!("core peak, {}", of_nodes(nodes)),
        Figure::CoreBandwidths(nodes) => format!("core bandwidth, {}", of_nodes(nodes)),
        Figure::DomainBandwidths(nodes) => format!("L3 domains, {}", of_nodes(nodes)),
        Figure::Cores(nodes) => format!("cores of {}", of_nodes(nodes)),
        Figure::Intensities(ids) => format!("AI of {}", of_apps(ids, apps)),
        Figure::Work(ids) => format!("work of {}", of_apps(ids, apps)),
    }
}

fn sorted(nodes: impl Iterator<Item = NodeId>) -> Vec<usize> {
    let mut numbers: Vec<usize> = nodes.map(|node| node.0).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn of_nodes(nodes: &[NodeId]) -> String {
    figures::nodes(&sorted(nodes.iter().copied()))
}

/// Inputs belong to an `[[app]]` table, however many instances it has.
fn of_apps(ids: &[AppId], apps: &[App]) -> String {
    ids.first().and_then(|app| apps.get(app.0)).map_or(String::new(), |app| app.group.clone())
}

fn of_links(links: &[(NodeId, NodeId)], arrow: &str) -> String {
    // A link may be listed both alone and together with all others.
    let mut links = links.to_vec();
    links.sort_unstable();
    links.dedup();
    let from = sorted(links.iter().map(|link| link.0));
    let to = sorted(links.iter().map(|link| link.1));
    match links.as_slice() {
        [(from, to)] => format!("link {}{arrow}{}", from.0, to.0),
        _ if to.len() == 1 => format!("links {}{arrow}{}", figures::ranges(&from), to[0]),
        _ if from.len() == 1 => format!("links {}{arrow}{}", from[0], figures::ranges(&to)),
        _ => format!("{} links", links.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn four_digits_are_enough_for_a_gain() {
        assert_eq!(
            [0.5, 9.512_34, 0.000_123_456, 1234.56, 0.0].map(rounded),
            ["0.5", "9.512", "0.0001235", "1235", "0"]
        );
    }
}
