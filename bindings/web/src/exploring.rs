//! The search for the best placement.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use numasim_ask::explored::{Rated, WhyUnproven};
use numasim_ask::{Clock, EvaluatedScenario, Explore, Explored, document, limits};
use numasim_model::App;
use numasim_sim::search::over_models::{ModelList, Shared};
use numasim_sim::search::{Monitor, Progress};
use numasim_sim::sweep::Task;
use numasim_sim::{Objective, Restrictions};
use serde::Serialize;

use crate::question::{Asked, Placed, Question, Search, asked, in_words, wrong};

/// A search result as the page shows it.
#[derive(Serialize)]
struct Answer<'a> {
    /// The document that `numasim explore --format json` writes.
    document: &'a Explored,
    /// Threads and homes of the robust placement (if it was asked for), best, alternatives and baselines, each with its name.
    placed: Vec<Placed>,
    /// The losses of placements under each model, if a robust placement was asked for.
    losses: Option<Losses<'a>>,
    warnings: Vec<String>,
    /// The quality of the best, and how certain it is.
    words: Vec<String>,
}

/// The table of losses, each a share of the best value under that model.
#[derive(Serialize)]
struct Losses<'a> {
    models: Vec<&'static str>,
    /// Names and losses; the robust placement is the first.
    rows: Vec<(String, &'a [f64])>,
    /// Explanation of the table.
    note: String,
}

/// A placement that was found.
fn shown(rated: &Rated) -> Placed {
    let EvaluatedScenario { name, study, evaluation, .. } = &*rated.scenario;
    Placed::of(name, &study.apps, &rated.candidate, evaluation.static_work)
}

/// Searches for the best placement.
///
/// # Errors
/// The message of the command line.
pub fn explore(question: &str, outside: &dyn Outside) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let Asked { input, warnings, .. } = asked(&question, Task::Explore)?;
    let wanted = &question.search;
    let input = input.placed(&wanted.asked()).map_err(in_words)?;
    let limit = limits::time_limit(wanted.time_limit_s).map_err(wrong)?;
    let watch = Watch::start(outside, &input.study.apps, limit);
    let question = Explore {
        objective: limits::named("objective", &wanted.objective, &Objective::ALL, Objective::as_str)
            .map_err(wrong)?,
        restrictions: restrictions(wanted),
        top: limits::alternatives(wanted.top).map_err(wrong)?,
        seed: wanted.seed,
        models: wanted.robust.then_some(&ModelList::All),
        ..Explore::new(&input)
    };
    let found = numasim_ask::explore(&question, &watch).map_err(in_words)?;
    let warnings = warnings.iter().chain(&found.warnings).cloned().collect();
    let robust = found.robust.as_ref();
    let placed = robust.map(|robust| &robust.best).into_iter().chain([&found.best]).chain(found.others());
    let losses = robust.map(|robust| Losses {
        models: robust.over.kinds.iter().map(|kind| kind.as_str()).collect(),
        rows: robust.losses(&found.baselines),
        note: robust.note(&found.baselines),
    });
    let words = found.in_words();
    Ok(document::text(&Answer {
        document: &found,
        placed: placed.map(shown).collect(),
        losses,
        warnings,
        words,
    }))
}

fn restrictions(wanted: &Search) -> Restrictions {
    Restrictions {
        same_on_every_node: wanted.same_on_every_node,
        whole_nodes: wanted.whole_nodes,
        min_threads_per_node: wanted.min_threads_per_node,
        no_idle_cores: wanted.no_idle_cores,
        whole_l3: wanted.whole_l3,
    }
}

// The environment that the page provides to a search.

/// Milliseconds between two progress reports.
const REPORT_MS: f64 = 100.0;

/// Clock and progress receiver that a page provides to a search.
pub trait Outside: Sync {
    /// Milliseconds since any fixed moment.
    fn now_ms(&self) -> f64;
    /// Reports progress as JSON.
    fn tell(&self, progress: &str);
}

/// Progress of a search.
#[derive(Serialize)]
struct Report {
    elapsed_s: f64,
    best: Option<f64>,
    /// Null until a placement is found.
    bound: f64,
    effort_spent: f64,
    found: Option<Placed>,
}

/// Watches one search.
pub(crate) struct Watch<'a> {
    outside: &'a dyn Outside,
    /// The applications of the question.
    apps: &'a [App],
    start_ms: f64,
    limit: Option<Duration>,
    out_of_time: AtomicBool,
    /// Time of the last report, as the bits of milliseconds.
    told: std::sync::atomic::AtomicU64,
}

impl<'a> Watch<'a> {
    pub(crate) fn start(outside: &'a dyn Outside, apps: &'a [App], limit: Option<Duration>) -> Self {
        Self {
            outside,
            apps,
            start_ms: outside.now_ms(),
            limit,
            out_of_time: AtomicBool::new(false),
            told: std::sync::atomic::AtomicU64::new(f64::NEG_INFINITY.to_bits()),
        }
    }

    fn elapsed_ms(&self) -> f64 {
        self.outside.now_ms() - self.start_ms
    }
}

impl Monitor for Watch<'_> {
    fn stop(&self) -> bool {
        self.is_over(1.0)
    }

    fn progress(&self, progress: &Progress) {
        let now = self.elapsed_ms();
        if now - f64::from_bits(self.told.load(Ordering::Relaxed)) < REPORT_MS {
            return;
        }
        self.told.store(now.to_bits(), Ordering::Relaxed);
        let report = Report {
            elapsed_s: now / 1000.0,
            best: progress.best,
            bound: progress.bound,
            effort_spent: progress.effort_spent,
            found: progress.found.map(|found| Placed::of("", self.apps, found, false)),
        };
        self.outside.tell(&document::text(&report));
    }
}

impl Shared for Watch<'_> {
    fn is_over(&self, part: f64) -> bool {
        let over = self.limit.is_some_and(|limit| self.elapsed_s() >= limit.as_secs_f64() * part);
        if over {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        over
    }
}

impl Clock for Watch<'_> {
    fn elapsed_s(&self) -> f64 {
        self.elapsed_ms() / 1000.0
    }

    fn limit(&self) -> Option<Duration> {
        self.limit
    }

    fn ended_by(&self) -> Option<WhyUnproven> {
        self.out_of_time.load(Ordering::Relaxed).then_some(WhyUnproven::TimeLimit)
    }

    // Users do not notice milliseconds after a search.
    fn keep_back(&self, _: Duration) {}

    fn another(&self, limit: Option<Duration>) -> Box<dyn Clock + '_> {
        Box::new(Watch::start(self.outside, self.apps, limit))
    }
}
