//! `--plot`: cores over time as a picture.

use std::fs;

use super::{NODE, PRODUCER_CONSUMER, simulate};
use crate::common::{config_path, folder, numasim, repository, run, stderr};

/// The texts of the picture of a simulation.
#[track_caller]
fn texts(text: &str, more: &[&str]) -> Vec<String> {
    let folder = folder();
    let picture = folder.path().join("cores.svg");
    let output = simulate(text, &[more, &["--plot", &picture.display().to_string()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let svg = fs::read_to_string(picture).expect("the picture");
    let parts = svg.split("</text>").filter_map(|part| part.rsplit_once("<text")?.1.split_once('>'));
    parts.map(|(_, text)| text.trim().to_owned()).collect()
}

#[track_caller]
fn has(texts: &[String], wanted: &[&str]) {
    for want in wanted {
        assert!(texts.iter().any(|text| text.starts_with(want)), "{want} is missing in {texts:?}");
    }
}

#[test]
fn a_picture_names_machine_policy_outcome_applications_nodes_and_channels() {
    let texts = texts(&format!("{NODE}{PRODUCER_CONSUMER}"), &["--policy", "lead:2"]);
    has(
        &texts,
        &[
            "Which application uses the cores of each node when?",
            "policy lead:2: makespan 37.50 s; model baseline-proportional; ",
            "producer",
            "consumer",
            "not used",
            "node 0",
            "producer → consumer",
            "items",
            "time (s)",
        ],
    );
}

#[test]
fn short_times_have_a_shorter_unit_and_unfinished_applications_are_marked() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}");
    let texts = texts(&text, &["--policy", "fair-share", "--until", "0.25"]);
    has(&texts, &["policy fair-share: not finished after 0.25 s", "time (ms)", "250"]);
}

#[test]
fn with_many_nodes_neighbours_share_a_strip() {
    let app = "[[app]]\nname = \"a\"\narithmetic_intensity = 10.0\nwork_gflop = 10.0\n";
    let node = NODE.replace("nodes = 1", "nodes = 64\nlink_gbs = 10.0");
    let texts = texts(&format!("{node}{app}"), &[]);
    has(&texts, &["nodes 0, 1", "nodes 62, 63", "16"]);
}

#[test]
fn instances_share_a_colour_if_colours_run_out_and_items_are_whole() {
    let instances =
        "[[app]]\nname = \"mem\"\ninstances = 40\narithmetic_intensity = 0.5\nwork_gflop = 10.0\n";
    let texts = texts(&format!("{NODE}{PRODUCER_CONSUMER}{instances}"), &["--policy", "lead:2"]);
    has(&texts, &["producer", "consumer", "mem (40 instances)", "2"]);
    assert!(!texts.iter().any(|text| text.contains("others") || text == "0.5"), "{texts:?}");
}

#[test]
fn a_picture_requires_a_single_simulation_and_replaces_no_input() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}");
    let output = simulate(&text, &["--policy", "none", "--policy", "lend", "--plot", "a.svg"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = stderr(&output);
    assert!(
        said.starts_with("error: --plot is of one simulation, and these are 2\nhint: give one --policy"),
        "{said}"
    );
    assert!(said.contains("`numasim report` shows a picture of each"), "{said}");
    let output = simulate(&text, &["--plot", "cores.gif"]);
    assert!(stderr(&output).contains("plots are SVG, PNG or PDF"), "{}", stderr(&output));
    let file = config_path("dynamic/producer-consumer.toml");
    let output = run(&["simulate", &file, "--plot", "-"]);
    assert!(
        stderr(&output).contains("more than one result would go to standard output"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn without_a_result_no_picture_is_written() {
    let blocked = "[[command]]\nat_s = 0.1\napp = \"producer\"\nper_node = [0]\n";
    let folder = folder();
    let picture = folder.path().join("cores.svg").display().to_string();
    let text = format!("{NODE}{PRODUCER_CONSUMER}{blocked}");
    let output = simulate(&text, &["--policy", "script", "--plot", &picture]);
    assert_eq!(output.status.code(), Some(1));
    assert!(fs::exists(picture).is_ok_and(|there| !there));
}

#[test]
fn the_picture_in_the_guide_is_what_its_command_draws() {
    let guide = fs::read_to_string(repository("docs/guide/time.md")).expect("the guide has time");
    let file = guide
        .split_once("<!-- file: pipeline.toml -->\n```toml\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let folder = folder();
    fs::write(folder.path().join("pipeline.toml"), file.expect("the file of the example").0).expect("a file");
    let line = guide.lines().find(|line| line.contains(" --plot time.svg")).expect("an example of --plot");
    let words = line.split_whitespace().skip(1);
    let output = numasim().current_dir(folder.path()).args(words).output().expect("the program starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let drawn = fs::read_to_string(folder.path().join("time.svg")).expect("the picture");
    crate::dark::keep("time", &drawn, |svg| vec![svg], "simulate");
}
