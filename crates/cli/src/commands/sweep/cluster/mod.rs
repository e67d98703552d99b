//! A sweep as a job array on a cluster: `--submit slurm`, `--resubmit`, `--collect`.
//!
//! One folder contains the whole state of the sweep: the question (`question`), the script that runs it (`script`), and for each finished
//! task a shard of the rows with its receipt. There is no other state, and no process runs between commands. The state of the queue is
//! requested from Slurm (`slurm`) when needed. A task is `numasim sweep --shard I/N --resume`, as a user would type it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use numasim_model::cpus::ranges;
use numasim_study::SourceFile;
use serde_json::{Value, json};

use crate::args::{ClusterArgs, MOST_SHARDS, SweepArgs};
use crate::commands::sweep::Plan;
use crate::commands::sweep::partial::{Found, look};
use crate::emit::{is_plain, quoted};
use crate::failure::Failure;
use crate::files;
use crate::output::{Destination, Folder};
use crate::shell::Shell;
use crate::view::figures;

/// Default for `--shards`.
const SHARDS: u32 = 16;

/// Writes the folder, and submits the array.
pub(super) fn submit(
    args: &SweepArgs,
    plan: &Plan,
    texts: &[SourceFile],
    shell: &Shell,
) -> Result<(), Failure> {
    let folder = args.cluster.folder.as_deref().ok_or_else(|| Failure::fault("--submit without --folder"))?;
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::input(format!("{} is not empty", folder.display()))
            .hint("--resubmit FOLDER submits the shards that are missing, --collect FOLDER joins them")
            .hint("or give --folder another name"));
    }
    // A task without points is not needed.
    let points = plan.points.end - plan.points.start;
    let shards = args.cluster.shards.unwrap_or(SHARDS).min(u32::try_from(points).unwrap_or(u32::MAX)).max(1);
    let inputs = input_names(texts);
    let question = Question { shards, points, identity: plan.identity.clone() };
    let script = text(args, &inputs, &question)?;
    Folder::open(folder, &[], "--folder")?.write_whole(|files| {
        for (name, text) in inputs.iter().zip(texts) {
            files.write_by(name, |out| out.write_all(text.text.as_bytes()))?;
        }
        files.write_by(SCRIPT, |out| out.write_all(script.as_bytes()))?;
        files.write_by(QUESTION, |out| out.write_all(question.text().as_bytes()))
    })?;
    let written = format!("{} of {points} points", figures::count(shards.into(), "shard"));
    shell.note(format!("{written} in {}", folder.display()));
    let all: Vec<u32> = (1..=shards).collect();
    hand_over(folder, &all, &args.cluster, shell)
}

/// Submits the missing shards.
pub(super) fn resubmit(folder: &Path, args: &ClusterArgs, shell: &Shell) -> Result<(), Failure> {
    let question = Question::read(folder)?;
    let missing = question.missing(folder)?;
    if missing.is_empty() {
        shell.note(format!("nothing is missing in {}; --collect joins the shards", folder.display()));
        return Ok(());
    }
    let queued = queued(folder)?;
    let (waiting, again): (Vec<u32>, Vec<u32>) =
        missing.into_iter().partition(|shard| queued.contains(shard));
    if !waiting.is_empty() {
        shell.note(format!("still queued or running: {}", shards(&waiting)));
    }
    if again.is_empty() {
        return Ok(());
    }
    shell.note(format!("missing: {}", shards(&again)));
    hand_over(folder, &again, args, shell)
}

/// Submits these shards and prints the number of the job; with `--dry-run` prints the command.
fn hand_over(folder: &Path, shards: &[u32], args: &ClusterArgs, shell: &Shell) -> Result<(), Failure> {
    // The script contains the options of `--submit`. Repeating them here makes them also override the environment.
    let words = command(shards, &args.sbatch_option);
    if args.dry_run {
        return Destination::Stdout.deliver(&typed(folder, &words));
    }
    let job = sbatch(folder, &words)?;
    shell.note(format!("when it has ended: numasim sweep --collect {} -o sweep.csv", folder.display()));
    Destination::Stdout.deliver(&format!("{job}\n"))
}

/// `shard 3`, `shards 2, 5-7`
fn shards(numbers: &[u32]) -> String {
    let noun = if numbers.len() == 1 { "shard" } else { "shards" };
    format!("{noun} {}", ranges(numbers).replace(',', ", "))
}

// `--collect`: all shards in order, complete or not at all.

/// Joins the shards of a folder.
pub(in crate::commands::sweep) fn collect(folder: &Path, output: Option<&Path>) -> Result<(), Failure> {
    let question = Question::read(folder)?;
    let parts: Vec<PathBuf> = (1..=question.shards).map(|shard| part(folder, shard)).collect();
    let destination = Destination::open(output)?;
    let missing = question.missing(folder)?;
    if let [first, ..] = missing.as_slice() {
        return Err(not_done(folder, &question, &missing, *first));
    }
    match &destination {
        Destination::File(place) => {
            place.replace_by(|mut file| join(&parts, &mut file)).map_err(|error| place.refused(&error))
        }
        Destination::Stdout | Destination::Special(_) => {
            let stream = destination.stream().map_err(|error| crate::commands::sweep::not_written(&error))?;
            let mut stream = stream.ok_or_else(|| Failure::fault("a destination of no known kind"))?;
            match join(&parts, &mut stream).and_then(|()| stream.flush()) {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    Err(crate::commands::sweep::not_written(&error))
                }
                _ => Ok(()),
            }
        }
    }
}

fn join(parts: &[PathBuf], out: &mut impl Write) -> io::Result<()> {
    for part in parts {
        io::copy(&mut File::open(part)?, out)?;
    }
    Ok(())
}

fn not_done(folder: &Path, question: &Question, missing: &[u32], first: u32) -> Failure {
    let failure = Failure::input(format!(
        "{} of {} shards are not there: {}",
        missing.len(),
        question.shards,
        shards(missing)
    ));
    let log = log(folder, first);
    let failure = if log.exists() {
        failure.hint(format!("what the task of shard {first} said is in {}", log.display()))
    } else {
        failure
    };
    failure.hint(format!(
        "wait for the job (squeue), or compute what failed again: numasim sweep --resubmit {}",
        folder.display()
    ))
}

// A sweep as the words of a command line, from its parsed arguments.

/// The words between `numasim sweep` and the additions of a task. `files` replaces the named files.
fn words(args: &SweepArgs, files: &[String]) -> Vec<String> {
    // Every option is listed, so that a new one must be considered here.
    let SweepArgs {
        files: _,
        sharing,
        set,
        scenario,
        explore,
        objective,
        same_on_every_node,
        whole_nodes,
        min_threads_per_node,
        no_idle_cores,
        time_limit,
        simulate,
        policy,
        until,
        seed,
        // Each task has a separate one, or none.
        shard: _,
        resume: _,
        threads: _,
        cluster: _,
        plot: _,
        format: _,
        output: _,
    } = args;
    let mut words = files.to_vec();
    // `--key=value`: a value may begin with a hyphen.
    let mut with =
        |key: &str, value: Option<String>| words.extend(value.map(|value| format!("--{key}={value}")));
    with("model", sharing.model.map(|model| model.as_str().to_owned()));
    for set in set {
        with("set", Some(set.clone()));
    }
    for name in scenario {
        with("scenario", Some(name.clone()));
    }
    with("objective", objective.map(|objective| objective.as_str().to_owned()));
    with("min-threads-per-node", min_threads_per_node.map(|threads| threads.to_string()));
    with("time-limit", time_limit.map(|limit| limit.as_secs_f64().to_string()));
    for policy in policy {
        with("policy", Some(policy.to_string()));
    }
    with("until", until.map(|until| until.to_string()));
    with("seed", seed.map(|seed| seed.to_string()));
    let flags = [
        (explore, "--explore"),
        (same_on_every_node, "--same-on-every-node"),
        (whole_nodes, "--whole-nodes"),
        (no_idle_cores, "--no-idle-cores"),
        (simulate, "--simulate"),
    ];
    words.extend(flags.into_iter().filter(|(is_given, _)| **is_given).map(|(_, flag)| flag.to_owned()));
    words
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    fn read(words: &[&str]) -> SweepArgs {
        match Cli::try_parse_from(words).expect("a command line").command {
            Command::Sweep(args) => args,
            other => panic!("{other:?}"),
        }
    }

    /// The parsed words ask the same question, except for the files.
    #[test]
    fn the_words_ask_the_same_again() {
        for question in [
            &[
                "a.toml",
                "--set",
                "machine.link_gbs=1,2",
                "--set=-x=1",
                "--scenario=-odd one",
                "--model",
                "ecm",
            ][..],
            &[
                "a.toml",
                "b.toml",
                "--set=machine.link_gbs=1,2",
                "--explore",
                "--objective=fair",
                "--same-on-every-node",
                "--whole-nodes",
                "--min-threads-per-node=2",
                "--no-idle-cores",
                "--time-limit=0.1",
                "--seed=7",
            ],
            &[
                "a.toml",
                "--set=policy.lead=1..8:1",
                "--simulate",
                "--policy=lead:2",
                "--policy=none",
                "--until=1e-3",
            ],
        ] {
            let args = read(&[&["numasim", "sweep"], question].concat());
            let files: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
            let words = words(&args, &files);
            let again: Vec<&str> =
                ["numasim", "sweep"].into_iter().chain(words.iter().map(String::as_str)).collect();
            assert_eq!(format!("{:?}", read(&again)), format!("{args:?}"));
        }
    }
}

// `sweep.json`: the sweep of a folder, its number of shards, and the path of each shard.

/// The file.
const QUESTION: &str = "sweep.json";

/// A sweep in shards.
struct Question {
    /// Number of tasks in the array, numbered from 1.
    shards: u32,
    /// Number of points in all shards.
    points: u64,
    /// Distinguishes the sweep from others; each shard contains it with its own `--shard`.
    identity: Value,
}

impl Question {
    /// The content of the file.
    fn text(&self) -> String {
        let document =
            json!({ "schema": 1, "shards": self.shards, "points": self.points, "sweep": self.identity });
        format!("{document:#}\n")
    }

    /// Reads the file of a folder.
    fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(QUESTION);
        let refuse = || Failure::input(format!("{} is no folder of a sweep", folder.display()));
        let hint = "name the --folder of a `numasim sweep --submit`";
        let text = files::read_small(&path).map_err(|why| refuse().because(why).hint(hint))?;
        let document: Value = serde_json::from_str(&text)
            .map_err(|error| refuse().because(format!("{}: {error}", path.display())).hint(hint))?;
        match (document["shards"].as_u64(), document["points"].as_u64(), &document["sweep"]) {
            (Some(shards @ 1..), Some(points), identity @ Value::Object(_)) if document["schema"] == 1 => {
                let most = points.clamp(1, MOST_SHARDS.into());
                match u32::try_from(shards) {
                    Ok(shards) if u64::from(shards) <= most => {
                        Ok(Self { shards, points, identity: identity.clone() })
                    }
                    _ => Err(refuse()
                        .because(format!(
                            "{} names {shards} shards; a sweep of {points} points has at most {most}",
                            path.display()
                        ))
                        .hint(hint)),
                }
            }
            _ => Err(refuse()
                .because(format!("{} is not what this numasim writes", path.display()))
                .hint(hint)),
        }
    }

    /// The missing shards, from 1, ascending.
    ///
    /// # Errors
    /// A shard that belongs to another sweep or was changed.
    fn missing(&self, folder: &Path) -> Result<Vec<u32>, Failure> {
        let mut missing = Vec::new();
        let mut identity = self.identity.clone();
        for shard in 1..=self.shards {
            identity["--shard"] = json!(format!("{shard}/{}", self.shards));
            let path = part(folder, shard);
            match look(&path, &identity) {
                Ok(Found::Whole) => {}
                Ok(Found::Missing) => missing.push(shard),
                Ok(Found::Foreign(why)) => {
                    return Err(Failure::input(format!("{} {why}", path.display()))
                        .hint("delete it, and --resubmit computes it again"));
                }
                Err(error) => {
                    return Err(Failure::input(format!("cannot read {}", path.display())).caused_by(&error));
                }
            }
        }
        Ok(missing)
    }
}

/// The rows of a shard; the names sort in order.
fn part(folder: &Path, shard: u32) -> PathBuf {
    folder.join(format!("part-{shard:05}.csv"))
}

/// The output of the tasks, by the script's `--output`.
fn log(folder: &Path, shard: u32) -> PathBuf {
    folder.join(format!("shard-{shard:05}.log"))
}

/// Names for the copies of the input files, in order: `input-1-study.toml`.
fn input_names(texts: &[SourceFile]) -> Vec<String> {
    let name = |(index, text): (usize, &SourceFile)| {
        let known = Path::new(&text.name).file_name().and_then(|name| name.to_str());
        let known = known.filter(|name| is_plain(name)).unwrap_or("file.toml");
        format!("input-{}-{known}", index + 1)
    };
    texts.iter().enumerate().map(name).collect()
}

// `sweep.sbatch`: the job array. The script looks handwritten and can be submitted manually from its folder.

/// The file.
const SCRIPT: &str = "sweep.sbatch";

/// The script; `inputs` are the names of the input files next to it.
fn text(args: &SweepArgs, inputs: &[String], question: &Question) -> Result<String, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::fault("cannot tell where this program is").caused_by(&error))?;
    let Some(program) = program.to_str() else {
        return Err(Failure::input("the path of this program is not UTF-8").hint("move it to another folder"));
    };
    Ok(script(args, inputs, question, program))
}

fn script(args: &SweepArgs, inputs: &[String], question: &Question, program: &str) -> String {
    let Question { shards, points, .. } = question;
    let threads = args.threads.unwrap_or(1);
    let mut text = String::from("#!/bin/bash\n");
    for option in [
        "--job-name=numasim-sweep".to_owned(),
        format!("--array=1-{shards}"),
        format!("--cpus-per-task={threads}"),
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        "--output=shard-%5a.log".to_owned(),
    ]
    .iter()
    .chain(&args.cluster.sbatch_option)
    {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "#SBATCH {option}");
    }
    let _ = write!(
        text,
        "#
# A sweep of {points} points in {shards} shards, one for each task of this array (numasim {}). To be submitted in its folder:
#   sbatch {SCRIPT}                        # or numasim sweep --resubmit . for what is missing
#   numasim sweep --collect . -o sweep.csv     # when all tasks have ended
# A task that was killed (time limit, preemption) goes on where it stopped when it runs again.
# NUMASIM is the program, if it is elsewhere.
set -euo pipefail

numasim=${{NUMASIM:-{}}}
part=$(printf 'part-%05d.csv' \"$SLURM_ARRAY_TASK_ID\")
exec \"$numasim\" sweep",
        env!("CARGO_PKG_VERSION"),
        quoted(program)
    );
    for word in words(args, inputs) {
        let _ = write!(text, " \\\n    {}", quoted(&word));
    }
    let _ = writeln!(
        text,
        " \\\n    --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" --threads \"${{SLURM_CPUS_PER_TASK:-{threads}}}\" --resume \
         -o \"$part\""
    );
    text
}

// Requests to Slurm: to submit an array (sbatch), and to list the queued tasks of one folder (squeue). Options as in sbatch(1),
// squeue(1).

/// States of tasks that are pending or active.
const ALIVE: &str = "PENDING,CONFIGURING,RUNNING,SUSPENDED,STOPPED,COMPLETING";

/// The words that submit these shards. The array is also named here, because the environment (`SBATCH_ARRAY_INX`) overrides a script.
fn command(shards: &[u32], options: &[String]) -> Vec<String> {
    let ours = ["--parsable".to_owned(), format!("--array={}", ranges(shards))];
    ours.into_iter().chain(options.iter().cloned()).chain([SCRIPT.to_owned()]).collect()
}

/// The command in a form that a user can type.
fn typed(folder: &Path, words: &[String]) -> String {
    let plain = |word: &str| {
        is_plain(word) || word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.,=/:".contains(c))
    };
    let word = |word: &str| if plain(word) { word.to_owned() } else { quoted(word) };
    let words: Vec<String> = words.iter().map(|it| word(it)).collect();
    format!("cd {} && sbatch {}\n", word(&folder.display().to_string()), words.join(" "))
}

/// Submits, and returns the number of the job.
fn sbatch(folder: &Path, words: &[String]) -> Result<String, Failure> {
    let again = format!(
        "the folder is whole: once that is mended, numasim sweep --resubmit {} submits it, with other --sbatch-option \
         if need be",
        folder.display()
    );
    let said = said("sbatch", Command::new("sbatch").args(words).current_dir(folder))
        .map_err(|failure| failure.hint(again))?;
    // `JOB` or `JOB;CLUSTER`
    Ok(said.trim().split(';').next().unwrap_or_default().to_owned())
}

/// The shards of this folder that Slurm still has in its queue.
fn queued(folder: &Path) -> Result<BTreeSet<u32>, Failure> {
    let there = canonical(folder);
    let mut squeue = Command::new("squeue");
    squeue.args(["--me", "--array", "--noheader", "--states", ALIVE, "--format", "%K %Z"]);
    let said = said("squeue", &mut squeue).map_err(|failure| {
        failure.hint("without squeue nobody knows which shards are still being computed")
    })?;
    Ok(of_folder(&said, |path| canonical(path) == there))
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Tasks of arrays that were submitted in a folder, from lines `TASK FOLDER`; jobs that are not arrays have no number.
fn of_folder(lines: &str, is_it: impl Fn(&Path) -> bool) -> BTreeSet<u32> {
    let task = |line: &str| {
        let (task, path) = line.trim().split_once(' ')?;
        is_it(Path::new(path)).then(|| task.parse().ok()).flatten()
    };
    lines.lines().filter_map(task).collect()
}

/// The output of a Slurm program.
fn said(name: &str, command: &mut Command) -> Result<String, Failure> {
    let Output { status, stdout, stderr } = command.output().map_err(|error| {
        Failure::input(format!("cannot run {name}")).caused_by(&error).hint(
            "is this a node of a Slurm cluster from which jobs are submitted? With --dry-run nothing is",
        )
    })?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&stdout).into_owned());
    }
    let failure = Failure::input(format!("{name} failed ({status})"));
    let lines = String::from_utf8_lossy(&stderr).into_owned();
    Err(lines.lines().fold(failure, Failure::because))
}

#[cfg(test)]
mod slurm_tests {
    use super::*;

    #[test]
    fn only_tasks_of_this_folder_count() {
        let lines = "3 /scratch/a sweep\n7 /scratch/b\nN/A /scratch/a sweep\n12 /scratch/a sweep\n\n";
        let found = of_folder(lines, |path| path == Path::new("/scratch/a sweep"));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [3, 12]);
    }

    #[test]
    fn what_is_typed_is_quoted_where_a_shell_would_read_it_otherwise() {
        let words = command(&[2, 5, 6, 7], &["--comment=it's mine".to_owned()]);
        let typed = typed(Path::new("my sweep"), &words);
        assert_eq!(
            typed,
            "cd 'my sweep' && sbatch --parsable --array=2,5-7 '--comment=it'\\''s mine' sweep.sbatch\n"
        );
    }
}
