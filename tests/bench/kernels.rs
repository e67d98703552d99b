//! Real kernels from file to result: rows, provenance, warnings, refusals.

use serde_json::Value;

use super::running::rows;
use super::{Path, bench, folder_with, fs, stderr};

/// This host with small problems: a matrix that fits a cache, and a copy whose page faults are inside.
fn study(apps: &str, scenarios: &[(&str, &str)]) -> String {
    let cores = super::fitting::cores();
    let first = cores.iter().position(|&cores| cores > 0).expect("a core");
    let threads = |count: u64| -> Vec<u64> {
        (0..cores.len()).map(|node| if node == first { count } else { 0 }).collect()
    };
    let node = |cores: &u64| {
        let peak = if *cores > 0 { 10 } else { 0 };
        format!("[[machine.node]]\ncores = {cores}\ngflops_per_core = {peak}\n")
    };
    let nodes = cores.iter().map(node).collect::<Vec<_>>().concat();
    let count = cores[first].min(2);
    let scenario = |(name, app): &(&str, &str)| {
        format!("[[scenario]]\nname = \"{name}\"\nthreads = {{ {app} = {:?} }}\n", threads(count))
    };
    let scenarios = scenarios.iter().map(scenario).collect::<Vec<_>>().concat();
    format!("[machine]\nname = \"this\"\nbandwidth_gbs = 20\nlink_gbs = 10\n{nodes}{apps}{scenarios}")
}

const APPS: &str = "[[app]]\nname = \"matrix\"\nkernel = \"dmv\"\nproblem = { rows = 256 }\n\
                    [[app]]\nname = \"copy\"\nkernel = \"memcpy\"\n\
                    problem = { size_mib = 8, source = \"own\", faults = \"inside\" }\n\
                    [[app]]\nname = \"options\"\nkernel = \"blackscholes\"\nproblem = { options = 20000 }\n\
                    [[app]]\nname = \"crystal\"\nkernel = \"spmv\"\nproblem = { cells = 2, partition = \"nonzeros\" }\n\
                    [[app]]\nname = \"grid\"\nkernel = \"stencil2d\"\nproblem = { rows = 300, columns = 200 }\n\
                    [[app]]\nname = \"waves\"\nkernel = \"seismic\"\nproblem = { rows = 200, columns = 300 }\n";
const SCENARIOS: [(&str, &str); 6] = [
    ("dense", "matrix"),
    ("copied", "copy"),
    ("priced", "options"),
    ("sparse", "crystal"),
    ("averaged", "grid"),
    ("shaken", "waves"),
];

const SHORT: [&str; 9] = ["study.toml", "--window", "0.1", "--warm-up", "0", "--repeat", "2", "-o", "r.csv"];

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

#[test]
fn real_kernels_are_measured_and_predicted_from_one_file() {
    let folder = folder_with(&study(APPS, &SCENARIOS));
    let output = bench(folder.path(), &SHORT);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = rows(&folder.path().join("r.csv"));
    assert_eq!(rows.len(), 12);
    for row in &rows {
        assert_eq!((row["status"].as_str(), row["problem"].as_str()), ("ok", ""), "{row:?}");
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        let (intensity, kernel) = match row["scenario"].as_str() {
            // 8 n^2 FLOP, 16 n^2 + 32 n bytes.
            "dense" => (8.0 * 256.0 / (16.0 * 256.0 + 32.0), "dmv"),
            "copied" => (1e-6, "memcpy"),
            "priced" => (69.0 / 28.0, "blackscholes"),
            "averaged" => (5.0 / 16.0, "stencil2d"),
            "shaken" => (22.0 / 84.0, "seismic"),
            _ => (number("work_flop") / number("traffic_bytes"), "spmv"),
        };
        assert_eq!(row["kernel"], kernel);
        // Threads of the crystal have rows of different lengths, and each its own time.
        let near = if kernel == "spmv" { 0.05 } else { 1e-9 };
        assert!((number("gflops") / number("bandwidth_gbs") / intensity - 1.0).abs() < near, "{row:?}");
        assert!(number("bandwidth_gbs") > 0.0);
        if kernel == "memcpy" {
            // 8 MiB read and written by each thread, once.
            assert_eq!(number("traffic_bytes"), number("threads") * f64::from(16 << 20));
        } else {
            assert!(row["doubts"].contains("fits-cache"), "a few MB: {row:?}");
        }
        assert!(!row["doubts"].contains("page-faults"), "{row:?}");
    }
    let provenance = json(&folder.path().join("r.provenance.json"));
    let observed = |app: &str| {
        let all = provenance["observed"].as_array().expect("a list").iter();
        all.clone().find(|one| one["app"] == app).expect("every application").clone()
    };
    assert_eq!(observed("matrix")["expected_page_faults"], 0);
    // At least a huge page for each 2 MiB.
    let copy = observed("copy");
    let expected = copy["expected_page_faults"].as_u64().expect("a number");
    assert!(expected >= 4, "{copy}");
    // A fault that waited for memory on a busy host is counted again when it resumes: at most one for each of two threads.
    let counted = copy["page_faults"].as_u64().expect("a number");
    assert!((expected..=expected + 2).contains(&counted), "{copy}");
    // The result contains a prediction for the kernels that ran.
    let compared = std::process::Command::new(env!("CARGO_BIN_EXE_numasim"))
        .args(["compare", "r.study.toml", "--measured", "r.csv", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(compared.status.success(), "{}", stderr(&compared));
}

#[test]
fn processes_also_run_real_kernels() {
    let folder = folder_with(&study(APPS, &SCENARIOS));
    let output = bench(folder.path(), &[&SHORT[..], &["--processes"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = rows(&folder.path().join("r.csv"));
    assert!(rows.len() == 12 && rows.iter().all(|row| row["status"] == "ok"), "{rows:?}");
}
