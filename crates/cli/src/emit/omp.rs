//! The environment variables of OpenMP (OpenMP API 5.2, sections 21.1.2, 21.1.3 and 21.1.6), which every kind of script
//! sets, and the kind that has nothing else: with `numactl` only where data does not lie with the threads, as memory is
//! no matter of OpenMP.

use crate::emit::job::Job;
use crate::emit::script::{Tool, nothing};
use crate::emit::words::program;

/// The writer of this kind.
pub(super) const OMP: Tool = Tool {
    directives: &[],
    notes: &["Each thread gets one place, and each place is one processor; {8}:3 stands for {8},{9},{10}. \
              OMP_DISPLAY_AFFINITY=true shows where threads run."],
    start: "",
    command: omp,
    end: nothing,
    binds_ranks: false,
};

fn omp(job: &Job<'_>) -> String {
    format!("{} {}{}", variables(job), job.numactl_for_memory(), program(job.name))
}

/// Assignments for the environment of the program: as many threads as were computed, each on its processor. Ranks that share the processors
/// have only their number of threads.
pub(super) fn variables(job: &Job<'_>) -> String {
    if job.has_ranks() {
        let least = job.ranks.iter().map(|rank| rank.cpus.len()).min().unwrap_or(1).max(1);
        return format!("OMP_NUM_THREADS={least}");
    }
    format!("OMP_NUM_THREADS={} OMP_PLACES='{}' OMP_PROC_BIND=close", job.threads(), places(&job.cpus))
}

/// The same for programs of which each rank is bound to its own processors: each thread on one of them. If the ranks have unequal numbers of
/// threads, OpenMP counts the processors of the rank.
pub(super) fn variables_of_ranks(job: &Job<'_>) -> String {
    let sizes: std::collections::BTreeSet<usize> = job.ranks.iter().map(|rank| rank.cpus.len()).collect();
    match sizes.first() {
        Some(size) if sizes.len() == 1 => format!("OMP_NUM_THREADS={size} {EACH_ON_ITS_OWN}"),
        _ => EACH_ON_ITS_OWN.to_owned(),
    }
}

/// Each thread of a process on one of the processors to which the process is bound.
pub(super) const EACH_ON_ITS_OWN: &str = "OMP_PLACES=threads OMP_PROC_BIND=close";

/// One place for each processor; three and more consecutive ones as `{FIRST}:COUNT`.
fn places(cpus: &[u32]) -> String {
    let mut places = Vec::new();
    for run in cpus.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        match run {
            [first, _, _, ..] => places.push(format!("{{{first}}}:{}", run.len())),
            _ => places.extend(run.iter().map(|cpu| format!("{{{cpu}}}"))),
        }
    }
    places.join(",")
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn runs_of_processors_are_intervals_and_keep_their_order() {
        assert_eq!(places(&[8, 9, 10, 0, 1, 4]), "{8}:3,{0},{1},{4}");
    }
}
