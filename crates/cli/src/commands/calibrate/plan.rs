//! What a calibration would measure, and how long it takes.

use std::fmt::Write as _;
use std::time::Duration;

use numasim_ask::document;
use numasim_ask::document::Head;
use numasim_ask::measuring::{PlannedCalibration, PlannedPart};
use numasim_ask::table::{Of, csv};
use numasim_bench::calibrate::{Options, Part, plan};
use numasim_bench::runner::Settings;
use numasim_draw::grid::{Align, Grid};
use numasim_host::HostTopology;

use crate::output::{Format, OutputArgs};
use crate::shell::Shell;
use crate::view::Style;

/// What stands beside every sum of seconds.
const BESIDES: &str = "windows and warming up; filling the memory of each measurement takes more";

/// The plan, for `--dry-run`.
pub(super) fn render(
    host: &HostTopology,
    settings: &Settings,
    options: &Options,
    output: &OutputArgs,
    shell: &Shell,
) -> String {
    let parts = plan(host, options);
    match output.format {
        Format::Table => table(&parts, settings),
        Format::Markdown => shell.for_people(Format::Markdown, true, |style| grid(&parts, settings, style)),
        Format::Json => document::pretty(&document(&parts, settings)),
        Format::Csv => {
            let columns = [
                Of::text("what", |part: &Part| part.what),
                Of::count("steps", |part: &Part| part.steps),
                Of::count("rounds", |part: &Part| part.rounds),
                Of::count("measurements", Part::measurements),
                Of::number("seconds", |part: &Part| part.time(settings).as_secs_f64()),
            ];
            csv(&columns, parts)
        }
    }
}

fn document(parts: &[Part], settings: &Settings) -> PlannedCalibration {
    let (measurements, time) = sum(parts, settings);
    let part = |part: &Part| PlannedPart {
        what: part.what.to_owned(),
        steps: part.steps as u64,
        rounds: part.rounds,
        measurements: part.measurements() as u64,
        seconds: part.time(settings).as_secs_f64(),
    };
    PlannedCalibration {
        head: Head::of("calibrate"),
        dry_run: true,
        parts: parts.iter().map(part).collect(),
        measurements: measurements as u64,
        seconds: time.as_secs_f64(),
    }
}

fn table(parts: &[Part], settings: &Settings) -> String {
    let mut text = format!("{:<46} {:>7} {:>7} {:>9}\n", "at most", "steps", "rounds", "seconds");
    for part in parts {
        let seconds = part.time(settings).as_secs_f64();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<46} {:>7} {:>7} {seconds:>9.1}", part.what, part.steps, part.rounds);
    }
    let (measurements, time) = sum(parts, settings);
    let _ = writeln!(text, "{measurements} measurements, {}: {BESIDES}", words(time));
    text
}

/// The same as a table of any width.
fn grid(parts: &[Part], settings: &Settings, style: &Style) -> String {
    let columns = [
        ("at most", Align::Left),
        ("steps", Align::Right),
        ("rounds", Align::Right),
        ("time s", Align::Right),
    ];
    let mut grid = Grid::new(&columns);
    for part in parts {
        let seconds = format!("{:.1}", part.time(settings).as_secs_f64());
        grid.row(vec![part.what.to_owned(), part.steps.to_string(), part.rounds.to_string(), seconds]);
    }
    let (measurements, time) = sum(parts, settings);
    format!("{}\n{measurements} measurements, {}: {BESIDES}\n", grid.render(style), words(time))
}

/// The same for a note before it begins.
pub(super) fn in_one_line(host: &HostTopology, settings: &Settings, options: &Options) -> String {
    let (measurements, time) = sum(&plan(host, options), settings);
    format!("at most {measurements} measurements, {}: {BESIDES}", words(time))
}

fn sum(parts: &[Part], settings: &Settings) -> (usize, Duration) {
    (parts.iter().map(Part::measurements).sum(), parts.iter().map(|part| part.time(settings)).sum())
}

/// `45 s`, `12 min`.
fn words(time: Duration) -> String {
    match time.as_secs() {
        0..=119 => format!("{:.0} s", time.as_secs_f64()),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use numasim_kernels::loops::Isa;
    use numasim_model::Access;

    use super::*;

    #[test]
    fn the_plan_says_what_and_how_long() {
        let options = Options {
            rounds: 5,
            coarse: false,
            kernels: Access::WRITING.to_vec(),
            variants: false,
            any_isa: true,
            latencies: false,
        };
        let mut host = HostTopology::from_cores("box", &[2, 2, 2, 2]);
        for (node, package) in host.nodes.iter_mut().zip([0, 0, 1, 1]) {
            node.packages = vec![package];
        }
        let settings = Settings {
            isa: Isa::Portable,
            warm_up: Duration::from_millis(300),
            window: Duration::from_secs(1),
            bytes_per_thread: 1 << 20,
            processes: false,
        };
        // Each node: peak and bandwidth of 1 and of 2 threads. 12 pairs, two thread counts each. Two directions between the
        // sockets, two ways each. Each node: two mixes, and three kernels that write with two thread counts. (16 + 24 + 24 + 4 + 8) x 5 x
        // 1.3 s = 494 s.
        let text = table(&plan(&host, &options), &settings);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[4], "kernels that write, on each node                    24       5     156.0");
        assert_eq!(lines[5], "links between sockets, all nodes at once             4       5      26.0");
        assert!(lines[8].starts_with("380 measurements, 9 min: windows"), "{text}");
    }
}
