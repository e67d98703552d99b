//! `numasim profile-app`: an `[[app]]` from a run of any program.

mod counted;
mod placed;

use std::path::{Path, PathBuf};

use numasim_evidence::app_profile::app_file::AppFile;
use numasim_evidence::app_profile::scaling::{Figure, Scaled, intensity, scaling};
use numasim_evidence::formats::counted::{Amount, Kind, Run};
use numasim_host::system::System;
use numasim_model::Machine;
use numasim_study::SourceFile;

use self::counted::Counted;
use self::placed::Placed;
use crate::args::ProfileAppArgs;
use crate::failure::Failure;
use crate::files;
use crate::output::Destination;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &ProfileAppArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = Destination::open(args.output.output.as_deref())?;
    let machine = args.machine.as_ref().map(read_machine).transpose()?;
    let machine_figures = machine.as_ref().map(|(machine, _)| machine);
    let counted = counted::read(args, machine_figures)?;
    let placed = placed::read(args, machine_figures, &counted, &System::host())?;
    let mut doubts = Vec::new();
    for doubt in counted.runs.iter().flat_map(|run| &run.doubts).chain(&placed.doubts) {
        if !doubts.contains(doubt) {
            doubts.push(doubt.clone());
        }
    }
    let intensity = known_intensity(args, &counted)?;
    let scaled = scaling(&counted.runs);
    doubts.extend(scaled.as_ref().map(|scaled| contention(scaled, &counted, machine_figures)));
    let file = AppFile {
        name: name(args, &counted, &placed),
        origin: counted.origin.iter().chain(&placed.origin).cloned().collect(),
        intensity,
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

/// The machine alone: of a file with more only that counts.
fn read_machine(path: &PathBuf) -> Result<(Machine, Vec<SourceFile>), Failure> {
    let (reading, sources) = files::read_study_and_texts(std::slice::from_ref(path))?;
    Ok((reading.study.machine, sources))
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

/// Speeds are those of a machine whose memory has a limit, which the model has, too.
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

/// The name that is given, else one of what was read.
fn name(args: &ProfileAppArgs, counted: &Counted, placed: &Placed) -> String {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let file = args.perf.first().or(args.likwid.first()).or(args.numa_maps.first());
    let found = args.name.clone().or(counted.app.clone()).or(placed.process.clone());
    found.or(file.and_then(|file| stem(file))).unwrap_or_else(|| "app".to_owned())
}
