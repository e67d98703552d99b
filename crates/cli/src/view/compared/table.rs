//! Prediction beside measurement for people: the figures, then in a few lines whether to trust the model.

use numasim_ask::compare::sharing_sentence;
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_evidence::compare::{Compared, Comparison, Errors, Pair, Regret};
use numasim_model::Study;
use numasim_sim::intervals::Interval;

use super::View;
use super::bar::{self, bar, judged, percent, signed};
use super::{beside, coverage, has_intervals};
use crate::suggest;
use crate::view::intervals::plus_minus;
use crate::view::{Style, figures, machine_title};

/// Of so many sets of applications the regret is told.
const MOST_CHOICES: usize = 8;

/// The whole text.
pub(crate) fn table(view: &View<'_>, style: &Style) -> String {
    let head = parties(view.study, view.model, view.measured);
    let comparison = view.comparison;
    let coverage = comparison.coverage.map(|found| coverage::table(&found, style)).unwrap_or_default();
    let nulls = beside::table(comparison, style);
    [head, rows(comparison, style), errors(comparison, style), nulls, coverage, verdict(comparison, style)]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// What was compared with what: also the head of a fit.
pub(crate) fn parties(study: &Study, model: &str, measured: &str) -> String {
    format!("Machine:  {}\nModel:    {model}\nMeasured: {measured}\n", machine_title(&study.machine))
}

/// A line of the table: a scenario, or an application of it.
struct Line<'a> {
    name: String,
    whole: bool,
    compared: Option<&'a Compared>,
}

/// Each scenario, and below it its applications, where they were measured.
fn lines(comparison: &Comparison) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for scenario in &comparison.scenarios {
        lines.push(Line { name: scenario.name.clone(), whole: true, compared: scenario.total.as_ref() });
        let measured = scenario.apps.iter().filter(|app| app.compared.is_some());
        lines.extend(measured.map(|app| Line {
            name: format!("  {}", app.name),
            whole: false,
            compared: app.compared.as_ref(),
        }));
    }
    lines
}

fn rows(comparison: &Comparison, style: &Style) -> String {
    /// The column of the intervals.
    const INTERVAL: usize = 2;
    let lines = lines(comparison);
    let gflops = in_columns(&lines, |compared| Some(&compared.gflops));
    let bandwidth = in_columns(&lines, |compared| compared.bandwidth_gbs.as_ref());
    let with_bandwidth = bandwidth.iter().any(|[_, measured]| measured != "-");
    let error = |line: &Line<'_>| line.compared.and_then(|compared| compared.gflops.error);
    let worst = lines.iter().filter_map(error).map(f64::abs).fold(0.0, f64::max);
    let scale = bar::scale(worst);
    let (right, header) = (Align::Right, if style.markdown { String::new() } else { bar::header(scale) });
    let mut columns = vec![
        ("scenario", Align::Left),
        ("GFLOPS\npredicted", right),
        ("\n95 %", right),
        ("\nmeasured", right),
        ("\nspread", right),
        ("\nerror", right),
    ];
    if with_bandwidth {
        columns.extend([("GB/s\npredicted", right), ("\nmeasured", right), ("\nerror", right)]);
    }
    columns.push((&header, Align::Left));
    let mut grid = Grid::new(&columns);
    for (l, line) in lines.iter().enumerate() {
        let strong = |text: &str| if line.whole { style.strong(text) } else { text.to_owned() };
        let [predicted, measured] = &gflops[l];
        let spread = line.compared.map_or("-".to_owned(), |compared| spread(&compared.gflops));
        let error = error(line);
        let mut cells = vec![
            strong(&line.name),
            predicted.clone(),
            line.compared.map_or(String::new(), |compared| off(&compared.gflops, style)),
            measured.clone(),
            spread,
            judged(error, &strong(&signed(error)), style),
        ];
        if with_bandwidth {
            let [predicted, measured] = &bandwidth[l];
            let pair = line.compared.and_then(|compared| compared.bandwidth_gbs.as_ref());
            let error = pair.and_then(|pair| pair.error);
            cells.extend([predicted.clone(), measured.clone(), judged(error, &signed(error), style)]);
        }
        cells.push(bar(error, scale, style));
        grid.row(cells);
    }
    let (grid, last) = if has_intervals(comparison) {
        (grid, columns.len() - 1)
    } else {
        (grid.without(INTERVAL), columns.len() - 2)
    };
    if grid.room(style) < bar::WIDTH { grid.without(last).render(style) } else { grid.render(style) }
}

/// How far off a prediction may be, as far as the figures of the machine make it so.
fn off(pair: &Pair, style: &Style) -> String {
    let interval = pair.interval.map(|(low, high)| Interval { low, high });
    interval.map_or(String::new(), |interval| plus_minus(interval, pair.predicted, style))
}

/// Predicted and measured figures of each line, all with the same number of decimals.
fn in_columns(lines: &[Line<'_>], pair: fn(&Compared) -> Option<&Pair>) -> Vec<[String; 2]> {
    let pairs: Vec<Option<&Pair>> = lines.iter().map(|line| line.compared.and_then(pair)).collect();
    let values =
        |pair: Option<&Pair>| pair.map_or([f64::NAN; 2], |pair| [pair.predicted, pair.measured.median]);
    let texts = figures::column(&pairs.into_iter().flat_map(values).collect::<Vec<_>>());
    texts.chunks_exact(2).map(|two| [two[0].clone(), two[1].clone()]).collect()
}

/// `0.8 % of 10`
pub(crate) fn spread(pair: &Pair) -> String {
    match (pair.measured.repetitions, pair.measured.relative) {
        (1, _) => "1 run".to_owned(),
        (repetitions, Some(spread)) => format!("{} of {repetitions}", percent(spread)),
        (repetitions, None) => format!("{repetitions} runs"),
    }
}

/// The errors of all totals and of all applications.
fn errors(comparison: &Comparison, style: &Style) -> String {
    let rows = [("scenarios", &comparison.totals), ("applications in scenarios", &comparison.apps)];
    let mut grid = Grid::new(&[
        ("absolute error of", Align::Left),
        ("number", Align::Right),
        ("mean", Align::Right),
        ("median", Align::Right),
        ("95th\npercentile", Align::Right),
        ("worst", Align::Right),
        ("where", Align::Left),
    ]);
    let mut any = false;
    for (what, errors) in rows {
        let Some(errors) = errors else { continue };
        any = true;
        let figure = |error: f64| judged(Some(error), &percent(error), style);
        grid.row(vec![
            what.to_owned(),
            errors.count.to_string(),
            style.strong(&figure(errors.mean)),
            figure(errors.median),
            figure(errors.p95),
            figure(errors.worst),
            place(errors),
        ]);
    }
    if any { grid.render(style) } else { String::new() }
}

/// Where the worst error is.
pub(crate) fn place(errors: &Errors) -> String {
    match &errors.worst_app {
        Some(app) => format!("{app} in {}", errors.worst_scenario),
        None => errors.worst_scenario.clone(),
    }
}

fn verdict(comparison: &Comparison, style: &Style) -> String {
    let columns = style.columns();
    let sentences = sentences(comparison, style);
    sentences.iter().flat_map(|sentence| wrap(sentence, columns)).map(|line| line + "\n").collect()
}

/// Does the model promise too much, does it pick the right allocation, does it order them rightly?
pub(crate) fn sentences(comparison: &Comparison, style: &Style) -> Vec<String> {
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
            "Doubts about {} of {}: {}.",
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
