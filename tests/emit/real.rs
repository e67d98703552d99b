//! Runs small programs under the scripts of `--emit`, on the processors of this host, and reads back their affinity.
//!
//! If a tool is missing or cannot bind here (containers forbid it), its test is skipped with a message; with
//! `NUMASIM_REQUIRE_TOOLS=1`, as in `.ci/run`, that is a failure.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use numasim_model::cpus::{CpuList, ranges};

use super::{folder, numasim, text};

/// A line of /proc/self/status that lists processors or nodes.
fn allowed(key: &str) -> Vec<u32> {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let list = status.lines().find_map(|line| line.strip_prefix(key)).expect("the line is there");
    CpuList::parse(list.trim_start_matches(':')).expect("a list of the kernel").as_slice().to_vec()
}

/// The processors of the machine file, in reverse order, so that an ignored order shows.
fn processors() -> Vec<u32> {
    let mut cpus = allowed("Cpus_allowed_list");
    cpus.reverse();
    cpus.truncate(4);
    cpus
}

/// One node with the processors of this host. `solver` has a thread on all of them but the last, `ray tracer` on the
/// last.
fn study() -> String {
    let cpus = processors();
    let solvers = cpus.len() - 1;
    format!(
        "[machine]\nname = \"this host\"\nbandwidth_gbs = 30.0\n[[machine.node]]\ncores = {}\ngflops_per_core = 10.0\n\
         cpus = \"{}\"\nos_node = {}\n\
         [[app]]\nname = \"solver\"\narithmetic_intensity = 10\nmin_threads = {solvers}\nmax_threads = {solvers}\n\
         [[app]]\nname = \"ray tracer\"\narithmetic_intensity = 10\ndata = {{ home = 0 }}\nmax_threads = 1\n",
        cpus.len(),
        ranges(&cpus),
        allowed("Mems_allowed_list")[0],
    )
}

/// Whether `command` works here.
fn usable(tool: &str, command: &[&str]) -> bool {
    let worked =
        Command::new(command[0]).args(&command[1..]).output().is_ok_and(|output| output.status.success());
    let required = std::env::var_os("NUMASIM_REQUIRE_TOOLS").is_some_and(|value| value == "1");
    assert!(
        worked || !required,
        "{tool} is not installed or may not bind here: `{}` failed",
        command.join(" ")
    );
    if !worked {
        eprintln!("skipped: {tool} is not installed or may not bind here");
    }
    worked
}

/// The output of `solver` and `ray tracer` under the script of `kind`, in alphabetical order.
fn run(kind: &str, install: impl Fn(&Path)) -> Vec<String> {
    let folder = folder(&study());
    for name in ["solver", "ray tracer"] {
        install(&folder.path().join(name));
    }
    let written = numasim(folder.path(), &["explore", "study.toml", "--emit", kind, "-o", "script.sh"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let output = Command::new("sh").arg("script.sh").current_dir(folder.path()).output().expect("a shell");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let mut lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// A shell script that prints its name, its processors, and the policy of its memory.
fn tells_its_binding(path: &Path) {
    let script = "#!/bin/sh\n\
                  cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)\n\
                  policy=$(head -n 1 /proc/self/numa_maps 2>/dev/null | cut -d ' ' -f 2)\n\
                  echo \"$0|$cpus|$policy\"\n";
    fs::write(path, script).expect("a file for the test");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program for the test");
}

/// Both programs on their processors; `own` is the policy if every thread reads the memory of its node.
fn assert_bound(kind: &str, own: &str) {
    let mut solver = processors();
    let ray_tracer = solver.pop().expect("a processor");
    solver.sort_unstable();
    let bind = format!("bind:{}", allowed("Mems_allowed_list")[0]);
    let mut expected = vec![("./ray tracer", ray_tracer.to_string(), bind)];
    if !solver.is_empty() {
        expected.push(("./solver", ranges(&solver), own.to_owned()));
    }
    let policies = Path::new("/proc/self/numa_maps").exists(); // missing in some kernels
    let line = |(name, cpus, policy): (&str, String, String)| {
        format!("{name}|{cpus}|{}", if policies { policy } else { String::new() })
    };
    assert_eq!(run(kind, tells_its_binding), expected.into_iter().map(line).collect::<Vec<_>>());
}

#[test]
fn numactl_binds_processes_and_memory_as_the_script_says() {
    if usable("numactl", &["numactl", "--localalloc", "true"]) {
        assert_bound("numactl", "local");
    }
}

#[test]
fn hwloc_bind_binds_processes_and_memory_as_the_script_says() {
    let node = format!("node:{}", allowed("Mems_allowed_list")[0]);
    let probe = ["hwloc-bind", "-p", "--strict", "--membind", &node, "--", "true"];
    if usable("hwloc-bind", &probe) {
        assert_bound("hwloc", "default");
    }
}

/// Each thread prints the name of the program, its number, and its allowed processors.
const OPENMP: &str = r#"
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(int count, char **arguments) {
    (void)count;
    #pragma omp parallel
    #pragma omp critical
    {
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        printf("%s|%d|", arguments[0], omp_get_thread_num());
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &set)) printf("%d;", cpu);
        printf("\n");
    }
    return 0;
}
"#;

/// Each thread of both programs on its processor, in the order of the machine file.
fn assert_pinned(kind: &str, tool: &str, probe: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let (source, program) = (folder.path().join("tell.c"), folder.path().join("tell"));
    fs::write(&source, OPENMP).expect("a file for the test");
    let paths = [source.to_str().expect("a plain path"), program.to_str().expect("a plain path")];
    if !usable("cc -fopenmp", &["cc", "-fopenmp", paths[0], "-o", paths[1]]) || !usable(tool, probe) {
        return;
    }
    let found = run(kind, |path| {
        fs::copy(&program, path).expect("a program for the test");
    });
    let mut solver = processors();
    let ray_tracer = solver.pop().expect("a processor");
    let mut expected = vec![format!("./ray tracer|0|{ray_tracer};")];
    expected.extend(solver.iter().enumerate().map(|(thread, cpu)| format!("./solver|{thread}|{cpu};")));
    assert_eq!(found, expected, "{kind}");
}

#[test]
fn openmp_pins_each_thread_as_the_script_says() {
    let node = format!("node:{}", allowed("Mems_allowed_list")[0]);
    let numactl = ["numactl", "--localalloc", "true"];
    assert_pinned("omp", "numactl", &numactl);
    assert_pinned("numactl", "numactl", &numactl);
    assert_pinned("hwloc", "hwloc-bind", &["hwloc-bind", "-p", "--strict", "--membind", &node, "--", "true"]);
}
