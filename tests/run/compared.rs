//! `simulate --compare`: a run and its simulation side by side, as numbers and as a picture. Values that depend on a busy machine are
//! ignored.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{PRODUCER_CONSUMER, Ran, ran};
use crate::common::{folder, numasim, repository, stderr, stdout};

/// A simulation of the files of a run, compared with it.
fn simulated(ran: &Ran, more: &[&str]) -> Output {
    let mut command = numasim();
    command.arg("simulate").arg(&ran.kept.1).arg("--compare").arg(&ran.folder).args(more);
    command.output().expect("the program starts")
}

/// The picture of both.
#[track_caller]
fn picture(ran: &Ran) -> String {
    let folder = folder();
    let path = folder.path().join("both.svg");
    let output = simulated(ran, &["--plot", &path.display().to_string()]);
    assert!(output.status.success(), "{}", stderr(&output));
    fs::read_to_string(path).expect("a picture")
}

/// Its texts, one a line.
fn words(svg: &str) -> String {
    let parts = svg.split("</text>").filter_map(|part| part.rsplit_once("<text")?.1.split_once('>'));
    parts.map(|(_, text)| text.trim().replace("&gt;", ">") + "\n").collect()
}

#[track_caller]
fn has(words: &str, wanted: &[&str]) {
    for want in wanted {
        assert!(words.lines().any(|line| line.starts_with(want)), "{want} is missing in {words}");
    }
}

#[test]
fn a_simulation_is_compared_with_the_run() {
    let ran = ran(PRODUCER_CONSUMER, &["--no-agent"]);
    let document: Value =
        serde_json::from_str(&stdout(&simulated(&ran, &["--format", "json"]))).expect("JSON");
    let figures = document["compare"]["figures"].as_array().expect("a list");
    let of = |of: &str, figure: &str| figures.iter().find(|one| one["of"] == of && one["figure"] == figure);
    let all = of("all", "finished_s").expect("the makespan");
    let (simulated_s, measured_s) =
        (all["simulated"].as_f64().expect("one"), all["measured"].as_f64().expect("one"));
    // 0.12 GFLOP on one core of 10 GFLOPS, shared or not
    assert!(simulated_s >= 0.012, "{simulated_s}");
    let error = all["error"].as_f64().expect("one");
    assert!((error - (simulated_s / measured_s - 1.0)).abs() < 1e-9);
    let names: Vec<Value> = figures.iter().map(|one| json!([one["of"], one["figure"]])).collect();
    let expected = json!([
        ["all", "finished_s"],
        ["producer", "finished_s"],
        ["producer", "gflop"],
        ["consumer", "finished_s"],
        ["consumer", "gflop"],
        ["producer -> consumer", "max_items"],
        ["producer -> consumer", "mean_items"],
    ]);
    assert_eq!(Value::from(names), expected);
    let table = stdout(&simulated(&ran, &[]));
    assert!(table.contains("Beside the run in ") && table.contains("mean_threads"), "{table}");
    // The peak of one core: 0.12 GFLOP in 12 ms, and the consumer's 0.08 in 8.
    let is_end_of = |line: &str, of: &str| line.starts_with(of) && line.contains("finished_s");
    let row = |of: &str| table.lines().find(|line| is_end_of(line, of)).unwrap_or_default().to_owned();
    let last = |of: &str| row(of).split_whitespace().rev().nth(2).map(str::to_owned);
    assert_eq!((last("all  "), last("consumer  ")), (Some("0.012".into()), Some("0.008".into())), "{table}");
    let two = simulated(&ran, &["--policy", "none", "--policy", "lead:2"]);
    assert_eq!(two.status.code(), Some(1));
    assert!(stderr(&two).contains("--compare is of one simulation, and these are 2"));
}

#[test]
fn one_picture_has_both_with_their_ends_and_errors() {
    let ran = ran(PRODUCER_CONSUMER, &["--policy", "lead:1", "--sample-ms", "5"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    // The agent was present before the applications were released.
    let result = ran.result();
    assert!(result["agent_started_s"].as_f64().is_some_and(|started| started < 0.0), "{result}");
    let svg = picture(&ran);
    has(
        &words(&svg),
        &[
            "Does the simulation follow the measured run?",
            "measured under policy lead:1; simulated under lead:1 with model baseline-proportional; ",
            "measured: makespan ",
            "simulated: makespan ",
            "producer",
            "consumer",
            "cores in use",
            "threads",
            "items",
            "iterations done",
            "time (",
            "Error: simulated / measured - 1.",
            "threads in a task, mean",
            "producer -> consumer",
            "work / peak",
        ],
    );
}

#[test]
fn an_interrupted_run_is_drawn_up_to_its_end() {
    let long = PRODUCER_CONSUMER.replace("work_gflop = 0.0", "work_gflop = 40000.0");
    let ran = ran(&long, &["--no-agent", "--until", "0.3"]);
    assert_eq!(ran.result()["ended"], "until", "{}", stderr(&ran.output));
    let words = words(&picture(&ran));
    has(&words, &["measured: not finished after ", "simulated: makespan "]);
    // No application was finished: there is no error to print, but the messages of a plain simulation remain.
    let table = stdout(&simulated(&ran, &[]));
    let all = table.lines().find(|line| line.starts_with("all ")).unwrap_or_default();
    assert_eq!(all.split_whitespace().skip(3).take(2).collect::<Vec<_>>(), ["-", "-"], "{table}");
    assert!(table.contains("(until)"), "{table}");
}

/// The error of a comparison with a picture.
#[track_caller]
fn refused(ran: &Ran, file: &Path) -> String {
    let plot = ran.kept.0.path().join("never.svg");
    let output = numasim()
        .arg("simulate")
        .arg(file)
        .arg("--compare")
        .arg(&ran.folder)
        .arg("--plot")
        .arg(&plot)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(!plot.exists() && output.stdout.is_empty());
    stderr(&output)
}

#[test]
fn files_of_another_run_are_refused_with_their_place() {
    let ran = ran(PRODUCER_CONSUMER, &["--no-agent"]);
    let other = ran.kept.0.path().join("other.toml");
    let text = fs::read_to_string(&ran.kept.1).expect("the file").replace("\"consumer\"", "\"reader\"");
    fs::write(&other, text).expect("a file");
    let told = refused(&ran, &other);
    assert!(
        told.contains("'reader' is in the files and not in the run in ")
            && told.contains("which had 'consumer'"),
        "{told}"
    );

    let timeline = ran.folder.join("timeline.csv");
    let rows = fs::read_to_string(&timeline).expect("a timeline");
    fs::write(&timeline, rows.clone() + "1e9,stranger,0,1,1,0,0,1,1,0\n").expect("a file");
    let told = refused(&ran, &ran.kept.1);
    let line = rows.lines().count() + 1;
    assert!(told.contains("there is no application 'stranger'"), "{told}");
    assert!(told.contains(&format!("timeline.csv:{line}:")), "{told}");

    fs::remove_file(&timeline).expect("it was there");
    let told = refused(&ran, &ran.kept.1);
    assert!(told.contains("timeline.csv") && told.contains("--plot needs the timeline of the run"), "{told}");
    // The table needs none.
    assert!(simulated(&ran, &[]).status.success());
}

#[test]
fn the_picture_in_the_guide_is_what_its_command_draws() {
    let guide = fs::read_to_string(repository("docs/guide/run.md")).expect("the guide has run");
    let line = guide.lines().find(|line| line.contains(" --plot run.svg")).expect("an example of --plot");
    let folder = folder();
    let picture = folder.path().join("run.svg");
    let words = line.split_whitespace().skip(1).map(|word| match word {
        "run.svg" => picture.display().to_string(),
        word => word.to_owned(),
    });
    let output = numasim().current_dir(repository("")).args(words).output().expect("the program starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let drawn = fs::read_to_string(&picture).expect("the picture");
    crate::dark::keep("run", &drawn, |svg| vec![svg], "run::compared");
}
