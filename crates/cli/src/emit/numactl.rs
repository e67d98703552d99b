//! `numactl`: one command line for each application. Options as in numactl(8).

use numasim_model::cpus::ranges;

use super::job::{Job, Memory};
use super::{Tool, nothing, omp, words};

pub(super) const TOOL: Tool = Tool {
    directives: &[],
    notes: &[
        "numactl binds a process to its set of processors and not each thread to one: inside the set, also \
              between nodes, threads may move. Those of OpenMP do not: OMP_PLACES names one processor for each. Threads of \
              other kinds: --emit likwid.",
    ],
    start: "",
    command,
    end: nothing,
};

fn command(job: &Job<'_>) -> String {
    let memory = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) => "--localalloc".to_owned(),
        Memory::Node(node) => format!("--membind={node}"),
        Memory::Interleaved(nodes) => format!("--interleave={}", ranges(nodes)),
    };
    format!(
        "{} numactl --physcpubind={} {memory} {}",
        omp::variables(job),
        job.cpu_set(),
        words::program(job.name)
    )
}
