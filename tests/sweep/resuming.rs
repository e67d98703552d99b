//! Interrupted sweeps that resume.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;

/// Hundreds of thousands of rows take long enough to be interrupted, in every build.
const LONG: [&str; 4] = ["--set", "machine.link_gbs=1..400:1", "--set", "machine.bandwidth_gbs=1..500:1"];

fn long(file: &str, out: &Path, more: &[&str]) -> Command {
    let mut command = command(&[&["sweep", file][..], &LONG, more].concat());
    command.arg("-o").arg(out);
    command
}

/// Starts a long sweep and sends it this signal as soon as it has written rows.
fn interrupted(file: &str, out: &Path, signal: &str) -> Output {
    let child = long(file, out, &[]).stderr(Stdio::piped()).spawn().expect("the program starts");
    let partial = out.with_extension("csv.partial");
    let start = Instant::now();
    while fs::metadata(&partial).map_or(0, |found| found.len()) < 10_000 {
        assert!(start.elapsed() < Duration::from_secs(60), "no row was written");
        sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().expect("kill starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert!(!out.exists() && partial.exists(), "the sweep was over before the signal came");
    output
}

#[cfg(unix)]
#[test]
fn a_killed_sweep_goes_on_and_gives_the_same_bytes() {
    let (file, folder) = (config("paper/numa-bad.toml"), folder());
    let out = folder.path().join("out.csv");
    interrupted(&file, &out, "-KILL");
    let rows = fs::read(folder.path().join("out.csv.partial")).expect("rows");
    let whole = written(&[&["sweep", &file][..], &LONG].concat());
    assert!(whole.as_bytes().starts_with(&rows) && rows.len() < whole.len());
    let output = long(&file, &out, &["--resume"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(fs::read_to_string(&out).expect("written") == whole);
}

/// A limit of the size of files stops the sweep within a row, at the same byte every time.
#[cfg(unix)]
#[test]
fn rows_torn_at_any_byte_are_completed() {
    let (file, folder) = (config("paper/numa-bad.toml"), folder());
    let out = folder.path().join("out.csv");
    let sweep = ["sweep", &file, "--set", "machine.link_gbs=1..100:1", "-o", out.to_str().expect("UTF-8")];
    let whole = written(&sweep[..4]);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", r#"ulimit -c 0; ulimit -f 8; exec "$@""#, "sh"])
        .arg(numasim().get_program())
        .args(sweep);
    let output = limited.output().expect("a shell");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the same command with --resume continues"), "{}", stderr(&output));
    let partial = folder.path().join("out.csv.partial");
    let rows = fs::read(&partial).expect("rows");
    assert!(whole.as_bytes().starts_with(&rows) && rows.len() < whole.len() && !rows.ends_with(b"\n"));
    let identity = fs::read(folder.path().join("out.csv.partial.json")).expect("what sweep it is");
    // Torn in the header, in a row, between the two rows of a point, at the end of a point.
    let ends: Vec<usize> =
        rows.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for length in [0, 7, ends[0], ends[4] - 3, ends[5], ends[6], rows.len()] {
        fs::write(&partial, &rows[..length]).expect("a file for the test");
        fs::write(folder.path().join("out.csv.partial.json"), &identity).expect("a file for the test");
        written(&[&sweep[..], &["--resume"]].concat());
        assert!(fs::read_to_string(&out).expect("written") == whole, "torn at byte {length}");
        let left = fs::read_dir(folder.path()).expect("readable").count();
        assert_eq!(left, 1, "a file was left beside the result");
        fs::remove_file(&out).expect("removed");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_rows_and_explains_how_to_resume() {
    let (file, folder) = (config("paper/numa-bad.toml"), folder());
    let out = folder.path().join("out.csv");
    let output = interrupted(&file, &out, "-INT");
    assert_eq!(output.status.code(), Some(130));
    let message = stderr(&output);
    assert!(message.starts_with("error: interrupted after "), "{message}");
    assert!(message.contains("the same command with --resume continues"), "{message}");

    // Without --resume nothing is deleted, and another sweep does not continue with these rows.
    let again = long(&file, &out, &[]).output().expect("the program starts");
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("hint: continue it with --resume"), "{}", stderr(&again));
    let refusal = |file: &str, more: &[&str]| {
        let output = long(file, &out, &[&["--resume"], more].concat()).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    let other_keys = refusal(&file, &["--set", "app.mem.arithmetic_intensity=1"]);
    assert!(other_keys.contains("belongs to another sweep: --set was machine.link_gbs"), "{other_keys}");
    let other_part = refusal(&file, &["--shard", "1/2"]);
    assert!(other_part.contains("--shard was 1/1 and is now 1/2"), "{other_part}");
    let other_file = refusal(&config("paper/uneven-even-nodes.toml"), &[]);
    assert!(
        other_file.contains("the machine, applications or scenarios in the files have changed"),
        "{other_file}"
    );
}

#[test]
fn resume_without_earlier_rows_starts_at_the_beginning() {
    let (file, folder) = (config("paper/numa-bad.toml"), folder());
    let out = folder.path().join("out.csv").display().to_string();
    let args = ["sweep", &file, "--set", "machine.link_gbs=1,2"];
    assert_eq!(written(&[&args[..], &["-o", &out, "--resume"]].concat()), "");
    assert_eq!(fs::read_to_string(&out).expect("written"), written(&args));
}

#[test]
fn a_sweep_without_a_row_starts_over() {
    let (file, folder) = (config("paper/numa-bad.toml"), folder());
    let out = folder.path().join("out.csv");
    let args = ["sweep", &file, "--set", "machine.link_gbs=1,2"];
    let whole = written(&args);
    let header = &whole[..=whole.find('\n').expect("a header")];
    // Killed before it recorded its identity, and before its first row.
    for begun in ["", &header[..4], header] {
        for resume in [&[][..], &["--resume"]] {
            fs::write(folder.path().join("out.csv.partial"), begun).expect("a file for the test");
            let path = out.display().to_string();
            assert_eq!(written(&[&args[..], &["-o", &path], resume].concat()), "");
            assert_eq!(fs::read_to_string(&out).expect("written"), whole);
            assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
        }
    }
}

#[cfg(unix)]
#[test]
fn links_next_to_the_result_are_not_followed_and_inputs_not_replaced() {
    use std::os::unix::fs::symlink;

    let (file, folder) = (config("paper/numa-bad.toml"), folder());
    let out = folder.path().join("out.csv").display().to_string();
    let victim = folder.path().join("victim");
    fs::write(&victim, "mine").expect("a file for the test");
    for name in ["out.csv", "out.csv.partial", "out.csv.partial.json"] {
        symlink("victim", folder.path().join(name)).expect("linked");
        let output = run(&["sweep", &file, "--set", "machine.link_gbs=1,2", "-o", &out]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(stderr(&output).contains("it is a symbolic link"), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(&victim).expect("there"), "mine");
        fs::remove_file(folder.path().join(name)).expect("removed");
    }
    let input = folder.path().join("out.csv.partial.json");
    fs::copy(&file, &input).expect("copied");
    let path = input.display().to_string();
    let output = run(&["sweep", &path, "--set", "machine.link_gbs=1,2", "-o", &out]);
    assert!(stderr(&output).contains("is also an input file"), "{}", stderr(&output));
    assert_eq!(fs::read(&input).expect("there"), fs::read(&file).expect("there"));
}
