//! `--emit`: the output of each kind, and that real tools put a program on the processors of the script.

mod mpirun;
mod real;
mod round_trip;
mod targets;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common;

/// `numasim ARGS` in a folder.
fn numasim(folder: &Path, args: &[&str]) -> Output {
    common::numasim().args(args).current_dir(folder).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// A folder with `study.toml`.
fn folder(text: &str) -> tempfile::TempDir {
    common::study(text).0
}

/// Two nodes; the second has another number in the operating system and its processors in an odd order.
const MACHINE: &str = "\
[machine]
name = \"two nodes\"
bandwidth_gbs = 32.0
link_gbs = 10.0
[[machine.node]]
cores = 4
gflops_per_core = 10.0
cpus = \"0-3,8-11\"
[[machine.node]]
cores = 4
gflops_per_core = 10.0
cpus = \"4,6,5,7\"
os_node = 8
";

/// Each way of placing data, an application without threads, and names that a shell would misread.
const APPS: &str = "\
[[app]]
name = \"mem\"
arithmetic_intensity = 0.5
[[app]]
name = \"index\"
arithmetic_intensity = 0.5
data = { home = 1 }
[[app]]
name = \"ray tracer\"
arithmetic_intensity = 10
data = \"interleave\"
[[app]]
name = \"it's $HOME\"
arithmetic_intensity = 10
data = { fractions = [0.75, 0.25] }
[[app]]
name = \"idle\"
arithmetic_intensity = 10
[[scenario]]
name = \"mixed\"
threads = { mem = [2, 1], index = [0, 1], \"ray tracer\" = [1, 1], \"it's $HOME\" = [0, 1] }
[[scenario]]
name = \"other\"
threads = { idle = 1 }
";

/// Weights are those of the whole host: they are set if all applications need the same ones; a different one is named.
#[test]
fn weights_of_the_host_are_set_and_kinds_without_weights_report_it() {
    let app = |name: &str, fractions: &str| {
        format!(
            "[[app]]\nname = \"{name}\"\narithmetic_intensity = 0.5\ndata = {{ fractions = {fractions} }}\n"
        )
    };
    let apps = app("a", "[0.75, 0.25]") + &app("b", "[0.75, 0.25]") + &app("c", "[0.25, 0.75]");
    let scenario = "[[scenario]]\nname = \"s\"\nthreads = { a = 1, b = 1, c = 1 }\n";
    let folder = folder(&format!("{MACHINE}{apps}{scenario}"));
    let emit = |kind: &str| numasim(folder.path(), &["evaluate", "study.toml", "--emit", kind]);
    let output = emit("numactl");
    let (script, said) = (text(&output.stdout), text(&output.stderr));
    for line in [
        "echo 3 > /sys/kernel/mm/mempolicy/weighted_interleave/node0 || exit 1\n",
        "echo 1 > /sys/kernel/mm/mempolicy/weighted_interleave/node8 || exit 1\n",
        "--weighted-interleave=0,8 ./a &\n",
        "--weighted-interleave=0,8 ./b &\n",
        "--interleave=0,8 ./c &\n",
    ] {
        assert!(script.contains(line), "{line}{script}");
    }
    assert!(said.contains("'c': ") && said.contains("they are set for 'a', 'b'"), "{said}");
    for kind in ["omp", "hwloc", "cgroup", "likwid", "systemd", "libvirt"] {
        let output = emit(kind);
        let said = text(&output.stderr);
        for name in ["a", "b", "c"] {
            let refused = format!("'{name}': --emit {kind} cannot place data in unequal fractions");
            assert!(said.contains(&refused), "{said}");
        }
        assert!(!text(&output.stdout).contains("weighted"), "{kind}");
    }
}

/// Fractions that explore chose are placed like those of the files.
#[test]
fn chosen_fractions_have_weights() {
    let app = "[[app]]\nname = \"scan\"\narithmetic_intensity = 0.5\nmax_threads = 2\nnodes = [0]\ndata = { fractions = \"any\" }\n";
    let folder = folder(&format!("{MACHINE}{app}"));
    let asked = ["explore", "study.toml", "--objective", "total-gflops", "--emit", "numactl"];
    // Two threads want 40 GB/s: 12 of 16 parts are 30 of 32 GB/s, and 4 are the 10 of the link. 13 parts of 40 GB/s would be 32.5.
    let script = text(&numasim(folder.path(), &asked).stdout);
    assert!(script.contains("data 75 % on node 0, 25 % on node 1"), "{script}");
    assert!(
        script.contains("echo 3 > /sys/kernel/mm/mempolicy/weighted_interleave/node0 || exit 1\n"),
        "{script}"
    );
    assert!(
        script.contains("echo 1 > /sys/kernel/mm/mempolicy/weighted_interleave/node8 || exit 1\n"),
        "{script}"
    );
    assert!(script.contains("--weighted-interleave=0,8 ./scan &\n"), "{script}");
}

/// An application that may run on one node only, with a share of its data on the other: no tool can place that.
#[test]
fn a_share_of_the_data_is_left_to_the_program_and_its_node_is_allowed() {
    let app = "[[app]]\nname = \"part\"\narithmetic_intensity = 0.5\nnodes = [0]\ndata = { home = 1, share = 0.25 }\n";
    let scenario = "[[scenario]]\nname = \"s\"\nthreads = { part = [2, 0] }\n";
    let folder = folder(&format!("{MACHINE}{app}{scenario}"));
    let script = |kind: &str| {
        let output = numasim(folder.path(), &["evaluate", "study.toml", "--emit", kind]);
        let said = text(&output.stderr);
        assert!(said.contains("'part': no tool can place a share of the data"), "{said}");
        text(&output.stdout)
    };
    let numactl = script("numactl");
    let words =
        "# part: 2 threads: 2 on node 0 (may run on node 0 only); 25 % of the data on node 1 (OS node 8),";
    assert!(numactl.contains(words), "{numactl}");
    assert!(numactl.contains("# NOT AS COMPUTED: no tool can place a share"), "{numactl}");
    assert!(
        numactl.contains("OMP_PROC_BIND=close numactl --physcpubind=0-1 --localalloc ./part &"),
        "{numactl}"
    );
    // A cpuset without node 8 would keep the program from putting its share there.
    assert!(script("cgroup").contains("0,8"), "cpuset.mems");
}

#[test]
fn each_kind_prints_a_script() {
    let folder = folder(&format!("{MACHINE}{APPS}"));
    for kind in ["numactl", "omp", "slurm", "hwloc", "cgroup", "likwid"] {
        let output =
            numasim(folder.path(), &["evaluate", "study.toml", "--scenario", "mixed", "--emit", kind]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let script = text(&output.stdout);
        // The threads of `mem` are on 0 and 1, and on the first processor of the second node, which its file names first.
        for variables in [
            "OMP_NUM_THREADS=3 OMP_PLACES='{0},{1},{4}' OMP_PROC_BIND=close",
            "OMP_NUM_THREADS=1 OMP_PLACES='{6}'",
        ] {
            assert!(script.contains(variables), "{kind}: {script}");
        }
        insta::assert_snapshot!(kind, script);
        let warning = format!("warning: 'it's $HOME': --emit {kind} cannot place data in unequal fractions");
        let has_weights = matches!(kind, "numactl" | "slurm");
        assert_eq!(text(&output.stderr).starts_with(&warning), !has_weights, "{}", text(&output.stderr));
    }
}

/// Two L3 domains of four cores; `a` is in the second one.
const DOMAINS: &str = "[machine]\nname = \"one\"\nnodes = 1\ncores_per_node = 8\ncpus = [\"0-7\"]\ncores_per_l3 = 4\ngflops_per_core = 10\n\
    bandwidth_gbs = 100\n[[app]]\nname = \"a\"\narithmetic_intensity = 1\n[[app]]\nname = \"b\"\narithmetic_intensity = 1\n\
    [[scenario]]\nname = \"s\"\nthreads = { a = [[0, 3]], b = [[4, 0]] }\n";

#[test]
fn each_kind_binds_threads_to_the_cores_of_their_l3_domains() {
    let folder = folder(DOMAINS);
    let bound = [
        ("numactl", "--physcpubind=4-6", "--physcpubind=0-3"),
        ("omp", "OMP_PLACES='{4}:3'", "OMP_PLACES='{0}:4'"),
        ("slurm", "--cpu-bind=mask_cpu:0x70", "--cpu-bind=mask_cpu:0xf"),
        ("hwloc", "--cpubind pu:4-6", "--cpubind pu:0-3"),
        ("cgroup", "echo 4-6 > \"$top/a/cpuset.cpus\"", "echo 0-3 > \"$top/b/cpuset.cpus\""),
        ("likwid", "likwid-pin -q -c 4-6", "likwid-pin -q -c 0-3"),
    ];
    for (kind, a, b) in bound {
        let output = numasim(folder.path(), &["evaluate", "study.toml", "--emit", kind]);
        let script = text(&output.stdout);
        assert!(script.contains(a) && script.contains(b), "{kind}: {script}");
    }
}

/// A shell accepts each kind of script, and reads the names of the programs unchanged.
#[cfg(unix)]
#[test]
fn a_shell_accepts_each_script_and_reads_the_names_unchanged() {
    let folder = folder(&format!("{MACHINE}{APPS}"));
    for kind in ["numactl", "omp", "slurm", "hwloc", "cgroup", "likwid"] {
        let args = ["evaluate", "study.toml", "--scenario", "mixed", "--emit", kind, "-o", "script.sh"];
        assert!(numasim(folder.path(), &args).status.success());
        let checked = Command::new("sh").args(["-n", "script.sh"]).current_dir(folder.path()).output();
        let checked = checked.expect("there is a shell");
        assert!(checked.status.success() && checked.stderr.is_empty(), "{kind}: {}", text(&checked.stderr));
    }
    let script = fs::read_to_string(folder.path().join("script.sh")).expect("written");
    assert!(script.contains(r"'./it'\''s_$HOME'"), "{script}");
}

/// A machine and two applications with only one possible allocation.
fn forced() -> String {
    format!(
        "{MACHINE}[[app]]\nname = \"mem\"\narithmetic_intensity = 0.5\ndata = {{ home = 1 }}\nmin_threads = 4\n\
         [[app]]\nname = \"compute\"\narithmetic_intensity = 10\nmin_threads = 4\n"
    )
}

#[test]
fn explore_states_the_question_and_the_certainty_of_the_answer() {
    let folder = folder(&forced());
    let output = numasim(folder.path(), &["explore", "study.toml", "--whole-nodes", "--emit", "numactl"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    insta::assert_snapshot!("explore", text(&output.stdout));
}

#[test]
fn an_unproven_answer_is_marked() {
    let folder = folder(&forced().replace("min_threads = 4\n", "instances = 4\n"));
    let output = numasim(folder.path(), &["explore", "study.toml", "--time-limit", "0", "--emit", "omp"]);
    let script = text(&output.stdout);
    let status = script.lines().find(|line| line.starts_with("# Status")).unwrap_or(&script);
    assert!(
        status.contains("feasible: ") && status.contains("not proven, no placement has more than "),
        "{status}"
    );
}

#[test]
fn a_script_and_a_format_exclude_each_other() {
    let folder = folder(&forced());
    for args in [
        &["--emit", "omp", "--format", "json"][..],
        &["--emit", "omp", "--format", "csv"],
        &["--cpus-from", "host"],
    ] {
        let output = numasim(folder.path(), &[&["explore", "study.toml"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn one_of_several_scenarios_must_be_chosen() {
    let folder = folder(&format!("{MACHINE}{APPS}"));
    let output = numasim(folder.path(), &["evaluate", "study.toml", "--emit", "numactl"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "error: --emit writes the commands of one scenario, but there are several\n\
         hint: choose one with --scenario; the scenarios are: 'mixed', 'other'\n"
    );
}

#[test]
fn unknown_processors_are_an_error_before_the_search() {
    let without = forced().replace("cpus = \"4,6,5,7\"\n", "");
    let folder = folder(&without);
    let output = numasim(folder.path(), &["explore", "study.toml", "--emit", "numactl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    insta::assert_snapshot!("unknown-processors", text(&output.stderr));
}

/// Two nodes of four cores with two hardware threads each, as `lstopo` writes it.
#[cfg(feature = "hwloc")]
fn xml() -> std::path::PathBuf {
    common::repository("tests/emit/two-nodes.xml")
}

#[cfg(feature = "hwloc")]
#[test]
fn processors_can_come_from_an_hwloc_xml() {
    let folder = folder(&forced().replace("cpus = \"4,6,5,7\"\nos_node = 8\n", ""));
    let xml = xml();
    let xml = xml.to_str().expect("a plain path");
    let args = ["explore", "study.toml", "--whole-nodes", "--emit", "numactl", "--cpus-from", xml];
    let output = numasim(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // The first hardware threads of the cores are 0-3 and 4-7, their siblings 8-15.
    let script = text(&output.stdout);
    assert!(script.contains("numactl --physcpubind=4-7 --membind=1 ./mem &"), "{script}");
    assert!(script.contains("numactl --physcpubind=0-3 --localalloc ./compute &"), "{script}");
}

#[cfg(feature = "hwloc")]
#[test]
fn the_xml_of_another_machine_is_refused() {
    let folder =
        folder(&forced().replace("cores = 4", "cores = 5").replace("\"4,6,5,7\"\nos_node = 8", "\"4-7,12\""));
    let xml = xml();
    let xml = xml.to_str().expect("a plain path");
    let output = numasim(folder.path(), &["explore", "study.toml", "--emit", "omp", "--cpus-from", xml]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("is not the machine 'two nodes'"), "{message}");
    assert!(message.contains("caused by: node 0 has 5 cores, but only 4 logical CPUs (0-3)"), "{message}");
    let output =
        numasim(folder.path(), &["explore", "study.toml", "--emit", "omp", "--cpus-from", "study.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("hint: is study.toml what `lstopo study.toml` wrote?"));
}

#[cfg(not(feature = "hwloc"))]
#[test]
fn processors_from_hwloc_without_it_explain_how_to_get_it() {
    let folder = folder(&forced());
    let output = numasim(folder.path(), &["explore", "study.toml", "--emit", "omp", "--cpus-from", "host"]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.starts_with("error: --cpus-from needs hwloc: install libhwloc-dev"), "{message}");
    assert!(message.contains("cargo build --release --features hwloc"), "{message}");
}
