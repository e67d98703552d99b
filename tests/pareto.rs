//! `numasim explore --pareto` as a user or a script sees it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{config, numasim, repository, stderr, stdout};

fn command(files: &[PathBuf], args: &[&str]) -> Command {
    let mut command = numasim();
    command.arg("explore").args(files).args(args);
    command
}

fn run(files: &[PathBuf], args: &[&str]) -> Output {
    command(files, args).output().expect("the program starts")
}

fn json_of(files: &[PathBuf], args: &[&str]) -> Value {
    let text = stdout(&run(files, &[args, &["--format", "json"]].concat()));
    serde_json::from_str(&text).expect("JSON alone on standard output")
}

fn paper() -> [PathBuf; 1] {
    [config("paper/uneven-even-nodes.toml")]
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().expect("a list")
}

fn values(point: &Value, names: [&str; 2]) -> [f64; 2] {
    names.map(|name| point["values"][name].as_f64().expect("a number"))
}

const PAIR: [&str; 2] = ["--pareto", "total-gflops,fair"];
const SAME: &str = "--same-on-every-node";

#[test]
fn a_complete_front_as_people_see_it() {
    let text = stdout(&run(&paper(), &[PAIR[0], PAIR[1], SAME]));
    let end = text.find(" s)").expect("the elapsed time");
    let start = text[..end].rfind('(').expect("the elapsed time");
    insta::assert_snapshot!(format!("{}(TIME){}", &text[..start], &text[end + 3..]));
}

#[test]
fn a_searched_front_proves_only_its_ends_and_reports_it() {
    let text = stdout(&run(&paper(), &PAIR));
    assert!(text.contains("Not complete"), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The best total-gflops, 320.0 GFLOPS, is proven."), "{text}");
    let answer = json_of(&paper(), &PAIR);
    let front = &answer["pareto"];
    assert_eq!((&front["complete"], &front["incomplete"]), (&false.into(), &"too-large".into()));
    assert!(list(front, "points").iter().all(|point| point["status"] == "feasible"));
}

#[test]
fn every_pair_of_objectives_has_a_front_with_the_best_of_each_at_its_ends() {
    let text = "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 20\n\
                link_gbs = 5\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\nwork_gflop = 30\n[[app]]\nname = \"b\"\n\
                arithmetic_intensity = 8\nwork_gflop = 100\n[[app]]\nname = \"c\"\narithmetic_intensity = 1\n\
                work_gflop = 50\ndata = { home = \"any\" }\n";
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = [folder.path().join("study.toml")];
    fs::write(&file[0], text).expect("a file for the test");
    let objectives = ["total-gflops", "fair", "geomean", "makespan"];
    for first in objectives {
        for second in objectives.into_iter().filter(|&second| second != first) {
            let answer = json_of(&file, &["--pareto", &format!("{first},{second}")]);
            assert_eq!((&answer["schema"], &answer["command"]), (&1.into(), &"explore".into()));
            let front = &answer["pareto"];
            assert_eq!(front["objectives"], serde_json::json!([first, second]));
            assert_eq!(front["complete"], true);
            let points = list(front, "points");
            for (i, objective) in [first, second].into_iter().enumerate() {
                let alone = json_of(&file, &["--objective", objective, "--top", "0"]);
                let best = alone["value"].as_f64().expect("a number");
                let end = if i == 0 { points.first() } else { points.last() }.expect("a point");
                let found = values(end, [first, second])[i];
                assert!((found - best).abs() <= 1e-9 * best, "{objective}: {found} instead of {best}");
                assert!(list(end, "best_for").contains(&objective.into()));
                assert_eq!(front["ends"][i]["status"], "optimal");
            }
            // Strictly better in the one, strictly worse in the other, from point to point.
            let sign = [first, second].map(|name| if name == "makespan" { -1.0 } else { 1.0 });
            for pair in points.windows(2) {
                let [a, b] = [&pair[0], &pair[1]].map(|point| values(point, [first, second]));
                assert!(sign[0] * a[0] > sign[0] * b[0] && sign[1] * a[1] < sign[1] * b[1]);
                assert_eq!(pair[0]["status"], "optimal");
                assert!(pair[0]["apps"][2]["home"].is_u64());
            }
        }
    }
}

#[test]
fn constraints_hold_for_every_point() {
    let answer =
        json_of(&paper(), &[PAIR[0], PAIR[1], SAME, "--no-idle-cores", "--min-threads-per-node", "1"]);
    for point in list(&answer["pareto"], "points") {
        let rows: Vec<Vec<u64>> = list(point, "apps")
            .iter()
            .map(|app| list(app, "threads").iter().map(|t| t.as_u64().expect("a count")).collect())
            .collect();
        assert!(rows.iter().all(|row| row[0] >= 1 && row.iter().all(|t| *t == row[0])));
        assert_eq!(rows.iter().map(|row| row[0]).sum::<u64>(), 8);
    }
}

#[test]
fn csv_has_a_row_for_each_point_and_baseline() {
    let answer = json_of(&paper(), &[PAIR[0], PAIR[1], SAME]);
    let text = stdout(&run(&paper(), &[PAIR[0], PAIR[1], SAME, "--format", "csv"]));
    let front = &answer["pareto"];
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with(
        "role,name,status,mark,beaten_by,total-gflops,fair,total_gflops,smallest_p,gflops:mem-1"
    ));
    assert!(header.contains(",threads:compute"));
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), list(front, "points").len() + list(front, "baselines").len());
    assert!(rows[0].starts_with("point,point 1,optimal,best for total-gflops,,"), "{}", rows[0]);
    assert!(rows.iter().any(|row| row.starts_with("baseline,one app per node,,")));
}

#[test]
fn a_front_does_not_depend_on_the_number_of_threads() {
    let files = [config("machines/xeon-gold-6138-4s.toml"), config("workloads/genomics.toml")];
    let on = |threads: &str| {
        let mut command = command(&files, &["--pareto", "geomean,total-gflops", "--format", "csv"]);
        stdout(&command.env("RAYON_NUM_THREADS", threads).output().expect("the program starts"))
    };
    let first = on("1");
    assert!(first.lines().count() > 4, "{first}");
    assert_eq!(on("3"), first);
    assert_eq!(
        stdout(&run(&files, &["--pareto", "geomean,total-gflops", "--format", "csv", "--threads", "2"])),
        first
    );
}

#[test]
fn a_time_limit_ends_the_search_and_is_named() {
    let files = [config("scale/16x32.toml")];
    let answer = json_of(&files, &["--pareto", "geomean,total-gflops", "--time-limit", "1"]);
    assert_eq!(answer["pareto"]["incomplete"], "time-limit");
    assert!(!list(&answer["pareto"], "points").is_empty());
}

#[test]
fn an_invalid_pair_is_a_wrong_command_line() {
    for args in [
        &["--pareto", "fair"][..],
        &["--pareto", "fair,fair"],
        &["--pareto", "fair,speed"],
        &["--pareto", "fair,geomean", "--objective", "fair"],
        &["--pareto", "fair,geomean", "--emit", "numactl"],
        &["--pareto", "fair,geomean", "--save", "x.toml"],
    ] {
        let output = run(&paper(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    let output = run(&paper(), &["--pareto", "fair,speed"]);
    assert!(
        stderr(&output).contains("'speed' is no objective; choose two of total-gflops, fair"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_question_without_an_answer_exits_with_1() {
    let output = run(&paper(), &["--pareto", "fair,makespan"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("`work_gflop`"), "{}", stderr(&output));
    let output = run(&paper(), &[PAIR[0], PAIR[1], "--min-threads-per-node", "3"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--min-threads-per-node"), "{}", stderr(&output));
}

#[test]
fn a_front_with_starved_nodes_warns_once() {
    let files = [config("machines/opteron-8n.toml"), config("workloads/paper-numa-bad.toml")];
    let output = run(
        &files,
        &[PAIR[0], PAIR[1], "--format", "csv", "--same-on-every-node", "--model", "remote-first"],
    );
    let warnings = stderr(&output);
    assert!(warnings.starts_with("warning: point"), "{warnings}");
    assert_eq!(warnings.matches("remote-first serves remote reads first").count(), 1, "{warnings}");
    assert!(!stdout(&output).contains("warning:"));
}

#[test]
fn the_plot_has_the_front_its_ends_and_the_baselines() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("front.svg");
    let name = file.to_str().expect("UTF-8");
    stdout(&run(&paper(), &[PAIR[0], PAIR[1], SAME, "--plot", name]));
    let svg = fs::read_to_string(&file).expect("drawn");
    for word in [
        "total-gflops (GFLOPS)",
        "best total-gflops",
        "best fair",
        "uneven 1,1,1,5",
        "What does a better value of fair cost in total-gflops?",
    ] {
        assert!(svg.contains(&format!("\n{word}\n")), "{word} is missing");
    }
    let output = run(&paper(), &[PAIR[0], PAIR[1], "--plot", "front.gif"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("plots are SVG"), "{}", stderr(&output));
}

/// The picture in the guide comes from the command there, with the files of the README.
#[test]
fn the_picture_of_the_guide_is_current() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let readme = fs::read_to_string(repository("README.md")).expect("there is a README");
    let files = ["my-machine.toml", "my-apps.toml"].map(|name| {
        let block =
            readme.split(&format!("<!-- file: {name} -->\n```toml\n")).nth(1).expect("the file is shown");
        let file = folder.path().join(name);
        fs::write(&file, block.split("```").next().expect("it ends")).expect("a file for the test");
        file
    });
    let drawn = folder.path().join("trade-off.svg");
    stdout(&run(&files, &[PAIR[0], PAIR[1], "--plot", drawn.to_str().expect("UTF-8")]));
    let drawn = fs::read_to_string(drawn).expect("drawn");
    crate::dark::keep("trade-off", &drawn, |svg| vec![svg], "pareto");
}
