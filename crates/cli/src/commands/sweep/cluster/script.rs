//! `sweep.sbatch`: the job array. It is a script as a person would write it, and can be submitted by hand where it lies.

use std::fmt::Write as _;

use super::command;
use super::question::Question;
use crate::args::SweepArgs;
use crate::emit::words::quoted;
use crate::failure::Failure;

/// The file.
pub(super) const NAME: &str = "sweep.sbatch";

/// The script; `inputs` are the names of the input files beside it.
pub(super) fn text(args: &SweepArgs, inputs: &[String], question: &Question) -> Result<String, Failure> {
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
#   sbatch {NAME}                        # or numasim sweep --resubmit . for what is missing
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
    for word in command::words(args, inputs) {
        let _ = write!(text, " \\\n    {}", quoted(&word));
    }
    let _ = writeln!(
        text,
        " \\\n    --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" --threads \"${{SLURM_CPUS_PER_TASK:-{threads}}}\" --resume \
         -o \"$part\""
    );
    text
}
