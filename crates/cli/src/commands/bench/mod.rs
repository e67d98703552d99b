//! `numasim bench`: runs every scenario on this host and keeps what it measures.

mod begun;
mod doubts;
mod ended;
mod files;
mod planning;
mod progress;
mod same_run;

use std::path::PathBuf;

pub(super) use begun::{tool, typed};
use doubts::Doubting;
use numasim_ask::document;
use numasim_bench::plan::Plan;
use numasim_bench::provenance::Provenance;
use numasim_bench::runner::{HostRunner, Settings};
use numasim_bench::session::{self, Session};
use numasim_evidence::measured::summarise;
use numasim_host::HostTopology;
use numasim_model::cpus::CpuList;

use crate::args::{BenchArgs, Benchmark};
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::view::bench::{self as view, Planned, Result as ResultView};
use crate::watch;
use files::Files;
use planning::Asked;
use progress::Progress;

/// Where measurements are kept.
pub(super) struct Kept {
    /// The file; `None`: one with the name of the host and the time.
    pub(super) path: Option<PathBuf>,
    /// The run that wrote it goes on.
    pub(super) resume: bool,
    /// They are a part of more, in which data shall fit a cache: there is no summary.
    pub(super) is_part: bool,
}

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, shell: &Shell) -> Result<(), Failure> {
    if args.dry_run {
        return dry_run(&args.asked, args.format, shell);
    }
    let kept = Kept { path: args.output.clone(), resume: args.resume, is_part: false };
    measure(&args.asked, &kept, args.format, shell)
}

/// What is known before anything is measured.
struct Prepared {
    host: HostTopology,
    asked: Asked,
    plan: Plan,
    settings: Settings,
    used: CpuList,
    doubting: Doubting,
}

fn prepare(args: &Benchmark, is_part: bool, shell: &Shell) -> Result<Prepared, Failure> {
    let host = numasim_host::host_to_measure("bench").map_err(|error| Failure::input(error.to_string()))?;
    let asked = Asked::read(args)?;
    let plan = planning::plan(&asked, args, &host)?;
    let settings = settings(args, &plan)?;
    planning::tell(&plan, shell);
    let used = doubts::used(&plan)?;
    let doubting = Doubting::new(&asked.study, &plan, &settings, &used);
    doubting.tell_before(is_part, shell);
    Ok(Prepared { host, asked, plan, settings, used, doubting })
}

/// Measures, keeps what was measured, and prints a summary of it.
pub(super) fn measure(args: &Benchmark, kept: &Kept, format: Format, shell: &Shell) -> Result<(), Failure> {
    let Prepared { host, asked, plan, settings, used, mut doubting } = prepare(args, kept.is_part, shell)?;
    let mut provenance = begun::provenance(&asked, args, &host, &plan, &settings, &doubting);
    let mut files = Files::open(kept, args.repeat, &plan, &mut provenance)?;
    shell.note(format!("measurements go to {}", files.path().display()));

    watch::listen();
    let mut runner = HostRunner::new(watch::stop_flag());
    let mut progress = Progress::new(&plan, args.repeat, &files.earlier, shell);
    let session = Session {
        plan: &plan,
        settings: &settings,
        repetitions: args.repeat,
        run: &provenance.run,
        doubts: &doubting.before,
    };
    let earlier = std::mem::take(&mut files.earlier);
    let outcome = session::run(&session, earlier, &mut runner, &mut files, &mut progress);
    progress.finish();
    doubting.after(&outcome.repeated, &used);
    ended::complete(&mut provenance, &outcome, &doubting);
    let is_whole = files.finish(&plan, &provenance, &outcome)?;

    doubting.tell_shown(shell);
    // Of a part of more there is no summary.
    if is_whole && !kept.is_part {
        let summaries = summarise(&plan.expected_rows(), &outcome.rows);
        let result = ResultView {
            host: &host,
            plan: &plan,
            provenance: &provenance,
            path: files.path(),
            study: files.study(),
            beside: files.provenance(),
            outcome: &outcome,
            summaries: &summaries,
        };
        Destination::Stdout.deliver(&match format {
            format @ (Format::Table | Format::Markdown) => {
                shell.for_people(format, false, |style| view::table(&result, style))
            }
            Format::Json => document::pretty(&view::json(&result)),
            Format::Csv => view::csv(&summaries),
        })?;
    }
    ended::verdict(&outcome, files.path(), shell)
}

/// What is the same for all measurements.
fn settings(args: &Benchmark, plan: &Plan) -> Result<Settings, Failure> {
    let isa = super::measuring::available(args.isa)?;
    let largest_share = || {
        let of = |scenario: &numasim_bench::plan::PlannedScenario| {
            let threads: Vec<_> =
                scenario.apps.iter().flat_map(|app| &app.threads).map(|thread| &thread.cpus).collect();
            numasim_host::memory::bytes_per_thread(&threads)
        };
        plan.scenarios.iter().map(of).max().unwrap_or(0)
    };
    Ok(Settings {
        isa,
        warm_up: args.warm_up,
        window: args.window,
        bytes_per_thread: args.memory_per_thread.unwrap_or_else(largest_share),
        processes: args.processes,
    })
}

fn dry_run(args: &Benchmark, format: Format, shell: &Shell) -> Result<(), Failure> {
    let Prepared { host, plan, settings, doubting, .. } = prepare(args, false, shell)?;
    let planned = Planned {
        host: &host,
        plan: &plan,
        settings: &settings,
        repetitions: args.repeat,
        doubts: &doubting.before,
    };
    Destination::Stdout.deliver(&match format {
        Format::Table | Format::Markdown => {
            shell.for_people(format, false, |style| view::plan_table(&planned, style))
        }
        Format::Json => document::pretty(&view::plan_json(&planned)),
        Format::Csv => view::plan_csv(&planned),
    })
}

/// The provenance that a resumed run takes over from its first part.
fn take_over(provenance: &mut Provenance, earlier: Provenance) {
    provenance.run = earlier.run;
    provenance.started_utc = earlier.started_utc;
    for recorded in earlier.doubts {
        if !provenance.doubts.contains(&recorded) {
            provenance.doubts.push(recorded);
        }
    }
}
