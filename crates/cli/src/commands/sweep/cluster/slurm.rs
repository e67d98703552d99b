//! What is asked of Slurm: to take an array (sbatch), and what of one folder it still has (squeue). Options as in sbatch(1), squeue(1).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use numasim_model::cpus::ranges;

use super::script;
use crate::emit::words::{is_plain, quoted};
use crate::failure::Failure;

/// States of tasks that will still do something, or are just doing it.
const ALIVE: &str = "PENDING,CONFIGURING,RUNNING,SUSPENDED,STOPPED,COMPLETING";

/// The words that submit these shards. The array is named here, too: the environment (`SBATCH_ARRAY_INX`) wins over a script.
pub(super) fn command(shards: &[u32], options: &[String]) -> Vec<String> {
    let ours = ["--parsable".to_owned(), format!("--array={}", ranges(shards))];
    ours.into_iter().chain(options.iter().cloned()).chain([script::NAME.to_owned()]).collect()
}

/// The same for a person to type.
pub(super) fn typed(folder: &Path, words: &[String]) -> String {
    let plain = |word: &str| {
        is_plain(word) || word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.,=/:".contains(c))
    };
    let word = |word: &str| if plain(word) { word.to_owned() } else { quoted(word) };
    let words: Vec<String> = words.iter().map(|it| word(it)).collect();
    format!("cd {} && sbatch {}\n", word(&folder.display().to_string()), words.join(" "))
}

/// Submits, and returns the number of the job.
pub(super) fn submit(folder: &Path, words: &[String]) -> Result<String, Failure> {
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

/// The shards of this folder that Slurm still has.
pub(super) fn queued(folder: &Path) -> Result<BTreeSet<u32>, Failure> {
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

/// Tasks of arrays that were submitted in a folder, of lines `TASK FOLDER`; jobs that are no arrays have no number.
fn of_folder(lines: &str, is_it: impl Fn(&Path) -> bool) -> BTreeSet<u32> {
    let task = |line: &str| {
        let (task, path) = line.trim().split_once(' ')?;
        is_it(Path::new(path)).then(|| task.parse().ok()).flatten()
    };
    lines.lines().filter_map(task).collect()
}

/// What a program of Slurm prints.
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
mod tests {
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
