//! Whether to trust the model, in ten seconds; then the figures behind it, as `numasim compare` prints them.

use maud::{Markup, html};
use numasim_evidence::compare::{CONTENDED, Comparison, Errors, Verdict};

use super::contents::Report;
use super::html::{self, Shown, judged, number, scrolling, words};
use super::{nulls, simulations, tasks};
use crate::view::{ScenarioView, Style, caution, figures};
use numasim_ask::compare::{SMALL, percent, place, sentences};

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

/// Errors with what they are of, and their key in the JSON.
type Known<'a> = (&'static str, &'static str, &'a Errors);

pub(super) fn section(report: &Report<'_>) -> Markup {
    match &report.compared {
        Some(view) => measured(&view.comparison, report),
        None => predicted(report),
    }
}

fn measured(comparison: &Comparison, report: &Report<'_>) -> Markup {
    let all = [
        ("scenarios", "totals", &comparison.totals),
        ("applications in scenarios", "apps", &comparison.apps),
    ];
    let known: Vec<Known<'_>> =
        all.into_iter().filter_map(|(what, key, errors)| Some((what, key, errors.as_ref()?))).collect();
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
        @if !known.is_empty() { (scrolling("Errors", &table(&known))) }
        (nulls::table(comparison))
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

/// All errors, with the place of the worst.
fn table(known: &[Known<'_>]) -> Markup {
    let figure = |title, json, of: fn(&Errors) -> f64| {
        number(title, move |_, (_, key, errors): &Known<'_>| {
            let value = of(errors);
            Shown::compared(percent(value), format!("/summary/{key}/{json}")).cell(judged(Some(value)))
        })
    };
    let columns = [
        number("number", |_, (_, key, errors): &Known<'_>| {
            Shown::compared(errors.count.to_string(), format!("/summary/{key}/count")).cell("")
        }),
        figure("mean", "mean_absolute_error", |errors| errors.mean),
        figure("median", "median_absolute_error", |errors| errors.median),
        figure("95th percentile", "p95_absolute_error", |errors| errors.p95),
        figure("worst", "worst_absolute_error", |errors| errors.worst),
        words("where", |(_, _, errors): &Known<'_>| place(errors)),
    ];
    html::table("Absolute errors", ("of", &|(what, ..): &Known<'_>| html! { (what) }), &columns, known)
}

/// Nothing was measured.
fn predicted(report: &Report<'_>) -> Markup {
    let total = |view: &ScenarioView<'_>| view.evaluation.total.value();
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
                (Shown::evaluated(figures::single(total(view)), format!("/scenarios/{i}/total_gflops")).inline()) " GFLOPS"
                (caution::but(&caution::of_scenario(view))) "."
            }
        }
        @if let Some(simulations) = report.simulations { (simulations::best(simulations)) }
        @if let Some(of_tasks) = report.tasks { (tasks::best(of_tasks)) }
        @if !report.views.is_empty() {
            p { "To know more, measure with " code { "numasim bench" } " and name its CSV with " code { "--measured" } "." }
        }
    }
}
