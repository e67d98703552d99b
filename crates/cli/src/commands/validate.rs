//! `numasim validate`: the complete validation on this host, from calibration to report, in one folder.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use numasim_ask::compare::{Compared, Measured};
use numasim_ask::{Input, document};
use numasim_bench::bundle::private::Hidden;
use numasim_bench::bundle::{self, Bundle, BundleError};
use numasim_bench::provenance::{self, Provenance};
use numasim_course::Study;
use numasim_evidence::compare::CONTENDED;
use numasim_evidence::contended::{self, CachePlan, LastLevel};
use numasim_host::memory::{SharedCache, shared_last_level};
use numasim_study::topology::HostTopology;

use crate::args::{Benchmark, Calibrating, ValidateArgs};
use crate::commands::bench::{self, Kept};
use crate::commands::{calibrate, evidence, report};
use crate::emit;
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::view::cached::Document;
use crate::view::{cached, compared};
use crate::{files, sharing};

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
    let bundle = wanted_bundle(args)?;
    if let Some(bundle) = bundle.as_ref().filter(|_| args.resume && is_finished(&folder)) {
        return bundle.write(args, &folder, shell);
    }
    calibrated(args, &folder, shell)?;
    let studied = studied(args, &folder)?;
    outlook(&folder, &studied, shell)?;
    measured(args, &folder, studied, shell)?;
    let input = what_ran(args, &folder, "measured.study.toml", shell)?;
    // The user's scenarios define the questions.
    let cached = if args.files.is_empty() { Some(asked_cache(args, &folder, shell)?) } else { None };
    let verdict = compared(&folder, &input, cached.as_ref(), shell)?;
    let made = Made {
        command: &command_line(args),
        has_scenarios: args.files.is_empty(),
        one_process: args.one_process,
    };
    folder.write("README.md", &readme(&made, &input.study, cached.as_ref()))?;
    report::of_folder(&folder.path, args.sharing.model, shell)?;
    shell.note(format!("everything is in {}", folder.path.display()));
    if let Some(bundle) = bundle {
        bundle.write(args, &folder, shell)?;
    }
    Destination::Stdout.deliver(&verdict)
}

/// The folder: new, or the one to continue.
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

/// The machine file, measured unless an earlier run already contains it.
fn calibrated(args: &ValidateArgs, folder: &Folder, shell: &Shell) -> Result<(), Failure> {
    if folder.file("machine.toml").exists() {
        shell.note("the machine is already calibrated");
        return Ok(());
    }
    // Includes write kernels: the scenarios of this command copy, and files may contain any kernel.
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
    // Written last: its presence shows that the calibration is complete.
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

/// Reports before any measurement whether the scenarios can decide anything about sharing on the calibrated machine.
fn outlook(folder: &Folder, files: &[PathBuf], shell: &Shell) -> Result<(), Failure> {
    // The machine in the user's files is not this host; the verdict reports on it.
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

/// The measurements and their settings.
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

/// The folder of its measurements.
fn kept(args: &ValidateArgs, folder: &Folder, name: &str) -> bench::Kept {
    let path = folder.file(&format!("{name}.csv"));
    bench::Kept { resume: args.resume && path.exists(), path: Some(path), is_part: false }
}

/// Writes the comparison and returns it as text, followed by the result for the last-level cache.
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

/// Measurements in files of this name compared with the predictions of the model.
fn of_files(folder: &Folder, name: &str, input: &Input, shell: &Shell) -> Result<Compared, Failure> {
    let measured = evidence::measured(&folder.file(&format!("{name}.csv")))?;
    // Without the folder, because a result must not depend on its location.
    evidence::compared_with(input, &[], &Measured { name: format!("{name}.csv"), ..measured }, shell)
}

/// The study in files of this name, under the model on the command line.
fn what_ran(args: &ValidateArgs, folder: &Folder, name: &str, shell: &Shell) -> Result<Input, Failure> {
    let input = files::read_input(&[folder.file(name)])?;
    sharing::choose_for(input, args.sharing.model, shell)
}

// The result as one file, for sending.

/// Included in the README of a bundle.
const TAKEN_OUT: &str = "\nThis is a bundle for sending: the name of the host and local folders were removed, and the page, the comparison and this file were generated again without \
             them. The measurements are unchanged. `bundle.toml` contains the SHA-256 of each file.\n";

/// The destination of the bundle, checked to be writable.
struct Wanted {
    path: PathBuf,
    to: Destination,
}

/// The requested bundle. Nothing is written yet.
fn wanted_bundle(args: &ValidateArgs) -> Result<Option<Wanted>, Failure> {
    let Some(path) = &args.bundle else { return Ok(None) };
    let to = Destination::open(Some(path))?;
    Ok(Some(Wanted { path: path.clone(), to }))
}

/// Whether an earlier run finished: it writes the page last.
fn is_finished(folder: &Folder) -> bool {
    let ended = recorded(folder).is_ok_and(|known| known.ended_utc.is_some());
    ended && folder.file(bundle::PAGE).exists()
}

impl Wanted {
    /// Packs the contents of the folder.
    fn write(&self, args: &ValidateArgs, folder: &Folder, shell: &Shell) -> Result<(), Failure> {
        let known = recorded(folder)?;
        let hidden = Hidden::of(&known);
        let known = hidden.provenance(known);
        let mut files =
            vec![(bundle::PROVENANCE, known.to_json()), (bundle::MEASURED, read(folder, bundle::MEASURED)?)];
        for name in [bundle::MACHINE, bundle::STUDY] {
            files.push((name, hidden.toml(&read(folder, name)?)));
        }
        // Some results lack these: they are not created if the user gave a machine file or scenarios.
        for name in [bundle::CALIBRATION, bundle::SCENARIOS] {
            if folder.file(name).exists() {
                files.push((name, hidden.toml(&read(folder, name)?)));
            }
        }
        files.extend(of_cache(folder, &hidden)?);
        let mut bundle = Bundle::of(files).map_err(not_packed)?;
        for (name, text) in made_again(&bundle, &known, args, &shell.silenced())? {
            bundle.insert(name, text).map_err(not_packed)?;
        }
        let bytes = bundle.to_bytes().map_err(not_packed)?;
        // The recipient could not request it again.
        if !Bundle::from_bytes(&bytes).is_ok_and(|read| read == bundle) {
            return Err(Failure::fault("the bundle is another one when it is read back"));
        }
        self.to.deliver_bytes(&bytes)?;
        let size = numasim_host::memory::size(bytes.len() as u64);
        shell.note(format!(
            "the bundle to send is {} ({size}); name of the host and folders are not in it, texts of your own files are",
            self.path.display()
        ));
        Ok(())
    }
}

/// The result for the last-level cache; empty with scenarios of the user.
fn of_cache(folder: &Folder, hidden: &Hidden) -> Result<Vec<(&'static str, String)>, Failure> {
    let there = |names: &[&'static str]| -> Result<Vec<(&'static str, String)>, Failure> {
        let there = names.iter().filter(|name| folder.file(name).exists());
        there.map(|name| Ok((*name, read(folder, name)?))).collect()
    };
    let mut files = there(&[bundle::CACHE])?;
    files.extend(there(&bundle::CACHE_MEASURED)?);
    for (name, text) in there(&[bundle::CACHE_SCENARIOS])?.into_iter().chain(there(&bundle::CACHE_STUDY)?) {
        files.push((name, hidden.toml(&text)));
    }
    for (name, text) in there(&bundle::CACHE_PROVENANCE)? {
        files.push((name, hidden.provenance(parsed(folder, name, &text)?).to_json()));
    }
    Ok(files)
}

/// Files that would reveal the removed data: page, comparison and README.
fn made_again(
    bundle: &Bundle,
    known: &Provenance,
    args: &ValidateArgs,
    shell: &Shell,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let source = |name: &str| bundle.source(name, name).ok_or_else(|| not_packed(BundleError::missing(name)));
    let input =
        sharing::choose_for(Input::of_sources(vec![source(bundle::STUDY)?])?, args.sharing.model, shell)?;
    let compared = evidence::compared_with(&input, &[], &Measured::read(source(bundle::MEASURED)?)?, shell)?;
    let cached = bundle.text(bundle::CACHE).map(serde_json::from_str).transpose();
    let cached = cached
        .map_err(|error| Failure::input(format!("{} cannot be read", bundle::CACHE)).caused_by(&error))?;
    let [json, text, _] = comparison(&compared, cached.as_ref(), shell);
    let command: Vec<String> = known.command.iter().map(|word| emit::typed(word)).collect();
    let made = Made {
        command: &command.join(" "),
        has_scenarios: bundle.text(bundle::SCENARIOS).is_some(),
        one_process: !known.settings.processes,
    };
    let readme = readme(&made, &input.study, cached.as_ref()) + TAKEN_OUT;
    let mut made =
        vec![(bundle::COMPARISON_JSON, json), (bundle::COMPARISON, text), (bundle::README, readme)];
    let mut whole = bundle.clone();
    for (name, text) in &made {
        whole.insert(name, text.clone()).map_err(not_packed)?;
    }
    made.push((bundle::PAGE, report::of_bundle(whole, args.sharing.model, shell)?));
    Ok(made)
}

/// Provenance of the folder's measurements.
fn recorded(folder: &Folder) -> Result<Provenance, Failure> {
    parsed(folder, bundle::PROVENANCE, &read(folder, bundle::PROVENANCE)?)
}

fn parsed(folder: &Folder, name: &str, text: &str) -> Result<Provenance, Failure> {
    let path = folder.file(name);
    provenance::read(text)
        .map_err(|error| Failure::input(format!("{} cannot be read", path.display())).caused_by(&error))
}

fn read(folder: &Folder, name: &str) -> Result<String, Failure> {
    files::read_measurements(&folder.file(name)).map(|source| source.text)
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn not_packed(error: BundleError) -> Failure {
    Failure::input(format!("the result makes no bundle: it {error}"))
}

// The last-level cache, on hosts with one node: measured like the rest, stored and compared separately.

/// Measures the cache and writes the result as `cache.json`; if the host does not allow it, returns the reason.
fn asked_cache(args: &ValidateArgs, folder: &Folder, shell: &Shell) -> Result<Document, Failure> {
    let study = what_ran(args, folder, "machine.toml", shell)?.study;
    let model = study.machine.sharing().name();
    let host =
        numasim_host::host_to_measure("validate").map_err(|error| Failure::input(error.to_string()))?;
    let document = match CachePlan::of(&study.machine, last_level(&host)) {
        Ok(plan) => {
            shell.note("measuring the last-level cache, which is no part of the verdict");
            measured_cache(args, folder, &plan, model, shell)?
        }
        Err(why) => {
            shell.note(format!("the last-level cache is not asked: {why}"));
            Document::without(why, model)
        }
    };
    let text = serde_json::to_string_pretty(&document)
        .map_err(|error| Failure::fault("cannot write JSON").caused_by(&error))?;
    folder.write("cache.json", &(text + "\n"))?;
    Ok(document)
}

fn measured_cache(
    args: &ValidateArgs,
    folder: &Folder,
    plan: &CachePlan,
    model: &str,
    shell: &Shell,
) -> Result<Document, Failure> {
    folder.write("cache.toml", &plan.scenarios)?;
    let inputs = vec![folder.file("machine.toml"), folder.file("cache.toml")];
    let mut apps = Vec::new();
    for run in &plan.runs {
        let name = format!("cache-{}", run.name);
        let asked = Benchmark {
            scenario: run.scenarios.clone(),
            memory_per_thread: Some(run.bytes_per_thread),
            ..benchmark(args, folder, inputs.clone())
        };
        let kept = Kept { is_part: true, ..kept(args, folder, &name) };
        bench::measure(&asked, &kept, Format::Table, shell)?;
        let input = what_ran(args, folder, &format!("{name}.study.toml"), shell)?;
        let compared = of_files(folder, &name, &input, shell)?;
        apps.extend(contended::cached(&input.study, &compared.comparison, run.bytes_per_thread));
    }
    Ok(Document::new(plan, &apps, model))
}

/// The cache shared by the first cores of the first node.
fn last_level(host: &HostTopology) -> Option<LastLevel> {
    let SharedCache { bytes, below_bytes, sharers } = shared_last_level(host.nodes.first()?.cpus.as_ref()?)?;
    Some(LastLevel { bytes, below_bytes, cores: u32::try_from(sharers).ok()? })
}

// The contents of README.md in a result: how it was measured, and the meaning of each file.

/// The given command line.
fn command_line(args: &ValidateArgs) -> String {
    let mut command = String::from("numasim validate");
    for file in &args.files {
        let _ = write!(command, " {}", file.display());
    }
    let _ = write!(command, " -o DIR --repeat {} --window {}", args.repeat, args.window.as_secs_f64());
    if let Some(bytes) = args.memory_per_thread {
        let _ = write!(command, " --memory-per-thread {bytes}B");
    }
    if let Some(isa) = args.isa {
        let _ = write!(command, " --isa {isa}");
    }
    if args.one_process {
        command.push_str(" --one-process");
    }
    if let Some(model) = args.sharing.model {
        let _ = write!(command, " --model {}", model.as_str());
    }
    command
}

/// How a result was measured.
struct Made<'a> {
    /// The command line.
    command: &'a str,
    /// Whether the scenarios were generated by this command.
    has_scenarios: bool,
    /// Whether all applications were threads of one process.
    one_process: bool,
}

/// The text.
fn readme(made: &Made<'_>, study: &Study, cached: Option<&Document>) -> String {
    let Made { command, has_scenarios, one_process } = *made;
    let machine = &study.machine;
    let scenarios = if has_scenarios {
        "| `scenarios.toml` | the applications and scenarios that were asked for |\n"
    } else {
        ""
    };
    let apart = if one_process {
        "All applications were threads of one process."
    } else {
        "Each application was a separate process; the calibration used threads of one process."
    };
    let (mut of_cache, mut cache) = (String::new(), String::new());
    if let Some(found) = cached {
        of_cache.push_str("| `cache.json` | what the last-level cache does, or why it was not asked |\n");
        if found.not_measured.is_none() {
            of_cache.push_str(CACHE_FILES);
        }
        cache = format!("\nThe last-level cache: {}\n", found.sentences().join(" "));
    }
    format!(
        "# {}: the model and this machine\n\n\
         {}\n\n\
         Made by one command; the same command gives the same report of any other Linux host:\n\n\
         ```sh\ncargo build --release --features hwloc\n{command}\n```\n\n\
         | file | what |\n|---|---|\n\
         | `report.html` | everything below, to look at |\n\
         | `machine.toml` | the calibrated machine, with uncertainties and doubts |\n\
         | `calibration.csv` | every round of the calibration |\n\
         {scenarios}\
         | `measured.csv` | every measurement: scenario x application x node x repetition |\n\
         | `measured.provenance.json` | on what and how it was measured; doubts |\n\
         | `measured.study.toml` | what really ran, and what the model was asked |\n\
         | `comparison.txt`, `comparison.json` | prediction beside measurement |\n\
         {of_cache}\n\
         Model: {}. {apart} The scenarios were not used to calibrate; `comparison.txt` says which of them want more than there is, and what models without a rule of sharing say of them.\n\
         {cache}",
        machine.name(),
        machine.source().unwrap_or("Source of the machine's figures: not given."),
        machine.sharing().name(),
    )
}

/// Rows of the table of files if the cache was measured.
const CACHE_FILES: &str = "| `cache.toml` | scenarios that share the last-level cache; no part of the verdict |\n\
     | `cache-inside.csv`, `cache-beyond.csv` | every measurement of them: data of all inside the cache, or of each alone |\n\
     | `cache-*.provenance.json`, `cache-*.study.toml` | how they were measured, and what ran |\n";
