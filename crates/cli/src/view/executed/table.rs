//! Runs on this host for people: a row for each scheduler.

use std::fmt::Write as _;

use numasim_draw::figures;
use numasim_draw::grid::{Align, Grid, wrap};
use numasim_evidence::statistics;

use super::super::{Style, machine_title};
use super::{Executed, ExecutedView, Repetition};

/// The graph, the serial run, and what was measured and simulated under each scheduler; medians over the repetitions.
pub(crate) fn table(view: &ExecutedView<'_>, style: &Style) -> String {
    let (graph, cores) = (view.graph, view.machine.total_cores());
    let serial: Vec<f64> = view.repetitions.iter().map(|one| one.serial_s).collect();
    let right = if view.verdict.is_right() { "right" } else { "WRONG" };
    let mut text = format!(
        "Machine: {}\nModel:   {}\nGraph:   {}; {} MB\nSerial:  {} s{}; {} = {}, at most {}: {right}\n\
         Threads: {}, each bound to a core; pages by first touch; {}\n\n",
        machine_title(view.machine),
        view.machine.sharing().in_words(),
        graph.in_words(),
        figures::single(view.bytes as f64 / 1e6),
        figures::single(median(&serial)),
        interval(&serial).map_or(String::new(), |interval| format!(" ({interval})")),
        view.verdict.what,
        scientific(view.verdict.value),
        scientific(view.verdict.limit),
        figures::count(cores, "worker"),
        figures::count(view.repetitions.len() as u64, "repetition"),
    );
    text += &schedulers(view, style);
    text += "\nKinds of tasks in the serial run:\n\n";
    text += &kinds(view, style);
    text.push('\n');
    let notes = "Measured: median, and an interval that holds it in at least 95 % of all cases (from 6 repetitions on). Simulated: tasks take \
                 the mean time of their kind in the serial run of the same repetition. Off: simulated over measured, less 1. Serial over \
                 cores is what one would say without a simulation. Same: every bit of the result is that of the serial run.";
    for line in wrap(notes, style.columns()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text
}

fn schedulers(view: &ExecutedView<'_>, style: &Style) -> String {
    let cores = view.machine.total_cores();
    let heads = [
        "scheduler",
        "measured\ns",
        "95 %\ninterval",
        "simulated\ns",
        "off",
        "serial /\ncores s",
        "off",
        "speedup\nover serial",
        "same",
    ];
    let aligned: Vec<(&str, Align)> = heads
        .iter()
        .enumerate()
        .map(|(at, head)| (*head, if at == 0 { Align::Left } else { Align::Right }))
        .collect();
    let mut grid = Grid::new(&aligned);
    for (scheduler, label) in view.labels.iter().enumerate() {
        let of = |figure: &dyn Fn(&Repetition, &Executed) -> f64| view.of(scheduler, figure);
        let measured = of(&|_, run| run.measured_s);
        let same = view.of(scheduler, |_, run| f64::from(u8::from(run.is_equal))).iter().all(|&is| is > 0.0);
        grid.row(vec![
            (*label).to_owned(),
            figures::single(median(&measured)),
            interval(&measured).unwrap_or_else(|| "-".to_owned()),
            figures::single(median(&of(&|_, run| run.simulated_s))),
            signed(median(&of(&|_, run| run.error()))),
            figures::single(median(&of(&|one, _| one.divided_s(cores)))),
            signed(median(&of(&|one, run| one.divided_s(cores) / run.measured_s - 1.0))),
            format!("{:.2}", median(&of(&|one, run| one.serial_s / run.measured_s))),
            if same { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    grid.render(style)
}

fn kinds(view: &ExecutedView<'_>, style: &Style) -> String {
    let mut grid = Grid::new(&[
        ("kind", Align::Left),
        ("tasks", Align::Right),
        ("mean\nms", Align::Right),
        ("GFLOPS", Align::Right),
    ]);
    for kind in view.kinds {
        let seconds = median(&kind.seconds);
        let rate = kind.flop / (seconds * kind.tasks as f64) / 1e9;
        let rate = if kind.flop > 0.0 { figures::single(rate) } else { "-".to_owned() };
        let ms = figures::single(seconds * 1e3);
        grid.row(vec![kind.name.clone(), figures::short(kind.tasks as f64), ms, rate]);
    }
    grid.render(style)
}

fn median(values: &[f64]) -> f64 {
    statistics::median(values).unwrap_or(f64::NAN)
}

fn interval(values: &[f64]) -> Option<String> {
    let (low, high) = statistics::median_interval(values)?;
    Some(format!("{} to {}", figures::single(low), figures::single(high)))
}

fn signed(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

fn scientific(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}
