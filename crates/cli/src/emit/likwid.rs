//! `likwid-pin`, which pins each thread to one processor. Options as in likwid-pin(1).

use numasim_model::cpus::ranges;

use crate::emit::job::{Job, Memory};
use crate::emit::omp::variables;
use crate::emit::script::{Tool, nothing};
use crate::emit::words::program;

/// The writer of this kind.
pub(super) const LIKWID: Tool = Tool {
    directives: &[],
    notes: &[
        "likwid-pin pins the threads to the processors in the order of the list as they are created, and sets \
              OMP_NUM_THREADS. For threads of pthread_create name the processor of the first thread twice if that \
              one only waits. It needs dynamically linked programs, and it splits the command at spaces.",
    ],
    start: "",
    command: likwid,
    end: nothing,
    binds_ranks: false,
};

fn likwid(job: &Job<'_>) -> String {
    // -m and -i refer to the nodes of the threads; other nodes are left to numactl, whose policy is inherited.
    let (numactl, policy) = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) => (String::new(), ""),
        Memory::Node(node) if job.nodes == [*node] => (String::new(), "-m "),
        Memory::Interleaved(nodes) if job.nodes == *nodes => (String::new(), "-i "),
        Memory::Node(_) | Memory::Interleaved(_) => (job.numactl_for_memory(), ""),
    };
    format!(
        "{} {numactl}likwid-pin -q {policy}-c {} {}",
        variables(job),
        ranges(&job.cpus),
        program(&without_spaces(job.name))
    )
}

/// likwid-pin joins the words of its command with spaces and splits them again: no quoting survives.
fn without_spaces(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}
