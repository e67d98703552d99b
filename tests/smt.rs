//! Applications on one or both hardware threads of a core, through the whole program.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{numasim, stderr, stdout, study};

/// Hand test C: 1 node x 4 cores of 10 GFLOPS with two hardware threads each; VMs of 4 threads.
const VMS: &str = "\
[machine]
name = \"C\"
nodes = 1
cores_per_node = 4
gflops_per_core = 10
bandwidth_gbs = 1000
threads_per_core = 2
cpus = [\"0-7\"]
[[app]]
name = \"vm\"
instances = INSTANCES
arithmetic_intensity = 10
min_threads = 4
max_threads = 4
smt = \"any\"
smt_speedup = 1.25
";

/// Hand test J: bandwidth for 40 GB/s; a VM of exactly 8 threads next to an application that computes.
const BESIDE: &str = "\
[machine]
name = \"J\"
nodes = 1
cores_per_node = 8
gflops_per_core = 10
bandwidth_gbs = 40
threads_per_core = 2
[[app]]
name = \"vm\"
arithmetic_intensity = 0.5
min_threads = 8
max_threads = 8
smt = \"any\"
smt_speedup = 1.25
[[app]]
name = \"hpc\"
arithmetic_intensity = 10
";

fn vms(instances: u32, more: &str) -> String {
    VMS.replace("INSTANCES", &instances.to_string()) + more
}

fn run(text: &str, args: &[&str]) -> std::process::Output {
    let (folder, file) = study(text);
    let folder: &Path = folder.path();
    numasim().args(args).arg(file).current_dir(folder).output().expect("the program starts")
}

fn document(text: &str, args: &[&str]) -> Value {
    let output = run(text, args);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

const SCENARIOS: &str = "\
[[scenario]]
name = \"one\"
threads = { vm = 4 }
smt = { vm = \"one\" }
[[scenario]]
name = \"both\"
threads = { vm = 4 }
smt = { vm = \"both\" }
";

#[test]
fn scenarios_choose_hardware_threads() {
    let found = document(&vms(1, SCENARIOS), &["evaluate", "--format", "json"]);
    let of = |scenario: usize| {
        let app = &found["scenarios"][scenario]["apps"][0];
        json!([app["gflops"], app["threads"], app["smt"], app["cores"]])
    };
    assert_eq!(of(0), json!([40.0, [4], "one", [4]]));
    assert_eq!(of(1), json!([25.0, [4], "both", [2]]));
}

#[test]
fn explore_chooses_for_each_application() {
    // One VM has 4 cores; of two each has 2, and 25 of the 40 GFLOPS that it has alone.
    let one = document(&vms(1, SCENARIOS), &["explore", "--format", "json"]);
    assert_eq!(one["best"]["total_gflops"], json!(40.0));
    let two = document(&vms(2, ""), &["explore", "--objective", "fair", "--format", "json"]);
    assert_eq!((&two["value"], &two["status"]), (&json!(0.625), &json!("optimal")));
    assert_eq!(two["best"]["apps"][1]["smt"], json!("both"));
    let beside = document(BESIDE, &["explore", "--objective", "total-gflops", "--format", "json"]);
    assert_eq!(beside["value"], json!(58.0));
    let apps = &beside["best"]["apps"];
    assert_eq!((&apps[0]["threads"], &apps[0]["cores"]), (&json!([8]), &json!([4])));
    assert_eq!((&apps[1]["threads"], &apps[1]["smt"]), (&json!([4]), &json!("one")));
}

#[test]
fn commands_bind_to_both_hardware_threads() {
    // Cores 0 and 1 have the processors 0, 4 and 1, 5.
    let output = run(&vms(2, ""), &["explore", "--emit", "numactl"]);
    let text = stdout(&output);
    assert!(text.contains("4 threads: 4 on node 0"), "{text}");
    assert!(text.contains("--physcpubind=0-1,4-5") && text.contains("--physcpubind=2-3,6-7"), "{text}");
}

#[test]
fn answers_saved_by_explore_read_back_unchanged() {
    let (folder, file) = study(BESIDE);
    let explore =
        numasim().args(["explore", "--save", "best.toml"]).arg(&file).current_dir(folder.path()).output();
    assert!(explore.expect("the program starts").status.success());
    let mut evaluate = numasim();
    evaluate.args(["evaluate", "--format", "json"]).arg(&file).arg("best.toml").current_dir(folder.path());
    let found: Value = serde_json::from_str(&stdout(&evaluate.output().expect("it starts"))).expect("JSON");
    assert_eq!(found["scenarios"][0]["total_gflops"], json!(58.0));
    assert_eq!(found["scenarios"][0]["apps"][0]["smt"], json!("both"));
}

#[test]
fn impossible_thread_choices_are_refused_with_their_place() {
    let refused = |text: &str, args: &[&str], words: &str| {
        let output = run(text, args);
        let said = stderr(&output);
        assert!(output.status.code() == Some(1) && said.contains(words), "{said}");
    };
    let open = "[[scenario]]\nname = \"open\"\nthreads = { vm = 4 }\n";
    refused(&vms(1, open), &["evaluate"], "`smt` of `vm` is open, and evaluate does not choose");
    let one_thread = vms(1, "").replace("threads_per_core = 2\n", "").replace("\"any\"", "\"both\"");
    refused(&one_thread, &["check"], "but the cores of the machine have one thread");
    refused(&vms(1, "").replace("smt_speedup = 1.25\n", ""), &["check"], "`smt` needs `smt_speedup`");
    refused(&vms(1, "").replace("1.25", "2.5"), &["check"], "`smt_speedup` must be 1.0 to 2.0, not 2.5");
    let odd = SCENARIOS.replace("vm = 4", "vm = 3");
    refused(&vms(1, &odd), &["check"], "3 threads on node 0, but with `smt` \"both\" each core has two");
    let many = SCENARIOS.replace("\"one\" }", "\"both\" }").replace("vm = 4", "vm = 10");
    refused(&vms(1, &many), &["check"], "node 0 gets 5 used cores, but has 4 cores");
    refused(
        &vms(1, ""),
        &["explore", "--pareto", "total-gflops,fair"],
        "does not choose between one and both hardware threads",
    );
    refused(&vms(1, ""), &["simulate"], "simulate runs one thread on each core");
    let on_one_thread = vms(1, "").replace("threads_per_core = 2\n", "");
    assert!(run(&on_one_thread, &["explore"]).status.success(), "any is one where a core has one thread");
}

#[test]
fn both_hardware_threads_of_a_core_are_in_one_l3_domain() {
    // Two domains of 2 cores, each draws 5 GB/s: 2 cores of one have 5 GFLOPS, one of each 10. Two VMs have one domain each, or share both.
    let of_domains = |instances, more: &str| {
        let own = "gflops_per_core = 10\ncores_per_l3 = 2\nl3_read_gbs = 5";
        vms(instances, more).replace("gflops_per_core = 10", own).replace("intensity = 10", "intensity = 1")
    };
    let scenario = "\
[[scenario]]
name = \"packed\"
threads = { vm = [[4, 0]] }
smt = { vm = \"both\" }
[[scenario]]
name = \"dealt\"
threads = { vm = 4 }
smt = { vm = \"both\" }
[[scenario]]
name = \"one\"
threads = { vm = [[2, 2]] }
smt = { vm = \"one\" }
";
    let found = document(&of_domains(1, scenario), &["evaluate", "--format", "json"]);
    let of = |scenario: usize| {
        let app = &found["scenarios"][scenario]["apps"][0];
        json!([app["gflops"], app["threads_per_l3"], app["cores"]])
    };
    assert_eq!(of(0), json!([5.0, [[4, 0]], [2]]));
    assert_eq!(of(1), json!([10.0, [[2, 2]], [2]]));
    assert_eq!(of(2), json!([10.0, [[2, 2]], [4]]));
    let two = document(&of_domains(2, ""), &["explore", "--objective", "total-gflops", "--format", "json"]);
    assert_eq!(two["value"], json!(10.0));
    assert_eq!(
        (&two["best"]["apps"][0]["smt"], &two["best"]["apps"][1]["cores"]),
        (&json!("both"), &json!([2]))
    );
    let lists = |list| of_domains(1, scenario).replace("[[4, 0]]", list);
    // With each on all its threads they need 8 cores: that set of choices is impossible, and gives no bound.
    assert_eq!(two["status"], json!("optimal"), "{two}");
    let odd = lists("[[3, 1]]");
    let output = run(&odd, &["check"]);
    let words = "3 threads on L3 domain 0 of node 0, but with `smt` \"both\" each core has two";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    let many = lists("[[6, 0]]");
    let output = run(&many, &["check"]);
    assert!(
        stderr(&output).contains("L3 domain 0 of node 0 gets 3 used cores, but has 2 cores"),
        "{}",
        stderr(&output)
    );
}
