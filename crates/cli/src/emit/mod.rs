//! From an allocation to what puts it on a machine: a shell script, or a part of one, for each kind of tool.
//!
//! Each kind is a module of pure functions; what all have in common is here: the head of the script, a comment for each
//! application, the `wait` at the end. The applications run side by side, because that is what was computed.

use clap::ValueEnum as _;
use std::fmt::Write as _;

use numasim_draw::grid::wrap;
use numasim_model::cpus::ranges;
use numasim_model::pinning::PinError;

use crate::args::EmitKind;
use crate::emit::job::{Job, Memory};
use crate::emit::weights::Weights;
use crate::failure::Failure;
use crate::shell::Shell;
use crate::view::ScenarioView;

mod job;
pub(crate) mod processors;
mod weights;

/// Columns of the comments.
const WIDTH: usize = 98;

/// What one kind of tool writes.
struct Tool {
    /// Right below the first line, before any comment is read.
    directives: &'static [&'static str],
    /// What to know before running it.
    notes: &'static [&'static str],
    /// Commands before the first application.
    start: &'static str,
    /// The command line of one application, without the `&`.
    command: fn(&Job<'_>) -> String,
    /// Commands after the last application has ended.
    end: fn(&[Job<'_>]) -> String,
    /// Whether its commands place data in unequal fractions ([`Job::weights`]).
    has_weights: bool,
}

/// The script, and what it cannot put on the machine as it was computed.
struct Script {
    /// The text.
    text: String,
    /// One sentence for each application whose data will lie elsewhere.
    warnings: Vec<String>,
}

/// The text of the script; what it cannot do goes to standard error.
pub(crate) fn script_with_warnings(
    kind: EmitKind,
    view: &ScenarioView<'_>,
    facts: &[(&str, String)],
    shell: &Shell,
) -> Result<String, Failure> {
    let script = script(kind, view, facts)
        .map_err(|error| Failure::fault("cannot put the allocation on processors").caused_by(&error))?;
    for warning in script.warnings {
        shell.warn(warning);
    }
    Ok(script.text)
}

/// Writes the script of `kind` for the allocation of `view`; `facts` are the lines of its head.
///
/// # Errors
/// [`PinError`] if processors are not known, or too few.
fn script(kind: EmitKind, view: &ScenarioView<'_>, facts: &[(&str, String)]) -> Result<Script, PinError> {
    let tool = match kind {
        EmitKind::Numactl => NUMACTL,
        EmitKind::Omp => OMP,
        EmitKind::Slurm => SLURM,
        EmitKind::Hwloc => HWLOC,
        EmitKind::Cgroup => CGROUP,
        EmitKind::Likwid => LIKWID,
    };
    let (mut started, idle): (Vec<Job<'_>>, Vec<Job<'_>>) =
        job::jobs(view)?.into_iter().partition(|job| job.threads() > 0);
    let weights =
        if tool.has_weights { with_weights(&mut started) } else { without_weights(kind, &mut started) };
    // Writing to a String cannot fail.
    let mut text = String::from("#!/bin/sh\n");
    for directive in tool.directives {
        let _ = writeln!(text, "{directive}");
    }
    let width = facts.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    for (key, value) in facts {
        comment(&mut text, &format!("{key:width$}  "), value);
    }
    text.push_str("#\n");
    comment(&mut text, "", "Replace each ./NAME by the command that starts the application.");
    for note in tool.notes {
        comment(&mut text, "", note);
    }
    if started.iter().chain(&idle).any(Job::needs_first_touch) {
        comment(&mut text, "", FIRST_TOUCH);
    }
    if !weights.is_empty() {
        comment(&mut text, "", WEIGHTS);
        text.push('\n');
        text.push_str(&weights::commands(&weights));
    }
    if !tool.start.is_empty() {
        text.push('\n');
        text.push_str(tool.start);
    }
    for job in &started {
        text.push('\n');
        comment(&mut text, "", &format!("{}: {}", job.name, job.description));
        if let Some(inexact) = &job.inexact {
            comment(&mut text, "NOT AS COMPUTED: ", inexact);
        }
        let _ = writeln!(text, "{} &", (tool.command)(job));
    }
    if !idle.is_empty() {
        let names: Vec<&str> = idle.iter().map(|job| job.name).collect();
        text.push('\n');
        comment(&mut text, "", &format!("No thread in this allocation, not started: {}", names.join(", ")));
    }
    text.push_str("\nwait\n");
    text.push_str(&(tool.end)(&started));
    let warnings = started
        .iter()
        .filter_map(|job| job.inexact.as_ref().map(|inexact| format!("'{}': {inexact}", job.name)))
        .collect();
    Ok(Script { text, warnings })
}

const FIRST_TOUCH: &str = "Linux puts memory on the node of the thread that writes to it first: where data is local \
                           and threads run on several nodes, each thread has to initialise its own part.";

const WEIGHTS: &str = "Unequal fractions need Linux 6.9 and numactl 2.0.19. The weights of nodes are those of the whole host, for \
                       everything that is interleaved by weight: run this as root, or let root set them before.";

/// The weights that all jobs need together; jobs that cannot have theirs lose them.
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

/// Jobs of a kind that places no data in unequal fractions: they say so.
fn without_weights(kind: EmitKind, jobs: &mut [Job<'_>]) -> Weights {
    let name = kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    for job in jobs.iter_mut().filter(|job| job.weights.is_some()) {
        job.weights = None;
        job.inexact = Some(format!(
            "--emit {name} cannot place data in unequal fractions: it is spread evenly over these nodes; --emit numactl can"
        ));
    }
    Weights::new()
}

/// A comment; lines after the first are indented below the text.
fn comment(text: &mut String, key: &str, words: &str) {
    let indent = " ".repeat(key.chars().count());
    for (index, line) in wrap(words, WIDTH - 2 - indent.len()).iter().enumerate() {
        let line = format!("# {}{line}", if index == 0 { key } else { &indent });
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// For tools with nothing to tidy up.
fn nothing(_: &[Job<'_>]) -> String {
    String::new()
}

// cgroup v2: a group with `cpuset.cpus` and `cpuset.mems` for each application (Linux, admin-guide/cgroup-v2, "Cpuset").

const CGROUP: Tool = Tool {
    directives: &[],
    notes: &[
        "Run it as root, or with CGROUP set to a new group below one that is delegated to you. CGROUP must be empty \
         of processes: only its children have some.",
        "A cpuset holds every process and thread of the application inside the set, whatever they ask for; inside \
         the set, threads may move. Those of OpenMP do not: OMP_PLACES names one processor for each.",
    ],
    start: "set -e\n\
            top=${CGROUP:-/sys/fs/cgroup/numasim}\n\
            mkdir -p \"$top\"\n\
            echo +cpuset > \"${top%/*}/cgroup.subtree_control\"\n\
            echo +cpuset > \"$top/cgroup.subtree_control\"\n",
    command: cgroup,
    end,
    has_weights: false,
};

fn cgroup(job: &Job<'_>) -> String {
    let group = group(job);
    // A cpuset limits where memory comes from; spreading it is a policy of the process.
    let numactl = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) | Memory::Node(_) => String::new(),
        Memory::Interleaved(_) => job.numactl_for_memory(),
    };
    format!(
        "mkdir -p \"$top/{group}\"\n\
         echo {} > \"$top/{group}/cpuset.cpus\"\n\
         echo {} > \"$top/{group}/cpuset.mems\"\n\
         (echo 0 > \"$top/{group}/cgroup.procs\" && export {} && exec {numactl}{})",
        job.cpu_set(),
        ranges(&job.memory_nodes()),
        variables(job),
        program(job.name)
    )
}

fn end(jobs: &[Job<'_>]) -> String {
    let mut groups: Vec<String> = jobs.iter().map(|job| format!("\"$top/{}\"", group(job))).collect();
    groups.push("\"$top\"".to_owned());
    format!("rmdir {}\n", groups.join(" "))
}

/// The name of the group. Files of the kernel have a dot in their names, and so has what stands for an odd name, but no
/// plain name is taken that has one.
fn group(job: &Job<'_>) -> String {
    if is_plain(job.name) && !job.name.contains('.') {
        job.name.to_owned()
    } else {
        format!("app.{}", job.number + 1)
    }
}

// `hwloc-bind` with physical indexes, those of the operating system. Options as in hwloc-bind(1) and hwloc(7).

const HWLOC: Tool = Tool {
    directives: &[],
    notes: &[
        "hwloc-bind binds a process to its set of processors and not each thread to one; threads of OpenMP are \
              bound by OMP_PLACES. -p: numbers of the \
              operating system; --strict: without it memory may come from other nodes too. Without --membind Linux \
              takes memory from the node of the thread that touches it first.",
    ],
    start: "",
    command: hwloc,
    end: nothing,
    has_weights: false,
};

fn hwloc(job: &Job<'_>) -> String {
    let memory = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) => String::new(),
        Memory::Node(node) => format!(" --membind node:{node}"),
        Memory::Interleaved(nodes) => {
            let nodes: Vec<String> = nodes.iter().map(|node| format!("node:{node}")).collect();
            format!(" --membind --mempolicy interleave {}", nodes.join(" "))
        }
    };
    // A location is one object or one range: `pu:0-3 pu:8`.
    let processors: Vec<String> = job.cpu_set().split(',').map(|part| format!("pu:{part}")).collect();
    format!(
        "{} hwloc-bind -p --strict --cpubind {}{memory} -- {}",
        variables(job),
        processors.join(" "),
        program(job.name)
    )
}

// `likwid-pin`, which pins each thread to one processor. Options as in likwid-pin(1).

const LIKWID: Tool = Tool {
    directives: &[],
    notes: &[
        "likwid-pin pins the threads to the processors in the order of the list as they are created, and sets \
              OMP_NUM_THREADS. For threads of pthread_create name the processor of the first thread twice if that \
              one only waits. It needs dynamically linked programs, and it splits the command at spaces.",
    ],
    start: "",
    command: likwid,
    end: nothing,
    has_weights: false,
};

fn likwid(job: &Job<'_>) -> String {
    // -m and -i mean the nodes of the threads; other nodes are left to numactl, whose policy is inherited.
    let (numactl, policy) = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) => (String::new(), ""),
        Memory::Node(node) if job.nodes == [*node] => (String::new(), "-m "),
        Memory::Interleaved(nodes) if job.nodes == *nodes => (String::new(), "-i "),
        Memory::Node(_) | Memory::Interleaved(_) => (job.numactl_for_memory(), ""),
    };
    format!(
        "{} {numactl}likwid-pin -q {policy}-c {} {}",
        variables(job),
        ranges(&job.cpus),
        program(&without_spaces(job.name))
    )
}

/// likwid-pin joins the words of its command with spaces and splits them again: no quoting survives.
fn without_spaces(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}

// `numactl`: one command line for each application. Options as in numactl(8).

const NUMACTL: Tool = Tool {
    directives: &[],
    notes: &[
        "numactl binds a process to its set of processors and not each thread to one: inside the set, also \
              between nodes, threads may move. Those of OpenMP do not: OMP_PLACES names one processor for each. Threads of \
              other kinds: --emit likwid.",
    ],
    start: "",
    command: numactl,
    end: nothing,
    has_weights: true,
};

fn numactl(job: &Job<'_>) -> String {
    let memory = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) => "--localalloc".to_owned(),
        Memory::Node(node) => format!("--membind={node}"),
        Memory::Interleaved(nodes) if job.weights.is_some() => {
            format!("--weighted-interleave={}", ranges(nodes))
        }
        Memory::Interleaved(nodes) => format!("--interleave={}", ranges(nodes)),
    };
    format!("{} numactl --physcpubind={} {memory} {}", variables(job), job.cpu_set(), program(job.name))
}

// The environment variables of OpenMP (OpenMP API 5.2, sections 21.1.2, 21.1.3 and 21.1.6), which every kind of script
// sets, and the kind that has nothing else: with `numactl` only where data does not lie with the threads, as memory is
// no matter of OpenMP.

const OMP: Tool = Tool {
    directives: &[],
    notes: &["Each thread gets one place, and each place is one processor; {8}:3 stands for {8},{9},{10}. \
              OMP_DISPLAY_AFFINITY=true shows where threads run."],
    start: "",
    command: omp,
    end: nothing,
    has_weights: false,
};

fn omp(job: &Job<'_>) -> String {
    format!("{} {}{}", variables(job), job.numactl_for_memory(), program(job.name))
}

/// Assignments for the environment of the program: as many threads as were computed, each on its processor.
fn variables(job: &Job<'_>) -> String {
    format!("OMP_NUM_THREADS={} OMP_PLACES='{}' OMP_PROC_BIND=close", job.threads(), places(&job.cpus))
}

/// One place for each processor; three and more consecutive ones as `{FIRST}:COUNT`.
fn places(cpus: &[u32]) -> String {
    let mut places = Vec::new();
    for run in cpus.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        match run {
            [first, _, _, ..] => places.push(format!("{{{first}}}:{}", run.len())),
            _ => places.extend(run.iter().map(|cpu| format!("{{{cpu}}}"))),
        }
    }
    places.join(",")
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn runs_of_processors_are_intervals_and_keep_their_order() {
        assert_eq!(places(&[8, 9, 10, 0, 1, 4]), "{8}:3,{0},{1},{4}");
    }
}

// Slurm: a batch script with one job step of one task for each application. Options as in srun(1).
//
// `--cpus-per-task` is left out: it implies `--exact`, and then Slurm itself chooses the processors of the step, which
// need not be those of the mask. Masks are kept as they are only where the whole node belongs to the job.

const SLURM: Tool = Tool {
    directives: &["#SBATCH --nodes=1", "#SBATCH --exclusive"],
    notes: &[
        "Binding needs Slurm's plugin task/affinity and a whole node. --overlap lets the steps run side by side; \
         without --cpus-per-task each may use every processor of its mask.",
        "Slurm binds a task to its mask and not each thread to one processor; threads of OpenMP are bound by \
         OMP_PLACES. --export=ALL hands the variables on also where the job was submitted with --export=NONE.",
    ],
    start: "",
    command: slurm,
    end: nothing,
    has_weights: false,
};

fn slurm(job: &Job<'_>) -> String {
    // Slurm cannot interleave.
    let (bind, numactl) = match &job.memory {
        Memory::Own => ("local".to_owned(), String::new()),
        // The program places a share itself; first touch is the default of Linux.
        Memory::OwnAnd(_) => ("none".to_owned(), String::new()),
        Memory::Node(node) => (format!("mask_mem:{}", mask(&[*node])), String::new()),
        Memory::Interleaved(_) => ("none".to_owned(), job.numactl_for_memory()),
    };
    format!(
        "{} srun --nodes=1 --ntasks=1 --overlap --export=ALL --cpu-bind=mask_cpu:{} --mem-bind={bind} {numactl}{}",
        variables(job),
        mask(&job.cpus),
        program(job.name)
    )
}

// Words of a POSIX shell.

/// Whether a word means itself in a shell and in a path.
pub(crate) fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !word.is_empty() && !word.starts_with('.') && word.chars().all(plain)
}

/// The placeholder for the program of an application: `./mem-1`, `'./my app'`.
///
/// POSIX, 2.2.2: everything between single quotes means itself, except a single quote.
fn program(name: &str) -> String {
    if is_plain(name) { format!("./{name}") } else { quoted(&format!("./{name}")) }
}

/// A word of a command line as a person types it: in quotes where it needs them.
pub(crate) fn typed(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { quoted(word) }
}

/// Any text as one word.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The bits of `numbers` as a hexadecimal mask: 0 and 4 are `0x11`.
fn mask(numbers: &[u32]) -> String {
    let mut digits = vec![0_u8; numbers.iter().max().map_or(1, |&most| most as usize / 4 + 1)];
    for &number in numbers {
        if let Some(digit) = digits.get_mut(number as usize / 4) {
            *digit |= 1 << (number % 4);
        }
    }
    let hex: String =
        digits.iter().rev().filter_map(|&digit| char::from_digit(u32::from(digit), 16)).collect();
    format!("0x{hex}")
}

#[cfg(test)]
mod words_tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell_where_they_must_be() {
        assert_eq!(
            ["a/b-1.toml", "two words", "it's", ""].map(typed),
            ["a/b-1.toml", "'two words'", "'it'\\''s'", "''"]
        );
    }

    #[test]
    fn names_that_mean_something_to_a_shell_are_quoted() {
        assert_eq!(program("mem-1"), "./mem-1");
        for (name, quoted) in [
            ("my app", "'./my app'"),
            ("it's", r"'./it'\''s'"),
            ("$(reboot)", "'./$(reboot)'"),
            ("..", "'./..'"),
        ] {
            assert_eq!(program(name), quoted);
        }
    }

    #[test]
    fn a_mask_has_one_bit_for_each_number() {
        assert_eq!(mask(&[0]), "0x1");
        assert_eq!(mask(&[0, 4]), "0x11");
        // 64 threads from processor 1 up: bits 1 to 64.
        assert_eq!(mask(&(1..=64).collect::<Vec<_>>()), "0x1fffffffffffffffe");
    }
}
