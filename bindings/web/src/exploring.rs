//! The best placement, searched for.

use numasim_ask::explored::{Explored, RatedView, WhyUnproven};
use numasim_ask::{ScenarioView, intervals, limits};
use numasim_model::evaluation::Options;
use numasim_model::{Evaluation, Study};
use numasim_sim::baselines::{Baseline, distinct};
use numasim_sim::intervals::{Draws, Interval, Prediction, Rival, Rivals};
use numasim_sim::search::{ExploreError, Outcome, Settings, explore_to_the_end};
use numasim_sim::sweep::Task;
use numasim_sim::{Candidate, Objective, Problem, ProblemError, Restrictions, search};
use serde::Serialize;
use serde_json::Value;

use crate::outside::{Outside, Watch, placed};
use crate::question::{Question, Search};
use crate::study::{asked, in_words};
use numasim_ask::refusal::failed;

/// What the page shows of a search.
#[derive(Serialize)]
struct Answer<'a> {
    /// What `numasim explore --format json` writes.
    document: Explored<'a>,
    /// Threads and homes of best, alternatives and baselines, in their order in the document, each with its name.
    placed: Vec<Value>,
    warnings: Vec<String>,
}

/// An allocation with what becomes of it.
struct Rated {
    name: String,
    candidate: Candidate,
    evaluation: Evaluation,
    value: f64,
}

impl Rated {
    /// The search itself never divides work beforehand.
    fn new(problem: &Problem, name: String, candidate: Candidate, static_work: bool) -> Result<Self, String> {
        let (evaluation, value) =
            problem.evaluated(&candidate, static_work).map_err(|error| in_words(failed(&name, &error)))?;
        Ok(Self { name, candidate, evaluation, value })
    }

    fn view<'a>(
        &'a self,
        study: &'a Study,
        intervals: Option<&'a Prediction>,
        rival: Option<&'a Rival>,
    ) -> RatedView<'a> {
        let Candidate { allocation, placements, .. } = &self.candidate;
        let scenario = ScenarioView {
            name: &self.name,
            machine: &study.machine,
            apps: &study.apps,
            allocation,
            placements,
            evaluation: &self.evaluation,
            intervals,
        };
        RatedView { scenario, value: self.value, rival }
    }

    /// For the page: to be shown.
    fn placed(&self, static_work: bool) -> Value {
        let mut placed = placed(&self.candidate);
        placed["name"] = self.name.as_str().into();
        placed["static_work"] = static_work.into();
        placed
    }
}

/// What the answer is worth where figures of the machine are uncertain.
#[derive(Default)]
struct Uncertain {
    of_best: Option<Prediction>,
    value: Option<(Draws, Interval)>,
    rivals: Vec<Rival>,
}

/// Searches for the best placement.
///
/// # Errors
/// What is wrong, as the command line says it.
pub fn explore(question: &str, outside: &dyn Outside) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let asked = asked(&question, Task::Explore)?;
    let (study, mut warnings, wanted) = (asked.input.study, asked.warnings, &question.search);
    let watch = Watch::start(outside, time_limit(wanted)?);
    let problem = Problem::new(&study.machine, &study.apps, objective(wanted)?, restrictions(wanted))
        .map_err(|error| refused(&error))?;
    let top = limits::alternatives(wanted.top).map_err(|why| format!("error: {why}\n"))?;
    let settings = Settings { top, seed: wanted.seed, ..Settings::default() };
    let baselines = distinct(problem.baselines(&study.scenarios, &watch));
    // Time that somebody gives is there to be used.
    let search = if wanted.time_limit_s.is_some() { explore_to_the_end } else { search::explore };
    let outcome = search(&problem, &settings, &watch).map_err(|error| without_answer(&error))?;
    let out_of_time = watch.is_out_of_time().then_some(WhyUnproven::TimeLimit);
    let unproven = WhyUnproven::of(&outcome, &problem, out_of_time);
    let Outcome { best, bound, gap, alternatives, alternatives_complete, .. } = outcome;
    let rated = |name: String, candidate: Candidate, static_work: bool| {
        Rated::new(&problem, name, candidate, static_work)
    };
    let best = rated("best".to_owned(), best, false)?;
    let alternatives = alternatives.into_iter().enumerate();
    let alternatives: Vec<Rated> = alternatives
        .map(|(i, one)| rated(format!("alternative {}", i + 1), one, false))
        .collect::<Result<_, _>>()?;
    let compared: Vec<(Rated, Option<String>, bool)> = baselines
        .into_iter()
        .map(|Baseline { name, candidate, breaks, static_work }| {
            Ok((rated(name, candidate, static_work)?, breaks, static_work))
        })
        .collect::<Result<_, String>>()?;
    let others = || alternatives.iter().chain(compared.iter().map(|(one, ..)| one));
    let candidates: Vec<&Candidate> = others().map(|one| &one.candidate).collect();
    let uncertain = uncertain(&study, &problem, &best.candidate, &candidates, &mut warnings)?;
    let cautions = problem.cautions(&best.candidate.allocation, &best.evaluation);
    let rival = |i: usize| uncertain.rivals.get(i);
    let document = Explored {
        effort: None,
        study: &study,
        problem: &problem,
        seed: settings.seed,
        cautions: &cautions,
        best: best.view(&study, uncertain.of_best.as_ref(), None),
        bound,
        gap,
        unproven,
        elapsed_s: watch.elapsed_s(),
        alternatives: alternatives
            .iter()
            .enumerate()
            .map(|(i, one)| one.view(&study, None, rival(i)))
            .collect(),
        alternatives_complete,
        baselines: compared
            .iter()
            .enumerate()
            .map(|(i, (one, breaks, _))| {
                (one.view(&study, None, rival(alternatives.len() + i)), breaks.as_deref())
            })
            .collect(),
        uncertainty: uncertain.value.as_ref().map(|(draws, value)| (draws, *value)),
        further: Vec::new(),
        sensitivity: None,
    };
    let found = std::iter::once(&best).chain(&alternatives).map(|one| one.placed(false));
    let placed = found.chain(compared.iter().map(|(one, _, static_work)| one.placed(*static_work))).collect();
    serde_json::to_string(&Answer { document, placed, warnings })
        .map_err(|error| format!("fault of numasim: {error}\n"))
}

fn time_limit(wanted: &Search) -> Result<Option<f64>, String> {
    match wanted.time_limit_s {
        Some(seconds) if !(seconds.is_finite() && seconds >= 0.0) => {
            Err(format!("error: the time limit is a number of seconds, 0 or more, not {seconds}\n"))
        }
        limit => Ok(limit),
    }
}

fn objective(wanted: &Search) -> Result<Objective, String> {
    let found = Objective::ALL.into_iter().find(|one| one.name() == wanted.objective);
    found.ok_or_else(|| {
        let known = Objective::ALL.map(Objective::name).join(", ");
        format!("error: there is no objective '{}'; there is: {known}\n", wanted.objective)
    })
}

fn restrictions(wanted: &Search) -> Restrictions {
    Restrictions {
        same_on_every_node: wanted.same_on_every_node,
        whole_nodes: wanted.whole_nodes,
        min_threads_per_node: wanted.min_threads_per_node,
        no_idle_cores: wanted.no_idle_cores,
    }
}

/// Why a question cannot be asked.
fn refused(error: &ProblemError) -> String {
    match error {
        ProblemError::NoApps => "error: there is no [[app]] in the files: nothing to place\n".to_owned(),
        ProblemError::Infeasible(why) => format!("error: no allocation is possible: {why}\n"),
        other => format!("error: {other}\n"),
    }
}

fn without_answer(error: &ExploreError) -> String {
    match error {
        ExploreError::Infeasible(why) => format!("error: no allocation is possible: {why}\n"),
        ExploreError::NothingFound => format!("error: {error}\n"),
        ExploreError::Fault(forbidden) => format!("fault of numasim: {forbidden}\n"),
    }
}

/// The intervals of the best, and who cannot be told from it.
fn uncertain(
    study: &Study,
    problem: &Problem,
    best: &Candidate,
    others: &[&Candidate],
    warnings: &mut Vec<String>,
) -> Result<Uncertain, String> {
    let of_one = intervals::figures_of(study, &best.placements);
    // The best is evaluated in full and compared.
    let draws = match intervals::draws(study, of_one.saturating_mul(others.len() as u64 + 2)) {
        Ok(Some(draws)) => draws,
        Ok(None) => return Ok(Uncertain::default()),
        Err(warning) => {
            warnings.push(warning);
            return Ok(Uncertain::default());
        }
    };
    let Candidate { allocation, placements, .. } = best;
    let of_best = draws
        .predict(&study.apps, placements, allocation, Options::default())
        .map_err(|error| in_words(failed("best", &error)))?;
    let Some(Rivals { best: value, others: rivals }) = draws.rivals(problem, best, others) else {
        return Ok(Uncertain::default());
    };
    Ok(Uncertain { of_best, value: Some((draws, value)), rivals })
}
