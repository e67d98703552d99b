//! `--machine`, two or more times: the best on each machine.

use serde_json::Value;

use crate::common::{numasim, stderr, stdout};

fn machine(name: &str, gbs: f64) -> String {
    format!(
        "[machine]\nname = \"{name}\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = {gbs}\nlink_gbs = 10\n"
    )
}

const APPS: &str = "[[app]]\nname = \"mem\"\narithmetic_intensity = 0.5\n[[app]]\nname = \"compute\"\narithmetic_intensity = 20\n";

/// The output for two machines of 20 and 30 GB/s a node.
fn asked(args: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let (slow, fast) = (file("slow.toml", &machine("slow", 20.0)), file("fast.toml", &machine("fast", 30.0)));
    let apps = file("apps.toml", APPS);
    let mut command = numasim();
    command.arg("explore").arg("--machine").arg(slow).arg("--machine").arg(fast).arg(apps).args(args);
    command.output().expect("the program starts")
}

#[test]
fn machines_are_compared_by_the_speed_of_applications() {
    // Each node: a thread of `mem` wants 20 GB/s, one of `compute` 0.5 and gives 10 GFLOPS. For geomean 1 + 3 threads a node: `compute` 60 GFLOPS, and `mem`
    // has 18.5 or, of 20 that it wants, 20 GB/s: 18.5 and 20 GFLOPS. 2 + 2 give 40 and 19 or 29. Alone `mem` has 20 or 30, `compute` 80.
    // Slow: sqrt(18.5 / 20 x 60 / 80) = 0.8329. Fast: 1 + 3 sqrt(20 / 30 x 0.75) = 0.7071, 2 + 2 sqrt(29 / 30 x 0.5) = 0.6952, and 1 + 3 and 2 + 2 on one node
    // each, 50 GFLOPS and 20 + 29 GB/s: sqrt(24.5 / 30 x 5 / 8) = 0.7144. Beside the slow one `mem` has 24.5 / 18.5, `compute` 50 / 60: sqrt(1.1036) = 1.0505.
    let answer: Value =
        serde_json::from_str(&stdout(&asked(&["--objective", "geomean", "--format", "json"]))).expect("JSON");
    let machines = answer["machines"].as_array().expect("a list");
    let near = |value: &Value, expected: f64| (value.as_f64().expect("a number") - expected).abs() < 1e-9;
    assert!(near(&machines[0]["value"], (0.925_f64 * 0.75).sqrt()), "{}", machines[0]["value"]);
    assert!(near(&machines[1]["value"], (24.5_f64 / 30.0 * 0.625).sqrt()), "{}", machines[1]["value"]);
    assert!(near(&machines[0]["speed"], 1.0));
    assert!(near(&machines[1]["speed"], (24.5_f64 / 18.5 * 50.0 / 60.0).sqrt()));
    assert_eq!((&answer["fastest"], &machines[1]["status"]), (&"fast".into(), &"optimal".into()));
}

#[test]
fn the_table_names_the_machine_and_the_changes() {
    let text = stdout(&asked(&["--objective", "geomean"]));
    assert!(text.contains("Fastest on fast: 1.051x the speed on slow. Each best is proven."), "{text}");
    assert!(text.contains("mem +32 %, compute -17 %"), "{text}");
    let csv = stdout(&asked(&["--objective", "geomean", "--format", "csv"]));
    assert!(csv.starts_with("machine,status,value,bound,gap,speed,p:mem,p:compute,gflops:mem,"), "{csv}");
}

#[test]
fn switches_about_a_single_machine_are_refused_by_name() {
    let refused = asked(&["--sensitivity"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("--sensitivity is about one machine, and --machine names 2"));
}
