//! The script of `--emit cgroup` and the drop-ins of `--emit systemd` in the guest: groups, logical CPUs, environment and pages of the started programs.

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use super::results::Guest;

/// A program of `emit.toml` by the name of its steps, with its group, the processors of its threads in their order, and the nodes of
/// its memory.
struct Program {
    step: &'static str,
    /// Its group below `/numasim`.
    group: &'static str,
    /// Its unit of systemd.
    unit: &'static str,
    cpus: &'static str,
    mems: &'static str,
    openmp: [&'static str; 2],
    /// The nodes of its private pages.
    pages: &'static [u32],
}

/// Node by node: `own` has 2 + 1 threads, `far` the other core of node 1 and one of node 2, `over all` what is left of node 2 and one
/// of node 3.
const PROGRAMS: [Program; 3] = [
    Program {
        step: "own",
        group: "own",
        unit: "own",
        cpus: "0-2",
        mems: "0-1",
        openmp: ["OMP_NUM_THREADS=3", "OMP_PLACES={0}:3"],
        pages: &[0, 1],
    },
    Program {
        step: "far",
        group: "far",
        unit: "far",
        cpus: "3-4",
        mems: "3",
        openmp: ["OMP_NUM_THREADS=2", "OMP_PLACES={3},{4}"],
        pages: &[3],
    },
    Program {
        step: "overall",
        group: "app.3",
        unit: r"over\x20all",
        cpus: "5-6",
        mems: "0-3",
        openmp: ["OMP_NUM_THREADS=2", "OMP_PLACES={5},{6}"],
        pages: &[0, 1, 2, 3],
    },
];

/// Whether a program that `kind` placed is in its group and has its processors and memories, and no others.
fn fenced(guest: &Guest, kind: &str, program: &Program, group: &str) {
    let step = format!("{kind}-{}", program.step);
    let said = |what: &str| guest.done(&format!("{step}-{what}"));
    let allowed = format!("{}\n{}\n", program.cpus, program.mems);
    assert_eq!(said("group"), format!("0::{group}\n"), "{step}: its group");
    assert_eq!(said("effective"), allowed, "{step}: cpuset of its group");
    assert_eq!(said("allowed"), allowed, "{step}: where it may run");
}

fn placed(guest: &Guest) {
    for program in &PROGRAMS {
        fenced(guest, "emit", program, &format!("/numasim/{}", program.group));
        let step = format!("emit-{}", program.step);
        for variable in program.openmp {
            let environment = guest.done(&format!("{step}-openmp"));
            assert!(environment.lines().any(|line| line == variable), "{step}: {variable}");
        }
    }
    guest.done("emit-end");
    guest.done("emit-left");
}

fn started_by_systemd(guest: &Guest) {
    guest.done("systemd-files");
    for program in &PROGRAMS {
        fenced(guest, "systemd", program, &format!("/system.slice/{}.service", program.unit));
    }
    guest.done("systemd-left");
    in_memory(guest, "systemd");
}

/// Pages by node, of lines as `7f0000 bind:3 anon=5 dirty=5 N3=5 kernelpagesize_kB=4`.
fn pages(guest: &Guest, step: &str) -> BTreeMap<u32, u64> {
    let mut pages = BTreeMap::new();
    for word in guest.done(step).split_whitespace() {
        let on_node = word.strip_prefix('N').and_then(|word| word.split_once('='));
        if let Some((node, count)) =
            on_node.and_then(|(node, count)| node.parse().ok().zip(count.parse::<u64>().ok()))
        {
            *pages.entry(node).or_default() += count;
        }
    }
    pages
}

fn in_memory(guest: &Guest, kind: &str) {
    let of = |program: &Program| pages(guest, &format!("{kind}-{}-pages", program.step));
    for program in &PROGRAMS {
        let (step, found) = (format!("{kind}-{}", program.step), of(program));
        // The list of 4 MiB has 1024 pages of 4 KiB.
        assert!(found.values().sum::<u64>() >= 1024, "{step}: {found:?}");
        assert!(found.keys().all(|node| program.pages.contains(node)), "{step}: pages elsewhere: {found:?}");
    }
    // Page by page from all nodes in turn.
    let [.., spread] = &PROGRAMS;
    let spread = of(spread);
    let most = spread.values().max().copied().unwrap_or(0);
    let even = spread.len() == 4 && spread.values().all(|&count| 2 * count > most);
    assert!(even, "{kind}-overall: {spread:?}");
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn programs_of_an_emitted_script_are_in_their_groups_and_clean_up() {
    placed(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn their_memory_is_on_the_nodes_of_the_answer() {
    in_memory(&Guest::read("agent"), "emit");
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn services_of_systemd_have_the_processors_and_memory_of_their_drop_ins() {
    started_by_systemd(&Guest::read("agent"));
}

type Judge = fn(&Guest);

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_misplaced_program_is_detected() {
    let memory: Judge = |guest| in_memory(guest, "emit");
    let wrong: [(Judge, &str, &str, &str, &str); 9] = [
        (placed, "emit-own-allowed", "0-2", "0-7", "emit-own: where it may run"),
        (placed, "emit-far-effective", "\n3\n", "\n0-3\n", "emit-far: cpuset of its group"),
        (placed, "emit-overall-group", "/numasim/app.3", "/", "emit-overall: its group"),
        (placed, "emit-far-openmp", "{3},{4}", "{3},{5}", "emit-far: OMP_PLACES={3},{4}"),
        (memory, "emit-far-pages", " N3=", " N2=", "emit-far: pages elsewhere"),
        (memory, "emit-overall-pages", " N1=", " N0=", "emit-overall: "),
        (started_by_systemd, "systemd-own-allowed", "0-2", "0-7", "systemd-own: where it may run"),
        (started_by_systemd, "systemd-far-group", "far.service", "x.service", "systemd-far: its group"),
        (started_by_systemd, "systemd-far-pages", " N3=", " N2=", "systemd-far: pages elsewhere"),
    ];
    for (judge, step, from, to, seen) in wrong {
        let mut guest = Guest::read("agent");
        guest.alter_all(step, from, to);
        let said = catch_unwind(|| judge(&guest)).expect_err(seen);
        let said = said.downcast_ref::<String>().map_or("", String::as_str);
        assert!(said.contains(seen), "{seen}: {said}");
    }
}
