//! Slurm: a batch script with one job step for each application, with one task for each rank. Options as in srun(1).
//!
//! `--cpus-per-task` is left out: it implies `--exact`, and then Slurm itself chooses the logical CPUs of the step, which may differ from
//! those in the mask. Masks are preserved only if the whole node belongs to the job.

use crate::emit::job::{Job, Memory};
use crate::emit::omp::{variables, variables_of_ranks};
use crate::emit::script::{Tool, nothing};
use crate::emit::words::{mask, program};

/// The writer of this kind.
pub(super) const SLURM: Tool = Tool {
    directives: &["#SBATCH --nodes=1", "#SBATCH --exclusive"],
    notes: &[
        "Binding needs Slurm's plugin task/affinity and a whole node. --overlap lets the steps run side by side; \
         without --cpus-per-task each may use every processor of its mask.",
        "Slurm binds a task to its mask and not each thread to one processor; threads of OpenMP are bound by \
         OMP_PLACES. --export=ALL hands the variables on also where the job was submitted with --export=NONE.",
    ],
    start: "",
    command: slurm,
    end: nothing,
    binds_ranks: true,
};

fn slurm(job: &Job<'_>) -> String {
    // Slurm cannot interleave.
    let (bind, numactl) = match &job.memory {
        // Memory cannot be bound to nodes without memory.
        Memory::Own if job.memory_nodes() != job.nodes => ("none".to_owned(), String::new()),
        Memory::Own => ("local".to_owned(), String::new()),
        // The program places a share itself; first touch is the default of Linux.
        Memory::OwnAnd(_) => ("none".to_owned(), String::new()),
        // Lists that are shorter than the number of ranks repeat.
        Memory::Node(node) => (format!("mask_mem:{}", mask(&[*node])), String::new()),
        Memory::Interleaved(_) => ("none".to_owned(), job.numactl_for_memory()),
    };
    let (variables, cpus) = if job.has_ranks() {
        (variables_of_ranks(job), of_ranks(job))
    } else {
        (variables(job), format!("mask_cpu:{}", mask(&job.cpus)))
    };
    format!(
        "{variables} srun --nodes=1 --ntasks={} --overlap --export=ALL --cpu-bind={cpus} --mem-bind={bind} {numactl}{}",
        job.ranks.len(),
        program(job.name)
    )
}

/// One logical CPU or one mask for each rank.
fn of_ranks(job: &Job<'_>) -> String {
    let single: Option<Vec<String>> = job
        .ranks
        .iter()
        .map(|rank| <[u32; 1]>::try_from(rank.cpus.clone()).ok().map(|[cpu]| cpu.to_string()))
        .collect();
    if let Some(cpus) = single {
        return format!("map_cpu:{}", cpus.join(","));
    }
    let masks: Vec<String> = job.ranks.iter().map(|rank| mask(&rank.cpus)).collect();
    format!("mask_cpu:{}", masks.join(","))
}
