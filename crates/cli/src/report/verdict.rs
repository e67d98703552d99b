//! Whether to trust the model, in ten seconds; then the values behind it, as `numasim compare` prints them.

use maud::{Markup, html};
use numasim_ask::compare::{Known, SMALL, known_errors, of_errors, of_null_models, percent, sentences};
use numasim_ask::table::Of;
use numasim_evidence::compare::{CONTENDED, Comparison, Errors, Verdict};
use serde_json::Value;

use crate::report::contents::{Explored, Report};
use crate::report::html::{self, Shown, judged, scrolling};
use crate::report::simulations;
use crate::view::answer::sensitivity::Price;
use crate::view::cached::{self, COLUMNS, Document};
use crate::view::{ScenarioView, Style, caution, figures};

/// How far the model can be trusted here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    Holds,
    WithCare,
    /// The errors are small enough, but there is no evidence that the bandwidth-sharing model is the reason.
    Undecided,
    Fails,
}

impl Trust {
    /// Decided by the mean and the worst error.
    fn of(errors: &Errors) -> Self {
        match errors {
            errors if errors.mean <= SMALL && errors.worst <= 2.0 * SMALL => Self::Holds,
            errors if errors.mean <= 2.0 * SMALL => Self::WithCare,
            _ => Self::Fails,
        }
    }

    /// For a comparison: decided by the errors of contended scenarios, or of all if none were contended; trust requires that null models
    /// are worse.
    fn of_comparison(comparison: &Comparison) -> Option<Self> {
        let contended = &comparison.beside.contended;
        let all = [&comparison.totals, &comparison.apps, &contended.totals, &contended.apps];
        // Errors of applications may cancel out in a total, and scenarios without contention dilute the others, so the worst result
        // decides.
        let trust = all.into_iter().flatten().map(Self::of).max()?;
        let decided = comparison.beside.verdict == Verdict::Better;
        Some(if decided { trust } else { trust.max(Self::Undecided) })
    }

    /// Colour, sign and text.
    fn shown(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Holds => ("good", "✓", "Trust the model here."),
            Self::WithCare => ("warn", "!", "Trust the model with care."),
            Self::Undecided => ("warn", "!", "No verdict on how bandwidth is shared."),
            Self::Fails => ("bad", "✗", "Do not trust the model here."),
        }
    }
}

pub(super) fn section(report: &Report<'_>) -> Markup {
    match &report.compared {
        Some(view) => measured(&view.comparison, report),
        None => predicted(report),
    }
}

fn measured(comparison: &Comparison, report: &Report<'_>) -> Markup {
    let known = known_errors(comparison);
    let trust = Trust::of_comparison(comparison);
    html! {
        @match (trust.map(Trust::shown), known.first()) {
            (Some((class, mark, words)), Some(first)) => {
                p class=(format!("headline {class}")) {
                    span.mark aria-hidden="true" { (mark) }
                    span { b { (words) } " " (choice(comparison)) (doubted(report)) }
                }
                (tiles(comparison, first))
            }
            _ => p.headline.warn {
                span.mark aria-hidden="true" { "!" }
                span { b { "No conclusion possible." } " No error can be computed." }
            }
        }
        @if let Some(view) = comparison.regret_of_one_question().and_then(|regret| report.views.iter().find(|view| view.name == regret.preferred)) {
            @let but = caution::but(&caution::of_scenario(view));
            @if !but.is_empty() { p.note { "It prefers " (view.name) (but) "." } }
        }
        ul.sentences { @for sentence in sentences(comparison, &Style::default()) { li { (sentence) } } }
        @if !known.is_empty() { (scrolling("Errors", &html::table("Absolute errors", &of_errors(&Style::default()), &known))) }
        (null_models(comparison))
        p.faint {
            "The criterion: trust if the mean absolute error is at most 5 % and the worst at most 10 %; with care if the mean is at \
             most 10 %. It is applied to scenarios and to single applications, to all of them and to those that oversubscribe a memory or link by a factor of at least " (CONTENDED)
            "; the worst result counts. There is a verdict only if the latter show that the model is better than no sharing and equal shares."
        }
    }
}

/// Whether it chooses the best placement.
fn choice(comparison: &Comparison) -> String {
    match comparison.regret_of_one_question() {
        None => String::new(),
        Some(regret) if regret.relative <= 0.0 => "It picks the placement that measured best. ".to_owned(),
        Some(regret) => format!(
            "The placement it picks is {} slower than the one that measured best. ",
            percent(regret.relative)
        ),
    }
}

fn doubted(report: &Report<'_>) -> Markup {
    let doubts = report.provenance.map_or(0, |known| known.doubts.len());
    html! {
        @if doubts > 0 {
            "The measurements carry " a href="#doubts" { (figures::count(doubts as u64, "warning")) } "."
        }
    }
}

/// The decisive values.
fn tiles(comparison: &Comparison, &(what, key, errors): &Known<'_>) -> Markup {
    let error = |name: &'static str, value: f64, json: &str| {
        (name, Shown::compared(percent(value), format!("/summary/{key}/{json}")), judged(Some(value)))
    };
    let mut all = vec![
        error("mean error", errors.mean, "mean_absolute_error"),
        error("median", errors.median, "median_absolute_error"),
        error("95th percentile", errors.p95, "p95_absolute_error"),
        error("worst", errors.worst, "worst_absolute_error"),
    ];
    if let Some(regret) = comparison.regret_of_one_question() {
        let shown = Shown::compared(percent(regret.relative), "/summary/regret/regret");
        all.push(("regret", shown, judged(Some(regret.relative))));
    }
    if let Some(tau) = comparison.kendall_tau_b {
        all.push(("Kendall's tau-b", Shown::compared(format!("{tau:+.2}"), "/summary/kendall_tau_b"), ""));
    }
    html! {
        dl.tiles {
            @for (name, shown, class) in all {
                div class=(class) { dt { (name) } dd data-json=[shown.place()] { (shown.text) } }
            }
        }
        p.faint { "Absolute errors of " (errors.count) " " (what) " in GFLOPS, relative to what was measured." }
    }
}

/// There are no measurements.
fn predicted(report: &Report<'_>) -> Markup {
    let total = |view: &ScenarioView<'_>| view.total().0;
    let given = report.explored.map_or(report.views.len(), |explored| explored.given);
    let best = report
        .views
        .iter()
        .take(given)
        .enumerate()
        .reduce(|best, next| if total(next.1) > total(best.1) { next } else { best });
    html! {
        p.headline.warn {
            span.mark aria-hidden="true" { "!" }
            span { b { "Nothing was measured." } " All values are predictions of the model; no evidence shows whether it is right on this machine." }
        }
        @if let Some(words) = report.explored.and_then(|explored| explored.words.first()) {
            p { (words) " See " a href="#answer" { "the answer" } ", with the simplest and the robust placement." }
        }
        @if let Some((i, view)) = best {
            p {
                @if report.explored.is_some() { "Among the scenarios of the files: " }
                "The model prefers " a href=(format!("#scenario-{}", i + 1)) { (view.name) } ": "
                (crate::report::scenarios::total(i, view, &figures::single(total(view))).inline()) " " (view.total().1)
                (caution::but(&caution::of_scenario(view))) "."
            }
        }
        @if let Some(simulations) = report.simulations { (simulations::best(simulations)) }
        @if let Some(of_tasks) = report.tasks { (simulations::best_tasks(of_tasks)) }
        @if !report.views.is_empty() {
            p { "To know more, measure with " code { "numasim bench" } " and name its CSV with " code { "--measured" } "." }
        }
    }
}

// Predictions of the null models for the same measurements.

/// A table; empty without measurements.
pub(super) fn null_models(comparison: &Comparison) -> Markup {
    let nulls = &comparison.beside.nulls;
    if nulls.is_empty() {
        return html! {};
    }
    let caption = "Absolute errors of null models, which do not model sharing";
    let rows = html::table(caption, &of_null_models(true), nulls);
    html! {
        (scrolling("Null models", &rows))
        p.faint {
            "No sharing: each thread is as fast as alone. Equal shares: each controller and link is divided by the number of its threads, whatever they demand. The interval is a paired bootstrap over scenarios and their repetitions."
        }
    }
}

// Interference of two applications in the last-level cache.

/// Empty if it was not requested.
pub(super) fn cache_section(report: &Report<'_>) -> Markup {
    let Some(found) = report.cached else { return html! {} };
    html! {
        ul.sentences { @for sentence in found.sentences() { li { (sentence) } } }
        @if !found.apps.is_empty() {
            (scrolling("Last-level cache", &cache_table(found)))
            p.faint { (COLUMNS) }
        }
    }
}

/// The values of the section.
pub(super) fn document(found: &Document) -> Value {
    serde_json::to_value(found).unwrap_or_default()
}

fn cache_table(found: &Document) -> Markup {
    let caption = format!("Bandwidth of applications that share a cache of {}", found.what());
    html::table(caption, &cached::columns(found, &Style::default()), &found.apps)
}

// The answer of a search: best, simplest and robust placement side by side, gains from more resources, and text to copy.

/// Empty without a search.
pub(super) fn explored_section(report: &Report<'_>) -> Markup {
    let Some(found) = report.explored else { return html! {} };
    html! {
        @for words in &found.words { (paragraph(words)) }
        (scrolling("Placements side by side", &side_by_side(found)))
        p.faint {
            "Threads are listed node by node; " a href="#scenarios" { "Scenarios" } " has a map of each placement. A loss is relative to the best, and for a model to the best under that model."
        }
        @if !found.prices.is_empty() {
            (scrolling("Gain from more of each resource", &prices(found)))
            p.faint { (found.price_notes) }
        }
        @match &found.script {
            Some(script) => { details { summary { "Start the best with numactl" } pre tabindex="0" { code { (script) } } } }
            None => { p {
                "The machine file does not list the logical CPUs (" code { "cpus" } "): with them, " code { "numasim explore --emit numactl" }
                " writes a script that starts the best."
            } }
        }
        details { summary { "The placements as scenarios for other commands" } pre tabindex="0" { code { (found.saved) } } }
    }
}

/// The first line is a sentence, the other lines are for one application each.
fn paragraph(words: &str) -> Markup {
    let mut lines = words.lines();
    html! {
        p { (lines.next().unwrap_or_default()) }
        @let rest = lines.map(str::trim).collect::<Vec<_>>();
        @if !rest.is_empty() { ul { @for line in rest { li { (line) } } } }
    }
}

/// A placement of the document: its name, and its location.
fn placements(document: &Value) -> Vec<(String, String)> {
    let mut found = vec![("best".to_owned(), "/best".to_owned())];
    for (name, pointer) in [("simple", "/simple/best"), ("robust", "/robust/best")] {
        if document.pointer(pointer).is_some() {
            found.push((name.to_owned(), pointer.to_owned()));
        }
    }
    let baselines = document.get("baselines").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (number, baseline) in baselines.iter().enumerate() {
        let name = baseline.get("name").and_then(Value::as_str).unwrap_or_default();
        found.push((name.to_owned(), format!("/baselines/{number}")));
    }
    found
}

fn side_by_side(found: &Explored) -> Markup {
    let document = &found.document;
    let models: Vec<&String> = document
        .pointer("/robust/models")
        .and_then(Value::as_object)
        .map_or_else(Vec::new, |all| all.keys().collect());
    let figure = |pointer: &str| document.pointer(pointer).and_then(Value::as_f64);
    let shown = |pointer: &str| match figure(pointer) {
        Some(value) => Shown::explored(figures::single(value), pointer),
        None => Shown::nothing(),
    };
    // The loss under each model for the robust placement, and by name for the bests and the baselines; the simplest placement was not
    // evaluated.
    let loss = |name: &str, model: &str| {
        let place = match name {
            "robust" => format!("/robust/regrets/{model}"),
            "best" => {
                let first = document.pointer("/model").and_then(Value::as_str).unwrap_or_default();
                format!("/robust/others/best of {first}/{model}")
            }
            _ => format!("/robust/others/{}/{model}", name.replace('~', "~0").replace('/', "~1")),
        };
        match figure(&place) {
            Some(loss) => Shown::explored(percent(loss), place),
            None => Shown::nothing(),
        }
    };
    let apps = document.pointer("/best/apps").and_then(Value::as_array);
    let counts_flop = apps.is_some_and(|apps| apps.iter().any(|app| !app["gflops"].is_null()));
    html! {
        table {
            caption { "Placements side by side" }
            thead {
                @if !models.is_empty() {
                    tr { td colspan=(if counts_flop { "4" } else { "3" }) {} th.group scope="colgroup" colspan=(models.len()) { "loss if this model is right" } }
                }
                tr {
                    th scope="col" { "placement" } th scope="col" { "threads on each node" } th.n scope="col" { "objective" }
                    @if counts_flop { th.n scope="col" { "total GFLOPS" } }
                    @for model in &models { th.n scope="col" { (model) } }
                }
            }
            tbody {
                @for (name, place) in placements(document) {
                    tr {
                        th scope="row" { (name) }
                        td.threads { div { @for (app, threads) in threads(document, &place) { div { (app) " " (threads) } } } }
                        (shown(&format!("{place}/value")).cell(""))
                        @if counts_flop { (shown(&format!("{place}/total_gflops")).cell("")) }
                        @for model in &models { (loss(&name, model).cell("")) }
                    }
                }
            }
        }
    }
}

/// The threads of each application of a placement on each node: `6 0 7 2`.
fn threads<'d>(document: &'d Value, place: &str) -> Vec<(&'d str, String)> {
    let apps = document.pointer(place).and_then(|placement| placement["apps"].as_array());
    let counts = |app: &Value| {
        let counts = app["threads"].as_array().map_or(&[][..], Vec::as_slice);
        counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let row = |app: &'d Value| (app["name"].as_str().unwrap_or_default(), counts(app));
    apps.map_or_else(Vec::new, |apps| apps.iter().map(row).collect())
}

fn prices(found: &Explored) -> Markup {
    let cell = |title, column: usize| Of::text(title, move |price: &Price| price.cells[column].clone());
    let gain = |title, column: usize, key: &'static str| {
        let place =
            move |_, price: &Price| format!("exploration#/sensitivity/widening/{}/{key}", price.place);
        cell(title, column).right().at(place)
    };
    let columns = [
        cell("resource", 0),
        cell("now", 1).right(),
        cell("step", 2).right(),
        gain("gain", 3, "gain"),
        gain("threads moved", 4, "gain_threads_moved"),
        gain("10 % more", 5, "gain_10_percent"),
    ];
    let caption = format!("Gain from more of each resource, in {}", found.gain_unit);
    html::table(caption, &columns, &found.prices)
}
