//! `--submit slurm`, `--resubmit` and `--collect`, with replacements for sbatch and squeue that run tasks in sequence.
//! On a real Slurm: `.ci/slurm`.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;

use super::*;

/// Runs the tasks of `--array` in the folder of the script, except those in `LOST`.
const SBATCH: &str = r#"#!/bin/bash
for word; do case $word in --array=*) array=${word#--array=} ;; esac; done
for range in ${array//,/ }; do
    for ((task = ${range%-*}; task <= ${range#*-}; task++)); do
        [[ " ${LOST:-} " == *" $task "* ]] && continue
        SLURM_ARRAY_TASK_ID=$task bash "${!#}" >"$(printf 'shard-%05d.log' "$task")" 2>&1 || exit
    done
done
echo '4242;cluster'
"#;

/// Reports that Slurm still has the shard `QUEUED` of every folder.
const SQUEUE: &str = "#!/bin/bash\n[[ -z ${QUEUED:-} ]] || echo \"$QUEUED $(pwd)/shards\"\n";

/// 10 points and two scenarios at each.
const QUESTION: [&str; 3] = ["study.toml", "--set", "machine.link_gbs=1..10:1"];

/// A folder with a study, and with the programs.
fn cluster() -> tempfile::TempDir {
    let folder = folder();
    fs::copy(config("paper/numa-bad.toml"), folder.path().join("study.toml")).expect("a file for the test");
    fs::create_dir(folder.path().join("bin")).expect("a folder for the test");
    for (name, text) in [("sbatch", SBATCH), ("squeue", SQUEUE)] {
        let path = folder.path().join("bin").join(name);
        fs::write(&path, text).expect("a program for the test");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program for the test");
    }
    folder
}

/// `numasim sweep ARGS` in this folder.
fn sweep_in(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = command(&[&["sweep"], args].concat());
    command.current_dir(folder).env_remove("NUMASIM").env("PATH", format!("{}/bin:{path}", folder.display()));
    command.envs(variables.iter().copied()).output().expect("the program starts")
}

fn submit(folder: &Path, more: &[&str], variables: &[(&str, &str)]) -> Output {
    let submit = ["--submit", "slurm", "--folder", "shards", "--shards", "3"];
    sweep_in(folder, &[&QUESTION[..], &submit, more].concat(), variables)
}

#[track_caller]
fn refused(output: &Output) -> String {
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{}", stderr(output));
    stderr(output)
}

#[test]
fn a_sweep_with_a_lost_task_is_complete_once_that_task_ran_again() {
    let folder = cluster();
    let there = folder.path();
    let whole = stdout(&sweep_in(there, &QUESTION, &[]));
    let submitted = submit(there, &[], &[("LOST", "2")]);
    assert_eq!(stdout(&submitted), "4242\n");
    assert_eq!(
        stderr(&submitted),
        "note: 3 shards of 10 points in shards\nnote: when it has ended: numasim sweep --collect shards -o sweep.csv\n"
    );
    let message = refused(&sweep_in(there, &["--collect", "shards", "-o", "sweep.csv"], &[]));
    assert_eq!(
        message,
        "error: 1 of 3 shards are not there: shard 2\n\
         hint: wait for the job (squeue), or compute what failed again: numasim sweep --resubmit shards\n"
    );
    assert!(!there.join("sweep.csv").exists());

    // While Slurm has it, it is not computed twice.
    let waiting = sweep_in(there, &["--resubmit", "shards"], &[("QUEUED", "2")]);
    assert_eq!(
        (stdout(&waiting), stderr(&waiting)),
        (String::new(), "note: still queued or running: shard 2\n".into())
    );
    let typed = sweep_in(there, &["--resubmit", "shards", "--dry-run", "--sbatch-option=--time=5"], &[]);
    assert_eq!(stdout(&typed), "cd shards && sbatch --parsable --array=2 --time=5 sweep.sbatch\n");
    assert_eq!(stdout(&sweep_in(there, &["--resubmit", "shards"], &[])), "4242\n");
    let nothing = sweep_in(there, &["--resubmit", "shards"], &[]);
    assert_eq!(stderr(&nothing), "note: nothing is missing in shards; --collect joins the shards\n");

    assert!(sweep_in(there, &["--collect", "shards", "-o", "sweep.csv"], &[]).status.success());
    assert_eq!(fs::read_to_string(there.join("sweep.csv")).expect("written"), whole);
    assert_eq!(stdout(&sweep_in(there, &["--collect", "shards"], &[])), whole);
}

#[test]
fn a_shard_of_another_question_or_with_changes_is_refused() {
    let folder = cluster();
    let there = folder.path();
    assert!(submit(there, &[], &[]).status.success());
    let collect = || refused(&sweep_in(there, &["--collect", "shards", "-o", "sweep.csv"], &[]));
    let part = |number: u32| there.join(format!("shards/part-{number:05}.csv"));
    let (rows, receipt) = (part(2), there.join("shards/part-00002.csv.json"));
    let (good, good_receipt) =
        (fs::read_to_string(&rows).expect("rows"), fs::read(&receipt).expect("a receipt"));

    fs::write(&rows, good.replacen('1', "2", 1)).expect("a file for the test");
    let changed = collect();
    assert!(
        changed.starts_with("error: shards/part-00002.csv has changed since it was written"),
        "{changed}"
    );
    assert!(changed.contains("hint: delete it, and --resubmit computes it again"), "{changed}");

    // Of another sweep, of another part, and of unknown origin.
    let other =
        ["study.toml", "--set", "machine.link_gbs=11..20:1", "--shard", "2/3", "-o", "shards/part-00002.csv"];
    assert!(sweep_in(there, &other, &[]).status.success());
    let other = collect();
    assert!(
        other.contains("--set was machine.link_gbs=11..20:1 and is now machine.link_gbs=1..10:1"),
        "{other}"
    );
    fs::copy(part(3), &rows).expect("copied");
    fs::copy(there.join("shards/part-00003.csv.json"), &receipt).expect("copied");
    assert!(collect().contains("belongs to another sweep: --shard was 3/3 and is now 2/3"));
    fs::remove_file(&receipt).expect("removed");
    assert!(
        collect().contains(
            "cannot be distinguished from parts of other sweeps: part-00002.csv.json names no sweep"
        )
    );

    // A study that was edited before a task ran.
    fs::remove_file(&rows).expect("removed");
    let input = there.join("shards/input-1-study.toml");
    let study = fs::read_to_string(&input).expect("the copy");
    fs::write(&input, study.replace("link_gbs = 10.0", "link_gbs = 9.0")).expect("a file for the test");
    assert!(sweep_in(there, &["--resubmit", "shards"], &[]).status.success());
    let edited = collect();
    assert!(edited.contains("the machine, applications or scenarios in the files have changed"), "{edited}");

    fs::write(&rows, good).expect("a file for the test");
    fs::write(&receipt, good_receipt).expect("a file for the test");
    assert!(sweep_in(there, &["--collect", "shards"], &[]).status.success());
}

#[test]
fn the_script_can_be_read_and_submitted_by_hand() {
    let folder = cluster();
    let options = ["--dry-run", "--threads", "2", "--sbatch-option=--partition=long", "--sbatch-option=-Ame"];
    let output = submit(folder.path(), &[&options[..], &["--scenario=even 2,2,2,2"]].concat(), &[]);
    let typed = "cd shards && sbatch --parsable --array=1-3 --partition=long -Ame sweep.sbatch\n";
    assert_eq!(stdout(&output), typed, "{}", stderr(&output));
    let mut names: Vec<String> = fs::read_dir(folder.path().join("shards"))
        .expect("the folder")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["input-1-study.toml", "sweep.json", "sweep.sbatch"]);
    let script = fs::read_to_string(folder.path().join("shards/sweep.sbatch")).expect("the script");
    insta::assert_snapshot!("script", script.replace(env!("CARGO_BIN_EXE_numasim"), "/opt/bin/numasim"));
}

#[test]
fn without_slurm_the_folder_is_complete_and_can_be_submitted_later() {
    let folder = cluster();
    fs::write(
        folder.path().join("bin/sbatch"),
        "#!/bin/sh\necho 'invalid partition specified: x' >&2\nexit 1\n",
    )
    .expect("a program for the test");
    assert_eq!(
        refused(&submit(folder.path(), &[], &[])),
        "note: 3 shards of 10 points in shards\n\
         error: sbatch failed (exit status: 1)\n\
         caused by: invalid partition specified: x\n\
         hint: the folder is whole: once that is mended, numasim sweep --resubmit shards submits it, with other \
         --sbatch-option if need be\n"
    );
    fs::write(folder.path().join("bin/sbatch"), SBATCH).expect("a program for the test");
    assert_eq!(stdout(&sweep_in(folder.path(), &["--resubmit", "shards"], &[])), "4242\n");
    assert!(sweep_in(folder.path(), &["--collect", "shards"], &[]).status.success());
}

#[test]
fn a_used_folder_is_not_written_to_and_one_without_a_sweep_not_read() {
    let folder = cluster();
    fs::create_dir(folder.path().join("shards")).expect("a folder for the test");
    assert!(submit(folder.path(), &["--dry-run"], &[]).status.success(), "an empty one will do");
    assert!(refused(&submit(folder.path(), &[], &[])).starts_with("error: shards is not empty\n"));
    for switch in ["--collect", "--resubmit"] {
        let message = refused(&sweep_in(folder.path(), &[switch, "bin"], &[]));
        assert!(
            message.starts_with("error: bin is no folder of a sweep\ncaused by: bin/sweep.json "),
            "{message}"
        );
    }
}

#[test]
fn switches_that_contradict_each_other_are_refused() {
    let folder = cluster();
    for args in [
        &["--collect", "shards", "--set", "machine.link_gbs=1"][..],
        &["--collect", "shards", "--explore"],
        &["--collect", "shards", "--resubmit", "shards"],
        &["--resubmit", "shards", "-o", "x.csv"],
        &["study.toml", "--set", "machine.link_gbs=1", "--submit", "slurm"],
        &["study.toml", "--set", "machine.link_gbs=1", "--folder", "shards"],
        &["study.toml", "--set", "machine.link_gbs=1", "--sbatch-option=--time=1"],
        &[
            "study.toml",
            "--set",
            "machine.link_gbs=1",
            "--submit",
            "slurm",
            "--folder",
            "x",
            "--shard",
            "1/2",
        ],
        &[
            "study.toml",
            "--set",
            "machine.link_gbs=1",
            "--submit",
            "slurm",
            "--folder",
            "x",
            "--sbatch-option=--array=1",
        ],
        &["study.toml"],
    ] {
        let output = sweep_in(folder.path(), args, &[]);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    }
}
