//! The environment variables of OpenMP (OpenMP API 5.2, sections 21.1.2, 21.1.3 and 21.1.6), which every kind of script
//! sets, and the kind that has nothing else: with `numactl` only where data does not lie with the threads, as memory is
//! no matter of OpenMP.

use super::job::Job;
use super::{Tool, nothing, words};

pub(super) const TOOL: Tool = Tool {
    directives: &[],
    notes: &["Each thread gets one place, and each place is one processor; {8}:3 stands for {8},{9},{10}. \
              OMP_DISPLAY_AFFINITY=true shows where threads run."],
    start: "",
    command,
    end: nothing,
};

fn command(job: &Job<'_>) -> String {
    format!("{} {}{}", variables(job), job.numactl_for_memory(), words::program(job.name))
}

/// Assignments for the environment of the program: as many threads as were computed, each on its processor.
pub(super) fn variables(job: &Job<'_>) -> String {
    format!("OMP_NUM_THREADS={} OMP_PLACES='{}' OMP_PROC_BIND=close", job.threads(), places(&job.cpus))
}

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
