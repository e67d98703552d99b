//! Open MPI 5: a rankfile, and the `mpirun` line. Numbers in both are the logical ones of hwloc, not those of the operating system: nodes
//! and cores are numbered in the order of their smallest logical CPU (open-mpi/prrte#63).
//!
//! One line starts all applications, because ranks are numbered across all of them. On cores with two hardware threads, numbers are those
//! of hardware threads (`:hwtcpus`); those of a core are consecutive.

use std::fmt::Write as _;

use numasim_evidence::formats::hwloc::logical::Logical;
use numasim_model::Machine;
use numasim_model::cpus::ranges;

use crate::emit::job::{Job, Rank};
use crate::emit::omp::EACH_ON_ITS_OWN;
use crate::emit::text::{comment, facts, not_started};
use crate::emit::words::program;
use crate::emit::{FIRST_TOUCH, File, Target, WEIGHTS, weights};

/// Writes the files of this kind.
pub(super) fn write(target: &mut Target<'_>) -> Vec<File> {
    let target = &*target;
    let numbers = Numbers::of(target.machine);
    vec![
        File { name: "rankfile".to_owned(), text: rankfile(target, &numbers) },
        File { name: "run.sh".to_owned(), text: run(target, &numbers) },
    ]
}

/// Numbers of hwloc.
struct Numbers {
    logical: Logical,
    /// Whether they count hardware threads.
    counts_threads: bool,
}

impl Numbers {
    fn of(machine: &Machine) -> Self {
        let counts_threads = machine.threads_per_core() > 1;
        Self { logical: Logical::of(machine, counts_threads), counts_threads }
    }

    fn numbers(&self, rank: &Rank) -> Vec<u32> {
        // Every logical CPU of a thread belongs to the machine.
        let mut numbers: Vec<u32> = rank.cpus.iter().filter_map(|&cpu| self.logical.number(cpu)).collect();
        numbers.sort_unstable();
        numbers
    }

    /// `:hwtcpus`, if numbers count hardware threads.
    fn modifier(&self) -> &'static str {
        if self.counts_threads { ":hwtcpus" } else { "" }
    }

    fn note(&self) -> String {
        let (what, option) = if self.counts_threads {
            ("hardware threads", "lstopo --only pu")
        } else {
            ("cores", "lstopo --only core")
        };
        format!(
            "Numbers are hwloc's logical numbers of {what} ({option}, L#), counted over the nodes and cores of the machine file by their \
             smallest processor. They hold if the file lists all cores of the machine and no socket contains nodes of another one; \
             --cpus-from takes the processors from the machine."
        )
    }
}

fn rankfile(target: &Target<'_>, numbers: &Numbers) -> String {
    let mut text = facts(target);
    text.push_str("#\n");
    comment(&mut text, "", &numbers.note());
    let mut number = 0;
    for job in &target.jobs {
        text.push_str("#\n");
        job.comment(&mut text);
        for rank in &job.ranks {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "rank {number}=localhost slot={}", ranges(&numbers.numbers(rank)));
            number += 1;
        }
    }
    text
}

fn run(target: &Target<'_>, numbers: &Numbers) -> String {
    let mut text = String::from("#!/bin/sh\n");
    text.push_str(&facts(target));
    text.push_str("#\n");
    comment(
        &mut text,
        "",
        "Open MPI 5. Run it in the folder of the rankfile. Replace each ./NAME by the program.",
    );
    comment(&mut text, "", &numbers.note());
    if target.needs_first_touch() {
        comment(&mut text, "", FIRST_TOUCH);
    }
    independent(&mut text, target, numbers);
    if let Some(words) = not_started(target) {
        comment(&mut text, "", &words);
    }
    for job in &target.jobs {
        text.push_str("#\n");
        job.comment(&mut text);
    }
    if target.jobs.is_empty() {
        return text;
    }
    text.push('\n');
    if !target.weights.is_empty() {
        comment(&mut text, "", WEIGHTS);
        text.push_str(&weights::saved(&target.weights));
        text.push_str(&weights::commands(&target.weights));
    }
    let part =
        |job: &Job<'_>| format!("-np {} {}{}", job.ranks.len(), job.numactl_for_memory(), program(job.name));
    let parts: Vec<String> = target.jobs.iter().map(part).collect();
    let _ = writeln!(text, "export {EACH_ON_ITS_OWN}");
    let _ =
        writeln!(text, "mpirun --map-by rankfile:file=rankfile{} {}", numbers.modifier(), parts.join(" : "));
    if !target.weights.is_empty() {
        text.push_str(&weights::restored(&target.weights));
    }
    text
}

/// How to start independent applications: each with its own `mpirun`.
fn independent(text: &mut String, target: &Target<'_>, numbers: &Numbers) {
    if target.jobs.len() < 2 {
        return;
    }
    comment(
        text,
        "",
        "All applications of one mpirun share MPI_COMM_WORLD. Independent ones need one mpirun each, with an own rankfile whose ranks \
         begin at 0, or, with one thread for each rank:",
    );
    for job in target.jobs.iter().filter(|job| job.ranks.iter().all(|rank| rank.cpus.len() == 1)) {
        // A range counts as one entry, so all numbers are written.
        let list: Vec<String> = job
            .ranks
            .iter()
            .flat_map(|rank| numbers.numbers(rank))
            .map(|number| number.to_string())
            .collect();
        let _ = writeln!(
            text,
            "#   mpirun --map-by pe-list={}:ordered{} -np {} {}{} &",
            list.join(","),
            numbers.modifier(),
            job.ranks.len(),
            job.numactl_for_memory(),
            program(job.name)
        );
    }
}
