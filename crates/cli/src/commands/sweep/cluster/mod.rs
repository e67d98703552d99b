//! A sweep as a job array on a cluster: `--submit slurm`, `--resubmit`, `--collect`.
//!
//! What is known of the sweep lies in one folder: the question (`question`), the script that asks it (`script`), and a shard
//! of the rows with its receipt from each task that has ended. Nothing else is remembered, and nothing runs between commands;
//! what is queued is asked of Slurm (`slurm`) when it matters. A task is `numasim sweep --shard I/N --resume`, as a person
//! would type it.

mod collecting;
mod command;
mod question;
mod script;
mod slurm;

use std::fs;
use std::path::Path;

use numasim_model::cpus::ranges;
use numasim_study::SourceFile;

use super::plan::Plan;
use crate::args::{ClusterArgs, SweepArgs};
use crate::failure::Failure;
use crate::output::{Destination, Folder};
use crate::shell::Shell;
use crate::view::figures;
pub(super) use collecting::collect;
use question::Question;

/// Without `--shards`.
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
    // A task without a point would be one too many.
    let points = plan.points.end - plan.points.start;
    let shards = args.cluster.shards.unwrap_or(SHARDS).min(u32::try_from(points).unwrap_or(u32::MAX)).max(1);
    let inputs = question::input_names(texts);
    let question = Question { shards, points, identity: plan.identity.clone() };
    let script = script::text(args, &inputs, &question)?;
    Folder::open(folder, &[], "--folder")?.write_whole(|files| {
        for (name, text) in inputs.iter().zip(texts) {
            files.write_by(name, |out| out.write_all(text.text.as_bytes()))?;
        }
        files.write_by(script::NAME, |out| out.write_all(script.as_bytes()))?;
        files.write_by(question::NAME, |out| out.write_all(question.text().as_bytes()))
    })?;
    let written = format!("{} of {points} points", figures::count(shards.into(), "shard"));
    shell.note(format!("{written} in {}", folder.display()));
    let all: Vec<u32> = (1..=shards).collect();
    hand_over(folder, &all, &args.cluster, shell)
}

/// Submits what is missing.
pub(super) fn resubmit(folder: &Path, args: &ClusterArgs, shell: &Shell) -> Result<(), Failure> {
    let question = Question::read(folder)?;
    let missing = question.missing(folder)?;
    if missing.is_empty() {
        shell.note(format!("nothing is missing in {}; --collect joins the shards", folder.display()));
        return Ok(());
    }
    let queued = slurm::queued(folder)?;
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
    // Options of `--submit` are in the script; repeated here they win over the environment, too.
    let words = slurm::command(shards, &args.sbatch_option);
    if args.dry_run {
        return Destination::Stdout.deliver(&slurm::typed(folder, &words));
    }
    let job = slurm::submit(folder, &words)?;
    shell.note(format!("when it has ended: numasim sweep --collect {} -o sweep.csv", folder.display()));
    Destination::Stdout.deliver(&format!("{job}\n"))
}

/// `shard 3`, `shards 2, 5-7`
fn shards(numbers: &[u32]) -> String {
    let noun = if numbers.len() == 1 { "shard" } else { "shards" };
    format!("{noun} {}", ranges(numbers).replace(',', ", "))
}
