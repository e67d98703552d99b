//! The tool as a user sees it, and the files created with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod page;

/// The tool with these arguments, in a folder.
fn published(folder: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_published"));
    program.args(args).current_dir(folder).output().expect("the tool starts")
}

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn the_results_on_published_data_are_current() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (format, name) in [("table", "table.txt"), ("csv", "summary.csv")] {
        let output = published(folder.path(), &["--format", format, "--plots", "."]);
        assert!(output.status.success(), "{output:?}");
        fs::write(folder.path().join(name), output.stdout).expect("a file for the test");
    }
    assert_current(folder.path(), 21);
}

/// Every file in a folder is one of the results on published data, in the expected number.
fn assert_current(folder: &Path, count: usize) {
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
    let output = published(folder.path(), &["--scaling", "curves.csv", "--format", "csv"]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stderr).contains("load of few: a curve needs one core"), "{output:?}");
    let csv = text(&output.stdout);
    assert!(csv.contains("scaling,mine,load,none,baseline-proportional,hard corner,2,"), "{csv}");
    assert!(!csv.contains("table-iii"), "{csv}");
    assert!(csv.contains("scaling,all curves,load,,ecm,ecm_penalty,2,"), "{csv}");

    fs::write(&file, "machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\nmine,load,one,9,6\n")
        .expect("a file");
    let refused = published(folder.path(), &["--scaling", "curves.csv"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("curves.csv:2:11"), "{}", text(&refused.stderr));
}

#[test]
fn the_results_of_several_at_once_are_current() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let output = published(folder.path(), &["--co-run", "--plots", "."]);
    assert!(output.status.success(), "{output:?}");
    fs::write(folder.path().join("co-run.txt"), output.stdout).expect("a file for the test");
    assert_current(folder.path(), 3);
}

/// Writes rows, and judges them as a set of several at once.
fn judged_as_data(rows: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("set.csv");
    fs::write(&file, rows).expect("a file for the test");
    published(folder.path(), &[&["--data", "set.csv"], more].concat())
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
fn a_falling_curve_is_named_with_its_loss() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("curves.csv");
    let gbs = [10, 20, 30, 38, 40, 36];
    let rows: Vec<String> =
        gbs.iter().enumerate().map(|(i, gbs)| format!("mine,triad,{},{gbs},6\n", i + 1)).collect();
    fs::write(&file, format!("machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\n{}", rows.concat()))
        .expect("a file for the test");
    let output = published(folder.path(), &["--scaling", "curves.csv"]);
    let table = text(&output.stdout);
    assert!(
        table.contains("triad, mine: falls by 10.0 %, from 40.0 GB/s with 5 cores to 36.0 with 6"),
        "{table}"
    );
    assert!(!table.contains('*'), "nothing was chosen by it: {table}");
}

#[test]
fn the_rows_of_a_bundle_are_judged_as_compare_does() {
    let folder = repository("results/2026-11-24-2-core-vm-validate");
    let output = published(&folder, &["--bundle", "bundle.tar.zst"]);
    insta::assert_snapshot!(text(&output.stdout));
    let json = text(&published(&folder, &["--bundle", "bundle.tar.zst", "--format", "json"]).stdout);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let compared = fs::read_to_string(folder.join("comparison.json")).expect("beside the bundle");
    let compared: serde_json::Value = serde_json::from_str(&compared).expect("JSON");
    let methods = json["bundles"][0]["methods"].as_array().expect("a list");
    for key in ["model", "summary", "null_models", "sharing"] {
        assert_eq!(methods[0][key], compared[key], "{key}");
    }
    // A header, then a row for each null model and method: of all scenarios and of those that are contended.
    let csv = text(&published(&folder, &["--bundle", "bundle.tar.zst", "--format", "csv"]).stdout);
    assert_eq!(csv.lines().count(), 1 + 2 * (2 + methods.len()), "{csv}");
}

#[test]
fn several_bundles_are_judged_one_by_one_and_duplicates_refused() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for name in ["one.tar.zst", "two.tar.zst"] {
        let bundle = repository("results/2026-11-24-2-core-vm-validate/bundle.tar.zst");
        fs::copy(bundle, folder.path().join(name)).expect("a file for the test");
    }
    let csv = published(folder.path(), &["--bundle", "one.tar.zst", "two.tar.zst", "--format", "csv"]);
    let csv = text(&csv.stdout);
    assert!(
        csv.contains("bundle,one.tar.zst: AMD EPYC") && csv.contains("bundle,two.tar.zst: AMD EPYC"),
        "{csv}"
    );
    let twice = published(folder.path(), &["--bundle", "one.tar.zst", "one.tar.zst"]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(text(&twice.stderr).contains("one.tar.zst is named twice"), "{}", text(&twice.stderr));
    fs::write(folder.path().join("one.tar.zst"), "damaged").expect("a file for the test");
    let damaged = published(folder.path(), &["--bundle", "one.tar.zst"]);
    assert!(
        text(&damaged.stderr).contains("one.tar.zst cannot be decompressed"),
        "{}",
        text(&damaged.stderr)
    );
    assert!(damaged.stdout.is_empty());
}
