//! `numasim validate`: the whole loop on this host, from calibration to report, in one folder.

mod bundled;
mod cache;
mod readme;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use numasim_ask::compare::{Compared, Measured};
use numasim_ask::{Input, document};
use numasim_evidence::compare::CONTENDED;
use numasim_evidence::contended;
use numasim_model::Study;

use super::{bench, calibrate, compare, report};
use crate::args::{Benchmark, Calibrating, ValidateArgs};
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Format};
use crate::sharing;
use crate::shell::Shell;
use crate::view::{cached, compared};

/// Time from the common start to the measuring window.
const WARM_UP: Duration = Duration::from_millis(300);
/// Rounds of the calibration.
const ROUNDS: u32 = 5;

/// The files of the folder.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        Destination::open(Some(&self.file(name)))?.deliver(text)
    }
}

/// Runs the command.
pub(crate) fn run(args: &ValidateArgs, shell: &Shell) -> Result<(), Failure> {
    let folder = open(args)?;
    let bundle = bundled::open(args)?;
    if let Some(bundle) = bundle.as_ref().filter(|_| args.resume && bundled::is_finished(&folder)) {
        return bundle.write(args, &folder, shell);
    }
    calibrated(args, &folder, shell)?;
    let studied = studied(args, &folder)?;
    outlook(&folder, &studied, shell)?;
    measured(args, &folder, studied, shell)?;
    let input = what_ran(args, &folder, "measured.study.toml", shell)?;
    // Scenarios of a person ask what that person wants to know.
    let cached = if args.files.is_empty() { Some(cache::asked(args, &folder, shell)?) } else { None };
    let verdict = compared(&folder, &input, cached.as_ref(), shell)?;
    let made = readme::Made {
        command: &readme::command(args),
        has_scenarios: args.files.is_empty(),
        one_process: args.one_process,
    };
    folder.write("README.md", &readme::text(&made, &input.study, cached.as_ref()))?;
    report::of_folder(&folder.path, args.model, shell)?;
    shell.note(format!("everything is in {}", folder.path.display()));
    if let Some(bundle) = bundle {
        bundle.write(args, &folder, shell)?;
    }
    Destination::Stdout.deliver(&verdict)
}

/// The folder, new or the one to go on with.
fn open(args: &ValidateArgs) -> Result<Folder, Failure> {
    let folder = Folder { path: args.output.clone() };
    let begun = folder.file("machine.toml").exists() || folder.file("measured.csv").exists();
    if begun && !args.resume {
        return Err(Failure::input(format!("{} already has results", args.output.display()))
            .hint("name another folder, or add --resume to continue in it"));
    }
    fs::create_dir_all(&args.output).map_err(|error| {
        Failure::output(format!("cannot create the folder {}", args.output.display())).caused_by(&error)
    })?;
    Ok(folder)
}

/// The machine file, measured unless an earlier run has it.
fn calibrated(args: &ValidateArgs, folder: &Folder, shell: &Shell) -> Result<(), Failure> {
    if folder.file("machine.toml").exists() {
        shell.note("the machine is already calibrated");
        return Ok(());
    }
    // Kernels that write, too: the scenarios of this command copy, and files may have anything.
    let asked = Calibrating {
        rounds: ROUNDS,
        window: args.window,
        warm_up: WARM_UP,
        isa: args.isa,
        memory_per_thread: args.memory_per_thread,
        ..Calibrating::default()
    };
    shell.note("calibrating this host");
    let found = calibrate::measure(&asked, "validate", shell)?;
    folder.write("calibration.csv", &found.csv())?;
    // Last: its presence says that the calibration is whole.
    folder.write("machine.toml", &found.machine_file()?)
}

/// The input files of the benchmark.
fn studied(args: &ValidateArgs, folder: &Folder) -> Result<Vec<PathBuf>, Failure> {
    if !args.files.is_empty() {
        return Ok(args.files.clone());
    }
    let machine = folder.file("machine.toml");
    let study: Study = files::read_study(std::slice::from_ref(&machine))?.study;
    folder.write("scenarios.toml", &contended::scenarios(&study.machine))?;
    Ok(vec![machine, folder.file("scenarios.toml")])
}

/// Says before anything is measured whether the scenarios can decide anything about sharing on the calibrated machine.
fn outlook(folder: &Folder, files: &[PathBuf], shell: &Shell) -> Result<(), Failure> {
    // The machine of a person's files is not this host; theirs is told by the verdict.
    if !files.contains(&folder.file("machine.toml")) {
        return Ok(());
    }
    let outlook = contended::outlook(&files::read_study(files)?.study);
    let most = outlook.highest.map_or_else(String::new, |(name, most)| {
        format!(" (the most: {:.2} times, {}, in '{name}')", most.ratio, most.resource.in_words())
    });
    let (all, count) = (outlook.scenarios, outlook.contended);
    if count == 0 {
        shell.warn(format!(
            "none of {all} scenarios wants {CONTENDED} times what a memory or link of this host has{most}: there will be no verdict on \
             how bandwidth is shared"
        ));
    } else {
        shell.note(format!(
            "{count} of {all} scenarios want at least {CONTENDED} times what a memory or link has{most}; {} of them are placements of \
             the same applications",
            outlook.choices
        ));
    }
    Ok(())
}

fn measured(args: &ValidateArgs, folder: &Folder, files: Vec<PathBuf>, shell: &Shell) -> Result<(), Failure> {
    bench::measure(&benchmark(args, folder, files), &kept(args, folder, "measured"), Format::Table, shell)
}

/// What is measured, and how.
fn benchmark(args: &ValidateArgs, folder: &Folder, files: Vec<PathBuf>) -> Benchmark {
    Benchmark {
        files,
        repeat: args.repeat,
        window: args.window,
        warm_up: WARM_UP,
        isa: args.isa,
        memory_per_thread: args.memory_per_thread,
        processes: !args.one_process,
        fit_host: true,
        host_machine: Some(folder.file("machine.toml")),
        ..Benchmark::default()
    }
}

/// Where its measurements are kept.
fn kept(args: &ValidateArgs, folder: &Folder, name: &str) -> bench::Kept {
    let path = folder.file(&format!("{name}.csv"));
    bench::Kept { resume: args.resume && path.exists(), path: Some(path), is_part: false }
}

/// Writes the comparison and returns it for people, and after it what the last-level cache does.
fn compared(
    folder: &Folder,
    input: &Input,
    cached: Option<&cached::Document>,
    shell: &Shell,
) -> Result<String, Failure> {
    let compared = of_files(folder, "measured", input, shell)?;
    let [json, text, shown] = comparison(&compared, cached, shell);
    folder.write("comparison.json", &json)?;
    folder.write("comparison.txt", &text)?;
    Ok(shown)
}

/// The comparison as JSON, as text for a file, and as text for standard output.
fn comparison(compared: &Compared, cached: Option<&cached::Document>, shell: &Shell) -> [String; 3] {
    let text = |into_file| {
        let style = shell.style(into_file);
        let cached = cached.map_or_else(String::new, |found| format!("\n{}", cached::table(found, &style)));
        compared::table(compared, &style) + &cached
    };
    [document::pretty(compared), text(true), text(false)]
}

/// What was measured into files of this name beside what the model says.
fn of_files(folder: &Folder, name: &str, input: &Input, shell: &Shell) -> Result<Compared, Failure> {
    let measured = compare::read(&folder.file(&format!("{name}.csv")))?;
    // Without the folder: what is in a result must not depend on where it lies.
    compare::of(input, &[], &Measured { name: format!("{name}.csv"), ..measured }, shell)
}

/// What ran into files of this name, under the model of the command line.
fn what_ran(args: &ValidateArgs, folder: &Folder, name: &str, shell: &Shell) -> Result<Input, Failure> {
    let input = files::read_input(&[folder.file(name)])?;
    sharing::choose_for(input, args.model, shell)
}
