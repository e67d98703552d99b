//! `numasim calibrate`: measures this host and writes its machine file.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use numasim_ask::measuring as document;
use numasim_ask::measuring::{PlannedCalibration, PlannedPart};
use numasim_ask::table::{self, Of};
use numasim_bench::calibrate::{
    CalibrateError, Calibration, Choice, Described, Figure, Flow, MeasuredStep, NodeFigures, Options, Part,
    Penalty, Progress, Purpose, SharedFigure, Together, calibrate, machine_file, plan,
};
use numasim_bench::doubt::{self, Doubt};
use numasim_bench::provenance::utc;
use numasim_bench::runner::{HostRunner, RunError, Settings};
use numasim_host::memory;
use numasim_host::system::{Facts, SAMPLE, System};
use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_study::topology::{HostNode, HostTopology};

use crate::args::{CalibrateArgs, Calibrating};
use crate::commands::measuring::{available, tell};
use crate::failure::Failure;
use crate::output::{Destination, Format, without_table};
use crate::shell::Shell;
use crate::view::bench::doubt;
use crate::view::{Style, numbers};
use crate::watch::{self, Bar};

/// All results at the end of a calibration.
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
    let destination = args.output.open()?;
    if args.dry_run {
        let host = topology("calibrate")?;
        let (settings, options) = asked(&args.asked, &host)?;
        return planned(&host, &settings, &options, args.output.format, &destination, shell);
    }
    if args.output.format == Format::Markdown {
        return Err(without_table("calibrate writes a machine file"));
    }
    let found = measure(&args.asked, "calibrate", shell)?;
    let file = found.machine_file()?;
    shell.answer(&destination, args.output.format, |_| file, &json(&found), || found.csv())
}

impl Calibrated {
    /// The machine file.
    ///
    /// # Errors
    /// The measurements do not form a valid machine.
    pub(super) fn machine_file(&self) -> Result<String, Failure> {
        machine_file(&self.host, &self.calibration, &self.described)
            .map_err(|error| Failure::input("the measured figures are those of no machine").caused_by(&error))
    }

    /// Every round of every step.
    pub(super) fn csv(&self) -> String {
        csv(self)
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
    shell.note(format!("at most {}", in_words(&plan(&host, &options), &settings).trim_end()));

    watch::listen();
    let started = SystemTime::now();
    let mut runner = HostRunner::new(watch::stop_flag());
    let bar = Bar::new("calibrating {elapsed} [{bar:8}] {pos} of {len}, {eta} left: {wide_msg}", 1, 0, shell);
    let mut show = |progress: Progress<'_>| {
        if let Some(bar) = bar.drawn() {
            bar.set_length(progress.of as u64);
            bar.set_position(progress.done as u64);
            bar.set_message(progress.next.to_string());
        }
    };
    let measured = calibrate(&host, &options, &settings, &mut runner, &mut show);
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

/// Settings of the measurements, from the command line.
fn asked(args: &Calibrating, host: &HostTopology) -> Result<(Settings, Options), Failure> {
    if args.smt && !host.has_second_threads() {
        let hint = "leave --smt out; lscpu shows `Thread(s) per core`, and offline processors";
        return Err(Failure::input("this host does not show two hardware threads on each core").hint(hint));
    }
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
            siblings: args.smt,
        },
    ))
}

/// All logical CPUs in use.
fn used(host: &HostTopology) -> Result<CpuList, Failure> {
    let lists = host.nodes.iter().filter_map(|node| node.cpus.as_ref());
    let cpus = lists.flat_map(|list| list.as_slice().iter().copied()).collect();
    CpuList::new(cpus)
        .map_err(|error| Failure::input("this host reports no usable processor").caused_by(&error))
}

/// Data size per thread that exceeds the caches when all cores of a node are active.
fn default_bytes(host: &HostTopology) -> u64 {
    let of_node = |cpus: &CpuList| {
        let each: Vec<CpuList> =
            cpus.as_slice().iter().filter_map(|&cpu| CpuList::new(vec![cpu]).ok()).collect();
        memory::bytes_per_thread(&each.iter().collect::<Vec<_>>())
    };
    host.nodes.iter().filter_map(|node| node.cpus.as_ref()).map(of_node).max().unwrap_or(0)
}

/// Method and date of the measurement, in one line.
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
            .hint("threads or pages were moved twice: see the warnings, and sysctl kernel.numa_balancing"),
        CalibrateError::Kernel(_) | CalibrateError::NoCores => Failure::input(error.to_string()),
    }
}

// The planned measurements of a calibration, and their duration.

/// The remark next to every sum of seconds.
const BESIDES: &str = "windows and warming up; filling the memory of each measurement takes more";

/// `--dry-run`.
fn planned(
    host: &HostTopology,
    settings: &Settings,
    options: &Options,
    format: Format,
    destination: &Destination,
    shell: &Shell,
) -> Result<(), Failure> {
    let parts = plan(host, options);
    let seconds = |part: &Part| part.time(settings).as_secs_f64();
    let columns = [
        Of::text("what", |part: &Part| part.what).titled("at most"),
        Of::count("steps", |part: &Part| part.steps),
        Of::count("rounds", |part: &Part| part.rounds),
        Of::count("measurements", Part::measurements).only_if(false),
        Of::number("seconds", seconds).titled("time s").written(|seconds| format!("{seconds:.1}")),
    ];
    let sentence = in_words(&parts, settings);
    let text = |style: &Style| {
        if style.markdown {
            return format!("{}\n{sentence}", table::grid(&columns, &parts).render(style));
        }
        spaced(&parts, settings) + &sentence
    };
    let rows = || table::csv(&columns, parts.iter());
    shell.answer(destination, format, text, &plan_document(&parts, settings), rows)
}

/// The same in fixed-width columns.
fn spaced(parts: &[Part], settings: &Settings) -> String {
    let mut text = format!("{:<46} {:>7} {:>7} {:>9}\n", "at most", "steps", "rounds", "seconds");
    for part in parts {
        let seconds = part.time(settings).as_secs_f64();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<46} {:>7} {:>7} {seconds:>9.1}", part.what, part.steps, part.rounds);
    }
    text
}

fn plan_document(parts: &[Part], settings: &Settings) -> PlannedCalibration {
    let (measurements, time) = sum(parts, settings);
    let part = |part: &Part| PlannedPart {
        what: part.what.to_owned(),
        steps: part.steps as u64,
        rounds: part.rounds,
        measurements: part.measurements() as u64,
        seconds: part.time(settings).as_secs_f64(),
    };
    PlannedCalibration {
        head: numasim_ask::document::Head::of("calibrate"),
        dry_run: true,
        parts: parts.iter().map(part).collect(),
        measurements: measurements as u64,
        seconds: time.as_secs_f64(),
    }
}

/// The number of measurements and their duration.
fn in_words(parts: &[Part], settings: &Settings) -> String {
    let (measurements, time) = sum(parts, settings);
    format!("{measurements} measurements, {}: {BESIDES}\n", words(time))
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

// A calibration as JSON and CSV.

/// Values, steps, measurement warnings and settings.
fn json(found: &Calibrated) -> document::Calibrated {
    let calibration = &found.calibration;
    let row =
        |row: &Vec<Option<Figure>>| row.iter().map(|cell| cell.as_ref().map(figure)).collect::<Vec<_>>();
    let nodes = found.host.nodes.iter().zip(&calibration.nodes).enumerate();
    let latencies = calibration.latencies.as_ref();
    document::Calibrated {
        head: numasim_ask::document::Head::of("calibrate"),
        machine: found.described.name.clone(),
        source: found.described.source.clone(),
        isa: found.settings.isa.as_str().to_owned(),
        window_s: found.settings.window.as_secs_f64(),
        warm_up_s: found.settings.warm_up.as_secs_f64(),
        bytes_per_thread: found.settings.bytes_per_thread,
        kernels: calibration.variants.iter().map(way).collect(),
        nodes: nodes.map(|(number, (node, figures))| of_node(number, node, figures)).collect(),
        bandwidth_matrix_gbs: calibration.matrix().iter().map(row).collect(),
        latency_matrix_ns: latencies.map(|found| found.ns.iter().map(row).collect()),
        lines_in_flight: latencies.map(|found| row(&found.lines)),
        benchmark_lines: latencies.map(|found| {
            let of = |node| calibration.benchmark_lines(NodeId(node)).as_ref().map(figure);
            (0..found.ns.len()).map(of).collect()
        }),
        smt: calibration.siblings.as_ref().map(|found| document::Siblings {
            speedup: figure(&found.speedup),
            core_bandwidth_gbs: figure(&found.core_bandwidth),
            bandwidth_ratio: figure(&found.bandwidth_ratio),
        }),
        model: calibration.model().name().to_owned(),
        penalties: calibration.penalties.iter().map(penalty).collect(),
        shared_links: calibration.shared_links.iter().map(shared).collect(),
        steps: calibration.steps.iter().map(step).collect(),
        doubts: found.doubts.iter().map(|one| doubt(one.into())).collect(),
        host: numasim_ask::document::value(&found.facts),
    }
}

fn figure(figure: &Figure) -> document::Figure {
    document::Figure {
        median: figure.median,
        min: figure.min,
        max: figure.max,
        rounds: figure.samples as u64,
        uncertainty_percent: figure.uncertainty_percent(),
        interval95_percent: figure.reach95.map(|reach| 100.0 * reach),
    }
}

fn of_node(number: usize, node: &HostNode, figures: &NodeFigures) -> document::CalibratedNode {
    let of_kernel = |kernel: Access| {
        let found = figures.kernels.iter().find(|(other, _)| *other == kernel);
        found.map(|(_, found)| figure(found))
    };
    document::CalibratedNode {
        node: number as u64,
        os_index: node.os_index,
        cores: node.cores,
        gflops_per_core: figures.peak_per_core.as_ref().map(figure),
        gflops_of_one_core_alone: figures.peak_alone.as_ref().map(figure),
        core_bandwidth_gbs: figures.core_bandwidth.as_ref().map(figure),
        bandwidth_gbs: figure(&figures.bandwidth),
        copy_gbs: of_kernel(Access::Copy),
        triad_gbs: of_kernel(Access::Triad),
        update_gbs: of_kernel(Access::Update),
        saturating_threads: figures.saturating_threads,
        read: figures.read.as_ref().map(together),
        l3: figures.l3.as_ref().map(|found| document::CalibratedL3 {
            cores: found.cores,
            one: together(&found.one),
            two_gbs: figure(&found.two),
        }),
    }
}

fn penalty(penalty: &Penalty) -> document::Penalty {
    let (found, reason) = (penalty.found.as_ref().ok(), penalty.found.as_ref().err());
    document::Penalty {
        key: penalty.parameter.as_str().to_owned(),
        value: found.map_or(penalty.usual(), |found| found.value),
        fitted: found.is_some(),
        low: found.and_then(|found| found.low),
        high: found.and_then(|found| found.high),
        thread_counts: found.map(|found| found.counts as u64),
        mean_error: found.map(|found| found.mean_error),
        reason: reason.cloned(),
    }
}

fn way(choice: &Choice) -> document::Way {
    document::Way {
        kernel: choice.access.as_str().to_owned(),
        isa: choice.variant.isa.as_str().to_owned(),
        streams: choice.variant.streams,
        prefetch_bytes: choice.variant.prefetch_bytes,
        stores: choice.variant.stores.as_str().to_owned(),
        gain: choice.gain.as_ref().map(figure),
    }
}

/// Bandwidth of several readers at the same time, whether or not the machine file has a line for it.
fn together(found: &Together) -> document::Together {
    document::Together {
        gbs: figure(&found.bandwidth),
        predicted_gbs: found.predicted_gbs,
        limits: found.limits(),
    }
}

fn shared(link: &SharedFigure) -> document::SharedLink {
    document::SharedLink {
        from_socket: link.sockets.0,
        to_socket: link.sockets.1,
        from: numbers(&link.from),
        to: numbers(&link.to),
        read: together(&link.together),
    }
}

fn step(done: &MeasuredStep) -> document::Step {
    let (gflops, bandwidth_gbs) = done.rounds.iter().copied().unzip();
    let only = |nodes: Vec<NodeId>| match nodes.as_slice() {
        [node] => Some(node.0 as u64),
        _ => None,
    };
    let flow = |flow: &Flow| document::Flow {
        from_node: flow.from.0 as u64,
        to_node: flow.to.0 as u64,
        threads: flow.threads,
    };
    document::Step {
        measures: measures(done).to_owned(),
        from_node: only(done.step.from_nodes()),
        to_node: only(done.step.to_nodes()),
        threads: done.step.threads(),
        flows: done.step.flows.iter().map(flow).collect(),
        gflops,
        bandwidth_gbs,
    }
}

fn measures(done: &MeasuredStep) -> &'static str {
    match done.step.purpose {
        Purpose::Peak => "peak",
        Purpose::Bandwidth => "bandwidth",
        Purpose::InDomains => "l3-domains",
        Purpose::SiblingsPeak => "siblings-peak",
        Purpose::SiblingsBandwidth => "siblings-bandwidth",
        Purpose::SharedLink => "shared-link",
        Purpose::NodeRead => "node-read",
        Purpose::Chains(1) => "latency",
        Purpose::Chains(_) => "chains",
        Purpose::Kernel(kernel) | Purpose::Variant(kernel, _) => kernel.as_str(),
    }
}

/// Every round of every step. Nodes of several flows are ranges; `flows` lists each as `FROM>TO:THREADS`.
fn csv(found: &Calibrated) -> String {
    type Row<'v> = (&'v MeasuredStep, (u32, (f64, f64)));
    let ranges = |nodes: &[NodeId]| {
        let numbers: Vec<u32> = nodes.iter().filter_map(|node| u32::try_from(node.0).ok()).collect();
        numasim_model::cpus::ranges(&numbers)
    };
    let flows = |done: &MeasuredStep| {
        let flows = done.step.flows.iter();
        flows
            .map(|flow| format!("{}>{}:{}", flow.from.0, flow.to.0, flow.threads))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let columns = [
        Of::text("measures", |(done, _): &Row| measures(done)),
        Of::text("from_node", |(done, _): &Row| ranges(&done.step.from_nodes())),
        Of::text("to_node", |(done, _): &Row| ranges(&done.step.to_nodes())),
        Of::whole("threads", |(done, _): &Row| done.step.threads()),
        Of::whole("round", |(_, (round, _)): &Row| *round),
        Of::number("gflops", |(_, (_, (gflops, _))): &Row| *gflops),
        Of::number("bandwidth_gbs", |(_, (_, (_, gbs))): &Row| *gbs),
        Of::text("flows", |(done, _): &Row| flows(done)),
    ];
    let steps = found.calibration.steps.iter();
    let rows = steps.flat_map(|done| (1..).zip(done.rounds.iter().copied()).map(move |round| (done, round)));
    table::csv(&columns, rows)
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
            siblings: true,
        };
        let mut host = HostTopology::from_cores("box", &[2, 2, 2, 2]);
        for (node, package) in host.nodes.iter_mut().zip([0, 0, 1, 1]) {
            node.sockets = vec![package];
        }
        let settings = Settings {
            isa: Isa::Portable,
            warm_up: Duration::from_millis(300),
            window: Duration::from_secs(1),
            bytes_per_thread: 1 << 20,
            processes: false,
        };
        // Each node: peak and bandwidth of 1 and of 2 threads. 12 pairs, with two thread counts each. Two directions between the sockets,
        // with two variants each. Each node: two mixes, and three write kernels with two thread counts. (16 + 24 + 24 + 4 + 8) x 5 x 1.3
        // s = 494 s.
        let parts = plan(&host, &options);
        let text = spaced(&parts, &settings) + &in_words(&parts, &settings);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[4], "kernels that write, on each node                    24       5     156.0");
        assert_eq!(lines[6], "links between sockets, all nodes at once             4       5      26.0");
        assert!(lines[10].starts_with("380 measurements, 9 min: windows"), "{text}");
    }
}
