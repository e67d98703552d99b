//! The section of applications over time.

use std::fmt::Write as _;

use serde_json::Value;

use super::html::{figures, plain, script};
use super::{check_figures, folder, numasim, path, stderr, stdout};

/// A producer and a consumer on a node of 8 cores; either is bound by its cores.
pub(crate) const PIPELINE: &str = "[machine]\nname = \"one node\"\nnodes = 1\ncores_per_node = 8\n\
    gflops_per_core = 10.0\nbandwidth_gbs = 32.0\n[os]\nswitch_us = 0.0\nrefill_ms = 0.0\n\
    [[app]]\nname = \"producer\"\narithmetic_intensity = 10.0\niterations = 100\nwork_gflop = 1000.0\n\
    [[app]]\nname = \"consumer\"\narithmetic_intensity = 10.0\niterations = 100\nwork_gflop = 2000.0\n\
    [[channel]]\nfrom = \"producer\"\nto = \"consumer\"\nitem_mb = 100.0\n";

/// Its page.
pub(crate) fn page(more: &[&str]) -> String {
    let folder = folder(&[("study.toml", PIPELINE)]);
    stdout(&numasim(&[&["report", path(&folder)], more].concat()))
}

#[test]
fn a_study_without_scenarios_has_a_page_of_its_course() {
    let page = page(&[]);
    let text = plain(&page);
    for words in [
        "What does the model baseline-proportional predict for one node when 2 applications run over time, with 3 policies?",
        "Over time the applications are finished after 37.50 s with policy none, the best of 3",
        // 3000 GFLOP at 80 GFLOPS. With 4 cores each the consumer has done 49.5 iterations when the producer ends after 25 s,
        // and 50.5 x 20 / 80 = 12.625 s are left.
        "static-even 37.625 1.003",
        "numasim simulate",
        "--policy none --policy static-even --policy fair-share",
    ] {
        assert!(text.contains(words), "the page does not say {words}: {text}");
    }
    // The machine, its picture, the roofline, and each policy.
    assert_eq!(page.matches("class=\"course\"").count(), 3);
    assert!(!page.contains("<section id=\"scenarios\"") && page.contains("<section id=\"time\""));
    assert!(check_figures(&page) > 3 * 4 + 2 * 3 + 6);
}

#[test]
fn the_json_inside_is_that_of_simulate_and_slots_are_few() {
    let more = ["--policy", "none", "--policy", "lead:2", "--until", "20"];
    let folder = folder(&[("study.toml", PIPELINE)]);
    let file = folder.path().join("study.toml").display().to_string();
    let page = page(&more);
    let simulated = stdout(&numasim(&[&["simulate", &file, "--format", "json"], &more[..]].concat()));
    let simulated: Value = serde_json::from_str(&simulated).expect("valid JSON");
    assert_eq!(script(&page, "simulation"), simulated);
    assert!(plain(&page).contains("--policy lead:2 --until 20"));
    let strips = script(&page, "strips");
    for run in strips["runs"].as_array().expect("runs") {
        let cores = run["apps"][1]["cores"][0].as_array().expect("slots");
        assert!((64..=256).contains(&cores.len()), "{}", cores.len());
        let end = run["slot_s"].as_f64().expect("a number") * cores.len() as f64;
        assert!((20.0..20.0 + 20.0 / 64.0).contains(&end), "{end}");
        // 8 cores x 20 s, less the first 0.125 s with policy lead, in which only the producer runs: at least 4 of 8.
        let mean = cores.iter().filter_map(Value::as_f64).sum::<f64>() / cores.len() as f64;
        assert!((3.9..=8.0).contains(&mean), "{mean}");
    }
}

#[test]
fn a_policy_without_a_result_is_listed_with_the_others() {
    let blocked = format!("{PIPELINE}[[command]]\nat_s = 0.1\napp = \"producer\"\nper_node = [0]\n");
    let folder = folder(&[("study.toml", &blocked)]);
    let page = stdout(&numasim(&["report", path(&folder), "--policy", "script", "--policy", "lend"]));
    let text = plain(&page);
    assert!(
        text.contains("No result with policy script: a deadlock after 0.1 s, in which these cannot go on: producer, consumer."),
        "{text}"
    );
    assert_eq!(page.matches("class=\"course\"").count(), 1);
    check_figures(&page);
}

#[test]
fn without_work_the_section_appears_only_for_a_requested_policy() {
    let study = super::STUDY;
    let folder = folder(&[("study.toml", study)]);
    let page = stdout(&numasim(&["report", path(&folder)]));
    assert!(!page.contains("id=\"time\"") && !figures(&page).is_empty());
    let output = numasim(&["report", path(&folder), "--policy", "lend"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the work of `mem` is unknown"), "{}", stderr(&output));
}

#[test]
fn very_many_applications_have_pictures_but_no_slider() {
    let many = PIPELINE.split("[[app]]").next().unwrap_or_default().to_owned()
        + "[[app]]\nname = \"a\"\ninstances = 2000\narithmetic_intensity = 10.0\nwork_gflop = 1.0\n";
    let folder = folder(&[("study.toml", &many)]);
    let page = stdout(&numasim(&["report", path(&folder), "--policy", "none", "--policy", "fair-share"]));
    assert_eq!(script(&page, "strips")["runs"], Value::Array(Vec::new()));
    assert!(!page.contains("id=\"moment\"") && page.contains("a (2000 instances)"));
    assert!(page.contains("The first 200 applications of 2000"));
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
}

#[test]
fn a_page_of_long_simulations_of_many_nodes_and_applications_stays_small_and_lists_omissions() {
    // 32 nodes; four producers and consumers that wait for each other all the time.
    let mut study = "[machine]\nname = \"wide\"\nnodes = 32\ncores_per_node = 8\ngflops_per_core = 10.0\n\
        bandwidth_gbs = 32.0\nlink_gbs = 10.0\n"
        .to_owned();
    for app in 0..8 {
        let _ = write!(
            study,
            "[[app]]\nname = \"app-{app}\"\narithmetic_intensity = {}.0\niterations = 1500\nwork_gflop = {}.0\n",
            app % 5 + 1,
            50_000 + app * 37 % 11 * 3000
        );
    }
    for app in [0, 2, 4, 6] {
        let _ = write!(
            study,
            "[[channel]]\nfrom = \"app-{app}\"\nto = \"app-{}\"\ncapacity = 1\nitem_mb = 1.0\n",
            app + 1
        );
    }
    let policies =
        ["--policy", "none", "--policy", "static-even", "--policy", "fair-share", "--policy", "lend"];
    let page_of = |study: &str| {
        let folder = folder(&[("study.toml", study)]);
        stdout(&numasim(&[&["report", path(&folder)], &policies[..]].concat()))
    };
    let page = page_of(&study);
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    assert!(plain(&page).contains("a page of 4 such pictures has no room for shorter ones"));
    check_figures(&page);
}

#[test]
fn with_more_applications_than_fit_the_json_has_the_first() {
    let many = PIPELINE.split("[[app]]").next().unwrap_or_default().to_owned()
        + "[[app]]\nname = \"a\"\ninstances = 4000\narithmetic_intensity = 10.0\nwork_gflop = 1.0\n";
    let folder = folder(&[("study.toml", &many)]);
    let page = stdout(&numasim(&["report", path(&folder), "--policy", "none", "--policy", "static-even"]));
    let simulation = script(&page, "simulation");
    let run = &simulation["runs"][1];
    assert_eq!(
        (run["apps"].as_array().map(Vec::len), &run["apps_left_out"]),
        (Some(200), &Value::from(3800))
    );
    let text = plain(&page);
    assert!(
        text.contains("The first 200 applications of 4000; numasim simulate --format json has all."),
        "{text}"
    );
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    check_figures(&page);
}

#[test]
fn names_of_policies_and_applications_stay_names() {
    let evil = "</script><img src=x>";
    let scenario = "[[scenario]]\nname = \"<img src=y>\"\nthreads = { consumer = 4 }\n";
    let study = format!("{PIPELINE}{scenario}").replace("\"producer\"", &format!("\"{evil}\""));
    let folder = folder(&[("study.toml", &study)]);
    let page =
        stdout(&numasim(&["report", path(&folder), "--policy", "none", "--policy", "static:<img src=y>"]));
    assert!(!page.contains("<img"));
    // Four of data, and the script of the page.
    assert_eq!(page.matches("<script").count(), 4);
}
