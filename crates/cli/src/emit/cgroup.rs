//! cgroup v2: a group with `cpuset.cpus` and `cpuset.mems` for each application (Linux, admin-guide/cgroup-v2, "Cpuset").

use numasim_model::cpus::ranges;

use crate::emit::job::{Job, Memory};
use crate::emit::omp::variables;
use crate::emit::script::Tool;
use crate::emit::words::{is_plain, program};

/// The writer of this kind.
pub(super) const CGROUP: Tool = Tool {
    directives: &[],
    notes: &[
        "Run it as root, or with CGROUP set to a new group below one that is delegated to you. CGROUP must be empty \
         of processes: only its children have some.",
        "A cpuset holds every process and thread of the application inside the set, whatever they ask for; inside \
         the set, threads may move. Those of OpenMP do not: OMP_PLACES names one processor for each.",
    ],
    start: "set -e\n\
            top=${CGROUP:-/sys/fs/cgroup/numasim}\n\
            mkdir -p \"$top\"\n\
            echo +cpuset > \"${top%/*}/cgroup.subtree_control\"\n\
            echo +cpuset > \"$top/cgroup.subtree_control\"\n",
    command: cgroup,
    end,
    binds_ranks: false,
};

fn cgroup(job: &Job<'_>) -> String {
    let group = group(job);
    // A cpuset limits the sources of memory; distributing it is a policy of the process.
    let numactl = match &job.memory {
        Memory::Own | Memory::OwnAnd(_) | Memory::Node(_) => String::new(),
        Memory::Interleaved(_) => job.numactl_for_memory(),
    };
    format!(
        "mkdir -p \"$top/{group}\"\n\
         echo {} > \"$top/{group}/cpuset.cpus\"\n\
         echo {} > \"$top/{group}/cpuset.mems\"\n\
         (echo 0 > \"$top/{group}/cgroup.procs\" && export {} && exec {numactl}{})",
        job.cpu_set(),
        ranges(&job.memory_nodes()),
        variables(job),
        program(job.name)
    )
}

fn end(jobs: &[Job<'_>]) -> String {
    let mut groups: Vec<String> = jobs.iter().map(|job| format!("\"$top/{}\"", group(job))).collect();
    groups.push("\"$top\"".to_owned());
    format!("rmdir {}\n", groups.join(" "))
}

/// The name of the group. Names of kernel files contain a dot. The replacement for an unusual name also contains one, but a plain name
/// with a dot is replaced.
fn group(job: &Job<'_>) -> String {
    if is_plain(job.name) && !job.name.contains('.') {
        job.name.to_owned()
    } else {
        format!("app.{}", job.number + 1)
    }
}
