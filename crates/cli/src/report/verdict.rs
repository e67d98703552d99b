//! Whether to trust the model, in ten seconds; then the figures behind it, as `numasim compare` prints them.

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
    /// The errors would do, but nothing shows that they come from the rule of sharing.
    Undecided,
    Fails,
}

impl Trust {
    /// By the mean and the worst error.
    fn of(errors: &Errors) -> Self {
        match errors {
            errors if errors.mean <= SMALL && errors.worst <= 2.0 * SMALL => Self::Holds,
            errors if errors.mean <= 2.0 * SMALL => Self::WithCare,
            _ => Self::Fails,
        }
    }

    /// Of a comparison: by the errors of what was contended, or of everything where nothing was; trust only where null models lose.
    fn of_comparison(comparison: &Comparison) -> Option<Self> {
        let contended = &comparison.beside.contended;
        let all = [&comparison.totals, &comparison.apps, &contended.totals, &contended.apps];
        // Errors of applications may cancel out in a total, and those of scenarios without contention dilute the others: the
        // worst decides.
        let trust = all.into_iter().flatten().map(Self::of).max()?;
        let decided = comparison.beside.verdict == Verdict::Better;
        Some(if decided { trust } else { trust.max(Self::Undecided) })
    }

    /// Colour, sign and words.
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
                span { b { "No conclusion possible." } " There is no figure whose error could be computed." }
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
             most 10 %. The worst of scenarios and single applications decides, all of them and those that want at least " (CONTENDED)
            " times what a memory or link has; and there is a verdict only where these show the model to be better than no \
             sharing and equal parts."
        }
    }
}

/// Does it pick the right allocation?
fn choice(comparison: &Comparison) -> String {
    match comparison.regret_of_one_question() {
        None => String::new(),
        Some(regret) if regret.relative <= 0.0 => "It picks the allocation that measured best. ".to_owned(),
        Some(regret) => format!(
            "The allocation it picks is {} slower than the one that was measured best. ",
            percent(regret.relative)
        ),
    }
}

fn doubted(report: &Report<'_>) -> Markup {
    let doubts = report.provenance.map_or(0, |known| known.doubts.len());
    html! {
        @if doubts > 0 {
            "The measurements carry " a href="#doubts" { (figures::count(doubts as u64, "doubt")) } "."
        }
    }
}

/// The figures that decide.
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

/// Nothing was measured.
fn predicted(report: &Report<'_>) -> Markup {
    let total = |view: &ScenarioView<'_>| view.total().0;
    let best = report
        .views
        .iter()
        .enumerate()
        .reduce(|best, next| if total(next.1) > total(best.1) { next } else { best });
    html! {
        p.headline.warn {
            span.mark aria-hidden="true" { "!" }
            span { b { "Nothing was measured." } " All values are predictions of the model; whether it is right on this machine is open." }
        }
        @if let Some(words) = report.explored.and_then(|explored| explored.words.first()) {
            p { (words) " " a href="#answer" { "The answer" } " has the simplest and the robust placement beside it." }
        } @else if let Some((i, view)) = best {
            p {
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

// What models without a rule of sharing say of the same measurements.

/// A table; nothing where nothing was measured.
pub(super) fn null_models(comparison: &Comparison) -> Markup {
    let nulls = &comparison.beside.nulls;
    if nulls.is_empty() {
        return html! {};
    }
    let caption = "Absolute errors of models without a rule of sharing";
    let rows = html::table(caption, &of_null_models(true), nulls);
    html! {
        (scrolling("Null models", &rows))
        p.faint {
            "No sharing: each thread is as fast as alone. Equal parts: each controller and link is divided by the number of its \
             threads, whatever they want. The interval is a paired bootstrap over scenarios and their repetitions."
        }
    }
}

// What two applications do to each other in the last-level cache.

/// Empty where nobody asked.
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

/// The figures of the section.
pub(super) fn document(found: &Document) -> Value {
    serde_json::to_value(found).unwrap_or_default()
}

fn cache_table(found: &Document) -> Markup {
    let caption = format!("Bandwidth of applications that share a cache of {}", found.what());
    html::table(caption, &cached::columns(found, &Style::default()), &found.apps)
}

// The answer of a search: best, simplest and robust placement side by side, what wider resources are worth, and what to copy.

/// Empty where nobody searched.
pub(super) fn explored_section(report: &Report<'_>) -> Markup {
    let Some(found) = report.explored else { return html! {} };
    html! {
        @for words in &found.words { (paragraph(words)) }
        (scrolling("Placements side by side", &side_by_side(found)))
        p.faint {
            "Maps of all of them are under " a href="#scenarios" { "Scenarios" } ". A loss is the part of the best that is missed; of a model, of the best under that one."
        }
        @if !found.prices.is_empty() {
            (scrolling("What a wider resource is worth", &prices(found)))
            p.faint { "Each resource alone, threads where they are; threads moved: after a local search, at least this much." }
        }
        @match &found.script {
            Some(script) => { details { summary { "Start the best with numactl" } pre tabindex="0" { code { (script) } } } }
            None => { p {
                "The machine file does not name processors (" code { "cpus" } "): with them, " code { "numasim explore --emit numactl" }
                " writes a script that starts the best."
            } }
        }
        details { summary { "The placements as scenarios for other commands" } pre tabindex="0" { code { (found.saved) } } }
    }
}

/// The first line is a sentence, others are of one application each.
fn paragraph(words: &str) -> Markup {
    let mut lines = words.lines();
    html! {
        p { (lines.next().unwrap_or_default()) }
        @let rest = lines.map(str::trim).collect::<Vec<_>>();
        @if !rest.is_empty() { ul { @for line in rest { li { (line) } } } }
    }
}

/// A placement of the document: its name, and where it stands.
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
    // Under each model: of the robust one, of the bests and of baselines by name; the simplest was not asked.
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
                    tr { th scope="col" { } th.n scope="col" { } th.n scope="col" { } th.n scope="colgroup" colspan=(models.len()) { "loss if this model is right" } }
                }
                tr {
                    th scope="col" { "placement" } th.n scope="col" { "objective" }
                    @if counts_flop { th.n scope="col" { "total GFLOPS" } }
                    @for model in &models { th.n scope="col" { (model) } }
                }
            }
            tbody {
                @for (name, place) in placements(document) {
                    tr {
                        th scope="row" { (name) }
                        (shown(&format!("{place}/value")).cell(""))
                        @if counts_flop { (shown(&format!("{place}/total_gflops")).cell("")) }
                        @for model in &models { (loss(&name, model).cell("")) }
                    }
                }
            }
        }
    }
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
        gain("10 % wider", 5, "gain_10_percent"),
    ];
    let caption = format!("What a wider resource is worth, in {}", found.gain_unit);
    html::table(caption, &columns, &found.prices)
}
