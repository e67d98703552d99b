//! `numasim calibrate`: measures this host and writes its machine file.

mod plan;
mod shown;

use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use numasim_ask::document;
use numasim_bench::calibrate::{
    CalibrateError, Calibration, Described, Options, Progress, calibrate, machine_file,
};
use numasim_bench::doubt::{self, Doubt};
use numasim_bench::provenance::utc;
use numasim_bench::runner::{HostRunner, RunError, Settings};
use numasim_host::system::{Facts, SAMPLE, System};
use numasim_host::{HostTopology, memory};
use numasim_model::Access;
use numasim_model::cpus::CpuList;

use super::measuring::{available, tell};
use crate::args::{CalibrateArgs, Calibrating};
use crate::failure::Failure;
use crate::output::{Destination, Format, without_table};
use crate::shell::Shell;
use crate::threads;
use crate::watch::{self, REDRAW, SHOW_AFTER};

/// Everything that is known when a calibration has ended.
pub(super) struct Calibrated {
    host: HostTopology,
    facts: Facts,
    settings: Settings,
    calibration: Calibration,
    described: Described,
    doubts: Vec<Doubt>,
}

/// Runs the command.
pub(crate) fn run(args: &CalibrateArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    if args.dry_run {
        let host = topology("calibrate")?;
        let (settings, options) = asked(&args.asked, &host)?;
        return destination.deliver(&plan::render(&host, &settings, &options, &args.output, shell));
    }
    if args.output.format == Format::Markdown {
        return Err(without_table("calibrate writes a machine file"));
    }
    let found = measure(&args.asked, "calibrate", shell)?;
    destination.deliver(&match args.output.format {
        Format::Table | Format::Markdown => found.machine_file()?,
        Format::Json => document::pretty(&shown::json(&found)),
        Format::Csv => found.csv(),
    })
}

impl Calibrated {
    /// The machine file.
    ///
    /// # Errors
    /// What was measured is no machine.
    pub(super) fn machine_file(&self) -> Result<String, Failure> {
        machine_file(&self.host, &self.calibration, &self.described)
            .map_err(|error| Failure::input("the measured figures are those of no machine").caused_by(&error))
    }

    /// Every round of every step.
    pub(super) fn csv(&self) -> String {
        shown::csv(self)
    }
}

/// Measures this host. `purpose` is the command that needs it.
pub(super) fn measure(
    args: &Calibrating,
    purpose: &'static str,
    shell: &Shell,
) -> Result<Calibrated, Failure> {
    let host = topology(purpose)?;
    let (settings, options) = asked(args, &host)?;
    let used = used(&host)?;
    let facts = System::host().facts(&used, SAMPLE);
    let mut doubts = doubt::before(&facts, &used);
    tell(doubts.iter(), shell);
    let rounds = options.rounds;
    shell.note(plan::in_one_line(&host, &settings, &options));

    watch::listen();
    let started = SystemTime::now();
    let mut runner = HostRunner::new(watch::stop_flag());
    let mut bar = Bar::new(shell);
    let measured =
        calibrate(&host, &options, &settings, &mut runner, &mut |progress: Progress<'_>| bar.show(&progress));
    bar.finish();
    let calibration = measured.map_err(|error| refused(&error))?;
    if (rounds as usize) < 5 {
        doubts.push(Doubt::FewRepetitions { repetitions: rounds as usize });
    }
    let name = args.name.clone().unwrap_or_else(|| host.name.clone());
    let source = source(&facts, &settings, rounds, started);
    let recorded = doubts.iter().map(|doubt| format!("{}: {doubt}", doubt.code())).collect();
    let described = Described { name, source, processor: facts.cpu_model.clone(), doubts: recorded };
    if host.nodes.len() == 1 {
        shell.note("this host has one NUMA node: no link was measured");
    }
    Ok(Calibrated { host, facts, settings, calibration, described, doubts })
}

fn topology(purpose: &'static str) -> Result<HostTopology, Failure> {
    numasim_host::host_to_measure(purpose).map_err(|error| Failure::input(error.to_string()))
}

/// How to measure, by the command line.
fn asked(args: &Calibrating, host: &HostTopology) -> Result<(Settings, Options), Failure> {
    let isa = available(args.isa)?;
    let (rounds, window, warm_up) = if args.quick {
        (3, Duration::from_millis(200), Duration::from_millis(100))
    } else {
        (args.rounds, args.window, args.warm_up)
    };
    let bytes_per_thread = args.memory_per_thread.unwrap_or_else(|| default_bytes(host));
    let settings = Settings { isa, warm_up, window, bytes_per_thread, processes: false };
    let kernels = if args.reads_only { Vec::new() } else { Access::WRITING.to_vec() };
    let variants = !args.quick && !args.usual_kernels;
    Ok((
        settings,
        Options {
            rounds,
            coarse: args.quick,
            kernels,
            variants,
            any_isa: args.isa.is_none(),
            latencies: !args.quick,
        },
    ))
}

/// All processors that are used.
fn used(host: &HostTopology) -> Result<CpuList, Failure> {
    let lists = host.nodes.iter().filter_map(|node| node.cpus.as_ref());
    let cpus = lists.flat_map(|list| list.as_slice().iter().copied()).collect();
    CpuList::new(cpus)
        .map_err(|error| Failure::input("this host reports no usable processor").caused_by(&error))
}

/// What a thread needs so that caches do not answer for memory, with all cores of a node at work.
fn default_bytes(host: &HostTopology) -> u64 {
    let of_node = |cpus: &CpuList| {
        let each: Vec<CpuList> =
            cpus.as_slice().iter().filter_map(|&cpu| CpuList::new(vec![cpu]).ok()).collect();
        memory::bytes_per_thread(&each.iter().collect::<Vec<_>>())
    };
    host.nodes.iter().filter_map(|node| node.cpus.as_ref()).map(of_node).max().unwrap_or(0)
}

/// How and when it was measured, in one line.
fn source(facts: &Facts, settings: &Settings, rounds: u32, started: SystemTime) -> String {
    let cpu = facts.cpu_model.as_deref().unwrap_or("unknown processor");
    let kernel = facts.kernel_release.as_deref().unwrap_or("unknown");
    let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
    format!(
        "numasim {} calibrate, {}: {cpu}, Linux {kernel}, kernels read and {}, {rounds} of {} s, {} MiB per thread",
        env!("CARGO_PKG_VERSION"),
        utc(started),
        settings.isa,
        settings.window.as_secs_f64(),
        settings.bytes_per_thread >> 20,
    )
}

fn refused(error: &CalibrateError) -> Failure {
    match error {
        CalibrateError::Run { source: RunError::Interrupted, .. } => {
            Failure::interrupted("interrupted: an incomplete calibration is not written")
        }
        CalibrateError::Run { step, source } => {
            Failure::input(format!("cannot measure {step}")).caused_by(source)
        }
        CalibrateError::Misplaced { .. } => Failure::input(error.to_string())
            .hint("threads or pages were moved twice: see the doubts, and sysctl kernel.numa_balancing"),
        CalibrateError::Kernel(_) | CalibrateError::NoCores => Failure::input(error.to_string()),
    }
}

/// How far it is, for people in front of a terminal.
struct Bar {
    start: Instant,
    drawn: Option<ProgressBar>,
    shown: bool,
}

impl Bar {
    fn new(shell: &Shell) -> Self {
        let drawn = shell
            .stderr_is_terminal
            .then(|| ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden()));
        Self { start: Instant::now(), drawn, shown: false }
    }

    fn show(&mut self, progress: &Progress<'_>) {
        let Some(bar) = &self.drawn else { return };
        if !self.shown && self.start.elapsed() >= SHOW_AFTER {
            self.shown = true;
            let template = "calibrating {elapsed} [{bar:8}] {pos} of {len}, {eta} left: {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_draw_target(ProgressDrawTarget::stderr());
            threads::tick(bar, REDRAW);
        }
        bar.set_length(progress.of as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(progress.next.to_string());
    }

    fn finish(&self) {
        if let Some(bar) = &self.drawn {
            bar.finish_and_clear();
        }
    }
}
