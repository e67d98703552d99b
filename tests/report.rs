//! `numasim report` as a user sees it: the contents of the page, the agreement of its values with `compare` and
//! `evaluate`, escaped names, and (in `report/browser.rs`) its behaviour in a browser.

#[path = "report/browser.rs"]
pub(crate) mod browser;
#[path = "report/cached.rs"]
mod cached;
#[path = "report/explored.rs"]
mod explored;
#[path = "report/html.rs"]
pub(crate) mod html;
#[path = "report/over_time.rs"]
mod over_time;
#[path = "report/tasks.rs"]
mod tasks;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use html::{figures, plain, script, shown_as};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn numasim(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_numasim"))
        .args(args)
        .current_dir(repository("."))
        .stdin(Stdio::null())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the program starts")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on standard output")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on standard error")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file for the test");
    }
    folder
}

fn path(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().expect("a plain path")
}

/// The page of the paper's Table III.
fn table_iii() -> String {
    stdout(&numasim(&["report", "results/paper-table-iii"]))
}

const STUDY: &str = "[machine]\nname = \"two nodes\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10.0\n\
    bandwidth_gbs = 40.0\nlink_gbs = 10.0\n[[app]]\nname = \"mem\"\narithmetic_intensity = 0.125\n[[app]]\n\
    name = \"compute\"\narithmetic_intensity = 8\n[[scenario]]\nname = \"even\"\nthreads = { mem = 2, compute = 2 }\n\
    [[scenario]]\nname = \"apart\"\nthreads = { mem = [4, 0], compute = [0, 4] }\n";

const MEASURED: &str = "scenario,app,gflops,bandwidth_gbs,repetition\neven,mem,9.5,76,1\neven,mem,9.7,78,2\n\
    even,compute,40,5,1\neven,compute,39,5,2\napart,mem,4.9,39,1\napart,compute,40,5,1\n";

const PROVENANCE: &str = r#"{"schema": 1, "run": "r1", "tool": {"name": "numasim", "version": "0.1.0", "profile": "release"},
    "command": ["/opt/numasim", "bench", "my study.toml"], "started_utc": "2026-11-21T09:52:06.123Z",
    "facts": {"host_name": "node17", "kernel_release": "6.1.0-18-amd64"},
    "settings": {"isa": "avx2", "warm_up_s": 0.5, "window_s": 1, "repeat": 2, "bind": "core", "processes": false,
        "bytes_per_thread": 16777216},
    "doubts": [{"code": "numa-balancing", "message": "The kernel moves pages.", "advice": "sudo sysctl kernel.numa_balancing=0"}]}"#;

#[test]
fn the_paper_s_case_is_one_small_page_that_loads_nothing() {
    let page = table_iii();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    for id in ["verdict", "machine", "scenarios", "plots", "doubts", "origin", "repeat"] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "no section {id}");
    }
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http://", "https://", "//cdn", " src=", "@import", "url("] {
        assert!(!elsewhere.contains(outside), "the page has {outside}");
    }
    // Five maps, the machine, its matrix, bars, scatter, roofline, allocations.
    assert_eq!(page.matches("<svg ").count(), 11);
    assert_eq!(page, table_iii(), "the same files give the same page");
}

#[test]
fn a_line_below_the_table_explains_write_kernels_that_occupy_more_than_they_move() {
    const LINE: &str =
        "Used is what is occupied, in GB/s of reads: 1 GB/s of a kernel that writes occupies bandwidth_gbs /";
    let page = |machine: &str| {
        let study = STUDY.replacen("\nlink_gbs", &format!("\n{machine}link_gbs"), 1);
        let study = study.replacen("intensity = 0.125", "intensity = 0.125\nkernel = \"triad\"", 1);
        plain(&stdout(&numasim(&["report", path(&folder(&[("study.toml", &study)]))])))
    };
    assert!(page("triad_gbs = 30.0\n").contains(LINE) && !page("").contains(LINE));
}

#[test]
fn the_verdict_equals_that_of_compare() {
    let page = table_iii();
    let text = plain(&page);
    // Five scenarios: small errors, but a null model could be worse on all of them by chance.
    assert!(text.contains("No verdict on how bandwidth is shared."), "{text}");
    let table = stdout(&numasim(&[
        "compare",
        "results/paper-table-iii/study.toml",
        "--measured",
        "results/paper-table-iii/measured.csv",
    ]));
    let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
    let list = page.split("<ul class=\"sentences\">").nth(1).and_then(|rest| rest.split("</ul>").next());
    let sentences: Vec<String> = list.expect("a list").split("<li>").skip(1).map(plain).collect();
    assert_eq!(sentences.len(), 5, "{sentences:?}");
    for sentence in &sentences {
        assert!(table.contains(sentence.trim()), "compare does not say: {sentence}");
    }
}

#[test]
fn the_json_inside_is_that_of_evaluate_and_compare() {
    let page = table_iii();
    let files = ["results/paper-table-iii/study.toml"];
    let measured = ["--measured", "results/paper-table-iii/measured.csv"];
    let json = |args: &[&[&str]]| -> Value {
        serde_json::from_str(&stdout(&numasim(&args.concat()))).expect("valid JSON")
    };
    assert_eq!(script(&page, "evaluation"), json(&[&["evaluate"], &files, &["--format", "json"]]));
    assert_eq!(script(&page, "comparison"), json(&[&["compare"], &files, &measured, &["--format", "json"]]));
}

/// Compares every value of a page that names its place in the JSON with the JSON.
fn check_figures(page: &str) -> usize {
    let figures = figures(page);
    for (place, text) in &figures {
        let (id, pointer) = place.split_once('#').expect("document and place");
        let document = script(page, id);
        let value = document.pointer(pointer).and_then(Value::as_f64);
        let value = value.unwrap_or_else(|| panic!("{place} is no number, the page has {text}"));
        assert!(shown_as(value, text), "{place}: {value} is shown as {text}");
    }
    figures.len()
}

#[test]
fn every_value_equals_the_json() {
    // 6 tiles, 5 in the table of errors, 5 x 3 in the table of scenarios, and those of each scenario.
    let count = check_figures(&table_iii());
    assert!(count > 5 * 3 + 11 + 5 * (3 + 4 * 2), "{count} figures");
    let folder = folder(&[("study.toml", STUDY), ("measured.csv", MEASURED)]);
    let page = stdout(&numasim(&["report", path(&folder)]));
    assert!(check_figures(&page) > 60);
    assert!(
        figures(&page).iter().any(|(place, _)| place == "comparison#/scenarios/0/apps/1/bandwidth_error")
    );
}

#[test]
fn names_stay_names() {
    let evil = "</script><script>document.title='gone'</script><img src=x onerror=alert(1)> & \\\"'";
    let files = STUDY.replace("\"mem\"", &format!("\"{evil}\"")).replace("mem =", &format!("\"{evil}\" ="));
    let files = files.replace("\"even\"", &format!("\"{evil}\"")).replace("two nodes", evil);
    let folder = folder(&[("study.toml", &files)]);
    let page = stdout(&numasim(&["report", path(&folder), "--title", "<b>title</b>"]));
    // The evaluation, the answer and our own script.
    assert_eq!(page.matches("<script").count(), 3);
    assert_eq!(page.matches("</script").count(), 3);
    for raw in ["<img", "<b>title"] {
        assert!(!page.contains(raw), "the page has {raw}");
    }
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt; &amp; "));
    assert!(script(&page, "evaluation")["machine"].as_str().expect("a name").contains("</script>"));
}

#[test]
fn without_measurements_the_page_shows_predictions() {
    let page = stdout(&numasim(&["report", "configs/paper/table-iii-all.toml"]));
    let text = plain(&page);
    assert!(text.contains("Nothing was measured."), "{text}");
    assert!(
        text.contains(
            "The model prefers uneven 1,1,1,17: 23.20 GFLOPS, but nothing limits the bandwidth of one core"
        ),
        "{text}"
    );
    assert!(text.contains("numasim evaluate configs/paper/table-iii-all.toml"), "{text}");
    assert!(check_figures(&page) > 20);
    assert!(!page.contains("id=\"comparison\""));
}

#[test]
fn provenance_shows_host_settings_warnings_and_the_command() {
    let folder = folder(&[
        ("r.csv", MEASURED),
        ("r.study.toml", STUDY),
        ("r.provenance.json", PROVENANCE),
        ("notes.md", ""),
    ]);
    let text = plain(&stdout(&numasim(&["report", path(&folder)])));
    for message in [
        "The measurements carry 1 warning",
        "sudo sysctl kernel.numa_balancing=0",
        "node17",
        "6.1.0-18-amd64",
        "16 MiB",
        "numasim bench 'my study.toml'",
        "notes.md",
    ] {
        assert!(text.contains(message), "the page does not say {message}: {text}");
    }
}

#[test]
fn values_of_the_machine_show_their_uncertainty() {
    let known = "[machine.provenance]\ngflops_per_core = { kind = \"measured\", source = \"calibrate\", \
        uncertainty_percent = 1.68 }\nlink_gbs = { kind = \"assumed\" }\n[[app]]";
    let study = STUDY.replacen("[[app]]", known, 1);
    let folder = folder(&[("study.toml", &study)]);
    let file = folder.path().join("study.toml");
    let text = plain(&stdout(&numasim(&["report", file.to_str().expect("UTF-8")])));
    assert!(text.contains("gflops_per_core measured \u{b1}1.7 % calibrate"), "{text}");
    assert!(text.contains("link_gbs assumed - -"), "{text}");
}

#[test]
fn the_csv_alone_is_enough_with_its_study_next_to_it() {
    let folder = folder(&[("r.csv", MEASURED), ("r.study.toml", STUDY)]);
    let csv = folder.path().join("r.csv");
    let page = stdout(&numasim(&["report", "--measured", csv.to_str().expect("a plain path")]));
    assert!(plain(&page).contains("two nodes"));
    let folder = self::folder(&[("r.csv", MEASURED)]);
    let csv = folder.path().join("r.csv");
    let output = numasim(&["report", "--measured", csv.to_str().expect("a plain path")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: there is no input file\nhint: "), "{}", stderr(&output));
}

#[test]
fn a_broken_provenance_is_refused_and_nothing_is_written() {
    let folder = folder(&[("r.csv", MEASURED), ("r.study.toml", STUDY), ("r.provenance.json", "{}")]);
    let page = folder.path().join("page.html");
    let output = numasim(&["report", path(&folder), "-o", page.to_str().expect("a plain path")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("r.provenance.json cannot be read\ncaused by: "), "{}", stderr(&output));
    assert!(!page.exists());
}

#[test]
fn a_page_never_replaces_its_inputs() {
    let folder = folder(&[("r.csv", MEASURED), ("r.study.toml", STUDY)]);
    let csv = folder.path().join("r.csv");
    let output = numasim(&["report", path(&folder), "-o", csv.to_str().expect("a plain path")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("is also an input file"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(csv).expect("still there"), MEASURED);
}

#[test]
fn measurements_of_other_scenarios_name_the_file_that_ran() {
    let other = "scenario,app,gflops\nanother,,5\n";
    let folder = folder(&[("study.toml", STUDY), ("r.csv", other), ("r.study.toml", STUDY)]);
    let output = numasim(&["report", path(&folder)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("r.study.toml: name this file instead"), "{}", stderr(&output));
}

#[test]
fn the_folder_of_the_paper_has_the_file_of_the_paper() {
    let read = |path: &str| fs::read_to_string(repository(path)).expect("a file of the repository");
    assert_eq!(read("results/paper-table-iii/study.toml"), read("configs/paper/table-iii-all.toml"));
}

#[test]
fn more_scenarios_than_a_browser_can_show_are_refused_and_nothing_is_written() {
    let mut study = STUDY.split("[[scenario]]").next().unwrap_or_default().to_owned();
    for scenario in 0..10_001 {
        writeln!(study, "[[scenario]]\nname = \"s{scenario}\"\nthreads = {{ mem = 1 }}").expect("memory");
    }
    let folder = folder(&[("study.toml", &study)]);
    let [study, page] =
        ["study.toml", "page.html"].map(|name| folder.path().join(name).display().to_string());
    let output = numasim(&["report", &study, "-o", &page]);
    let said = stderr(&output);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
    assert!(said.contains("10001 scenarios are too many for a page; at most 10000 "), "{said}");
    assert!(said.contains("put the interesting ones into a separate file"), "{said}");
    assert!(!Path::new(&page).exists());
}

/// 500 scenarios x 2 applications x 10 repetitions: 10,000 rows, in less than 110 MB of address space, the program itself included.
#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_rows_take_little_time_and_memory() {
    let mut study = STUDY
        .split("[[scenario]]")
        .next()
        .unwrap_or_default()
        .replace("cores_per_node = 4", "cores_per_node = 64");
    let mut rows = "scenario,app,gflops,bandwidth_gbs,repetition\n".to_owned();
    for scenario in 0..500 {
        let (mem, compute) = (1 + scenario % 32, 1 + scenario / 32);
        writeln!(
            study,
            "[[scenario]]\nname = \"s{scenario}\"\nthreads = {{ mem = {mem}, compute = {compute} }}"
        )
        .expect("memory");
        for (repetition, app) in
            (1..=10).flat_map(|repetition| ["mem", "compute"].map(|app| (repetition, app)))
        {
            writeln!(rows, "s{scenario},{app},{}.5,{repetition}.25,{repetition}", scenario + 1)
                .expect("memory");
        }
    }
    let folder = folder(&[("study.toml", &study), ("measured.csv", &rows)]);
    // A fraction of a second; a minute of processor time is a defect on every machine, even a busy one.
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -v 110000 && ulimit -t 60 && exec \"$@\"",
            "sh",
            env!("CARGO_BIN_EXE_numasim"),
            "report",
        ])
        .arg(folder.path())
        .output()
        .expect("the program starts");
    let page = stdout(&output);
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    assert!(page.contains("id=\"scenario-500\""));
    assert!(page.contains("460 scenarios without a map"));
}
