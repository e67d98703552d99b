//! Prediction compared with measurement for people: the values, then a verdict on the model in a few lines.

#[cfg(test)]
mod tests;

use numasim_ask::compare::{
    Compared, grade, holdings, judged, known_errors, of_coverage, of_errors, of_null_models, scale,
    sentences, signed, spread,
};
use numasim_ask::table::{self, Of};
use numasim_course::Study;
use numasim_draw::grid::{Grid, wrap};
use numasim_evidence::compare::{self as evidence, Comparison, Coverage, Pair};
use numasim_sim::intervals::Interval;

use super::intervals::plus_minus;
use super::{Style, machine_title};

/// Cells on each side of zero.
const SIDE: usize = 8;
/// Width of a bar, in columns.
const WIDTH: usize = 2 * SIDE + 1;

/// The whole text.
pub(crate) fn table(compared: &Compared, style: &Style) -> String {
    let head = parties(&compared.study, &compared.measured);
    let comparison = &compared.comparison;
    let intervals = compared.has_intervals();
    let coverage = comparison.coverage.map(|found| coverage(&found, intervals, style)).unwrap_or_default();
    let nulls = &comparison.beside.nulls;
    let with_apps = nulls.iter().any(|null| null.apps.is_some());
    let unless_empty = |is_empty: bool, grid: Grid| if is_empty { String::new() } else { grid.render(style) };
    let known = known_errors(comparison);
    [
        head,
        rows(comparison, intervals, style),
        unless_empty(known.is_empty(), table::graded(&of_errors(style), &known, style)),
        unless_empty(nulls.is_empty(), table::graded(&of_null_models(with_apps), nulls, style)),
        coverage,
        verdict(comparison, style),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

/// The compared study and measurements: also the head of a fit.
pub(crate) fn parties(study: &Study, measured: &str) -> String {
    let (machine, model) = (machine_title(&study.machine), study.machine.sharing().name());
    format!("Machine:  {machine}\nModel:    {model}\nMeasured: {measured}\n")
}

/// A line of the table: a scenario, or an application of it.
struct Line<'a> {
    name: String,
    whole: bool,
    compared: Option<&'a evidence::Compared>,
}

/// Each scenario, followed by its applications, if they were measured.
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

fn rows(comparison: &Comparison, intervals: bool, style: &Style) -> String {
    let lines = lines(comparison);
    let error = |line: &Line| line.compared.and_then(|compared| compared.gflops.error);
    let with_bandwidth = lines.iter().any(|line| bandwidth(line).is_some());
    let scale = scale(lines.iter().filter_map(error).map(f64::abs).fold(0.0, f64::max));
    let above = if style.markdown { String::new() } else { header(scale) };
    let strong = |line: &Line, text: String| if line.whole { style.strong(&text) } else { text };
    let gflops = |name, of: fn(&Pair) -> f64| {
        Of::number(name, move |line: &Line| line.compared.map(|compared| of(&compared.gflops)))
            .alike("gflops")
    };
    let gbs = |name, of: fn(&Pair) -> f64| {
        Of::number(name, move |line: &Line| bandwidth(line).map(of)).alike("gbs").only_if(with_bandwidth)
    };
    let columns = [
        Of::text("scenario", |line: &Line| line.name.clone()).painted(strong),
        gflops("predicted_gflops", |pair| pair.predicted).titled("GFLOPS\npredicted"),
        Of::text("interval", |line: &Line| line.compared.map(|compared| off(&compared.gflops, style)))
            .titled("\n95 %")
            .right()
            .only_if(intervals),
        gflops("measured_gflops", |pair| pair.measured.median).titled("\nmeasured"),
        Of::text("spread", |line: &Line| {
            line.compared.map_or_else(|| "-".to_owned(), |compared| spread(&compared.gflops))
        })
        .titled("\nspread")
        .right(),
        Of::number("error", error)
            .titled("\nerror")
            .written(|error| signed(Some(error)))
            .painted(strong)
            .graded(move |line| grade(error(line))),
        gbs("predicted_bandwidth_gbs", |pair| pair.predicted).titled("GB/s\npredicted"),
        gbs("measured_bandwidth_gbs", |pair| pair.measured.median).titled("\nmeasured"),
        Of::number("bandwidth_error", move |line: &Line| bandwidth(line).and_then(|pair| pair.error))
            .titled("\nerror")
            .written(|error| signed(Some(error)))
            .graded(move |line| grade(bandwidth(line).and_then(|pair| pair.error)))
            .only_if(with_bandwidth),
        Of::text("bar", |line: &Line| bar(error(line), scale, style)).titled(above),
    ];
    let grid = table::graded(&columns, &lines, style);
    if grid.room(style) < WIDTH { grid.without(grid.columns() - 1).render(style) } else { grid.render(style) }
}

fn bandwidth<'a>(line: &Line<'a>) -> Option<&'a Pair> {
    line.compared.and_then(|compared| compared.bandwidth_gbs.as_ref())
}

/// Uncertainty of a prediction due to the values of the machine.
fn off(pair: &Pair, style: &Style) -> String {
    let interval = pair.interval.map(|(low, high)| Interval { low, high });
    interval.map_or(String::new(), |interval| plus_minus(interval, pair.predicted, style))
}

fn verdict(comparison: &Comparison, style: &Style) -> String {
    let columns = style.columns();
    let sentences = sentences(comparison, style);
    sentences.iter().flat_map(|sentence| wrap(sentence, columns)).map(|line| line + "\n").collect()
}

/// Coverage of the intervals, and the meaning of the rows.
fn coverage(coverage: &Coverage, predicted: bool, style: &Style) -> String {
    let note = if predicted {
        "If the model is right, 95 % is guaranteed only for the last row: each of the other two treats one side as exact. Scenarios share the \
             values of the machine, so their results are correlated and the shares are less certain than they look."
    } else {
        "The machine file has no intervals (interval95_percent), so that the prediction counts as exact: fewer than promised may \
         hold although the model is right."
    };
    let note = format!("{note} {OF_WIDTH}");
    let note: Vec<String> = wrap(&note, style.columns()).iter().map(|line| style.faint(line)).collect();
    let holdings = holdings(coverage);
    format!("{}{}\n", table::grid(&of_coverage(style), &holdings).render(style), note.join("\n"))
}

/// Purpose of the width and of the null models.
const OF_WIDTH: &str = "A wide interval contains anything. Mean width: from end to end, relative to the measured median (in rows of both, the root of the sum of \
             squares). Null models use their own predictions with intervals of the model's relative width: if they contain as many \
             measurements, the width is the reason.";

/// The header above the bars: `-5 %    0    +5 %`.
fn header(scale: f64) -> String {
    let end = format!("{:.0} %", 100.0 * scale);
    format!("{:<SIDE$}0{:>SIDE$}", format!("-{end}"), format!("+{end}"))
}

/// A bar to the left of zero if the model predicts too little, to the right if it predicts too much.
fn bar(error: Option<f64>, scale: f64, style: &Style) -> String {
    let Some(error) = error.filter(|error| error.is_finite()) else { return String::new() };
    if style.markdown {
        return String::new();
    }
    let (zero, shade) = if style.unicode { ("│", "█") } else { ("|", "#") };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to SIDE")]
    let cells = ((error.abs() / scale).min(1.0) * SIDE as f64).round() as usize;
    let drawn = judged(Some(error), &shade.repeat(cells), style);
    if error < 0.0 {
        format!("{}{drawn}{}", " ".repeat(SIDE - cells), style.faint(zero))
    } else {
        format!("{}{}{drawn}", " ".repeat(SIDE), style.faint(zero))
    }
}
