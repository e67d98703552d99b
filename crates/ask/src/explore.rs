//! Explore: the best placement, the allocations that it is compared with, and how certain it is.

use std::sync::Arc;
use std::time::Duration;

use numasim_course::Study;
use numasim_draw::figures;
use numasim_model::Scenario;
use numasim_model::evaluation::Options;
use numasim_sim::baselines::{Baseline, distinct};
use numasim_sim::intervals::Rivals;
use numasim_sim::objective::GoalError;
use numasim_sim::search::over_models::{LeftOut, ModelList, Models, ModelsError, Shared, losses};
use numasim_sim::search::{
    ExploreError, History, Outcome, PART_OF_FEWEST, PART_OF_SIMPLEST, Settings, explore as search,
    explore_to_the_end, fewest_beside, simplest_beside,
};
use numasim_sim::sensitivity::analyse;
use numasim_sim::{Candidate, Caution, Infeasible, Objective, Problem, ProblemError, Restrictions, cautions};

use crate::evaluate::can_be_shown;
use crate::explored::{Explored, Fewest, Rated, Robust, Simple, WhyUnproven};
use crate::input::Input;
use crate::intervals::{self, figures_of};
use crate::refusal::{Explained, Refusal, impossible};
use crate::scenario::study_with;
use crate::{EvaluatedScenario, room};

/// The outside world of a search: its clock, the source of interruptions, and the receiver of progress reports.
pub trait Clock: Shared {
    /// Seconds since the start.
    fn elapsed_s(&self) -> f64;
    /// The time limit. A given time limit is used in full: the search continues until it is reached or everything is proven.
    fn limit(&self) -> Option<Duration>;
    /// The reason why the search was stopped, if it was.
    fn ended_by(&self) -> Option<WhyUnproven>;
    /// Reserves `time` of the limit, but at most half of the limit, for work after the search.
    fn keep_back(&self, time: Duration);
    /// A clock that starts now, for another search with a separate limit.
    fn another(&self, limit: Option<Duration>) -> Box<dyn Clock + '_>;
    /// The search is over: no further progress is reported.
    fn finish(&self) {}
}

/// A search without a limit or a measured time: it takes 0 s.
impl Clock for numasim_sim::search::Unattended {
    fn elapsed_s(&self) -> f64 {
        0.0
    }

    fn limit(&self) -> Option<Duration> {
        None
    }

    fn ended_by(&self) -> Option<WhyUnproven> {
        None
    }

    fn keep_back(&self, _: Duration) {}

    fn another(&self, _: Option<Duration>) -> Box<dyn Clock + '_> {
        Box::new(Self)
    }
}

/// A question to [`explore`].
#[derive(Clone, Copy, Debug)]
pub struct Explore<'a> {
    /// The files.
    pub input: &'a Input,
    /// The objective.
    pub objective: Objective,
    /// Constraints on the allocation.
    pub restrictions: Restrictions,
    /// Number of alternatives.
    pub top: usize,
    /// Seed of the random restarts.
    pub seed: u64,
    /// Requests the placement that is good whichever of these models is correct.
    pub models: Option<&'a ModelList>,
    /// Requests the simplest placement that loses at most this share of the best.
    pub simple: Option<f64>,
    /// Requests the placement with the fewest threads that loses at most this share of the best.
    pub fewest: Option<f64>,
    /// Requests gains from more resources, and tolerated errors of inputs.
    pub sensitivity: bool,
    /// Computes intervals if values of the machine are uncertain.
    pub intervals: bool,
    /// Whether the verdict reports a large loss of the best under another model; with `models` this is omitted.
    pub doubt: bool,
    /// Maximum number of values in answers that become text. Scenarios beyond it are rejected, and fewer alternatives are shown.
    pub most_figures: Option<u64>,
}

impl<'a> Explore<'a> {
    /// The default objective, with the alternatives of the command line, and with intervals.
    pub fn new(input: &'a Input) -> Self {
        let settings = Settings::default();
        Self {
            input,
            objective: Objective::default(),
            restrictions: Restrictions::default(),
            top: settings.top,
            seed: settings.seed,
            models: None,
            simple: None,
            fewest: None,
            sensitivity: false,
            intervals: true,
            doubt: true,
            most_figures: None,
        }
    }

    const fn doubts_models(&self) -> bool {
        self.doubt && self.models.is_none()
    }

    /// Whether to look for fewer threads that are almost as good: only for a single application, unless `--fewest-threads` already
    /// requests them.
    fn may_have_almost(&self) -> bool {
        let study = &self.input.study;
        study.apps.len() == 1 && study.machine.total_cores() <= MOST_CORES_OF_ALMOST && self.fewest.is_none()
    }

    /// Number of alternatives that are shown, which is lower for very large questions.
    fn most_alternatives(&self) -> Result<usize, Refusal> {
        let Some(most) = self.most_figures else { return Ok(self.top) };
        let study = &self.input.study;
        let scenarios: Vec<&Scenario> = study.scenarios.iter().collect();
        can_be_shown(study, &scenarios, 1, most)?;
        let of_one = figures_of(study, study.apps.iter().filter_map(|app| app.data.placement()));
        let most = usize::try_from(MOST_FIGURES_OF_ALTERNATIVES / of_one.max(1)).unwrap_or(usize::MAX);
        Ok(self.top.min(most))
    }
}

/// Maximum number of values of all alternatives together. On 1024 nodes this allows several alternatives, unless applications are spread
/// over the nodes.
const MOST_FIGURES_OF_ALTERNATIVES: u64 = 1_000_000;
/// Fewer threads of a single application are almost as good if they lose at most this share. They are mentioned if they are at most three
/// quarters of the threads of the best.
const ALMOST: f64 = 0.05;
/// Maximum number of cores of a machine for this search.
const MOST_CORES_OF_ALMOST: u64 = 1_024;
/// One part in this number of the time limit is reserved for other models.
const PART_OF_DOUBT: u32 = 20;
/// One part in this number of the time limit is reserved for fewer threads that are almost as good.
const PART_OF_ALMOST: u32 = 20;
/// One part in this number of the time limit is reserved for the sensitivity.
const PART_OF_SENSITIVITY: u32 = 4;

/// The problem of a question.
///
/// # Errors
/// There is nothing to search, or no allocation satisfies all constraints; the error contains the location if the cause is in the files.
pub fn problem(input: &Input, objective: Objective, restrictions: Restrictions) -> Result<Problem, Refusal> {
    let study = &input.study;
    Problem::new(&study.machine, &study.apps, objective, restrictions)
        .map_err(|error| input.located.refused(study, &error).unwrap_or_else(|| refused(error)))
}

/// The best placement, alternatives and baselines, and the further requested results. It runs on the threads of the caller (`rayon`, if
/// the feature `parallel` of `numasim-sim` is enabled).
///
/// ```
/// use numasim_ask::{Explore, Input, explore};
/// use numasim_sim::search::Unattended;
///
/// let input = Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?;
/// let answer = explore(&Explore::new(&input), &Unattended)?;
/// assert!(answer.unproven.is_none(), "nothing is better");
/// let even = answer.baselines.iter().find(|baseline| baseline.rated.scenario.name == "even").unwrap();
/// assert!(answer.best.value >= even.rated.value);
/// // What `numasim explore --format json` writes.
/// assert!(numasim_ask::document::text(&answer).contains(r#""status":"optimal""#));
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// The question is wrong, no allocation satisfies all constraints, or none was found in time.
pub fn explore(question: &Explore<'_>, clock: &dyn Clock) -> Result<Explored, Refusal> {
    let study = &question.input.study;
    let problem = problem(question.input, question.objective, question.restrictions)?;
    if problem.has_open_smt() {
        smt_is_decided(question)?;
    }
    let settings =
        Settings { top: question.most_alternatives()?, seed: question.seed, ..Settings::default() };
    // Baselines come before the search, because a search that takes all the time would leave none for them.
    let baselines = distinct(problem.baselines(&study.scenarios, clock));
    let before = clock.elapsed_s();
    let baselines = baselines.into_iter().map(|Baseline { name, candidate, breaks, static_work }| {
        Ok(crate::explored::Baseline { rated: rated(study, &problem, name, candidate, static_work)?, breaks })
    });
    let baselines: Vec<_> = baselines.collect::<Result<_, Refusal>>()?;
    let took = Duration::try_from_secs_f64(clock.elapsed_s() - before).unwrap_or_default();
    let kept =
        |asked: bool, part: u32| clock.limit().filter(|_| asked).map_or(Duration::ZERO, |limit| limit / part);
    let of_others = kept(question.simple.is_some(), PART_OF_SIMPLEST)
        + kept(question.fewest.is_some(), PART_OF_FEWEST)
        + kept(question.sensitivity, PART_OF_SENSITIVITY)
        + kept(question.may_have_almost(), PART_OF_ALMOST)
        + kept(question.doubts_models(), PART_OF_DOUBT);
    clock.keep_back(after_the_search(took, baselines.len(), settings.top) + of_others);
    let timed = clock.limit().is_some();
    let problem = problem.starting_from(baselines.iter().map(|one| one.rated.candidate.clone()));
    let search = if timed { explore_to_the_end } else { search };
    let models = question.models.map(|list| Models::new(study.machine.sharing().kind, list));
    let elapsed_s = || clock.elapsed_s();
    let history = History::new(clock, &elapsed_s);
    let outcome = match &models {
        None => search(&problem, &settings, &history),
        Some(models) => search(&problem, &settings, &models.first_share(clock)),
    };
    let outcome = outcome.map_err(|error| {
        clock.finish();
        without_answer(error, &problem)
    })?;
    let (problem, asked) = (problem.with_smt(&outcome.best.smt), problem);
    let unproven = WhyUnproven::of(&outcome, &problem, clock.ended_by());
    let of_first = models.is_some().then(|| outcome.clone());
    let Outcome { best, bound, gap, levels, alternatives, alternatives_complete, .. } = outcome;
    let alternatives = alternatives.into_iter().enumerate();
    let alternatives = alternatives
        .map(|(i, candidate)| rated(study, &problem, format!("alternative {}", i + 1), candidate, false));
    let alternatives = alternatives.collect::<Result<_, _>>()?;
    let best = rated(study, &problem, "best".to_owned(), best, false)?;
    let mut answer = Explored {
        study: Arc::clone(study),
        seed: settings.seed,
        cautions: problem.cautions(&best.candidate.allocation, &best.scenario.evaluation),
        best,
        bound,
        gap,
        levels,
        unproven,
        effort: history.spent().filter(|_| unproven.is_some() && !timed),
        elapsed_s: clock.elapsed_s(),
        alternatives,
        alternatives_complete,
        baselines,
        robust: None,
        simple: None,
        fewest: None,
        saturated: Vec::new(),
        almost: None,
        sensitivity: None,
        uncertainty: None,
        warnings: Vec::new(),
        problem,
    };
    if let Some((models, outcome)) = models.zip(of_first) {
        answer.add_robust(&models, &outcome, &settings, clock)?;
    }
    clock.finish();
    if question.doubts_models() {
        answer.add_doubt(&asked, clock);
    }
    if let Some(within) = question.simple {
        answer.add_simple(within, &settings, clock)?;
    }
    if let Some(within) = question.fewest {
        answer.add_fewest(&asked, within, &settings, clock)?;
    }
    answer.add_saturation(&asked, &settings, question.may_have_almost(), clock)?;
    if question.intervals {
        answer.add_intervals()?;
    }
    if question.sensitivity {
        let left = clock.limit().map(|limit| {
            let spent = Duration::try_from_secs_f64(clock.elapsed_s()).unwrap_or_default();
            limit.saturating_sub(spent).max(limit / PART_OF_SENSITIVITY)
        });
        answer.add_sensitivity(&*clock.another(left))?;
    }
    Ok(answer)
}

impl Explored {
    /// Adds the placement that is good whichever model is correct.
    fn add_robust(
        &mut self,
        models: &Models,
        outcome: &Outcome,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> Result<(), Refusal> {
        let problem = &self.problem;
        let bests = models.search(problem, outcome, settings, clock, clock.limit().is_some());
        let bests = bests.map_err(|error| match error {
            ModelsError::Problem(error) => refused(error).hint("leave it out of --models"),
            ModelsError::Search(error) => without_answer(error, problem),
        })?;
        let left_out = bests.left_out().iter();
        self.warnings.extend(left_out.map(|LeftOut { reason, .. }| format!("left out: {reason}")));
        // Baselines with static scheduling are excluded: their values are not comparable with those of the search.
        let baselines = self.baselines.iter().map(|one| &one.rated);
        let shared = baselines.filter(|rated| !rated.scenario.evaluation.static_work);
        let shared = shared.map(|rated| (rated.scenario.name.as_str(), &rated.candidate));
        let over = bests.robust(shared, clock).map_err(|error| without_answer(error, problem))?;
        let best = rated(&self.study, problem, "robust".to_owned(), over.found.best.clone(), false)?;
        self.robust = Some(Robust { over, best, elapsed_s: clock.elapsed_s() });
        Ok(())
    }

    /// Adds a caution if the best loses much under another model.
    fn add_doubt(&mut self, asked: &Problem, clock: &dyn Clock) {
        let own = clock.another(clock.limit().map(|limit| limit / PART_OF_DOUBT));
        let losses = losses(asked, &self.best.candidate, &*own);
        own.finish();
        self.cautions.extend(cautions::of_models(&losses));
    }

    /// Adds the simplest placement that loses at most the share `within` of the best.
    fn add_simple(&mut self, within: f64, settings: &Settings, clock: &dyn Clock) -> Result<(), Refusal> {
        let limit = clock.limit().map(|limit| limit / PART_OF_SIMPLEST);
        let own = clock.another(limit);
        let allowed = self.baselines.iter().filter(|one| one.breaks.is_none()).map(|one| &one.rated);
        let known = self.alternatives.iter().chain(allowed).map(|rated| rated.candidate.clone());
        let known: Vec<Candidate> = known.collect();
        let best = &self.best.candidate;
        let found = simplest_beside(&self.problem, best, &known, within, settings, limit.is_some(), &*own);
        own.finish();
        let found = found.map_err(|forbidden| Refusal::from(&forbidden))?;
        let rated = rated(&self.study, &self.problem, "simple".to_owned(), found.candidate.clone(), false)?;
        let is_best = rated.candidate.allocation == best.allocation;
        self.simple = Some(Simple { rated, found, within, is_best });
        Ok(())
    }

    /// Adds the placement with the fewest threads that loses at most the share `within` of the best. `asked`: the problem with every choice open.
    fn add_fewest(
        &mut self,
        asked: &Problem,
        within: f64,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> Result<(), Refusal> {
        let limit = clock.limit().map(|limit| limit / PART_OF_FEWEST);
        let own = clock.another(limit);
        let found = fewest_beside(asked, &self.best.candidate, within, settings, limit.is_some(), &*own);
        own.finish();
        let mut found = found.map_err(|forbidden| Refusal::from(&forbidden))?;
        // The true best may be better than an unproven one. In that case the loss is not proven.
        found.proven &= self.unproven.is_none();
        let rated = rated(&self.study, &self.problem, "fewest".to_owned(), found.candidate.clone(), false)?;
        let is_best = rated.is_as(&self.best) && rated.candidate.smt == self.best.candidate.smt;
        self.fewest = Some(Fewest { rated, found, within, is_best });
        Ok(())
    }

    /// Adds the nodes on which cores are idle because a resource is full, and the number of threads of a single application that is
    /// almost as good.
    fn add_saturation(
        &mut self,
        asked: &Problem,
        settings: &Settings,
        may_have_almost: bool,
        clock: &dyn Clock,
    ) -> Result<(), Refusal> {
        let (best, evaluation) = (&self.best.candidate, &self.best.scenario.evaluation);
        self.saturated = self.problem.saturated(best, evaluation);
        // If one thread can saturate a whole memory, few threads look better than they are.
        let is_limited = !self.cautions.iter().any(|one| matches!(one, Caution::CoresUnlimited { .. }));
        if is_limited && may_have_almost {
            // A hill climb without proof.
            let climb = Settings { effort: 0, ..*settings };
            let own = clock.another(clock.limit().map(|limit| limit / PART_OF_ALMOST));
            let found = fewest_beside(asked, best, ALMOST, &climb, false, &*own);
            own.finish();
            let found = found.map_err(|forbidden| Refusal::from(&forbidden))?;
            let of_best = asked.threads_of(best);
            self.almost = Some(found).filter(|found| found.threads * 4 <= of_best * 3);
        }
        Ok(())
    }

    /// Adds the intervals of the best, and the allocations that cannot be distinguished from it.
    fn add_intervals(&mut self) -> Result<(), Refusal> {
        let best = &self.best.candidate;
        let all: Vec<&Candidate> = self.others().map(|rated| &rated.candidate).collect();
        // The best is evaluated in full and compared.
        let figures = figures_of(&self.study, &best.placements).saturating_mul(all.len() as u64 + 2);
        let draws = match intervals::draws(&self.study, figures) {
            Ok(Some(draws)) => draws,
            Ok(None) => return Ok(()),
            Err(warning) => {
                self.warnings.push(warning);
                return Ok(());
            }
        };
        let prediction = draws.predict(
            &self.best.scenario.study.apps,
            &best.placements,
            &best.allocation,
            Options::default(),
        );
        let prediction = prediction.map_err(|error| impossible(&error))?;
        let Some(Rivals { best: value, others }) = draws.rivals(&self.problem, best, &all) else {
            return Ok(());
        };
        Arc::make_mut(&mut self.best.scenario).intervals = prediction;
        let baselines = self.baselines.iter_mut().map(|one| &mut one.rated);
        for (rated, rival) in self.alternatives.iter_mut().chain(baselines).zip(others) {
            rated.rival = Some(rival);
        }
        self.uncertainty = Some((draws, value));
        Ok(())
    }

    /// Adds the gains from more resources, and the tolerated errors of inputs.
    fn add_sensitivity(&mut self, clock: &dyn Clock) -> Result<(), Refusal> {
        let others: Vec<Candidate> = self.others().map(|rated| rated.candidate.clone()).collect();
        let found = analyse(&self.problem, &self.best.candidate, &others, clock);
        clock.finish();
        self.sensitivity = Some(found.map_err(|forbidden| Refusal::from(&forbidden))?);
        Ok(())
    }
}

/// Rejects questions that cannot choose between one and both hardware threads of a core.
fn smt_is_decided(question: &Explore<'_>) -> Result<(), Refusal> {
    let asked = [
        ("--models", question.models.is_some()),
        ("--simple", question.simple.is_some()),
        ("--sensitivity", question.sensitivity),
    ];
    let Some((option, _)) = asked.into_iter().find(|(_, asked)| *asked) else { return Ok(()) };
    Err(smt_is_open(option))
}

/// The refusal of `what`, which cannot choose hardware threads of a core.
pub(crate) fn smt_is_open(what: &str) -> Refusal {
    let message =
        format!("{what} does not choose between one and both hardware threads of a core (smt = \"any\")");
    Refusal::said(message)
        .hint("write `smt = \"one\"` or `smt = \"both\"` in the [[app]] tables, as plain explore chooses")
}

/// An allocation with its value. `static_work`: work is scheduled statically, which the search itself never assumes.
fn rated(
    study: &Arc<Study>,
    problem: &Problem,
    name: String,
    candidate: Candidate,
    static_work: bool,
) -> Result<Rated, Refusal> {
    let (evaluation, value) =
        problem.evaluated(&candidate, static_work).map_err(|error| impossible(&error))?;
    let scenario = EvaluatedScenario {
        study: study_with(study, &candidate.smt),
        name,
        allocation: candidate.allocation.clone(),
        placements: candidate.placements.clone(),
        evaluation,
        intervals: None,
        explanation: None,
    };
    Ok(Rated { scenario: Arc::new(scenario), value, candidate, rival: None })
}

/// Work of a search after it is stopped, in evaluations: it rates its allocations, and bounds the open part of the space.
const ENDING: u32 = 5;

/// Approximate time from the stop of a search to the end of the command, if `baselines` evaluations took the time `took`. It covers the
/// end of the search, the evaluation of the best and its alternatives, and their output, each of which takes about as long as its
/// evaluation.
fn after_the_search(took: Duration, baselines: usize, alternatives: usize) -> Duration {
    let (baselines, alternatives) = (clamped(baselines).max(1), clamped(alternatives));
    let found = alternatives.saturating_add(1);
    let evaluations = ENDING.saturating_add(found.saturating_mul(2)).saturating_add(baselines);
    (took / baselines).saturating_mul(evaluations)
}

fn clamped(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Warns that the search does not support static scheduling: scenarios in the files with it are compared as `what`.
pub fn static_work_warning(study: &Study, what: &str) -> Option<String> {
    let mut names = study.scenarios.iter().filter(|one| one.static_work).map(|one| &one.name);
    let first = names.next()?;
    let more = names.count();
    let others =
        if more > 0 { format!(" and {}", figures::count(more as u64, "other")) } else { String::new() };
    Some(format!("scenario '{first}'{others} divides work beforehand (static = true): {what}"))
}

/// The refusal if there is nothing to search, with advice.
pub fn refused(error: ProblemError) -> Refusal {
    match error {
        ProblemError::NoApps => Refusal::said("there is no [[app]] in the files: nothing to place")
            .hint("add a file with applications, for example one of configs/workloads"),
        ProblemError::Goal(error) => {
            let missing = match error {
                GoalError::MissingWork(_) => "add it to their [[app]] tables",
                GoalError::NoWeight => "raise a `weight` in the [[app]] tables",
                GoalError::NoFlop(..) => {
                    return Refusal::said(error.to_string()).hint(
                        "use --objective geomean, or fair, which compare each with its own speed alone",
                    );
                }
            };
            Refusal::said(error.to_string()).hint(format!("{missing}, or choose another --objective"))
        }
        ProblemError::Refused(refusal) => Refusal::said(refusal.to_string()),
        ProblemError::TooManyChoices => Refusal::said(error.to_string())
            .hint("write `smt = \"one\"` or `smt = \"both\"` in some [[app]] tables"),
        error @ (ProblemError::TooLarge { .. } | ProblemError::TooManyLinks { .. }) => {
            Refusal::said(error.to_string())
                .hint("leave out instances or nodes; data that is not interleaved has fewer flows")
        }
        ProblemError::Infeasible(infeasible) => infeasible_refusal(&infeasible),
    }
}

fn infeasible_refusal(infeasible: &Infeasible) -> Refusal {
    let hint = match infeasible {
        Infeasible::OddThreads { .. } => "give it an even number of threads, or `smt = \"one\"`",
        Infeasible::MinThreads { .. } => "lower `min_threads`, or remove applications",
        Infeasible::MinPerNode { .. } | Infeasible::MaxBelowMinPerNode { .. } => {
            "lower --min-threads-per-node, or remove applications"
        }
        Infeasible::WholeNodesMinPerNode { .. } => "use either --whole-nodes or --min-threads-per-node",
        Infeasible::WholeNodesSame { .. } => "use either --whole-nodes or --same-on-every-node",
        Infeasible::TooFewNodes { .. } => {
            "leave out --whole-nodes, lower `min_threads`, or remove applications"
        }
        Infeasible::IdleCores { .. } => "leave out --no-idle-cores, or raise `max_threads`",
        Infeasible::IdleCoresOnUnequalNodes { .. } => "use either --no-idle-cores or --same-on-every-node",
        Infeasible::SameMissesRange { .. } => {
            "leave out --same-on-every-node, or widen min_threads and max_threads"
        }
        Infeasible::TooFewAllowed { .. } => "lower its `min_threads`, or allow it more `nodes`",
        Infeasible::NobodyOnNode(_) => "leave out --no-idle-cores, or allow some application this node",
        Infeasible::Memory { .. }
        | Infeasible::NoNodeForHome { .. }
        | Infeasible::NoMemoryAnywhere { .. }
        | Infeasible::AllMemory { .. } => room::hint(),
        Infeasible::MultipleMissesRange { .. } => {
            "choose another --threads-multiple, or other `min_threads` and `max_threads` (--threads sets both)"
        }
        Infeasible::TooFewOnNodes { .. } => {
            "raise --max-nodes, or lower --threads-multiple, --threads or `min_threads`"
        }
        Infeasible::MaxNodesEverywhere { .. } => {
            "raise --max-nodes, or leave out --same-on-every-node and --min-threads-per-node"
        }
        Infeasible::TooFewInDomains { .. } => {
            "raise --max-l3, or lower --threads-per-l3, --threads or `min_threads`"
        }
        Infeasible::DomainMissesRange { .. } => {
            "choose another --threads-per-l3, or other `min_threads` and `max_threads` (--threads sets both)"
        }
        Infeasible::TooFewDomains { .. } => {
            "leave out --whole-l3, lower `min_threads`, or remove applications"
        }
        Infeasible::ExclusiveEverywhere { .. } => {
            "leave out --exclusive, or --same-on-every-node and --min-threads-per-node"
        }
        Infeasible::ExclusiveNodes { .. } => {
            "leave out --exclusive, lower `min_threads`, or remove applications"
        }
        Infeasible::Together(_) => "leave out one of them",
        Infeasible::NoFiniteMakespan(_) => {
            "see what holds them back with `numasim evaluate`, or choose another --objective"
        }
    };
    let message = match infeasible {
        Infeasible::Together(_) | Infeasible::NoFiniteMakespan(_) => infeasible.to_string(),
        _ => format!("no placement is possible: {infeasible}"),
    };
    Refusal::Infeasible(Explained::new(message)).hint(hint)
}

/// The refusal if a search has no answer.
pub fn without_answer(error: ExploreError, problem: &Problem) -> Refusal {
    match error {
        ExploreError::Infeasible(infeasible) => infeasible_refusal(&infeasible),
        ExploreError::Fault(forbidden) => Refusal::from(&forbidden),
        ExploreError::NothingFound => {
            let restrictions = problem.restrictions().describe(problem.apps()).join(", ");
            Refusal::Infeasible(Explained::new(error.to_string()))
                .hint(format!("increase --time-limit, or relax one of these constraints: {restrictions}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_search_is_counted_in_evaluations() {
        let second = Duration::from_secs(1);
        // 2 baselines in 2 s. The end of the search takes 5, the best 1, and the output of best and baselines 3.
        assert_eq!(after_the_search(2 * second, 2, 0), 9 * second);
        // Each alternative is evaluated and printed.
        assert_eq!(after_the_search(2 * second, 2, 3), 15 * second);
        assert_eq!(after_the_search(Duration::ZERO, 0, 3), Duration::ZERO);
    }
}
