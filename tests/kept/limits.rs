//! Limits of the system: long files, full disks, folders of other users, vanishing folders.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::content;
use super::whole::stencil;
use crate::common::{PROGRAM, config_path, folder, stderr};

/// The program under a shell that runs this first.
fn shell(at: &Path, before: &str, args: &str) -> Output {
    let mut command = Command::new("sh");
    command
        .current_dir(at)
        .arg("-c")
        .arg(format!("{before}; exec {PROGRAM} {args}"))
        .env("LC_ALL", "C.UTF-8");
    command.output().expect("a shell")
}

#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_is_an_error_message() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("large.toml"), stencil(60)).expect("a file for the test");
    fs::write(at.join("old"), "mine").expect("a file for the test");
    let study = config_path("paper/table-iii.toml");
    let before = content(at);
    for args in [
        "plan large.toml -o plan".to_owned(),
        "profile large.toml -o profile".to_owned(),
        "tasks large.toml --emit-graph graph -o /dev/null".to_owned(),
        "tasks large.toml --trace old -o /dev/null".to_owned(),
        "man --dir man".to_owned(),
        "schema -o old".to_owned(),
        "completions bash -o old".to_owned(),
        format!("report {study} -o old"),
        format!("explore {study} --time-limit 0.1 --plot plot.svg -o /dev/null"),
    ] {
        // A block is 512 bytes for some shells, 1024 for others.
        let ended = shell(at, "ulimit -f 2", &args);
        let said = stderr(&ended);
        assert_eq!(ended.status.code(), Some(1), "{args}: {said}");
        assert!(said.contains("caused by: File too large"), "{args}: {said}");
        assert!(said.contains("ulimit -f"), "{args}: {said}");
        assert!(content(at) == before, "{args}: something was left");
        assert_eq!(fs::read_dir(at).expect("a folder").count(), 2, "{args}");
    }
}

#[cfg(unix)]
#[test]
fn a_sweep_that_meets_the_limit_keeps_its_rows() {
    let folder = folder();
    let at = folder.path();
    let study = config_path("paper/table-iii.toml");
    let args = format!("sweep {study} --set machine.link_gbs=1..500:1 -o s.csv");
    let ended = shell(at, "ulimit -f 16", &args);
    assert_eq!(ended.status.code(), Some(1), "{}", stderr(&ended));
    assert!(
        stderr(&ended).contains("--resume continues") && !at.join("s.csv").exists(),
        "{}",
        stderr(&ended)
    );
    let done = shell(at, "true", &format!("{args} --resume"));
    assert!(done.status.success(), "{}", stderr(&done));
    let whole = shell(at, "true", &args.replace("s.csv", "whole.csv"));
    assert!(whole.status.success(), "{}", stderr(&whole));
    assert!(fs::read(at.join("s.csv")).expect("there") == fs::read(at.join("whole.csv")).expect("there"));
}

#[cfg(unix)]
#[test]
fn started_programs_have_their_usual_signals() {
    // SIGXFSZ is 25 on Linux: bit 24 of the masks of ignored signals.
    let folder = folder();
    let status = fs::read_to_string("/proc/self/status");
    if status.is_err() {
        return; // no /proc
    }
    // A program started as sbatch writes its signal masks.
    let at = folder.path();
    fs::write(at.join("sbatch"), "#!/bin/sh\ngrep SigIgn /proc/self/status >ignored\necho 1\n")
        .expect("a file for the test");
    let chmod = Command::new("chmod").arg("+x").arg(at.join("sbatch")).status().expect("chmod");
    assert!(chmod.success());
    let study = config_path("paper/table-iii.toml");
    let args = format!("sweep {study} --set machine.link_gbs=1,2 --submit slurm --folder sweep");
    let done = shell(at, "PATH=$PWD:$PATH", &args);
    assert!(done.status.success(), "{}", stderr(&done));
    let ignored = fs::read_to_string(at.join("sweep/ignored")).expect("written by sbatch");
    let mask = u64::from_str_radix(ignored.trim_start_matches("SigIgn:").trim(), 16).expect("a mask");
    assert_eq!(mask & (1 << 24), 0, "{ignored}");
}

#[test]
fn a_sweep_has_no_more_shards_than_points() {
    let folder = folder();
    let at = folder.path();
    let study = config_path("paper/table-iii.toml");
    let made = shell(
        at,
        "true",
        &format!("sweep {study} --set machine.link_gbs=1,2 --submit slurm --folder sweep --dry-run"),
    );
    assert!(made.status.success(), "{}", stderr(&made));
    let path = at.join("sweep/sweep.json");
    let text = fs::read_to_string(&path).expect("written");
    for (shards, points) in
        [("1000000000000000000", "2"), ("4000000000", "2"), ("4000000000", "4000000000"), ("3", "2")]
    {
        let changed = text.replace("\"shards\": 2", &format!("\"shards\": {shards}"));
        fs::write(&path, changed.replace("\"points\": 2", &format!("\"points\": {points}")))
            .expect("written");
        for args in ["sweep --collect sweep", "sweep --resubmit sweep --dry-run"] {
            let refused = shell(at, "ulimit -v 4000000", args);
            assert_eq!(refused.status.code(), Some(1), "{args}: {}", stderr(&refused));
            assert!(
                stderr(&refused)
                    .contains(&format!("names {shards} shards; a sweep of {points} points has at most")),
                "{}",
                stderr(&refused)
            );
        }
    }
}
