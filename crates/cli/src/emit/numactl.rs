//! `numactl`: one command line for each application. Options as in numactl(8).

use numasim_model::cpus::ranges;

use crate::emit::job::{Job, Memory};
use crate::emit::omp::variables;
use crate::emit::script::{Tool, nothing};
use crate::emit::words::program;

/// The writer of this kind.
pub(super) const NUMACTL: Tool = Tool {
    directives: &[],
    notes: &[
        "numactl binds a process to its set of processors and not each thread to one: inside the set, also \
              between nodes, threads may move. Those of OpenMP do not: OMP_PLACES names one processor for each. Threads of \
              other kinds: --emit likwid.",
    ],
    start: "",
    command: numactl,
    end: nothing,
    binds_ranks: false,
};

fn numactl(job: &Job<'_>) -> String {
    let memory = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) => "--localalloc".to_owned(),
        Memory::Node(node) => format!("--membind={node}"),
        Memory::Interleaved(nodes) if job.weights.is_some() => {
            format!("--weighted-interleave={}", ranges(nodes))
        }
        Memory::Interleaved(nodes) => format!("--interleave={}", ranges(nodes)),
    };
    format!("{} numactl --physcpubind={} {memory} {}", variables(job), job.cpu_set(), program(job.name))
}
