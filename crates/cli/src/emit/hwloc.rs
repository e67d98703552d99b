//! `hwloc-bind` with physical indexes, those of the operating system. Options as in hwloc-bind(1) and hwloc(7).

use crate::emit::job::{Job, Memory};
use crate::emit::omp::variables;
use crate::emit::script::{Tool, nothing};
use crate::emit::words::program;

/// The writer of this kind.
pub(super) const HWLOC: Tool = Tool {
    directives: &[],
    notes: &[
        "hwloc-bind binds a process to its set of processors and not each thread to one; threads of OpenMP are \
              bound by OMP_PLACES. -p: numbers of the \
              operating system; --strict: without it memory may come from other nodes too. Without --membind Linux \
              takes memory from the node of the thread that touches it first.",
    ],
    start: "",
    command: hwloc,
    end: nothing,
    binds_ranks: false,
};

fn hwloc(job: &Job<'_>) -> String {
    let memory = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) => String::new(),
        Memory::Node(node) => format!(" --membind node:{node}"),
        Memory::Interleaved(nodes) => {
            let nodes: Vec<String> = nodes.iter().map(|node| format!("node:{node}")).collect();
            format!(" --membind --mempolicy interleave {}", nodes.join(" "))
        }
    };
    // A location is one object or one range: `pu:0-3 pu:8`.
    let processors: Vec<String> = job.cpu_set().split(',').map(|part| format!("pu:{part}")).collect();
    format!(
        "{} hwloc-bind -p --strict --cpubind {}{memory} -- {}",
        variables(job),
        processors.join(" "),
        program(job.name)
    )
}
