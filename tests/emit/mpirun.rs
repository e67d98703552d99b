//! Rankfiles and `mpirun` lines, mapped by Open MPI 5 itself (`mpirun --display map`) on synthetic machines. Debian has version 4, whose rankfiles
//! are others; `.ci/targets` installs version 5.

use std::fs;
use std::path::Path;
use std::process::Command;

use numasim_model::cpus::CpuList;
use rayon::prelude::*;

use super::round_trip::{self, Random};
use super::targets::{files, from_pypi, said, siblings, study};
use super::{folder, numasim, text};

/// Runs `mpirun` with the rest of this line on a synthetic machine: its map of ranks, and its exit code. Nothing is launched.
fn mapped(mpirun: &Path, machine: &str, folder: &Path, line: &str) -> (String, Option<i32>) {
    let shell =
        format!("exec {} --display map --do-not-launch --host localhost:512 {line}", mpirun.display());
    said(
        Command::new("sh")
            .args(["-c", &shell])
            .env("HWLOC_SYNTHETIC", machine)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .current_dir(folder),
    )
}

fn bindings(map: &str) -> Vec<&str> {
    map.lines().filter_map(|line| Some(line.split_once("Binding: ")?.1)).collect()
}

#[test]
fn mpirun_binds_ranks_as_the_rankfile_says() {
    let Some(mpirun) = from_pypi("mpirun") else { return };
    for (study, machine, bound) in [
        // Two nodes of 4 cores; logical numbers are those of the rankfile, those of cores with one processor are shown as the system has them.
        (
            study(),
            "Package:2 [NUMANode(indexes=0,8)] Core:4 PU:1",
            &["core:L0-1", "core:L4", "core:L6", "core:L2", "core:L5", "core:L7"][..],
        ),
        (siblings(), "Package:2 [NUMANode] Core:4 PU:2", &["hwt:L0-2", "hwt:L3]", "hwt:L4,6"]),
    ] {
        let folder = folder(&study);
        let args = ["evaluate", "study.toml", "--scenario", "mixed", "--emit", "openmpi", "-o", "made/"];
        assert!(numasim(folder.path(), &args).status.success());
        let made = folder.path().join("made");
        let script = fs::read_to_string(made.join("run.sh")).expect("written");
        let line = script.lines().find_map(|line| line.strip_prefix("mpirun ")).expect("an mpirun line");
        let (map, code) = mapped(&mpirun, machine, &made, line);
        assert_eq!(code, Some(0), "{map}");
        let bindings = bindings(&map);
        assert_eq!(bindings.len(), bound.len(), "{map}");
        for (binding, expected) in bindings.iter().zip(bound) {
            assert!(binding.contains(expected), "{binding}: {expected}");
        }
    }
}

/// The test above means nothing unless `mpirun` refuses mistakes: a processor twice, a rank without a line, a processor that the machine lacks.
#[test]
fn mpirun_refuses_wrong_rankfiles() {
    let Some(mpirun) = from_pypi("mpirun") else { return };
    for (ranks, reason) in [
        ("rank 0=localhost slot=0-1\nrank 1=localhost slot=1\n", "already allocated"),
        ("rank 0=localhost slot=0-1\n", "missing its location"),
        ("rank 0=localhost slot=0\nrank 1=localhost slot=99\n", ""),
    ] {
        let folder = folder(&study());
        fs::write(folder.path().join("rankfile"), ranks).expect("written");
        let line = "--map-by rankfile:file=rankfile -np 2 ./a";
        let (map, code) = mapped(&mpirun, "Package:2 [NUMANode] Core:4 PU:1", folder.path(), line);
        assert!(code != Some(0) && map.contains(reason), "{ranks}: {code:?} {map}");
    }
}

/// Random machines and scenarios: numbers of processors node by node or in turn, with and without siblings.
#[test]
fn mpirun_binds_the_processors_that_numactl_binds() {
    let Some(mpirun) = from_pypi("mpirun") else { return };
    let mapped: usize = (0..40).into_par_iter().map(|case| agree(case, &mpirun)).sum();
    assert!(mapped > 30, "{mapped}");
}

/// Lines of `mpirun` that were compared with numactl's.
fn agree(case: u64, mpirun: &Path) -> usize {
    let asked = round_trip::study(&mut Random(case));
    let folder = folder(&asked);
    let emitted = |kind: &str| {
        let output = numasim(folder.path(), &["evaluate", "study.toml", "--emit", kind]);
        assert!(output.status.success(), "{case} {kind}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let numactl = emitted("numactl");
    // The processors of each application that has threads.
    let bound = |line: &str| Some(cpus(line.split_once("--physcpubind=")?.1.split(' ').next()?));
    let expected: Vec<Vec<u32>> =
        numactl.lines().filter(|line| !line.starts_with('#')).filter_map(bound).collect();
    if expected.is_empty() {
        return 0;
    }
    let made = files(&emitted("openmpi"));
    fs::write(folder.path().join("rankfile"), &made["rankfile"]).expect("written");
    let machine = synthetic(&asked);
    let script = &made["run.sh"];
    let lines = script.lines().filter_map(|line| line.strip_prefix("mpirun "));
    let mut count = 0;
    for line in lines {
        let (map, code) = mapped(mpirun, &machine, folder.path(), line);
        let place = format!("{case} {machine}\n{line}\n{map}\n{asked}");
        assert_eq!(code, Some(0), "{place}");
        let mut bindings = bindings(&map).into_iter().map(shown);
        let ranks = line.split("-np ").skip(1).map(|part| {
            part.split(' ').next().and_then(|word| word.parse::<usize>().ok()).expect("a number of ranks")
        });
        let found: Vec<Vec<u32>> = ranks
            .map(|ranks| {
                let mut all: Vec<u32> = bindings.by_ref().take(ranks).flatten().collect();
                all.sort_unstable();
                all
            })
            .collect();
        assert_eq!(found, expected, "{place}");
        count += 1;
    }
    // The alternative for each application with one thread in each rank.
    for line in script.lines().filter_map(|line| line.strip_prefix("#   mpirun ")) {
        let (map, code) = mapped(mpirun, &machine, folder.path(), line.trim_end_matches(" &"));
        assert_eq!(code, Some(0), "{case} {line} {map}");
        let mut all: Vec<u32> = bindings(&map).into_iter().flat_map(shown).collect();
        all.sort_unstable();
        assert!(expected.contains(&all), "{case} {machine}\n{line}\n{map}\n{asked}");
        count += 1;
    }
    count
}

fn cpus(list: &str) -> Vec<u32> {
    let mut cpus = CpuList::parse(list).expect("a list of processors").as_slice().to_vec();
    cpus.sort_unstable();
    cpus
}

/// The processors of `package[0][core:L0,2] package[1][core:L3]`: with one processor in each core, and with `hwt`, these are the numbers of the system.
fn shown(binding: &str) -> Vec<u32> {
    let lists = binding.split(":L").skip(1).filter_map(|part| part.split(']').next());
    lists.flat_map(cpus).collect()
}

/// The machine of a random study in hwloc's language, processor by processor.
fn synthetic(study: &str) -> String {
    let values = |key: &str| -> Vec<String> {
        let lines = study.lines().filter_map(|line| line.strip_prefix(key));
        lines.map(|value| value.trim_matches('"').to_owned()).collect()
    };
    let (nodes, systems, sizes) = (values("cpus = "), values("os_node = "), values("cores_per_l3 = "));
    let siblings = 1 + usize::from(study.contains("threads_per_core = 2"));
    let per_domain: usize = sizes[0].parse().expect("a number");
    let lists: Vec<Vec<u32>> = nodes
        .iter()
        .map(|list| list.split(',').map(|cpu| cpu.parse().expect("a number")).collect())
        .collect();
    let cores = lists[0].len() / siblings;
    // First threads of a node's cores come first in the study, then their siblings.
    let order: Vec<String> = lists
        .iter()
        .flat_map(|cpus| {
            (0..cores).flat_map(move |core| (0..siblings).map(move |sibling| cpus[sibling * cores + core]))
        })
        .map(|cpu| cpu.to_string())
        .collect();
    format!(
        "Package:{} [NUMANode(indexes={})] L3:{} Core:{per_domain} PU:{siblings}(indexes={})",
        nodes.len(),
        systems.join(","),
        cores / per_domain,
        order.join(",")
    )
}
