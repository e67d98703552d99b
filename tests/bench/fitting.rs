//! Scenarios that fit this host, others that do not, and the effects of scaling.

use serde_json::Value;

use super::{Path, bench, config, folder, folder_with, fs, refusal, stderr};

/// Usable cores of each NUMA node of this host.
pub(super) fn cores() -> Vec<u64> {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_numasim"))
        .args(["detect", "--format", "json"])
        .output()
        .expect("the program starts");
    let host: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    host["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| node["cores"].as_u64().expect("cores"))
        .collect()
}

/// A machine with one more node than this host and one more core on each, all of them used by one application.
pub(super) fn larger() -> String {
    let cores = cores();
    let most = cores.iter().max().expect("a node") + 1;
    format!(
        "[machine]\nname = \"larger\"\nnodes = {}\ncores_per_node = {most}\ngflops_per_core = 10\nbandwidth_gbs = 32\n\
         link_gbs = 10\n[[app]]\nname = \"mem\"\narithmetic_intensity = 0.03125\ndata = {{ home = {} }}\n\
         [[scenario]]\nname = \"everywhere\"\nthreads = {{ mem = {most} }}\n",
        cores.len() + 1,
        cores.len(),
    )
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = bench(folder, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("JSON alone on standard output")
}

#[test]
fn a_scenario_of_a_larger_machine_is_refused_and_the_difference_named() {
    let folder = folder_with(&larger());
    let message = refusal(folder.path(), &["study.toml"], 1);
    let nodes = cores().len();
    assert!(message.starts_with("error: a scenario does not fit this host ("), "{message}");
    let plural = if nodes == 1 { "" } else { "s" };
    let uses = format!(
        "caused by: scenario 'everywhere': it uses {} NUMA nodes, but this host has {nodes} NUMA node{plural}; node 0 gets ",
        nodes + 1
    );
    assert!(message.contains(&uses) && message.contains("hint: --fit-host"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "only the study is there");
}

#[test]
fn scaling_lists_its_changes_and_prints_the_plan() {
    let (folder, cores) = (folder_with(&larger()), cores());
    let args = ["study.toml", "--fit-host", "--dry-run", "--repeat", "3"];
    let output = bench(folder.path(), &args);
    let message = stderr(&output);
    assert!(
        message.contains("warning: scenario 'everywhere' was scaled to this host: nodes 0 -> 0"),
        "{message}"
    );
    assert!(message.contains(&format!("data of 'mem' home = {} -> home = ", cores.len())), "{message}");
    let plan = json(folder.path(), &[&args[..], &["--format", "json"]].concat());
    assert_eq!((plan["status"].as_str(), plan["repetitions"].as_u64()), (Some("planned"), Some(3)));
    let groups = plan["scenarios"][0]["groups"].as_array().expect("groups").clone();
    // Every node of the larger machine was full, and so is every node of this one.
    let threads: Vec<u64> =
        groups.iter().map(|group| group["threads"].as_array().expect("threads").len() as u64).collect();
    let expected: Vec<u64> = cores.iter().copied().filter(|&cores| cores > 0).collect();
    assert_eq!(threads, expected);
    assert_eq!(plan["scenarios"][0]["fitted"], true);
    let codes: Vec<&str> = plan["doubts"]
        .as_array()
        .expect("doubts")
        .iter()
        .filter_map(|doubt| doubt["code"].as_str())
        .collect();
    assert!(codes.contains(&"fitted-to-host") && codes.contains(&"fewer-cores"), "{codes:?}");
    let table = bench(folder.path(), &args);
    assert!(String::from_utf8_lossy(&table.stdout).contains("everywhere (fitted)  mem"));
    let csv = bench(folder.path(), &[&args[..], &["--format", "csv"]].concat());
    assert!(String::from_utf8_lossy(&csv.stdout).starts_with("scenario,app,node,threads,kernel,"));
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "a dry run writes nothing");
}

#[test]
fn the_scenarios_of_the_paper_fit_or_are_named() {
    let folder = folder();
    let four_of_twenty = cores().len() >= 4 && cores().iter().take(4).all(|&cores| cores >= 20);
    let output = bench(folder.path(), &[&config("paper/table-iii.toml"), "--dry-run"]);
    if four_of_twenty {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    } else {
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).starts_with("error: 3 scenarios do not fit this host ("),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn a_machine_file_that_is_not_this_host_is_no_host_machine() {
    let folder = folder_with(&larger());
    fs::write(folder.path().join("host.toml"), larger()).expect("a file for the test");
    let message =
        refusal(folder.path(), &["study.toml", "--fit-host", "--host-machine", "host.toml", "--dry-run"], 1);
    assert!(message.starts_with("error: the machine 'larger' is not this host: it has "), "{message}");
}

#[test]
fn an_open_home_and_an_impossible_kernel_are_refused() {
    let text = larger().replace(&format!("home = {}", cores().len()), "home = \"any\"");
    let folder = folder_with(&text);
    let message = refusal(folder.path(), &["study.toml", "--fit-host", "--dry-run"], 1);
    assert!(message.contains("the home of the data of 'mem' is open"), "{message}");
    fs::write(folder.path().join("study.toml"), larger().replace("0.03125", "1000"))
        .expect("a file for the test");
    let message = refusal(folder.path(), &["study.toml", "--fit-host", "--dry-run"], 1);
    assert!(message.starts_with("error: there is no kernel for 'mem': "), "{message}");
}
