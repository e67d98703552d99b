//! Prediction beside measurement for people: the figures, then in a few lines whether to trust the model.

#[cfg(test)]
mod tests;

use numasim_ask::compare::{
    Compared, PROMISED, WAYS, advantage, judged, percent, place, scale, sentences, signed, spread,
};
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_evidence::compare::{self as evidence, Comparison, Coverage, Errors, Pair};
use numasim_evidence::null_models::NullModel;
use numasim_model::Study;
use numasim_sim::intervals::Interval;

use super::intervals::plus_minus;
use super::{Style, figures, machine_title};

/// Cells on each side of zero.
const SIDE: usize = 8;
/// Columns that a bar takes.
const WIDTH: usize = 2 * SIDE + 1;

/// The whole text.
pub(crate) fn table(compared: &Compared, style: &Style) -> String {
    let head = parties(&compared.study, &compared.measured);
    let comparison = &compared.comparison;
    let intervals = compared.has_intervals();
    let coverage = comparison.coverage.map(|found| coverage(&found, intervals, style)).unwrap_or_default();
    let nulls = null_models(comparison, style);
    [
        head,
        rows(comparison, intervals, style),
        errors(comparison, style),
        nulls,
        coverage,
        verdict(comparison, style),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

/// What was compared with what: also the head of a fit.
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

fn rows(comparison: &Comparison, intervals: bool, style: &Style) -> String {
    /// The column of the intervals.
    const INTERVAL: usize = 2;
    let lines = lines(comparison);
    let gflops = in_columns(&lines, |compared| Some(&compared.gflops));
    let bandwidth = in_columns(&lines, |compared| compared.bandwidth_gbs.as_ref());
    let with_bandwidth = bandwidth.iter().any(|[_, measured]| measured != "-");
    let error = |line: &Line<'_>| line.compared.and_then(|compared| compared.gflops.error);
    let worst = lines.iter().filter_map(error).map(f64::abs).fold(0.0, f64::max);
    let scale = scale(worst);
    let (right, above) = (Align::Right, if style.markdown { String::new() } else { header(scale) });
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
    columns.push((&above, Align::Left));
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
    let (grid, last) =
        if intervals { (grid, columns.len() - 1) } else { (grid.without(INTERVAL), columns.len() - 2) };
    if grid.room(style) < WIDTH { grid.without(last).render(style) } else { grid.render(style) }
}

/// How far off a prediction may be, as far as the figures of the machine make it so.
fn off(pair: &Pair, style: &Style) -> String {
    let interval = pair.interval.map(|(low, high)| Interval { low, high });
    interval.map_or(String::new(), |interval| plus_minus(interval, pair.predicted, style))
}

/// Predicted and measured figures of each line, all with the same number of decimals.
fn in_columns(lines: &[Line<'_>], pair: fn(&evidence::Compared) -> Option<&Pair>) -> Vec<[String; 2]> {
    let pairs: Vec<Option<&Pair>> = lines.iter().map(|line| line.compared.and_then(pair)).collect();
    let values =
        |pair: Option<&Pair>| pair.map_or([f64::NAN; 2], |pair| [pair.predicted, pair.measured.median]);
    let texts = figures::column(&pairs.into_iter().flat_map(values).collect::<Vec<_>>());
    texts.chunks_exact(2).map(|two| [two[0].clone(), two[1].clone()]).collect()
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

fn verdict(comparison: &Comparison, style: &Style) -> String {
    let columns = style.columns();
    let sentences = sentences(comparison, style);
    sentences.iter().flat_map(|sentence| wrap(sentence, columns)).map(|line| line + "\n").collect()
}

/// What each null model would have said of the same measurements; empty where nothing was measured.
fn null_models(comparison: &Comparison, style: &Style) -> String {
    let nulls = &comparison.beside.nulls;
    if nulls.is_empty() {
        return String::new();
    }
    let with_apps = nulls.iter().any(|null| null.apps.is_some());
    let right = Align::Right;
    let mut columns =
        vec![("absolute error\nwithout a rule", Align::Left), ("scenarios\nmean", right), ("\nworst", right)];
    if with_apps {
        columns.extend([("applications\nmean", right), ("\nworst", right)]);
    }
    columns.extend([
        ("model's mean\nis smaller by", right),
        ("\n95 %", right),
        ("\nthe model is", Align::Left),
    ]);
    let mut grid = Grid::new(&columns);
    for null in nulls {
        let mut cells = vec![null.null.in_words().to_owned()];
        let shown = |errors: Option<&Errors>, figure: fn(&Errors) -> f64| {
            let value = errors.map(figure);
            judged(value, &value.map_or_else(|| "-".to_owned(), percent), style)
        };
        for errors in [Some(&null.totals), with_apps.then_some(&null.apps)].into_iter().flatten() {
            cells.extend([shown(errors.as_ref(), |e| e.mean), shown(errors.as_ref(), |e| e.worst)]);
        }
        let [mean, interval, standing] = advantage(null);
        cells.extend([mean, interval, standing]);
        grid.row(cells);
    }
    grid.render(style)
}

/// For people: a row for each way and each kind of figure that has intervals, and what the rows mean.
fn coverage(coverage: &Coverage, predicted: bool, style: &Style) -> String {
    let right = Align::Right;
    let nulls = NullModel::ALL.map(|null| format!("held of\n{}", null.in_words()));
    let mut columns = vec![
        ("coverage of 95 % intervals", Align::Left),
        ("number", right),
        ("hold", right),
        ("promised", right),
        ("share", right),
        ("95 %", Align::Left),
        ("mean\nwidth", right),
    ];
    columns.extend(nulls.iter().map(|null| (null.as_str(), right)));
    let mut grid = Grid::new(&columns);
    for (what, held) in [("scenarios", &coverage.totals), ("applications", &coverage.apps)] {
        for (_, words, of) in WAYS {
            let way = of(held);
            let one = way.model;
            let (Some(share), Some((low, high))) = (one.share(), one.interval()) else { continue };
            let mut cells = vec![
                format!("{what}: {words}"),
                one.of.to_string(),
                style.strong(&one.held.to_string()),
                format!("{:.1}", PROMISED * one.of as f64),
                percent(share),
                format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high),
                way.mean_width.map_or_else(|| "-".to_owned(), percent),
            ];
            let held = way.nulls.iter();
            cells.extend(held.map(|null| if null.of > 0 { null.held.to_string() } else { "-".to_owned() }));
            grid.row(cells);
        }
    }
    let note = if predicted {
        "Only the last of three rows is promised if the model is right: each of the others takes one side for exact. Scenarios \
         share the figures of the machine, so that they hold or miss together and their shares are less certain than said."
    } else {
        "The machine file has no intervals (interval95_percent), so that the prediction counts as exact: fewer than promised may \
         hold although the model is right."
    };
    let note = format!("{note} {OF_WIDTH}");
    let note: Vec<String> = wrap(&note, style.columns()).iter().map(|line| style.faint(line)).collect();
    format!("{}{}\n", grid.render(style), note.join("\n"))
}

/// What width and null models are for.
const OF_WIDTH: &str = "A wide interval holds anything. Mean width: from end to end, of the measured median (in rows of both the root of the \
     sum of squares). Null models have their own figures and, around them, intervals as wide as the model's in parts of the figure: where they \
     hold as many, it is the width that holds.";

/// The header above the bars: `-5 %    0    +5 %`.
fn header(scale: f64) -> String {
    let end = format!("{:.0} %", 100.0 * scale);
    format!("{:<SIDE$}0{:>SIDE$}", format!("-{end}"), format!("+{end}"))
}

/// A bar to the left of zero where the model promises too little, to the right where it promises too much.
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
