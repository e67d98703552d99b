//! A page of applications without a scenario: it searches first.

use serde_json::Value;

use super::html::{figures, plain, script, shown_as};
use super::{folder, numasim, path, stderr, stdout};

/// Two nodes of 2 cores, 10 GFLOPS, 32 GB/s and links of 10: `mem` wants 20 GB/s a thread, `cpu` next to nothing.
const STUDY: &str = "[machine]\nname = \"two nodes\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10\nbandwidth_gbs = 32\n\
    link_gbs = 10\n[[app]]\nname = \"mem\"\narithmetic_intensity = 0.5\n[[app]]\nname = \"cpu\"\narithmetic_intensity = 100\n";

fn page(text: &str, more: &[&str]) -> String {
    let folder = folder(&[("study.toml", text)]);
    stdout(&numasim(&[&["report", path(&folder), "--time-limit", "5"], more].concat()))
}

#[test]
fn best_simple_and_robust_placement_stand_side_by_side() {
    // fair: one `mem` on each node has 2 x 10 of 32 GFLOPS alone, one `cpu` next to each 20 of 40: p = 0.5. Two `cpu` threads more for one `mem`
    // less:
    let page = page(STUDY, &["--objective", "fair"]);
    let words = plain(&page);
    for wanted in [
        "Which threads of 2 applications belong where on two nodes, for fair under the model baseline-proportional?",
        "Best: 50.00 % of stand-alone speed. Proven",
        "Simple: as good as the best (proven",
        "Robust: at most",
        "Gain from more of each resource, in p",
        "numasim explore --emit numactl writes a script",
        "numasim explore",
        "--models all --simple --sensitivity --time-limit 5 --save best.toml",
    ] {
        assert!(words.contains(wanted), "{wanted}: {words}");
    }
    // Every value of the answer equals the JSON of `explore`.
    let document = script(&page, "exploration");
    assert_eq!(document["value"], Value::from(0.5));
    let mut seen = 0;
    for (place, text) in figures(&page) {
        let Some(pointer) = place.strip_prefix("exploration#") else { continue };
        let value = document.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is not there"));
        assert!(
            value.as_f64().is_some_and(|value| shown_as(value, &text)),
            "{pointer}: {value} is shown as {text}"
        );
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
    // The answer is evaluated and drawn like scenarios of files.
    let evaluation = script(&page, "evaluation");
    let names: Vec<&str> = evaluation["scenarios"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert!(names.starts_with(&["best"]) && names.contains(&"even"), "{names:?}");
}

#[test]
fn a_script_is_shown_if_processors_are_known() {
    let page = page(&STUDY.replace("link_gbs", "cpus = [\"0-1\", \"2-3\"]\nlink_gbs"), &[]);
    assert!(plain(&page).contains("Start the best with numactl"), "{page}");
    assert!(page.contains("numactl --"), "{page}");
}

#[test]
fn impossible_searches_are_reported_as_in_explore() {
    let folder =
        folder(&[("study.toml", &STUDY.replace("name = \"cpu\"", "name = \"cpu\"\nmin_threads = 9"))]);
    let output = numasim(&["report", path(&folder)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("`min_threads` is 9, but the whole machine has 4 cores"),
        "{}",
        stderr(&output)
    );
}
