//! Intervals of predictions as users see them: from the machine file to `evaluate`, `explore`, `compare` and `plot`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use numasim_evidence::statistics::median_reach;
use serde_json::Value;

use crate::common::{folder, repository, run, stdout, study};

/// One node whose memory is known to 2 %; `mem` wants more than its bandwidth, `cpu` hardly any.
const MACHINE: &str = "[machine]\nname = \"one\"\nnodes = 1\ncores_per_node = 8\ngflops_per_core = 10.0\nbandwidth_gbs = 32.0\n";
const KNOWN: &str =
    "[machine.provenance]\nbandwidth_gbs = { kind = \"measured\", interval95_percent = 2.0 }\n";
const APPS: &str = "[[app]]\nname = \"mem\"\narithmetic_intensity = 0.5\n[[app]]\nname = \"cpu\"\narithmetic_intensity = 10.0\n\
                    [[scenario]]\nname = \"half\"\nthreads = { mem = 4, cpu = 4 }\n";

fn json(args: &[&str]) -> Value {
    let output = run(&[args, &["--format", "json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("valid JSON")
}

fn path(file: &Path) -> String {
    file.display().to_string()
}

/// Both ends of an interval, rounded to hundredths.
fn ends(interval: &Value) -> [f64; 2] {
    [0, 1].map(|end| (interval[end].as_f64().expect("an end") * 100.0).round() / 100.0)
}

#[test]
fn evaluate_prints_the_uncertainty_of_values() {
    let (_folder, file) = study(&format!("{MACHINE}{KNOWN}{APPS}"));
    let text = stdout(&run(&["evaluate", &path(&file)]));
    insta::assert_snapshot!("evaluate_with_intervals", text);
    let document = json(&["evaluate", &path(&file)]);
    assert_eq!(document["intervals"]["interval95_percent"]["bandwidth_gbs"], 2.0);
    let scenario = &document["scenarios"][0];
    // `cpu` takes 4 GB/s; `mem` has 32 / 1.02 - 4 = 27.37 to 32 x 1.02 - 4 = 28.64 GB/s, half of it in GFLOPS.
    assert_eq!(ends(&scenario["apps"][0]["gflops_interval"]), [13.69, 14.32]);
    assert_eq!(ends(&scenario["apps"][0]["bandwidth_gbs_interval"]), [27.37, 28.64]);
    assert_eq!(ends(&scenario["apps"][1]["gflops_interval"]), [40.0, 40.0]);
    assert_eq!(ends(&scenario["total_gflops_interval"]), [53.69, 54.32]);
}

#[test]
fn without_uncertain_values_intervals_are_not_mentioned() {
    let (_folder, file) = study(&format!("{MACHINE}{APPS}"));
    let text = stdout(&run(&["evaluate", &path(&file)]));
    assert!(!text.contains("95 %") && !text.contains('\u{b1}'), "{text}");
    let document = json(&["evaluate", &path(&file)]);
    assert!(document.get("intervals").is_none(), "{document}");
    assert!(document["scenarios"][0].get("total_gflops_interval").is_none(), "{document}");
}

#[test]
fn explore_lists_allocations_indistinguishable_from_the_best() {
    // Two nodes: 10 and 10.1 GB/s to 5 %. The one thread of `mem`, which wants 20 GB/s, on one or the other differs by 1 %.
    let machine = "[machine]\nname = \"two\"\nbandwidth_matrix_gbs = [[10.0, 1.0], [1.0, 10.1]]\n\
                   [machine.provenance]\nbandwidth_matrix_gbs = { kind = \"measured\", interval95_percent = 5.0 }\n\
                   [[machine.node]]\ncores = 2\ngflops_per_core = 10.0\n[[machine.node]]\ncores = 2\ngflops_per_core = 10.0\n";
    let apps = "[[app]]\nname = \"mem\"\narithmetic_intensity = 0.5\nmax_threads = 1\n\
                [[scenario]]\nname = \"on 0\"\nthreads = { mem = [1, 0] }\n[[scenario]]\nname = \"both\"\nthreads = { mem = [1, 1] }\n";
    let (_folder, file) = study(&format!("{machine}{apps}"));
    let document = json(&["explore", &path(&file)]);
    assert_eq!(document["best"]["value_interval"][0].as_f64().map(f64::is_finite), Some(true), "{document}");
    let baselines = document["baselines"].as_array().expect("baselines");
    let of = |name: &str| baselines.iter().find(|one| one["name"] == name).expect("the scenario");
    // 5.0 and 5.05 GFLOPS, each to 5 %.
    assert_eq!(of("on 0")["distinguishable"], false, "{document}");
    // Both nodes together have 10.05: that breaks the constraint, and is a different case.
    assert_eq!(of("both")["distinguishable"], true, "{document}");
    let text = stdout(&run(&["explore", &path(&file)]));
    assert!(text.contains("better, not distinguishable"), "{text}");
    assert!(text.contains("Not statistically distinguishable from the best: "), "{text}");
    assert!(text.contains("400 independent draws of the uncertain machine values"), "{text}");
}

#[test]
fn the_simplest_does_not_have_the_interval_of_the_best() {
    // The best has 1 and 2 threads of `mem`, the simplest within 10 % 2 and 2: 5.2 % less, which is outside of the interval of the best.
    let machine = "[machine]\nname = \"two\"\nbandwidth_matrix_gbs = [[32.0, 10.0], [10.0, 37.0]]\n\
                   [machine.provenance]\nbandwidth_matrix_gbs = { kind = \"measured\", interval95_percent = 5.0 }\n\
                   [[machine.node]]\ncores = 7\ngflops_per_core = 10.0\n[[machine.node]]\ncores = 7\ngflops_per_core = 10.0\n";
    let apps = "[[app]]\nname = \"mem\"\narithmetic_intensity = 0.5\n[[app]]\nname = \"cpu\"\narithmetic_intensity = 10.0\n";
    let (_folder, file) = study(&format!("{machine}{apps}"));
    let document = json(&["explore", &path(&file), "--objective", "fair", "--simple", "--within", "0.1"]);
    let (best, simple) = (&document["best"], &document["simple"]["best"]);
    assert_ne!(best["apps"][0]["threads"], simple["apps"][0]["threads"], "{document}");
    assert!(best["value_interval"][0].as_f64() > simple["value"].as_f64(), "{document}");
    assert!(simple.get("value_interval").is_none(), "{document}");
}

/// The study of the two cores with a stored calibration, with the intervals that `calibrate` would write today.
fn calibrated(folder: &Path) -> PathBuf {
    let results = repository("results/2026-11-21-2-core-vm-model-versus-real");
    let mut study = fs::read_to_string(results.join("measured.study.toml")).expect("the study");
    let rounds = fs::read_to_string(results.join("calibration.csv")).expect("the rounds");
    // measures,from_node,to_node,threads,round,gflops,bandwidth_gbs
    let of = |what: &str, threads: &str, column: usize| -> f64 {
        let rows = rounds.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let own = rows.filter(|row| row[0] == what && row[3] == threads);
        let values: Vec<f64> = own.map(|row| row[column].parse().expect("a number")).collect();
        100.0 * median_reach(&values).expect("five rounds")
    };
    let known = [
        ("gflops_per_core", of("peak", "2", 5)),
        ("core_bandwidth_gbs", of("bandwidth", "1", 6)),
        ("bandwidth_matrix_gbs", of("bandwidth", "2", 6)),
    ];
    for (key, percent) in known {
        let table = format!("[machine.provenance.{key}]\n");
        assert!(study.contains(&table), "{study}");
        let mut with = table.clone();
        writeln!(with, "interval95_percent = {percent:.2}").expect("memory");
        study = study.replace(&table, &with);
    }
    let file = folder.join("study.toml");
    fs::write(&file, study).expect("room");
    file
}

#[test]
fn compare_counts_how_often_intervals_hold() {
    let folder = folder();
    let study = path(&calibrated(folder.path()));
    let measured = path(&repository("results/2026-11-21-2-core-vm-model-versus-real/measured.csv"));
    let asked = ["compare", &study, "--measured", &measured];
    let document = json(&asked);
    let coverage = &document["coverage"];
    assert_eq!(coverage["promised"], 0.95);
    // 15 scenarios of ten repetitions, each with both intervals.
    for way in ["measured_holds_prediction", "predicted_holds_measurement", "both"] {
        assert_eq!(coverage["totals"][way]["of"], 15, "{coverage}");
    }
    assert_eq!(coverage["totals"]["both"]["expected"], 14.25);
    let first = &document["scenarios"][0];
    let [low, predicted, high] =
        ["predicted_gflops_ci95_low", "predicted_gflops", "predicted_gflops_ci95_high"]
            .map(|key| first[key].as_f64().expect("a figure"));
    assert!(low < predicted && predicted < high, "{first}");
    let text = stdout(&run(&asked));
    let at = text.find("coverage of 95 % intervals").expect("the table");
    let table = text[at..].split("\n\n").next().expect("a table");
    insta::assert_snapshot!("coverage_of_the_two_cores", table);
    let csv = stdout(&run(&[&asked[..], &["--format", "csv"]].concat()));
    assert!(
        csv.lines()
            .next()
            .expect("a header")
            .ends_with("predicted_gflops_ci95_low,predicted_gflops_ci95_high")
    );
    // A line for each of the model's bars.
    let picture = path(&folder.path().join("bars.svg"));
    let drawn = run(&["plot", "bars", &study, "--measured", &measured, "-o", &picture]);
    assert!(drawn.status.success(), "{drawn:?}");
    assert!(fs::read_to_string(picture).expect("a picture").contains("95 % of the model"));
}
