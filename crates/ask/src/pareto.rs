//! Pareto: the cost of one objective in terms of another, as allocations of which none is better in one objective without being worse in the other.

use crate::data_words;
use std::collections::BTreeSet;
use std::sync::Arc;

use numasim_course::Study;
use numasim_draw::scatter::{FrontPlot, Mark};
use numasim_draw::{Heading, figures};
use numasim_model::{App, AppId, OpenData, Placement, Smt, evaluate};
use numasim_sim::baselines::BUILT_IN_BASELINES;
use numasim_sim::pareto::{End, Settings, Stages, TradeOff, TradeOffError, front};
use numasim_sim::{Candidate, Caution, Objective, Restrictions};
use serde::Serialize;

use crate::caution::{self, CautionObject};
use crate::document::{ByName, StudyHead, plain, written_as};
use crate::explore::{Clock, refused, smt_is_open, without_answer};
use crate::explored::{ObjectiveWord, StatusWord, UnprovenWord, WhyUnproven, hopeless, status_of};
use crate::input::Input;
use crate::intervals::figures_of;
use crate::refusal::{Refusal, impossible};
use crate::scenario::{ScenarioObject, study_with};
use crate::table::Of;
use crate::wording::{PERCENT, common_unit, relative, value_scale, value_title, weighted};
use crate::{EvaluatedScenario, warning};

/// A question to [`pareto`].
#[derive(Clone, Copy, Debug)]
pub struct Pareto<'a> {
    /// The files.
    pub input: &'a Input,
    /// Two different objectives.
    pub objectives: [Objective; 2],
    /// Constraints on the allocation.
    pub restrictions: Restrictions,
    /// Seed of the random restarts for the ends.
    pub seed: u64,
    /// On a very large machine: limit on the number of values, and so on the number of points, in answers that become text.
    pub most_figures: Option<u64>,
}

impl<'a> Pareto<'a> {
    /// Total GFLOPS against the smallest fraction of stand-alone GFLOPS of an application.
    pub fn new(input: &'a Input) -> Self {
        Self {
            input,
            objectives: [Objective::TotalGflops, Objective::Fair],
            restrictions: Restrictions::default(),
            seed: Settings::default().seed,
            most_figures: None,
        }
    }
}

/// An allocation with its values for both objectives.
#[derive(Clone, Debug)]
pub struct Point {
    /// The allocation and its evaluation; named `point 1`, or after a baseline.
    pub scenario: EvaluatedScenario,
    /// Value of each objective.
    pub values: [f64; 2],
}

/// A baseline that needs no search, compared with the front.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The allocation.
    pub point: Point,
    /// The points that are better in one objective and not worse in the other.
    pub beaten_by: Vec<usize>,
    /// The point with the same values.
    pub same_as: Option<usize>,
    /// The constraint that it violates, if any.
    pub breaks: Option<String>,
}

/// The front and its comparison with the baselines.
#[derive(Clone, Debug)]
pub struct Front {
    /// The study that was searched.
    pub study: Arc<Study>,
    /// The question.
    pub question: TradeOff,
    /// Seed of the random restarts.
    pub seed: u64,
    /// From the best for the first objective to the best for the second; never empty.
    pub points: Vec<Point>,
    /// The points in a table: evenly spread.
    pub shown: Vec<usize>,
    /// The point with the smallest loss in both objectives.
    pub knee: Option<usize>,
    /// Proof state of both ends.
    pub ends: [End; 2],
    /// Allocations that were compared.
    pub compared: u64,
    /// `None` if every allocation was compared.
    pub unproven: Option<WhyUnproven>,
    /// Time of the search, in seconds.
    pub elapsed_s: f64,
    /// Baselines that need no search.
    pub baselines: Vec<Compared>,
}

/// A table shows at most this number of points.
const MOST_ROWS: usize = 16;

/// The front between two objectives. `stages` receives each part of the search as it begins, and can stop it.
///
/// ```
/// use numasim_ask::{Input, Pareto, pareto};
/// use numasim_sim::search::Unattended;
///
/// let input = Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?;
/// let front = pareto(&Pareto::new(&input), &Unattended, &Unattended)?;
/// let [first, last] = [front.points.first(), front.points.last()].map(|point| point.unwrap().values);
/// assert!(first[0] >= last[0] && first[1] <= last[1]);
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// The question is wrong, no allocation satisfies all constraints, or none was found in time.
pub fn pareto(question: &Pareto<'_>, clock: &dyn Clock, stages: &dyn Stages) -> Result<Front, Refusal> {
    let Input { study, located, .. } = question.input;
    let trade_off = TradeOff::new(&study.machine, &study.apps, question.objectives, question.restrictions);
    let trade_off = trade_off.map_err(|error| match error {
        TradeOffError::SameObjective(_) => Refusal::said(error.to_string()),
        TradeOffError::Problem(error) => located.refused(study, &error).unwrap_or_else(|| refused(error)),
    })?;
    if trade_off.problems()[0].has_open_smt() {
        return Err(smt_is_open("pareto"));
    }
    let settings = Settings { seed: question.seed, ..Settings::default() };
    let found = front(&trade_off, &study.scenarios, &settings, stages);
    clock.finish();
    let mut found = found.map_err(|error| without_answer(error, &trade_off.problems()[0]))?;
    if let Some(most) = question.most_figures {
        let of_one = figures_of(study, found.points.iter().flat_map(|point| &point.placements));
        let most = usize::try_from(most / of_one.max(1)).unwrap_or(usize::MAX);
        let kept: BTreeSet<usize> = found.spread(most).into_iter().collect();
        let mut number = 0..;
        found.points.retain(|_| number.next().is_some_and(|number| kept.contains(&number)));
    }
    let (knee, shown) = (found.knee(), found.spread(MOST_ROWS));
    let evaluated = |name: String, values, allocation, placements: Vec<Placement>, smt: &[Smt]| {
        let study = study_with(study, smt);
        let evaluation = evaluate(&study.machine, &study.apps, &placements, &allocation)
            .map_err(|error| impossible(&error))?;
        let (intervals, explanation) = (None, None);
        let scenario =
            EvaluatedScenario { study, name, allocation, placements, evaluation, intervals, explanation };
        Ok::<_, Refusal>(Point { scenario, values })
    };
    let points = found.points.into_iter().enumerate();
    let points: Vec<Point> = points
        .map(|(i, p)| evaluated(format!("point {}", i + 1), p.values, p.allocation, p.placements, &[]))
        .collect::<Result<_, _>>()?;
    let mut baselines: Vec<Compared> = Vec::new();
    for baseline in found.baselines {
        let Candidate { allocation, placements, smt, .. } = baseline.candidate;
        let values = trade_off.with_smt(&smt).values(&allocation, &placements);
        let point = evaluated(baseline.name, values, allocation, placements, &smt)?;
        let beaten_by = (0..points.len()).filter(|&i| trade_off.beats(points[i].values, values)).collect();
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * b.abs();
        let same_as = points.iter().position(|point| (0..2).all(|i| close(point.values[i], values[i])));
        // A scenario in the files may have the same name and values as a built-in baseline.
        let same = |other: &Compared| {
            let (other, this) = (&other.point.scenario, &point.scenario);
            (&other.name, &other.allocation, &other.placements)
                == (&this.name, &this.allocation, &this.placements)
        };
        // Scenarios have different names, so only the built-in baselines, which come first, can be duplicates.
        if !baselines.iter().take(BUILT_IN_BASELINES).any(same) {
            baselines.push(Compared { point, beaten_by, same_as, breaks: baseline.breaks });
        }
    }
    Ok(Front {
        study: Arc::clone(study),
        question: trade_off,
        seed: question.seed,
        points,
        shown,
        knee,
        ends: found.ends,
        compared: found.compared,
        unproven: (!found.complete).then(|| clock.ended_by().unwrap_or(WhyUnproven::TooLarge)),
        elapsed_s: clock.elapsed_s(),
        baselines,
    })
}

/// A row of the table of a front: a point or a baseline.
#[derive(Clone, Copy, Debug)]
pub enum Row<'v> {
    /// A point, by its number from 0.
    Point(usize, &'v Point),
    /// A baseline.
    Baseline(&'v Compared),
}

impl<'v> Row<'v> {
    /// Its allocation.
    pub const fn point(&self) -> &'v Point {
        match self {
            Self::Point(_, point) => point,
            Self::Baseline(baseline) => &baseline.point,
        }
    }
}

impl Front {
    /// The two objectives.
    pub fn objectives(&self) -> [Objective; 2] {
        self.question.problems().each_ref().map(|problem| problem.goal().objective())
    }

    /// Cautions about the point at an end. They omit applications with few threads, which the front shows anyway.
    pub fn cautions(&self, end: usize) -> Vec<Caution> {
        let point = if end == 0 { self.points.first() } else { self.points.last() };
        let problem = &self.question.problems()[end];
        let all = point.map(|point| problem.cautions(&point.scenario.allocation, &point.scenario.evaluation));
        let kept = |one: &Caution| !matches!(one, Caution::FewestThreads { .. });
        all.unwrap_or_default().into_iter().filter(kept).collect()
    }

    /// The objectives for which a point is the best.
    pub fn best_for(&self, point: usize) -> Vec<&'static str> {
        let at_end = [point == 0, point + 1 == self.points.len()];
        self.objectives().into_iter().zip(at_end).filter(|(_, at)| *at).map(|(o, _)| o.as_str()).collect()
    }

    /// The smallest GFLOPS / GFLOPS alone of all applications.
    pub fn smallest_p(&self, point: &Point) -> f64 {
        let alone = self.question.problems()[0].goal().alone();
        let gflops = point.scenario.evaluation.apps.iter().map(|app| app.gflops.value());
        gflops.zip(alone).map(|(g, a)| if *a > 0.0 { g / a } else { 0.0 }).fold(f64::INFINITY, f64::min)
    }

    /// Remarks about how far the values can be trusted, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let warnings = |point: &Point| warning::summary(&point.scenario.evaluation.warnings);
        let points: Vec<usize> = (0..self.points.len())
            .filter(|&i| !self.points[i].scenario.evaluation.warnings.is_empty())
            .collect();
        let numbers: Vec<usize> = points.iter().map(|i| i + 1).collect();
        let nodes = points.first().and_then(|&i| warnings(&self.points[i]));
        let front = match (numbers.as_slice(), nodes) {
            ([only], Some(nodes)) => Some(format!("point {only}: {nodes}")),
            (all, Some(_)) => {
                let among = format!("points {} of {}", figures::ranges(all), self.points.len());
                Some(format!("{among}: remote reads starve the threads of some nodes."))
            }
            _ => None,
        };
        let baselines = self.baselines.iter().filter_map(|baseline| {
            let summary = warnings(&baseline.point)?;
            Some(format!("baseline '{}': {summary}", baseline.point.scenario.name))
        });
        let mut notes: Vec<String> = front.into_iter().chain(baselines).collect();
        if let Some(first) = notes.first_mut() {
            first.push(' ');
            first.push_str(warning::RULE);
        }
        notes.extend(self.question.problems().iter().flat_map(hopeless));
        notes
    }

    /// The rows of the table: the points, then the baselines.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let points = self.points.iter().enumerate().map(|(i, point)| Row::Point(i, point));
        points.chain(self.baselines.iter().map(Row::Baseline))
    }

    /// The value columns, and the further columns of every allocation.
    pub fn value_columns(&self) -> Vec<Of<'_, Row<'_>>> {
        let goals = self.question.problems().each_ref().map(numasim_sim::Problem::goal);
        let mut columns: Vec<Of<Row>> = (0..2)
            .map(|i| {
                let objective = goals[i].objective();
                let title =
                    format!("{}\n{}", objective.as_str(), value_title(objective, weighted(&self.study.apps)));
                Of::number(objective.as_str(), move |row: &Row| row.point().values[i])
                    .titled(title)
                    .scaled(value_scale(objective))
                    .rounded()
            })
            .collect();
        let has = |objective| goals.iter().any(|goal| goal.objective() == objective);
        columns.push(
            Of::number("total_gflops", |row: &Row| row.point().scenario.evaluation.total.value())
                .titled("total\nGFLOPS")
                .rounded()
                .only_if(
                    (!has(Objective::TotalGflops) || weighted(&self.study.apps))
                        && common_unit(&self.study.apps).is_none_or(|unit| unit == "GFLOPS"),
                ),
        );
        columns.push(
            Of::number("smallest_p", |row: &Row| self.smallest_p(row.point()))
                .titled(value_title(Objective::Fair, false))
                .scaled(PERCENT)
                .rounded()
                .only_if(!has(Objective::Fair)),
        );
        columns
    }

    /// The columns of its CSV.
    pub fn columns(&self) -> Vec<Of<'_, Row<'_>>> {
        let status = status_of(self.unproven);
        // For a point, the objectives that it is the best for; for a baseline, the constraint that it violates.
        let mark = |row: &Row| match row {
            Row::Point(i, _) => {
                let best = self.best_for(*i).into_iter().map(|objective| format!("best for {objective}"));
                let knee = (self.knee == Some(*i)).then(|| "knee".to_owned());
                Some(best.chain(knee).collect::<Vec<_>>().join("; "))
            }
            Row::Baseline(baseline) => {
                baseline.breaks.as_ref().map(|why| format!("breaks a constraint: {why}"))
            }
        };
        let beaten_by = |row: &Row| match row {
            Row::Point(..) => None,
            Row::Baseline(baseline) => {
                let numbers: Vec<String> = baseline.beaten_by.iter().map(|i| (i + 1).to_string()).collect();
                Some(numbers.join(" "))
            }
        };
        let is_point = |row: &Row| matches!(row, Row::Point(..));
        let mut columns = vec![
            Of::text("role", move |row: &Row| if is_point(row) { "point" } else { "baseline" }),
            Of::text("name", |row: &Row| row.point().scenario.name.clone()),
            Of::text("status", move |row: &Row| if is_point(row) { status } else { "" }),
            Of::text("mark", mark),
            // Points that are better in one objective and not worse in the other.
            Of::text("beaten_by", beaten_by),
        ];
        columns.extend(self.value_columns());
        let each = || self.study.apps.iter().enumerate();
        columns.extend(each().map(|(a, app)| {
            let gflops = move |row: &Row| row.point().scenario.evaluation.apps[a].gflops.value();
            Of::number(if app.rate_unit.is_some() { "rate" } else { "gflops" }, gflops).each(&app.name)
        }));
        columns.extend(each().map(|(a, app)| {
            let threads = move |row: &Row| row.point().scenario.view().threads(AppId(a));
            Of::per_node("threads", threads).each(&app.name)
        }));
        columns.extend(each().filter_map(|(a, app)| {
            let home = move |row: &Row| row.point().scenario.evaluation.apps[a].home.map(|home| home.0);
            let fractions = move |row: &Row| {
                data_words::fractions(&row.point().scenario.placements[a]).unwrap_or_default()
            };
            let column = match app.data.open()? {
                OpenData::Home => Of::whole("home", home),
                OpenData::Fractions => Of::text("fractions", fractions),
            };
            Some(column.each(&app.name))
        }));
        columns
    }
}

// The front as a picture.

impl Front {
    /// The front as a picture: the first objective to the right, the second upwards.
    pub fn plot(&self) -> FrontPlot {
        let names = self.objectives().map(Objective::as_str);
        let coverage = if self.unproven.is_none() {
            "every placement was compared".to_owned()
        } else {
            let proven = self.ends.map(|end| end.proven);
            match proven {
                [true, true] => "both ends proven, in between the best found".to_owned(),
                [true, false] => format!("best {} proven, the others the best found", names[0]),
                [false, true] => format!("best {} proven, the others the best found", names[1]),
                [false, false] => "the best found".to_owned(),
            }
        };
        let mut marks: Vec<Mark> = Vec::new();
        let last = self.points.len() - 1;
        for (point, text) in [
            (Some(0), format!("best {}", if last == 0 { names.join(" and ") } else { names[0].to_owned() })),
            (Some(last), format!("best {}", names[1])),
            (self.knee, "knee".to_owned()),
        ] {
            if let Some(point) = point.filter(|&i| i != 0 || marks.is_empty()) {
                marks.push(Mark { at: self.points[point].values, text, on_front: true });
            }
        }
        let allowed = self.baselines.iter().filter(|baseline| baseline.breaks.is_none());
        let from = marks.len();
        for baseline in allowed {
            let (at, name) = (baseline.point.values, &baseline.point.scenario.name);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
            let same = |mark: &&mut Mark| close(mark.at[0], at[0]) && close(mark.at[1], at[1]);
            match marks.iter_mut().skip(from).find(same) {
                Some(mark) => mark.text = format!("{}, {name}", mark.text),
                None => marks.push(Mark { at, text: name.clone(), on_front: false }),
            }
        }
        FrontPlot {
            heading: Heading {
                title: format!("What does a better value of {} cost in {}?", names[1], names[0]),
                subtitle: format!(
                    "{coverage}; model {}; {}",
                    self.study.machine.sharing().name(),
                    self.study.machine.name()
                ),
            },
            labels: self.objectives().map(|objective| axis(objective, &self.study.apps)),
            smaller_is_better: self.objectives().map(|objective| objective == Objective::Makespan),
            points: self.points.iter().map(|point| point.values).collect(),
            marks,
        }
    }
}

fn axis(objective: Objective, apps: &[App]) -> String {
    match objective {
        Objective::TotalGflops if weighted(apps) => "total-gflops (weighted GFLOPS)".to_owned(),
        Objective::TotalGflops => "total-gflops (GFLOPS)".to_owned(),
        Objective::Fair => format!("fair (smallest p = {})", relative(apps)),
        Objective::Geomean => format!("geomean (mean p, p = {})", relative(apps)),
        Objective::Makespan => "makespan (s)".to_owned(),
    }
}

written_as!(Front => FrontObject);

/// Cost of one objective in terms of another.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FrontObject<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// The front.
    pareto: Body<'a>,
    /// Time of the search, in seconds.
    elapsed_s: f64,
    /// Constraints on the allocation, in words.
    restrictions: Vec<String>,
    /// Seed of the random restarts.
    seed: u64,
    /// Maximum GFLOPS of each application alone on the machine under its own constraints.
    alone_gflops: ByName<f64>,
}

/// The front.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Body<'a> {
    /// Both objectives.
    objectives: [ObjectiveWord; 2],
    /// Whether every allocation was compared.
    complete: bool,
    /// The reason why not; null if the front is complete.
    incomplete: Option<UnprovenWord>,
    /// Allocations that were compared.
    compared: u64,
    /// The best for each objective alone.
    ends: Vec<EndObject<'a>>,
    /// From the best for the first objective to the best for the second.
    points: Vec<PointObject<'a>>,
    /// Baselines that need no search, and the scenarios in the files.
    baselines: Vec<ComparedObject<'a>>,
}

/// Proof state of the best for one objective.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct EndObject<'a> {
    /// The objective.
    objective: ObjectiveWord,
    /// Whether its value is proven to be the best.
    status: StatusWord,
    /// Cautions about the value.
    cautions: Vec<CautionObject<'a>>,
    /// The value, in the unit of the objective.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    value: f64,
    /// Bound on the value of every allocation; null if the search was stopped before it had a bound.
    bound: Option<f64>,
    /// |bound - value| / |bound|.
    gap: Option<f64>,
}

/// An allocation with its values for both objectives.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ValuesObject<'a> {
    #[serde(flatten)]
    scenario: ScenarioObject<'a>,
    /// The value of each objective, in its unit.
    #[cfg_attr(feature = "schema", schemars(with = "ByName<Option<f64>>"))]
    values: ByName<f64>,
    /// The smallest GFLOPS / GFLOPS alone of all applications.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    smallest_p: f64,
}

impl<'a> ValuesObject<'a> {
    fn new(front: &Front, point: &'a Point) -> Self {
        let values = front.objectives().into_iter().zip(point.values);
        Self {
            scenario: (&point.scenario.view()).into(),
            values: ByName(values.map(|(one, value)| (one.as_str().to_owned(), plain(value))).collect()),
            smallest_p: plain(front.smallest_p(point)),
        }
    }
}

/// A point of the front.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PointObject<'a> {
    #[serde(flatten)]
    rated: ValuesObject<'a>,
    /// Whether it is proven that no allocation beats it.
    status: StatusWord,
    /// The objectives for which it is the best.
    best_for: Vec<&'static str>,
    /// Whether it has the smallest loss in both objectives.
    knee: bool,
}

/// A baseline that needs no search.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ComparedObject<'a> {
    #[serde(flatten)]
    rated: ValuesObject<'a>,
    /// The points that are better in one objective and not worse in the other.
    beaten_by: Vec<&'a str>,
    /// The point with the same values.
    same_as: Option<&'a str>,
    /// The constraint that it violates, if any.
    breaks: Option<&'a str>,
}

impl<'a> From<&'a Front> for FrontObject<'a> {
    fn from(front: &'a Front) -> Self {
        let Front { study, unproven, .. } = front;
        let problem = &front.question.problems()[0];
        let named = |i: usize| front.points[i].scenario.name.as_str();
        let ends =
            front.ends.iter().zip(front.objectives()).enumerate().map(|(i, (end, objective))| EndObject {
                objective: ObjectiveWord(objective.as_str()),
                status: StatusWord(if end.proven { "optimal" } else { "feasible" }),
                cautions: front.cautions(i).iter().map(|one| caution::object(one, &study.apps)).collect(),
                value: plain(end.value),
                bound: end.bound.map(plain),
                gap: end.gap().map(plain),
            });
        let points = front.points.iter().enumerate().map(|(i, point)| PointObject {
            rated: ValuesObject::new(front, point),
            status: StatusWord(status_of(*unproven)),
            best_for: front.best_for(i),
            knee: front.knee == Some(i),
        });
        let baselines = front.baselines.iter().map(|baseline| ComparedObject {
            rated: ValuesObject::new(front, &baseline.point),
            beaten_by: baseline.beaten_by.iter().map(|&i| named(i)).collect(),
            same_as: baseline.same_as.map(named),
            breaks: baseline.breaks.as_deref(),
        });
        let alone = study.apps.iter().zip(problem.goal().alone());
        Self {
            head: StudyHead::of("explore", &study.machine),
            pareto: Body {
                objectives: front.objectives().map(|objective| ObjectiveWord(objective.as_str())),
                complete: unproven.is_none(),
                incomplete: unproven.map(|why| UnprovenWord(why.as_str())),
                compared: front.compared,
                ends: ends.collect(),
                points: points.collect(),
                baselines: baselines.collect(),
            },
            elapsed_s: plain(front.elapsed_s),
            restrictions: problem.restrictions().describe(&study.apps),
            seed: front.seed,
            alone_gflops: ByName(alone.map(|(app, &alone)| (app.name.clone(), plain(alone))).collect()),
        }
    }
}
