//! Wording for a comparison: errors and intervals as text, sentences, and reasons why a measurement does not count.

use numasim_draw::{Grade, Style, figures};
use numasim_evidence::compare::{
    Advantage, BesideNull, CONTENDED, Comparison, Errors, FEWEST, Held, Mismatch, Pair, Regret, Unmatched,
    Verdict, Way,
};

use crate::suggest;

/// An error up to this value is small; up to twice this value it is notable.
pub const SMALL: f64 = 0.05;
/// The regret is shown for at most this number of sets of applications.
const MOST_CHOICES: usize = 8;

/// Grade of an error by its size.
pub fn grade(error: Option<f64>) -> Option<Grade> {
    Some(match error?.abs() {
        error if error <= SMALL => Grade::Good,
        error if error <= 2.0 * SMALL => Grade::Doubtful,
        _ => Grade::Bad,
    })
}

/// `text` in a colour that shows how large the error is.
pub fn judged(error: Option<f64>, text: &str, style: &Style) -> String {
    style.graded(grade(error), text)
}

/// `+1.7 %`; `-` if there is no error.
pub fn signed(error: Option<f64>) -> String {
    let Some(error) = error.filter(|error| error.is_finite()) else { return "-".to_owned() };
    let text = format!("{:+.1} %", 100.0 * error);
    if text == "-0.0 %" || text == "+0.0 %" { "0.0 %".to_owned() } else { text }
}

/// `1.7 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The value of a full bar: a round number that is at least the worst error.
pub fn scale(worst: f64) -> f64 {
    const ROUND: [f64; 6] = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0];
    ROUND.into_iter().find(|&scale| worst <= scale).unwrap_or(5.0)
}

/// `0.8 % of 10`
pub fn spread(pair: &Pair) -> String {
    match (pair.measured.repetitions, pair.measured.relative) {
        (1, _) => "1 run".to_owned(),
        (repetitions, Some(spread)) => format!("{} of {repetitions}", percent(spread)),
        (repetitions, None) => format!("{repetitions} runs"),
    }
}

/// The scenario and application with the worst error.
pub fn place(errors: &Errors) -> String {
    match &errors.worst_app {
        Some(app) => format!("{app} in {}", errors.worst_scenario),
        None => errors.worst_scenario.clone(),
    }
}

/// A key of the document, its wording, and the function that counts it.
type Counted = (&'static str, &'static str, fn(&Held) -> Way);

/// The kinds of intervals that are counted.
pub const WAYS: [Counted; 3] = [
    ("measured_holds_prediction", "measured interval holds the prediction", |held| held.measured),
    ("predicted_holds_measurement", "predicted interval holds the measured median", |held| held.predicted),
    ("both", "both agree within their combined uncertainty", |held| held.both),
];
/// Nominal coverage of 95 % intervals.
pub const PROMISED: f64 = 0.95;

/// How a model compares with a null model: a stable word, and wording for people.
pub fn standing(advantage: Option<&Advantage>) -> (&'static str, &'static str) {
    match advantage.map(|advantage| advantage.interval) {
        None => ("not-measured", "not compared: no total was measured"),
        Some(None) => ("too-few-scenarios", "no verdict: too few scenarios"),
        Some(Some((low, _))) if low > 0.0 => ("better", "better"),
        Some(Some((_, high))) if high < 0.0 => ("worse", "worse"),
        Some(Some(_)) => ("no-better", "not distinguishably better"),
    }
}

/// Reduction of the mean error by the model, the 95 % interval of the reduction, and the verdict.
pub fn advantage(null: &BesideNull) -> [String; 3] {
    let nothing = || "-".to_owned();
    let mean = null.advantage.map_or_else(nothing, |advantage| signed(Some(advantage.mean)));
    let interval = null.advantage.and_then(|advantage| advantage.interval);
    let interval = interval
        .map_or_else(nothing, |(low, high)| format!("{} to {}", signed(Some(low)), signed(Some(high))));
    [mean, interval, standing(null.advantage.as_ref()).1.to_owned()]
}

/// Verdict of contended scenarios.
pub fn sharing_sentence(comparison: &Comparison) -> Option<String> {
    let beside = &comparison.beside;
    let contended = &beside.contended;
    let (name, most) = contended.highest.as_ref()?;
    let count = figures::count(contended.scenarios as u64, "scenario");
    Some(match &beside.verdict {
        Verdict::NothingMeasured => return None,
        Verdict::NothingContended => format!(
            "Sharing: no verdict. No scenario oversubscribes a memory or link by a factor of {CONTENDED} (the largest: {:.2}, {}, in \
             '{name}'), so they cannot distinguish sharing models.",
            most.ratio,
            most.resource.in_words()
        ),
        Verdict::TooFew => format!(
            "Sharing: no verdict. At least {FEWEST} scenarios that oversubscribe a memory or link by a factor of {CONTENDED} are needed to distinguish \
             the model from chance; there are {}.",
            contended.scenarios
        ),
        Verdict::NullsAsGood(nulls) => {
            let nulls: Vec<&str> = nulls.iter().map(|null| null.in_words()).collect();
            format!(
                "Sharing: no verdict. On the {count} that oversubscribe a memory or link by a factor of at least {CONTENDED}, the model is not \
                 distinguishably better than {}.",
                nulls.join(" and ")
            )
        }
        Verdict::Better => format!(
            "Sharing: on the {count} that oversubscribe a memory or link by a factor of at least {CONTENDED}, the model is better \
             (95 % confidence) than no sharing and equal shares."
        ),
    })
}

/// Why one measurement cannot be compared, and advice.
pub fn reason(one: &Unmatched) -> String {
    let scenario = &one.scenario;
    let app = one.app.as_deref().unwrap_or_default();
    let meant = |near: &Option<String>| {
        near.as_ref().map_or(String::new(), |near| format!("; did you mean '{near}'?"))
    };
    match &one.why {
        Mismatch::UnknownScenario(near) => format!("no file has a scenario '{scenario}'{}", meant(near)),
        Mismatch::UnknownApp(near) => format!("no file has an application '{app}'{}", meant(near)),
        Mismatch::SeveralInstances(instances) => {
            let instances: Vec<&str> = instances.iter().map(String::as_str).collect();
            format!("'{app}' has several instances; name {}", suggest::one_of(&instances))
        }
        Mismatch::NoThreads => format!("'{app}' has no threads in scenario '{scenario}'"),
        Mismatch::OtherThreads { node, measured, wanted, fitted } => {
            let why = if *fitted {
                "the benchmark scaled the scenario to its host: compare with a file for that host"
            } else {
                "compare with the file that was measured"
            };
            format!(
                "'{app}' in '{scenario}' was measured with {measured} threads on node {node}, the file says {wanted}; {why}"
            )
        }
        Mismatch::NothingCounts => format!("no repetition of '{app}' in '{scenario}' is usable"),
    }
}

/// Answers three questions: does the model predict too much, does it choose the best allocation, does it order the allocations correctly?
pub fn sentences(comparison: &Comparison, style: &Style) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(errors) = comparison.totals.as_ref().or(comparison.apps.as_ref()) {
        let more = if errors.mean_signed < 0.0 { "less" } else { "more" };
        sentences.push(format!(
            "Bias: on average the model predicts {} {more} than was measured.",
            percent(errors.mean_signed.abs())
        ));
    }
    sentences.extend(sharing_sentence(comparison));
    if let Some(regret) = comparison.regret_of_one_question() {
        sentences.push(format!("Choice: {}", chosen(regret, style)));
    }
    for choice in comparison.choices.iter().take(MOST_CHOICES) {
        let apps: Vec<&str> = choice.apps.iter().map(String::as_str).collect();
        let (apps, scenarios) = (suggest::list(&apps), choice.scenarios);
        sentences.push(format!("Among {scenarios} scenarios of {apps}: {}", chosen(&choice.regret, style)));
    }
    if comparison.choices.len() > MOST_CHOICES {
        sentences.push(format!(
            "And {} more sets of applications; JSON has all.",
            comparison.choices.len() - MOST_CHOICES
        ));
    }
    if let Some(tau) = comparison.kendall_tau_b {
        let tau = style.strong(&format!("{tau:+.2}"));
        sentences.push(format!(
            "Order of the scenarios: Kendall's tau-b {tau} (+1: as measured, -1: the opposite)."
        ));
    }
    let doubted: Vec<&str> = comparison
        .scenarios
        .iter()
        .filter(|scenario| !scenario.doubts.is_empty())
        .map(|scenario| scenario.name.as_str())
        .collect();
    if !doubted.is_empty() {
        let mut codes: Vec<&str> =
            comparison.scenarios.iter().flat_map(|s| s.doubts.iter().map(String::as_str)).collect();
        codes.sort_unstable();
        codes.dedup();
        sentences.push(format!(
            "Warnings about the measurements of {} of {}: {}.",
            doubted.len(),
            figures::count(comparison.scenarios.len() as u64, "scenario"),
            codes.join(", ")
        ));
    }
    sentences
}

fn chosen(regret: &Regret, style: &Style) -> String {
    if regret.preferred == regret.best || regret.relative <= 0.0 {
        return format!(
            "the model prefers '{}', which measured best: regret {}.",
            regret.preferred,
            style.strong("0.0 %")
        );
    }
    format!(
        "the model prefers '{}', measured {} GFLOPS; '{}' measured best, {} GFLOPS: regret {}.",
        regret.preferred,
        figures::single(regret.preferred_gflops),
        regret.best,
        figures::single(regret.best_gflops),
        judged(Some(regret.relative), &style.strong(&percent(regret.relative)), style),
    )
}
