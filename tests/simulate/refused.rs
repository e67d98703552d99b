//! Impossible simulations: exit codes and messages.

use super::{NODE, PRODUCER_CONSUMER, simulate};
use crate::common::{config_path, run, stderr, stdout};

/// Exit code 1, nothing on standard output; returns standard error.
#[track_caller]
fn refusal(text: &str, more: &[&str]) -> String {
    let output = simulate(text, more);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn a_deadlock_lists_the_waiting_applications_and_their_places() {
    let blocked = "[[command]]\nat_s = 0.1\napp = \"producer\"\nper_node = [0]\n";
    let said = refusal(&format!("{NODE}{PRODUCER_CONSUMER}{blocked}"), &["--policy", "script"]);
    let without_folder: Vec<String> = said
        .lines()
        .map(|line| match (line.find('('), line.rfind("study.toml")) {
            (Some(from), Some(to)) => format!("{}({}", &line[..from], &line[to..]),
            _ => line.to_owned(),
        })
        .collect();
    assert_eq!(
        without_folder,
        [
            "error: a deadlock after 0.1 s with policy 'script': no application can go on, and nothing is to come",
            "caused by: 'producer' cannot continue iteration 1: none of its threads may run (study.toml:11)",
            "caused by: 'consumer' cannot begin iteration 1: it waits for an item of 'producer' (study.toml:20)",
            "hint: give it a thread with a later [[command]]",
        ]
    );
}

#[test]
fn an_unknown_policy_is_refused_with_a_similar_name() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}");
    let output = simulate(&text, &["--policy", "fair-shar"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean 'fair-share'?"), "{}", stderr(&output));
    let said = refusal(&format!("{text}[policy]\nname = \"laed:2\"\n"), &[]);
    assert!(said.contains("study.toml:25:8"), "{said}");
    assert!(said.contains("did you mean `name = \"lead\"`?"), "{said}");
    let scenario = "[[scenario]]\nname = \"half\"\nthreads = { producer = 4, consumer = 4 }\n";
    let said = refusal(&format!("{text}{scenario}"), &["--policy", "static:hall"]);
    assert!(
        said.contains("there is no scenario 'hall'") && said.contains("did you mean 'static:half'?"),
        "{said}"
    );
}

#[test]
fn missing_work_is_shown_at_each_application() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}").replace("work_gflop = 2000.0\n", "");
    let said = refusal(&text, &[]);
    assert!(said.contains("the work of `consumer` is unknown"), "{said}");
    assert!(said.contains("study.toml:16:8") && said.contains("error: 1 problem in 1 file"), "{said}");
    let said = refusal(NODE, &[]);
    assert!(said.contains("there is no [[app]] in the files"), "{said}");
}

#[test]
fn an_open_home_is_refused_unless_a_scenario_decides_it() {
    let open =
        "[[app]]\nname = \"bad\"\narithmetic_intensity = 1.0\nwork_gflop = 80.0\ndata = { home = \"any\" }\n";
    let said = refusal(&format!("{NODE}{open}"), &[]);
    assert!(said.contains("the home of the data of `bad` is open, and simulate does not choose"), "{said}");
    let scenario = "[[scenario]]\nname = \"s\"\nthreads = { bad = 8 }\ndata = { bad = { home = 0 } }\n";
    // 8 threads share 32 GB/s: 32 GFLOPS.
    let printed = stdout(&simulate(&format!("{NODE}{open}{scenario}"), &["--policy", "static:s"]));
    assert!(printed.contains("Makespan:    2.500 s"), "{printed}");
}

#[test]
fn a_scenario_with_more_threads_than_an_application_has_is_refused() {
    let text = format!(
        "{NODE}{}[[scenario]]\nname = \"all\"\nthreads = {{ producer = 8 }}\n",
        PRODUCER_CONSUMER.replacen("iterations", "threads = 4\niterations", 1)
    );
    let said = refusal(&text, &["--policy", "static:all"]);
    assert!(said.contains("scenario 'all' gives producer 8 threads on node 0, but it has 4"), "{said}");
}

#[test]
fn commands_without_a_recipient_are_reported() {
    let command = "[[command]]\nat_s = 0.0\napp = \"producer\"\nper_node = [4]\n";
    let output = simulate(&format!("{NODE}{PRODUCER_CONSUMER}{command}"), &["--policy", "lead"]);
    stdout(&output);
    assert!(
        stderr(&output).contains("policy 'lead:2' ignores the [[command]] tables"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let file = config_path("dynamic/io.toml");
    for more in [
        &["--until", "-1"][..],
        &["--until", "nan"],
        &["--runs", "0"],
        &["--policy", "lead:0"],
        &["--policy", "none:1"],
        &["--replay", "x.jsonl"],
    ] {
        let output = run(&[&["simulate", &file], more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", stderr(&output));
    }
    assert_eq!(run(&["simulate"]).status.code(), Some(2));
}

#[test]
fn more_threads_than_can_be_simulated_are_refused_before_any_work() {
    // 200 instances x 65,536 threads on one node = 13,107,200.
    let many = "[[app]]\nname = \"many\"\ninstances = 200\narithmetic_intensity = 1.0\nwork_gflop = 1.0\nthreads = 65536\n";
    let said = refusal(&format!("{NODE}{many}"), &["--policy", "none"]);
    assert!(said.contains("13107200 threads of all applications together are more than 10000000"), "{said}");
    assert!(said.contains("65536 of them in each instance") && said.contains("study.toml"), "{said}");
}

#[test]
fn a_period_below_the_shortest_instant_is_refused_at_its_place() {
    for period in ["1e-30", "0.9e-6"] {
        let text = format!("{NODE}{PRODUCER_CONSUMER}[policy]\nname = \"lend\"\nperiod_ms = {period}\n");
        let said = refusal(&text, &[]);
        assert!(said.contains("`period_ms` is shorter than 1 ns"), "{said}");
        assert!(said.contains("study.toml:26:13") && said.contains("period_ms = 0"), "{said}");
        // Without decisions it does not matter.
        stdout(&simulate(&text, &["--policy", "none"]));
    }
}

#[test]
fn the_shortest_period_and_the_latest_arrival_take_no_time() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}[policy]\nname = \"lend\"\nperiod_ms = 1e-6\n");
    assert!(stdout(&simulate(&text, &[])).contains("Makespan:    37.5"));
    let late = "[[app]]\nname = \"late\"\narithmetic_intensity = 1.0\nwork_gflop = 80.0\narrives_s = 1e30\n";
    let text = format!("{NODE}{late}[policy]\nname = \"lend\"\nperiod_ms = 80.0\n");
    assert!(stdout(&simulate(&text, &[])).contains("Makespan:    1"));
}
