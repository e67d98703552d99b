//! Sweeps on a cluster: the GNU parallel line of the guide, and the script for Slurm.
#![cfg(unix)]

use super::*;

/// Whether a tool is installed. If `NUMASIM_REQUIRE_TOOLS` is 1, as in CI, a missing one is a failure.
fn is_there(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        assert!(
            std::env::var("NUMASIM_REQUIRE_TOOLS").map_or(true, |value| value != "1"),
            "{tool} is not installed"
        );
        eprintln!("not tested: {tool} is not installed");
    }
    found
}

/// Runs bash in a folder like a fresh clone, with the program under test in PATH.
fn bash(script: &str, folder: &Path, variables: &[(&str, &str)]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_numasim")).parent().expect("it lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("HOME", folder)
        .env_remove("PARTS")
        .envs(variables.iter().copied())
        .output()
        .expect("there is bash")
}

fn clone() -> tempfile::TempDir {
    let folder = folder();
    std::os::unix::fs::symlink(root().join("configs"), folder.path().join("configs")).expect("linked");
    folder
}

#[test]
fn the_line_for_gnu_parallel_in_the_guide_equals_one_run() {
    if !is_there("parallel") {
        return;
    }
    let guide = fs::read_to_string(root().join("docs/guide/sweeps.md")).expect("the guide has sweeps");
    let lines: Vec<&str> = guide
        .lines()
        .skip_while(|line| !line.starts_with("parallel numasim sweep "))
        .take_while(|line| !line.starts_with("```"))
        .filter(|line| line.starts_with("parallel ") || line.starts_with("cat "))
        .collect();
    assert_eq!(lines.len(), 2, "the guide shows how to spread a sweep and how to join it: {lines:?}");
    let folder = clone();
    let output = bash(&lines.join("\n"), folder.path(), &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let joined = lines[1].rsplit("> ").next().expect("a name");
    let sweep =
        lines[0].split(" --shard").next().and_then(|line| line.strip_prefix("parallel ")).expect("a sweep");
    // One run of the same sweep; parallel passes its line through a shell once more.
    let whole = bash(&format!("eval {sweep}"), folder.path(), &[]);
    assert!(whole.status.success() && whole.stdout.len() > 1000, "{}", stderr(&whole));
    assert!(fs::read(folder.path().join(joined)).expect("joined") == whole.stdout);
}

#[test]
fn the_slurm_script_computes_one_part_for_each_task() {
    let script = root().join("scripts/sweep.sbatch").canonicalize().expect("the script");
    let folder = clone();
    let task = |task: &str, more: &[(&str, &str)]| {
        let call = format!(
            "bash '{}' parts configs/paper/numa-bad.toml --set machine.link_gbs=1..10:1",
            script.display()
        );
        let array = [
            ("SLURM_ARRAY_TASK_ID", task),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_MAX", "3"),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("SLURM_CPUS_PER_TASK", "1"),
        ];
        bash(&call, folder.path(), &[&array[..], more].concat())
    };
    for part in ["3", "1", "2"] {
        let output = task(part, &[]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let joined = bash("cat parts/part-*.csv", folder.path(), &[]).stdout;
    let whole = sweep(&config("paper/numa-bad.toml"), &["machine.link_gbs=1..10:1"], &[]);
    assert_eq!(String::from_utf8(joined).expect("UTF-8"), whole);

    // Task 2 alone again: 1 of 1 would be all points under the name of a part.
    let alone =
        [("SLURM_ARRAY_TASK_MIN", "2"), ("SLURM_ARRAY_TASK_MAX", "2"), ("SLURM_ARRAY_TASK_COUNT", "1")];
    let output = task("2", &alone);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let before = fs::read(folder.path().join("parts/part-00002.csv")).expect("a part");
    assert!(task("2", &[&alone[..], &[("PARTS", "3")]].concat()).status.success());
    assert_eq!(fs::read(folder.path().join("parts/part-00002.csv")).expect("a part"), before);
}

/// The words of each line are added to the command; only failed lines run again.
#[test]
fn the_script_for_lines_computes_missing_answers() {
    let script = root().join("scripts/lines.sbatch").canonicalize().expect("the script");
    let folder = clone();
    let list = "configs/paper/numa-bad.toml\nmissing.toml\n'configs/paper/table-iii.toml'\n";
    fs::write(folder.path().join("list"), list).expect("a file for the test");
    let task = |task: &str, command: &str| {
        let array = [
            ("SLURM_ARRAY_TASK_ID", task),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_MAX", "2"),
            ("SLURM_ARRAY_TASK_COUNT", "2"),
        ];
        bash(&format!("bash '{}' best list {command}", script.display()), folder.path(), &array)
    };
    let explore = "numasim explore --time-limit 5 --same-on-every-node --format json";
    assert!(task("1", explore).status.success());
    let failed = task("2", explore);
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        stderr(&failed).starts_with("line 2 failed with exit code 1: missing.toml\n"),
        "{}",
        stderr(&failed)
    );
    let best = |name: &str| fs::read_to_string(folder.path().join("best").join(name));
    for name in ["00001.out", "00003.out"] {
        let answer: Value = serde_json::from_str(&best(name).expect("written")).expect("JSON");
        assert_eq!(answer["status"], "optimal", "{name}");
    }
    assert!(best("00002.out").is_err() && best("00002.err").expect("what it said").contains("missing.toml"));

    // The same again, with a folder for the line that is missing; the other answers stay as they are.
    fs::write(folder.path().join("list"), list.replace("missing", "{}")).expect("a file for the test");
    assert!(!task("2", "ls").status.success(), "there is no best/00002.toml");
    fs::write(folder.path().join("list"), list.replace("missing.toml", "{}")).expect("a file for the test");
    assert!(task("2", "ls -d").status.success());
    assert_eq!(best("00002.out").expect("written"), "best/00002\n");
    assert!(best("00001.out").expect("there").contains("\"optimal\""));
}
