//! `numasim published` and `numasim discriminate` as a person meets them, and the files that were made with them.

use std::fs;
use std::process::Output;

use crate::common::{self, repository};

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
    let checked_in =
        |name: &str| fs::read_to_string(repository("results/published-data").join(name)).expect("a file");
    for (format, name) in [("table", "table.txt"), ("csv", "summary.csv")] {
        let output = numasim(&["published", "--format", format, "-o", &at(name), "--plots", &at("")]);
        assert!(output.status.success(), "{output:?}");
        let made = fs::read_to_string(at(name)).expect("written");
        assert!(made == checked_in(name), "results/published-data/{name} is out of date");
    }
    for name in ["load.svg", "readers.svg", "table-iii.svg", "load-ARMv8-ThunderX2-CN9980.svg"] {
        let made = fs::read_to_string(at(name)).expect("drawn");
        assert!(made == checked_in(name), "results/published-data/{name} is out of date");
    }
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
    assert!(csv.contains("scaling,mine,load,none,baseline-proportional,hard corner,3,"), "{csv}");
    assert!(!csv.contains("table-iii"), "{csv}");

    fs::write(&file, "machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\nmine,load,one,9,6\n")
        .expect("a file");
    let refused = numasim(&["published", "--scaling", &file.display().to_string()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("curves.csv:2:11"), "{}", text(&refused.stderr));
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
