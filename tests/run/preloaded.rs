//! Programs of OpenMP and oneTBB under the agent of a run, with the preloaded library.

#[path = "../../crates/live/preload/tests/programs/built.rs"]
mod built;

use std::fs;

use built::{GNU_REGIONS, LLVM_REGIONS, Source, TBB_LOOPS, library};
use numasim_host::affinity::allowed;
use numasim_host::system::System;
use serde_json::Value;

use super::{MACHINE, ran_on};
use crate::common::{folder, stderr};

/// An `[[app]]` that runs a program for 1.5 s.
fn app(source: Source, program: &std::path::Path, more: &str) -> String {
    let program = serde_json::to_string(program).expect("text");
    let name = source.name;
    format!(
        "[[app]]\nname = \"{name}\"\narithmetic_intensity = 1.0\ncontrol = \"total\"\nthreads = 2\n{more}\
         command = [{program}, \"1.5\"]\n"
    )
}

/// Start times of regions, in ns since the start of the machine, and their threads.
fn regions(text: &str) -> Vec<(u64, u32)> {
    assert_eq!(text.lines().last(), Some("wrong 0"));
    let read = |line: &str| {
        let (began, threads) = line.split_once(' ')?;
        Some((began.parse().ok()?, threads.parse().ok()?))
    };
    text.lines().filter_map(read).collect()
}

#[test]
fn two_programs_of_openmp_and_one_of_onetbb_share_two_cores_under_each_policy() {
    let host = System::host().node_cores(&allowed().expect("Linux tells"));
    if host.first().is_none_or(|node| node.cores.len() < 2) {
        println!("skipped: two cores are needed on the first node");
        return;
    }
    let folder = folder();
    let sources = [GNU_REGIONS, LLVM_REGIONS, TBB_LOOPS];
    let Some(programs) = sources.iter().map(|source| source.built(folder.path())).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let arrivals = ["", "arrives_s = 0.4\n", "arrives_s = 0.8\n"];
    let apps = sources.iter().zip(&programs).zip(arrivals);
    let apps: String = apps.map(|((source, program), more)| app(*source, program, more)).collect();
    let machine = MACHINE.replace("cores_per_node = 1", "cores_per_node = 2");
    let library = library().to_str().expect("a path of letters");
    for policy in ["fair-share", "lend", "lead:2"] {
        let ran = ran_on(&machine, &apps, &["--policy", policy, "--until", "60", "--agent-library", library]);
        assert!(ran.output.status.success(), "{policy}: {}", stderr(&ran.output));
        assert_eq!(ran.result()["ended"], "finished", "{policy}");
        let record = fs::read_to_string(ran.folder.join("agent.jsonl")).expect("a record");
        let lines: Vec<Value> =
            record.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for (number, source) in sources.iter().enumerate() {
            let name = source.name;
            let orders = lines.iter().filter_map(|line| line["actions"].as_array()).flatten();
            let orders: Vec<u64> = orders
                .filter(|action| action["app"] == name)
                .filter_map(|action| action["total"].as_u64())
                .collect();
            assert!(!orders.is_empty(), "{policy}: no order for {name}");
            let text = fs::read_to_string(ran.folder.join(format!("app-{number}.out"))).expect("a file");
            let errors = fs::read_to_string(ran.folder.join(format!("app-{number}.err"))).expect("a file");
            assert_eq!(errors, "", "{policy}: {name}");
            // Its regions never had more threads than any order allowed; a program that every order kept below two had no region of two.
            let most = u64::from(regions(&text).iter().map(|(_, threads)| *threads).max().unwrap_or(0));
            assert!(
                most <= orders.iter().copied().max().unwrap_or(0),
                "{policy}: {name} {orders:?}, {most} threads"
            );
        }
        // Whenever all orders are in force, they sum to at most as many threads as cores: in the record, under any load of this host.
        let mut now = [0; 3];
        for line in &lines {
            for action in line["actions"].as_array().into_iter().flatten() {
                let place =
                    sources.iter().position(|source| action["app"] == source.name).expect("one of three");
                now[place] = action["total"].as_u64().expect("a number");
            }
            let there = line["apps"].as_array().map_or(&[][..], Vec::as_slice);
            let is_there = |source: &Source| there.iter().any(|app| app["name"] == source.name);
            let sum: u64 =
                sources.iter().zip(now).filter(|(source, _)| is_there(source)).map(|(_, n)| n).sum();
            assert!(sum <= 2, "{policy}: {line}");
        }
    }
}

#[test]
fn a_missing_library_is_named() {
    let apps =
        "[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\ncontrol = \"total\"\ncommand = [\"true\"]\n";
    let ran = ran_on(MACHINE, apps, &["--agent-library", "no-such-library.so"]);
    assert_eq!(ran.output.status.code(), Some(1));
    assert!(
        stderr(&ran.output).contains("there is no library no-such-library.so"),
        "{}",
        stderr(&ran.output)
    );
}
