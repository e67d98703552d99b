//! Slurm: a batch script with one job step of one task for each application. Options as in srun(1).
//!
//! `--cpus-per-task` is left out: it implies `--exact`, and then Slurm itself chooses the processors of the step, which
//! need not be those of the mask. Masks are kept as they are only where the whole node belongs to the job.

use super::job::{Job, Memory};
use super::{Tool, nothing, omp, words};

pub(super) const TOOL: Tool = Tool {
    directives: &["#SBATCH --nodes=1", "#SBATCH --exclusive"],
    notes: &[
        "Binding needs Slurm's plugin task/affinity and a whole node. --overlap lets the steps run side by side; \
         without --cpus-per-task each may use every processor of its mask.",
        "Slurm binds a task to its mask and not each thread to one processor; threads of OpenMP are bound by \
         OMP_PLACES. --export=ALL hands the variables on also where the job was submitted with --export=NONE.",
    ],
    start: "",
    command,
    end: nothing,
};

fn command(job: &Job<'_>) -> String {
    // Slurm cannot interleave.
    let (bind, numactl) = match &job.memory {
        Memory::Own => ("local".to_owned(), String::new()),
        // The program places a share itself; first touch is the default of Linux.
        Memory::OwnAnd(_) => ("none".to_owned(), String::new()),
        Memory::Node(node) => (format!("mask_mem:{}", words::mask(&[*node])), String::new()),
        Memory::Interleaved(_) => ("none".to_owned(), job.numactl_for_memory()),
    };
    format!(
        "{} srun --nodes=1 --ntasks=1 --overlap --export=ALL --cpu-bind=mask_cpu:{} --mem-bind={bind} {numactl}{}",
        omp::variables(job),
        words::mask(&job.cpus),
        words::program(job.name)
    )
}
