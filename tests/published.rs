//! `numasim published` and `numasim discriminate` as a person meets them, and the files that were made with them.

use std::fs;
use std::process::Output;

use crate::common::{self, repository};

mod page;

fn numasim(args: &[&str]) -> Output {
    common::numasim().args(args).current_dir(repository("")).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn the_results_on_published_data_are_current() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let at = |name: &str| folder.path().join(name).display().to_string();
    for (format, name) in [("table", "table.txt"), ("csv", "summary.csv")] {
        let output = numasim(&["published", "--format", format, "-o", &at(name), "--plots", &at("")]);
        assert!(output.status.success(), "{output:?}");
    }
    assert_current(folder.path(), 21);
}

/// Every file in a folder is one of the results on published data; there are so many of them.
fn assert_current(folder: &std::path::Path, count: usize) {
    let mut checked = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let checked_in = fs::read_to_string(repository("results/published-data").join(&name));
        let made = fs::read_to_string(&path).expect("written");
        assert!(checked_in.is_ok_and(|text| text == made), "results/published-data/{name} is out of date");
        checked += 1;
    }
    assert_eq!(checked, count);
}

#[test]
fn curves_of_another_file_are_judged_alone() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("curves.csv");
    let row = |n: u32| {
        format!(
            "mine,load,{n},{},6
",
            (n * 10).min(40)
        )
    };
    let rows = (1..=6).map(row).collect::<Vec<_>>().concat();
    fs::write(
        &file,
        format!("machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\n{rows}few,load,1,9,6\n"),
    )
    .expect("a file for the test");
    let output = numasim(&["published", "--scaling", &file.display().to_string(), "--format", "csv"]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stderr).contains("load of few: a curve needs one core"), "{output:?}");
    let csv = text(&output.stdout);
    assert!(csv.contains("scaling,mine,load,none,baseline-proportional,hard corner,2,"), "{csv}");
    assert!(!csv.contains("table-iii"), "{csv}");
    assert!(csv.contains("scaling,all curves,load,,ecm,ecm_penalty,2,"), "{csv}");

    fs::write(&file, "machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\nmine,load,one,9,6\n")
        .expect("a file");
    let refused = numasim(&["published", "--scaling", &file.display().to_string()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("curves.csv:2:11"), "{}", text(&refused.stderr));
}

#[test]
fn the_results_of_several_at_once_are_current() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let plots = folder.path().display().to_string();
    let file = folder.path().join("co-run.txt").display().to_string();
    let output = numasim(&["published", "--co-run", "-o", &file, "--plots", &plots]);
    assert!(output.status.success(), "{output:?}");
    assert_current(folder.path(), 3);
}

/// Writes rows, and judges them as a set of several at once.
fn judged_as_data(rows: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("set.csv");
    fs::write(&file, rows).expect("a file for the test");
    let mut program = common::numasim();
    program.args(["published", "--data", "set.csv"]).args(more).current_dir(folder.path());
    program.output().expect("the program starts")
}

#[test]
fn a_set_of_several_at_once_is_judged_alone() {
    // DRAM has 90 GB/s, CXL 20. Half of the data on each: 2 x 20 = 40; in fact 36, so that 11.1 % are too much.
    // The null models: 110 of both together (205.6 %) and 90 of the better one (150 %).
    let rows = "benchmark,kernel_or_mix,placement,weights_dram_cxl,bandwidth_best_MBps,machine,note\n\
                STREAM,Triad,DRAM only,,90000,mine,a\n\
                STREAM,Triad,CXL only,,20000,mine,b\n\
                STREAM,Triad,both,1:1,36000,mine,\"other columns, as many as you like\"\n";
    let output = judged_as_data(rows, &[]);
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(text(&output.stdout));

    let json = text(&judged_as_data(rows, &["--format", "json"]).stdout);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let default = &json["sets"][0];
    assert_eq!(default["model"], "baseline-proportional", "{default}");
    let mean = default["summary"]["mean"].as_f64().expect("a number");
    assert!((mean - 4.0 / 36.0).abs() < 1e-9, "{mean}");
    assert!(default["better_than_null_models"].is_null(), "one point says nothing: {default}");
}

#[test]
fn a_set_that_nobody_knows_is_refused_with_the_nearest_one() {
    let output = judged_as_data("machine,threads_socket0,threads_socket1,speed\nics,1,0,9\n", &[]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output.stderr));
}

#[test]
fn a_bad_row_of_a_set_is_told_with_its_place() {
    let rows = "machine,threads_socket0,threads_socket1,bandwidth_MBps\nics,1,0,13000\nics,two,0,26000\nmine,3,0,39000\n";
    let output = judged_as_data(rows, &[]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output.stderr));
}

#[test]
fn a_set_with_nothing_to_predict_is_refused() {
    let output =
        judged_as_data("machine,threads_socket0,threads_socket1,bandwidth_MBps\nics,1,0,13000\n", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("has nothing that can be predicted"), "{}", text(&output.stderr));
    for other in [&["--scaling", "x.csv"][..], &["--co-run"]] {
        assert_eq!(judged_as_data("a\n", other).status.code(), Some(2), "{other:?}");
    }
}

#[test]
fn a_curve_that_falls_is_named_with_how_much() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("curves.csv");
    let gbs = [10, 20, 30, 38, 40, 36];
    let rows: Vec<String> =
        gbs.iter().enumerate().map(|(i, gbs)| format!("mine,triad,{},{gbs},6\n", i + 1)).collect();
    fs::write(&file, format!("machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\n{}", rows.concat()))
        .expect("a file for the test");
    let output = numasim(&["published", "--scaling", &file.display().to_string()]);
    let table = text(&output.stdout);
    assert!(
        table.contains("triad, mine: falls by 10.0 %, from 40.0 GB/s with 5 cores to 36.0 with 6"),
        "{table}"
    );
    assert!(!table.contains('*'), "nothing was chosen by it: {table}");
}

#[test]
fn the_discriminating_scenarios_are_current_and_can_be_evaluated() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for entry in fs::read_dir(repository("configs/discriminate")).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let machine = format!("configs/machines/{name}");
        let made = folder.path().join(name);
        let output = numasim(&["discriminate", &machine, "--emit-scenarios", &made.display().to_string()]);
        assert!(output.status.success(), "{output:?}");
        let made = fs::read_to_string(made).expect("written");
        assert!(
            made == fs::read_to_string(&path).expect("a file"),
            "{name} is out of date: numasim discriminate"
        );
        let evaluated = numasim(&["evaluate", &machine, &path.display().to_string(), "--model", "max-min"]);
        assert!(evaluated.status.success(), "{evaluated:?}");
    }
}

#[test]
fn what_tells_models_apart_is_reported() {
    let output = numasim(&["discriminate", "configs/machines/xeon-gold-6140-2s.toml"]);
    assert!(output.status.success(), "{output:?}");
    let table = text(&output.stdout);
    assert!(table.contains("baseline-proportional, max-min"), "{table}");
    assert!(
        table.contains(
            "Not distinguishable on this machine: baseline-proportional and remote-first; proportional and"
        ),
        "{table}"
    );
    let both =
        numasim(&["discriminate", "configs/machines/opteron-8n.toml", "-o", "x", "--emit-scenarios", "x"]);
    assert_eq!(both.status.code(), Some(1));
}
