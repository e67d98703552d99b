//! A run for people.

use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid};
use numasim_evidence::measured::{Figure, Summary};
use numasim_model::text::visible;

use super::{Result, threads};
use crate::view::{Style, figures};

/// Median and extremes of every application.
pub(crate) fn table(result: &Result, style: &Style) -> String {
    let mut text = head(result);
    text.push('\n');
    text.push_str(&summaries(result.summaries, style));
    if let Some(percent) =
        result.summaries.iter().filter_map(|one| one.counting_percent).max_by(f64::total_cmp)
    {
        let percent = figures::short((percent * 1e3).ceil() / 1e3);
        // Writing to a String cannot fail.
        let _ = write!(text, "\nCounting      took at most {percent} % of a window\n");
    }
    let files = [("Measurements", result.path), ("Provenance", result.beside), ("What ran", result.study)];
    text.push('\n');
    for (what, path) in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{what:<13} {}", visible(&path.display().to_string()));
    }
    text
}

fn head(result: &Result) -> String {
    let settings = &result.provenance.settings;
    let nodes = figures::count(result.host.nodes.len() as u64, "NUMA node");
    let cores: u64 = result.host.nodes.iter().map(|node| u64::from(node.cores)).sum();
    let cores = figures::count(cores, "usable core");
    let model =
        result.provenance.facts.cpu_model.as_deref().map_or_else(String::new, |model| format!(", {model}"));
    format!(
        "Host          {} ({nodes}, {cores}{model})\nRun           {}\nMeasured      {}\n",
        result.host.name,
        result.provenance.run,
        measured(result, settings.repeat),
    )
}

fn measured(result: &Result, repetitions: u32) -> String {
    let settings = &result.provenance.settings;
    let bound = match settings.bind.as_str() {
        "node" => "threads bound to their node",
        "none" => "threads not bound",
        _ => "one core for each thread",
    };
    let apart = if settings.processes { ", a process for each application" } else { "" };
    format!(
        "{}, window {} s after {} s, {} kernels, {}, {bound}{apart}",
        figures::count(u64::from(repetitions), "repetition"),
        figures::short(settings.window_s),
        figures::short(settings.warm_up_s),
        settings.isa,
        super::data(result.plan, settings.bytes_per_thread),
    )
}

fn summaries(summaries: &[Summary], style: &Style) -> String {
    let column = |value: fn(&Figure) -> f64, of: fn(&Summary) -> Option<Figure>| -> Vec<String> {
        let values: Vec<f64> =
            summaries.iter().map(|one| of(one).map_or(f64::NAN, |figure| value(&figure))).collect();
        figures::column(&values)
    };
    let gflops = |value: fn(&Figure) -> f64| column(value, |one| one.gflops);
    let (median, least, most) = (gflops(|f| f.median), gflops(|f| f.min), gflops(|f| f.max));
    let bandwidth = column(|f| f.median, |one| one.bandwidth_gbs);
    let mut grid = Grid::new(&[
        ("scenario", Align::Left),
        ("application", Align::Left),
        ("GFLOPS\nmedian", Align::Right),
        ("min", Align::Right),
        ("max", Align::Right),
        ("spread", Align::Right),
        ("GB/s\nmedian", Align::Right),
        ("valid", Align::Right),
        ("threads on nodes", Align::Left),
    ]);
    let mut last = "";
    for (row, one) in summaries.iter().enumerate() {
        let fitted = if one.fitted { " (fitted)" } else { "" };
        let name = if one.scenario == last { String::new() } else { format!("{}{fitted}", one.scenario) };
        last = &one.scenario;
        let spread = one.gflops.and_then(|figure| figure.spread);
        let strong = |text: &str| if one.app.is_none() { style.strong(text) } else { text.to_owned() };
        grid.row(vec![
            name,
            strong(one.app.as_deref().unwrap_or("together")),
            strong(&median[row]),
            least[row].clone(),
            most[row].clone(),
            spread.map_or_else(|| "-".to_owned(), |spread| format!("{:.1} %", 100.0 * spread)),
            bandwidth[row].clone(),
            one.repetitions.to_string(),
            threads(&one.threads),
        ]);
    }
    grid.render(style)
}
