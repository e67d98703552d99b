//! From an allocation to the files that put it into effect on a machine: a script or configuration files for each kind of tool.
//!
//! [`job::jobs`] computes once what each application gets: logical CPUs of threads and ranks, the source of memory, weights of nodes.
//! Each kind of tool has a module that only writes it. A kind writes one text, or several files with names.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use numasim_ask::located::Located;
use numasim_model::{App, Machine};
use numasim_study::{Problem, ProblemKind};

use crate::args::{EmitArgs, EmitKind};
use crate::emit::job::Job;
use crate::emit::script::{Tool, script};
use crate::emit::weights::Weights;
use crate::failure::Failure;
use crate::output::{Destination, Folder, OutputArgs};
use crate::shell::Shell;
use crate::view::ScenarioView;

mod cgroup;
mod docker;
mod hwloc;
mod job;
mod kubernetes;
mod libvirt;
mod likwid;
mod names;
mod numactl;
mod omp;
mod openmpi;
pub(crate) mod processors;
mod script;
mod slurm;
mod systemd;
mod text;
mod weights;
mod words;

pub(crate) use words::{is_plain, quoted, typed};

/// The input of every writer.
struct Target<'a> {
    /// The machine.
    machine: &'a Machine,
    /// The lines of the head.
    facts: &'a [(&'a str, String)],
    /// The applications with threads.
    jobs: Vec<Job<'a>>,
    /// The names of applications without threads.
    idle: Vec<&'a str>,
    /// For weighted interleaving: the weights that all of them need.
    weights: Weights,
}

impl Target<'_> {
    /// Local only if each thread initialises what it reads.
    fn needs_first_touch(&self) -> bool {
        self.jobs.iter().any(Job::needs_first_touch)
    }
}

/// How a kind is written.
enum Writer {
    /// One script.
    Script(Tool),
    /// Files that belong together.
    Files(fn(&mut Target<'_>) -> Vec<File>),
}

/// One of several files.
struct File {
    /// Path below the folder.
    name: String,
    /// Its content.
    text: String,
}

/// The files that put an allocation into effect on a machine.
pub(crate) struct Emitted {
    files: Vec<File>,
    /// The comment signs around the line that names a file.
    comment: Option<(&'static str, &'static str)>,
    /// One sentence for each application that will not be placed as computed.
    warnings: Vec<String>,
}

impl Emitted {
    /// One text: a script, or all files one after another, each below a line with its name.
    fn text(&self) -> String {
        let Some((start, end)) = self.comment else {
            return self.files.iter().map(|file| file.text.as_str()).collect();
        };
        let shown = |file: &File| format!("{start}==> {} <=={end}\n{}", file.name, file.text);
        self.files.iter().map(shown).collect::<Vec<_>>().join("\n")
    }
}

/// The writer of a kind, and its capabilities.
struct Kind {
    writer: Writer,
    /// Whether it places data in unequal fractions ([`Job::weights`]).
    has_weights: bool,
    /// Whether it binds each rank separately.
    binds_ranks: bool,
    /// Comment signs of its files.
    comment: (&'static str, &'static str),
}

/// The list of the writers of all kinds.
fn kind_of(kind: EmitKind) -> Kind {
    let comment = ("# ", "");
    let tool = |tool: Tool, has_weights| {
        let binds_ranks = tool.binds_ranks;
        Kind { writer: Writer::Script(tool), has_weights, binds_ranks, comment }
    };
    let files =
        |write, has_weights| Kind { writer: Writer::Files(write), has_weights, binds_ranks: false, comment };
    match kind {
        EmitKind::Numactl => tool(numactl::NUMACTL, true),
        EmitKind::Omp => tool(omp::OMP, false),
        EmitKind::Slurm => tool(slurm::SLURM, true),
        EmitKind::Hwloc => tool(hwloc::HWLOC, false),
        EmitKind::Cgroup => tool(cgroup::CGROUP, false),
        EmitKind::Likwid => tool(likwid::LIKWID, false),
        EmitKind::Openmpi => Kind { binds_ranks: true, ..files(openmpi::write, true) },
        EmitKind::Systemd => files(systemd::write, false),
        EmitKind::Docker => files(docker::write, true),
        EmitKind::Libvirt => Kind { comment: ("<!-- ", " -->"), ..files(libvirt::write, false) },
        EmitKind::Kubernetes => files(kubernetes::write, true),
    }
}

/// The text of a script. Data that the kind cannot place is reported on standard error.
pub(crate) fn script_with_warnings(
    kind: EmitKind,
    view: &ScenarioView<'_>,
    facts: &[(&str, String)],
    located: &Located,
    shell: &Shell,
) -> Result<String, Failure> {
    Ok(emitted(kind, view, facts, located, shell)?.text())
}

/// Writes the allocation of `view` as `kind`. Data that the kind cannot place is reported on standard error. `facts` are the lines of the head.
fn emitted(
    kind: EmitKind,
    view: &ScenarioView<'_>,
    facts: &[(&str, String)],
    located: &Located,
    shell: &Shell,
) -> Result<Emitted, Failure> {
    let jobs = job::jobs(view)
        .map_err(|error| Failure::fault("cannot assign the placement to logical CPUs").caused_by(&error))?;
    let of = kind_of(kind);
    let name = kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    if of.binds_ranks {
        ranks_have_threads(&name, &jobs, view.apps, located)?;
    }
    let (mut jobs, idle): (Vec<Job<'_>>, Vec<Job<'_>>) = jobs.into_iter().partition(|job| job.threads() > 0);
    let weights = if of.has_weights { with_weights(&mut jobs) } else { without_weights(&name, &mut jobs) };
    let idle = idle.iter().map(|job| job.name).collect();
    let mut target = Target { machine: view.machine, facts, jobs, idle, weights };
    let (files, comment) = match of.writer {
        Writer::Script(tool) => {
            let text = script(&tool, &target);
            (vec![File { name: String::new(), text }], None)
        }
        Writer::Files(write) => (write(&mut target), Some(of.comment)),
    };
    let warning = |job: &Job<'_>| Some(format!("'{}': {}", job.name, job.inexact.as_ref()?));
    let emitted = Emitted { files, comment, warnings: target.jobs.iter().filter_map(warning).collect() };
    for warning in &emitted.warnings {
        shell.warn(warning);
    }
    Ok(emitted)
}

/// The destination of a result of `--emit`.
pub(crate) enum Place {
    /// One text.
    One(Destination),
    /// Files in this folder.
    Folder(PathBuf),
}

impl Place {
    /// The destination of the result, checked to be writable: with a kind of several files, `-o` may name a folder.
    pub(crate) fn open(args: &EmitArgs, output: &OutputArgs) -> Result<Self, Failure> {
        let has_files = args.emit.is_some_and(|kind| matches!(kind_of(kind).writer, Writer::Files(_)));
        let names_folder = |path: &Path| {
            path.as_os_str().as_encoded_bytes().last().is_some_and(|&end| end == b'/') || path.is_dir()
        };
        match output.output.as_deref().filter(|path| has_files && names_folder(path)) {
            Some(path) => {
                Folder::open(path, &[], "-o")?;
                Ok(Self::Folder(path.to_owned()))
            }
            None => Ok(Self::One(output.open()?)),
        }
    }

    /// The single destination; without `--emit` there is always one.
    pub(crate) fn destination(&self) -> &Destination {
        match self {
            Self::One(destination) => destination,
            Self::Folder(_) => &Destination::Stdout,
        }
    }

    /// Writes the allocation as `kind`.
    pub(crate) fn deliver(
        &self,
        kind: EmitKind,
        view: &ScenarioView<'_>,
        facts: &[(&str, String)],
        located: &Located,
        shell: &Shell,
    ) -> Result<(), Failure> {
        let emitted = emitted(kind, view, facts, located, shell)?;
        match self {
            Self::One(destination) => destination.deliver(&emitted.text()),
            Self::Folder(folder) => into_folder(folder, &emitted.files),
        }
    }
}

/// Each folder of files is written completely or not at all. All are checked before the first is written.
fn into_folder(folder: &Path, files: &[File]) -> Result<(), Failure> {
    let mut folders: Vec<(PathBuf, Vec<(&str, &str)>)> = Vec::new();
    for file in files {
        let (below, name) = file.name.rsplit_once('/').unwrap_or(("", &file.name));
        let path = if below.is_empty() { folder.to_owned() } else { folder.join(below) };
        match folders.iter_mut().find(|(known, _)| *known == path) {
            Some((_, files)) => files.push((name, &file.text)),
            None => folders.push((path, vec![(name, &file.text)])),
        }
    }
    let open = |(path, files): (PathBuf, Vec<(_, _)>)| {
        let names: Vec<&str> = files.iter().map(|&(name, _)| name).collect();
        Ok((Folder::open(&path, &names, "-o")?, files))
    };
    for (folder, files) in folders.into_iter().map(open).collect::<Result<Vec<_>, Failure>>()? {
        folder.write_whole(|whole| {
            files
                .iter()
                .try_for_each(|(name, text)| whole.write_by(name, |out| out.write_all(text.as_bytes())))
        })?;
    }
    Ok(())
}

/// Each rank needs a thread.
///
/// # Errors
/// The first application with fewer threads than ranks, at its `ranks`.
fn ranks_have_threads(kind: &str, jobs: &[Job<'_>], apps: &[App], located: &Located) -> Result<(), Failure> {
    let short =
        jobs.iter().zip(apps).find(|(job, app)| job.threads() > 0 && job.threads() < app.ranks as usize);
    let Some((job, app)) = short else { return Ok(()) };
    let threads = numasim_draw::figures::count(job.threads() as u64, "thread");
    let message = format!(
        "--emit {kind} binds each rank to its own threads, but '{}' has {threads} for its {} ranks",
        app.name, app.ranks
    );
    let hint = format!(
        "give it at least {0} threads (`min_threads = {0}` for explore), or fewer `ranks`",
        app.ranks
    );
    let Some(places) = located.app_places(&app.group) else { return Err(Failure::input(message).hint(hint)) };
    let place = places.ranks.as_ref().unwrap_or(&places.name).clone();
    let problem =
        Problem::new(ProblemKind::BadValue, message).at(place, format!("{threads} in this placement"));
    Err(located.refusal(&[problem.hint(hint)]).into())
}

const FIRST_TOUCH: &str = "Linux puts memory on the node of the thread that writes to it first: where data is local \
                           and threads run on several nodes, each thread has to initialise its own part.";

const WEIGHTS: &str = "Unequal fractions need Linux 6.9 and numactl 2.0.19. The weights of nodes are those of the whole host, for \
                       everything that is interleaved by weight: run this as root, or let root set them before.";

/// The weights that all jobs need together; jobs with conflicting weights lose them.
fn with_weights(jobs: &mut [Job<'_>]) -> Weights {
    let wanted: Vec<(&str, &Weights)> =
        jobs.iter().filter_map(|job| Some((job.name, job.weights.as_ref()?))).collect();
    let (weights, mut refused) = weights::of_host(&wanted);
    for job in jobs {
        if let Some(why) = refused.remove(job.name) {
            job.weights = None;
            job.inexact = Some(why);
        }
    }
    weights
}

/// Adds a message to the jobs of a kind that cannot place data in unequal fractions.
fn without_weights(kind: &str, jobs: &mut [Job<'_>]) -> Weights {
    for job in jobs.iter_mut().filter(|job| job.weights.is_some()) {
        job.weights = None;
        job.inexact = Some(format!(
            "--emit {kind} cannot place data in unequal fractions: it is spread evenly over these nodes; --emit numactl can"
        ));
    }
    Weights::new()
}
