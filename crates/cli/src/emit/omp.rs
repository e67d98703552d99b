//! The environment variables of OpenMP (OpenMP API 5.2, sections 21.1.2, 21.1.3 and 21.1.6), which every kind of script sets, and the
//! kind that sets only these. It uses `numactl` only if the data is not placed with the threads, because OpenMP does not control memory.

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

/// Assignments for the environment of the program: the computed number of threads, each on its logical CPU. Ranks that share logical CPUs
/// get only their number of threads.
pub(super) fn variables(job: &Job<'_>) -> String {
    if job.has_ranks() {
        let least = job.ranks.iter().map(|rank| rank.cpus.len()).min().unwrap_or(1).max(1);
        return format!("OMP_NUM_THREADS={least}");
    }
    format!("OMP_NUM_THREADS={} OMP_PLACES='{}' OMP_PROC_BIND=close", job.threads(), places(&job.cpus))
}

/// The same for programs in which each rank is bound to its own logical CPUs: each thread on one of them. If the ranks have unequal
/// numbers of threads, OpenMP counts the logical CPUs of the rank.
pub(super) fn variables_of_ranks(job: &Job<'_>) -> String {
    let sizes: std::collections::BTreeSet<usize> = job.ranks.iter().map(|rank| rank.cpus.len()).collect();
    match sizes.first() {
        Some(size) if sizes.len() == 1 => format!("OMP_NUM_THREADS={size} {EACH_ON_ITS_OWN}"),
        _ => EACH_ON_ITS_OWN.to_owned(),
    }
}

/// Each thread of a process on one of the logical CPUs to which the process is bound.
pub(super) const EACH_ON_ITS_OWN: &str = "OMP_PLACES=threads OMP_PROC_BIND=close";

/// One place for each logical CPU; three and more consecutive ones as `{FIRST}:COUNT`.
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
