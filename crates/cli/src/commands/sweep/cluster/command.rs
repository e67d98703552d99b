//! A sweep as the words of a command line, from what was read of one.

use clap::ValueEnum as _;

use crate::args::SweepArgs;

/// The words between `numasim sweep` and what a task adds. `files` stand in the place of those that were named.
pub(super) fn words(args: &SweepArgs, files: &[String]) -> Vec<String> {
    // Every switch is named: a new one has to be thought of here.
    let SweepArgs {
        files: _,
        model,
        set,
        scenario,
        explore,
        objective,
        same_on_every_node,
        whole_nodes,
        min_threads_per_node,
        no_idle_cores,
        time_limit,
        simulate,
        policy,
        until,
        seed,
        // Each task has its own, or none.
        shard: _,
        resume: _,
        threads: _,
        cluster: _,
        plot: _,
        format: _,
        output: _,
    } = args;
    let mut words = files.to_vec();
    // `--key=value`: a value may begin with a hyphen.
    let mut with =
        |key: &str, value: Option<String>| words.extend(value.map(|value| format!("--{key}={value}")));
    with("model", model.map(|model| model.name().to_owned()));
    for set in set {
        with("set", Some(set.clone()));
    }
    for name in scenario {
        with("scenario", Some(name.clone()));
    }
    let objective = objective.and_then(|name| name.to_possible_value());
    with("objective", objective.map(|name| name.get_name().to_owned()));
    with("min-threads-per-node", min_threads_per_node.map(|threads| threads.to_string()));
    with("time-limit", time_limit.map(|limit| limit.as_secs_f64().to_string()));
    for policy in policy {
        with("policy", Some(policy.to_string()));
    }
    with("until", until.map(|until| until.to_string()));
    with("seed", seed.map(|seed| seed.to_string()));
    let flags = [
        (explore, "--explore"),
        (same_on_every_node, "--same-on-every-node"),
        (whole_nodes, "--whole-nodes"),
        (no_idle_cores, "--no-idle-cores"),
        (simulate, "--simulate"),
    ];
    words.extend(flags.into_iter().filter(|(is_given, _)| **is_given).map(|(_, flag)| flag.to_owned()));
    words
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    fn read(words: &[&str]) -> SweepArgs {
        match Cli::try_parse_from(words).expect("a command line").command {
            Command::Sweep(args) => args,
            other => panic!("{other:?}"),
        }
    }

    /// What was read again is the same question, but for the files.
    #[test]
    fn the_words_ask_the_same_again() {
        for question in [
            &[
                "a.toml",
                "--set",
                "machine.link_gbs=1,2",
                "--set=-x=1",
                "--scenario=-odd one",
                "--model",
                "ecm",
            ][..],
            &[
                "a.toml",
                "b.toml",
                "--set=machine.link_gbs=1,2",
                "--explore",
                "--objective=fair",
                "--same-on-every-node",
                "--whole-nodes",
                "--min-threads-per-node=2",
                "--no-idle-cores",
                "--time-limit=0.1",
                "--seed=7",
            ],
            &[
                "a.toml",
                "--set=policy.lead=1..8:1",
                "--simulate",
                "--policy=lead:2",
                "--policy=none",
                "--until=1e-3",
            ],
        ] {
            let args = read(&[&["numasim", "sweep"], question].concat());
            let files: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
            let words = words(&args, &files);
            let again: Vec<&str> =
                ["numasim", "sweep"].into_iter().chain(words.iter().map(String::as_str)).collect();
            assert_eq!(format!("{:?}", read(&again)), format!("{args:?}"));
        }
    }
}
