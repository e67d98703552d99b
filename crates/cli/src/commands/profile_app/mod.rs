//! `numasim profile-app`: an `[[app]]` from a run of any program.

use std::path::{Path, PathBuf};

use numasim_evidence::app_profile::app_file::{AppFile, Does};
use numasim_evidence::app_profile::benched::read_benched;
use numasim_evidence::app_profile::placement::Look;
use numasim_evidence::app_profile::scaling::{
    Figure, Scaled, busy_thread_gbs, intensity, node_overhead, per_gb, scaling, thread_gbs,
};
use numasim_evidence::formats::counted::{Amount, Kind, Run, joined};
use numasim_evidence::formats::likwid_perfctr::read_likwid;
use numasim_evidence::formats::perf::read_perf;
use numasim_host::system::System;
use numasim_model::Machine;
use numasim_study::{Problem, SourceFile};

use crate::args::ProfileAppArgs;
use crate::commands::profile_app::placed::Placed;
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

mod placed;

/// Runs the command.
pub(crate) fn run(args: &ProfileAppArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let machine = args.machine.as_ref().map(read_machine).transpose()?;
    let machine_figures = machine.as_ref().map(|(machine, _)| machine);
    let mut counted = read_counted(args, machine_figures)?;
    if args.work.is_some() {
        // Speeds are rates of the work, regardless of its FLOP.
        counted.runs.iter_mut().for_each(|run| run.flop = None);
    }
    let placed = placed::read(args, machine_figures, &counted, &System::host())?;
    let mut doubts = Vec::new();
    for doubt in counted.runs.iter().flat_map(|run| &run.doubts).chain(&placed.doubts) {
        if !doubts.contains(doubt) {
            doubts.push(doubt.clone());
        }
    }
    let (does, thread_gbs) = match (args.work, &args.unit) {
        (Some(work), Some(unit)) => known_rate(work, unit, &counted)?,
        _ => (Does::Flop(known_intensity(args, &counted)?), thread_gbs(&counted.runs)),
    };
    let overhead = node_overhead(&counted.runs);
    // The loss on several nodes is part of the overhead and must not be counted again in the scaling.
    let of_scaling = |run: &&Run| overhead.is_none() || run.nodes.is_none_or(|nodes| nodes == 1);
    let scaled = scaling(&counted.runs.iter().filter(of_scaling).cloned().collect::<Vec<_>>());
    doubts.extend(scaled.as_ref().map(|scaled| contention(scaled, &counted, machine_figures)));
    let file = AppFile {
        name: name(args, &counted, &placed),
        origin: counted.origin.iter().chain(&placed.origin).cloned().collect(),
        does,
        thread_gbs,
        overhead,
        data: placed.data,
        scaling: scaled,
        doubts,
    };
    let text = file.text();
    if let Some((_, sources)) = machine {
        let written = SourceFile { name: "the application that was found".to_owned(), text: text.clone() };
        files::read_from_texts(&[sources, vec![written]].concat())?;
    }
    file.doubts.iter().for_each(|doubt| shell.warn(doubt));
    placed.notes.iter().for_each(|note| shell.note(note));
    destination.deliver(&text)
}

/// The machine alone: other contents of the file are ignored.
fn read_machine(path: &PathBuf) -> Result<(Machine, Vec<SourceFile>), Failure> {
    let (reading, sources) = files::read_study_and_texts(std::slice::from_ref(path))?;
    Ok((reading.study.at_rest.machine, sources))
}

/// The work per GB, and the GB/s of a thread, without which a rate has no meaning.
fn known_rate(work: f64, unit: &str, counted: &Counted) -> Result<(Does, Option<Figure>), Failure> {
    let unit = format!("{}/s", unit.trim_end_matches("/s"));
    let per_gb = per_gb(&counted.runs, work).ok_or_else(|| {
        let doubts = counted.runs.iter().flat_map(|run| &run.doubts);
        let refused = Failure::input("--work needs the bytes that it moved, and nothing here counted any");
        doubts.fold(refused, |failure, doubt| failure.because(doubt.clone())).hint(
            "count them while the work is done: perf stat -a -e uncore_imc/cas_count_read/,uncore_imc/cas_count_write/, or likwid-perfctr -g MEM",
        )
    })?;
    let thread_gbs = busy_thread_gbs(&counted.runs).ok_or_else(|| {
        Failure::input("--work needs the GB/s of a thread, and no run says its threads and its time")
            .hint("say how many threads served it: --threads N, in the order of the files of --perf")
    })?;
    Ok((Does::Work { unit, per_gb }, Some(thread_gbs)))
}

fn known_intensity(args: &ProfileAppArgs, counted: &Counted) -> Result<Figure, Failure> {
    let found = intensity(&counted.runs);
    match (found, args.arithmetic_intensity) {
        (Some(found), Some(given)) => Err(Failure::input(format!(
            "--arithmetic-intensity is {given}, and the counters say {:.4}",
            found.value
        ))
        .hint("leave out --arithmetic-intensity: what was measured is better")),
        (Some(found), None) => Ok(found),
        (None, Some(value)) => Ok(Figure {
            value,
            kind: Kind::Given,
            source: "--arithmetic-intensity".to_owned(),
            runs: 1,
            range: None,
        }),
        (None, None) => {
            let counts = |amount: fn(&Run) -> Option<&Amount>| {
                counted.runs.iter().filter_map(amount).any(|amount| amount.value > 0.0)
            };
            let what = match (counts(|run| run.flop.as_ref()), counts(|run| run.bytes.as_ref())) {
                (true, false) => "FLOP were counted, and bytes of memory were not",
                (false, true) => "bytes of memory were counted, and FLOP were not",
                (true, true) => "FLOP and bytes were counted in runs with different numbers of threads",
                (false, false) => "nothing here counted FLOP or bytes of memory",
            };
            let mut failure = Failure::input(format!("the arithmetic intensity is not known: {what}"));
            for doubt in counted.runs.iter().flat_map(|run| &run.doubts) {
                failure = failure.because(doubt.clone());
            }
            Err(failure
                .hint("count both: likwid-perfctr with a group of both (MEM_DP, MEM_SP), or with one of each (FLOPS_DP and MEM; `likwid-perfctr -a` lists them); or perf stat -a -e fp_arith_inst_retired.scalar_double,... with uncore_imc/cas_count_read/ and uncore_imc/cas_count_write/")
                .hint("or give it: --arithmetic-intensity X, in FLOP per byte"))
        }
    }
}

/// Speeds are those of a machine with limited memory bandwidth, and the model also includes this limit.
fn contention(scaled: &Scaled, counted: &Counted, machine: Option<&Machine>) -> String {
    let most = scaled.speeds.last().map(|(threads, _)| *threads);
    let of_most = counted.runs.iter().filter(|run| run.threads == most);
    let rates = of_most.filter_map(|run| {
        Some(run.bytes.as_ref()?.value / run.seconds.filter(|&seconds| seconds > 0.0)? / 1e9)
    });
    let rate = rates.fold(0.0, f64::max);
    let all =
        machine.map_or(0.0, |machine| machine.nodes().iter().map(|node| node.bandwidth.value()).sum::<f64>());
    let much = if rate > 0.0 && all > 0.0 {
        format!("; with {} threads it moved {rate:.1} of the machine's {all:.1} GB/s", most.unwrap_or(0))
    } else {
        String::new()
    };
    format!(
        "the scaling is that of whole runs: what memory bandwidth holds back is in it, and the model counts it again{much}; remove `scaling` where memory was the limit"
    )
}

/// The given name, else one from the files that were read.
fn name(args: &ProfileAppArgs, counted: &Counted, placed: &Placed) -> String {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let file = args.perf.first().or(args.likwid.first()).or(args.numa_maps.first());
    let found = args.name.clone().or(counted.app.clone()).or(placed.process.clone());
    found.or(file.and_then(|file| stem(file))).unwrap_or_else(|| "app".to_owned())
}

// The runs of the files with counters.

/// The contents of the files with counters.
#[derive(Debug, Default)]
struct Counted {
    runs: Vec<Run>,
    /// Placement of the data, from files that contain it.
    looks: Vec<Look>,
    /// The application of a measured CSV.
    app: Option<String>,
    /// Each file, in words.
    origin: Vec<String>,
}

/// Reads all of them.
fn read_counted(args: &ProfileAppArgs, machine: Option<&Machine>) -> Result<Counted, Failure> {
    if !args.threads.is_empty() && args.threads.len() != args.perf.len() {
        let message =
            format!("--threads has {} numbers, --perf {} files", args.threads.len(), args.perf.len());
        return Err(Failure::input(message).hint("give the threads of each run, in the order of the files"));
    }
    if !args.nodes.is_empty() && args.nodes.len() != args.perf.len() {
        let message = format!("--nodes has {} numbers, --perf {} files", args.nodes.len(), args.perf.len());
        return Err(Failure::input(message).hint("give the nodes of each run, in the order of the files"));
    }
    let mut counted = Counted::default();
    for path in &args.files {
        let nodes = machine.map(Machine::node_count);
        let benched = located(path, |text| read_benched(text, args.app.as_deref(), nodes))?;
        if let Some(other) = counted.app.as_ref().filter(|other| **other != benched.app) {
            let message =
                format!("{} has application '{}', the file before it '{other}'", path.display(), benched.app);
            return Err(Failure::input(message).hint("choose one with --app"));
        }
        counted.origin.push(format!(
            "{}: application '{}' as numasim bench measured it",
            path.display(),
            benched.app
        ));
        counted.app = Some(benched.app);
        counted.looks.extend(benched.looks);
        counted.runs.extend(benched.runs);
    }
    let mut others = Vec::new();
    for (number, path) in args.perf.iter().enumerate() {
        let mut run = located(path, |text| read_perf(text).map_err(|problem| vec![problem]))?;
        run.threads = args.threads.get(number).copied();
        run.nodes = args.nodes.get(number).copied();
        run.file = path.display().to_string();
        let threads = match run.threads {
            Some(1) => ", 1 thread".to_owned(),
            Some(threads) => format!(", {threads} threads"),
            None => String::new(),
        };
        counted.origin.push(format!("{}: perf stat{threads}", path.display()));
        others.push(run);
    }
    for path in &args.likwid {
        let runs =
            located(path, |text| read_likwid(text, args.region.as_deref()).map_err(|problem| vec![problem]))?;
        counted.origin.push(format!("{}: likwid-perfctr", path.display()));
        others.extend(runs.into_iter().map(|run| Run { file: path.display().to_string(), ..run }));
    }
    counted.runs.extend(joined(others));
    for run in &mut counted.runs {
        run.doubts.extend(run.lacks_rest());
    }
    Ok(counted)
}

/// Reads a file; mistakes are shown with their locations.
fn located<T>(path: &Path, read: impl FnOnce(&str) -> Result<T, Vec<Problem>>) -> Result<T, Failure> {
    let source = files::read_measurements(path)?;
    read(&source.text).map_err(|problems| files::refused(&problems, source.clone()))
}
