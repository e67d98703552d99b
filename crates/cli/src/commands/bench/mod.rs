//! `numasim bench`: runs every scenario on this host and stores the measurements.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use files::Files;
use numasim_ask::{evaluate, room};
use numasim_bench::plan::{self, Misfit, Options, Plan, PlanError};
use numasim_bench::provenance::{self, Input, Measuring, Provenance, Tool, utc};
use numasim_bench::runner::{HostRunner, Settings};
use numasim_bench::session::{self, Job, Observer, Session, new_run_id};
use numasim_course::Study;
use numasim_draw::figures;
use numasim_evidence::measured::Row;
use numasim_evidence::measured::summarise;
use numasim_model::Machine;
use numasim_model::cpus::CpuList;
use numasim_study::SourceFile;
use numasim_study::topology::HostTopology;

use crate::args::{BenchArgs, Benchmark};
use crate::commands::bench::doubts::Doubting;
use crate::failure::Failure;
use crate::output::{Destination, Format};
use crate::shell::Shell;
use crate::suggest;
use crate::view::bench::{self as view, Planned, Result as ResultView};
use crate::watch::{self, Bar};

mod doubts;
mod files;

/// Destination of the measurements.
pub(super) struct Kept {
    /// The file; `None`: a file named after the host and the time.
    pub(super) path: Option<PathBuf>,
    /// Whether to continue the run that wrote it.
    pub(super) resume: bool,
    /// Whether they are part of a larger measurement in which data is intended to fit in a cache; in this case there is no summary.
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

/// Everything that is known before the measurements.
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
    let plan = plan(&asked, args, &host)?;
    let settings = settings(args, &plan)?;
    tell_changes(&plan, shell);
    let used = doubts::used(&plan)?;
    let doubting = Doubting::new(&asked.study, &plan, &settings, &used);
    doubting.tell_before(is_part, shell);
    Ok(Prepared { host, asked, plan, settings, used, doubting })
}

/// Measures, stores the results, and prints a summary of them.
pub(super) fn measure(args: &Benchmark, kept: &Kept, format: Format, shell: &Shell) -> Result<(), Failure> {
    let Prepared { host, asked, plan, settings, used, mut doubting } = prepare(args, kept.is_part, shell)?;
    let mut provenance = provenance(&asked, args, &host, &plan, &settings, &doubting);
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
    progress.bar.finish();
    doubting.after(&outcome.repeated, &used);
    doubts::complete(&mut provenance, &outcome, &doubting);
    let is_whole = files.finish(&plan, &provenance, &outcome)?;

    doubting.tell_shown(shell);
    // A part of a larger measurement has no summary.
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
        shell.answer(
            &Destination::Stdout,
            format,
            |style| view::table(&result, style),
            &view::json(&result),
            || view::csv(&summaries),
        )?;
    }
    doubts::verdict(&outcome, files.path(), shell)
}

/// Settings common to all measurements.
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
    shell.answer(
        &Destination::Stdout,
        format,
        |style| view::plan_table(&planned, style),
        &view::plan_json(&planned),
        || view::plan_csv(&planned),
    )
}

/// The provenance that a resumed run copies from its first part.
fn take_over(provenance: &mut Provenance, earlier: Provenance) {
    provenance.run = earlier.run;
    provenance.started_utc = earlier.started_utc;
    for recorded in earlier.doubts {
        if !provenance.doubts.contains(&recorded) {
            provenance.doubts.push(recorded);
        }
    }
}

// Origin of a run: the part that is known when it begins.

/// Origin of a run, before it begins.
fn provenance(
    asked: &Asked,
    args: &Benchmark,
    host: &HostTopology,
    plan: &Plan,
    settings: &Settings,
    doubting: &Doubting,
) -> Provenance {
    let bind = args.bind.as_str();
    let fitted =
        plan.changes.iter().map(|change| format!("scenario '{}': {}", change.scenario, change.words));
    let mut provenance = Provenance {
        schema: provenance::SCHEMA,
        run: new_run_id(),
        tool: tool(),
        command: typed(),
        started_utc: utc(SystemTime::now()),
        ended_utc: None,
        facts: doubting.facts.clone(),
        nodes: provenance::nodes(host),
        settings: Measuring::new(settings, args.repeat, bind),
        inputs: asked.texts.iter().map(|file| Input::new(&file.name, &file.text)).collect(),
        fitted: fitted.collect(),
        observed: Vec::new(),
        doubts: Vec::new(),
    };
    provenance.doubt(&doubting.before);
    provenance
}

/// This program.
pub(crate) fn tool() -> Tool {
    let features = if cfg!(feature = "hwloc") { vec!["hwloc".to_owned()] } else { Vec::new() };
    Tool {
        name: "numasim".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        features,
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
    }
}

/// The typed command: the program by its name, without its path on this host.
pub(crate) fn typed() -> Vec<String> {
    let mut words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(program) = words.first_mut() {
        let name = Path::new(program.as_str()).file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name {
            *program = name;
        }
    }
    words
}

// From files to a plan for this host, with its messages.

/// The contents of the files.
struct Asked {
    study: Study,
    host_machine: Option<Machine>,
    /// The text of every file, for the provenance.
    texts: Vec<SourceFile>,
}

impl Asked {
    fn read(args: &Benchmark) -> Result<Self, Failure> {
        let (reading, mut texts) = crate::files::read_study_and_texts(&args.files)?;
        let host_machine = match &args.host_machine {
            None => None,
            Some(path) => {
                let (reading, text) = crate::files::read_study_and_texts(std::slice::from_ref(path))?;
                texts.extend(text);
                Some(reading.study.at_rest.machine)
            }
        };
        Ok(Self { study: reading.study, host_machine, texts })
    }
}

/// The plan, or everything that does not fit.
fn plan(asked: &Asked, args: &Benchmark, host: &HostTopology) -> Result<Plan, Failure> {
    let scenarios = evaluate::wanted(&asked.study, &args.scenario)?;
    // After scaling to a host, the memory of the file's nodes is irrelevant.
    for scenario in scenarios.iter().filter(|_| !args.fit_host) {
        if let Ok(placements) = scenario.placements() {
            room::check(&asked.study, scenario, &placements)?;
        }
    }
    let host_machine = asked.host_machine.clone();
    let options = Options { bind: args.bind, fit: args.fit_host, host_machine, isa: args.isa };
    plan::make(&asked.study, &scenarios, host, &options).map_err(|error| refused(&error, args.fit_host, host))
}

fn refused(error: &PlanError, fitting: bool, host: &HostTopology) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        PlanError::Misfits(misfits) => {
            const MOST: usize = 20;
            let cores: u64 = host.nodes.iter().map(|node| u64::from(node.cores)).sum();
            let nodes = figures::count(host.nodes.len() as u64, "NUMA node");
            let mut failure = Failure::input(format!(
                "{error} ({nodes}, {} that may be used)",
                figures::count(cores, "core")
            ));
            for misfit in misfits.iter().take(MOST) {
                failure = failure.caused_by(misfit);
            }
            if misfits.len() > MOST {
                failure = failure.hint(format!("and {} more", misfits.len() - MOST));
            }
            let another = |misfit: &Misfit| matches!(misfit, Misfit::OsNode { .. } | Misfit::Cpus { .. });
            if fitting {
                failure.hint("choose scenarios with fewer applications, or a host with more cores")
            } else if misfits.iter().flat_map(|one| &one.misfits).any(another) {
                failure.hint("`numasim detect` prints the machine file of this host; --fit-host scales to it")
            } else {
                failure.hint(
                    "--fit-host scales them to this host and says what it changed; --dry-run shows the plan",
                )
            }
        }
        PlanError::OpenData { app, open, .. } => failure
            .hint(format!(
                "{} in the scenario, for example  data = {{ {} = {} }}",
                open.deciding(),
                suggest::key(app),
                open.example()
            ))
            .hint(format!("or let `numasim explore` find {}", open.best())),
        PlanError::Replicated { app, .. } => failure.hint(format!(
            "measure copies that are only read as local data, for example  data = {{ {} = \"local\" }}  in the scenario",
            suggest::key(app)
        )),
        PlanError::OpenSmt { app, .. } => failure
            .hint(format!(
                "say it in the scenario, for example  smt = {{ {} = \"both\" }}",
                suggest::key(app)
            ))
            .hint("or let `numasim explore` find the best"),
        PlanError::OtherHost { .. } => failure
            .hint("--host-machine takes the machine file of this host, as detect and calibrate write it"),
        PlanError::Kernel { .. } | PlanError::Study(_) => failure,
    }
}

/// Reports the changes and omissions.
fn tell_changes(plan: &Plan, shell: &Shell) {
    for scenario in plan.scenarios.iter().filter(|scenario| scenario.fitted) {
        let changes = plan.changes_of(&scenario.name);
        shell.warn(format!("scenario '{}' was scaled to this host: {changes}", scenario.name));
    }
    for skipped in &plan.skipped {
        shell.warn(format!("{skipped}; it is left out"));
    }
}

// Progress of a run, for users at a terminal.

/// A bar of measurements.
struct Progress {
    names: Vec<String>,
    repetitions: u32,
    bar: Bar,
}

impl Progress {
    /// A progress bar for a run that already contains the rows `earlier`.
    fn new(plan: &Plan, repetitions: u32, earlier: &[Row], shell: &Shell) -> Self {
        let all = plan.scenarios.len() as u64 * u64::from(repetitions);
        let done =
            session::done(plan, earlier).iter().filter(|job| job.repetition <= repetitions).count() as u64;
        if done > 0 {
            shell.note(format!("{done} of {all} measurements exist already"));
        }
        let template = "measuring {elapsed} [{bar:8}] {pos} of {len}, {eta} left: {wide_msg}";
        let names = plan.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
        Self { names, repetitions, bar: Bar::new(template, all, done, shell) }
    }
}

impl Observer for Progress {
    fn stop(&self) -> bool {
        watch::interrupted()
    }

    fn begins(&mut self, job: Job, again: bool) {
        let Some(bar) = self.bar.drawn() else { return };
        let name = self.names.get(job.scenario).map_or("", String::as_str);
        let again = if again { " (repeated: something was misplaced)" } else { "" };
        bar.set_message(format!("'{name}', repetition {} of {}{again}", job.repetition, self.repetitions));
    }

    fn kept(&mut self, _job: Job) {
        if let Some(bar) = self.bar.drawn() {
            bar.inc(1);
        }
    }
}
