//! Width of the output: at most 100 columns in a pipe or a file, at most 80 on a terminal of 80 columns.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The roots of all that is shipped.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder of `configs`, as names from the root.
fn configs(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join("configs").join(folder)).expect("a folder of configs");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| Some(format!("configs/{folder}/{}", path.file_name()?.to_string_lossy())))
        .collect();
    names.sort();
    names
}

/// Command lines whose result for people is a table of text.
fn command_lines() -> Vec<Vec<String>> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let mut lines = Vec::new();
    for file in [configs("paper"), configs("kernels")].concat() {
        for line in ["evaluate FILE", "evaluate FILE --model all", "evaluate FILE --explain", "check FILE"] {
            lines.push(words(&line.replace("FILE", &file)));
        }
    }
    for file in configs("machines") {
        lines.push(words(&format!("check {file} configs/workloads/data-center.toml")));
        lines.push(words(&format!("discriminate {file}")));
    }
    let uneven = "configs/paper/uneven-even-nodes.toml";
    for line in [
        "models",
        "catalog",
        "sweep FILE --format table --set machine.link_gbs=5..40:5",
        "explore FILE --no-idle-cores --same-on-every-node",
        "explore FILE --no-idle-cores --same-on-every-node --sensitivity",
        "explore FILE --same-on-every-node --pareto total-gflops,fair",
        "compare results/paper-table-iii/study.toml --measured results/paper-table-iii/measured.csv",
        "fit results/paper-table-iii/study.toml --measured results/paper-table-iii/measured.csv --free bandwidth_gbs",
    ] {
        lines.push(words(&line.replace("FILE", uneven)));
    }
    lines
}

/// Columns of a line on a terminal.
fn columns(line: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(anstream::adapter::strip_str(line).to_string().as_str())
}

fn assert_width(line: &[String], text: &str, most: usize) {
    assert!(text.lines().count() > 3, "{line:?} printed no table: {text}");
    for row in text.lines() {
        assert!(columns(row) <= most, "{} columns of {line:?}, at most {most}:\n{row}", columns(row));
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numasim"));
    command.current_dir(root()).stdin(Stdio::null()).env("LC_ALL", "C.UTF-8").env_remove("CLICOLOR_FORCE");
    command
}

#[test]
fn a_piped_table_is_at_most_100_columns_wide() {
    for line in command_lines() {
        let output = program().args(&line).output().expect("the program starts");
        assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_width(&line, &String::from_utf8(output.stdout).expect("UTF-8"), 100);
    }
}

/// `script` of util-linux runs the program on a new terminal.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "long: .ci/run runs it"]
fn a_table_on_a_terminal_of_80_columns_is_at_most_80_wide() {
    if Command::new("script").arg("--version").output().is_err() {
        assert!(std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_none(), "script (bsdutils) is not there");
        eprintln!("skipped: script (bsdutils) is not there");
        return;
    }
    for line in command_lines() {
        let quoted: Vec<String> = line.iter().map(|word| format!("'{word}'")).collect();
        let command = format!(
            "stty cols 80 rows 40; exec '{}' {} 2>/dev/null",
            env!("CARGO_BIN_EXE_numasim"),
            quoted.join(" ")
        );
        let output = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(root())
            .stdin(Stdio::null())
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("script starts");
        assert!(output.status.success(), "{line:?}");
        assert_width(&line, &String::from_utf8(output.stdout).expect("UTF-8"), 80);
    }
}

#[test]
fn help_fits_a_terminal_of_80_columns() {
    let commands = "evaluate explore sweep models calibrate bench validate compare fit discriminate plot \
                    report check detect import export catalog init schema completions man";
    for command in [""].into_iter().chain(commands.split_whitespace()) {
        for switch in ["-h", "--help"] {
            let line: Vec<String> =
                [command, switch].into_iter().filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let output = program().args(&line).env("COLUMNS", "80").output().expect("the program starts");
            assert_width(&line, &String::from_utf8(output.stdout).expect("UTF-8"), 80);
        }
    }
}
